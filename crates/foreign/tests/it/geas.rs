//! geas's tree as a live store: every shape of its documents is read, and what is written are
//! documents as its schemas say.

mod bad;
mod bytes;
mod crashes;
mod groups;
mod many;
mod moving;
mod pages;
mod played;
mod schemas;

use hardwon_core::effect::EffectCounts;
use hardwon_core::lesson::Carried;
use hardwon_core::scope::Dimension;
use hardwon_engine::lesson::{Kind, Lesson, State};
use hardwon_engine::{Access, OpenMemory};
use hardwon_foreign::LAYOUTS;

use crate::place::Place;

pub const CANDIDATE: &str = r#"{
  "meta": {
    "version": "1.0",
    "artifact_type": "memory_candidate",
    "artifact_id": "mem-task-001-1",
    "producer_type": "orchestration_authority",
    "created_at": "2026-04-01T10:00:00Z"
  },
  "memory_id": "mem-task-001-1",
  "memory_type": "test_strategy",
  "state": "candidate",
  "title": "Seed the clock",
  "summary": "Seed the clock in every fixture before a test reads it",
  "scope": "project",
  "evidence_refs": [
    "retro-task-001"
  ],
  "signals": {
    "evidence_count": 1,
    "reuse_count": 0,
    "successful_reuses": 0,
    "failed_reuses": 0,
    "contradiction_count": 0,
    "confidence": 0.4
  },
  "candidate_reason": "Extracted from task task-001 retrospective",
  "source_artifacts": [
    ".geas/missions/m1/tasks/task-001/retrospective.json"
  ]
}
"#;

pub const ENTRY: &str = r#"{
  "meta": {
    "version": "1.0",
    "artifact_type": "memory_entry",
    "artifact_id": "mem-task-002-1",
    "producer_type": "orchestration_authority",
    "created_at": "2026-03-01T10:00:00Z",
    "updated_at": "2026-03-20T10:00:00Z"
  },
  "memory_id": "mem-task-002-1",
  "memory_type": "security_pattern",
  "state": "provisional",
  "title": "Tokens",
  "summary": "Check the expiry of auth tokens on every request, not only at login",
  "scope": "project",
  "evidence_refs": [
    "retro-task-002",
    "ADR-7"
  ],
  "signals": {
    "evidence_count": 2,
    "reuse_count": 3,
    "successful_reuses": 2,
    "failed_reuses": 1,
    "contradiction_count": 0,
    "confidence": 0.7
  },
  "review_after": "2026-04-30T10:00:00Z",
  "supersedes": [],
  "superseded_by": null,
  "tags": [
    "auth"
  ],
  "body": [
    "Sessions outlive tokens.",
    "IF a request carries a token THEN check its expiry.",
    "See the incident of March."
  ]
}
"#;

pub fn tree() -> Place {
    Place::new("geas:.", ".geas", LAYOUTS)
}

pub fn full() -> Place {
    let place = tree();
    place.put("memory/candidates/mem-task-001-1.json", CANDIDATE);
    place.put("memory/entries/mem-task-002-1.json", ENTRY);
    place
}

pub fn named(place: &Place, id: &str) -> Lesson {
    let lessons = place.lessons();
    let found = lessons.iter().find(|lesson| lesson.aliases.iter().any(|alias| alias == id));
    found.unwrap_or_else(|| panic!("no {id} among {lessons:?}")).clone()
}

pub fn problems(place: &Place) -> Vec<String> {
    let OpenMemory { memory, .. } = place.open(Access::Read);
    memory.settings.problems.iter().map(|it| format!("{}: {}", it.at, it.reason)).collect()
}

#[test]
fn candidates_and_entries_are_lessons() {
    let place = full();
    assert_eq!(problems(&place), [""; 0]);
    let candidate = named(&place, "mem-task-001-1");
    assert_eq!((candidate.kind, candidate.state), (Kind::Pattern, State::Candidate));
    assert_eq!(candidate.category.as_deref(), Some("test_strategy"));
    assert_eq!((candidate.n_sightings, candidate.confidence), (1, 0.4));
    let entry = named(&place, "mem-task-002-1");
    assert_eq!((entry.state, entry.n_sightings, entry.confidence), (State::Provisional, 2, 0.7));
    assert_eq!((entry.effects.n_helped, entry.effects.n_hurt), (2, 1));
    assert_eq!(entry.upkeep.carried, Carried { n_helped: 2, n_hurt: 1, ..Carried::default() });
    assert_eq!(entry.guidance.detail.as_deref(), Some("Sessions outlive tokens."));
    let rule = entry.guidance.rule.as_deref();
    assert_eq!(rule, Some("IF a request carries a token THEN check its expiry."));
    assert_eq!(entry.tags, ["auth"]);
}

/// The shapes in which geas's own programs and examples write its documents.
#[test]
fn odd_shapes_are_read() {
    let place = tree();
    place.put(
        "memory/entries/flat.json",
        r#"{"version":"2.1.0","artifact_type":"memory_entry","artifact_id":"flat-7",
            "producer_type":"process_lead","memory_id":"flat-7","memory_type":"failure_lesson",
            "state":"stable","title":"Flat","summary":"Flat headers are read like enveloped ones",
            "scope":"project","evidence_refs":["retro-a","retro-b"],"evidence_count":2,
            "reuse_count":4,"contradiction_count":1,"confidence":0.9,"x-team":{"a":[1,  2]},
            "superseded_by":"mem-nobody-1","tags":[],"body":"one text, not a list"}"#,
    );
    place.put(
        "memory/candidates/rejected.json",
        CANDIDATE.replace("mem-task-001-1", "mem-r-1").replace("\"candidate\"", "\"rejected\""),
    );
    place.put(
        "memory/candidates/bare.json",
        r#"{"memory_id":"bare-1","title":"A title is enough where there is no summary"}"#,
    );
    let before = place.bytes("memory/entries/flat.json");
    assert_eq!(problems(&place), [""; 0]);
    let flat = named(&place, "flat-7");
    assert_eq!((flat.state, flat.author.as_str()), (State::Stable, "process_lead"));
    assert_eq!((flat.effects.n_contradicted, flat.effects.n_shown()), (1, 4 + 1));
    assert_eq!(flat.guidance.detail.as_deref(), Some("one text, not a list"));
    assert_eq!(flat.superseded_by, None);
    assert_eq!(named(&place, "mem-r-1").state, State::Rejected);
    assert_eq!(named(&place, "bare-1").state, State::Candidate);
    place.add("Error messages name the next step.");
    assert_eq!(place.bytes("memory/entries/flat.json"), before, "untouched");
    assert!(place.text("memory/candidates/rejected.json").contains("rejected"), "it stays");
    assert_eq!(problems(&place), [""; 0]);
}

#[test]
fn logs_of_others_are_effects_and_counted_once() {
    let place = full();
    let log = |task: &str, effect: &str, notes: &str| {
        format!(
            r#"{{"memory_id":"mem-task-002-1","task_id":"{task}","effect":"{effect}","notes":"{notes}"}}"#
        )
    };
    place.put("memory/logs/task-003-mem-task-002-1.json", log("task-003", "positive", "it held"));
    place.put(
        "memory/application-logs/mem-task-002-1_task-004_20260401.json",
        log("task-004", "neutral_but_risky", "close"),
    );
    let entry = named(&place, "mem-task-002-1");
    // The document counted two and one; the logs show one of each.
    assert_eq!((entry.effects.n_helped, entry.effects.n_hurt), (2, 1));
    assert_eq!(entry.upkeep.carried, Carried { n_helped: 1, ..Carried::default() });
    place.add("Error messages name the next step.");
    assert_eq!(named(&place, "mem-task-002-1").effects, entry.effects);
    assert_eq!(place.text("memory/entries/mem-task-002-1.json"), ENTRY);
    // A further log that its document does not count yet.
    place.put("memory/logs/task-005-mem-task-002-1.json", log("task-005", "positive", "again"));
    let counted = named(&place, "mem-task-002-1");
    assert_eq!(counted.effects, EffectCounts { n_helped: 3, ..entry.effects });
    assert_eq!(counted.confidence, 0.8);
    place.add("Migrations are written by hand here.");
    let text = place.text("memory/entries/mem-task-002-1.json");
    assert!(text.contains("\"successful_reuses\": 3") && text.contains("\"confidence\": 0.8"));
    assert_eq!(named(&place, "mem-task-002-1").effects, counted.effects);
}

#[test]
fn scopes_are_found_in_ids_paths_and_words() {
    let place = tree();
    let scoped = |id: &str, scope: &str, summary: &str| {
        let text =
            CANDIDATE.replace("mem-task-001-1", id).replace("\"project\"", &format!("\"{scope}\""));
        let text = text.replace("Seed the clock in every fixture before a test reads it", summary);
        place.put(&format!("memory/candidates/{id}.json"), text);
    };
    scoped("mem-task-001-1", "task", "The fixture of this task is stale after an hour");
    scoped("mem-task-001-2", "mission", "The vendored parser of this mission is patched");
    scoped("mem-task-001-3", "agent", "A qa_engineer reruns flaky suites with one thread");
    scoped("mem-task-001-4", "agent", "Somebody reruns slow suites with two threads");
    scoped("mem-task-001-5", "global", "Read the license before vendoring a package");
    let scope = |id: &str| named(&place, id).scope.0.into_iter().next();
    assert_eq!(scope("mem-task-001-1"), Some((Dimension::Task, "task-001".into())));
    assert_eq!(scope("mem-task-001-2"), Some((Dimension::Session, "m1".into())));
    assert_eq!(scope("mem-task-001-3"), Some((Dimension::Role, "qa_engineer".into())));
    assert_eq!(scope("mem-task-001-4"), None);
    assert_eq!(named(&place, "mem-task-001-5").project, None);
    let before = place.bytes("memory/candidates/mem-task-001-5.json");
    place.pin("mem-task-001-5", true);
    assert!(named(&place, "mem-task-001-5").is_pinned);
    assert_eq!(place.bytes("memory/candidates/mem-task-001-5.json"), before);
}

#[test]
fn others_may_promote_and_remove() {
    let place = full();
    place.pin("mem-task-001-1", true);
    place.put(
        "memory/entries/mem-task-002-1.json",
        ENTRY.replace("\"provisional\"", "\"stable\"").replace("0.7\n", "0.9\n"),
    );
    let entry = named(&place, "mem-task-002-1");
    assert_eq!((entry.state, entry.confidence), (State::Stable, 0.9));
    place.remove("memory/candidates/mem-task-001-1.json");
    assert_eq!(named(&place, "mem-task-001-1").state, State::Archived);
    place.add("Error messages name the next step.");
    assert_eq!(place.text("memory/entries/mem-task-001-1.json"), "", "what is gone stays gone");
}

#[test]
fn the_index_is_derived() {
    let place = full();
    place.pin("mem-task-001-1", true);
    let index = place.text("state/memory-index.json");
    assert!(index.contains("mem-task-001-1") && index.contains("mem-task-002-1"), "{index}");
    for odd in ["", "half {", "{\"entries\":[{\"memory_id\":\"mem-x-1\",\"state\":\"stable\"}]}"] {
        place.put("state/memory-index.json", odd);
        let told = problems(&place);
        assert_eq!(told.len(), usize::from(!odd.is_empty()), "{told:?}");
        place.pin("mem-task-001-1", false);
        place.pin("mem-task-001-1", true);
        assert_eq!(place.text("state/memory-index.json"), index, "{odd}");
    }
    place.remove("state/memory-index.json");
    place.pin("mem-task-001-1", false);
    assert_eq!(place.text("state/memory-index.json"), index);
}
