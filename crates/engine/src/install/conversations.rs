//! What do the conversations teach that hosts kept before anybody thought of memory? Finds
//! those of one project, newest first, and learns from them as from any other agent's word.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hardwon_core::answer::{Answer, Learned};
use hardwon_core::event::{Event, Record};
use serde_json::Value;

use super::hosts::{HOSTS, Host, Kept};
use super::{Surroundings, collect, project_root};
use crate::error::EngineError;
use crate::hook::queue::read_transcript;
use crate::place::Environment;
use crate::{Access, Engine, Options};

/// How many are read unless somebody wants more.
pub const NEWEST: usize = 50;

/// Beyond the newest so many files of a host, nobody looks whose they are.
const MAX_LOOKED_AT: usize = 5_000;

/// Where in a file its folder is looked for.
const MAX_HEAD_LINES: usize = 50;
const MAX_HEAD_BYTES: u64 = 1 << 20;

/// A host cuts the name that it makes of a path here, and adds something of its own.
const MAX_NAME_CHARS: usize = 200;

/// What is being done, for whoever waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Conversations.
    Reading,
    /// Runs in them.
    Learning,
}

/// The conversations of this project, newest first.
pub fn of_project(environment: &Environment, surroundings: &Surroundings) -> Vec<PathBuf> {
    let mut project = Project::new(environment);
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    for host in HOSTS {
        let mut files = dated(candidates(environment, surroundings, host, &project.roots));
        files.truncate(MAX_LOOKED_AT);
        found.extend(files.into_iter().filter(|(_, path)| project.has(path)));
    }
    newest_first(&mut found);
    found.into_iter().map(|(_, path)| path).collect()
}

/// Reads these and learns what is in them. What cannot be read is told and hides nothing
/// else; what is known already changes nothing.
pub fn learn(
    environment: &Environment,
    options: &Options,
    files: &[PathBuf],
    progress: &mut dyn FnMut(Stage, usize, usize),
) -> Result<Answer<Learned>, EngineError> {
    let mut records: Vec<Record> = Vec::new();
    let mut problems = Vec::new();
    for (n_read, file) in files.iter().enumerate() {
        progress(Stage::Reading, n_read, files.len());
        match read_transcript(file) {
            Ok(record) => {
                problems.extend(record.problems.iter().cloned());
                records.push(Record { problems: Vec::new(), ..record });
            }
            Err(problem) => problems.push(problem),
        }
    }
    records.retain(|record| !record.events.is_empty());
    if environment.agent.is_some() {
        records.iter_mut().for_each(in_one_voice);
    }
    let mut learned = Learned::default();
    if !records.is_empty() {
        let mut engine = Engine::open(environment, options, Access::Write)?;
        let mut on_run = |done, all| progress(Stage::Learning, done, all);
        // An agent that hands them in may have written them.
        let is_witnessed = environment.agent.is_none();
        let answer = engine.learn_claims(&records, is_witnessed, &mut on_run)?;
        problems.extend(answer.problems);
        learned = answer.body;
    }
    let is_empty = learned.runs.is_empty();
    Ok(Answer::of(learned, problems).or_empty(is_empty))
}

/// An agent that hands conversations in could have written them: whoever speaks in them,
/// it is the word of that one agent.
fn in_one_voice(record: &mut Record) {
    let mut agent = None;
    for sourced in &mut record.events {
        match &mut sourced.event {
            Event::Run(run) => agent.clone_from(&run.agent),
            Event::Finding(finding) => finding.author.clone_from(&agent),
            Event::Verdict(verdict) => verdict.author = agent.clone().unwrap_or_default(),
            Event::Fix(_) | Event::Step(_) | Event::Effect(_) | Event::Suggestion(_) => {}
        }
    }
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
    let folder = folder.join(host.transcripts);
    match host.kept {
        Kept::ByDate => collect(&folder, 0, &mut found),
        Kept::ByProject => {
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

/// Those of sub-agents lie deeper; what they said last stands in the main one.
fn conversations_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let is_conversation = |path: &PathBuf| path.extension().is_some_and(|e| e == "jsonl");
    files.map(|file| file.path()).filter(is_conversation).collect()
}

/// What a host makes of a path: everything but letters and digits is a dash.
fn name_of(path: &Path) -> String {
    let path = path.to_string_lossy();
    let plain = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        Ok(_) | Err(_) => '-',
    };
    path.encode_utf16().take(MAX_NAME_CHARS).map(plain).collect()
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
        let (owner, _) = environment.root();
        let roots = [root, real, owner].into_iter().filter(|root| root.is_absolute()).collect();
        Project { environment, roots, known: BTreeMap::new() }
    }

    /// Whether a conversation took place in it: by what the file says, since two paths can
    /// have one name.
    fn has(&mut self, file: &Path) -> bool {
        let Some(folder) = folder_in(file) else { return false };
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
        there.root().0 == self.environment.root().0
    }
}

/// The folder that a conversation says it took place in.
fn folder_in(file: &Path) -> Option<String> {
    let mut options = fs::OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let head = BufReader::new(options.open(file).ok()?.take(MAX_HEAD_BYTES));
    let lines = head.split(b'\n').take(MAX_HEAD_LINES).map_while(Result::ok);
    let folder = |line: Vec<u8>| {
        let line: Value = serde_json::from_slice(&line).ok()?;
        let told = line.get("cwd").or_else(|| line.get("payload")?.get("cwd"));
        told?.as_str().map(str::to_owned)
    };
    lines.filter_map(folder).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_named_as_hosts_name_them() {
        assert_eq!(name_of(Path::new("/home/me/my.app_2")), "-home-me-my-app-2");
        assert_eq!(name_of(Path::new("/ü/\u{1f600}")), "-----");
        assert_eq!(name_of(&PathBuf::from("/a".repeat(300))).len(), MAX_NAME_CHARS);
    }
}
