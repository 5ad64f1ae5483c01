//! The document of geas's memory skill, played on a tree.

use hardwon_core::ids::RunId;
use hardwon_engine::lesson::{Decision, Lesson, State};
use hardwon_engine::need::Need;
use hardwon_engine::{
    Access, Call, DecideRequest, EngineError, Environment, InjectRequest, Input, LearnRequest,
    Memory, OpenMemory, Options, blocks, lessons, runs,
};
use hardwon_foreign::LAYOUTS;
use serde_json::{Value, json};

use super::schemas::validate;
use super::{named, problems, tree};
use crate::place::{Place, environment};

const IMPORTER: &str = "Run the importer on the largest sample before handing over";
const IMPORTER_AGAIN: &str = "Before handing over, run the importer on the largest sample once";
const RETRIES: &str = "Retry failed uploads with a doubled timeout instead of failing at once";

const RETRIED: &str = "Uploads failed with a doubled timeout: retry instead of failing at once";

struct Play {
    place: Place,
    /// Days since the first.
    day: i64,
}

impl Play {
    fn with<T>(&self, act: impl FnOnce(&mut Memory, &Call) -> Result<T, EngineError>) -> T {
        let start = hardwon_core::time::Timestamp::parse("2026-04-01T09:00:00Z").unwrap();
        let now = hardwon_core::time::Timestamp(start.0 + self.day * 86_400_000).to_string();
        let environment = Environment { now: Some(now), ..environment(self.place.folder.path()) };
        let store = Some("geas:.".to_owned());
        let options = Options { store, foreign: LAYOUTS, ..Options::default() };
        let mut open = OpenMemory::open(&environment, &options, Access::Write).unwrap();
        let done = act(&mut open.memory, &open.call).unwrap();
        drop(open);
        validate(&self.place);
        assert_eq!(problems(&self.place), [""; 0]);
        done
    }

    fn learn(&self, path: &str, document: &Value) {
        let path = format!("missions/m1/tasks/{path}");
        let text = serde_json::to_string_pretty(document).unwrap();
        self.place.put(&path, &text);
        let inputs = vec![Input::text(&format!(".geas/{path}"), &text)];
        self.with(|memory, call| {
            runs::learn(memory, call, LearnRequest { inputs, ..LearnRequest::default() })
        });
    }

    fn retrospect(&self, task: &str, candidates: &[&str]) {
        let document = json!({"task_id": task, "memory_candidates": candidates});
        self.learn(&format!("{task}/retrospective.json"), &document);
    }

    /// Shows what there is to an engineer, then ends the task.
    fn applied(&self, task: &str, title: &str, status: &str) {
        let need = Need { role: Some("software_engineer".into()), ..Need::default() };
        let run = Some(RunId::parse(&format!("m1/{task}")).unwrap());
        let request = InjectRequest { run, need, ..InjectRequest::default() };
        self.with(|memory, call| blocks::inject(memory, call, &request));
        let contract = json!({"task_id": task, "title": title, "goal": "as the title says",
            "task_kind": "implementation", "scope": {"surfaces": []}, "status": status});
        self.learn(&format!("{task}.json"), &contract);
    }

    fn decide(&self, id: &str, decision: Decision, by: &str, with: Option<&str>) -> Lesson {
        let request = DecideRequest {
            lesson: id.into(),
            decision,
            because: format!("{decision}, as {by} sees it"),
            by: Some(by.into()),
            with: with.map(str::to_owned),
        };
        self.with(|memory, call| lessons::decide(memory, call, &request)).body
    }

    fn state(&self, id: &str) -> State {
        named(&self.place, id).state
    }
}

#[test]
fn from_a_candidate_to_canonical() {
    let mut play = Play { place: tree(), day: 0 };
    play.retrospect("task-001", &[IMPORTER, RETRIES]);
    let candidate = play.place.text("memory/candidates/mem-task-001-1.json");
    assert!(candidate.contains("retro-task-001") && candidate.contains(IMPORTER), "{candidate}");
    let source = ".geas/missions/m1/tasks/task-001/retrospective.json";
    assert!(candidate.contains(source), "{candidate}");
    assert_eq!(play.state("mem-task-001-2"), State::Candidate);
    play.day = 1;
    play.retrospect("task-002", &[IMPORTER_AGAIN]);
    assert_eq!(play.place.text("memory/candidates/mem-task-001-1.json"), "");
    let entry = play.place.text("memory/entries/mem-task-001-1.json");
    assert!(entry.contains("\"provisional\"") && entry.contains("\"retro-task-002\""), "{entry}");
    assert!(entry.contains("\"evidence_count\": 2") && entry.contains("\"confidence\": 0.6"));
    let title = "Speed up the importer for a large sample";
    for task in ["task-003", "task-004", "task-005"] {
        play.day += 1;
        play.applied(task, title, "passed");
    }
    let log = play.place.text("memory/logs/task-003-mem-task-001-1.json");
    assert!(log.contains("\"positive\"") && log.contains("\"software_engineer\""), "{log}");
    let entry = play.place.text("memory/entries/mem-task-001-1.json");
    assert!(entry.contains("\"successful_reuses\": 3") && entry.contains("\"confidence\": 0.9"));
    if play.state("mem-task-001-1") == State::Provisional {
        play.decide("mem-task-001-1", Decision::Approve, "orchestration_authority", None);
    }
    assert_eq!(play.state("mem-task-001-1"), State::Stable);
    // The index is derived: deleted, it comes back the same.
    let index = play.place.text("state/memory-index.json");
    play.place.remove("state/memory-index.json");
    play.place.pin("mem-task-001-2", true);
    assert_eq!(play.place.text("state/memory-index.json"), index);
    for task in ["task-006", "task-007"] {
        play.day += 1;
        play.applied(task, title, "passed");
    }
    for by in ["orchestration_authority", "quality_specialist", "user"] {
        if play.state("mem-task-001-1") == State::Stable {
            play.decide("mem-task-001-1", Decision::Approve, by, None);
        }
    }
    assert_eq!(play.state("mem-task-001-1"), State::Canonical);
    let review = play.place.text("memory/entries/mem-task-001-1-review.json");
    assert!(review.contains("\"promote_canonical\""), "{review}");
    let events = play.place.text("ledger/events.jsonl");
    for event in ["memory_extraction", "\"to_state\":\"provisional\"", "\"to_state\":\"canonical\""]
    {
        assert!(events.contains(event), "{event}: {events}");
    }
    // Nothing of it depends on our journal alone.
    play.place.remove("memory/hardwon.jsonl");
    let again = named(&play.place, "mem-task-001-1");
    assert_eq!((again.state, again.effects.n_helped, again.confidence), (State::Canonical, 5, 1.0));
    play.day = 400;
    play.with(runs::decay);
    assert_eq!(play.state("mem-task-001-1"), State::Decayed);
    let events = play.place.text("ledger/events.jsonl");
    assert!(events.contains("memory_decayed") && events.contains("\"reason\""), "{events}");
}

#[test]
fn harm_leads_to_review_and_a_successor() {
    let mut play = Play { place: tree(), day: 0 };
    for task in ["task-001", "task-002"] {
        play.retrospect(task, &[RETRIES]);
    }
    assert_eq!(play.state("mem-task-001-1"), State::Provisional);
    let title = "Retry failed uploads with a longer timeout";
    for task in ["task-003", "task-004"] {
        play.day += 1;
        play.applied(task, title, "escalated");
        let review = json!({"task_id": task, "reviewer_type": "qa_engineer", "status": "blocked",
            "summary": "not yet", "blocking_concerns": [{"concern": RETRIED, "severity": "major"}]});
        play.learn(&format!("{task}/specialist-review.json"), &review);
    }
    assert_eq!(play.state("mem-task-001-1"), State::UnderReview);
    let log = play.place.text("memory/logs/task-004-mem-task-001-1.json");
    assert!(log.contains("\"negative\"") && log.contains("\"review_required\""), "{log}");
    let next = play.with(|memory, call| {
        let text = "Uploads that failed twice are reported, never retried".into();
        lessons::add(memory, call, &hardwon_engine::AddRequest { text, ..Default::default() })
    });
    let next = next.body.aliases[0].clone();
    play.decide("mem-task-001-1", Decision::Supersede, "orchestration_authority", Some(&next));
    assert_eq!(play.state("mem-task-001-1"), State::Superseded);
    let old = play.place.text("memory/entries/mem-task-001-1.json");
    assert!(old.contains(&format!("\"superseded_by\": \"{next}\"")), "{old}");
    play.decide(&next, Decision::Reject, "orchestration_authority", None);
    assert_eq!(play.state(&next), State::Rejected);
    assert_eq!(play.state("mem-task-001-1"), State::UnderReview, "its successor is wrong");
}

/// What was extracted there and is extracted here is one sighting.
#[test]
fn a_task_that_geas_counted_is_not_counted_again() {
    let play = Play { place: super::full(), day: 3 };
    play.place.put("missions/m1/tasks/task-001/x", "");
    play.place.put("missions/m1/tasks/task-002/x", "");
    let text = named(&play.place, "mem-task-001-1").text.as_str().to_owned();
    let document = json!({"task_id": "task-001", "memory_candidates": [text]});
    let document = serde_json::to_string(&document).unwrap();
    play.place.write(|memory, call| {
        let inputs =
            vec![Input::text(".geas/missions/m1/tasks/task-001/retrospective.json", &document)];
        runs::learn(memory, call, LearnRequest { inputs, ..LearnRequest::default() })
    });
    let lesson = named(&play.place, "mem-task-001-1");
    assert_eq!((lesson.n_sightings, lesson.state), (1, State::Candidate));
}
