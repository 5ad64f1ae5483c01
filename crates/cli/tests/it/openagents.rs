//! OpenAgents' own files, from outside: every command on its folder, byte for byte what
//! changes in it, and its memories as an import. A folder of its own for each test, with
//! records of the shapes that the specification shows; the user's home is one of ours.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::{Memory, NOW, Ran, line, list_of, run_line, text_of, warning};

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

/// A finding that no lesson matches.
const NEW: &str = "Upload handler forgets the size limit";

/// One `.openagents` folder, and a home with a global memory.
struct Place {
    memory: Memory,
    home: tempfile::TempDir,
}

impl Place {
    /// Nothing there yet.
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a temporary folder can be made");
        Place { memory: memory_with(home.path()), home }
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
        self.home.path().join(".openagents/memory/global-lessons.jsonl")
    }

    fn get_global(&self) -> String {
        fs::read_to_string(self.global()).expect("it was made")
    }

    /// Learns a run in which guardian found this.
    fn learn(&self, run: &str, text: &str) {
        self.memory.learn(&(run_line(run) + &warning(text)));
    }

    fn block(&self) -> String {
        self.run(&["inject"]).exits(0).stdout
    }

    fn n_lessons(&self) -> usize {
        list_of(&self.memory.json(&["list"]), "lessons").len()
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.memory.run(args)
    }

    /// The folder as new records name it.
    fn root(&self) -> String {
        let work = fs::canonicalize(self.memory.work()).expect("it is there");
        work.display().to_string()
    }
}

/// A memory in the folder of the tests, with this home of the user.
fn memory_with(home: &Path) -> Memory {
    Memory::new().with("HOME", home.display().to_string()).with("HARDWON_STORE", "openagents:.")
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
         \"summary\":\"A run of a subagent on \\\"oa-2\\\" failed.\",\"tags\":[\"upload\"],\
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
    place.learn("r1", NEW);
    place.learn("r2", NEW);
    let text = place.get(LESSONS);
    assert!(text.starts_with(&lessons()), "{text}");
    let made = records(&text).pop().expect("a record");
    assert_eq!(made["evidence"]["episodeIds"], json!(["r1", "r2"]));
    assert_eq!(made["status"], "active");
    assert!(place.block().contains(NEW));
}

#[test]
fn a_known_lesson_gets_one_more_episode_in_place() {
    let place = Place::filled();
    let finding = "Run the type checker before committing to the repository";
    place.learn("r3", finding);
    let types = TYPES.replace("\"episodeIds\":[\"ep-1\"]", "\"episodeIds\":[\"ep-1\",\"r3\"]");
    assert_eq!(place.get(LESSONS), format!("{types}\r\n{BAD}\r\n{PROVIDER}"));
    // An episode that is evidence already is not counted again.
    place.learn("ep-1", finding);
    assert_eq!(place.get(LESSONS), format!("{types}\r\n{BAD}\r\n{PROVIDER}"));
}

#[test]
fn every_command_works_and_reading_writes_nothing() {
    let place = Place::filled();
    assert_eq!(place.n_lessons(), 2);
    let reasons = place.run(&["list", "--json"]).reasons();
    assert!(reasons.contains("ends too early"), "{reasons}");
    let shown = place.run(&["show", "mem-a"]).exits(0).stdout;
    assert!(shown.contains("Run the type checker"), "{shown}");
    for call in ["why mem-b", "search checker", "stats", "history", "inject"] {
        place.run(&call.split(' ').collect::<Vec<_>>()).exits(0);
    }
    let doctor = place.run(&["doctor"]);
    assert!(doctor.stdout.contains("lessons.jsonl:2"), "{doctor}");
    assert_eq!(place.get(LESSONS), lessons());
    assert_eq!(place.get(JOURNAL), "", "reading makes no file");
    assert!(!place.memory.work().join(".openagents/memory/lessons.jsonl.lock").exists());
}

#[test]
fn every_category_and_scope_comes_back() {
    let categories = "heuristic anti_pattern tool_usage provider_quirk test_strategy infra prompting \
                      bugfix_pattern something_else";
    let scopes = ["global", "project", "repo", "task", "tool", "provider"];
    let mut text = String::new();
    for (n, category) in categories.split(' ').enumerate() {
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
    // Only the field that was changed is written.
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
    // What replaced it is named in the archive.
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
    assert!(!place.block().contains("old checker"));
    place.run(&["add", "Always shard the long test runs"]).exits(0);
    assert_eq!(place.get(ARCHIVE), format!("{old}\n"));
    assert!(place.get(LESSONS).starts_with(TYPES));
}

#[test]
fn global_lessons_are_shared_and_stay_out_of_the_project() {
    let global = TYPES.replace("mem-a", "mem-g").replace("type checker", "formatter of the house");
    let (one, two) = (Place::filled(), Place::new());
    for place in [&one, &two] {
        let folder = place.global();
        fs::create_dir_all(folder.parent().expect("it has one")).expect("it can be made");
        fs::write(folder, format!("{global}\n")).expect("it can be written");
        assert!(place.block().contains("formatter of the house"));
    }
    one.run(&["learn", "-"]).exits(2);
    one.learn("r1", NEW);
    assert!(!one.get(JOURNAL).contains("formatter of the house"));
    assert_eq!(one.get_global(), format!("{global}\n"));
    one.run(&["inject", "--run", "r2"]).exits(0);
    let used = global.replace("\"usageCount\":2", "\"usageCount\":3");
    let used = used.replace("checker\"}", &format!("checker\",\"lastUsedAt\":\"{NOW}\"}}"));
    assert_eq!(one.get_global(), format!("{used}\n"));
    one.run(&["add", "--global", "Name branches after their tasks"]).exits(0);
    let text = one.get_global();
    let made = records(&text).pop().expect("a record");
    assert_eq!((&made["scope"], &made["projectRoot"]), (&json!("global"), &Value::Null));
    assert!(one.run(&["list"]).exits(0).stdout.contains("Name branches"));
    one.run(&["forget", "mem-g"]).exits(0);
    let archive = one.global().with_file_name("global-lessons-archive.jsonl");
    assert!(fs::read_to_string(archive).unwrap().contains("mem-g"));
    assert!(!one.get_global().contains("mem-g"));
    let doctor = one.run(&["doctor", "--json"]).stdout;
    assert!(!doctor.contains("does not give the tables"), "{doctor}");
}

#[test]
fn the_folder_can_be_named_in_several_ways() {
    let place = Place::filled();
    place.memory.write("loose/lessons.jsonl", format!("{TYPES}\n"));
    for (name, n_lessons) in [(".", 2), (".openagents", 2), (".openagents/memory", 2), ("loose", 1)]
    {
        let listed = place.memory.json(&["--store", &format!("openagents:{name}"), "list"]);
        assert_eq!(list_of(&listed, "lessons").len(), n_lessons, "{name}");
    }
    // A link could lead anywhere.
    std::os::unix::fs::symlink("loose", place.memory.work().join("linked")).expect("a link");
    let ran = place.run(&["--store", "openagents:linked", "list"]).exits(3);
    assert!(ran.stderr.contains("symlink"), "{ran}");
}

#[test]
fn what_others_write_in_between_is_taken_over() {
    let place = Place::filled();
    place.learn("r1", NEW);
    let edited = place.get(LESSONS).replace("time out after ten", "time out after five");
    let edited = edited.replace("\"importance\":80", "\"importance\":35");
    let more = PROVIDER.replace("mem-b", "mem-c").replace("Large sharded", "Small");
    place.put(LESSONS, &format!("{edited}{more}\n"));
    let shown = place.memory.json(&["show", "mem-a"]);
    assert_eq!(shown["lesson"]["importance"], 0.35, "{shown:#}");
    place.learn("r2", "Cookie is set without the secure flag");
    let text = place.get(LESSONS);
    assert!(text.starts_with(&format!("{edited}{more}\n")), "{text}");
    let listed = place.run(&["list", "--json"]).exits(0).stdout;
    assert!(listed.contains("after five") && listed.contains("Small"), "{listed}");
    // Whose line is gone is put away.
    place.put(LESSONS, &format!("{more}\n"));
    assert_eq!(place.n_lessons(), 1);
}

/// Starts all calls at once and waits for them.
fn at_once<'a>(calls: impl Iterator<Item = (&'a Memory, Vec<String>)>) {
    let start = |(memory, args): (&Memory, Vec<String>)| {
        memory.command(&args).stdout(Stdio::null()).spawn().expect("the binary starts")
    };
    let children: Vec<_> = calls.map(start).collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
}

#[test]
fn many_writers_lose_nothing() {
    let place = Place::filled();
    let text = |n| format!("Statement of writer {n} about the {n}th module");
    at_once((0..6).map(|n| (&place.memory, vec!["add".to_owned(), text(n)])));
    let text = place.get(LESSONS);
    assert!(text.starts_with(&lessons()), "{text}");
    let records = records(&text);
    let ids: BTreeSet<String> = records.iter().map(|record| text_of(record, "id")).collect();
    assert_eq!((records.len(), ids.len()), (8, 8), "{text}");
    place.run(&["undo"]).exits(0);
    assert_eq!(self::records(&place.get(LESSONS)).len(), 7);
}

#[test]
fn two_projects_write_one_global_file_at_once() {
    let one = Place::new();
    let two = memory_with(one.home.path());
    let call = |n: usize| {
        let (memory, name) = if n.is_multiple_of(2) { (&one.memory, "one") } else { (&two, "two") };
        let text = format!("Global statement {n} about the {n}th habit of the house, {name}");
        (memory, vec!["add".to_owned(), "--global".to_owned(), text])
    };
    at_once((0..8).map(call));
    assert_eq!(records(&one.get_global()).len(), 8, "{}", one.get_global());
}

#[test]
fn a_lost_journal_costs_history_only() {
    let place = Place::filled();
    place.learn("r1", NEW);
    let before = place.get(LESSONS);
    fs::remove_file(place.memory.work().join(".openagents/memory/hardwon.jsonl")).expect("there");
    assert_eq!(place.n_lessons(), 3);
    // What was not confirmed is not confirmed by that.
    assert!(!place.block().contains(NEW));
    place.learn("r2", NEW);
    let after = place.get(LESSONS);
    assert_eq!(records(&after).len(), records(&before).len());
    assert!(place.block().contains(NEW));
}

#[test]
fn a_damaged_journal_is_reported_and_repaired() {
    let place = Place::filled();
    place.learn("r1", NEW);
    place.learn("r2", NEW);
    let (lessons, journal) = (place.get(LESSONS), place.get(JOURNAL));
    let mut lines: Vec<&str> = journal.lines().collect();
    lines[2] = "{\"broken\":";
    place.put(JOURNAL, &(lines.join("\n") + "\n"));
    let report = place.run(&["doctor"]).exits(1).stdout;
    assert!(report.contains("hardwon.jsonl:3"), "{report}");
    assert_eq!(place.n_lessons(), 3);
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
    assert_eq!(list_of(&imported, "quarantined").len(), 4);
    assert_eq!(imported["rejected"], 2, "{imported:#}");
    assert_eq!(memory.run(&["inject"]).exits(0).stdout, "");
    let again = memory.json(&["import", &place.memory.work().display().to_string()]);
    assert_eq!((&again["from"], &again["known"]), (&json!("openagents"), &json!(4)), "{again:#}");
    memory.run(&["trust", &path, "--yes"]).exits(0);
    let released = memory.json(&["import", &path]);
    assert_eq!(list_of(&released, "released").len(), 4);
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
