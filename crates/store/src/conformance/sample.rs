//! Values to test with: complete, plausible, and made through the gate like any other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use hardwon_core::attempt::Attempt;
use hardwon_core::change::{Batch, Change, OperationHead};
use hardwon_core::deliberation::Deliberation;
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::effect::{
    Arm, Effect, EffectCounts, EffectKind, FollowUp, Injection, Shown, Surface,
};
use hardwon_core::episode::{Episode, ErrorClass, Step, StepError, StepKind, StepResult, Usage};
use hardwon_core::event::AttemptResult;
use hardwon_core::finding::{Finding, FindingKey, FindingState, Grade, Place, Severity};
use hardwon_core::gate::Gate;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::{
    Arms, Decision, Guidance, Kind, Lesson, Origin, Review, State, Trust, Unseen, Upkeep,
};
use hardwon_core::project::{self, Checkout, Mark, Project};
use hardwon_core::run::{Judgement, Run};
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::text::Text;
use hardwon_core::time::Timestamp;

use crate::{Result, Store, StoreError};

static GATE: LazyLock<Gate> = LazyLock::new(Gate::standard);

pub fn project() -> ProjectId {
    ProjectId::new("shop")
}

pub fn other_project() -> ProjectId {
    ProjectId::new("bakery")
}

pub fn text(body: &str) -> Text {
    GATE.line(body)
}

pub fn run_id(text: &str) -> RunId {
    RunId::parse(text).expect("test data follow the grammar of run ids")
}

/// A confirmed lesson of [`project`].
pub fn lesson(body: &str) -> Lesson {
    lesson_of(Some(project()), body)
}

pub fn lesson_of(owner: Option<ProjectId>, body: &str) -> Lesson {
    let text = text(body);
    Lesson {
        id: LessonId::derive(owner.as_ref(), Kind::Pattern.word(), text.as_str(), |_| false),
        project: owner,
        kind: Kind::Pattern,
        category: Some("security".into()),
        text,
        scope: Scope::default().with(Dimension::Domain, "code"),
        tags: vec!["auth".into()],
        paths: vec!["src/api.rs".into()],
        severity: Severity::Warning,
        state: State::Provisional,
        importance: 0.6,
        base_confidence: 0.5,
        confidence: 0.5,
        n_sightings: 2,
        standing: 2,
        last_seen_run: Some(run_id("r1")),
        unseen: Unseen { n_runs: 1, checked_at: 3 },
        detectors: BTreeSet::from(["guardian".to_owned()]),
        grade: Some(Grade::Cited),
        effects: EffectCounts { n_helped: 1, ..EffectCounts::default() },
        is_pinned: false,
        author: "guardian".into(),
        origin: Origin::Reviewer,
        trust: Trust::Pipeline,
        aliases: Vec::new(),
        signatures: Vec::new(),
        extra: Some(self::text("archeflow:{\"id\":\"m-001\",\"mood\":\"calm\"}")),
        upkeep: Upkeep { n_visits: 1, review_after: Some(Timestamp(7)), ..Upkeep::default() },
        reviews: vec![Review {
            decision: Decision::Keep,
            by: "ada".into(),
            authority: "user".into(),
            because: "still true".into(),
            at: Timestamp(1_775_000_000_000),
            from: State::UnderReview,
            to: State::Provisional,
        }],
        superseded_by: Some(LessonId::given("l-other01")),
        arms: Arms { n_shown: 2, n_held_out: 1, ..Arms::default() },
        guidance: Guidance {
            rule: Some("IF a query is built THEN bind its parameters".into()),
            ..Guidance::default()
        },
        created_at: Timestamp(1_775_000_000_000),
        updated_at: Timestamp(1_775_000_000_000),
    }
}

/// A learned root run with this number.
pub fn run(id: &str, number: u64) -> Run {
    let at = 1_775_000_000_000 + number as i64 * 1000;
    Run {
        number: Some(number),
        is_learned: true,
        is_counted: true,
        role: Some("maker".into()),
        started: Some(Timestamp(at)),
        finished: Some(Timestamp(at + 500)),
        detectors: BTreeSet::from(["guardian".to_owned()]),
        judgements: BTreeMap::from([("guardian".to_owned(), Judgement::Passed)]),
        paths: BTreeSet::from(["src/api.rs".to_owned()]),
        episode: episode(number),
        ..Run::stub(run_id(id), Timestamp(at + 600))
    }
}

/// Every third run is of the same session.
pub fn episode(number: u64) -> Episode {
    let error = StepError { class: Some(ErrorClass::Test), line: "1 test failed".into() };
    Episode {
        session: Some(format!("s-{}", number % 3)),
        summary: Some("One test failed, then all passed.".into()),
        trajectories: BTreeSet::from([format!("t-{number}")]),
        usage: Usage { tokens_in: Some(number), ..Usage::default() },
        trail: vec![Step {
            kind: StepKind::Command,
            tool: "bash".into(),
            action: "make test".into(),
            result: StepResult::Failed,
            error: Some(error),
            duration_ms: Some(number),
            n: 1,
            first: 0,
            last: 0,
        }],
        ..Episode::default()
    }
}

/// An open finding of a root run.
pub fn finding(run: &str, body: &str) -> Finding {
    let text = text(body);
    let place = Place { path: "src/api.rs".into(), line: Some(41) };
    Finding {
        key: FindingKey::of("guardian", body, text.as_str(), Some(&place)),
        run: run_id(run),
        root: run_id(run),
        author: "guardian".into(),
        severity: Severity::Warning,
        category: Some("security".into()),
        rule: None,
        text,
        place: Some(place),
        grade: Some(Grade::Cited),
        signature: format!("signature of {body}"),
        state: FindingState::Open,
        is_sighting: true,
        lesson: None,
        likeness: 0.0,
        fixed_in: None,
        repair: None,
        ruled_by: None,
    }
}

/// What the judge answered in a run.
pub fn deliberation(run: &str, at: i64, body: &str) -> Deliberation {
    Deliberation {
        id: format!("d-{}", &text(&format!("{run} {at} {body}")).id().as_str()[2..14]),
        run: run_id(run),
        role: "judge".into(),
        verdict: Some("fail".into()),
        summary: body.split('.').next().unwrap_or_default().to_owned(),
        grade: Some(Grade::Cited),
        model: Some("m-1".into()),
        issue: Some("12".into()),
        n_tokens: Some(1200),
        duration_ms: Some(90),
        at: Timestamp(at),
        response: text(body),
    }
}

/// A failed try at issue 12.
pub fn attempt(run: &str, at: i64, body: &str) -> Attempt {
    Attempt {
        id: format!("a-{}", &text(&format!("{run} {at} {body}")).id().as_str()[2..14]),
        run: run_id(run),
        issue: "12".into(),
        iteration: Some(2),
        author: "doctor".into(),
        approach: text(body),
        files: vec!["src/api.rs".into()],
        result: Some(AttemptResult::Failed),
        why: Some("the test is still red".into()),
        next: None,
        is_claim: false,
        at: Timestamp(at),
    }
}

pub fn add_deliberation(it: &Deliberation) -> Change {
    Change::AddDeliberation { deliberation: Box::new(it.clone()) }
}

pub fn add_attempt(it: &Attempt) -> Change {
    Change::AddAttempt { attempt: Box::new(it.clone()) }
}

/// The record that these lessons were shown to a run.
pub fn injection(run: &str, role: &str, lessons: &[&Lesson]) -> Injection {
    let block: Vec<&str> = lessons.iter().map(|lesson| lesson.text.as_str()).collect();
    let block = block.join("; ");
    let shown = lessons.iter().map(|lesson| Shown {
        lesson: lesson.id.clone(),
        digest: lesson.digest(),
        is_randomised: true,
    });
    Injection {
        run: run_id(run),
        role: role.into(),
        domain: "code".into(),
        need: "need".into(),
        at: Timestamp(1_775_000_100_000),
        shown: shown.collect(),
        held_out: vec![LessonId::given("l-other01")],
        surface: Surface::ReviewContext,
        digest: sha256_of_bytes(block.as_bytes()),
        block: text(&block),
        n_tokens: 12,
    }
}

pub fn effect(lesson: &Lesson, root: &str, run_number: u64, kind: EffectKind) -> Effect {
    Effect {
        lesson: lesson.id.clone(),
        root: run_id(root),
        run_number,
        kind,
        why: "it did not come back".into(),
        is_named: false,
        surface: Surface::GateContext,
        follow_up: FollowUp::Weaken,
        is_regression: true,
        arm: Some(Arm::Shown),
        expected: Some(0.25),
        weight: 1.5,
    }
}

pub fn add_lesson(lesson: &Lesson) -> Change {
    Change::AddLesson { lesson: Box::new(lesson.clone()), because: "seen".into() }
}

pub fn add_run(run: &Run) -> Change {
    Change::AddRun { run: Box::new(run.clone()) }
}

pub fn add_finding(finding: &Finding) -> Change {
    Change::AddFinding { finding: Box::new(finding.clone()) }
}

pub fn add_injection(injection: &Injection) -> Change {
    Change::AddInjection { injection: injection.clone() }
}

pub fn add_effect(effect: &Effect) -> Change {
    Change::AddEffect { effect: effect.clone() }
}

/// A project with a checkout at this path, and its mark if one is given.
pub fn project_at(id: &str, path: &str, mark: Option<&str>) -> Project {
    let mark = mark.map(|line| Mark::derive(&[line]));
    let checkout = Checkout { path: path.into(), mark };
    let name = Some("The Shop".to_owned());
    let lineage = Some(project::lineage("abc", "https://example.com/shop"));
    Project { name, lineage, ..Project::bare(ProjectId::new(id)) }.with(checkout)
}

pub fn edit_project(before: &Project, after: &Project) -> Change {
    Change::EditProject { before: Box::new(before.clone()), after: Box::new(after.clone()) }
}

/// A change that describes a project for the first time.
pub fn describe(project: &Project) -> Change {
    edit_project(&Project::bare(project.id.clone()), project)
}

pub fn batch(project: &ProjectId, changes: Vec<Change>) -> Batch {
    let head = OperationHead {
        command: "learn".into(),
        actor: "somebody".into(),
        at: Timestamp(1_775_000_200_000),
        undoes: None,
    };
    Batch { project: project.clone(), head, continues: None, changes }
}

/// Writes changes of [`project`] that must fit.
pub fn write(store: &mut dyn Store, changes: Vec<Change>) {
    store.apply(&batch(&project(), changes), None).expect("the changes fit");
}

/// On which part a batch was refused because it does not fit.
pub fn mismatch<T: std::fmt::Debug>(answer: Result<T>) -> &'static str {
    match answer {
        Err(StoreError::Mismatch(mismatch)) => mismatch.part,
        other => panic!("a mismatch was due: {other:?}"),
    }
}
