//! Memory over HTTP, from outside: who comes in, who may do what, and what happens when something
//! goes wrong. The real binary, and requests written byte by byte. Browsers play in `tests/browser`.

pub mod client;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Memory, W};
use client::Server;

/// A record with one finding.
fn record(run: &str) -> String {
    let run = json!({"type": "run", "id": run, "detectors": ["guardian"]});
    let finding =
        json!({"type": "finding", "author": "guardian", "severity": "warning", "text": W});
    format!("{run}\n{finding}\n")
}

/// A memory with one lesson that may be shown, and its id.
fn taught() -> (Memory, String) {
    let memory = Memory::new();
    for run in ["r1", "r2"] {
        memory.run_with(&["learn"], &record(run)).exits(0);
    }
    let listed = memory.run(&["list", "--json"]).exits(0).json();
    (memory, listed["lessons"][0]["id"].as_str().expect("a lesson").to_owned())
}

#[test]
fn a_code_opens_the_door_once() {
    let (memory, _) = taught();
    let server = Server::start(&memory);
    let entered = server.ask("GET", &server.door, &[], "").is(303);
    assert_eq!(entered.header("location"), Some("/"), "no code in the address");
    assert_eq!(entered.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(entered.header("cache-control"), Some("no-store"));
    let cookie = entered.header("set-cookie").expect("a cookie").to_owned();
    let port = server.host.rsplit(':').next().expect("a port");
    assert!(cookie.starts_with(&format!("hardwon-{port}=")), "{cookie}");
    for part in ["HttpOnly", "SameSite=Strict", "Max-Age=43200"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    server.ask("GET", &server.door, &[], "").is(401);
    let cookie = cookie.split(';').next().expect("its value");
    let page = server.page("/", cookie).is(200);
    assert!(page.body.contains("<h1"), "{}", page.body);
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    // Another code, from the command line; another token ends everything.
    let told = memory.run(&["serve", "--code", "--json"]).exits(0).json();
    let url = told["url"].as_str().expect("an address").to_owned();
    let door = url.split_once(&server.host).expect("the same server").1.to_owned();
    let second = server.enter(&door);
    server.page("/", &second).is(200);
    memory.run(&["serve", "--status"]).exits(0);
    memory.run(&["serve", "--new-token"]).exits(0);
    server.page("/", &second).is(401);
    server.api("GET", "/api/v1/lessons", "").is(401);
}

#[test]
fn every_route_has_the_same_door() {
    let (memory, id) = taught();
    let server = Server::start(&memory);
    let token = format!("Bearer {}", server.token);
    let routes = hardwon_faces::serve::route_names();
    assert!(routes.len() > 30, "{routes:?}");
    for (method, path) in &routes {
        let path = path.replace("{}", &id);
        let what = format!("{method} {path}");
        let ask = |headers: &[(&str, &str)]| server.ask(method, &path, headers, "{}");
        for headers in [&[][..], &[("Authorization", "Bearer wrong")], &[("Cookie", "hardwon=1")]] {
            let refused = ask(headers);
            assert_eq!((refused.status, refused.body.as_str()), (401, ""), "{what} {headers:?}");
        }
        for (name, value) in [
            ("Origin", "http://evil.example"),
            ("Origin", "null"),
            ("Host", "evil.example"),
            ("Host", "127.0.0.1:1"),
        ] {
            let refused = ask(&[("Authorization", &token), (name, value)]);
            assert_eq!((refused.status, refused.body.as_str()), (403, ""), "{what} {name} {value}");
        }
        let wrong = server.ask("DELETE", &path, &[("Authorization", &token)], "");
        assert_eq!(wrong.status, 405, "{what}");
        // Not one of them falls over.
        let asked = ask(&[("Authorization", &token)]);
        assert!(asked.status < 500, "{what}: {asked:?}");
    }
    server.api("GET", "/nowhere", "").is(404);
    let dead = server.ask("GET", "/mcp", &[], "");
    assert_eq!((dead.status, dead.body.as_str()), (401, ""));
    let dead = server.ask("GET", "/api/v1/events", &[], "");
    assert_eq!((dead.status, dead.body.as_str()), (401, ""));
}

/// In a file, and on a server where one is named: tests/postgres/run does.
#[test]
fn every_route_is_answered_on_every_store_whatever_the_token() {
    let url = std::env::var("HARDWON_TEST_POSTGRES").ok();
    for store in [None, url] {
        let mut memory = Memory::new();
        if let Some(url) = &store {
            let project = format!("serve-{}", std::process::id());
            memory = memory.with("HARDWON_STORE", url).with("HARDWON_PROJECT", project);
            memory.run(&["store", "migrate"]).exits(0);
        }
        for run in ["r1", "r2"] {
            memory.run_with(&["learn"], &record(run)).exits(0);
        }
        memory.run(&["team", "create", "--admin", "ada"]).exits(0);
        let made = memory.run(&["team", "token", "create", "ada", "--json"]).exits(0).json();
        let member = made["token"].as_str().expect("a token").to_owned();
        let command = memory.command(&["serve", "--team", "--json"]);
        let mut server = Server::of(command, &memory);
        let own = server.token.clone();
        let mut routes = hardwon_faces::serve::route_names();
        routes.extend([("GET", "/mcp"), ("POST", "/mcp")].map(|(m, path)| (m.to_owned(), path)));
        for (method, path) in &routes {
            let path = path.replace("{}", "none");
            for (token, is_good) in
                [("", false), ("wrong", false), (own.as_str(), true), (member.as_str(), true)]
            {
                let bearer = format!("Bearer {token}");
                let headers = [("Authorization", bearer.as_str())];
                let headers = if token.is_empty() { &[][..] } else { &headers[..] };
                let heard = server.ask(method, &path, headers, "{}");
                assert!((1..500).contains(&heard.status), "{store:?} {method} {path}: {heard:?}");
                assert_eq!(heard.status == 401, !is_good, "{store:?} {method} {path}: {heard:?}");
            }
        }
        for (token, status) in [("wrong", 401), (own.as_str(), 200), (member.as_str(), 200)] {
            let heard = server.listen(token);
            assert_eq!(heard, status, "{store:?}: live messages for {token}");
        }
        assert_eq!(server.stop(), Some(0), "{store:?}: a clean end");
    }
}

#[test]
fn a_script_reports_and_reads_and_decides_nothing() {
    let (memory, id) = taught();
    let server = Server::start(&memory);
    let block = server.api("POST", "/api/v1/inject", r#"{"run": "r3", "role": "maker"}"#).is(200);
    let by_hand =
        memory.run(&["inject", "--run", "r3", "--role", "maker", "--json"]).exits(0).json();
    assert_eq!(block.json()["block"], by_hand["block"], "the same block");
    assert!(block.json()["block"].as_str().is_some_and(|block| block.contains(W)));
    let learned = server.api("POST", "/api/v1/learn", &record("r3")).is(200).json();
    assert_eq!(learned["runs"][0]["matched"][0], id.as_str());
    let again = server.api("POST", "/api/v1/learn", &record("r3")).is(200).json();
    assert_eq!(again["runs"][0]["already_known"], true);
    let ended = r#"{"run": "r3", "outcome": "failed"}"#;
    assert_eq!(server.api("POST", "/api/v1/outcome", ended).is(200).json()["outcome"], "failed");
    for (method, path, body, typed) in [
        (
            "POST",
            "/api/v1/review".to_owned(),
            json!({"lesson": id, "decision": "approve", "because": "yes"}),
            "hardwon review approve",
        ),
        ("POST", format!("/api/v1/lessons/{id}/pin"), json!({}), "hardwon edit --pin"),
        ("POST", format!("/api/v1/lessons/{id}/forget"), json!({"hard": true}), "hardwon forget"),
        ("POST", "/api/v1/trust".to_owned(), json!({}), "hardwon review trust"),
        ("PATCH", "/api/v1/settings".to_owned(), json!({}), "hardwon config"),
    ] {
        let refused = server.api(method, &path, &body.to_string()).is(403);
        assert_eq!(refused.header("content-type"), Some("application/problem+json"));
        let hint = refused.json()["hint"].as_str().unwrap_or_default().to_owned();
        assert!(hint.contains(typed), "{path}: {hint}");
    }
    let history = memory.run(&["history", "--json"]).exits(0).json();
    let actors: Vec<&str> =
        history["entries"].as_array().unwrap().iter().filter_map(|e| e["actor"].as_str()).collect();
    assert!(actors.contains(&"http"), "{actors:?}");
    // The same answers as the command line.
    for (path, args) in [
        ("/api/v1/lessons", vec!["list"]),
        ("/api/v1/runs", vec!["runs"]),
        ("/api/v1/runs/r3", vec!["runs", "show", "r3"]),
        ("/api/v1/findings", vec!["findings"]),
        ("/api/v1/review", vec!["review", "list"]),
        ("/api/v1/report", vec!["report"]),
        ("/api/v1/projects", vec!["project", "list"]),
    ] {
        let mut args = args;
        args.push("--json");
        let typed = memory.run(&args).exits(0).json();
        assert_eq!(server.api("GET", path, "").is(200).json(), typed, "{path}");
    }
}

#[test]
fn a_server_of_an_agent_approves_nothing() {
    let (memory, id) = taught();
    let mut command = memory.command(&["serve", "--json"]);
    command.env("CLAUDECODE", "1");
    let server = Server::of(command, &memory);
    let cookie = server.enter(&server.door);
    let page = server.page(&format!("/lessons/{id}"), &cookie).is(200).body;
    assert!(!page.contains("method=\"post\""), "a form: {page}");
    assert!(page.contains("an agent&#39;s shell") || page.contains("an agent's shell"), "{page}");
    let path = format!("/lessons/{id}/decide");
    server.form(&path, &cookie, "csrf=&decision=approve&because=x").is(403);
    let body = json!({"lesson": id, "decision": "approve", "because": "x"}).to_string();
    server.api("POST", "/api/v1/review", &body).is(403);
}

#[test]
fn a_person_decides_on_the_page_and_takes_it_back() {
    let (memory, id) = taught();
    let server = Server::start(&memory);
    let cookie = server.enter(&server.door);
    let csrf = server.csrf(&cookie, &id);
    let path = format!("/lessons/{id}/pin");
    server.form(&path, &cookie, "csrf=wrong").is(403);
    server.form(&path, &cookie, "").is(403);
    let fields = format!("csrf={csrf}&back=/lessons/{id}");
    let done = server.form(&path, &cookie, &fields).is(303);
    let place = done.header("location").expect("a place").to_owned();
    assert!(place.starts_with(&format!("/lessons/{id}?done=pinned&operation=")), "{place}");
    let page = server.page(&place, &cookie).is(200);
    assert!(page.body.contains("Undo"), "{}", page.body);
    let shown = |memory: &Memory| memory.run(&["show", &id, "--json"]).exits(0).json();
    assert_eq!(shown(&memory)["lesson"]["pinned"], true);
    let operation = place.rsplit('=').next().expect("its number");
    let fields = format!("csrf={csrf}&operation={operation}&back=/lessons/{id}");
    server.form("/undo", &cookie, &fields).is(303);
    assert_eq!(shown(&memory)["lesson"]["pinned"], false);
    let history = memory.run(&["history", &id, "--json"]).exits(0).json();
    assert_eq!(history["entries"][0]["actor"], "page");
}

#[test]
fn two_tabs_cannot_overwrite_each_other() {
    let (memory, id) = taught();
    let server = Server::start(&memory);
    let path = format!("/api/v1/lessons/{id}");
    let etag = server.api("GET", &path, "").is(200).header("etag").expect("a version").to_owned();
    let bearer = format!("Bearer {}", server.token);
    let edit = |headers: &[(&str, &str)], text: &str| {
        let mut all = vec![("Authorization", bearer.as_str())];
        all.extend_from_slice(headers);
        server.ask("PATCH", &path, &all, &json!({"tags": [text]}).to_string())
    };
    edit(&[], "a").is(428);
    let cookie = server.enter(&server.door);
    let csrf = server.csrf(&cookie, &id);
    let tag = etag.trim_matches('"');
    let tab = |text: &str| {
        let fields = format!("csrf={csrf}&if_match={tag}&text={text}&back=/lessons/{id}");
        server.form(&format!("/lessons/{id}/edit"), &cookie, &fields)
    };
    tab("Bind+parameters+instead+of+building+queries").is(303);
    tab("Something+else+that+was+typed+in+another+tab").is(412);
    let kept = memory.run(&["show", &id, "--json"]).exits(0).json();
    assert_eq!(kept["lesson"]["text"], "Bind parameters instead of building queries");
}

#[test]
fn what_others_learn_is_heard() {
    let (memory, _) = taught();
    let server = Server::start(&memory);
    let listen = |last: Option<&str>| {
        let mut stream = TcpStream::connect(&server.host).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout can be set");
        let last = last.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        let ask = format!(
            "GET /api/v1/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n{last}\r\n",
            server.host, server.token
        );
        stream.write_all(ask.as_bytes()).expect("it listens");
        stream
    };
    let until = |stream: &mut TcpStream, sign: &str| {
        let mut text = String::new();
        let mut bytes = [0; 4096];
        while !text.contains(sign) {
            let n = stream.read(&mut bytes).expect("something comes");
            assert!(n > 0, "it ended: {text}");
            text += &String::from_utf8_lossy(&bytes[..n]);
        }
        text
    };
    let mut stream = listen(None);
    until(&mut stream, ": listening");
    let other = W.replace("Query", "Statement").replace("user", "order");
    memory.run(&["add", &other, "--kind", "pattern"]).exits(0);
    let heard = until(&mut stream, "lessons_added");
    let number: u64 = heard
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("id: ")?.trim().parse().ok())
        .expect("a number");
    let resumed = until(&mut listen(Some(&(number - 1).to_string())), "lessons_added");
    assert!(resumed.contains(&format!("id: {number}\n")), "{resumed}");
    assert!(!resumed.contains("\"gap\""), "{resumed}");
    // What was turned away is told.
    let stream_file = memory.home().join("events.jsonl");
    let lines = fs::read_to_string(&stream_file).expect("a stream");
    let kept: Vec<&str> = lines.lines().filter(|line| !line.is_empty()).collect();
    fs::write(&stream_file, format!("{}\n", kept.last().expect("a line"))).expect("writable");
    let resumed = until(&mut listen(Some("0")), "lessons_added");
    assert!(resumed.contains(r#"{"type":"gap"}"#), "{resumed}");
}

#[test]
fn bad_requests_are_refused_and_the_next_is_served() {
    let (memory, id) = taught();
    let server = Server::start(&memory);
    let long = format!("{{\"text\": \"{}\"}}", "x".repeat(2 << 20));
    let refused = server.api("POST", "/api/v1/inject", &long).is(413);
    assert_eq!(refused.header("connection"), Some("close"));
    for body in ["", "{", "[]", "{\"nonsense\": 1}", "{\"style\": \"none\"}", "\u{0}"] {
        server.api("POST", "/api/v1/inject", body).is(400);
    }
    for path in ["/api/v1/lessons/%", "/api/v1/lessons?text=%ff"] {
        let status = server.api("GET", path, "").status;
        assert!(status == 404 || status == 400, "{path}: {status}");
    }
    for path in [
        "/api/v1/lessons/no%2Fsuch%2Flesson",
        "/api/v1/runs/..%2F..%2Fetc%2Fpasswd",
        "/api/v1/lessons?project=nobody-wrote-to-it",
        "/lessons?project=nobody-wrote-to-it",
    ] {
        server.api("GET", path, "").is(404);
    }
    let projects = memory.run(&["project", "list", "--json"]).exits(0).stdout;
    assert!(!projects.contains("nobody-wrote-to-it"), "{projects}");
    memory.run_with(&["learn"], &record("ci/12")).exits(0);
    let shown = server.api("GET", "/api/v1/runs/ci%2F12", "").is(200).json();
    assert_eq!(shown["run"]["id"], "ci/12");
    server.send(b"\r\n\r\nnonsense\r\n\r\n");
    server.send(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n");
    // A body that stops in the middle teaches nothing.
    let cut = format!(
        "POST /api/v1/learn HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Content-Length: 100000\r\n\r\n{}",
        server.host,
        server.token,
        record("r-cut")
    );
    let mut stream = TcpStream::connect(&server.host).expect("it listens");
    stream.write_all(cut.as_bytes()).expect("it listens");
    drop(stream);
    thread::sleep(Duration::from_millis(500));
    server.api("GET", "/api/v1/runs/r-cut", "").is(404);
    server.api("GET", &format!("/api/v1/lessons/{id}"), "").is(200);
}

#[test]
fn a_store_that_goes_away_comes_back_by_itself() {
    let (memory, _) = taught();
    let mut server = Server::start(&memory);
    server.api("GET", "/api/v1/lessons", "").is(200);
    let away = memory.home().join("elsewhere.db");
    fs::rename(memory.database(), &away).expect("it can be moved");
    let gone = server.api("GET", "/api/v1/lessons", "").is(503);
    assert_eq!(gone.json()["kind"], "store");
    server.api("POST", "/api/v1/learn", &record("r9")).is(503);
    assert!(!memory.database().exists(), "an empty store was made");
    let block = server.api("POST", "/api/v1/inject", "{}").is(200).json();
    assert_eq!((&block["status"], &block["block"]), (&json!("failed"), &json!("")));
    fs::rename(&away, memory.database()).expect("it can be moved back");
    let listed: Value = server.api("GET", "/api/v1/lessons", "").is(200).json();
    assert_eq!(listed["lessons"].as_array().map(Vec::len), Some(1));
    assert!(memory.home().join("serve.json").exists());
    assert_eq!(server.stop(), Some(0), "a clean end");
    assert!(!memory.home().join("serve.json").exists());
    memory.run(&["serve", "--status"]).exits(1);
}

#[test]
fn only_this_machine_unless_a_token_was_chosen() {
    let memory = Memory::new();
    let ran = memory.run(&["serve", "--listen", "0.0.0.0:0"]).exits(2);
    assert!(ran.stderr.contains("--token-file"), "{}", ran.stderr);
    memory.run(&["serve", "--listen", "nonsense"]).exits(2);
    memory.run(&["serve", "--code"]).exits(2);
    let mode = |path: &std::path::Path| {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    };
    let _server = Server::start(&memory);
    assert_eq!(mode(&memory.home().join("serve.token")), 0o600);
    assert_eq!(mode(&memory.home().join("serve.json")), 0o600);
}

/// The request that goes wrong hears so; who was in stays in.
#[test]
fn a_fault_does_not_end_the_server() {
    let (memory, _) = taught();
    let mut server = Server::start(&memory);
    let cookie = server.enter(&server.door);
    let bearer = format!("Bearer {}", server.token);
    let fault = [("Authorization", bearer.as_str()), ("X-Hardwon-Fault", "1")];
    // More than it has threads.
    for _ in 0..20 {
        server.ask("GET", "/api/v1/lessons", &fault, "").is(500);
    }
    server.api("GET", "/api/v1/lessons", "").is(200);
    server.page("/", &cookie).is(200);
    let told = memory.run(&["doctor", "--json"]).stdout;
    assert!(told.contains("a fault in hardwon itself"), "{told}");
    assert_eq!(server.stop(), Some(0), "a clean end");
}
