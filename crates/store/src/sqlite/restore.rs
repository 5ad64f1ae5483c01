//! How is memory brought back when its file is damaged, emptied or gone? A new file begins with the
//! newest whole copy beside it. What was written since comes from the journal of the damaged file,
//! as far as SQL can still read it, operation by operation; then lessons and other rows of its
//! tables that are missing. The damaged file is never changed: it gets another name when the new
//! one takes its place.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hardwon_core::change::{Batch, Change, Entry, OperationHead, Tables};
use hardwon_core::ids::{LessonId, OperationId, ProjectId};
use hardwon_core::project::Project;
use rusqlite::{Connection, TransactionBehavior};

use super::beside::{log_path, with_suffix};
use super::connection::{self, trouble};
use super::journal::{self, Placed};
use super::migrate::{self, MIGRATIONS, Schema};
use super::rebuild::{self, Copies};
use super::rows::{self, all, one};
use super::{SqliteStore, Trouble, check, tables, write};
use crate::error::{damaged, place_of, unusable};
use crate::files::{self, Mode, NewFile};
use crate::{Rebuilt, Result, StoreError};

/// A process that holds the write lock for longer is still using the file.
const LOCK_WAIT: Duration = Duration::from_millis(500);

/// Why lessons are in the journal again.
const BECAUSE: &str = "brought back from a damaged store";

/// What was brought back, and from where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    /// Where the damaged file is now; none if there was no file.
    pub aside: Option<PathBuf>,
    /// The name of the copy that it began with.
    pub copy: Option<String>,
    /// Copies that are newer and not whole, by their names.
    pub unusable: Vec<String>,
    /// Operations that were written since the copy.
    pub n_operations: usize,
    /// Lessons that have their words now.
    pub n_lessons: usize,
    /// Lessons that the damaged file names and of which nothing else was found.
    pub missing: Vec<LessonId>,
    /// Not all that was written since the copy could be read.
    pub is_incomplete: bool,
    pub rebuilt: Rebuilt,
}

impl SqliteStore {
    /// Puts the newest whole copy, and what can be read of a damaged store that is newer, into a
    /// new store in its place, and keeps the damaged file as `NAME.damaged-TIME`. `head` is that of
    /// the operations by which it is written what was lost. Until the new file is whole nothing is
    /// changed.
    ///
    /// Errors: `Busy` if another process is writing, `Unusable` if there is nothing to begin with or
    /// the new file cannot be written.
    pub fn restore(path: impl AsRef<Path>, head: &OperationHead) -> Result<Restored> {
        let path = path.as_ref();
        if SqliteStore::is_locked(path, LOCK_WAIT).unwrap_or(false) {
            return Err(StoreError::Busy { place: place_of(path) });
        }
        let failed = |error| trouble(path, error);
        let broken = |error: std::io::Error| unusable(path, error);
        let damaged = Damaged::open(path)?;
        let paths = SqliteStore::copies(path);
        let mut restored = Restored::default();
        let (new, mut db) = match from_copy(path, &paths, &mut restored)? {
            Some(begun) => begun,
            None if damaged.is_some() => empty(path)?,
            None => return Err(unusable(path, nothing_left(path, &restored))),
        };
        let begun = db.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(failed)?;
        let told = |error: Trouble| error.into_store_error(path);
        match &damaged {
            Some(damaged) => damaged.add_to(&transaction, head, &mut restored).map_err(failed)?,
            None => restored.is_incomplete = true,
        }
        finish(&transaction, &Copies::new(paths), &mut restored).map_err(failed)?;
        if restored.copy.is_none() && is_empty(&transaction).map_err(failed)? {
            return Err(unusable(path, nothing_left(path, &restored)));
        }
        for batch in restored.rebuilt.batches(head) {
            write::apply(&transaction, &batch, None).map_err(told)?;
        }
        transaction.commit().map_err(failed)?;
        // Words that are lost are told by the result.
        let faults = check::faults(&db, check::CHECKS, &mut |_| {}).into_iter();
        if let Some(fault) = faults.into_iter().find(|fault| fault.check != "texts") {
            let detail = format!("what was brought back is not in order: {}", fault.detail);
            return Err(unusable(path, detail));
        }
        db.close().map_err(|(_, error)| failed(error))?;
        restored.aside = put_aside(path, &SqliteStore::label(head.at)).map_err(broken)?;
        new.place().map_err(broken)?;
        Ok(restored)
    }
}

impl Restored {
    /// What was found where, what is lost, and where the damaged file is: one sentence each.
    pub fn told(&self) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        told.extend(self.unusable.iter().map(|name| format!("{name} is damaged, and not used")));
        let from = match &self.copy {
            Some(name) => format!("from {name}"),
            None => "without a backup".to_owned(),
        };
        let since = format!("{} operations from the damaged file", self.n_operations);
        told.push(format!("lessons brought back: {} ({from}, {since})", self.n_lessons));
        let ids = self.missing.iter().chain(self.rebuilt.lost.iter().map(|lost| &lost.id));
        let ids: Vec<String> = ids.map(ToString::to_string).collect();
        if !ids.is_empty() {
            told.push(format!("lessons lost: {} ({})", ids.len(), ids.join(", ")));
        }
        if self.is_incomplete {
            let since = if self.copy.is_some() { "since the backup " } else { "" };
            told.push(format!("part of what was written {since}cannot be read: it may be lost"));
        }
        if let Some(aside) = &self.aside {
            told.push(format!("the damaged file is kept as {}", aside.display()));
        }
        told.extend(self.rebuilt.done.iter().cloned());
        told.extend(self.rebuilt.told());
        told
    }
}

/// Says that nothing can be brought back, and what to do next.
fn nothing_left(path: &Path, restored: &Restored) -> String {
    let copies = match restored.unusable.as_slice() {
        [] => "no backup lies beside it".to_owned(),
        names => format!("no backup beside it is whole ({})", names.join(", ")),
    };
    let name = path.file_name().unwrap_or_default().display();
    format!(
        "nothing of it can be read, and {copies}: it stays as it is. Put a copy of your own in its \
         place, or move {name} away to begin with an empty memory"
    )
}

/// A new file with the content of the newest copy that is whole.
fn from_copy(
    path: &Path,
    copies: &[PathBuf],
    restored: &mut Restored,
) -> Result<Option<(NewFile, Connection)>> {
    for copy in copies {
        let name = copy.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match connection::open_copy(copy).and_then(|copy| begin_with(path, &copy)) {
            Ok(begun) => {
                restored.copy = Some(name);
                return Ok(Some(begun));
            }
            Err(StoreError::Damaged { .. } | StoreError::TooOld { .. }) => {
                restored.unusable.push(name);
            }
            Err(other) => return Err(other),
        }
    }
    Ok(None)
}

fn begin_with(path: &Path, copy: &Connection) -> Result<(NewFile, Connection)> {
    let new = new_file(path)?;
    let target = new.written().to_string_lossy().into_owned();
    let copied = copy.execute("VACUUM INTO ?1", [&target]);
    copied.map_err(|error| trouble(path, error))?;
    let mut db = connection::open_existing(&new.written())?;
    connection::turn_on_log(&db).map_err(|error| trouble(path, error))?;
    migrate::bring_up(path, &mut db, MIGRATIONS)?;
    match check::faults(&db, check::CHECKS, &mut |_| {}).into_iter().next() {
        None => Ok((new, db)),
        Some(fault) => Err(damaged(path, fault.detail)),
    }
}

fn empty(path: &Path) -> Result<(NewFile, Connection)> {
    let new = new_file(path)?;
    let mut db = connection::open_existing(&new.written())?;
    migrate::migrate(path, &mut db, MIGRATIONS)?;
    Ok((new, db))
}

fn new_file(path: &Path) -> Result<NewFile> {
    let made = NewFile::write(path, b"", Mode::PRIVATE);
    made.map_err(|error| unusable(path, error))
}

/// Whether nothing was found at all.
fn is_empty(db: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM journal)";
    db.query_row(sql, [], |row| row.get(0))
}

/// Puts in the words that other copies have, and says which lessons have none.
fn finish(db: &Connection, copies: &Copies, restored: &mut Restored) -> rusqlite::Result<()> {
    let mut tables = tables::load(db)?;
    if rebuild::put_back_missing(db, &tables, copies, &mut restored.rebuilt)? {
        tables = tables::load(db)?;
        rebuild::write_anew(db, &tables)?;
    }
    restored.rebuilt.lost = rebuild::without_words(&tables);
    restored.n_lessons = tables.lessons.len() - restored.rebuilt.lost.len();
    restored.missing.retain(|id| !tables.lessons.contains_key(id));
    restored.missing.sort();
    restored.missing.dedup();
    Ok(())
}

/// What can still be read of a damaged file.
struct Damaged(Connection);

impl Damaged {
    /// None if nothing of it can be read. Errors: it is a database of another program.
    fn open(path: &Path) -> Result<Option<Damaged>> {
        let Ok(Some(db)) = connection::open_reader(path) else { return Ok(None) };
        match migrate::schema(path, &db, MIGRATIONS) {
            // A whole database that is not ours is nobody's to repair.
            Err(_) if matches!(migrate::header(&db), Ok((_, false))) => {
                Err(unusable(path, "it is a database of another program"))
            }
            Ok(Schema::Older(found)) => {
                let lent = migrate::read_older(path, &db, found, MIGRATIONS);
                Ok(lent.is_ok().then_some(Damaged(db)))
            }
            Ok(_) => Ok(Some(Damaged(db))),
            Err(_) => Ok(None),
        }
    }

    /// Writes to a store what this one has more.
    fn add_to(
        &self,
        db: &Connection,
        head: &OperationHead,
        restored: &mut Restored,
    ) -> rusqlite::Result<()> {
        let last = "SELECT max(sequence) FROM journal";
        let last: Option<i64> = one(db, last, [], |row| row.get(0))?.flatten();
        let last = last.unwrap_or(0);
        if self.continues(db, last) {
            let mut since = Since::new(db)?;
            let (places, is_whole) = rowids(&self.0, "journal", "sequence", last);
            restored.is_incomplete = !is_whole;
            for (place, next) in places.iter().zip(last + 1..) {
                restored.is_incomplete |= *place != next;
                match self.entry(*place) {
                    Some(entry) => since.take(entry)?,
                    None => restored.is_incomplete = true,
                }
            }
            since.write()?;
            restored.n_operations = since.operations.len();
            restored.is_incomplete |= !since.misfits.is_empty();
            restored.missing.extend(since.misfits);
        } else {
            restored.is_incomplete = true;
        }
        let stored = self.rows(restored);
        state_missing(db, head, stored, restored.is_incomplete && restored.copy.is_none())
    }

    /// Whether its journal goes on where the other one ends.
    fn continues(&self, db: &Connection, last: i64) -> bool {
        let sql = "SELECT project, number, lesson FROM journal WHERE sequence = ?1";
        let entry = |db: &Connection| {
            one(db, sql, [last], |row| {
                let lesson: Option<String> = row.get(2)?;
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, lesson))
            })
        };
        match (entry(&self.0), entry(db)) {
            (Ok(Some(own)), Ok(known)) => known == Some(own),
            // One that cannot be read says nothing against it.
            _ => true,
        }
    }

    fn entry(&self, place: i64) -> Option<Entry> {
        let mut found = None;
        let at = "WHERE journal.sequence = ?1";
        let read = journal::each(&self.0, at, [place], |Placed { entry, .. }| {
            found = Some(entry);
            true
        });
        read.ok().and(found)
    }

    /// The rows of its tables: every lesson that can be read, and of each owner the other rows if
    /// all of them can.
    fn rows(&self, restored: &mut Restored) -> Tables {
        let mut tables = Tables::default();
        let (keys, _) = rowids(&self.0, "lessons", "key", 0);
        for key in keys {
            let sql = "SELECT id FROM lessons WHERE key = ?1";
            let id: Option<String> = one(&self.0, sql, [key], |row| row.get(0)).ok().flatten();
            let Some(id) = id.map(|id| LessonId::given(&id)) else { continue };
            match rows::lesson::load(&self.0, &id) {
                Ok(Some(lesson)) => drop(tables.lessons.insert(id, lesson)),
                Ok(None) | Err(_) => restored.missing.push(id),
            }
        }
        tables.projects = tables::described(&self.0).unwrap_or_default();
        for owner in tables::owners(&self.0).unwrap_or_default() {
            let mut rows = tables.clone();
            if tables::add_owner(&self.0, &owner, &mut rows).is_ok() {
                tables = rows;
            }
        }
        tables
    }
}

/// The numbers of rows above one, read from both ends until an error; and whether there was none.
fn rowids(db: &Connection, table: &str, column: &str, above: i64) -> (Vec<i64>, bool) {
    let read = |order: &str| {
        let sql = format!(
            "SELECT {column} FROM {table} NOT INDEXED WHERE {column} > ?1 ORDER BY {column} {order}"
        );
        let mut found = Vec::new();
        let mut go = || -> rusqlite::Result<()> {
            let mut statement = db.prepare(&sql)?;
            let mut rows = statement.query([above])?;
            while let Some(row) = rows.next()? {
                found.push(row.get::<_, i64>(0)?);
            }
            Ok(())
        };
        let is_whole = go().is_ok();
        (found, is_whole)
    };
    let (mut found, is_whole) = read("ASC");
    if !is_whole {
        found.extend(read("DESC").0);
        found.sort_unstable();
        found.dedup();
    }
    (found, is_whole)
}

/// Operations of the damaged file, written again one by one.
struct Since<'a> {
    db: &'a Connection,
    /// The last operation that each project had in the copy.
    known: BTreeMap<ProjectId, OperationId>,
    /// What operations are called now.
    operations: BTreeMap<(ProjectId, OperationId), OperationId>,
    /// Entries of one operation that were not written yet.
    waiting: Vec<Entry>,
    /// Lessons with a change that does not fit.
    misfits: BTreeSet<LessonId>,
}

impl<'a> Since<'a> {
    fn new(db: &'a Connection) -> rusqlite::Result<Self> {
        let sql = "
            SELECT projects.id, max(number) FROM operations
            JOIN projects ON projects.key = project GROUP BY projects.id";
        let known = all(db, sql, [], |row| {
            let project = ProjectId::new(row.get_ref(0)?.as_str()?);
            Ok((project, OperationId(row.get::<_, i64>(1)? as u64)))
        })?;
        let (operations, waiting, misfits) = Default::default();
        Ok(Since { db, known: known.into_iter().collect(), operations, waiting, misfits })
    }

    /// Takes an entry, and writes the operation before it.
    fn take(&mut self, entry: Entry) -> rusqlite::Result<()> {
        let of = |entry: &Entry| (entry.project.clone(), entry.operation);
        if self.waiting.last().is_some_and(|last| of(last) != of(&entry)) {
            self.write()?;
        }
        self.waiting.push(entry);
        Ok(())
    }

    /// Writes what waits, together if it fits, otherwise what fits of it.
    fn write(&mut self) -> rusqlite::Result<()> {
        let entries = std::mem::take(&mut self.waiting);
        let Some(first) = entries.first() else { return Ok(()) };
        let changes = entries.iter().map(|entry| entry.change.clone()).collect();
        if !self.apply(first, changes)? {
            for entry in &entries {
                if !self.apply(entry, vec![entry.change.clone()])? {
                    self.misfits.extend(entry.change.lesson().cloned());
                }
            }
        }
        Ok(())
    }

    /// False if it does not fit what is there.
    fn apply(&mut self, entry: &Entry, changes: Vec<Change>) -> rusqlite::Result<bool> {
        let Entry { project, operation, head, .. } = entry;
        let continues = self.now(project, *operation);
        let undoes = head.undoes.and_then(|undone| self.now(project, undone));
        let head = OperationHead { undoes, ..head.clone() };
        let batch = Batch { project: project.clone(), head, continues, changes };
        let now = if_it_fits(self.db, &batch)?;
        let begun = |now| self.operations.insert((project.clone(), *operation), now);
        Ok(now.map(begun).is_some())
    }

    /// What an operation is called here, if it was begun.
    fn now(&self, project: &ProjectId, operation: OperationId) -> Option<OperationId> {
        let known = self.known.get(project).filter(|last| operation <= **last);
        let now = self.operations.get(&(project.clone(), operation));
        now.copied().or_else(|| known.map(|_| operation))
    }
}

/// States rows that are not there; and where there is nothing but them and a journal with gaps,
/// lessons as they stood.
fn state_missing(
    db: &Connection,
    head: &OperationHead,
    stored: Tables,
    with_changed: bool,
) -> rusqlite::Result<()> {
    let known = tables::load(db)?;
    let mut operations: BTreeMap<ProjectId, OperationId> = BTreeMap::new();
    for (project, change) in missing(stored, &known, with_changed) {
        let (head, changes) = (head.clone(), vec![change]);
        let continues = operations.get(&project).copied();
        let batch = Batch { project: project.clone(), head, continues, changes };
        operations.extend(if_it_fits(db, &batch)?.map(|operation| (project, operation)));
    }
    Ok(())
}

/// Writes a batch; nothing of it if it does not fit what is there.
fn if_it_fits(db: &Connection, batch: &Batch) -> rusqlite::Result<Option<OperationId>> {
    db.execute_batch("SAVEPOINT batch")?;
    let written = write::apply(db, batch, None);
    let end = if written.is_ok() { "RELEASE batch" } else { "ROLLBACK TO batch; RELEASE batch" };
    db.execute_batch(end)?;
    match written {
        Ok(operation) => Ok(Some(operation)),
        Err(Trouble::Sql(error)) => Err(error),
        Err(Trouble::Conflict | Trouble::Mismatch(_)) => Ok(None),
    }
}

/// What has to be stated, by whom.
fn missing(stored: Tables, known: &Tables, with_changed: bool) -> Vec<(ProjectId, Change)> {
    // What is global may be stated by any project.
    let any = ProjectId::new("doctor");
    let mut all: Vec<(ProjectId, Change)> = Vec::new();
    for (id, project) in new_in(stored.projects, &known.projects) {
        let (before, after) = (Project::bare(id.clone()).into(), project.into());
        all.push((id, Change::EditProject { before, after }));
    }
    for ((project, _), run) in new_in(stored.runs, &known.runs) {
        all.push((project, Change::AddRun { run: Box::new(run) }));
    }
    for ((project, ..), finding) in new_in(stored.findings, &known.findings) {
        all.push((project, Change::AddFinding { finding: Box::new(finding) }));
    }
    for lesson in stored.lessons.into_values() {
        let project = lesson.project.clone().unwrap_or_else(|| any.clone());
        let change = match known.lessons.get(&lesson.id) {
            Some(known) if with_changed => Change::edit_lesson(known, &lesson, BECAUSE),
            Some(_) => None,
            None => {
                let lesson = Box::new(lesson);
                Some(Change::AddLesson { lesson, because: BECAUSE.to_owned() })
            }
        };
        all.extend(change.map(|change| (project, change)));
    }
    for ((project, _), injection) in new_in(stored.injections, &known.injections) {
        all.push((project, Change::AddInjection { injection }));
    }
    for ((project, ..), effect) in new_in(stored.effects, &known.effects) {
        all.push((project, Change::AddEffect { effect }));
    }
    for ((project, _), row) in new_in(stored.deliberations, &known.deliberations) {
        all.push((project, Change::AddDeliberation { deliberation: Box::new(row) }));
    }
    for ((project, _), row) in new_in(stored.attempts, &known.attempts) {
        all.push((project, Change::AddAttempt { attempt: Box::new(row) }));
    }
    for ((project, _), row) in new_in(stored.consultations, &known.consultations) {
        all.push((project, Change::AddConsultation { consultation: Box::new(row) }));
    }
    for ((owner, _), tombstone) in new_in(stored.tombstones, &known.tombstones) {
        all.push((owner.unwrap_or_else(|| any.clone()), Change::AddTombstone { tombstone }));
    }
    all
}

fn new_in<K: Ord, R>(
    stored: BTreeMap<K, R>,
    known: &BTreeMap<K, R>,
) -> impl Iterator<Item = (K, R)> {
    stored.into_iter().filter(|(key, _)| !known.contains_key(key))
}

/// Gives the damaged file and its log another name. The file keeps its own as well, where it can:
/// a process that dies now leaves a damaged store, not none. `None` if there is no file.
fn put_aside(path: &Path, label: &str) -> std::io::Result<Option<PathBuf>> {
    let names = (1..).map(|n| match n {
        1 => with_suffix(path, &format!(".damaged-{label}")),
        n => with_suffix(path, &format!(".damaged-{label}-{n}")),
    });
    let aside = names.into_iter().find(|aside| !aside.exists()).expect("numbers do not end");
    let is_there = path.exists();
    if is_there {
        files::name_also(path, &aside)?;
    }
    // A log beside the new file would be put into it.
    match files::rename(&log_path(path), &log_path(&aside)) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let _ = fs::remove_file(with_suffix(path, "-shm"));
    files::Place::own(path).sync_folder()?;
    Ok(is_there.then_some(aside))
}
