//! Made-up lessons, runs and stories for the tests of this crate: the worked example of
//! the design, with fixed ids and times.

pub(crate) mod answers;

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, Entry, OperationHead};
use hardwon_core::effect::{Effect, EffectCounts, EffectKind, FollowUp, Injection, Shown, Surface};
use hardwon_core::finding::{Finding, FindingKey, Grade, Place, Severity};
use hardwon_core::gate::Gate;
use hardwon_core::ids::{LessonId, OperationId, ProjectId, RunId};
use hardwon_core::lesson::{Kind, Lesson, Origin, State, Trust};
use hardwon_core::run::{Outcome, Run};
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::time::Timestamp;

use crate::answer::{Decimal, GeasPacket, GeasPacketLesson, LessonFacts, LessonStory, Named};

pub(crate) const SQL: &str = "Query built by string concatenation in the user search";

pub(crate) fn at(day: u32) -> Timestamp {
    Timestamp::parse(&format!("2026-04-{day:02}T14:10:00Z")).unwrap()
}

pub(crate) fn run_id(id: &str) -> RunId {
    RunId::parse(id).unwrap()
}

pub(crate) fn named(id: &str, text: &str) -> Named {
    Named::new(LessonId::given(id), text)
}

/// A confirmed lesson of the project `demo`, found by guardian.
pub(crate) fn lesson(id: &str, text: &str) -> Lesson {
    let (id, project) = (LessonId::given(id), ProjectId::new("demo"));
    let text = Gate::standard().line(text);
    Lesson {
        category: Some("security".to_owned()),
        scope: Scope::default().with(Dimension::Domain, "code"),
        tags: vec!["auth".to_owned()],
        paths: vec!["src/api.rs".to_owned()],
        state: State::Provisional,
        base_confidence: 0.6,
        confidence: 0.6501,
        n_sightings: 3,
        standing: 3,
        last_seen_run: Some(run_id("r4")),
        detectors: BTreeSet::from(["guardian".to_owned()]),
        grade: Some(Grade::Cited),
        effects: EffectCounts { n_helped: 1, n_no_help: 1, ..EffectCounts::default() },
        author: "guardian".to_owned(),
        updated_at: at(4),
        ..Lesson::stub(id, Some(project), Kind::Pattern, text, at(1))
    }
}

/// A preference of the user, for every project.
pub(crate) fn preference(id: &str, text: &str) -> Lesson {
    Lesson {
        project: None,
        kind: Kind::Preference,
        category: None,
        scope: Scope::default(),
        state: State::Candidate,
        n_sightings: 1,
        standing: 1,
        last_seen_run: None,
        detectors: BTreeSet::new(),
        grade: None,
        effects: EffectCounts::default(),
        author: "ada".to_owned(),
        origin: Origin::User,
        trust: Trust::Trusted,
        tags: Vec::new(),
        paths: Vec::new(),
        ..lesson(id, text)
    }
}

pub(crate) fn run(id: &str, day: u32) -> Run {
    Run {
        number: Some(u64::from(day)),
        is_learned: true,
        is_counted: true,
        finished: Some(at(day)),
        outcome: Some(Outcome::Failed),
        detectors: BTreeSet::from(["guardian".to_owned()]),
        ..Run::stub(run_id(id), at(day))
    }
}

pub(crate) fn finding(run: &str, text: &str, line: u32, likeness: f64) -> Finding {
    let place = Some(Place { path: "src/api.rs".to_owned(), line: Some(line) });
    let (author, text) = ("guardian".to_owned(), Gate::standard().line(text));
    Finding {
        key: FindingKey(format!("f-{run}")),
        severity: Severity::Warning,
        grade: Some(Grade::Cited),
        lesson: Some(LessonId::given("l-sql0001")),
        likeness,
        ..Run::stub(run_id(run), at(1)).new_finding(author, String::new(), text, place)
    }
}

pub(crate) fn effect(run: &str, kind: EffectKind, why: &str) -> Effect {
    Effect {
        lesson: LessonId::given("l-sql0001"),
        root: run_id(run),
        run_number: 3,
        kind,
        why: why.to_owned(),
        is_named: false,
        surface: Surface::TaskPacket,
        follow_up: FollowUp::None,
        is_regression: false,
        arm: None,
        weight: 1.0,
    }
}

fn injection(run: &str, day: u32) -> Injection {
    let shown = |id: &str| {
        let (lesson, digest) = (LessonId::given(id), "d".to_owned());
        Shown { lesson, digest, is_randomised: false }
    };
    Injection {
        run: run_id(run),
        role: "reviewer".to_owned(),
        domain: "code".to_owned(),
        need: String::new(),
        at: at(day),
        shown: vec![shown("l-other01"), shown("l-sql0001")],
        held_out: Vec::new(),
        surface: Surface::TaskPacket,
        block: Gate::standard().block(String::new()),
        digest: "sha256:00".to_owned(),
        n_tokens: 60,
    }
}

pub(crate) fn entry(operation: u64, command: &str, change: Change) -> Entry {
    let (command, actor) = (command.to_owned(), "ada".to_owned());
    let head = OperationHead { command, actor, at: at(operation as u32), undoes: None };
    let (sequence, project) = (operation * 10, ProjectId::new("demo"));
    Entry { sequence, operation: OperationId(operation), project, head, change }
}

/// The changes that made the lesson of the worked example what it is.
fn history() -> Vec<Entry> {
    let now = lesson("l-sql0001", SQL);
    let born = Lesson { state: State::Candidate, n_sightings: 1, standing: 1, ..now.clone() };
    let seen = Lesson { state: State::Provisional, n_sightings: 2, standing: 2, ..born.clone() };
    let pinned = Lesson { is_pinned: true, ..seen.clone() };
    let found = |run: &str| Change::AddFinding { finding: Box::new(finding(run, SQL, 41, 1.0)) };
    let edit = |before: &Lesson, after: &Lesson, because: &str| {
        Change::edit_lesson(before, after, because).unwrap()
    };
    let added = Change::AddLesson {
        lesson: Box::new(born.clone()),
        because: "first reported in r1".to_owned(),
    };
    vec![
        entry(1, "learn", added),
        entry(1, "learn", found("r1")),
        entry(2, "learn", found("r2")),
        entry(2, "learn", edit(&born, &seen, "provisional: seen in 2 root runs")),
        entry(5, "pin", edit(&seen, &pinned, "asked for")),
    ]
}

/// The worked example: seen twice, shown twice, helped once; then pinned.
pub(crate) fn story() -> LessonStory {
    LessonStory::from(&facts())
}

pub(crate) fn facts() -> LessonFacts {
    let other = "SQL of the user search is glued together from strings";
    let found = |run: &str, line| finding(run, SQL, line, 1.0);
    let runs = [run("r1", 1), run("r2", 2), run("r3", 3), run("r4", 4)];
    LessonFacts {
        project: ProjectId::new("demo"),
        lesson: Lesson { is_pinned: true, ..lesson("l-sql0001", SQL) },
        evidence: vec![found("r1", 41), finding("r2", other, 52, 0.8149), found("r4", 40)],
        runs: BTreeMap::from(runs.map(|run| (run.id.clone(), run))),
        injections: vec![injection("r3", 3), injection("r4", 4)],
        effects: vec![
            effect("r3", EffectKind::Helped, "guardian looked and did not report it again"),
            effect("r4", EffectKind::NoHelp, "shown, and reported again by guardian"),
        ],
        companions: Vec::new(),
        history: history(),
        excluded: None,
    }
}

/// A packet of geas with one of each.
pub(crate) fn geas_packet() -> GeasPacket {
    let text = |text: &str| vec![text.to_owned()];
    GeasPacket {
        run: run_id("m1/task-001").into(),
        mission: "m1".to_owned(),
        task: "task-001".to_owned(),
        agent: "qa_engineer".to_owned(),
        path: "missions/m1/packets/task-001/memory-packet.json".to_owned(),
        packet: "task-001-1".to_owned(),
        is_repeat: false,
        because: "the first packet of this task".to_owned(),
        is_written: true,
        is_queued: false,
        section: String::new(),
        notebook: text("Rerun flaky suites with one thread"),
        rules: text("Use pnpm"),
        lessons: vec![GeasPacketLesson {
            id: "mem-task-001-1".to_owned(),
            title: "Seed the clock".to_owned(),
            confidence: Decimal(0.7),
            state: State::Stable.into(),
            summary: "Seed the clock in every fixture".to_owned(),
        }],
        cautions: text("Seed the clock in every fixture"),
        suppressed: Vec::new(),
    }
}
