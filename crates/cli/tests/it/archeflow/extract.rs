//! What a run found becomes lessons, or raises those that are there.

use serde_json::{Value, json};

use super::{
    FIELDS, Flow, LESSONS, OTHER, W, W_AGAIN, event, finding, lesson, lines, log, reports, with,
};
use crate::harness::{NOW, each};

fn warning(text: &str) -> Value {
    finding("warning", text)
}

#[test]
fn a_new_finding_becomes_a_candidate_with_every_field_in_order() {
    let flow = Flow::new();
    let ran = flow.extract("r1", &[warning(W)]);
    let added = format!("Added candidate lesson m-001: {W}");
    reports(&ran, &[&added, "Extract complete: 0 updated, 1 new candidates"]);
    let line = format!(
        "{{\"id\":\"m-001\",\"ts\":\"{NOW}\",\"run_id\":\"r1\",\"type\":\"pattern\",\
         \"source\":\"guardian\",\"description\":\"{W}\",\"frequency\":1,\
         \"severity\":\"warning\",\"domain\":\"code\",\
         \"tags\":[\"search\",\"query\",\"glued\",\"together\",\"from\"],\
         \"archetype\":null,\"last_seen_run\":\"r1\",\"runs_since_last_seen\":0}}\n"
    );
    assert_eq!(flow.text(LESSONS), line);
    let places: Vec<_> = FIELDS.iter().map(|f| line.find(&format!("\"{f}\":"))).collect();
    assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
    flow.has_no_litter();
}

#[test]
fn a_second_run_promotes_and_one_run_does_not() {
    let flow = Flow::new();
    flow.extract("r1", &[warning(W), warning(W_AGAIN), warning(W), warning(OTHER)]);
    assert_eq!(flow.all("frequency"), [1, 1], "three times in one run is one run");
    assert_eq!(flow.inject().stdout, "");
    let ran = flow.extract("r2", &[warning(W_AGAIN)]);
    let updated = format!("Updated lesson m-001 (freq +1): {W}");
    reports(&ran, &[&updated, "Extract complete: 1 updated, 0 new candidates"]);
    let block = flow.inject().stdout;
    assert_eq!(block, format!("## Known Issues (from past runs)\n- {W} [seen 2x, guardian]\n"));
    assert_eq!(flow.all("frequency"), [2, 1]);
}

#[test]
fn a_match_states_the_run_and_the_time_and_nothing_else() {
    let old = with(
        lesson("m-001", W),
        json!({"runs_since_last_seen": 7, "severity": "bug", "source": "sage", "mood": "calm"}),
    );
    let neighbour = lesson("m-002", OTHER);
    let flow = Flow::of(&[old.clone(), neighbour.clone()]);
    flow.extract("r1", &[warning(W_AGAIN)]);
    let new = with(
        old.clone(),
        json!({
            "ts": NOW, "run_id": "r1", "frequency": 3, "last_seen_run": "r1",
            "runs_since_last_seen": 0,
        }),
    );
    assert_eq!(flow.records(LESSONS), [new, neighbour.clone()]);
}

/// What a record says of severity, domain, source and tags is as it was first written.
#[test]
fn a_worse_finding_changes_no_severity() {
    let flow = Flow::of(&[lesson("m-001", W)]);
    flow.extract("r1", &[finding("critical", W)]);
    let record = flow.record("m-001");
    assert_eq!((&record["frequency"], &record["severity"]), (&json!(3), &json!("warning")));
    assert_eq!(record["tags"], json!([]));
}

#[test]
fn the_same_log_twice_changes_nothing() {
    let flow = Flow::new();
    flow.extract("r1", &[warning(W), warning(OTHER)]);
    flow.extract("r2", &[warning(W_AGAIN)]);
    let before = flow.everything();
    for run in ["r1", "r2", "r1"] {
        let path = format!(".archeflow/events/{run}.jsonl");
        let ran = flow.call(&["extract", &path]).exits(0);
        reports(&ran, &["Extract complete: 0 updated, 0 new candidates"]);
        for (name, bytes) in flow.everything() {
            assert_eq!(before.get(&name), Some(&bytes), "{run}: {}", name.display());
        }
    }
}

/// What is in the archive is no lesson any more: it begins anew.
#[test]
fn what_was_forgotten_begins_anew() {
    let flow = Flow::of(&[lesson("m-001", W), lesson("m-002", OTHER)]);
    flow.forget("m-001");
    let ran = flow.extract("r1", &[warning(W)]);
    assert!(ran.stderr.contains("Added candidate lesson m-"), "{ran}");
    assert!(ran.stderr.contains("0 updated, 1 new candidates"), "{ran}");
    let records = flow.records(LESSONS);
    assert_eq!((&records[1]["description"], &records[1]["frequency"]), (&json!(W), &json!(1)));
}

#[test]
fn half_of_the_findings_words_in_text_or_tags_make_a_match() {
    let tagged = with(
        lesson("m-001", "Weeks drift"),
        json!({"tags": ["calendar", "chapter"], "domain": "code"}),
    );
    let long = "null checks missing around every remote response";
    // Words of the finding, whether at least half of them are in description and tags: a short
    // finding is found in a long lesson, a long finding is not found in a short lesson.
    let cases = [
        (&tagged, "calendar chapter mixup", true),
        (&tagged, "Calendar, mixup!", true),
        (&tagged, "weeks calendar mixup wrong", true),
        (&tagged, "calendar mixup wrong", false),
        (&tagged, "mixup wrong", false),
        (&lesson("m-001", long), "null checks", true),
        (&lesson("m-001", "null checks"), long, false),
    ];
    each(&cases, |(known, text, is_match)| {
        let flow = Flow::of(std::slice::from_ref(*known));
        flow.extract("r1", &[warning(text)]);
        let frequencies = if *is_match { json!([3]) } else { json!([2, 1]) };
        assert_eq!(json!(flow.all("frequency")), frequencies, "{text}");
    });
}

#[test]
fn information_reinforces_but_creates_nothing() {
    let words = ["info", "INFO", "Info", "recommendation", "RECOMMENDATION"];
    each(&words, |word| {
        let flow = Flow::of(&[lesson("m-001", W)]);
        flow.extract("r1", &[finding(word, OTHER), finding(word, W_AGAIN)]);
        assert_eq!(flow.all("frequency"), [3], "{word}: created, or not reinforced");
    });
}

/// There is no rule here about what is worth remembering.
#[test]
fn warnings_and_worse_create_in_any_case_and_however_short() {
    let words = ["warning", "WARNING", "bug", "BUG", "critical", "CRITICAL"];
    let texts = [W, "Typo", "be careful", "fix it", "Null check!", "Größe prüfen"];
    let cases: Vec<(&str, &str)> = words.into_iter().zip(texts).collect();
    each(&[&cases[..], &words.map(|word| (word, W))].concat(), |(word, text)| {
        let flow = Flow::new();
        flow.extract("r1", &[finding(word, text)]);
        assert_eq!(flow.record("m-001")["description"], *text, "{word}");
    });
}

#[test]
fn the_domain_is_that_of_the_run() {
    // What the start of the run says, the domain of the record.
    let cases = [
        (json!({"task": "x", "domain": "writing"}), "writing"),
        (json!({"task": "x", "domain": "general"}), "general"),
        (json!({"task": "x"}), "general"),
    ];
    each(&cases, |(start, domain)| {
        let flow = Flow::new();
        let verdict = json!({"archetype": "sage", "findings": [finding("bug", W)]});
        let log = [event("r1", 1, "run.start", start.clone())];
        let log = [&log[..], &[event("r1", 2, "review.verdict", verdict)]].concat();
        flow.put("events/r1.jsonl", lines(&log));
        flow.call(&["extract", ".archeflow/events/r1.jsonl"]).exits(0);
        let record = flow.record("m-001");
        assert_eq!((&record["domain"], &record["source"]), (&json!(domain), &json!("sage")));
    });
}

#[test]
fn only_verdicts_hold_findings() {
    let flow = Flow::new();
    let other = json!({"archetype": "guardian", "findings": [finding("bug", OTHER)]});
    let found = json!({"archetype": "guardian", "findings": [finding("bug", W)]});
    let log = [
        event("r1", 1, "agent.complete", other.clone()),
        event("r1", 2, "decision", other),
        event("r1", 3, "review.verdict", found),
    ];
    flow.put("events/r1.jsonl", lines(&log));
    flow.call(&["extract", ".archeflow/events/r1.jsonl"]).exits(0);
    assert_eq!(flow.all("description"), [W]);
}

#[test]
fn a_run_without_findings_says_so_and_makes_no_record() {
    let flow = Flow::new();
    let ran = flow.extract("r1", &[]);
    reports(&ran, &["No findings to extract from .archeflow/events/r1.jsonl"]);
    assert!(flow.records(LESSONS).is_empty());
}

/// A log may lie anywhere: the argument is the caller's.
#[test]
fn a_log_is_found_by_any_path() {
    let flow = Flow::new();
    let path = flow.memory.write("logs/one.jsonl", log("r1", &[warning(W)]));
    flow.call(&["extract", "logs/one.jsonl"]).exits(0);
    flow.memory.write("logs/two.jsonl", log("r2", &[warning(W)]));
    let absolute = path.with_file_name("two.jsonl");
    flow.call(&["extract", absolute.to_str().expect("text")]).exits(0);
    assert_eq!(flow.record("m-001")["frequency"], 2);
}
