use super::*;

const CANDIDATE: &str = r#"{
  "meta": {
    "version": "1.0",
    "artifact_type": "memory_candidate",
    "artifact_id": "mem-task-001-1",
    "producer_type": "orchestration_authority",
    "created_at": "2026-04-03T14:00:00Z"
  },
  "memory_id": "mem-task-001-1",
  "memory_type": "test_strategy",
  "state": "candidate",
  "title": "Seed the clock",
  "summary": "Seed the clock in every fixture",
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
    "missions/m1/tasks/task-001/retrospective.json"
  ]
}
"#;

fn at(text: &str) -> Option<Timestamp> {
    Timestamp::parse(text)
}

fn candidate() -> GeasMemory {
    GeasMemory {
        form: GeasForm::Candidate,
        header: GeasHeader {
            version: String::new(),
            artifact_id: "mem-task-001-1".into(),
            producer: "orchestration_authority".into(),
            created_at: at("2026-04-03T14:00:00.750Z"),
            updated_at: None,
        },
        id: "mem-task-001-1".into(),
        kind: "test_strategy".into(),
        state: "candidate".into(),
        title: "Seed the clock".into(),
        summary: "Seed the clock in every fixture".into(),
        scope: "project".into(),
        evidence_refs: vec!["retro-task-001".into()],
        signals: GeasSignals { evidence_count: 1, confidence: Some(0.4), ..GeasSignals::default() },
        candidate_reason: Some("Extracted from task task-001 retrospective".into()),
        source_artifacts: vec!["missions/m1/tasks/task-001/retrospective.json".into()],
        ..GeasMemory::default()
    }
}

fn entry() -> GeasMemory {
    let mut header = candidate().header;
    header.updated_at = at("2026-04-05T10:00:00Z");
    let review_after = at("2026-05-05T10:00:00Z");
    let state = "provisional".into();
    GeasMemory { form: GeasForm::Entry, header, state, review_after, ..candidate() }
}

#[test]
fn a_candidate_is_written_as_the_schema_says() {
    assert_eq!(memory(&candidate()), CANDIDATE);
}

#[test]
fn a_change_of_one_field_keeps_every_other_byte() {
    let odd = CANDIDATE
        .replace("  \"scope\"", "  \"x-team\":   {\"a\":[1,  2]},\n  \"scope\"")
        .replace("0.4\n", "0.40\n");
    let mut to = candidate();
    to.summary = "Seed the clock in every test".into();
    to.signals.evidence_count = 2;
    to.header.updated_at = at("2026-04-05T10:00:00Z");
    let wanted = odd
        .replace("every fixture", "every test")
        .replace("\"evidence_count\": 1", "\"evidence_count\": 2")
        .replace(
            "\"created_at\": \"2026-04-03T14:00:00Z\"",
            "\"created_at\": \"2026-04-03T14:00:00Z\",\n    \"updated_at\": \"2026-04-05T10:00:00Z\"",
        );
    let now = patched(odd.as_bytes(), &candidate(), &to);
    assert_eq!(String::from_utf8(now).unwrap(), wanted);
    assert_eq!(patched(odd.as_bytes(), &candidate(), &candidate()), odd.as_bytes());
    // A new time alone is no change.
    let later = GeasMemory { header: to.header, ..candidate() };
    assert_eq!(patched(odd.as_bytes(), &candidate(), &later), odd.as_bytes());
}

#[test]
fn counters_are_set_where_they_stand() {
    let flat = r#"{"memory_id":"a","summary":"s","reuse_count":3,"confidence":0.5}"#;
    let from = GeasMemory {
        signals: GeasSignals { reuse_count: 3, confidence: Some(0.5), ..GeasSignals::default() },
        ..GeasMemory::default()
    };
    let mut to = from.clone();
    to.signals.reuse_count = 4;
    to.header.updated_at = at("2026-04-05T10:00:00Z");
    let now = String::from_utf8(patched(flat.as_bytes(), &from, &to)).unwrap();
    let wanted = r#"{"memory_id":"a","summary":"s","reuse_count":4,"confidence":0.5,"updated_at":"2026-04-05T10:00:00Z"}"#;
    assert_eq!(now, wanted);
}

#[test]
fn a_candidate_becomes_an_entry_and_keeps_what_nobody_knows() {
    let odd = CANDIDATE
        .replace("\n}\n", ",\n  \"x-team\": {\"a\":[1,  2]}\n}\n")
        .replace("\"version\": \"1.0\"", "\"version\": \"2.1.0\"");
    let now = String::from_utf8(patched(odd.as_bytes(), &candidate(), &entry())).unwrap();
    let plain = memory(&GeasMemory {
        header: GeasHeader { version: "2.1.0".into(), ..entry().header },
        ..entry()
    });
    assert_eq!(now, plain.replace("\n}\n", ",\n  \"x-team\": {\"a\":[1,  2]}\n}\n"));
    assert!(!now.contains("candidate_reason") && !now.contains("source_artifacts"));
}

#[test]
fn what_is_no_object_stays_as_it_is() {
    for odd in ["", "[]", "{\"half", "null\n"] {
        assert_eq!(patched(odd.as_bytes(), &candidate(), &entry()), odd.as_bytes());
    }
}
