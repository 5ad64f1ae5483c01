//! OpenAgents' own files, from outside: every command on its folder, byte for byte what
//! changes in it, and its memories as an import. A folder of its own for each test, with
//! records of the shapes that the specification shows; the user's home is one of ours.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::{Memory, NOW, Ran, line, run_line, text_of, warning};

const LESSONS: &str = "lessons.jsonl";
const ARCHIVE: &str = "lessons-archive.jsonl";
const EPISODES: &str = "episodes.jsonl";
const JOURNAL: &str = "hardwon.jsonl";

/// Odd order, unknown fields, an importance of 0 to 100, Windows line ends.
const TYPES: &str = r#"{"summary":"Run the type checker before committing to the repository.","id":"mem-a","x":{"deep":[1,2.50]},"importance":80,"category":"test_strategy","scope":"project","tags":["Typecheck"],"evidence":{"sessionIds":["s-1"],"odd":true,"episodeIds":["ep-1"],"trajectoryIds":["t-1"],"runLogPaths":[]},"source":"archivist","usageCount":2,"createdAt":"2026-03-01T10:00:00.000Z","rule":"IF types changed THEN run the checker"}"#;
const BAD: &str = r#"{"id":"mem-bad","summary":"#;
/// Spaces, another scale, no line end.
const PROVIDER: &str = r#"{ "id" : "mem-b", "createdAt":"2026-03-02T10:00:00Z", "scope":"provider", "provider":"claude-code", "category":"provider_quirk", "tags":[], "importance":0.9, "summary":"Large sharded test suites time out after ten minutes.", "evidence":{"episodeIds":[],"trajectoryIds":[],"sessionIds":[],"runLogPaths":["logs/1.txt"]}, "source":"healer", "usageCount":0 }"#;
const EPISODE: &str = r#"{"kind":"orchestrator_run","id":"ep-1","projectRoot":"/somewhere","sessionId":"s-1","taskId":"oa-1","startedAt":"2026-03-01T09:00:00Z","finishedAt":"2026-03-01T10:00:00Z","status":"failed","summary":"Type errors slipped through.","tags":["typecheck"],"trajectories":["t-1"],"usage":{"inputTokens":5,"eigen":1},"more":null}"#;

/// A finding that is nothing that is known.
const NEW: &str = "Upload handler forgets the size limit";

/// One `.openagents` folder, and a home with a global memory.
struct Place {
    memory: Memory,
    _home: tempfile::TempDir,
    home: PathBuf,
}

impl Place {
    /// Nothing there yet.
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a temporary folder can be made");
        let path = home.path().to_owned();
        let memory = Memory::new().with("HOME", path.display().to_string());
        let store = "openagents:.".to_owned();
        let memory = memory.with("HARDWON_STORE", store);
        Place { memory, _home: home, home: path }
    }

    /// With the lessons and the episode above.
    fn filled() -> Self {
        let place = Place::new();
        place.put(LESSONS, &lessons());
        place.put(EPISODES, &format!("{EPISODE}\n"));
        place
    }

    fn put(&self, name: &str, content: &str) {
        self.memory.write(&format!(".openagents/memory/{name}"), content);
    }

    /// A file's content; nothing if it is not there.
    fn get(&self, name: &str) -> String {
        let path = self.memory.work().join(".openagents/memory").join(name);
        fs::read_to_string(path).unwrap_or_default()
    }

    fn global(&self) -> PathBuf {
        self.home.join(".openagents/memory/global-lessons.jsonl")
    }

    fn put_global(&self, content: &str) {
        fs::create_dir_all(self.global().parent().expect("it has one")).expect("it can be made");
        fs::write(self.global(), content).expect("it can be written");
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.memory.run(args)
    }

    /// The folder as new records tell it.
    fn root(&self) -> String {
        let work = fs::canonicalize(self.memory.work()).expect("it is there");
        work.display().to_string()
    }
}

fn lessons() -> String {
    format!("{TYPES}\r\n{BAD}\r\n{PROVIDER}")
}

/// The lines of a file that are JSON.
fn records(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn showing_a_lesson_changes_two_fields_and_nothing_else() {
    let place = Place::filled();
    let shown = place.run(&["inject", "--run", "r1", "--task", "commit the type changes"]).exits(0);
    assert!(shown.stdout.contains("Run the type checker"), "{shown}");
    assert!(shown.stdout.contains("time out after ten minutes"), "{shown}");
    let types = TYPES.replace("\"usageCount\":2", "\"usageCount\":3");
    let types = types
        .replace("run the checker\"}", &format!("run the checker\",\"lastUsedAt\":\"{NOW}\"}}"));
    let provider = PROVIDER
        .replace("\"usageCount\":0 }", &format!("\"usageCount\":1,\"lastUsedAt\":\"{NOW}\" }}"));
    assert_eq!(place.get(LESSONS), format!("{types}\r\n{BAD}\r\n{provider}"));
    assert_eq!(place.get(EPISODES), format!("{EPISODE}\n"));
    // The same again is served what was shown, and counts no more.
    let again = place.run(&["inject", "--run", "r1", "--task", "commit the type changes"]);
    assert_eq!(again.exits(0).stdout, shown.stdout);
    assert_eq!(place.get(LESSONS), format!("{types}\r\n{BAD}\r\n{provider}"));
    // Another one counts on.
    place.run(&["inject", "--run", "r2", "--provider", "claude-code"]).exits(0);
    assert_eq!(records(&place.get(LESSONS))[0]["usageCount"], 4);
}

#[test]
fn learning_appends_and_touches_nothing_else() {
    let place = Place::filled();
    let record = line(json!({"type": "run", "id": "r7", "kind": "subagent", "outcome": "failed",
        "task": "oa-2", "session": "s-2", "detectors": ["guardian"], "tags": ["upload"],
        "started": "2026-04-03T13:00:00Z", "finished": "2026-04-03T13:30:00Z",
        "usage": {"tokens_in": 12, "cost_usd": 0.25}}))
        + &warning(NEW);
    place.memory.learn(&record);
    let root = json!(place.root());
    let new = place.get(LESSONS);
    let new = new.strip_prefix(&lessons()).expect("what was there is as it was");
    let made: Value = serde_json::from_str(new.trim()).expect("a record");
    let id = text_of(&made, "id");
    assert!(id.starts_with("mem-mn") && id.len() > 14, "{id}");
    let expected = format!(
        "\r\n{{\"id\":\"{id}\",\"createdAt\":\"{NOW}\",\"scope\":\"project\",\"projectRoot\":{root},\
         \"category\":\"heuristic\",\"tags\":[\"upload\"],\"importance\":60,\"summary\":\"{NEW}\",\
         \"evidence\":{{\"episodeIds\":[\"r7\"],\"trajectoryIds\":[],\"sessionIds\":[\"s-2\"],\
         \"runLogPaths\":[]}},\"source\":\"archivist\",\"usageCount\":0,\
         \"status\":\"candidate\"}}\r\n"
    );
    assert_eq!(new, expected);
    let episode = format!(
        "{EPISODE}\n{{\"id\":\"r7\",\"projectRoot\":{root},\"taskId\":\"oa-2\",\
         \"sessionId\":\"s-2\",\"kind\":\"subagent_run\",\"startedAt\":\"2026-04-03T13:00:00Z\",\
         \"finishedAt\":\"2026-04-03T13:30:00Z\",\"status\":\"failed\",\
         \"summary\":\"No summary was recorded; 1 finding.\",\"tags\":[\"upload\"],\
         \"trajectories\":[],\"usage\":{{\"inputTokens\":12,\"costUsd\":0.25}}}}\n"
    );
    assert_eq!(place.get(EPISODES), episode);
    let before = (place.get(LESSONS), place.get(EPISODES), place.get(JOURNAL));
    place.memory.learn(&record);
    assert_eq!((place.get(LESSONS), place.get(EPISODES), place.get(JOURNAL)), before);
}

#[test]
fn a_second_run_confirms_the_candidate_in_its_line() {
    let place = Place::filled();
    place.memory.learn(&(run_line("r1") + &warning(NEW)));
    place.memory.learn(&(run_line("r2") + &warning(NEW)));
    let text = place.get(LESSONS);
    assert!(text.starts_with(&lessons()), "{text}");
    let made = records(&text).pop().expect("a record");
    assert_eq!(made["evidence"]["episodeIds"], json!(["r1", "r2"]));
    assert_eq!(made["status"], "active");
    assert!(place.run(&["inject"]).exits(0).stdout.contains(NEW));
}

#[test]
fn a_known_lesson_gets_one_more_episode_in_place() {
    let place = Place::filled();
    let finding = "Run the type checker before committing to the repository";
    place.memory.learn(&(run_line("r3") + &warning(finding)));
    let types = TYPES.replace("\"episodeIds\":[\"ep-1\"]", "\"episodeIds\":[\"ep-1\",\"r3\"]");
    assert_eq!(place.get(LESSONS), format!("{types}\r\n{BAD}\r\n{PROVIDER}"));
    // An episode that is evidence already is not counted again.
    place.memory.learn(&(run_line("ep-1") + &warning(finding)));
    assert_eq!(place.get(LESSONS), format!("{types}\r\n{BAD}\r\n{PROVIDER}"));
}

#[test]
fn every_command_works_and_reading_writes_nothing() {
    let place = Place::filled();
    let listed = place.memory.json(&["list"]);
    assert_eq!(listed["lessons"].as_array().map(Vec::len), Some(2), "{listed:#}");
    let reasons = place.run(&["list", "--json"]).reasons();
    assert!(reasons.contains("ends too early"), "{reasons}");
    let shown = place.run(&["show", "mem-a"]).exits(0).stdout;
    assert!(shown.contains("Run the type checker"), "{shown}");
    place.run(&["why", "mem-b"]).exits(0);
    place.run(&["search", "checker"]).exits(0);
    place.run(&["stats"]).exits(0);
    place.run(&["history"]).exits(0);
    place.run(&["inject"]).exits(0);
    let doctor = place.run(&["doctor"]);
    assert!(doctor.stdout.contains("lessons.jsonl:2"), "{doctor}");
    assert_eq!(place.get(LESSONS), lessons());
    assert_eq!(place.get(JOURNAL), "", "reading makes no file");
    assert!(!place.memory.work().join(".openagents/memory/lessons.jsonl.lock").exists());
}

#[test]
fn every_category_and_scope_comes_back() {
    let categories = [
        "heuristic",
        "anti_pattern",
        "tool_usage",
        "provider_quirk",
        "test_strategy",
        "infra",
        "prompting",
        "bugfix_pattern",
        "something_else",
    ];
    let scopes = ["global", "project", "repo", "task", "tool", "provider"];
    let mut text = String::new();
    for (n, category) in categories.iter().enumerate() {
        let scope = scopes[n % scopes.len()];
        text += &line(json!({"id": format!("o-{n}"), "createdAt": NOW, "scope": scope,
            "repoId": "r", "taskId": "t", "tool": "bash", "provider": "p", "category": category,
            "tags": ["b", "a"], "importance": 0.5, "summary": format!("Statement number {n} about {category}"),
            "detail": "some", "evidence": {"episodeIds": []}, "source": "manual", "usageCount": 0}));
    }
    let place = Place::new();
    place.put(LESSONS, &text);
    place.run(&["add", "Always shard the long test runs"]).exits(0);
    assert!(place.get(LESSONS).starts_with(&text));
    // Only the field that somebody changed is written.
    place.run(&["edit", "o-3", "--text", "Statement number 3 says more now"]).exits(0);
    let expected =
        text.replace("Statement number 3 about provider_quirk", "Statement number 3 says more now");
    assert!(place.get(LESSONS).starts_with(&expected), "{}", place.get(LESSONS));
}

#[test]
fn what_is_put_away_moves_to_the_archive_and_back() {
    let place = Place::filled();
    place.run(&["forget", "mem-a"]).exits(0);
    assert_eq!(place.get(LESSONS), format!("{BAD}\r\n{PROVIDER}"));
    assert_eq!(place.get(ARCHIVE), format!("{TYPES}\n"));
    place.run(&["restore", "mem-a"]).exits(0);
    assert_eq!(records(&place.get(LESSONS)).len(), 2);
    assert!(place.get(LESSONS).contains("\"x\":{\"deep\":[1,2.50]}"));
    // What stands for another is named in the archive.
    place
        .run(&["review", "supersede", "mem-a", "--with", "mem-b", "--because", "says more"])
        .exits(0);
    let archived = records(&place.get(ARCHIVE)).pop().expect("a record");
    assert_eq!((&archived["id"], &archived["supersededBy"]), (&json!("mem-a"), &json!("mem-b")));
}

#[test]
fn a_superseded_record_is_not_shown_and_leaves_with_the_next_write() {
    let place = Place::filled();
    let old = TYPES.replace("\"mem-a\"", "\"mem-old\",\"supersededBy\":\"mem-a\"");
    let old = old.replace("type checker", "old checker");
    place.put(LESSONS, &format!("{old}\n{TYPES}\n"));
    assert!(!place.run(&["inject"]).exits(0).stdout.contains("old checker"));
    place.run(&["add", "Always shard the long test runs"]).exits(0);
    assert_eq!(place.get(ARCHIVE), format!("{old}\n"));
    assert!(place.get(LESSONS).starts_with(TYPES));
}

#[test]
fn global_lessons_are_shared_and_stay_out_of_the_project() {
    let global = TYPES.replace("mem-a", "mem-g").replace("type checker", "formatter of the house");
    let (one, two) = (Place::filled(), Place::new());
    for place in [&one, &two] {
        place.put_global(&format!("{global}\n"));
        assert!(place.run(&["inject"]).exits(0).stdout.contains("formatter of the house"));
    }
    one.run(&["learn", "-"]).exits(2);
    one.memory.learn(&(run_line("r1") + &warning(NEW)));
    assert!(!one.get(JOURNAL).contains("formatter of the house"));
    assert_eq!(fs::read_to_string(one.global()).unwrap(), format!("{global}\n"));
    one.run(&["inject", "--run", "r2"]).exits(0);
    let used = global.replace("\"usageCount\":2", "\"usageCount\":3");
    let used = used.replace("checker\"}", &format!("checker\",\"lastUsedAt\":\"{NOW}\"}}"));
    assert_eq!(fs::read_to_string(one.global()).unwrap(), format!("{used}\n"));
    one.run(&["add", "--global", "Name branches after their tasks"]).exits(0);
    let text = fs::read_to_string(one.global()).unwrap();
    let made = records(&text).pop().expect("a record");
    assert_eq!((&made["scope"], &made["projectRoot"]), (&json!("global"), &Value::Null));
    assert!(one.run(&["list"]).exits(0).stdout.contains("Name branches"));
    one.run(&["forget", "mem-g"]).exits(0);
    let archive = one.global().with_file_name("global-lessons-archive.jsonl");
    assert!(fs::read_to_string(archive).unwrap().contains("mem-g"));
    assert!(!fs::read_to_string(one.global()).unwrap().contains("mem-g"));
    let doctor = one.run(&["doctor", "--json"]).stdout;
    assert!(!doctor.contains("does not give the tables"), "{doctor}");
}

#[test]
fn the_folder_can_be_named_in_three_ways() {
    let place = Place::filled();
    for name in ["openagents:.", "openagents:.openagents", "openagents:.openagents/memory"] {
        let listed = place.memory.json(&["--store", name, "list"]);
        assert_eq!(listed["lessons"].as_array().map(Vec::len), Some(2), "{name}");
    }
    place.memory.write("loose/lessons.jsonl", format!("{TYPES}\n"));
    let listed = place.memory.json(&["--store", "openagents:loose", "list"]);
    assert_eq!(listed["lessons"].as_array().map(Vec::len), Some(1));
    // A link could lead anywhere.
    std::os::unix::fs::symlink("loose", place.memory.work().join("linked")).expect("a link");
    let ran = place.run(&["--store", "openagents:linked", "list"]).exits(3);
    assert!(ran.stderr.contains("symlink"), "{ran}");
}

#[test]
fn what_others_write_in_between_is_taken_over() {
    let place = Place::filled();
    place.memory.learn(&(run_line("r1") + &warning(NEW)));
    let edited = place.get(LESSONS).replace("time out after ten", "time out after five");
    let edited = edited.replace("\"importance\":80", "\"importance\":35");
    let more = PROVIDER.replace("mem-b", "mem-c").replace("Large sharded", "Small");
    place.put(LESSONS, &format!("{edited}{more}\n"));
    let shown = place.memory.json(&["show", "mem-a"]);
    assert_eq!(shown["lesson"]["importance"], 0.35, "{shown:#}");
    place.memory.learn(&(run_line("r2") + &warning("Cookie is set without the secure flag")));
    let text = place.get(LESSONS);
    assert!(text.starts_with(&format!("{edited}{more}\n")), "{text}");
    let listed = place.run(&["list", "--json"]).exits(0).stdout;
    assert!(listed.contains("after five") && listed.contains("Small"), "{listed}");
    // Whose line is gone is put away.
    place.put(LESSONS, &format!("{more}\n"));
    let listed = place.memory.json(&["list"]);
    assert_eq!(listed["lessons"].as_array().map(Vec::len), Some(1), "{listed:#}");
}

#[test]
fn many_writers_lose_nothing() {
    let place = Place::filled();
    let mut children = Vec::new();
    for n in 0..6 {
        let text = format!("Statement of writer {n} about the {n}th module");
        children.push(place.memory.command(&["add", &text]).spawn().expect("the binary starts"));
    }
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let text = place.get(LESSONS);
    assert!(text.starts_with(&lessons()), "{text}");
    assert_eq!(records(&text).len(), 8, "{text}");
    let ids: std::collections::BTreeSet<String> =
        records(&text).iter().map(|record| text_of(record, "id")).collect();
    assert_eq!(ids.len(), 8);
    place.run(&["undo"]).exits(0);
    assert_eq!(records(&place.get(LESSONS)).len(), 7);
}

#[test]
fn two_projects_write_one_global_file_at_once() {
    let (one, two) = (Place::new(), Memory::new());
    let two = two.with("HOME", one.home.display().to_string());
    let two = two.with("HARDWON_STORE", "openagents:.");
    let mut children = Vec::new();
    for n in 0..4 {
        let text = format!("Global statement {n} about the {n}th habit of the house");
        for memory in [&one.memory, &two] {
            let text =
                format!("{text}, {}", if std::ptr::eq(memory, &two) { "two" } else { "one" });
            let mut command = memory.command(&["add", "--global", &text]);
            children.push(command.stdout(std::process::Stdio::null()).spawn().expect("it starts"));
        }
    }
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let text = fs::read_to_string(one.global()).expect("it was made");
    assert_eq!(records(&text).len(), 8, "{text}");
}

#[test]
fn a_lost_journal_costs_history_only() {
    let place = Place::filled();
    place.memory.learn(&(run_line("r1") + &warning(NEW)));
    let before = place.get(LESSONS);
    fs::remove_file(place.memory.work().join(".openagents/memory/hardwon.jsonl")).expect("there");
    let listed = place.memory.json(&["list"]);
    assert_eq!(listed["lessons"].as_array().map(Vec::len), Some(3), "{listed:#}");
    // What was not confirmed is not confirmed by that.
    assert!(!place.run(&["inject"]).exits(0).stdout.contains(NEW));
    place.memory.learn(&(run_line("r2") + &warning(NEW)));
    let after = place.get(LESSONS);
    assert_eq!(records(&after).len(), records(&before).len());
    assert!(place.run(&["inject"]).exits(0).stdout.contains(NEW));
}

#[test]
fn a_damaged_journal_is_told_and_mended() {
    let place = Place::filled();
    place.memory.learn(&(run_line("r1") + &warning(NEW)));
    place.memory.learn(&(run_line("r2") + &warning(NEW)));
    let (lessons, journal) = (place.get(LESSONS), place.get(JOURNAL));
    let mut lines: Vec<&str> = journal.lines().collect();
    lines[2] = "{\"broken\":";
    place.put(JOURNAL, &(lines.join("\n") + "\n"));
    let told = place.run(&["doctor"]).exits(1).stdout;
    assert!(told.contains("hardwon.jsonl:3"), "{told}");
    assert_eq!(place.memory.json(&["list"])["lessons"].as_array().map(Vec::len), Some(3));
    let fixed = place.run(&["doctor", "--fix"]);
    assert!(fixed.stdout.contains("hardwon.jsonl repaired"), "{fixed}");
    assert!(!place.run(&["doctor"]).exits(0).stdout.contains("hardwon.jsonl:3"));
    assert_eq!(place.get(LESSONS), lessons);
    assert!(!place.get("hardwon.jsonl.damaged-1").is_empty());
    let refused = place.run(&["forget", "mem-a", "--hard", "--yes"]).exits(2);
    assert!(refused.stderr.contains("another system's files"), "{refused}");
}

#[test]
fn three_shapes_are_imported_and_wait_in_quarantine() {
    let place = Place::filled();
    let memory = Memory::new();
    let base = place.memory.work().join(".openagents");
    let put = |name: &str, content: &str| {
        place.memory.write(&format!(".openagents/{name}"), content);
    };
    put(
        "archivist/lessons.jsonl",
        r#"{"id":"al-1","source":"terminal-bench","taskId":"t","suite":"tb","model":"m","summary":"Check that the path exists before writing to it.","failurePatterns":["no such file"],"successPatterns":[],"skillsMentioned":[],"confidence":0.7,"tags":["io"],"createdAt":"2026-01-02T03:04:05Z"}"#,
    );
    put(
        "memories.jsonl",
        concat!(
            r#"{"id":"mem-sem-1","memoryType":"semantic","scope":"project","status":"active","description":"convention: tabs","content":{"type":"semantic","category":"convention","knowledge":"Makefiles are indented with tabs."},"importance":"high","tags":["convention"],"accessCount":0,"lastAccessedAt":"2026-01-02T03:04:05Z","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","source":"reflection"}"#,
            "\n",
            r#"{"id":"mem-epi-1","memoryType":"episodic","scope":"project","status":"active","description":"Task: x - Outcome: failure","content":{"type":"episodic","taskDescription":"x","outcome":"failure"},"importance":"high","tags":[],"accessCount":0,"lastAccessedAt":"2026-01-02T03:04:05Z","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","source":"task"}"#,
            "\nnot json\n"
        ),
    );
    let path = base.display().to_string();
    let imported = memory.json(&["import", &path, "--from", "openagents"]);
    assert_eq!(
        (&imported["from"], &imported["read"]),
        (&json!("openagents"), &json!(4)),
        "{imported:#}"
    );
    assert_eq!(imported["quarantined"].as_array().map(Vec::len), Some(4), "{imported:#}");
    assert_eq!(imported["rejected"], 2, "{imported:#}");
    assert_eq!(memory.run(&["inject"]).exits(0).stdout, "");
    let again = memory.json(&["import", &place.memory.work().display().to_string()]);
    assert_eq!((&again["from"], &again["known"]), (&json!("openagents"), &json!(4)), "{again:#}");
    memory.run(&["trust", &path, "--yes"]).exits(0);
    let released = memory.json(&["import", &path]);
    assert_eq!(released["released"].as_array().map(Vec::len), Some(4), "{released:#}");
    assert_eq!(released["runs"], 2, "{released:#}");
    assert!(memory.run(&["inject"]).exits(0).stdout.contains("path exists"));
    let shown = memory.json(&["show", "mem-a"]);
    assert_eq!(shown["lesson"]["importance"], 0.8, "{shown:#}");
    // And out again: the record it came from is written as it was.
    memory.run(&["export", "out", "--to", "openagents"]).exits(0);
    let text = fs::read_to_string(memory.work().join("out/.openagents/memory/lessons.jsonl"));
    let text = text.expect("it was written");
    assert!(text.lines().any(|line| line == TYPES), "{text}");
    assert_eq!(records(&text).len(), 4);
}
