//! Injections that a busy store could not take: each waits as a file in a folder beside the store
//! until the next process that has its turn writes it. They lie beside the store, as its log does,
//! so that every writer finds them, whatever data folder it uses. A file is the journal's own
//! form of the batch, so its text has passed the gate. What is written twice is there once: the
//! key of an injection is its run, role and need.
//!
//! The disk is not waited for: an injection may be lost with the machine's power, as a written
//! one may.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use hardwon_core::change::{Batch, Change};
use hardwon_core::digest::{hex, sha256};
use hardwon_core::effect::{Injection, Shown};
use hardwon_core::ids::{OperationId, ProjectId, RunId};
use hardwon_core::text::Text;
use rusqlite::{Connection, TransactionBehavior};

use super::beside::queue_path;
use super::commit::Durability;
use super::connection::trouble;
use super::migrate::{self, MIGRATIONS};
use super::rows::{self, GLOBAL};
use super::trouble::Trouble;
use super::{Access, SqliteStore, read, write};
use crate::error::unusable;
use crate::queue::{self, Keep};
use crate::{JournalLine, Result, Store, StoreError, Tree, files};

/// So many are written by a process that only records an injection of its own.
pub(super) const N_WITH_AN_INJECTION: usize = 16;

/// A longer file was not left by us.
const MAX_BYTES: u64 = 2 << 20;

/// The remark that names the project of a line.
const PROJECT: &str = "project";

/// What waits, oldest first.
pub(super) fn files(path: &Path) -> Vec<PathBuf> {
    queue::waiting(&queue_path(path))
}

/// Leaves the injections of a batch; false if there is anything else in it.
pub(super) fn leave(path: &Path, batch: &Batch) -> Result<bool> {
    let [Change::AddInjection { injection }] = &batch.changes[..] else { return Ok(false) };
    let marks = BTreeMap::from([(PROJECT.to_owned(), batch.project.as_str().to_owned())]);
    let line = JournalLine { operation: OperationId(0), batch: batch.clone(), marks }.encode();
    let ending = ending(&batch.project, &injection.run);
    let queue = queue_path(path);
    let added = queue::add(&queue, batch.head.at, &line, &ending, Keep::Unsynced);
    added.map(|_| true).map_err(|error| unusable(&queue, error))
}

/// What the name of a file ends with: by it the files of a run are found.
fn ending(project: &ProjectId, run: &RunId) -> String {
    format!("-{}.json", hex(&sha256(&[project.as_str(), run.as_str()])[..8]))
}

pub(super) fn add_to(tree: &mut Tree, waiting: &[PathBuf], project: &ProjectId, run: &RunId) {
    if waiting.is_empty() {
        return;
    }
    let runs = tree.runs.iter().map(|run| &run.id).chain([run]);
    let endings: Vec<String> = runs.map(|run| ending(project, run)).collect();
    let is_of_tree = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        endings.iter().any(|ending| name.ends_with(ending.as_str()))
    };
    for path in waiting.iter().filter(is_of_tree) {
        let Ok(Some((batch, injection))) = read_file(path) else { continue };
        let is_known = tree.injections.iter().any(|known| known.key() == injection.key());
        if batch.project == *project && !is_known {
            tree.injections.push(injection);
        }
    }
    let order = |it: &Injection| (it.at, it.run.clone(), it.role.clone(), it.need.clone());
    tree.injections.sort_by_key(order);
}

/// One file; none if another process has written it. The reason why not names no content.
fn read_file(path: &Path) -> Result<Option<(Batch, Injection)>, String> {
    let mut text = String::new();
    let opened = files::open_plain(path);
    match opened.and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text)) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    }
    let line = text.lines().next().ok_or("it is empty, as after a power cut")?;
    // The project stands in the line itself.
    let JournalLine { mut batch, mut marks, .. } =
        JournalLine::decode(line, &ProjectId::new(PROJECT))?;
    let project = marks.remove(PROJECT).filter(|name| !name.is_empty());
    batch.project = ProjectId::new(&project.ok_or("it names no project")?);
    let injection = match &batch.changes[..] {
        [Change::AddInjection { injection }] => injection.clone(),
        _ => return Err("it is not an injection".to_owned()),
    };
    Ok(Some((batch, injection)))
}

impl SqliteStore {
    /// How many injections wait to be written.
    pub fn n_waiting(&self) -> usize {
        files(&self.path).len()
    }

    /// The folder in which injections wait for the store at this path.
    pub fn queue_folder(path: impl AsRef<Path>) -> PathBuf {
        queue_path(path.as_ref())
    }

    /// Writes what waits beside a copy to the store of which it is one, and gives how many there were.
    /// What is there already is there once; after a failure the rest waits.
    pub fn hand_over(copy: impl AsRef<Path>, to: &mut dyn Store) -> Result<u64> {
        let mut n_given = 0;
        for file in files(copy.as_ref()) {
            match read_file(&file) {
                Ok(None) => continue,
                Ok(Some(waiting)) => give(to, waiting)?,
                Err(reason) => {
                    let _ = queue::put_aside(&file, &reason);
                    continue;
                }
            }
            let _ = fs::remove_file(file);
            n_given += 1;
        }
        Ok(n_given)
    }

    /// Writes the oldest of what waits. What cannot be written is put aside; after a failure
    /// of the store everything still waits.
    pub(super) fn take_in(&mut self, limit: usize, until: Instant) -> Result<()> {
        let waiting = files(&self.path);
        if waiting.is_empty() || matches!(self.access, Access::Read | Access::Copy) {
            return Ok(());
        }
        let path = self.path.clone();
        let failed = |error| trouble(&path, error);
        let db = self.writing()?;
        Durability::Quick.set(db, until).map_err(failed)?;
        let transaction =
            db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        migrate::refuse_newer(&path, &transaction, MIGRATIONS)?;
        let mut poisoned = Vec::new();
        let mut written = Vec::new();
        for file in waiting.iter().take(limit) {
            match read_file(file).map(|found| found.map(|it| take_in_one(&transaction, it))) {
                Ok(None | Some(Ok(()))) => written.push(file),
                Ok(Some(Err(Trouble::Mismatch(mismatch)))) => {
                    poisoned.push((file, mismatch.to_string()));
                }
                Ok(Some(Err(error))) => return Err(error.into_store_error(&path)),
                Err(reason) => poisoned.push((file, reason)),
            }
        }
        transaction.commit().map_err(failed)?;
        // A file that stays is written again, which changes nothing.
        written.into_iter().for_each(|file| drop(fs::remove_file(file)));
        poisoned.into_iter().for_each(|(file, reason)| drop(queue::put_aside(file, &reason)));
        Ok(())
    }
}

/// Gives one injection to another store unless that has it. A block that showed a lesson which was
/// erased meanwhile comes there without its words.
fn give(to: &mut dyn Store, (mut batch, mut injection): (Batch, Injection)) -> Result<()> {
    let erased = to.tombstones(&batch.project)?;
    let is_erased = |shown: &Shown| erased.iter().any(|stone| stone.lesson == shown.lesson);
    if injection.shown.iter().any(is_erased) {
        injection.block = Text::erased();
    }
    batch.changes = vec![Change::AddInjection { injection }];
    match to.apply(&batch, None) {
        Ok(_) | Err(StoreError::Mismatch(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes one injection unless it is there. A block that showed a lesson which was erased
/// meanwhile comes in without its words.
fn take_in_one(
    db: &Connection,
    (mut batch, mut injection): (Batch, Injection),
) -> std::result::Result<(), Trouble> {
    let key = read::project_key(db, &batch.project)?;
    let Injection { run, role, need, .. } = &injection;
    if let Some(key) = key
        && rows::load::<Injection>(db, key, &[run.as_str(), role, need])?.is_some()
    {
        return Ok(());
    }
    let owners: Vec<_> = key.into_iter().chain([GLOBAL]).collect();
    for shown in &injection.shown {
        for owner in &owners {
            if rows::tombstone::load(db, *owner, &shown.lesson)?.is_some() {
                injection.block = Text::erased();
            }
        }
    }
    batch.changes = vec![Change::AddInjection { injection }];
    write::apply(db, &batch, None).map(drop)
}
