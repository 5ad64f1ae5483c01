//! The store on a PostgreSQL server, for teams. Here is how a read and a batch are tried, and what
//! happens when the connection is cut; the rest is below: `connection` and `client` (reaching the server, waiting for it), `schema`,
//! `db` (one transaction), `once` (a batch is written once), `rows`, `load` and `tables`, `index` (text
//! index), `tally` (counts), `journal`, `read`, `routine` and `routines` (reads with a name), `write`, `erase`, `check`.
//!
//! Answers are those of every other store, byte for byte: text is ordered by its bytes, times come
//! from the caller, and what the database orders is ordered by us where it matters. A transaction
//! leaves nothing behind on its connection, so that a pooler may stand in between.

mod ahead;
mod check;
mod client;
mod connection;
mod db;
mod encrypted;
mod erase;
mod index;
mod journal;
mod load;
mod once;
mod read;
mod routine;
mod routines;
mod rows;
mod schema;
mod standing;
mod tables;
mod tally;
mod trouble;
mod write;

use std::cell::{Cell, RefCell};
use std::time::Duration;

use hardwon_core::change::{Batch, Change, Entry, Tombstone};
use hardwon_core::consult::Consultation;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, OperationId, ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::project::Project;
use hardwon_core::run::Run;
use hardwon_core::scope::Scope;
use hardwon_core::tally::Counts;

use crate::asked;
use crate::every_text::{self, Visit};
use crate::{
    Access, BlockTotals, ConsultationQuery, CountQuery, Examined, Fault, FindingQuery,
    JournalQuery, LessonQuery, ProjectQuery, ProjectStatus, Proposals, Rebuilt, Result, Revision,
    RunQuery, SchemaFound, Scoured, Search, Store, StoreError, Tree, VisitEntry,
};
use client::Client;
use connection::Server;
use db::{Db, Purpose, Reach};
pub use standing::Standing;
use trouble::{Tried, Trouble};

/// How long a writer waits for others, and how long one that only records a block.
const PATIENCE: Duration = Duration::from_secs(10);
const PATIENCE_OF_AN_INJECTION: Duration = Duration::from_millis(100);

/// What is said to who wants to look through everything and may not.
const OWNER_ALONE: &str = "only the owner of its tables sees all of them";

/// A store in the database of a server. Many processes on many machines may have it open; writers of
/// one project wait for one another.
pub struct PostgresStore {
    server: Server,
    access: Access,
    /// Made by the first question, and again when it is cut.
    client: RefCell<Option<Client>>,
    /// The version of its tables when it was opened.
    version: Cell<i64>,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PostgresStore at {}", self.server.place)
    }
}

impl PostgresStore {
    /// Opens the store that this URL names. Nothing is written, and no table is made: that is what
    /// [`migrate`](Self::migrate) is for.
    ///
    /// Errors: `Away` if the server cannot be reached, `Unusable` if the URL cannot be read or its
    /// database has no tables.
    pub fn open(url: &str, access: Access) -> Result<Self> {
        PostgresStore::open_within(url, access, None)
    }

    /// The same for somebody who does not wait longer than this for the server.
    pub fn open_within(url: &str, access: Access, patience: Option<Duration>) -> Result<Self> {
        let server = Server::parse(url)?;
        let server = match patience {
            Some(patience) => server.within(patience),
            None => server,
        };
        let store =
            PostgresStore { server, access, client: RefCell::new(None), version: Cell::new(0) };
        let found = store.with_client(|client| match schema::version(client)? {
            0 => Err(Trouble::Refused(
                "the database has no tables of hardwon; as their owner, type: hardwon config store migrate",
            )),
            found => {
                client.set_version(found, schema::has_routines(found));
                Ok(found)
            }
        })?;
        store.version.set(found);
        Ok(store)
    }

    /// Makes the tables, or brings them to the newest version, as the owner of the database; a role
    /// that is named may read and write them then. Gives the version before and after.
    pub fn migrate(url: &str, role: Option<&str>) -> Result<(i64, i64)> {
        let server = Server::parse(url)?;
        let store = PostgresStore {
            server,
            access: Access::Write,
            client: RefCell::new(None),
            version: Cell::new(0),
        };
        store.with_client(|client| {
            let versions = schema::migrate(client, routines::definitions())?;
            role.map_or(Ok(()), |role| schema::grant(client, role))?;
            Ok(versions)
        })
    }

    /// Looks at the database that this URL names. Gives its place, and what was found; who does not
    /// own the tables sees nothing of what is inside.
    pub fn examine(url: &str) -> Result<(String, Standing, Examined)> {
        let store = PostgresStore::open(url, Access::Read)?;
        let known = schema::KNOWN;
        let schema = match store.with_client(|client| schema::version(client))? {
            found if found == known => SchemaFound::Current(found),
            found if found > known => SchemaFound::Newer { found, known },
            found => SchemaFound::Older { found, known },
        };
        let standing = store.read(&Reach::Everything(None), standing::look)?;
        let sees_all = store
            .read(&Reach::Everything(None), |db| Ok(db.needs_everything(OWNER_ALONE).is_ok()))?;
        let checks: &[&str] = if sees_all { check::CHECKS } else { &[] };
        let faults = if sees_all { store.check()? } else { Vec::new() };
        Ok((
            store.place().to_owned(),
            standing,
            Examined { schema, newest_at: None, checks, faults },
        ))
    }

    /// The URL of any store, as it may be printed: of a server without its password.
    pub fn told(url: &str) -> String {
        connection::told(url)
    }

    /// Where it is, in words: without a password.
    pub fn place(&self) -> &str {
        &self.server.place
    }

    /// Does something with the connection, which is made if there is none.
    fn with_client<T>(&self, act: impl FnOnce(&mut Client) -> Tried<T>) -> Result<T> {
        let failed = |trouble: Trouble| trouble.into_store_error(&self.server.place);
        self.try_with_client(act).map_err(failed)
    }

    fn try_with_client<T>(&self, act: impl FnOnce(&mut Client) -> Tried<T>) -> Tried<T> {
        let mut slot = self.client.borrow_mut();
        if slot.as_ref().is_none_or(Client::is_closed) {
            let client = slot.insert(self.server.connect()?);
            let version = self.version.get();
            client.set_version(version, schema::has_routines(version));
        }
        let done = act(slot.as_mut().expect("it was made above"));
        if done.as_ref().is_err_and(Trouble::is_cut) {
            *slot = None;
        }
        done
    }

    /// Runs a read on one snapshot of the store. A connection that was cut since the last one is made
    /// anew, once.
    fn read<T>(&self, reach: &Reach<'_>, read: impl Fn(&Db<'_>) -> Tried<T>) -> Result<T> {
        let had_one = self.client.borrow().is_some();
        let once = || self.try_with_client(|client| transact(client, Purpose::Read, reach, &read));
        let done = match once() {
            Err(trouble) if trouble.is_cut() && had_one => once(),
            done => done,
        };
        done.map_err(|trouble| trouble.into_store_error(&self.server.place))
    }

    fn read_of<T>(&self, project: &ProjectId, read: impl Fn(&Db<'_>) -> Tried<T>) -> Result<T> {
        self.read(&Reach::Project(project), read)
    }

    fn unusable(&self, detail: &str) -> StoreError {
        StoreError::Unusable { place: self.server.place.clone(), detail: detail.to_owned() }
    }
}

/// Runs something in a transaction, which is rolled back by whatever goes wrong.
fn transact<T>(
    client: &mut Client,
    purpose: Purpose,
    reach: &Reach<'_>,
    act: impl Fn(&Db<'_>) -> Tried<T>,
) -> Tried<T> {
    let db = Db::begin(client, purpose, reach);
    match act(&db) {
        Ok(done) => db.commit().map(|()| done),
        Err(trouble) => {
            db.roll_back(&trouble);
            Err(trouble)
        }
    }
}

impl Store for PostgresStore {
    fn status(&self, project: &ProjectId) -> Result<ProjectStatus> {
        self.read_of(project, |db| read::status(db, project))
    }

    fn revision(&self, project: &ProjectId) -> Result<Revision> {
        self.read_of(project, |db| read::revision(db, project))
    }

    fn lessons(&self, project: &ProjectId, query: &LessonQuery) -> Result<Vec<Lesson>> {
        self.read_of(project, |db| read::lessons(db, project, query))
    }

    fn scopes(&self, project: &ProjectId) -> Result<Vec<(Scope, u64)>> {
        self.read_of(project, |db| asked::scopes(&(db, project)))
    }

    fn block_totals(&self, project: &ProjectId) -> Result<BlockTotals> {
        self.read_of(project, |db| asked::block_totals(&(db, project)))
    }

    fn is_taken(&self, project: &ProjectId, id: &LessonId) -> Result<bool> {
        self.read(&Reach::Everything(Some(project)), |db| read::is_taken(db, project, id))
    }

    fn search(&self, project: &ProjectId, search: &Search) -> Result<Proposals> {
        self.read_of(project, |db| read::search(db, project, search))
    }

    fn counts(&self, project: &ProjectId, query: &CountQuery) -> Result<Counts> {
        self.read_of(project, |db| tally::counts(db, project, query))
    }

    fn tree(&self, project: &ProjectId, run: &RunId) -> Result<Tree> {
        self.read_of(project, |db| read::tree(db, project, run))
    }

    fn numbered_runs(&self, project: &ProjectId, from: u64, to: u64) -> Result<Vec<Run>> {
        self.read_of(project, |db| asked::numbered_runs(&(db, project), from, to))
    }

    fn runs(&self, project: &ProjectId, query: &RunQuery) -> Result<Vec<Run>> {
        self.read_of(project, |db| asked::runs(&(db, project), query))
    }

    fn n_runs(&self, project: &ProjectId, query: &RunQuery) -> Result<u64> {
        self.read_of(project, |db| asked::n_runs(&(db, project), query))
    }

    fn findings(&self, project: &ProjectId, query: &FindingQuery) -> Result<Vec<Finding>> {
        self.read_of(project, |db| asked::findings(&(db, project), query))
    }

    fn effects(
        &self,
        project: &ProjectId,
        lessons: &[LessonId],
    ) -> Result<Vec<(ProjectId, Effect)>> {
        self.read_of(project, |db| asked::effects(&(db, project), lessons))
    }

    fn injections(&self, project: &ProjectId, lesson: &LessonId) -> Result<Vec<Injection>> {
        self.read_of(project, |db| asked::injections(&(db, project), lesson))
    }

    fn journal(&self, project: &ProjectId, query: &JournalQuery) -> Result<Vec<Entry>> {
        self.read_of(project, |db| journal::entries(db, project, query))
    }

    fn added(&self, project: &ProjectId) -> Result<Vec<LessonId>> {
        self.read_of(project, |db| journal::added(db, project))
    }

    fn consultations(&self, query: &ConsultationQuery) -> Result<Vec<(ProjectId, Consultation)>> {
        let Some(project) = &query.project else {
            // Of all projects: whose connection it is does not matter.
            let any = ProjectId::new("any");
            return self.read(&Reach::Everything(None), |db| {
                db.needs_everything("what models cost in all projects is seen by the owner alone")?;
                asked::consultations(&(db, &any), query)
            });
        };
        self.read_of(project, |db| asked::consultations(&(db, project), query))
    }

    fn tombstones(&self, project: &ProjectId) -> Result<Vec<Tombstone>> {
        self.read_of(project, |db| read::tombstones(db, project))
    }

    fn projects(&self, query: &ProjectQuery) -> Result<Vec<Project>> {
        let reach = match query {
            ProjectQuery::All => Reach::Everything(None),
            ProjectQuery::Near { path, mark, .. } => {
                Reach::Checkout { path, mark: mark.as_ref().map_or("", |mark| mark.as_str()) }
            }
        };
        self.read(&reach, |db| {
            // Who asks by ids alone does not look through the checkouts of all projects.
            let is_by_id =
                matches!(query, ProjectQuery::Near { path, mark: None, .. } if path.is_empty());
            let mut found = if is_by_id { Vec::new() } else { read::projects(db, query)? };
            let ProjectQuery::Near { ids, .. } = query else { return Ok(found) };
            // Who knows the id of a project works for it, and sees its row.
            for id in ids {
                if found.iter().all(|known| known.id != *id) {
                    db.reach(&Reach::Project(id))?;
                    found.extend(read::project(db, id)?);
                }
            }
            found.sort_by_cached_key(|known| known.id.clone());
            Ok(found)
        })
    }

    fn apply(&mut self, batch: &Batch, expected: Option<Revision>) -> Result<OperationId> {
        if batch.changes.iter().any(|change| matches!(change, Change::EditFile { .. })) {
            // A journal that says so, while the file is as it was, would be a lie.
            return Err(self.unusable("files of others are edited by a store that lies in them"));
        }
        if self.access == Access::Read {
            return Err(self.unusable("it was opened for reading"));
        }
        self.write(batch, expected).map_err(|trouble| trouble.into_store_error(&self.server.place))
    }

    /// The files are the server's.
    fn scour(&mut self, _deep: bool) -> Result<Scoured> {
        let left = "what the server keeps of its past, in its log, in rows that it has not cleared \
                    away and in backups, is for whoever runs it to remove";
        Ok(Scoured { not_done: vec![left.to_owned()], ..Scoured::default() })
    }

    fn check(&self) -> Result<Vec<Fault>> {
        self.read(&Reach::Everything(None), |db| {
            db.needs_everything(OWNER_ALONE)?;
            check::faults(db)
        })
    }

    fn rebuild(&mut self) -> Result<Rebuilt> {
        if self.access != Access::Write {
            return Err(self.unusable("it was opened for reading"));
        }
        let purpose = Purpose::Write { patience: PATIENCE, is_quick: false };
        self.with_client(|client| {
            transact(client, purpose, &Reach::Everything(None), |db| {
                db.needs_everything(OWNER_ALONE)?;
                write::lock_alone(db)?;
                check::rebuild(db)
            })
        })
    }

    /// Asked once: who has seen half of it must not see that half again.
    fn each_entry(&self, visit: VisitEntry<'_>) -> Result<()> {
        let (visit, done) = (RefCell::new(visit), RefCell::new(Ok(true)));
        self.with_client(|client| {
            transact(client, Purpose::Read, &Reach::Everything(None), |db| {
                db.needs_everything(OWNER_ALONE)?;
                journal::each(db, |entry| {
                    let said = (visit.borrow_mut())(entry);
                    let goes_on = matches!(said, Ok(true));
                    *done.borrow_mut() = said;
                    goes_on
                })
            })
        })?;
        done.into_inner().map(drop)
    }

    fn every_text(&self, visit: Visit<'_>) -> Result<()> {
        let (tables, entries) = self.read(&Reach::Everything(None), |db| {
            db.needs_everything(OWNER_ALONE)?;
            Ok((load::everything(db)?, journal::every(db)?))
        })?;
        every_text::of_tables(&tables, visit);
        entries.iter().for_each(|entry| every_text::of_entry(entry, visit));
        Ok(())
    }
}
