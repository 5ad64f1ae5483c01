//! Conversations that hosts kept are a format of their own: told by their content, also where
//! other lines stand before the first message.

use hardwon_core::lesson::Origin;
use hardwon_readers::{Format, read};

use crate::{problems, record, texts};

const CLAUDE: &str = include_str!("../fixtures/transcripts/claude.jsonl");
const ROLLOUT: &str = include_str!("../fixtures/transcripts/rollout.jsonl");

#[test]
fn both_hosts_are_told_by_their_content_and_are_an_agents_word() {
    for (name, text) in [("claude", CLAUDE), ("rollout", ROLLOUT)] {
        for format in [None, Some(Format::Transcript)] {
            let record = read(name, text.as_bytes(), format).unwrap();
            assert_eq!(texts(&record), ["SQL injection in search"], "{name} {format:?}");
            assert_eq!((record.channel, record.is_report), (Some(Origin::Agent), false));
        }
    }
}

#[test]
fn long_lines_before_the_first_message_hide_nothing() {
    let long = "x".repeat(20_000);
    let copies = format!(
        "{{\"type\":\"file-history-snapshot\",\"messageId\":\"m\",\"snapshot\":{{\"a\":\"{long}\"}}}}\n"
    );
    assert_eq!(texts(&record(copies.clone() + CLAUDE)), ["SQL injection in search"]);
    let spaced = CLAUDE.replace("\":", "\": ");
    assert_eq!(texts(&record(copies + &spaced)), ["SQL injection in search"]);
    let instructions =
        ROLLOUT.replace(r#""cwd""#, &format!(r#""base_instructions":"{long}","cwd""#));
    assert_eq!(texts(&record(instructions)), ["SQL injection in search"]);
}

#[test]
fn a_conversation_without_a_review_is_told_apart_from_no_conversation() {
    let quiet = CLAUDE.replace("[HIGH] src/db.rs:41: SQL injection in search", "all is well");
    let quiet = record(quiet);
    assert!(quiet.events.is_empty());
    assert!(problems(&quiet)[0].starts_with("x:4: no finding is read from this review"));
    let other = "{\"type\":\"user\",\"message\":\"hello\"}\n";
    assert!(read("x", other.as_bytes(), None).is_err());
    assert!(read("x", other.as_bytes(), Some(Format::Transcript)).is_err());
    // Lines of our own with such names in them stay ours.
    let own = "{\"type\":\"run\",\"id\":\"r1\"}\n{\"type\":\"finding\",\"text\":\"The field \\\"sessionId\\\":\\\"x\\\" is sent\"}\n";
    assert_eq!(record(own).channel, Some(Origin::Reviewer));
}

/// Claude Code's own tool for findings, called by the main agent.
#[test]
fn findings_that_are_handed_to_the_host_are_a_review() {
    let finding = r#"{"file":"src/pool.rs","line":45,"summary":"Broken connections are reused","failure_scenario":"the next request fails","category":"correctness","verdict":"CONFIRMED"}"#;
    let refuted = r#"{"file":"src/pool.rs","line":80,"summary":"Pool size is never read","failure_scenario":"x","verdict":"REFUTED"}"#;
    let call = |list: &str| {
        let input = format!(r#"{{"findings":[{list}]}}"#);
        let part =
            format!(r#"{{"type":"tool_use","id":"t","name":"ReportFindings","input":{input}}}"#);
        let line =
            format!(r#"{{"type":"assistant","sessionId":"s1","message":{{"content":[{part}]}}}}"#);
        record(line + "\n")
    };
    let read = call(&format!("{finding},{refuted}"));
    assert_eq!(texts(&read), ["Broken connections are reused", "Pool size is never read"]);
    let told = format!("{:?}", read.events);
    assert!(told.contains("code-review") && told.contains("Dismissed"), "{told}");
    let clean = format!("{:?}", call("").events);
    assert!(clean.contains("Verdict") && clean.contains("Some(true)"), "{clean}");
}
