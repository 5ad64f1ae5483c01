//! OpenAgents' own files, from outside, as far as `tests/golden/openagents.golden` does not show
//! it: who else writes there, and what is lost. A folder of its own for each test, with
//! records of the shapes that the specification shows; the user's home is one of ours.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Memory, NOW, Ran, found, start_piped};

const LESSONS: &str = "lessons.jsonl";
const JOURNAL: &str = "hardwon.jsonl";

/// Odd order, unknown fields, an importance of 0 to 100, Windows line ends.
const TYPES: &str = r#"{"summary":"Run the type checker before committing to the repository.","id":"mem-a","x":{"deep":[1,2.50]},"importance":80,"category":"test_strategy","scope":"project","tags":["Typecheck"],"evidence":{"sessionIds":["s-1"],"odd":true,"episodeIds":["ep-1"],"trajectoryIds":["t-1"],"runLogPaths":[]},"source":"archivist","usageCount":2,"createdAt":"2026-03-01T10:00:00.000Z","rule":"IF types changed THEN run the checker"}"#;

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
        self.memory.learn(&found(run, text));
    }

    fn block(&self) -> String {
        self.run(&["inject"]).exits(0).stdout
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.memory.run(args)
    }
}

/// A memory in the folder of the tests, with this home of the user.
fn memory_with(home: &Path) -> Memory {
    Memory::new().with("HOME", home.display().to_string()).with("HARDWON_STORE", "openagents:.")
}

/// The lines of a file that are JSON.
fn records(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn global_lessons_are_shared_and_stay_out_of_the_project() {
    let global = TYPES.replace("mem-a", "mem-g").replace("type checker", "formatter of the house");
    let (one, two) = (Place::new(), Place::new());
    one.put(LESSONS, &format!("{TYPES}\n"));
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
fn two_projects_write_one_global_file_at_once() {
    let one = Place::new();
    let two = memory_with(one.home.path());
    let add = |n: usize| {
        let (memory, name) = if n.is_multiple_of(2) { (&one.memory, "one") } else { (&two, "two") };
        let text = format!("Global statement {n} about the {n}th habit of the house, {name}");
        start_piped(memory.command(&["add", "--global", &text]))
    };
    let children: Vec<_> = (0..8).map(add).collect();
    for child in children {
        Ran::ended(&["add"], child).exits(0);
    }
    assert_eq!(records(&one.get_global()).len(), 8, "{}", one.get_global());
}
