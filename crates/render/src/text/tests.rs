//! What each function prints, to the letter.

mod stories;

use hardwon_core::change::{self, Change};
use hardwon_core::effect::EffectCounts;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::{Lesson, Unseen};
use hardwon_core::run::Outcome;
use hardwon_core::scope::{Dimension, Scope};

use super::*;
use crate::answer::{
    self, Checked, Entry, FindingCounts, History, Id, Injected, Learned, Lessons, Lift, Policy,
    PolicyDiff, Regressions, Report, RunEnded, RunLearned, Setting, Settings, Stats, Swept, Undone,
    Word,
};
use crate::samples::{self, SQL, answers, entry, run_id, story};

/// Compares with a text whose common margin is that of its first line.
#[track_caller]
fn check_text(printed: &str, expected: &str) {
    let expected = expected.strip_prefix('\n').unwrap_or(expected).trim_end_matches(' ');
    let margin = expected.len() - expected.trim_start_matches(' ').len();
    let line = |line: &str| format!("{}\n", line.get(margin..).unwrap_or(""));
    let expected: String = expected.lines().map(line).collect();
    assert_eq!(printed, expected, "\n--- printed\n{printed}--- expected\n{expected}");
}

#[test]
fn learning() {
    check_text(
        &learn(&answers::learned(), 80),
        r#"
        r2: already known, nothing new in it
        r7: 4 findings read, 3 used, 1 rejected
          new            l-new0001  Session cookie is set without the Secure attribute…
          seen again     l-sql0001  Query built by string concatenation in the user sea…
          no_help        l-sql0001  Query built by string concatenation in the user sea…
              because: shown, and reported again by guardian
          1 lesson shown but not tested
          candidate → provisional  l-sql0001  Query built by string concatenation in th…
              because: seen in 2 root runs
          similar        l-new0001 resembles l-sql0001 (likeness 0.61)
          REGRESSION: "Token compared with ==" (fixed in r4) is back in r7, reported by guardian
        operation 12: `hardwon undo 12` reverses it
        "#,
    );
}

#[test]
fn only_the_first_of_many_similar_pairs_are_named() {
    let mut learned = answers::learned();
    let pair = learned.runs[1].similar[0].clone();
    learned.runs[1].similar = vec![pair; 10];
    let text = learn(&learned, 80);
    assert_eq!(text.matches("resembles").count(), 3);
    assert!(text.contains("and 7 more pairs (--json lists all)"), "{text}");
}

#[test]
fn learning_little() {
    check_text(&learn(&Learned::default(), 80), "nothing learned: no run in the input\n");
    let backfill = RunLearned {
        is_known: false,
        is_backfill: true,
        findings: FindingCounts::default(),
        ..answers::learned().runs.remove(0)
    };
    let learned = Learned { runs: vec![backfill], operation: None };
    let line = "r2: 0 findings read, older than the newest run, so evidence only\n";
    check_text(&learn(&learned, 80), line);
}

#[test]
fn explaining() {
    check_text(
        &explain(&answers::injected(), 80),
        "
        1 lesson shown for r3: 61 tokens, 12 characters, 2 left out

        ID         score base place since
        l-sql0001   0.31 -0.62 -0.49 -0.17
          shown: Query built by string concatenation in the user search
          comes up in about 1 of 3 runs that touch src/
        l-low0001   0.01 -0.62 -3.71 -0.17
          left out, score 0.01 is below the bar of 0.02: Cache keys

        left out before scoring
        ID         REASON                             TEXT
        l-new0001  candidate: seen in one run so far  Seen once
        ",
    );
    let nothing = Injected { is_repeat: true, ..Injected::default() };
    check_text(
        &explain(&nothing, 80),
        "
        0 lessons shown, not recorded (no run named): 0 tokens, 0 characters, 0 left out; served before, the same bytes again
        ",
    );
}

#[test]
fn listing() {
    check_text(
        &lessons(&answers::lessons(), 100),
        "
        ID         STATE        KIND          SEEN  HELPED  SCOPE        TEXT
        l-sql0001  provisional  pattern          3     1/2  domain=code  Query built by string concatenatio…
        l-pref001  candidate    preference       1       -  global       Use single bundled pull requests
        l-cjk0001  stable       anti_pattern     3       -  domain=code  [pinned] 検索でSQLを文字列連結しな…
        (there are more: raise --limit)
        ",
    );
    check_text(&lessons(&Lessons::default(), 80), "no lessons\n");
    let wish = samples::preference("l-pref001", "Use single bundled pull requests");
    let line = lesson(&answer::Lesson::from(&wish), 80);
    check_text(
        &line,
        "l-pref001 (preference, shown from now on): Use single bundled pull requests\n",
    );
}

#[test]
fn runs_and_their_effects() {
    let learned = answers::learned().runs.remove(1);
    check_text(
        &check(&Checked { run: Id(run_id("r7")), n_shown: 2, effects: learned.effects }, 80),
        "
        r7: 2 lessons shown
          no_help        l-sql0001  Query built by string concatenation in the user sea…
              because: shown, and reported again by guardian
          neutral        l-pref001  Use single bundled pull requests
              because: nobody can miss it
        ",
    );
    let unshown = Checked { run: Id(run_id("r8")), n_shown: 0, effects: Vec::new() };
    check_text(&check(&unshown, 80), "r8: no lesson was shown\n");
    check_text(
        &decay(&Swept { transitions: learned.transitions }, 80),
        "
        candidate → provisional  l-sql0001  Query built by string concatenation in the…
            because: seen in 2 root runs
        ",
    );
    check_text(&decay(&Swept::default(), 80), "nothing decayed\n");
    let ended = RunEnded { run: Id(run_id("r7")), outcome: Word(Outcome::Partial) };
    check_text(&outcome(&ended), "r7: partial\n");
    check_text(
        &regressions(&Regressions { regressions: vec![answers::regression()] }),
        r#"
        REGRESSION: "Token compared with ==" (fixed in r4) is back in r7, reported by guardian
        "#,
    );
    assert_eq!(regressions(&Regressions::default()), "no regressions\n");
}

#[test]
fn the_journal() {
    let entries = story().page.history.split_off(3);
    check_text(
        &history(&History { entries }, 80),
        "
        operation 2, 2026-04-02T14:10:00Z: learn by ada
          l-sql0001 state candidate → provisional; sightings 1 → 2; standing 1 → 2: seen
          in 2 root runs
        operation 5, 2026-04-05T14:10:00Z: pin by ada
          l-sql0001 pinned no → yes: asked for
        ",
    );
    let before = samples::lesson("l-sql0001", SQL);
    let effects = EffectCounts { n_helped: 2, ..before.effects };
    let unseen = Unseen { n_runs: 0, checked_at: 9 };
    let scope = Scope::default().with(Dimension::Role, "maker");
    let after = Lesson { effects, unseen, scope, ..before.clone() };
    let change = Change::edit_lesson(&before, &after, "helped in r9").unwrap();
    // Both have a ninth operation.
    let demo = ProjectId::new("demo");
    let entries = [&demo, &ProjectId::new("other")].map(|project| {
        let written =
            change::Entry { project: project.clone(), ..entry(9, "learn", change.clone()) };
        Entry::of(&written, &demo)
    });
    check_text(
        &history(&History { entries: entries.to_vec() }, 80),
        "
        operation 9, 2026-04-09T14:10:00Z: learn by ada
          l-sql0001 scope domain code → none, role none → maker; effects helped 1 → 2:
          helped in r9
        operation 9 of another project, 2026-04-09T14:10:00Z: learn by ada
          l-sql0001 scope domain code → none, role none → maker; effects helped 1 → 2:
          helped in r9
        ",
    );
    check_text(&history(&History::default(), 80), "no history\n");
    let undone = Undone {
        operation: 12,
        command: "learn".to_owned(),
        lessons: ["l-sql0001", "l-new0001"].map(|id| Id(LessonId::given(id))).to_vec(),
    };
    let line = "operation 12 (learn) undone; it had touched 2 lessons: l-sql0001, l-new0001\n";
    check_text(&undo(&undone, 80), line);
}

#[test]
fn reporting() {
    check_text(
        &report(&answers::report(), 80),
        "
        memory holds 12 lessons; 9 runs learned
          candidate 5, provisional 4, stable 3; 2 pinned; 1 global

        works: shown, and not reported again
          shown 4 times, came back once  l-sql0001  Query built by string concatenation…

        does not help: shown, and reported again or named as a cause of harm
          shown 3 times, came back 3 times  l-bad0001  Logging differs between the impo…

        not tested yet
          seen in 3 runs  l-new0001  Session cookie is set without Secure

        newest runs (repeats: reported by an earlier run too; back: fixed before)
          RUN                    ENDED       OUTCOME  FINDINGS  REPEATS  BACK  SHOWN  HELPED
          r7                     2026-04-07  failed          3        1     0      4       2
          2026-04-03-der-huster  2026-04-03  -               3        1     0      4       2

        all lessons: shown 14 times, came back 5 times
        lift: not known yet (needs hold-out runs)
        ",
    );
    check_text(
        &report(&Report::default(), 80),
        "
        memory holds no lessons yet; 0 runs learned

        no lesson was tested yet
        lift: not known yet (needs hold-out runs)
        ",
    );
}

#[test]
fn what_it_is_worth() {
    let told = |value: f64| {
        let lift = Some(Lift::from(&answers::lift(value)));
        report(&Report { stats: Stats { lift, ..Stats::default() }, ..Report::default() }, 200)
    };
    let measured = "210 opportunities (came back in 23 of 180 when shown, 13 of 30 when held out)";
    let (good, bad) = (told(0.31), told(-0.052));
    let line = format!("lift: all lessons together prevent 31 % ± 9 of repeats, {measured}\n");
    assert!(good.ends_with(&line), "{good}");
    let line = format!("lift: all lessons together bring 5 % ± 9 more repeats, {measured}\n");
    assert!(bad.ends_with(&line), "{bad}");
}

#[test]
fn counting() {
    check_text(
        &stats(&Stats { counts: answers::counts(), ..Stats::default() }),
        "
        lessons   12
        state     candidate 5, provisional 4, stable 3
        kind      preference 1, pattern 11
        severity  warning 12
        global    1
        pinned    2
        runs      9
        effects   helped 9, no_help 5, hurt 0, contradicted 0, neutral 2, no_opportunity 0
        lift      not known yet (needs hold-out runs)
        ",
    );
    assert!(stats(&Stats::default()).starts_with("lessons   0\nstate     none\n"));
}

#[test]
fn settings_and_policies() {
    let setting = |name: &str, value: &str, set_by: &str| Setting {
        name: name.to_owned(),
        value: value.to_owned(),
        set_by: set_by.to_owned(),
    };
    let settings =
        vec![setting("policy", "hardwon", "default"), setting("budget", "9", "user\u{7} file")];
    check_text(
        &config(&Settings { settings }, 80),
        "
        policy  hardwon  (default)
        budget  9        (user  file)
        ",
    );
    let (ours, other) = (answers::policy("ours", 2), answers::policy("other", 3));
    let text = policy(&Policy::from(&ours), 80);
    assert!(text.starts_with("ours: for tests of ours\n\nbudget.by_score = no\n"), "{text}");
    assert!(text.contains("\npromotion.confidence_by_sightings = 0.4, 0.6, 0.8\n"), "{text}");
    check_text(
        &policy_diff(&PolicyDiff::of(&ours, &other), 80),
        "
        NAME                      ours  other
        promotion.provisional_at     2      3
        ",
    );
    let line = "ours and ours have the same numbers\n";
    check_text(&policy_diff(&PolicyDiff::of(&ours, &ours), 80), line);
}

#[test]
fn problems_are_one_safe_line_each() {
    let met =
        [Problem::new("run\u{1b}[31m.jsonl:3", "not valid\nJSON"), Problem::new("store", "x")];
    assert_eq!(problems(&met), "problem: run [31m.jsonl:3: not valid JSON\nproblem: store: x\n");
}
