//! Where are the conversations that hosts kept of a project? Finds them, newest first; what
//! they teach is the engine's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hardwon_engine::files::open_plain;
use hardwon_engine::{Environment, project_key};
use serde_json::Value;

use crate::hook::dialect::at;
use crate::host::{Host, Kept};
use crate::hosts::HOSTS;
use crate::surroundings::{Surroundings, project_root};

pub const NEWEST: usize = 50;

/// Only so many of a host's newest files are opened to see which project they belong to.
const MAX_LOOKED_AT: usize = 5_000;

/// Where in a file its folder is looked for.
const MAX_HEAD_LINES: usize = 50;
const MAX_HEAD_BYTES: u64 = 1 << 20;

/// Folders below which conversations are looked for, and how many are counted at most.
pub(crate) const MAX_DEPTH: usize = 5;
const MAX_TRANSCRIPTS: usize = 10_000;

pub fn of_project(environment: &Environment, surroundings: &Surroundings) -> Vec<PathBuf> {
    let mut project = Project::new(environment);
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    for host in HOSTS {
        let files = candidates(environment, surroundings, host, &project.roots);
        let mut files: Vec<(SystemTime, PathBuf)> = files.into_iter().map(with_date).collect();
        files.sort_by(|left, right| right.cmp(left));
        files.truncate(MAX_LOOKED_AT);
        found.extend(files.into_iter().filter(|(_, path)| project.has(host, path)));
    }
    found.sort_by(|left, right| right.cmp(left));
    found.into_iter().map(|(_, path)| path).collect()
}

/// Files that may be of the project, by their names alone.
fn candidates(
    environment: &Environment,
    surroundings: &Surroundings,
    host: &Host,
    roots: &BTreeSet<PathBuf>,
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(folder) = surroundings.folder(environment, host) else { return found };
    let folder = folder.join(host.sessions.folder);
    if let Kept::ByDate = host.sessions.kept {
        collect(&folder, MAX_DEPTH, &mut found);
        return found;
    }
    let names: Vec<String> =
        roots.iter().map(|root| project_key(&root.to_string_lossy())).collect();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        if names.iter().any(|ours| name.starts_with(ours)) {
            // Those of sub-agents lie deeper; their last messages stand in the main one.
            collect(&entry.path(), 0, &mut found);
        }
    }
    found
}

/// Every conversation in a folder and so many levels below it. Links are not followed.
pub(crate) fn collect(folder: &Path, n_levels: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if found.len() >= MAX_TRANSCRIPTS {
            return;
        }
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        if kind.is_dir() && n_levels > 0 {
            collect(&path, n_levels - 1, found);
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "jsonl") {
            found.push(path);
        }
    }
}

fn with_date(path: PathBuf) -> (SystemTime, PathBuf) {
    let date = fs::symlink_metadata(&path).and_then(|about| about.modified());
    (date.unwrap_or(SystemTime::UNIX_EPOCH), path)
}

/// The project, and what is known of folders already.
struct Project<'a> {
    environment: &'a Environment,
    /// Where it lies: its checkout, and the repository that owns it.
    roots: BTreeSet<PathBuf>,
    known: BTreeMap<String, bool>,
}

impl<'a> Project<'a> {
    fn new(environment: &'a Environment) -> Self {
        let root = project_root(environment);
        let real = fs::canonicalize(&root).unwrap_or_else(|_| root.clone());
        let owner = environment.owner();
        let roots = [root, real, owner].into_iter().filter(|root| root.is_absolute()).collect();
        Project { environment, roots, known: BTreeMap::new() }
    }

    /// Whether a conversation took place in it: by what the file says, since two paths can
    /// have one name.
    fn has(&mut self, host: &Host, file: &Path) -> bool {
        let Some(folder) = folder_in(host, file) else { return false };
        if let Some(known) = self.known.get(&folder) {
            return *known;
        }
        let has = self.has_folder(Path::new(&folder));
        self.known.insert(folder, has);
        has
    }

    fn has_folder(&self, folder: &Path) -> bool {
        if !folder.is_dir() {
            // It is gone; below the project it was the project's.
            return self.roots.iter().any(|root| folder.starts_with(root));
        }
        let there = Environment { folder: folder.to_owned(), ..self.environment.clone() };
        there.owner() == self.environment.owner()
    }
}

/// The folder that a conversation says it took place in.
fn folder_in(host: &Host, file: &Path) -> Option<String> {
    let head = BufReader::new(open_plain(file).ok()?.take(MAX_HEAD_BYTES));
    let lines = head.split(b'\n').take(MAX_HEAD_LINES).map_while(Result::ok);
    let folder_of = |line: Vec<u8>| {
        let line: Value = serde_json::from_slice(&line).ok()?;
        let folder = host.sessions.places.iter().find_map(|name| at(line.as_object()?, name));
        folder?.as_str().map(str::to_owned)
    };
    lines.filter_map(folder_of).next()
}

#[cfg(test)]
mod tests {
    use super::project_key;

    #[test]
    fn paths_are_named_as_claude_code_names_them() {
        assert_eq!(project_key("/home/me/my.app_2"), "-home-me-my-app-2");
        assert_eq!(project_key("/ü/\u{1f600}"), "-----");
        assert_eq!(project_key(&"/a".repeat(300)).len(), 200);
    }
}
