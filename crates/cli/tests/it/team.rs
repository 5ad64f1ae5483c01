//! People of a team, from outside: each with a token of their own, by the role they have, and no
//! further. The real binary.

use std::io::{Read, Write};
use std::time::Duration;

use serde_json::json;

use crate::harness::{Memory, W, found, list_of, text_of};
use crate::mcp::{call, hello, notification, request};
use crate::serve::client::{Heard, Server, csrf_of};

const ROLES: [&str; 4] = ["reader", "writer", "reviewer", "admin"];

/// What is sent there needs this role; whatever is only looked at needs a reader.
const NEEDS: &[(&str, &str, &str)] = &[
    ("POST", "/api/v1/inject", "reader"),
    ("POST", "/api/v1/learn", "writer"),
    ("POST", "/api/v1/outcome", "writer"),
    ("POST", "/api/v1/mark", "writer"),
    ("POST", "/api/v1/lessons", "writer"),
    ("POST", "/api/v1/shared", "writer"),
    ("POST", "/leave", "reader"),
    ("POST", "/api/v1/code", "admin"),
];

/// A memory with a lesson and a team: one member of each role, named after it.
fn team() -> (Memory, String) {
    let (memory, lesson) = Memory::taught();
    memory.run(&["team", "create", "--admin", "an-admin"]).exits(0);
    for role in &ROLES[..3] {
        let name = format!("a-{role}");
        memory.run(&["team", "member", "add", &name, "--role", role]).exits(0);
    }
    (memory, lesson)
}

fn name_of(role: &str) -> String {
    if role == "admin" { "an-admin".to_owned() } else { format!("a-{role}") }
}

fn token(memory: &Memory, name: &str, more: &[&str]) -> String {
    text_of(&memory.json(&[&["team", "token", "create", name], more].concat()), "token")
}

/// The id of the writer's first token.
fn token_of_writer(memory: &Memory) -> String {
    let members = list_of(&memory.json(&["team", "list"]), "members");
    let writer = members.iter().find(|member| member["name"] == "a-writer").expect("a member");
    text_of(&writer["tokens"][0], "id")
}

fn serve(memory: &Memory) -> Server {
    Server::of(memory.command(&["serve", "--team", "--json"]), memory)
}

fn ask(server: &Server, token: &str, method: &str, path: &str, body: &str) -> Heard {
    server.ask(method, path, &[("Authorization", &format!("Bearer {token}"))], body)
}

#[test]
fn each_role_gets_as_far_as_it_may() {
    let (memory, lesson) = team();
    let tokens = ROLES.map(|role| token(&memory, &name_of(role), &["--as-person"]));
    let server = serve(&memory);
    for (method, pattern) in hardwon_faces::serve::route_names() {
        let stated = NEEDS.iter().find(|(m, path, _)| *m == method && *path == pattern);
        let needs = match stated {
            Some((_, _, role)) => role,
            None if method == "GET" => "reader",
            None => "reviewer",
        };
        let needs = ROLES.iter().position(|role| *role == needs).expect("a role");
        let path = pattern.replace("{}", &lesson);
        for (n, token) in tokens.iter().enumerate() {
            let heard = ask(&server, token, &method, &path, "{}");
            let is_refused = heard.status == 403 && heard.body.contains("this project; that needs");
            assert_eq!(is_refused, n < needs, "{} {method} {path}: {heard:?}", ROLES[n]);
            assert!(heard.status < 500, "{method} {path}: {heard:?}");
        }
    }
    // Neither a stranger nor a made-up token.
    for wrong in ["hardwon_0000", "", &"x".repeat(5000)] {
        for path in ["/api/v1/lessons", "/nowhere", "/api/v1/lessons?odd=1", "/%ff"] {
            let status = ask(&server, wrong, "GET", path, "").status;
            assert!(status == 401 || status == 431, "{wrong} {path}: {status}");
        }
    }
    server.ask("GET", "/api/v1/lessons", &[], "").is(401);
}

#[test]
fn what_is_written_names_the_person_and_scripts_decide_nothing() {
    let (memory, lesson) = team();
    let person = token(&memory, "a-reviewer", &["--as-person"]);
    let script = token(&memory, "a-reviewer", &[]);
    let server = serve(&memory);
    let pin = format!("/api/v1/lessons/{lesson}/pin");
    let refused = ask(&server, &script, "POST", &pin, "{}").is(403);
    assert!(refused.body.contains("for a person"), "{refused:?}");
    ask(&server, &person, "POST", &pin, "{}").is(200);
    ask(&server, &script, "POST", "/api/v1/learn", &found("r3", W)).is(200);
    let history = memory.json(&["history"]).to_string();
    for actor in ["a-reviewer", "script of a-reviewer"] {
        assert!(history.contains(&format!("\"actor\":\"{actor}\"")), "{history}");
    }
    // Who decides is known by the token.
    let forget = json!({"lesson": lesson, "decision": "archive", "because": "old"}).to_string();
    let decided = ask(&server, &person, "POST", "/api/v1/review", &forget).is(200).json();
    assert_eq!(decided["lesson"]["state"], "archived");
    let shown = memory.json(&["show", &lesson]);
    assert!(shown.to_string().contains("\"by\":\"a-reviewer\""), "{shown}");
}

#[test]
fn the_history_says_what_changed_in_a_team() {
    let (memory, _) = team();
    token(&memory, "a-writer", &[]);
    memory.run(&["team", "role", "a-writer", "reviewer"]).exits(0);
    memory.run(&["team", "member", "remove", "a-reader"]).exits(0);
    let history = memory.run(&["history"]).exits(0).stdout;
    let id = token_of_writer(&memory);
    let expected = [
        "an-admin added as admin".to_owned(),
        "a-writer added as writer".to_owned(),
        format!("token {id} made for a-writer"),
        "a-writer is reviewer instead of writer".to_owned(),
        "a-reader removed".to_owned(),
    ];
    for words in expected {
        assert!(history.contains(&words), "{words}: {history}");
    }
}

#[test]
fn a_token_ends_when_it_is_revoked_or_expires() {
    let (memory, _) = team();
    let good = token(&memory, "a-writer", &[]);
    let short = token(&memory, "a-writer", &["--days", "1"]);
    let server = serve(&memory);
    let lessons = |token: &str| ask(&server, token, "GET", "/api/v1/lessons", "").status;
    assert_eq!((lessons(&good), lessons(&short)), (200, 200));
    let id = token_of_writer(&memory);
    let listed = memory.json(&["team", "list"]).to_string();
    assert!(!listed.contains(&good), "a token is not kept");
    memory.run(&["team", "token", "revoke", &id]).exits(0);
    assert_eq!((lessons(&good), lessons(&short)), (401, 200), "at once, and only that one");
    // It does not come back by the way.
    let undone = memory.run(&["undo", "--json"]);
    assert!(!undone.stdout.contains("team token revoke"), "{undone:?}");
    assert_eq!(lessons(&good), 401);
    memory.run(&["team", "role", "a-writer", "reader"]).exits(0);
    let learn = |token: &str| ask(&server, token, "POST", "/api/v1/outcome", "{}").status;
    assert_eq!(learn(&short), 403);
    memory.run(&["team", "member", "remove", "a-writer"]).exits(0);
    assert_eq!(lessons(&short), 401);
}

/// The record comes slowly; when its end comes, its sender is nobody any more.
#[test]
fn a_token_that_is_revoked_in_the_middle_of_a_request_writes_nothing() {
    let (memory, _) = team();
    let given = token(&memory, "a-writer", &[]);
    let server = serve(&memory);
    let record = found("late", "Another thing that goes wrong here");
    let (first, rest) = record.split_at(record.len() / 2);
    let mut stream = server.begin(&given, record.len(), first);
    // Until it has been let in.
    std::thread::sleep(Duration::from_millis(500));
    memory.run(&["team", "token", "revoke", "a-writer"]).exits(0);
    stream.write_all(rest.as_bytes()).expect("it is taken");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    let runs = memory.json(&["runs", "list"]).to_string();
    assert!(!runs.contains("\"late\""), "{runs}");
}

#[test]
fn a_member_of_one_project_sees_nothing_of_another() {
    let (memory, _) = team();
    let other = ["--project", "secret-project"];
    memory.run(&[&["add", "The launch is on Friday"][..], &other].concat()).exits(0);
    let reader = token(&memory, "an-admin", &["--as-person"]);
    let server = serve(&memory);
    for path in ["/api/v1/lessons", "/api/v1/overview", "/api/v1/runs", "/api/v1/projects", "/"] {
        for project in ["secret-project", "no-such-project"] {
            let heard = ask(&server, &reader, "GET", &format!("{path}?project={project}"), "");
            assert_eq!(heard.status, 401, "{path} {project}: {heard:?}");
        }
    }
    let projects = ask(&server, &reader, "GET", "/api/v1/projects", "").is(200);
    assert!(!projects.body.contains("secret-project"), "{projects:?}");
    // Nor by having an own team there.
    memory.run(&[&["team", "create", "--admin", "boss"][..], &other].concat()).exits(0);
    ask(&server, &reader, "GET", "/api/v1/lessons?project=secret-project", "").is(401);
}

#[test]
fn a_browser_comes_in_with_a_token() {
    let (memory, lesson) = team();
    let person = token(&memory, "a-reviewer", &["--as-person"]);
    let reader = token(&memory, "a-reader", &["--as-person"]);
    let server = serve(&memory);
    let asked = server.ask("GET", "/", &[("Accept", "text/html")], "").is(401);
    assert!(asked.body.contains("name=\"token\""), "{}", asked.body);
    let sign_in = |token: &str| server.ask("POST", "/enter", &[], &format!("token={token}"));
    let refused = sign_in("hardwon_wrong").is(401);
    assert!(refused.body.contains("not known, or was revoked"), "{}", refused.body);
    let cookie = |token: &str| {
        let entered = sign_in(token).is(303);
        let cookie = entered.header("set-cookie").expect("a cookie").to_owned();
        assert!(cookie.contains("HttpOnly") && !cookie.contains("Secure"), "{cookie}");
        cookie.split(';').next().expect("its value").to_owned()
    };
    let (person, reader) = (cookie(&person), cookie(&reader));
    let page = server.page(&format!("/lessons/{lesson}"), &reader).is(200);
    assert!(page.body.contains("your role lets you look, not decide"), "{}", page.body);
    let csrf = server.csrf(&person, &lesson);
    server.form(&format!("/lessons/{lesson}/pin"), &person, &format!("csrf={csrf}")).is(303);
    let history = memory.json(&["history"]);
    assert_eq!(history["entries"][0]["actor"], "a-reviewer", "{history}");
    let foreign = server.ask("POST", "/enter", &[("Origin", "http://evil.example")], "token=x");
    assert_eq!(foreign.status, 403);
    memory.run(&["team", "token", "revoke", "a-reviewer"]).exits(0);
    server.page("/", &person).is(401);
    let page = server.page("/", &reader).is(200).body;
    assert!(page.contains("Signed in as <strong>a-reader</strong>"), "{page}");
    let csrf = csrf_of(&page);
    server.form("/leave", &reader, "csrf=wrong").is(403);
    server.form("/leave", &reader, &format!("csrf={csrf}")).is(303);
    server.page("/", &reader).is(401);
}

#[test]
fn an_agent_of_a_member_speaks_for_itself_and_names_whose_it_is() {
    let (memory, _) = team();
    let writer = token(&memory, "a-writer", &[]);
    let reader = token(&memory, "a-reader", &["--as-person"]);
    let server = serve(&memory);
    let first = request(1, "initialize", hello("x"));
    let mcp = |token: &str, session: Option<&str>, body: &str| {
        let bearer = format!("Bearer {token}");
        let mut headers = vec![
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        headers.extend(session.map(|id| ("Mcp-Session-Id", id)));
        server.ask("POST", "/mcp", &headers, body)
    };
    mcp(&reader, None, &first).is(403);
    let begun = mcp(&writer, None, &first).is(200);
    let session = begun.header("mcp-session-id").expect("a session").to_owned();
    let ready = notification("notifications/initialized", json!({}));
    mcp(&writer, Some(&session), &ready).is(202);
    let text = "The cache must be warm before the load test";
    let remember = call(2, "remember", json!({ "text": text }));
    mcp(&writer, Some(&session), &remember).is(200);
    let history = memory.json(&["history"]);
    assert_eq!(history["entries"][0]["actor"], "agent of a-writer", "{history}");
    // Nobody gets into the conversation of another, and a revoked token ends it.
    let other = token(&memory, "an-admin", &[]);
    mcp(&other, Some(&session), &remember).is(404);
    memory.run(&["team", "token", "revoke", "a-writer"]).exits(0);
    mcp(&writer, Some(&session), &remember).is(401);
}

#[test]
fn an_agent_sees_to_no_team() {
    let (memory, _) = team();
    let memory = memory.with("CLAUDECODE", "1");
    for args in [
        &["team", "member", "add", "me", "--role", "admin"][..],
        &["team", "role", "a-reader", "admin"],
        &["team", "token", "create", "an-admin", "--as-person"],
        &["team", "token", "revoke", "an-admin"],
    ] {
        let refused = memory.run(args).exits(2);
        assert!(refused.stderr.contains("is for a person"), "{refused:?}");
    }
}

/// From a memory of one's own to the team, and back to another one.
#[test]
fn what_is_shared_waits_for_a_reviewer_and_comes_back_under_the_takers_trust() {
    let (theirs, _) = team();
    let (writer, person) =
        (token(&theirs, "a-writer", &[]), token(&theirs, "a-reviewer", &["--as-person"]));
    let server = serve(&theirs);
    let settle = |memory: &Memory, token: &str| {
        let file = memory.write_home("team.token", format!("{token}\n"));
        let url = format!("http://{}", server.host);
        memory.run(&["config", "set", "share.url", &url]).exits(0);
        memory.run(&["config", "set", "share.token_file", &file.display().to_string()]).exits(0);
    };
    let ann = Memory::new().with("HARDWON_PROJECT", "anns");
    let none = ann.run(&["share", "--fetch"]).exits(2);
    assert!(none.stderr.contains("share.url"), "{none:?}");
    settle(&ann, &writer);
    let text = "Run the migrations before the integration tests";
    ann.run(&["add", text]).exits(0);
    ann.run(&["add", "Ann wants tea at four"]).exits(0);
    let lesson = ann.lessons().into_iter().find(|it| it["text"] == text).expect("it is there");
    let shared = ann.json(&["share", &text_of(&lesson, "id")]);
    assert_eq!((&shared["new"], &shared["known"]), (&json!(1), &json!(0)), "{shared}");
    let again = ann.json(&["share", &text_of(&lesson, "id")]);
    assert_eq!((&again["new"], &again["known"]), (&json!(0), &json!(1)), "{again}");
    // There it waits, and nothing else came along.
    let waiting = theirs.json(&["review", "list"]);
    assert!(waiting.to_string().contains(text), "{waiting}");
    let all = theirs.json(&["list", "--all"]).to_string();
    assert!(!all.contains("tea at four"), "{all}");
    assert!(!theirs.run(&["inject", "--text", text]).exits(0).stdout.contains(text));
    let history = theirs.json(&["history"]);
    assert_eq!(history["entries"][0]["actor"], "script of a-writer", "{history}");
    // Before a reviewer approves it nobody gets it.
    let ben = Memory::new().with("HARDWON_PROJECT", "bens");
    settle(&ben, &writer);
    assert_eq!(ben.json(&["share", "--fetch"])["added"], json!([]));
    let mut there = waiting["items"].as_array().expect("items").iter();
    let there = there.find(|item| item["lesson"]["text"] == text).expect("it waits");
    let decision =
        json!({"lesson": there["lesson"]["id"], "decision": "approve", "because": "so it is"});
    ask(&server, &person, "POST", "/api/v1/review", &decision.to_string()).is(200);
    let fetched = ben.json(&["share", "--fetch"]);
    assert_eq!(fetched["quarantined"].as_array().map(Vec::len), Some(1), "{fetched}");
    let bens = ben.json(&["list", "--all"]);
    assert_eq!(bens["lessons"][0]["origin"], "team", "{bens}");
    assert!(!ben.run(&["inject", "--text", text]).exits(0).stdout.contains(text));
    // Who trusts the team is shown what it approved.
    ben.run(&["config", "set", "share.trust", "on"]).exits(0);
    let fetched = ben.json(&["share", "--fetch"]);
    assert_eq!(fetched["released"].as_array().map(Vec::len), Some(1), "{fetched}");
    let block = ben.run(&["inject", "--text", text]).exits(0).stdout;
    assert!(block.contains(text) && block.contains("(team, 3 Apr)"), "{block}");
    // An agent shares nothing, and a wrong token is told in words.
    let agents = ben.with("CLAUDECODE", "1");
    agents.run(&["share", &text_of(&bens["lessons"][0], "id")]).exits(2);
    theirs.run(&["team", "token", "revoke", "a-writer"]).exits(0);
    let refused = ann.run(&["share", "--fetch"]).exits(2);
    assert!(refused.stderr.contains("401 this token is not known, or was revoked"), "{refused:?}");
}
