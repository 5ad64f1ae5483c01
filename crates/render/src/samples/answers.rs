//! Made-up answers: what the use cases would say about the worked example and a few
//! lessons beside it.

use std::collections::BTreeMap;

use hardwon_core::effect::{EffectCounts, EffectKind};
use hardwon_core::finding::Severity;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Arms, Guidance, Kind, Lesson, State};
use hardwon_core::lift::Lift;
use hardwon_core::policy::Policy;
use hardwon_core::reflect::{Candidate, Pattern};
use hardwon_core::run::Run;
use hardwon_core::scope::Scope;

use super::{SQL, effect, lesson, named, preference, run, run_id, transition};
use crate::answer::{
    self, Considered, Counts, Decimal, Effect, Effects, FindingCounts, Id, Injected,
    InjectedLesson, Learned, LeftOut, Lessons, Regression, Report, RunLearned, RunSummary, Similar,
    Stats, Word,
};

fn known_run() -> RunLearned {
    let findings = FindingCounts { n_read: 1, ..FindingCounts::default() };
    RunLearned { is_known: true, findings, ..RunLearned::nothing(run_id("r2")) }
}

/// A run that was known, and one in which everything happened.
pub(crate) fn learned() -> Learned {
    let sql = named("l-sql0001", SQL);
    let cookie = "Session cookie is set without the Secure attribute on the login page";
    let cookie = named("l-new0001", cookie);
    let wish = named("l-pref001", "Use single bundled pull requests");
    let no_help = effect("r7", EffectKind::NoHelp, "shown, and reported again by guardian");
    let neutral = effect("r7", EffectKind::Neutral, "nobody can miss it");
    let promotion = transition(State::Candidate, State::Provisional, "seen in 2 root runs");
    let mut busy = RunLearned {
        findings: FindingCounts { n_read: 4, n_used: 3, n_rejected: 1 },
        new: vec![cookie.clone()],
        matched: vec![sql.clone()],
        effects: vec![Effect::new(sql.clone(), &no_help), Effect::new(wish, &neutral)],
        regressions: vec![regression()],
        similar: vec![Similar { lesson: cookie, like: sql.clone(), likeness: Decimal(0.61499) }],
        ..RunLearned::nothing(run_id("r7"))
    };
    busy.add_transition(sql, &promotion);
    Learned { runs: vec![known_run(), busy], operation: Some(12) }
}

pub(crate) fn regression() -> Regression {
    Regression {
        run: Id(run_id("r7")),
        text: "Token compared with ==".to_owned(),
        author: "guardian".to_owned(),
        fixed_in: Some(Id(run_id("r4"))),
    }
}

/// A learned one, a wish, and a pinned one in another script.
pub(crate) fn lessons() -> Lessons {
    let pinned = Lesson {
        is_pinned: true,
        state: State::Stable,
        kind: Kind::AntiPattern,
        effects: EffectCounts::default(),
        ..lesson("l-cjk0001", "検索でSQLを文字列連結しない、必ずプレースホルダを使うこと")
    };
    let wish = preference("l-pref001", "Use single bundled pull requests");
    let lessons = [lesson("l-sql0001", SQL), wish, pinned];
    let lessons = lessons.iter().map(answer::Lesson::from).collect();
    Lessons { lessons, has_more: true, next: Some("3fe8.6c".to_owned()) }
}

pub(crate) fn counts() -> Counts {
    Counts {
        n_lessons: 12,
        by_state: BTreeMap::from([
            (Word(State::Candidate), 5),
            (Word(State::Provisional), 4),
            (Word(State::Stable), 3),
        ]),
        by_kind: BTreeMap::from([(Word(Kind::Preference), 1), (Word(Kind::Pattern), 11)]),
        by_severity: BTreeMap::from([(Word(Severity::Warning), 12)]),
        n_global: 1,
        n_pinned: 2,
        n_runs: 9,
        effects: Effects { n_helped: 9, n_no_help: 5, n_neutral: 2, ..Default::default() },
    }
}

/// A lift that was measured on 210 opportunities, known to 9 % either way.
pub(crate) fn lift(value: f64) -> Lift {
    let arms = Arms { n_shown: 180, n_shown_again: 23, n_held_out: 30, n_held_out_again: 13 };
    Lift { value, low: value - 0.09, high: value + 0.09, arms }
}

pub(crate) fn report() -> Report {
    let tried = |id: &str, text: &str, n_helped, n_no_help| {
        let effects = EffectCounts { n_helped, n_no_help, ..Default::default() };
        answer::Lesson::from(&Lesson { effects, ..lesson(id, text) })
    };
    let summary = |run: Run| RunSummary {
        n_findings: 3,
        n_repeats: 1,
        n_regressions: 0,
        n_shown: 4,
        n_helped: 2,
        ..RunSummary::of(&run)
    };
    let open = Run { outcome: None, ..run("2026-04-03-der-huster", 3) };
    let report = Report {
        stats: Stats { counts: counts(), ..Stats::default() },
        proven: vec![tried("l-sql0001", SQL, 3, 1)],
        failing: vec![tried("l-bad0001", "Logging differs between the importers", 0, 3)],
        regressed: Vec::new(),
        untested: vec![tried("l-new0001", "Session cookie is set without Secure", 0, 0)],
        runs: vec![summary(run("r7", 7)), summary(open)],
    };
    report.with_lessons()
}

/// One lesson shown, one scored and left out, one that may not be shown at all.
pub(crate) fn injected() -> Injected {
    let parts = |place: f64| vec![("base", -0.62), ("place", place), ("since", -0.17)];
    let left_out = |id: &str, text: &str, reason: &str, score: Option<f64>| LeftOut {
        id: Id(LessonId::given(id)),
        text: text.to_owned(),
        reason: reason.to_owned(),
        score: score.map(Decimal),
        parts: score.map_or(Vec::new(), |_| parts(-3.71)),
    };
    Injected {
        block: "twelve chars".to_owned(),
        lessons: vec![InjectedLesson {
            means: Some("comes up in about 1 of 3 runs that touch src/".to_owned()),
            id: Id(LessonId::given("l-sql0001")),
            text: SQL.to_owned(),
            score: Decimal(0.3125),
            parts: parts(-0.49),
            is_randomised: false,
            lesson: lesson("l-sql0001", SQL),
        }],
        left_out: vec![
            left_out("l-low0001", "Cache keys", "score 0.01 is below the bar of 0.02", Some(0.01)),
            left_out("l-new0001", "Seen once", "candidate: seen in one run so far", None),
        ],
        held_out: Vec::new(),
        n_tokens: 61,
        n_chars: 12,
        digest: "sha256:00".to_owned(),
        run: Some(Id(run_id("r3"))),
        is_repeat: false,
        is_queued: false,
        n_served: 0,
    }
}

/// The default policy under another name, which promotes at so many sightings.
pub(crate) fn policy(name: &str, provisional_at: u32) -> Policy {
    let file = include_str!("../../../engine/policies/hardwon.toml");
    let mut policy: Policy = toml::from_str(file).expect("the default policy is valid");
    (policy.name, policy.note) = (name.to_owned(), format!("for tests of {name}"));
    policy.promotion.provisional_at = provisional_at;
    policy
}

/// A candidate lesson that a reflection considered.
pub(crate) fn considered(text: &str, refused: Option<&str>) -> Considered {
    let candidate = Candidate {
        pattern: Pattern::FailsAgain,
        key: text.to_owned(),
        text: text.to_owned(),
        kind: Kind::AntiPattern,
        category: "infra",
        scope: Scope::default(),
        tags: Vec::new(),
        paths: Vec::new(),
        importance: 0.6,
        guidance: Guidance::default(),
        evidence: Vec::new(),
        refines: Vec::new(),
    };
    Considered::new(&candidate, refused.map(str::to_owned))
}
