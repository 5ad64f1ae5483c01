//! Adding to a run's log.

use serde_json::{Value, json};

use super::{Flow, W, finding, prints};
use crate::harness::{NOW, Ran, each, start_piped};

fn log_of(flow: &Flow, run: &str) -> Vec<Value> {
    flow.records(&format!("events/{run}.jsonl"))
}

#[test]
fn an_event_has_the_shape_of_the_documents() {
    let flow = Flow::new();
    let start = ["event", "r1", "run.start", "plan", "", "{\"task\":\"search\"}"];
    prints(&flow.call(&start).exits(0), "", "[archeflow-event] #1 run.start (plan/_)\n");
    let line = format!(
        "{{\"ts\":\"{NOW}\",\"run_id\":\"r1\",\"seq\":1,\"parent\":[],\"type\":\"run.start\",\
         \"phase\":\"plan\",\"agent\":null,\"data\":{{\"task\":\"search\"}}}}\n"
    );
    assert_eq!(flow.text("events/r1.jsonl"), line);
    flow.call(&["event", "r1", "agent.complete", "do", "maker"]).exits(0);
    let parents = ["event", "r1", "cycle.boundary", "act", "", "{}", "1,2"];
    flow.call(&parents).exits(0);
    let log = log_of(&flow, "r1");
    assert_eq!((&log[1]["agent"], &log[1]["data"]), (&json!("maker"), &json!({})));
    assert_eq!((&log[2]["seq"], &log[2]["parent"]), (&json!(3), &json!([1, 2])));
}

#[test]
fn twenty_at_once_are_numbered_without_gaps() {
    let flow = Flow::new();
    let data: Vec<String> = (0..20).map(|n| format!("{{\"n\":{n}}}")).collect();
    let args = |data: &String| {
        ["archeflow", "event", "r1", "agent.complete", "do", "maker", data].map(str::to_owned)
    };
    let children: Vec<_> =
        data.iter().map(|data| start_piped(flow.memory.command(&args(data)))).collect();
    for child in children {
        Ran::of(&["event"], child.wait_with_output().expect("it ends")).exits(0);
    }
    let log = log_of(&flow, "r1");
    let numbers: Vec<u64> = log.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert_eq!(numbers, (1..=20).collect::<Vec<u64>>());
    let mut seen: Vec<u64> = log.iter().filter_map(|event| event["data"]["n"].as_u64()).collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..20).collect::<Vec<u64>>(), "an event was lost");
}

#[test]
fn bad_calls_exit_1_and_write_nothing() {
    let run = |id| vec!["event", id, "run.start", "plan", ""];
    let data = |more: &[&'static str]| [&run("r1")[..], more].concat();
    // Arguments, part of the message.
    let usages = [vec!["event"], vec!["event", "r1"], vec!["event", "r1", "run.start", "plan"]];
    let usages = usages.map(|args| (args, "Usage: "));
    let runs = ["../x", "-x", "a..b", "a/b", ""].map(|id| (run(id), "invalid run_id"));
    let json = ["{\"a\":", "oops", "{} {}"].map(|json| (data(&[json]), "invalid JSON"));
    let parents = ["1,x", "-1", "1,,2"].map(|parent| (data(&["{}", parent]), "invalid parent"));
    let cases = [&usages[..], &runs, &json, &parents].concat();
    each(&cases, |(args, message)| {
        let flow = Flow::new();
        let ran = flow.call(args).exits(1);
        assert!(ran.stdout.is_empty() && ran.stderr.contains(message), "{message}\n{ran}");
        assert!(flow.everything().is_empty(), "{ran}");
    });
}

/// An event is one line, whatever is in it, and a missing last line end is added.
#[test]
fn an_event_is_one_line() {
    let flow = Flow::new();
    flow.put("events/r1.jsonl", "{\"seq\":1}\n{\"seq\":2}");
    let data = "{\n  \"a\": \"x\\ny\"\n}";
    flow.call(&["event", "r1", "note\nbreak", "do\tit", "a\"b", data]).exits(0);
    let log = log_of(&flow, "r1");
    assert_eq!(log.len(), 3, "{log:#?}");
    assert_eq!((&log[2]["seq"], &log[2]["data"]), (&json!(3), &json!({"a": "x\ny"})));
    assert_eq!((&log[2]["type"], &log[2]["agent"]), (&json!("note\nbreak"), &json!("a\"b")));
}

/// What was added can be extracted.
#[test]
fn a_log_of_events_can_be_extracted() {
    let flow = Flow::new();
    let start = "{\"domain\":\"code\"}";
    let verdict =
        format!("{{\"archetype\":\"guardian\",\"findings\":[{}]}}", finding("warning", W));
    flow.call(&["event", "r1", "run.start", "plan", "", start]).exits(0);
    let args = ["event", "r1", "review.verdict", "check", "guardian", &verdict, "1"];
    flow.call(&args).exits(0);
    flow.call(&["extract", ".archeflow/events/r1.jsonl"]).exits(0);
    assert_eq!(flow.record("m-001")["domain"], "code");
}
