//! Where are the conversations that hosts kept of a project? Finds them, newest first; what
//! they teach is the engine's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hardwon_engine::Environment;
use hardwon_engine::files::without_links;
use serde_json::Value;

use crate::hook::dialect::at;
use crate::host::{Host, Kept};
use crate::hosts::HOSTS;
use crate::surroundings::{Surroundings, project_root};

/// How many are read unless somebody wants more.
pub const NEWEST: usize = 50;

/// Beyond the newest so many files of a host, nobody looks whose they are.
const MAX_LOOKED_AT: usize = 5_000;

/// Where in a file its folder is looked for.
const MAX_HEAD_LINES: usize = 50;
const MAX_HEAD_BYTES: u64 = 1 << 20;

/// Folders below which conversations are looked for, and how many are counted at most.
const MAX_TRANSCRIPT_DEPTH: usize = 5;
const MAX_TRANSCRIPTS: usize = 10_000;

/// The conversations of this project, newest first.
pub fn of_project(environment: &Environment, surroundings: &Surroundings) -> Vec<PathBuf> {
    let mut project = Project::new(environment);
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    for host in HOSTS {
        let mut files = dated(candidates(environment, surroundings, host, &project.roots));
        files.truncate(MAX_LOOKED_AT);
        found.extend(files.into_iter().filter(|(_, path)| project.has(host, path)));
    }
    newest_first(&mut found);
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
    match host.sessions.kept {
        Kept::ByDate => collect(&folder, &mut found),
        Kept::ByProject(name_of) => {
            let names: Vec<String> = roots.iter().map(|root| name_of(root)).collect();
            let is_ours = |path: &PathBuf| {
                let name = path.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| names.iter().any(|ours| name.starts_with(ours.as_str())))
            };
            let folders = fs::read_dir(folder).into_iter().flatten().flatten();
            for folder in folders.map(|entry| entry.path()).filter(is_ours) {
                found.extend(conversations_in(&folder));
            }
        }
    }
    found
}

/// Every conversation below a folder. Links are not followed.
pub(crate) fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    collect_below(folder, 0, found);
}

fn collect_below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if found.len() >= MAX_TRANSCRIPTS {
            return;
        }
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < MAX_TRANSCRIPT_DEPTH => {
                collect_below(&path, depth + 1, found);
            }
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|e| e == "jsonl") => {
                found.push(path);
            }
            Ok(_) | Err(_) => {}
        }
    }
}

/// Those of sub-agents lie deeper; what they said last stands in the main one.
fn conversations_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let is_conversation = |path: &PathBuf| path.extension().is_some_and(|e| e == "jsonl");
    files.map(|file| file.path()).filter(is_conversation).collect()
}

fn dated(files: Vec<PathBuf>) -> Vec<(SystemTime, PathBuf)> {
    let date = |path: PathBuf| {
        let about = fs::symlink_metadata(&path).and_then(|about| about.modified());
        (about.unwrap_or(SystemTime::UNIX_EPOCH), path)
    };
    let mut files: Vec<(SystemTime, PathBuf)> = files.into_iter().map(date).collect();
    newest_first(&mut files);
    files
}

fn newest_first(files: &mut [(SystemTime, PathBuf)]) {
    files.sort_by(|left, right| right.cmp(left));
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
        let owner = PathBuf::from(environment.project().as_str());
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
        there.project() == self.environment.project()
    }
}

/// The folder that a conversation says it took place in.
fn folder_in(host: &Host, file: &Path) -> Option<String> {
    let head = BufReader::new(without_links().read(true).open(file).ok()?.take(MAX_HEAD_BYTES));
    let lines = head.split(b'\n').take(MAX_HEAD_LINES).map_while(Result::ok);
    let folder = |line: Vec<u8>| {
        let line: Value = serde_json::from_slice(&line).ok()?;
        let told = host.sessions.places.iter().find_map(|name| at(line.as_object()?, name));
        told?.as_str().map(str::to_owned)
    };
    lines.filter_map(folder).next()
}
