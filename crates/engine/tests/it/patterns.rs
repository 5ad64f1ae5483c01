//! jkz's loop: who is blamed for a false positive, what a pass closes, how a pattern rises.
//! Lines are those of "what is wrong today" in the plan of its first half.

use hardwon_engine::lesson::{Decision, State};
use hardwon_engine::run::Outcome;
use hardwon_engine::runs::Pair;
use hardwon_engine::{Input, LearnRequest};
use serde_json::json;

use crate::harness::{Pipeline, W, line, run, run_with};

const OTHER: &str = "Session token is logged in plain text by the middleware";

fn by(author: &str, text: &str) -> String {
    let finding = json!({"type": "finding", "author": author, "severity": "bug", "text": text});
    line(finding, json!({"path": "src/api.rs", "line": 41, "grade": "cited"}))
}

fn says(author: &str, fields: serde_json::Value) -> String {
    line(json!({"type": "verdict", "author": author}), fields)
}

fn on_task(id: &str, task: &str) -> String {
    run_with(id, json!({"task": task, "detectors": ["auditor", "judge", "inspector"]}))
}

fn pass(author: &str) -> String {
    says(author, json!({"verdict": "PASS", "grade": "executed"}))
}

fn false_positive(author: &str, text: &str) -> String {
    says(author, json!({"verdict": "PASS", "grade": "cited", "false_positives": [text]}))
}

/// Seen on two issues by the judge.
fn seen_twice() -> Pipeline {
    let mut p = Pipeline::with_policy("jkz");
    for (id, task) in [("r1", "I-1"), ("r2", "I-1")] {
        p.learn_run(&(on_task(id, task) + &by("judge", W)));
    }
    p
}

#[test]
fn line_3_a_ruling_counts_against_what_the_finding_is_shown_or_not() {
    for (ruler, n_against) in
        [("inspector", 1), ("Sentinel", 1), ("lens", 1), ("curator", 1), ("auditor", 0)]
    {
        let mut p = seen_twice();
        p.learn_run(&(on_task("r3", "I-2") + &by("judge", W) + &false_positive(ruler, W)));
        assert_eq!(p.only_lesson().effects.n_contradicted, n_against, "{ruler}");
        p.assert_sound();
    }
    let mut p = Pipeline::confirmed();
    p.learn_run(&(on_task("r3", "I-2") + &by("guardian", W) + &false_positive("inspector", W)));
    assert_eq!(p.only_lesson().effects.n_contradicted, 0, "elsewhere only what was shown");
}

#[test]
fn line_7_what_was_dismissed_in_a_run_starts_no_lesson_by_another_voice() {
    let reworded = "The user search still builds its query by string concatenation";
    for (policy, again) in [
        ("hardwon", reworded),
        ("jkz", reworded),
        ("archivist", reworded),
        // These two tell findings apart by stricter bars.
        ("archeflow", W),
        ("geas", W),
    ] {
        let mut p = Pipeline::with_policy(policy);
        let record = on_task("r1", "I-1") + &by("judge", W) + &false_positive("inspector", W);
        p.learn(&record);
        let part = run_with("r1-b", json!({"parent": "r1", "detectors": ["auditor"]}));
        let learned = p.learn(&(part.clone() + &by("auditor", again)));
        assert_eq!(p.lessons(), [], "{policy}: {:?}", learned.body.runs);
        p.assert_sound();
        if policy == "hardwon" {
            let elsewhere = by("auditor", W).replace("src/api.rs", "src/other.rs");
            p.learn(&(part.replace("r1-b", "r1-c") + &elsewhere));
            assert_eq!(p.lessons().len(), 1, "another place is another matter");
        }
    }
}

#[test]
fn line_8_a_pass_of_who_reported_it_closes_it_and_later_it_is_a_regression() {
    let mut p = Pipeline::with_policy("jkz");
    p.learn_run(&(on_task("r1", "I-1") + &by("judge", W) + &by("judge", OTHER)));
    p.learn_run(&(on_task("r2", "I-1") + &by("judge", OTHER) + &pass("judge")));
    let again = "User search builds its query by string concatenation again";
    let learned = p.learn_run(&(on_task("r3", "I-7") + &by("judge", again)));
    let regressed: Vec<&str> = learned.regressions.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(regressed, [again]);
    let learned = p.learn_run(&(on_task("r4", "I-8") + &by("judge", OTHER)));
    assert!(learned.regressions.is_empty(), "it was reported again when the work passed");
    p.assert_sound();
}

#[test]
fn line_8_also_while_other_tasks_come_and_go_and_never_what_was_found_later() {
    let part = |id: &str, at: &str| {
        let times = json!({"parent": "T-1", "started": at, "finished": at});
        line(json!({"type": "run", "id": id, "detectors": ["judge"]}), times)
    };
    for (passed_at, is_closed) in [("2026-04-01T12:00:00Z", true), ("2026-04-01T08:00:00Z", false)]
    {
        let mut p = Pipeline::with_policy("jkz");
        p.learn(&(part("t1", "2026-04-01T10:00:00Z") + &by("judge", W)));
        p.learn(&(on_task("other", "T-2") + &by("auditor", OTHER)));
        p.learn(&(part("t2", passed_at) + &pass("judge")));
        let learned = p.learn_run(&(on_task("r9", "T-3") + &by("judge", W)));
        assert_eq!(learned.regressions.len() == 1, is_closed, "{passed_at}");
    }
}

#[test]
fn line_8_only_by_who_reported_it_with_evidence_on_that_task() {
    let cases = [
        ("another reviewer", "I-1", pass("auditor")),
        ("reasoned", "I-1", says("judge", json!({"verdict": "PASS", "grade": "reasoned"}))),
        ("another task", "I-2", pass("judge")),
        ("a fail", "I-1", says("judge", json!({"verdict": "FAIL", "must_fix": ["x"]}))),
    ];
    for (name, task, verdict) in cases {
        let mut p = Pipeline::with_policy("jkz");
        p.learn_run(&(on_task("r1", "I-1") + &by("judge", W)));
        p.learn_run(&(on_task("r2", task) + &verdict));
        let learned = p.learn_run(&(on_task("r3", "I-7") + &by("judge", W)));
        assert!(learned.regressions.is_empty(), "{name}");
    }
    let mut p = Pipeline::on_memory();
    p.learn_run(&(on_task("r1", "I-1") + &by("judge", W)));
    p.learn_run(&(on_task("r2", "I-1") + &pass("judge")));
    let learned = p.learn_run(&(on_task("r3", "I-7") + &by("judge", W)));
    assert!(learned.regressions.is_empty(), "a policy without this rule");
}

#[test]
fn line_9_work_that_did_not_hold_helped_nobody() {
    let mut p = seen_twice();
    let record = on_task("r3", "I-1") + &pass("judge");
    assert_eq!(p.effect_after("r3", &record).0, "helped");
    p.outcome("r3", Outcome::Failed, false).unwrap();
    let effects = p.check("r3").effects;
    let told: Vec<_> = effects.iter().map(|it| (it.kind.word(), it.why.as_str())).collect();
    assert_eq!(told, [("neutral", "judge passed the work, but it did not hold")]);
    assert_eq!(p.only_lesson().effects.n_helped, 0);
    p.assert_sound();
    let mut p = Pipeline::confirmed();
    assert_eq!(p.effect_after("r3", &run("r3", &["guardian"])).0, "helped");
    p.outcome("r3", Outcome::Failed, false).unwrap();
    assert_eq!(p.check("r3").effects[0].kind.word(), "helped", "elsewhere it blames nobody");
}

/// seed-facts 4.2, lifecycle.
#[test]
fn section_4_2_a_pattern_rises_by_contexts_and_is_active_by_approval_alone() {
    let mut p = Pipeline::with_policy("jkz");
    let mut states = Vec::new();
    for (id, task) in [("r1", "I-1"), ("r2", "I-1"), ("r3", "I-1"), ("r4", "I-2")] {
        p.learn_run(&(on_task(id, task) + &by("judge", W)));
        states.push(p.only_lesson().state);
    }
    use State::{Candidate, Provisional, Stable};
    assert_eq!(states, [Candidate, Provisional, Provisional, Stable]);
    for id in ["r5", "r6", "r7", "r8", "r9", "r10"] {
        p.inject(id);
        p.learn_run(&(on_task(id, "I-3") + &pass("judge")));
    }
    assert_eq!(p.only_lesson().state, Stable, "whatever it did, a person approves it");
    let mut at_once = Pipeline::with_policy("jkz");
    at_once.learn_run(&(on_task("r1", "I-1") + &by("judge", W)));
    for mut p in [p, at_once] {
        let lesson = p.only_lesson();
        assert_eq!(p.review(&lesson, Decision::Approve).unwrap().state, State::Canonical);
    }
}

#[test]
fn section_4_2_labels_and_top_folders_are_contexts_too() {
    let seen = |id: &str, tags: &[&str], path: &str| {
        let finding = json!({"type": "finding", "author": "judge", "severity": "bug", "text": W});
        run_with(id, json!({"detectors": ["judge"], "tags": tags}))
            + &line(finding, json!({"path": path, "line": 3}))
    };
    let cases = [
        (["db", "db"], ["src/a.rs", "src/b.rs"], State::Provisional),
        (["db", "db"], ["src/a.rs", "web/b.rs"], State::Stable),
        (["db", "auth"], ["src/a.rs", "src/b.rs"], State::Stable),
    ];
    for (tags, paths, expected) in cases {
        let mut p = Pipeline::with_policy("jkz");
        p.learn_run(&seen("r1", &[tags[0]], paths[0]));
        p.learn_run(&seen("r2", &[tags[1]], paths[1]));
        assert_eq!(p.only_lesson().state, expected, "{tags:?} {paths:?}");
    }
}

#[test]
fn row_83_a_check_says_what_the_run_did_with_each_lesson() {
    let cases = [
        ("used", by("judge", W)),
        ("contradicted", by("judge", W) + &false_positive("inspector", W)),
        ("ignored", says("judge", json!({"verdict": "FAIL", "must_fix": ["x"]}))),
        ("injected", pass("judge")),
    ];
    for (expected, said) in cases {
        let mut p = seen_twice();
        p.inject("r3");
        p.learn_run(&(on_task("r3", "I-1") + &said));
        let effects = p.check("r3").effects;
        let did: Vec<_> =
            effects.iter().filter_map(|it| it.attribution.map(|a| a.0.word())).collect();
        assert_eq!(did, [expected]);
    }
}

#[test]
fn row_106_what_helped_together_is_joined_at_both_ends() {
    let mut p = seen_twice();
    for id in ["q1", "q2"] {
        p.learn_run(&(on_task(id, "I-1") + &by("sentinel", OTHER)));
    }
    for id in ["r3", "r4"] {
        p.inject(id);
        p.learn_run(&(on_task(id, "I-1") + &pass("judge")));
    }
    for (own, other) in [(W, OTHER), (OTHER, W)] {
        let id = p.lesson_saying(own).id.to_string();
        let page = p.show(&id).unwrap().body.page;
        let ends: Vec<_> = page.informed_by.iter().map(|it| (&*it.text, it.n_runs)).collect();
        assert_eq!(ends, [(other, 2)]);
    }
}

fn feed(p: &mut Pipeline, pair: (&str, &str), record: &str) {
    let pair = Pair { adversarial: pair.0.to_owned(), validator: pair.1.to_owned() };
    let request = LearnRequest::of(Input::text("record.jsonl", record));
    p.learn_all(LearnRequest { pair: Some(pair), ..request }).unwrap();
}

#[test]
fn a_pair_moves_only_its_own_patterns_and_the_same_run_twice_changes_nothing() {
    let mut p = seen_twice();
    for id in ["q1", "q2"] {
        p.learn_run(&(on_task(id, "I-1") + &by("sentinel", OTHER)));
    }
    let record = on_task("r3", "I-2")
        + &by("judge", W)
        + &by("sentinel", OTHER)
        + &false_positive("inspector", W)
        + &false_positive("lens", OTHER);
    let against =
        |p: &Pipeline| [W, OTHER].map(|text| p.lesson_saying(text).effects.n_contradicted);
    feed(&mut p, ("judge", "inspector"), &record);
    assert_eq!(against(&p), [1, 0]);
    let n_entries = p.n_entries();
    feed(&mut p, ("judge", "inspector"), &record);
    assert_eq!((against(&p), p.n_entries()), ([1, 0], n_entries), "the same run twice");
    feed(&mut p, ("sentinel", "lens"), &record);
    assert_eq!(against(&p), [1, 1]);
    p.assert_sound();
}
