use super::*;

fn read(text: &str) -> GeasMemory {
    let (file, problems) = geas_memory("x.json", text.as_bytes());
    assert!(problems.is_empty(), "{problems:?}");
    file.lines.into_iter().next().unwrap().record.unwrap()
}

const ENTRY: &str = r#"{
  "meta": {"version": "1.0", "artifact_type": "memory_entry", "artifact_id": "mem-a-1",
    "producer_type": "orchestration_authority", "created_at": "2026-04-03T14:00:00Z"},
  "memory_id": "mem-a-1", "memory_type": "test_strategy", "state": "stable",
  "title": "Seed the clock", "summary": "Seed the clock in every fixture", "scope": "project",
  "evidence_refs": ["retro-a", "retro-b"],
  "signals": {"evidence_count": 2, "reuse_count": 4, "successful_reuses": 3,
    "failed_reuses": 1, "contradiction_count": 0, "confidence": 0.8},
  "review_after": "2026-07-03T14:00:00Z", "supersedes": [], "superseded_by": null,
  "tags": ["clock"], "body": ["one", "two"]
}"#;

#[test]
fn an_entry_is_read_whole() {
    let it = read(ENTRY);
    assert_eq!((it.form, &*it.id, &*it.state), (GeasForm::Entry, "mem-a-1", "stable"));
    assert_eq!((it.signals.successful_reuses, it.signals.confidence), (3, Some(0.8)));
    assert_eq!(it.review_after.unwrap().to_string(), "2026-07-03T14:00:00Z");
    assert_eq!((it.superseded_by, it.tags, it.body.len()), (None, vec!["clock".to_owned()], 2));
}

#[test]
fn the_header_may_stand_anywhere() {
    let flat = r#"{"version":"2.1.0","artifact_type":"memory_candidate","artifact_id":"x",
        "producer_type":"process_lead","created_at":"2026-04-03T14:00:00Z","summary":"s"}"#;
    let beside = r#"{"meta":{"version":"2.1.0","artifact_type":"memory_candidate",
        "artifact_id":"x","producer_type":"process_lead"},
        "created_at":"2026-04-03T14:00:00Z","summary":"s"}"#;
    assert_eq!(read(flat), read(beside));
    let it = read(flat);
    assert_eq!((it.form, it.header.version.as_str()), (GeasForm::Candidate, "2.1.0"));
    assert_eq!((&*it.header.producer, it.header.created_at.is_some()), ("process_lead", true));
}

#[test]
fn counters_may_stand_at_the_top_or_be_missing() {
    let top = read(r#"{"summary":"s","reuse_count":3,"successful_reuses":2,"confidence":0.5}"#);
    assert_eq!((top.signals.reuse_count, top.signals.successful_reuses), (3, 2));
    assert_eq!(top.signals.confidence, Some(0.5));
    let missing = read(r#"{"summary":"s","signals":{"evidence_count":1,"reuse_count":2}}"#);
    assert_eq!((missing.signals.reuse_count, missing.signals.successful_reuses), (2, 0));
    let none = read(r#"{"summary":"s"}"#);
    assert_eq!((none.signals.reuse_count, none.signals.confidence), (0, None));
    // A confidence above 1 is certainty.
    assert_eq!(read(r#"{"summary":"s","confidence":7}"#).signals.confidence, Some(1.0));
}

#[test]
fn what_cannot_be_a_lesson_is_told_and_costs_nothing_else() {
    for (odd, reason) in [
        ("", "empty"),
        ("{\"half", "JSON"),
        ("[]", "object"),
        ("{}", "without \"summary\""),
        ("\u{0}", ""),
    ] {
        let (file, problems) = geas_memory("x.json", odd.as_bytes());
        assert!(file.lines[0].record.is_none(), "{odd}");
        assert_eq!((problems.len(), problems[0].at.starts_with("x.json")), (1, true), "{odd}");
        assert!(problems[0].reason.contains(reason), "{odd}: {}", problems[0].reason);
    }
}

#[test]
fn a_review_is_flat_or_in_an_envelope() {
    let flat = r#"{"version":"1.0","artifact_type":"memory_review","artifact_id":"r",
        "producer_type":"qa_engineer","memory_id":"mem-a-1","decision":"Promote_Provisional",
        "rationale":"seen twice","created_at":"2026-04-03T14:00:00Z"}"#;
    let (review, problems) = geas_review("r.json", flat.as_bytes());
    let review = review.unwrap();
    assert!(problems.is_empty());
    assert_eq!(
        (review.reviewer.as_str(), review.decision.as_str()),
        ("qa_engineer", "promote_provisional")
    );
    let (none, problems) = geas_review("r.json", br#"{"memory_id":"x"}"#);
    assert_eq!((none, problems.len()), (None, 1));
}

#[test]
fn a_log_without_its_lesson_or_task_is_not_counted() {
    let (log, _) = geas_log("l.json", br#"{"memory_id":"m","task_id":7,"effect":"POSITIVE"}"#);
    let log = log.unwrap();
    assert_eq!((log.task_id.as_str(), log.effect.as_str()), ("7", "positive"));
    for odd in [r#"{"memory_id":"m"}"#, r#"{"task_id":"t"}"#, r#"{"memory_id":"","task_id":"t"}"#] {
        let (log, problems) = geas_log("l.json", odd.as_bytes());
        assert_eq!((log, problems.len()), (None, 1), "{odd}");
    }
}

#[test]
fn unknown_fields_are_named() {
    let odd = ENTRY.replacen('{', "{\"x-team\": 1,", 1);
    assert_eq!(geas_unknown_fields(odd.as_bytes()), ["x-team"]);
    assert_eq!(geas_unknown_fields(ENTRY.as_bytes()), [""; 0]);
}
