//! Does `hardwon mcp` keep its head, whatever comes down the pipe? Raw JSON-RPC lines to the
//! real binary; clients that we did not write play with it in `tests/mcp`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

use crate::harness::{Memory, W, event, list_of, start_piped, text_of, transcript};

/// A client that says everything it has to say, closes its end and then listens.
#[track_caller]
pub fn converse(memory: &Memory, lines: &[String]) -> BTreeMap<u64, Value> {
    let mut input = request(0, "initialize", hello("raw"));
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

pub fn hello(client: &str) -> Value {
    json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": client, "version": "1"},
    })
}

pub fn request(id: u64, method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
}

pub fn notification(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string() + "\n"
}

pub fn call(id: u64, tool: &str, arguments: Value) -> String {
    request(id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

/// What a tool answered, if it did what it was asked for.
#[track_caller]
fn done(answers: &BTreeMap<u64, Value>, id: u64) -> Value {
    let answer = answers.get(&id).unwrap_or_else(|| panic!("{id} was not answered"));
    assert_eq!(answer["result"]["isError"], false, "{answer:#}");
    assert!(answer["result"]["structuredContent"].is_null(), "one form: {answer:#}");
    answer["result"]["_meta"]["hardwon/answer"].clone()
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

/// A conversation in which the client listens before it says the next thing.
struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
}

impl Client {
    fn new(memory: &Memory, name: &str) -> Self {
        let mut child = start_piped(memory.command(&["mcp"]));
        let stdin = child.stdin.take().expect("a pipe");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut client = Client { child, stdin, stdout };
        client.say(&request(0, "initialize", hello(name)));
        client.hear(0);
        client.say(&notification("notifications/initialized", json!({})));
        client
    }

    fn say(&mut self, line: &str) {
        self.stdin.write_all(line.as_bytes()).and_then(|()| self.stdin.flush()).expect("it reads");
    }

    /// The next thing that the server says, which must be the answer to this.
    #[track_caller]
    fn hear(&mut self, id: u64) -> Value {
        let line = self.stdout.next().expect("the server is there").expect("it can be read");
        let message: Value = serde_json::from_str(&line).expect("stdout carries only protocol");
        assert_eq!(message["id"], id, "{message:#}");
        message
    }

    /// Closes its end; what else was said, and what the person was told.
    fn leave(self) -> (Vec<String>, String) {
        let Client { child, stdin, stdout } = self;
        drop(stdin);
        let rest = stdout.map(|line| line.expect("it can be read")).collect();
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
        (rest, String::from_utf8(output.stderr).expect("UTF-8"))
    }
}

/// The store is held by somebody else, so the first call is being done while the second is
/// cancelled: that one has not had its turn, and must never be done.
#[test]
fn a_cancelled_call_is_not_done_and_the_next_is() {
    let memory = Memory::new();
    memory.learn_w(1);
    let held = rusqlite::Connection::open(memory.database()).expect("the store can be opened");
    held.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes");
    let texts = ["Close the pool before exit", "Avoid long locks", "Prefer small commits always"];
    let remember = |id: u64| call(id, "remember", json!({"text": texts[id as usize - 1]}));
    let mut client = Client::new(&memory, "raw");
    client.say(&(remember(1) + &remember(2)));
    client.say(&notification("notifications/cancelled", json!({"requestId": 2})));
    client.say(&(remember(3) + &request(4, "ping", json!({}))));
    // The pong comes after the cancellation was read, and before anything could be done.
    client.hear(4);
    held.execute_batch("COMMIT").expect("it was held");
    let first = client.hear(1);
    let third = client.hear(3);
    for answer in [first, third] {
        assert_eq!(answer["result"]["isError"], false, "{answer:#}");
    }
    assert_eq!(client.leave().0, Vec::<String>::new());
    let known = memory.lessons().iter().map(|it| text_of(it, "text")).collect::<String>();
    assert_eq!(texts.map(|text| known.contains(text)), [true, false, true], "{known}");
}

/// What hooks noted at the end of sessions is read by a server that runs anyway, beside its
/// calls and without a word.
#[test]
fn sessions_that_are_over_are_read_by_a_server() {
    let memory = Memory::new().with("HARDWON_DEADLINE_MS", "60000");
    let transcript = memory.write("s1.jsonl", transcript("s1"));
    let end = |path: &Path| {
        let end = event("s1", "SessionEnd", json!({"transcript_path": path}));
        memory.hook("claude", &end);
    };
    end(&transcript);
    end(Path::new("/nowhere/gone.jsonl"));
    assert_eq!(memory.waiting().len(), 2);
    let clients = [Client::new(&memory, "raw"), Client::new(&memory, "raw")];
    for _ in 0..3000 {
        if memory.waiting().is_empty() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(memory.waiting().is_empty(), "nobody read them");
    for client in clients {
        let (rest, stderr) = client.leave();
        assert_eq!((rest, stderr.as_str()), (Vec::new(), ""), "nothing is said about it");
    }
    let lesson = memory.only_lesson();
    assert_eq!(lesson["sightings"], 1, "read twice: {lesson:#}");
    let noted = memory.problems();
    assert!(noted.contains("mcp\tdegraded") && noted.contains("gone.jsonl"), "{noted}");
    assert_eq!(memory.json(&["learn", "--pending"])["runs"], json!([]), "nothing waits");
}

#[test]
fn places_in_evidence_are_kept() {
    let memory = Memory::new();
    let candidate = |text: &str, evidence: &str| json!({"text": text, "evidence": evidence});
    let given = json!({"run": "r1", "candidates": [
        candidate("Close the pool before the process ends",
            "`cargo test` hung; see (src/pool.rs:41) and src/main.rs:7, src/pool.rs:41"),
        candidate("Avoid string concatenation in queries", "the person said so"),
        candidate("nice", "src/a.rs:1"),
    ]});
    let answers = converse(&memory, &[call(1, "submit_reflection", given)]);
    let told = done(&answers, 1);
    let places = |n: usize| told["candidates"][n]["places"].clone();
    assert_eq!(places(0), json!(["src/pool.rs:41", "src/main.rs:7"]), "{told:#}");
    assert_eq!((places(1), places(2)), (json!([]), json!([])), "{told:#}");
    assert_eq!(told["candidates"][2]["accepted"], false);
    let lessons = memory.lessons();
    assert_eq!(lessons.len(), 2, "evidence starts no lesson: {lessons:#?}");
    let id = text_of(&told["candidates"][0], "lesson");
    let why = memory.run(&["why", &id]).exits(0);
    for place in ["src/pool.rs:41", "src/main.rs:7"] {
        assert!(why.stdout.contains(place), "{why}");
    }
    let lesson = memory.json(&["show", &id])["lesson"].clone();
    assert_eq!((&lesson["sightings"], &lesson["state"]), (&json!(1), &json!("candidate")));
}

/// Somebody who looked back and found nothing to remember still says what happened.
#[test]
fn an_account_needs_no_candidates() {
    let memory = Memory::new();
    let account =
        json!({"run": "r1", "summary": "The upload was repaired.", "worked": ["a limit"]});
    let answers = converse(&memory, &[call(1, "submit_reflection", account.clone())]);
    assert!(refused(&answers, 1).contains("no record of run r1"), "{answers:#?}");
    let record = json!({"type": "run", "id": "r1", "outcome": "success"});
    memory.run_with(&["learn"], &format!("{record}\n")).exits(0);
    let empty = json!({"run": "r1", "candidates": []});
    let calls = [call(1, "submit_reflection", empty), call(2, "submit_reflection", account)];
    let answers = converse(&memory, &calls);
    assert!(refused(&answers, 1).contains("0 candidates"), "{answers:#?}");
    assert_eq!(done(&answers, 2)["status"], "ok", "{answers:#?}");
    assert!(
        memory.run(&["runs", "show", "r1"]).exits(0).stdout.contains("The upload was repaired.")
    );
    assert_eq!(memory.lessons().len(), 0);
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
        assert_eq!(lesson["author"], "agent mcp", "what a client calls itself counts for nothing");
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

/// The call that goes wrong hears so, and the conversation goes on in the same run.
#[test]
fn a_fault_does_not_end_the_conversation() {
    let memory = Memory::new();
    let mut client = Client::new(&memory, "someone");
    let report = |id| call(id, "report_finding", json!({ "text": W, "severity": "warning" }));
    client.say(&report(1));
    client.hear(1);
    let wrong =
        json!({ "name": "lessons_for", "arguments": {}, "_meta": { "hardwon/fault": true } });
    client.say(&request(2, "tools/call", wrong));
    let wrong = client.hear(2);
    assert_eq!(wrong["result"]["isError"], true, "{wrong}");
    client.say(&report(3));
    assert_eq!(client.hear(3)["result"]["isError"], false);
    client.leave();
    let runs = memory.json(&["runs"]);
    assert_eq!(runs["runs"].as_array().map(Vec::len), Some(1), "{runs}");
}
