//! Does `hardwon mcp` keep its head, whatever comes down the pipe? Raw JSON-RPC lines to the
//! real binary; clients that we did not write play with it in `tests/mcp`.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::harness::{Memory, W, list_of, text_of};

/// A client that says everything it has to say, closes its end and then listens.
#[track_caller]
fn converse(memory: &Memory, lines: &[String]) -> BTreeMap<u64, Value> {
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    });
    let mut input = request(0, "initialize", hello);
    input += &notification("notifications/initialized", json!({}));
    input += &lines.concat();
    let ran = memory.run_with(&["mcp"], &input).exits(0);
    assert_eq!(ran.stderr, "", "nothing to tell the person");
    let mut answers = BTreeMap::new();
    for line in ran.stdout.lines() {
        let message: Value = serde_json::from_str(line).expect("stdout carries only protocol");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        if let Some(id) = message["id"].as_u64() {
            assert!(answers.insert(id, message).is_none(), "{id} was answered twice");
        }
    }
    assert_eq!(answers[&0]["result"]["serverInfo"]["name"], "hardwon");
    answers
}

fn request(id: u64, method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
}

fn notification(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string() + "\n"
}

fn call(id: u64, tool: &str, arguments: Value) -> String {
    request(id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

/// What a tool answered, if it did what it was asked for.
#[track_caller]
fn done(answers: &BTreeMap<u64, Value>, id: u64) -> Value {
    let answer = answers.get(&id).unwrap_or_else(|| panic!("{id} was not answered"));
    assert_eq!(answer["result"]["isError"], false, "{answer:#}");
    answer["result"]["structuredContent"].clone()
}

/// What a tool said that refused.
#[track_caller]
fn refused(answers: &BTreeMap<u64, Value>, id: u64) -> String {
    let answer = answers.get(&id).unwrap_or_else(|| panic!("{id} was not answered"));
    assert_eq!(answer["result"]["isError"], true, "{answer:#}");
    text_of(&answer["result"]["content"][0], "text")
}

#[test]
fn everything_is_answered_after_the_client_closed_its_end() {
    let memory = Memory::new();
    let calls: Vec<String> = (1..=20).map(|id| call(id, "lessons_for", json!({}))).collect();
    let answers = converse(&memory, &calls);
    for id in 1..=20 {
        assert_eq!(done(&answers, id)["status"], "empty");
    }
    assert!(!memory.database().exists(), "looking makes no store");
}

#[test]
fn who_leaves_without_a_word_is_no_trouble() {
    let ran = Memory::new().run_with(&["mcp"], "").exits(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}

#[test]
fn calls_are_done_in_the_order_in_which_they_came() {
    let pair = |n: u64| {
        let run = format!("r{n}");
        let finding = json!({"text": W, "run": run});
        call(2 * n, "report_finding", finding)
            + &call(2 * n + 1, "record_outcome", json!({"outcome": "success", "run": run}))
    };
    let answers = converse(&Memory::new(), &(1..=8).map(pair).collect::<Vec<String>>());
    for n in 1..=8 {
        assert_eq!(done(&answers, 2 * n)["run"], format!("r{n}"));
        assert_eq!(done(&answers, 2 * n + 1)["recorded"], true, "its run was known by then");
    }
}

#[test]
fn large_frames_are_refused_and_the_next_one_is_served() {
    let memory = Memory::new();
    let long = "word ".repeat(2 << 20);
    let longer = "word ".repeat(4 << 20);
    let answers = converse(
        &memory,
        &[
            call(1, "remember", json!({"text": long})),
            call(2, "report_finding", json!({"text": long})),
            call(3, "lessons_for", json!({"paths": [long]})),
            // More than a line may have: it is dropped, and nobody waits for it.
            call(4, "remember", json!({"text": longer})),
            call(5, "lessons_for", json!({})),
        ],
    );
    for id in [1, 2, 3] {
        assert!(refused(&answers, id).contains("shorten it"), "{id}");
    }
    assert!(!answers.contains_key(&4));
    assert_eq!(done(&answers, 5)["status"], "empty");
}

#[test]
fn what_is_no_request_does_no_harm() {
    let cancelled = json!({"requestId": 77, "reason": "changed my mind"});
    let lines = [
        "no json\n".to_owned(),
        "{\"jsonrpc\":\"2.0\",\"id\":1\n".to_owned(),
        "\n".to_owned(),
        "[1,2]\n".to_owned(),
        "{\"a\":1}\n".to_owned(),
        notification("notifications/cancelled", cancelled),
        notification("notifications/unheard-of", json!({})),
        request(2, "no/such/method", json!({})),
        call(3, "no_such_tool", json!({})),
        request(4, "tools/call", json!({"name": "remember", "arguments": "a text"})),
        request(5, "tools/call", json!({"name": ["remember"]})),
        call(6, "remember", json!({"text": ["a"]})),
        call(7, "remember", json!({"text": W, "file": "/etc/passwd"})),
        request(8, "tools/call", json!({"name": "lessons_for"})),
        "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"".to_owned(),
    ];
    let answers = converse(&Memory::new(), &lines);
    for id in [2, 3, 4, 5] {
        assert!(answers[&id]["error"]["code"].is_i64(), "{:#}", answers[&id]);
    }
    assert!(answers[&3]["error"]["message"].as_str().is_some_and(|m| m.contains("lessons_for")));
    assert!(refused(&answers, 6).contains("wrong arguments"));
    assert!(refused(&answers, 7).contains("unknown field"));
    assert_eq!(done(&answers, 8)["status"], "empty");
    assert!(!answers.contains_key(&9), "half a line is nothing");
}

#[test]
fn a_cancelled_call_is_not_answered_and_the_next_is() {
    let cancelled = json!({"requestId": 1});
    let lines = [
        call(1, "lessons_for", json!({})),
        notification("notifications/cancelled", cancelled),
        call(2, "lessons_for", json!({})),
    ];
    let answers = converse(&Memory::new(), &lines);
    assert_eq!(done(&answers, 2)["status"], "empty");
}

#[test]
fn a_store_that_cannot_be_used_is_an_answer() {
    let memory = Memory::new();
    fs::create_dir_all(memory.home()).expect("the folder is writable");
    fs::write(memory.database(), "this is no database, and long enough to be looked at twice")
        .expect("the folder is writable");
    let text = "Use the staging database when testing migrations";
    let answers = converse(
        &memory,
        &[
            call(1, "lessons_for", json!({"task": "anything"})),
            call(2, "remember", json!({"text": text})),
            call(3, "review", json!({})),
            request(4, "ping", json!({})),
        ],
    );
    for id in [1, 2, 3] {
        assert!(refused(&answers, id).contains("go on without memory"), "{answers:#?}");
    }
    assert!(answers[&4]["result"].is_object(), "the server goes on");
}

#[test]
fn an_agents_word_is_an_agents_word() {
    let memory = Memory::new();
    let text = "Use the staging database when testing migrations";
    let finding = |id, run: &str| call(id, "report_finding", json!({"text": W, "run": run}));
    let lines = [call(1, "remember", json!({"text": text})), finding(2, "r1"), finding(3, "r2")];
    let answers = converse(&memory, &lines);
    let id = text_of(&done(&answers, 1)["lesson"], "id");
    let lessons = memory.lessons();
    assert_eq!(lessons.len(), 2, "{lessons:#?}");
    for lesson in &lessons {
        assert_eq!(lesson["author"], "agent raw", "{lesson:#}");
        assert_eq!(lesson["trust"], "claimed");
        assert_eq!(lesson["state"], "candidate", "one agent in two runs promotes nothing");
    }
    let because = json!({"action": "approve", "lesson": id, "because": "sure"});
    let answers = converse(&memory, &[call(1, "review", because)]);
    assert!(refused(&answers, 1).starts_with("NeedsPerson"), "{answers:#?}");

    let named = memory.with("HARDWON_AGENT", "codex");
    let other = "Close the pool before the process ends";
    converse(&named, &[call(1, "remember", json!({"text": other}))]);
    let authors: Vec<String> = named.lessons().iter().map(|l| text_of(l, "author")).collect();
    assert!(authors.contains(&"agent codex".to_owned()), "the given name counts: {authors:?}");
}

#[test]
fn what_was_not_shown_is_not_told() {
    let memory = Memory::new();
    memory.learn_w(1);
    let answers = converse(&memory, &[call(1, "lessons_for", json!({"task": W}))]);
    let told = done(&answers, 1);
    let left_out = list_of(&told, "left_out");
    assert_eq!(left_out.len(), 1, "a candidate is not shown: {told:#}");
    assert!(!left_out[0].to_string().contains("concatenation"), "{told:#}");
}

#[test]
fn secrets_do_not_come_back() {
    let memory = Memory::new();
    let secret = format!("{}{}", concat!("gh", "p_"), "k3J9x2Qw7LmZ4Rt8Vb1Nc6Yd5Fg0Hs3PaUeI");
    let text = format!("Use the token {secret} when pushing release archives");
    let answers = converse(&memory, &[call(1, "remember", json!({"text": text}))]);
    assert!(!answers[&1].to_string().contains(&secret), "{:#}", answers[&1]);
    done(&answers, 1);
}
