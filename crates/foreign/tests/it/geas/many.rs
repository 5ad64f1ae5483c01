//! A tree of many documents: one write touches the files that it changes, and no other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{ENTRY, tree};
use crate::place::Place;

pub fn many(n_entries: usize) -> Place {
    let place = tree();
    for n in 1..=n_entries {
        let id = format!("mem-task-{n:04}-1");
        let words = format!("Check the expiry of lease {n} on every request of module m{n}");
        let text = ENTRY
            .replace("mem-task-002-1", &id)
            .replace("retro-task-002", &format!("retro-task-{n:04}"))
            .replace("Check the expiry of auth tokens on every request, not only at login", &words);
        place.put(&format!("memory/entries/{id}.json"), text);
    }
    place
}

fn times(folder: &Path, times: &mut BTreeMap<PathBuf, SystemTime>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            self::times(&path, times);
        } else {
            times.insert(path.clone(), entry.metadata().unwrap().modified().unwrap());
        }
    }
}

#[test]
fn a_write_touches_what_it_changes() {
    let place = many(60);
    place.add("Error messages name the next step.");
    let mut before = BTreeMap::new();
    times(&place.folder.path().join(".geas"), &mut before);
    std::thread::sleep(std::time::Duration::from_millis(20));
    place.forget("mem-task-0007-1");
    let mut after = BTreeMap::new();
    times(&place.folder.path().join(".geas"), &mut after);
    let changed = after.iter().filter(|(path, time)| before.get(*path) != Some(*time));
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let changed: Vec<String> = changed.map(|(path, _)| name(path)).collect();
    assert_eq!(changed, ["mem-task-0007-1.json", "hardwon.jsonl", "memory-index.json"]);
}
