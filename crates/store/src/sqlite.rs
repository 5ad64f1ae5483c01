//! The store in one SQLite file, for one user on one machine. Here is what may be opened
//! when, and how a batch is committed; the rest is below: `connection` (opening), `migrate`
//! (schema), `rows` and `tables`, `index` (text index), `read`, `write`, `journal`, `check`, `waiting`
//! (injections that a busy store could not take).

mod backup;
mod beside;
mod check;
#[cfg(test)]
mod check_tests;
mod commit;
mod connection;
mod derived;
mod doubt;
mod erase;
mod index;
mod journal;
mod look;
mod migrate;
mod read;
mod rebuild;
mod replay;
mod restore;
mod rows;
mod tables;
mod tally;
mod trouble;
mod waiting;
mod write;

use std::cell::{Cell, OnceCell};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hardwon_core::change::{Batch, Change, Entry, Tombstone};
use hardwon_core::consult::Consultation;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, OperationId, ProjectId, RunId};
use hardwon_core::lesson::{Arms, Lesson};
use hardwon_core::project::Project;
use hardwon_core::run::Run;
use hardwon_core::scope::Scope;
use hardwon_core::tally::Counts;
use hardwon_core::time::Timestamp;
use rusqlite::{Connection, TransactionBehavior};

use crate::asked::{self, Asked, PROGRESS};
use crate::error::{place_of, unusable};
use crate::every_text::{self, KeptText, Visit};
use crate::turn::{Patience, Turn, Turns};
use crate::{
    BlockTotals, ConsultationQuery, CountQuery, Fault, FindingQuery, JournalQuery, LessonQuery,
    ProjectQuery, ProjectStatus, Proposals, Rebuilt, Result, Revision, RunQuery, Scoured, Search,
    Store, StoreError, Tree, VisitEntry,
};
pub use backup::DailyBackup;
pub use beside::Copy;
pub(crate) use beside::read_copy;
use commit::{Durability, commit};
use connection::{BUSY_LIMIT, trouble};
pub use look::{Examined, SchemaFound};
use migrate::{MIGRATIONS, Schema, migrate};
use read::Own;
pub use restore::Restored;
use rows::GLOBAL;
use trouble::Trouble;

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Every write is refused, and no file is ever made.
    Read,
    /// Reads as `Read` does, and may record injections: one connection for both, because the
    /// hot path opens only once. Never changes a schema, and makes no file but that of an
    /// injection that has to wait.
    Record,
    /// Reads as `Read` does, of what is a copy of another store: an injection waits beside it for
    /// whoever hands it over.
    Copy,
    /// Reads as `Read` does until the first write, which makes what is missing.
    Write,
}

/// A store in one file, with a write-ahead log beside it. Many processes may have it
/// open; writers wait for one another.
///
/// ```
/// use hardwon_core::ids::ProjectId;
/// use hardwon_store::{Access, SqliteStore, Store};
///
/// let store = SqliteStore::open("no/such/file.db", Access::Read)?;
/// assert_eq!(store.status(&ProjectId::new("shop"))?.run_number, 0);
/// # Ok::<(), hardwon_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    access: Access,
    /// Opened by the first read that finds a file with a schema. One that was opened to
    /// record can write, if the file system lets it.
    reader: OnceCell<Connection>,
    /// The older schema that the reader sees through views, as long as the file has it.
    lent_for: Cell<Option<i64>>,
    /// Opened by the first write; reads go through it from then on.
    writer: Option<Connection>,
    /// Device and number of the file that the writer has open.
    file: Option<(u64, u64)>,
    /// An erasure removed the copies that are made daily; of this time a new one is to be made.
    without_copies: Option<Timestamp>,
    turns: Turns,
}

impl SqliteStore {
    /// Opens the store at this path. A missing file is an empty store, whose file (for
    /// the user alone) is made by the first write. Nothing is written here, and nothing
    /// by reads: an older schema is read as it is, and brought up to date by the first write.
    ///
    /// Errors: `Damaged` for a file that is not one of our stores or is empty, `Unusable` if the
    /// disk or the file system refuses.
    pub fn open(path: impl AsRef<Path>, access: Access) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let store = SqliteStore::at(path, access);
        store.reading()?;
        Ok(store)
    }

    /// With nothing open yet.
    fn at(path: PathBuf, access: Access) -> Self {
        let (reader, lent_for) = (OnceCell::new(), Cell::new(None));
        let (writer, file, without_copies) = (None, None, None);
        let turns = Turns::new(beside::lock_path(&path));
        SqliteStore { path, access, reader, lent_for, writer, file, without_copies, turns }
    }

    /// Opens a backup, to which no process writes, for reading. Makes no file beside it.
    ///
    /// Errors: those of `open`, and `Unusable` if the file is missing.
    pub fn open_copy(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let db = connection::open_copy(&path)?;
        if let Schema::Older(found) = migrate::schema(&path, &db, MIGRATIONS)? {
            migrate::read_older(&path, &db, found, MIGRATIONS)?;
        }
        let reader = OnceCell::from(db);
        let mut store = SqliteStore::at(path, Access::Read);
        store.reader = reader;
        Ok(store)
    }

    /// Brings the file to the newest schema, after a copy of it was put beside it.
    pub fn update_schema(path: impl AsRef<Path>) -> Result<()> {
        SqliteStore::open(path, Access::Write)?.writing().map(drop)
    }

    /// Rebuilds, and in the same transaction writes what `decide` makes of the result.
    pub fn rebuild_and(&mut self, decide: &dyn Fn(&Rebuilt) -> Vec<Batch>) -> Result<Rebuilt> {
        let path = self.path.clone();
        let failed = |error| trouble(&path, error);
        let copies = SqliteStore::copies(&path);
        let _turn = self.turn(Patience::WhileOthersGoOn(BUSY_LIMIT))?;
        let db = self.writing()?;
        Durability::Full.set(db, Instant::now() + BUSY_LIMIT).map_err(failed)?;
        let transaction =
            db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        migrate::refuse_newer(&path, &transaction, MIGRATIONS)?;
        let rebuilt = rebuild::rebuild(&transaction, &copies).map_err(failed)?;
        for batch in decide(&rebuilt) {
            write::apply(&transaction, &batch, None)
                .map_err(|error| error.into_store_error(&path))?;
        }
        transaction.commit().map_err(failed)?;
        let _ = connection::keep_log_below(&path, db, Durability::Full.log_limit());
        Ok(rebuilt)
    }

    /// The connection for reads; `None` while there is nothing to read.
    fn reading(&self) -> Result<Option<&Connection>> {
        if let Some(db) = self.writer.as_ref().or(self.reader.get()) {
            return Ok(Some(db));
        }
        let opened = match self.access {
            Access::Read | Access::Copy | Access::Write => connection::open_reader(&self.path)?,
            Access::Record => connection::open_recorder(&self.path)?,
        };
        let Some(db) = opened else { return Ok(None) };
        match migrate::schema(&self.path, &db, MIGRATIONS)? {
            Schema::None => return Ok(None),
            Schema::Current | Schema::Newer(_) => {}
            Schema::Older(found) => {
                migrate::read_older(&self.path, &db, found, MIGRATIONS)?;
                self.lent_for.set(Some(found));
            }
        }
        Ok(Some(self.reader.get_or_init(|| db)))
    }

    /// Runs a read on one snapshot of the store; `T::default()` while there is none.
    fn read<T: Default>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let Some(db) = self.reading()? else { return Ok(T::default()) };
        let on_snapshot = || {
            let transaction = db.unchecked_transaction()?;
            if let Some(found) = self.lent_for.get()
                && migrate::is_outdated(&transaction, found)?
            {
                self.lent_for.set(None);
            }
            let answer = read(&transaction)?;
            transaction.commit()?;
            Ok(answer)
        };
        on_snapshot().map_err(|error| trouble(&self.path, error))
    }

    /// Runs a read of what a project sees.
    fn read_of<T: Default>(
        &self,
        project: &ProjectId,
        read: impl FnOnce(Own<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.read(|db| read((db, read::project_key(db, project)?.unwrap_or(GLOBAL))))
    }

    /// The connection for the first write. The connection for reads is closed or becomes it.
    fn open_to_write(&mut self) -> Result<Connection> {
        let refuse = |detail: &str| Err(unusable(&self.path, detail));
        match self.access {
            Access::Read | Access::Copy => refuse("it was opened for reading"),
            Access::Record => match self.reader.take() {
                Some(db) => {
                    // On the way to a run nobody waits for a migration.
                    let is_old = |schema| matches!(schema, Schema::Older(_));
                    if migrate::schema(&self.path, &db, MIGRATIONS).is_ok_and(is_old) {
                        return refuse("it has an older schema, which the next write updates");
                    }
                    connection::prepare_to_record(&db)
                        .map_err(|error| trouble(&self.path, error))?;
                    Ok(db)
                }
                None => refuse("there is nothing that could have been shown"),
            },
            Access::Write => {
                let fill = |path: &Path, db: &mut Connection| migrate(path, db, MIGRATIONS);
                let mut writer = connection::open_writer(&self.path, fill)?;
                migrate(&self.path, &mut writer, MIGRATIONS)?;
                self.reader.take();
                self.lent_for.set(None);
                Ok(writer)
            }
        }
    }

    /// Waits for this process's turn to write. A store that cannot be written has none, and a
    /// file that is not there is nobody's.
    fn turn(&mut self, patience: Patience) -> Result<Turn> {
        let makes_file = match self.access {
            Access::Read => return Ok(Turn::default()),
            Access::Copy => return Err(StoreError::Busy { place: place_of(&self.path) }),
            Access::Record => false,
            Access::Write => true,
        };
        if !self.path.is_file() {
            return Ok(Turn::default());
        }
        let busy = || StoreError::Busy { place: place_of(&self.path) };
        self.turns.wait(patience, makes_file).ok_or_else(busy)
    }

    /// The connection for writes, with the newest schema.
    fn writing(&mut self) -> Result<&mut Connection> {
        // A repair puts another file in its place: what is written to the old one is lost.
        let file = fs::metadata(&self.path).ok().map(|about| (about.dev(), about.ino()));
        if self.writer.is_none() || file != self.file {
            self.writer = None;
            self.writer = Some(self.open_to_write()?);
            let file = fs::metadata(&self.path).ok();
            self.file = file.map(|about| (about.dev(), about.ino()));
        }
        Ok(self.writer.as_mut().expect("it was opened above"))
    }
}

impl Store for SqliteStore {
    fn status(&self, project: &ProjectId) -> Result<ProjectStatus> {
        self.read(|db| read::status(db, project))
    }

    fn lessons(&self, project: &ProjectId, query: &LessonQuery) -> Result<Vec<Lesson>> {
        self.read_of(project, |own| asked::lessons(&own, query))
    }

    fn scopes(&self, project: &ProjectId) -> Result<Vec<(Scope, u64)>> {
        self.read_of(project, |own| asked::scopes(&own))
    }

    fn arms(&self, project: &ProjectId) -> Result<Vec<(Arms, u64)>> {
        self.read_of(project, read::arms)
    }

    fn block_totals(&self, project: &ProjectId) -> Result<BlockTotals> {
        self.read_of(project, |own| asked::block_totals(&own))
    }

    fn is_taken(&self, _: &ProjectId, id: &LessonId) -> Result<bool> {
        self.read(|db| read::is_taken(db, id))
    }

    fn consultations(&self, query: &ConsultationQuery) -> Result<Vec<(ProjectId, Consultation)>> {
        self.read(|db| asked::consultations(&(db, GLOBAL), query))
    }

    fn search(&self, project: &ProjectId, search: &Search) -> Result<Proposals> {
        self.read_of(project, |own| read::search(own, search))
    }

    fn counts(&self, project: &ProjectId, query: &CountQuery) -> Result<Counts> {
        let mut counts = self.read_of(project, |own| {
            let n_runs = own.two(PROGRESS, &[own.own()])?[0].unwrap_or(0) as u64;
            tally::counts(own.0, own.1, n_runs, query)
        })?;
        counts.runs_with.resize(query.facets.len(), 0);
        Ok(counts)
    }

    fn tree(&self, project: &ProjectId, run: &RunId) -> Result<Tree> {
        // Listed before the rows are read: what is written in between is found there.
        let waiting = waiting::files(&self.path);
        let mut tree = self.read_of(project, |own| read::tree(own, run))?;
        waiting::add_to(&mut tree, &waiting, project, run);
        Ok(tree)
    }

    fn numbered_runs(&self, project: &ProjectId, from: u64, to: u64) -> Result<Vec<Run>> {
        self.read_of(project, |own| asked::numbered_runs(&own, from, to))
    }

    fn runs(&self, project: &ProjectId, query: &RunQuery) -> Result<Vec<Run>> {
        self.read_of(project, |own| asked::runs(&own, query))
    }

    fn n_runs(&self, project: &ProjectId, query: &RunQuery) -> Result<u64> {
        self.read_of(project, |own| asked::n_runs(&own, query))
    }

    fn findings(&self, project: &ProjectId, query: &FindingQuery) -> Result<Vec<Finding>> {
        self.read_of(project, |own| asked::findings(&own, query))
    }

    fn effects(
        &self,
        project: &ProjectId,
        lessons: &[LessonId],
    ) -> Result<Vec<(ProjectId, Effect)>> {
        self.read_of(project, |own| asked::effects(&own, lessons))
    }

    fn injections(&self, project: &ProjectId, lesson: &LessonId) -> Result<Vec<Injection>> {
        self.read_of(project, |own| asked::injections(&own, lesson))
    }

    fn journal(&self, project: &ProjectId, query: &JournalQuery) -> Result<Vec<Entry>> {
        self.read_of(project, |(db, key)| journal::entries(db, key, query))
    }

    fn added(&self, project: &ProjectId) -> Result<Vec<LessonId>> {
        self.read_of(project, |(db, key)| journal::added(db, key))
    }

    fn take_turn(&mut self) -> Result<Turn> {
        let turn = self.turn(Patience::WhileOthersGoOn(BUSY_LIMIT))?;
        self.take_in(usize::MAX, Instant::now() + BUSY_LIMIT)?;
        Ok(turn)
    }

    fn apply(&mut self, batch: &Batch, expected: Option<Revision>) -> Result<OperationId> {
        let path = self.path.clone();
        if batch.changes.iter().any(|change| matches!(change, Change::EditFile { .. })) {
            // A journal that says so, while the file is as it was, would be a lie.
            let detail = "files of others are edited by a store that lies in them";
            return Err(unusable(&path, detail));
        }
        let durability = Durability::of(batch);
        let from = Instant::now();
        let _turn = self.turn(durability.patience(from))?;
        // An injection waits once, for its turn and for the store together.
        let from = if durability == Durability::Quick { from } else { Instant::now() };
        let until = from + durability.limit();
        self.writing()?;
        let without_copies = backup::remove_before_erasing(&path, batch)?;
        self.without_copies = without_copies.or(self.without_copies);
        let operation = commit(&path, self.writing()?, batch, expected, until)?;
        if durability == Durability::Quick {
            // The batch is written, whether or not what waits can be.
            let _ = self.take_in(waiting::N_WITH_AN_INJECTION, until);
        }
        Ok(operation)
    }

    fn leave(&mut self, batch: &Batch) -> Result<bool> {
        waiting::leave(&self.path, batch)
    }

    fn tombstones(&self, project: &ProjectId) -> Result<Vec<Tombstone>> {
        self.read_of(project, read::tombstones)
    }

    fn projects(&self, query: &ProjectQuery) -> Result<Vec<Project>> {
        self.read(|db| rows::project::query(db, query))
    }

    fn scour(&mut self, deep: bool) -> Result<Scoured> {
        let path = self.path.clone();
        // What was left while the erasure was decided comes in without the erased words.
        let _turn = self.take_turn()?;
        let db = self.writing()?;
        let mut scoured = erase::scour(&path, db, deep).map_err(|error| trouble(&path, error))?;
        if let Some(at) = self.without_copies.take() {
            // What it held before is gone; that there is none for once is no failure.
            let made = SqliteStore::back_up_daily(&path, at);
            scoured.backups.extend(made.ok().and_then(|made| made.into_path()));
        }
        Ok(scoured)
    }

    fn check(&self) -> Result<Vec<Fault>> {
        match self.reading() {
            Ok(Some(db)) => Ok(check::faults(db, check::CHECKS, &mut |_| {})),
            Ok(None) => Ok(Vec::new()),
            // That it cannot be read is the result of the check.
            Err(StoreError::Damaged { detail, .. }) => {
                Ok(vec![Fault { check: "integrity", detail }])
            }
            Err(other) => Err(other),
        }
    }

    fn rebuild(&mut self) -> Result<Rebuilt> {
        self.rebuild_and(&|_| Vec::new())
    }

    fn each_entry(&self, visit: VisitEntry<'_>) -> Result<()> {
        let mut done = Ok(true);
        self.read(|db| {
            journal::each(db, "", [], |placed| {
                done = visit(placed.entry);
                matches!(done, Ok(true))
            })
        })?;
        done.map(drop)
    }

    fn every_text(&self, visit: Visit<'_>) -> Result<()> {
        self.read(|db| {
            every_text::of_tables(&tables::load(db)?, visit);
            journal::every(db, |placed| every_text::of_entry(&placed.entry, visit))?;
            // An edited body belongs to no row.
            for id in check::edited_texts(db)? {
                let sql = "SELECT body FROM texts WHERE id = ?1";
                let body: Option<String> = rows::one(db, sql, [&id], |row| row.get(0))?;
                let row = format!("text {id}");
                body.iter().for_each(|text| visit(&KeptText { row: &row, lesson: None, text }));
            }
            Ok(())
        })
    }
}
