//! Memory over HTTP, from outside: who comes in, who may do what, and what happens when something
//! goes wrong. The real binary, and requests written byte by byte. Browsers play in `tests/browser`.

pub mod client;

use std::fs;
use std::io::Read;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::harness::{Memory, W, found, text_of};
use client::Server;

#[test]
fn a_code_opens_the_door_once() {
    let (memory, _) = Memory::taught();
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
    let url = text_of(&memory.json(&["serve", "--code"]), "url");
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
    let (memory, id) = Memory::taught();
    let server = Server::start(&memory);
    let token = format!("Bearer {}", server.token);
    let routes = hardwon_faces::serve::route_names();
    assert!(routes.len() > 30, "{routes:?}");
    for (method, path) in &routes {
        let path = path.replace("{}", &id);
        let what = format!("{method} {path}");
        let ask = |headers: &[(&str, &str)]| server.ask(method, &path, headers, "{}");
        for headers in [&[][..], &[("Authorization", "Bearer wrong")], &[("Cookie", "hardwon=1")]] {
            assert_eq!(ask(headers).is(401).body, "", "{what} {headers:?}");
        }
        for (name, value) in [
            ("Origin", "http://evil.example"),
            ("Origin", "null"),
            ("Host", "evil.example"),
            ("Host", "127.0.0.1:1"),
        ] {
            let refused = ask(&[("Authorization", &token), (name, value)]).is(403);
            assert_eq!(refused.body, "", "{what} {name} {value}");
        }
        let wrong = server.ask("DELETE", &path, &[("Authorization", &token)], "");
        assert_eq!(wrong.status, 405, "{what}");
        // Not one of them falls over.
        let asked = ask(&[("Authorization", &token)]);
        assert!(asked.status < 500, "{what}: {asked:?}");
    }
    server.api("GET", "/nowhere", "").is(404);
    for path in ["/mcp", "/api/v1/events"] {
        assert_eq!(server.ask("GET", path, &[], "").is(401).body, "");
    }
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
        memory.learn_w(2);
        memory.run(&["team", "create", "--admin", "ada"]).exits(0);
        let member = text_of(&memory.json(&["team", "token", "create", "ada"]), "token");
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
    let (memory, id) = Memory::taught();
    let server = Server::start(&memory);
    let block = server.api("POST", "/api/v1/inject", r#"{"run": "r3", "role": "maker"}"#).is(200);
    let by_hand = memory.json(&["inject", "--run", "r3", "--role", "maker"]);
    assert_eq!(block.json()["block"], by_hand["block"], "the same block");
    assert!(block.json()["block"].as_str().is_some_and(|block| block.contains(W)));
    let learned = server.api("POST", "/api/v1/learn", &found("r3", W)).is(200).json();
    assert_eq!(learned["runs"][0]["matched"][0], id.as_str());
    let again = server.api("POST", "/api/v1/learn", &found("r3", W)).is(200).json();
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
    let history = memory.json(&["history"]).to_string();
    assert!(history.contains("\"actor\":\"http\""), "{history}");
    // The same answers as the command line.
    for (path, args) in [
        ("/api/v1/lessons", &["list"][..]),
        ("/api/v1/runs", &["runs"]),
        ("/api/v1/runs/r3", &["runs", "show", "r3"]),
        ("/api/v1/findings", &["findings"]),
        ("/api/v1/review", &["review", "list"]),
        ("/api/v1/report", &["report"]),
        ("/api/v1/projects", &["project", "list"]),
    ] {
        assert_eq!(server.api("GET", path, "").is(200).json(), memory.json(args), "{path}");
    }
}

#[test]
fn a_server_of_an_agent_approves_nothing() {
    let (memory, id) = Memory::taught();
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
    let (memory, id) = Memory::taught();
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
    assert_eq!(memory.only_lesson()["pinned"], true);
    let operation = place.rsplit('=').next().expect("its number");
    let fields = format!("csrf={csrf}&operation={operation}&back=/lessons/{id}");
    server.form("/undo", &cookie, &fields).is(303);
    assert_eq!(memory.only_lesson()["pinned"], false);
    let history = memory.json(&["history", &id]);
    assert_eq!(history["entries"][0]["actor"], "page");
}

#[test]
fn two_tabs_cannot_overwrite_each_other() {
    let (memory, id) = Memory::taught();
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
    assert_eq!(memory.only_lesson()["text"], "Bind parameters instead of building queries");
}

#[test]
fn what_others_learn_is_heard() {
    let (memory, _) = Memory::taught();
    let server = Server::start(&memory);
    let listen = |last: &str| server.listening(&server.token, last);
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
    let mut stream = listen("");
    until(&mut stream, ": listening");
    let other = W.replace("Query", "Statement").replace("user", "order");
    memory.run(&["add", &other, "--kind", "pattern"]).exits(0);
    let heard = until(&mut stream, "lessons_added");
    let number: u64 = heard
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("id: ")?.trim().parse().ok())
        .expect("a number");
    let resumed =
        until(&mut listen(&format!("Last-Event-ID: {}\r\n", number - 1)), "lessons_added");
    assert!(resumed.contains(&format!("id: {number}\n")), "{resumed}");
    assert!(!resumed.contains("\"gap\""), "{resumed}");
    // What was turned away is told.
    let stream_file = memory.home().join("events.jsonl");
    let lines = fs::read_to_string(&stream_file).expect("a stream");
    let kept: Vec<&str> = lines.lines().filter(|line| !line.is_empty()).collect();
    fs::write(&stream_file, format!("{}\n", kept.last().expect("a line"))).expect("writable");
    let resumed = until(&mut listen("Last-Event-ID: 0\r\n"), "lessons_added");
    assert!(resumed.contains(r#"{"type":"gap"}"#), "{resumed}");
}

#[test]
fn bad_requests_are_refused_and_the_next_is_served() {
    let (memory, id) = Memory::taught();
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
    memory.run_with(&["learn"], &found("ci/12", W)).exits(0);
    let shown = server.api("GET", "/api/v1/runs/ci%2F12", "").is(200).json();
    assert_eq!(shown["run"]["id"], "ci/12");
    server.send(b"\r\n\r\nnonsense\r\n\r\n");
    server.send(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n");
    // A body that stops in the middle teaches nothing.
    drop(server.begin(&server.token, 100_000, &found("r-cut", W)));
    thread::sleep(Duration::from_millis(500));
    server.api("GET", "/api/v1/runs/r-cut", "").is(404);
    server.api("GET", &format!("/api/v1/lessons/{id}"), "").is(200);
}

#[test]
fn a_store_that_goes_away_comes_back_by_itself() {
    let (memory, _) = Memory::taught();
    let mut server = Server::start(&memory);
    server.api("GET", "/api/v1/lessons", "").is(200);
    let away = memory.home().join("elsewhere.db");
    fs::rename(memory.database(), &away).expect("it can be moved");
    let gone = server.api("GET", "/api/v1/lessons", "").is(503);
    assert_eq!(gone.json()["kind"], "store");
    server.api("POST", "/api/v1/learn", &found("r9", W)).is(503);
    assert!(!memory.database().exists(), "an empty store was made");
    let block = server.api("POST", "/api/v1/inject", "{}").is(200).json();
    assert_eq!((&block["status"], &block["block"]), (&json!("failed"), &json!("")));
    fs::rename(&away, memory.database()).expect("it can be moved back");
    let listed = server.api("GET", "/api/v1/lessons", "").is(200).json();
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
    let (memory, _) = Memory::taught();
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
