//! Every row of what is known of the released script, as a case. Expected texts are what
//! the script was seen to do; the fixtures are ours.

mod inject;
mod looking_back;
mod safety;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use hardwon_core::gate::Gate;
use hardwon_core::time::Timestamp;
use tempfile::TempDir;

use super::shell::{overlap, overlap_with_blank};
use super::*;

const NOW: &str = "2026-04-03T14:00:00.987Z";
const WRITTEN: &str = "2026-04-03T14:00:00Z";

/// A project of its own for every case.
struct Project(TempDir);

impl Project {
    /// With these files, each with its lines.
    fn with(files: &[(&str, &[&str])]) -> Project {
        let project = Project(TempDir::new().unwrap());
        for (name, lines) in files {
            project.put(name, &lines.iter().map(|line| format!("{line}\n")).collect::<String>());
        }
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        let is_ours = ["memory/", "events/"].iter().any(|folder| name.starts_with(folder));
        let base = if is_ours { self.0.path().join(".archeflow") } else { self.0.path().into() };
        base.join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    fn get(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn lessons(&self) -> Vec<String> {
        self.get(LESSONS).lines().map(str::to_owned).collect()
    }

    fn run(&self, args: &[&str]) -> Said {
        let folder = Folder::new(self.0.path().join(".archeflow"));
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        Shipped {
            folder: &folder,
            gate: &Gate::standard(),
            now: Timestamp::parse(NOW).unwrap(),
            name: "memory",
            cwd: self.0.path(),
        }
        .run(&args)
    }

    /// A call that ends with this status and says this on standard error.
    fn says(&self, args: &[&str], code: u8, talk: &[&str]) -> String {
        let said = self.run(args);
        assert_eq!((said.code, said.talk), (code, texts(talk)), "{args:?}");
        said.out
    }

    /// The names in the memory folder, without the lock.
    fn kept_files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("memory/")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.ends_with(".lock")).collect();
        names.sort();
        names
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A line without the quoting: `'` for `"`, and the present for `NOW`.
fn json(line: &str) -> String {
    line.replace('\'', "\"").replace("NOW", WRITTEN)
}

fn lesson(id: &str, frequency: &str, description: &str) -> String {
    lesson_with(id, frequency, description, r#""domain":"code","runs_since_last_seen":0"#)
}

fn lesson_with(id: &str, frequency: &str, description: &str, rest: &str) -> String {
    let line = json(
        "{'id':'ID','ts':'old','type':'pattern','source':'guardian','description':'TEXT',\
         'frequency':COUNT,REST}",
    );
    let line = line.replace("ID", id).replace("COUNT", frequency).replace("REST", rest);
    line.replace("TEXT", description)
}

fn verdict(run: &str, findings: &[&str]) -> String {
    let findings = findings.join(",");
    let line = json(
        "{'run_id':'RUN','type':'review.verdict','data':{'archetype':'sage','findings':[FOUND]}}",
    );
    line.replace("RUN", run).replace("FOUND", &findings)
}

fn finding(severity: &str, description: &str) -> String {
    format!(r#"{{"severity":"{severity}","description":"{description}","category":"design"}}"#)
}

/// The description and frequency of every lesson, in the order of the file.
fn seen(project: &Project) -> Vec<(String, String)> {
    let lessons = hardwon_readers::shipped_lessons(project.get(LESSONS).as_bytes());
    lessons.usable().map(|l| (l.description.printed(), l.frequency.printed())).collect()
}

#[test]
fn calls_that_do_nothing() {
    let project = Project::with(&[]);
    let said = project.run(&[]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert_eq!(said.talk[0], "Usage: memory <command> [args...]");
    assert_eq!(said.talk[3], "  extract <events.jsonl>       Extract lessons from a completed run");
    assert_eq!(said.talk.len(), 11);
    for flag in ["-h", "--help"] {
        let said = project.run(&[flag, "add"]);
        assert_eq!((said.code, said.talk), (0, vec![]));
        assert!(said.out.contains("audit-check <run_id>"));
    }
    project.says(&["lern"], 1, &["Unknown command: lern"]);
    project.says(&["audit-check"], 1, &["Usage: memory audit-check <run_id>"]);
    project.says(&["regression-check"], 1, &["Usage: memory regression-check <events.jsonl>"]);
    project.says(&["list"], 0, &["No lessons stored yet."]);
    assert_eq!(project.says(&["inject", "code", "sage"], 0, &[]), "");
    assert_eq!(fs::read_dir(project.0.path()).unwrap().count(), 0, "nothing was made");
    project.says(&["extract"], 1, &["Usage: memory extract <events.jsonl>"]);
    project.says(&["forget"], 1, &["Usage: memory forget <id>"]);
    project.says(&["forget", "m-001"], 1, &["No lessons file found."]);
    project.says(&["decay"], 0, &[]);
    project.says(&["add", "pattern"], 1, &["Usage: memory add <type> <description>"]);
    let types = "Types: pattern, preference, archetype_hint, anti_pattern";
    project.says(&["add", "pattern", ""], 1, &["Usage: memory add <type> <description>", types]);
    assert_eq!(project.kept_files(), [""; 0]);
}

#[test]
fn overlap_counts_the_first_texts_words() {
    for (first, second, percent) in [
        ("null checks", "Null checks, missing: parser reader module!", 100),
        ("Null checks, missing: parser reader module!", "null checks", 33),
        ("one two three", "two", 33),
        ("check", "checks", 0),
        ("an is of", "an is of", 0),
        ("größe", "größe", 0),
        ("größer", "größen", 0),
        ("grösser", "GRÖSSER", 100),
        ("検索を連結しない", "検索を連結しない", 0),
        ("検索でSQLを", "sql", 100),
        ("same same same other", "same", 50),
        ("", "word", 0),
    ] {
        assert_eq!(overlap(first, second), percent, "{first} / {second}");
    }
    assert_eq!(overlap_with_blank("日本", "ab"), 100, "both have only the empty word");
    assert_eq!(overlap_with_blank("日本", "abc"), 0);
}

#[test]
fn ids_go_on_from_the_highest_in_the_file() {
    for (ids, next) in [
        (&["m-010"][..], "m-011"),
        (&["m-2", "m-001"], "m-003"),
        (&["m-999"], "m-1000"),
        (&["m-1000"], "m-1001"),
        (&["m-1000000000", "lesson-7", "m-"], "m-001"),
        (&["m-005", "m-1+a[$(touch marker)]"], "m-006"),
    ] {
        let lines: Vec<String> = ids.iter().map(|id| lesson(id, "1", "x")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let project = Project::with(&[(LESSONS, &lines)]);
        let talk = format!("[archeflow-memory] Added lesson {next} (pattern): words");
        project.says(&["add", "pattern", "words"], 0, &[&talk]);
    }
}

#[test]
fn ids_are_used_again() {
    let project = Project::with(&[]);
    for text in ["first words", "second words"] {
        project.run(&["add", "pattern", text]);
    }
    let talk = "[archeflow-memory] Forgot lesson m-002 (moved to archive)";
    project.says(&["forget", "m-002"], 0, &[talk]);
    let talk = "[archeflow-memory] Added lesson m-002 (pattern): third words";
    project.says(&["add", "pattern", "third words"], 0, &[talk]);
}

#[test]
fn a_stated_lesson() {
    let project = Project::with(&[]);
    let text = "Words, words: a five-word Title with WORDS\nand more";
    let talk = format!("[archeflow-memory] Added lesson m-001 (any type): {text}");
    project.says(&["add", "any type", text, "ignored"], 0, &[&talk]);
    let line = json(
        "{'id':'m-001','ts':'NOW','run_id':'manual','type':'any type','source':'user_feedback',\
         'description':'Words, words: a five-word Title with WORDS\\nand more','frequency':1,\
         'severity':'info','domain':'general','tags':['words','words','five','word','title'],\
         'archetype':null,'last_seen_run':'','runs_since_last_seen':0}",
    );
    assert_eq!(project.lessons(), [line.as_str()]);
    project.says(&["add", "", text], 0, &[&talk.replace("001 (any type", "002 (preference")]);
    assert_eq!(project.lessons().len(), 2, "nobody looks for duplicates");
    project.run(&["add", "pattern", "a b of 日本"]);
    assert!(project.get(LESSONS).contains(r#""tags":[]"#));
}

#[test]
fn the_list() {
    let odd =
        r#"{"id":"","type":"größe","frequency":"3","domain":null,"description":"a\tb\nc\\d"}"#;
    let usual = lesson("m-001", "2", "Close handles");
    let project = Project::with(&[(LESSONS, &[&usual, "", odd, r#"{"id":"m-003","x":1}"#])]);
    let out = project.says(&["list"], 0, &[]);
    let rows: Vec<&str> = out.split('\n').collect();
    assert_eq!(rows[0], "ID       Freq  Type             Domain   Description");
    assert_eq!(rows[1], "----     ----  ----             ------   -----------");
    assert_eq!(rows[2], "m-001    2     pattern          code     Close handles");
    // Empty columns are skipped, and the width is counted in bytes.
    assert_eq!(rows[3], format!("3        größe a\\tb\\nc\\\\d{}", " ".repeat(16)));
    assert_eq!(rows[4], format!("m-003    null  {}", " ".repeat(26)));
    assert_eq!(rows[5..], [""]);
}

#[test]
fn decay_counts_every_call() {
    let rest = |runs: &str| format!(r#""runs_since_last_seen":{runs},"kept":[ 1, 2 ]"#);
    let lines = [
        lesson_with("m-001", "3", "a", &rest("0")),
        lesson_with("m-002", "3", "b", &rest("9")),
        lesson_with("m-003", "1", "c", &rest("9")),
        lesson_with("m-004", "\"7\"", "d", &rest("\"9\"")),
        lesson_with("m-005", "\"7\"", "e", &rest("9.9")),
    ];
    let project = Project::with(&[]);
    project.put(LESSONS, &format!("{}\n\n \n", lines.join("\n")));
    project.says(
        &["decay"],
        0,
        &[
            "[archeflow-memory] Archived lesson m-003 (frequency reached 0)",
            "[archeflow-memory] Archived lesson m-005 (frequency reached 0)",
            "[archeflow-memory] Decay complete: 3 decayed, 2 archived",
        ],
    );
    let rest = |runs: &str| format!(r#""runs_since_last_seen":{runs},"kept":[1,2]"#);
    let kept = [
        lesson_with("m-001", "3", "a", &rest("1")),
        lesson_with("m-002", "2", "b", &rest("0")),
        lesson_with("m-004", "0", "d", &rest("1")),
    ];
    assert_eq!(project.lessons(), kept);
    let archived = [
        lesson_with("m-003", "0", "c", &rest("9")).replace("old", WRITTEN),
        lesson_with("m-005", "0", "e", &rest("9.9")).replace("old", WRITTEN),
    ];
    assert_eq!(project.get(ARCHIVE).lines().collect::<Vec<_>>(), archived);
    let mode = fs::metadata(project.path(LESSONS)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn even_preferences_decay() {
    let project = Project::with(&[]);
    project.run(&["add", "preference", "Write in British English"]);
    for _ in 0..9 {
        project.says(&["decay"], 0, &["[archeflow-memory] Decay complete: 0 decayed, 0 archived"]);
    }
    assert_eq!(project.run(&["decay"]).talk.len(), 2);
    assert_eq!(project.lessons(), [""; 0]);
    assert!(project.get(ARCHIVE).contains(r#""runs_since_last_seen":9"#));
}

#[test]
fn forget_moves_every_line_with_the_id() {
    let lines = [lesson("m-001", "1", "a"), lesson("m-002", "1", "b"), lesson("m-001", "2", "c")];
    let project = Project::with(&[(LESSONS, &[&lines[0], &lines[1], "", &lines[2]])]);
    project.says(&["forget", "m-009"], 1, &["Error: lesson m-009 not found."]);
    assert_eq!(project.lessons().len(), 4, "untouched");
    let talk = "[archeflow-memory] Forgot lesson m-001 (moved to archive)";
    project.says(&["forget", "m-001"], 0, &[talk]);
    assert_eq!(project.lessons(), [lines[1].as_str()]);
    assert_eq!(project.get(ARCHIVE), format!("{}\n{}\n", lines[0], lines[2]));
}

#[test]
fn a_malformed_lesson_stops_those_behind_it() {
    let lines = [lesson("m-001", "2", "first words"), lesson("m-007", "2", "other words")];
    let files: &[&str] = &[&lines[0], "{oops", &lines[1]];
    let log = verdict("r1", &[&finding("bug", "first words")]);
    let project = Project::with(&[(LESSONS, files), ("log.jsonl", &[&log])]);
    let before = project.get(LESSONS);
    let complaint = "parse error: memory/lessons.jsonl, line 2";
    let out = project.says(&["list"], 4, &[complaint]);
    assert!(out.contains("first words") && !out.contains("other words"));
    let out = project.says(&["inject", "", ""], 0, &[]);
    assert_eq!(out.lines().count(), 2);
    project.says(&["forget", "m-001"], 1, &["Error: lesson m-001 not found."]);
    project.says(&["decay"], 4, &[complaint]);
    project.says(&["extract", "log.jsonl"], 4, &[complaint]);
    assert_eq!(project.get(LESSONS), before);
    assert_eq!(project.kept_files(), ["lessons.jsonl"], "nothing is left behind");
    let talk = "[archeflow-memory] Added lesson m-002 (pattern): new words";
    project.says(&["add", "pattern", "new words"], 0, &[talk]);
    assert!(project.get(LESSONS).starts_with(&before));
}
