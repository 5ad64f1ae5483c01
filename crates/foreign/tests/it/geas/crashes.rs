//! A process that died while it wrote: what it had acknowledged is there, and the next write
//! brings the files up to it, whichever of them it had come to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hardwon_engine::lesson::State;

use super::{full, named};
use crate::place::Place;

type Tree = BTreeMap<PathBuf, Vec<u8>>;

fn files(folder: &Path, tree: &mut Tree) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, tree);
        } else {
            tree.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
}

fn tree_of(place: &Place) -> Tree {
    let mut tree = Tree::new();
    files(&place.folder.path().join(".geas"), &mut tree);
    tree
}

/// Puts a file back as it was.
fn put_back(path: &Path, before: &Tree) {
    match before.get(path) {
        Some(bytes) => std::fs::write(path, bytes).unwrap(),
        None => std::fs::remove_file(path).unwrap(),
    }
}

/// Every subset of the files that a write touched is one in which it can have died.
#[test]
fn a_kill_at_any_point_loses_nothing() {
    let reference = full();
    reference.pin("mem-task-001-1", true);
    let before = tree_of(&reference);
    reference.forget("mem-task-001-1");
    let after = tree_of(&reference);
    let is_ours = |path: &&PathBuf| !path.to_string_lossy().contains("hardwon");
    let changed: Vec<&PathBuf> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .collect();
    let mut changed: Vec<&PathBuf> = changed.into_iter().filter(is_ours).collect();
    changed.sort();
    changed.dedup();
    assert!(changed.len() >= 3, "{changed:?}");
    for cut in 0..1_u32 << changed.len() {
        let place = full();
        place.pin("mem-task-001-1", true);
        let start = tree_of(&place);
        place.forget("mem-task-001-1");
        let here = |path: &Path| {
            let own = path.strip_prefix(reference.folder.path()).unwrap();
            place.folder.path().join(own)
        };
        for (n, path) in changed.iter().enumerate() {
            if cut & (1 << n) != 0 {
                let path = here(path);
                match (start.get(&path), path.exists()) {
                    (None, false) => {}
                    _ => put_back(&path, &start),
                }
            }
        }
        let journal = place.text("memory/hardwon.jsonl");
        let end = journal.rfind("{\"done\":").unwrap();
        place.put("memory/hardwon.jsonl", &journal[..end]);
        assert_eq!(named(&place, "mem-task-001-1").state, State::Archived, "{cut:b}");
        place.pin("mem-task-002-1", true);
        let lesson = named(&place, "mem-task-001-1");
        assert_eq!((lesson.state, lesson.is_pinned), (State::Archived, true), "{cut:b}");
        let now = tree_of(&place);
        for path in &changed {
            let wanted = after.get(*path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            let found = now.get(&here(path)).map(|it| String::from_utf8_lossy(it).into_owned());
            assert_eq!(found, wanted, "{cut:b}: {}", path.display());
        }
        assert_eq!(place.lessons().len(), 2, "{cut:b}");
    }
}
