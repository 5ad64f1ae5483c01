//! What a session gets back when its context was compacted: a small file in the data folder,
//! left before and read after. It is named by a digest of the session, is gone after a week, and
//! nothing is ever learned from it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hardwon_core::digest::{hex, sha256};
use hardwon_core::event::{Asked, Record};
use hardwon_core::find::{FoundRun, find};
use hardwon_core::ids::RunId;
use hardwon_core::matching::compare;
use hardwon_core::snapshot::{KEPT_MS, Known, Snapshot, snapshot};
use hardwon_store::files::{self, Mode, Place};

use crate::lookup;
use crate::memory::{Call, EngineError, Memory, Result};
use crate::open::refuse_without_rules;
use crate::place::Environment;

/// The folder, in the data folder.
const FOLDER: &str = "snapshots";

/// Of a longer session only the start and the end are read: a host waits.
const HEAD_BYTES: u64 = 64 << 10;
const TAIL_BYTES: u64 = 1 << 20;

/// A larger file is none of ours.
const MAX_BYTES: u64 = 1 << 20;

/// What a session is about, by what its host kept and by what memory knows of its run.
pub fn take(
    memory: &Memory,
    call: &Call,
    run: &RunId,
    transcript: Option<&str>,
) -> Result<Snapshot> {
    // Words that the user wants redacted must not lie in a file.
    refuse_without_rules(&memory.settings)?;
    let (asked, found) = transcript.map(|path| session(memory, path)).unwrap_or_default();
    let run = memory.safe_run(run);
    let tree = memory.store.tree(&call.project, &run)?;
    let own = tree.injections.iter().filter(|injection| injection.run == run);
    let lessons = own.flat_map(|injection| &injection.shown).map(|shown| shown.lesson.clone());
    let mut attempts = Vec::new();
    for task in tree.runs.iter().filter_map(|run| run.task.as_deref()) {
        attempts.extend(lookup::attempts(memory, call, task)?);
    }
    let known = Known {
        asked: &asked,
        found: &found,
        findings: &tree.findings,
        attempts: &attempts,
        lessons: lessons.collect(),
    };
    Ok(snapshot(&memory.gate, known, call.now))
}

/// What its host kept of a session. What cannot be read says nothing: the rest is worth having.
fn session(memory: &Memory, path: &str) -> (Asked, Vec<FoundRun>) {
    let text = ends_of(Path::new(path)).unwrap_or_default();
    let record = hardwon_readers::transcript(path, text.as_bytes()).unwrap_or_default();
    let asked = record.asked.clone();
    let likeness = |a: &str, b: &str| compare::same_text(a, b, &memory.policy.matching);
    (asked, find(&[Record { problems: Vec::new(), ..record }], None, &likeness).runs)
}

/// The whole file, or whole lines of its start and its end.
fn ends_of(path: &Path) -> std::io::Result<String> {
    let length = fs::metadata(path)?.len();
    let tail = files::tail(path, TAIL_BYTES)?;
    if length <= TAIL_BYTES {
        return Ok(tail);
    }
    let head = files::head(path, HEAD_BYTES)?;
    let head = head.rfind('\n').map_or("", |end| &head[..=end]);
    let tail = tail.split_once('\n').map_or("", |(_, rest)| rest);
    Ok(format!("{head}{tail}"))
}

pub fn leave(environment: &Environment, session: &str, snapshot: &Snapshot) -> Result<()> {
    let path = path_of(environment, session)?;
    let text = serde_json::to_vec_pretty(snapshot).unwrap_or_default();
    let folder = path.parent().unwrap_or(&path);
    let made = files::make_private_folder(folder);
    let left = made.and_then(|()| files::replace(Place::own(&path), &text, Mode::PRIVATE));
    left.map_err(|source| EngineError::NotWritten { path, source })
}

/// The snapshot that was left for the session, if it is not too old.
pub fn left_for(environment: &Environment, session: &str) -> Option<Snapshot> {
    let path = path_of(environment, session).ok()?;
    let text = files::read(&Place::own(&path), MAX_BYTES).ok()?;
    let snapshot: Snapshot = serde_json::from_slice(&text).ok()?;
    let now = environment.now().ok()?;
    (now.0.saturating_sub(snapshot.at.0) <= KEPT_MS).then_some(snapshot)
}

/// Removes snapshots that are too old. For the start of a session, when the answer is out.
pub fn tidy(environment: &Environment) {
    let kept = Duration::from_millis(KEPT_MS as u64);
    let oldest = SystemTime::now().checked_sub(kept).unwrap_or(SystemTime::UNIX_EPOCH);
    remove(environment, |changed| changed < oldest);
}

/// Removes all snapshots: what is forgotten for good must not come back by one.
pub fn remove_all(environment: &Environment) {
    remove(environment, |_| true);
}

fn remove(environment: &Environment, is_due: impl Fn(SystemTime) -> bool) {
    let Ok(data) = environment.data_folder() else { return };
    for file in fs::read_dir(data.join(FOLDER)).into_iter().flatten().flatten() {
        let changed = file.metadata().and_then(|about| about.modified());
        if changed.is_ok_and(&is_due) {
            let _ = fs::remove_file(file.path());
        }
    }
}

fn path_of(environment: &Environment, session: &str) -> Result<PathBuf> {
    let name = &hex(&sha256(&[session]))[..32];
    Ok(environment.data_folder()?.join(FOLDER).join(format!("{name}.json")))
}
