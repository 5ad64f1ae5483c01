//! What is played through is not written down: `replay` leaves no trace.

use std::fs;
use std::path::Path;

use crate::harness::Memory;

/// Every file below a folder with its bytes, but for what SQLite keeps while it reads.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("a folder entry is readable").path();
        let name = path.display().to_string();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false if name.ends_with("-shm") => {}
            false => found.push((name, fs::read(&path).expect("a file is readable"))),
        }
    }
    found.sort();
    found
}

fn everything(memory: &Memory) -> Vec<(String, Vec<u8>)> {
    [files(&memory.home()), files(&memory.work())].concat()
}

#[test]
fn nothing_is_written_where_nothing_was() {
    let memory = Memory::new();
    let before = everything(&memory);
    memory.run(&["replay", "--policy", "archeflow"]).exits(0);
    assert!(everything(&memory) == before);
}

#[test]
fn a_memory_that_is_replayed_stays_as_it_is() {
    let memory = Memory::new();
    memory.learn_w(3);
    memory.json(&["inject", "--run", "r9"]);
    let before = everything(&memory);
    assert!(!before.is_empty());
    let replayed = memory.json(&["replay", "--policy", "archeflow"]);
    assert_eq!((&replayed["happened"]["shown"], &replayed["runs"]), (&1.into(), &3.into()));
    assert!(everything(&memory) == before);
}
