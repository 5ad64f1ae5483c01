//! How is memory brought back when pages of its file are damaged, or the file is cut or empty?
//! Whatever can still be read goes into a new file, row by row (`pages`, `cells`, `rows`): also
//! from pages that nothing leads to any more, and from the log. Entries of the journal and words
//! that are missing come from the copies beside the store.
//!
//! If the journal is complete then, everything follows from it. If it is not, the rows are what
//! counts, and a new journal begins with them. The damaged file is never changed: it gets another
//! name when the new one takes its place.

mod cells;
mod fill;
mod pages;
mod refound;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hardwon_core::change::{Change, OperationHead, Tables};
use hardwon_core::ids::LessonId;
use rusqlite::{Connection, TransactionBehavior};

use super::connection::{self, log_path, trouble, with_suffix};
use super::doubt::{self, MissingRow};
use super::migrate::{self, MIGRATIONS, migrate};
use super::rebuild::{self, Copies};
use super::{SqliteStore, Trouble, check, journal, replay, tables, write};
use crate::error::place_of;
use crate::files::{self, Mode, NewFile};
use crate::{Rebuilt, Result, StoreError};
use pages::Pages;
use rows::Taken;

/// A process that holds the write lock for longer is still using the file.
const LOCK_WAIT: Duration = Duration::from_millis(500);

/// What was brought back, and from where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rescued {
    /// Where the damaged file is now.
    pub aside: PathBuf,
    /// Lessons that have their words: in the store now, of those in the table of the damaged
    /// file, of those that only its journal had, and by the name of the backup that had them.
    pub n_lessons: usize,
    pub n_in_table: usize,
    pub n_in_journal: usize,
    pub n_in_backups: BTreeMap<String, usize>,
    /// How many texts came from backups, by their name.
    pub n_texts: BTreeMap<String, usize>,
    /// Lessons of which nothing but their id was found.
    pub missing: Vec<LessonId>,
    /// Entries of the journal were lost: history begins with this rescue.
    pub has_lost_history: bool,
    pub rebuilt: Rebuilt,
}

impl SqliteStore {
    /// Puts what can be read of a damaged store, and of the copies beside it, into a new one in its
    /// place, and keeps the damaged file as `NAME.damaged-TIME`. `head` is that of the operations by
    /// which it is written what was lost. Until the new file is whole nothing is changed.
    ///
    /// Errors: `Busy` if another process is writing, `Unusable` if the file cannot be read or the
    /// new one not be written.
    pub fn rescue(path: impl AsRef<Path>, head: &OperationHead) -> Result<Rescued> {
        let path = path.as_ref();
        if SqliteStore::is_locked(path, LOCK_WAIT).unwrap_or(false) {
            return Err(StoreError::Busy { place: place_of(path) });
        }
        let unusable = |error: std::io::Error| StoreError::Unusable {
            place: place_of(path),
            detail: error.to_string(),
        };
        let failed = |error| trouble(path, error);
        // A whole database that is not ours is nobody's to repair.
        if let Ok(Some(db)) = connection::open_reader(path)
            && let Ok((_, false)) = migrate::header(&db)
        {
            let detail = "it is a database of another program".to_owned();
            return Err(StoreError::Unusable { place: place_of(path), detail });
        }
        let pages = Pages::open(path).map_err(unusable)?;
        let new = NewFile::write(path, b"", Mode::PRIVATE).map_err(unusable)?;
        let mut db = connection::open_existing(new.written().as_path())?;
        migrate(path, &mut db, MIGRATIONS)?;
        db.pragma_update(None, "foreign_keys", false).map_err(failed)?;
        let begun = db.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(failed)?;
        let copies = Copies::open(&SqliteStore::copies(path));
        let told = |error: Trouble| error.into_store_error(path);
        let mut rescued = bring_back(&transaction, &pages, &copies, head).map_err(told)?;
        if pages.n > 0 && is_empty(&transaction).map_err(failed)? {
            let detail = "nothing of a store was found in it, so it stays as it is".to_owned();
            return Err(StoreError::Unusable { place: place_of(path), detail });
        }
        for batch in rescued.rebuilt.batches(head) {
            write::apply(&transaction, &batch, None).map_err(told)?;
        }
        transaction.commit().map_err(failed)?;
        // Words that are lost are told by the result.
        let faults = check::faults(&db, check::CHECKS, &mut |_| {}).into_iter();
        if let Some(fault) = faults.into_iter().find(|fault| fault.check != "texts") {
            let detail = format!("what was brought back is not in order: {}", fault.detail);
            return Err(StoreError::Unusable { place: place_of(path), detail });
        }
        db.close().map_err(|(_, error)| failed(error))?;
        rescued.aside = put_aside(path, &SqliteStore::label(head.at)).map_err(unusable)?;
        new.place().map_err(unusable)?;
        Ok(rescued)
    }
}

impl Rescued {
    /// What was found where, what is lost, and where the damaged file is: one sentence each.
    pub fn told(&self) -> Vec<String> {
        let mut places = Vec::new();
        let mut count = |n: usize, place: &str| {
            if n > 0 {
                places.push(format!("{n} {place}"));
            }
        };
        count(self.n_in_table, "from the damaged file");
        count(self.n_in_journal, "from its journal");
        self.n_in_backups.iter().for_each(|(name, n)| count(*n, &format!("from {name}")));
        let from = if places.is_empty() { "none".to_owned() } else { places.join(", ") };
        let mut told = vec![format!("lessons brought back: {} ({from})", self.n_lessons)];
        let words =
            |(name, n): (&String, &usize)| format!("the words of {n} texts came from {name}");
        told.extend(self.n_texts.iter().map(words));
        let ids = self.missing.iter().map(ToString::to_string);
        let ids: Vec<String> =
            ids.chain(self.rebuilt.lost.iter().map(|l| l.id.to_string())).collect();
        if !ids.is_empty() {
            told.push(format!("lessons lost: {} ({})", ids.len(), ids.join(", ")));
        }
        if self.has_lost_history {
            told.push("entries of the journal are lost: history begins here".to_owned());
        }
        told.push(format!("the damaged file is kept as {}", self.aside.display()));
        told.extend(self.rebuilt.told());
        told
    }
}

/// Whether nothing was found at all.
fn is_empty(db: &Connection) -> rusqlite::Result<bool> {
    let sql = "
        SELECT NOT EXISTS (SELECT 1 FROM journal) AND NOT EXISTS (SELECT 1 FROM texts)
           AND NOT EXISTS (SELECT 1 FROM runs)";
    db.query_row(sql, [], |row| row.get(0))
}

/// Fills the new file.
fn bring_back(
    db: &Connection,
    pages: &Pages,
    copies: &Copies,
    head: &OperationHead,
) -> std::result::Result<Rescued, Trouble> {
    let taken = rows::take(pages, db)?;
    let mut rescued = Rescued::default();
    let in_table: BTreeSet<String> = ids(db, "SELECT id FROM lessons")?;
    let mut known = ids(db, "SELECT lesson FROM journal WHERE lesson IS NOT NULL")?;
    let in_journal = known.clone();
    let mut in_backups: BTreeMap<String, String> = BTreeMap::new();
    for (name, copy) in &copies.0 {
        if fill::from_copy(db, copy)? {
            let now = ids(db, "SELECT lesson FROM journal WHERE lesson IS NOT NULL")?;
            let new = now.difference(&known).filter(|id| !in_table.contains(*id));
            in_backups.extend(new.map(|id| (id.clone(), name.clone())));
            known = now;
        }
    }
    fill::name_operations(db, head.at)?;
    fill::number(db)?;
    let tables = restored(db, &taken, copies, head, &mut rescued)?;
    rescued.rebuilt.lost = rebuild::without_words(&tables);
    let has_words = |id: &&LessonId| !rescued.rebuilt.lost.iter().any(|lost| lost.id == **id);
    for id in tables.lessons.keys().filter(has_words) {
        rescued.n_lessons += 1;
        match in_backups.get(id.as_str()) {
            _ if in_table.contains(id.as_str()) => rescued.n_in_table += 1,
            _ if in_journal.contains(id.as_str()) => rescued.n_in_journal += 1,
            Some(name) => *rescued.n_in_backups.entry(name.clone()).or_default() += 1,
            None => {}
        }
    }
    Ok(rescued)
}

/// Whether the journal has lost its end: then the tables have lessons that it does not give.
fn is_cut_off(db: &Connection, taken: &Taken, replayed: &Tables) -> bool {
    let is_missing =
        |stored: Tables| stored.lessons.keys().any(|lesson| !replayed.lessons.contains_key(lesson));
    taken.has_lost_entries() && taken.has_whole_tables() && tables::load(db).is_ok_and(is_missing)
}

/// Writes tables and index, and a new journal if the old one is not complete.
fn restored(
    db: &Connection,
    taken: &Taken,
    copies: &Copies,
    head: &OperationHead,
    rescued: &mut Rescued,
) -> std::result::Result<Tables, Trouble> {
    drop_wordless(db)?;
    let mut replayed = replay::replay(db)?;
    let mut words = Rebuilt::default();
    if rebuild::put_back_missing(db, &replayed.tables, copies, &mut words)? {
        replayed = replay::replay(db)?;
    }
    count_words(&words, copies, rescued);
    let is_complete = replayed.faults.is_empty()
        && check::idle_operations(db)?.is_empty()
        && !is_cut_off(db, taken, &replayed.tables);
    if is_complete {
        rescued.rebuilt.doubted = doubt::doubted(db, &replayed.tables, MissingRow::IsLost)?;
        rebuild::write_anew(db, &replayed.tables)?;
        return Ok(replayed.tables);
    }
    rescued.has_lost_history = true;
    let named = named_lessons(db)?;
    let tables = refound::merged(db, replayed.tables, taken.has_whole_tables())?;
    let is_gone = |id: &LessonId| !tables.lessons.contains_key(id);
    rescued.missing = named.into_iter().filter(is_gone).collect();
    refound::refound(db, &tables, head)?;
    Ok(tables)
}

/// Removes rows whose text is lost. Its key may be given to another text, which is not theirs.
fn drop_wordless(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(
        "DELETE FROM lessons WHERE text NOT IN (SELECT key FROM texts)
            OR extra IS NOT NULL AND extra NOT IN (SELECT key FROM texts);
         DELETE FROM findings WHERE text NOT IN (SELECT key FROM texts);
         DELETE FROM injections WHERE block NOT IN (SELECT key FROM texts);
         DELETE FROM deliberations WHERE response NOT IN (SELECT key FROM texts);
         DELETE FROM attempts WHERE approach NOT IN (SELECT key FROM texts);",
    )
}

fn count_words(words: &Rebuilt, copies: &Copies, rescued: &mut Rescued) {
    for (name, _) in &copies.0 {
        let is_its = |line: &&String| line.ends_with(&format!("put back from {name}"));
        let n_texts = words.done.iter().filter(is_its).count();
        if n_texts > 0 {
            rescued.n_texts.insert(name.clone(), n_texts);
        }
    }
}

/// Lessons that the journal names and does not take away in the end.
fn named_lessons(db: &Connection) -> rusqlite::Result<BTreeSet<LessonId>> {
    let mut named = BTreeSet::new();
    journal::every(db, |placed| match placed.entry.change {
        Change::AddLesson { lesson, .. } => drop(named.insert(lesson.id)),
        Change::EditLesson { lesson, .. } => drop(named.insert(lesson)),
        Change::RemoveLesson { lesson, .. } => drop(named.remove(&lesson.id)),
        _ => {}
    })?;
    Ok(named)
}

fn ids(db: &Connection, sql: &str) -> rusqlite::Result<BTreeSet<String>> {
    Ok(super::rows::all(db, sql, [], |row| row.get(0))?.into_iter().collect())
}

/// Gives the damaged file and its log another name. The file keeps its own as well, where it can:
/// a process that dies now leaves a damaged store, not none.
fn put_aside(path: &Path, label: &str) -> std::io::Result<PathBuf> {
    let names = (1..).map(|n| match n {
        1 => with_suffix(path, &format!(".damaged-{label}")),
        n => with_suffix(path, &format!(".damaged-{label}-{n}")),
    });
    let aside = names.into_iter().find(|aside| !aside.exists()).expect("numbers do not end");
    files::name_also(path, &aside)?;
    // A log beside the new file would be put into it.
    match files::rename(&log_path(path), &log_path(&aside)) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let _ = fs::remove_file(with_suffix(path, "-shm"));
    files::Place::own(path).sync_folder()?;
    Ok(aside)
}
