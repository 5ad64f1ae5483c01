//! One batch in one transaction: journal, rows, index and revision together, or none of them. What
//! the batch does was worked out on copies of the rows it touches.
//!
//! A writer locks the row of its project, so that writers of one project come one after the other. It
//! shares the row of the empty project with all others, unless it changes what all projects see: then
//! it has that row alone, and nobody else writes meanwhile.

use hardwon_core::change::{Batch, Change};
use tokio_postgres::Row;

use super::cell::cells;
use super::client::Statement;
use super::db::{Db, Reach};
use super::journal::{self, Place, Written};
use super::rows::GLOBAL;
use super::schema;
use super::trouble::{Tried, Trouble};
use super::{erase, load, tables};
use crate::Revision;
use crate::settle::{self, Touched};

/// How a batch is written.
#[derive(Debug)]
pub(super) struct Attempt {
    pub expected: Option<Revision>,
    /// Whether it may change what all projects see.
    pub is_shared: bool,
    /// What an earlier attempt wrote, if nobody said whether it was committed.
    pub unanswered: Option<Written>,
}

/// Whether the changes show by themselves that they change what all projects see. An edit does
/// not say whose lesson it edits.
pub(super) fn looks_shared(changes: &[Change]) -> bool {
    changes.iter().any(|change| match change {
        Change::AddLesson { lesson, .. } | Change::RemoveLesson { lesson, .. } => {
            lesson.project.is_none()
        }
        Change::AddTombstone { tombstone } | Change::RemoveTombstone { tombstone } => {
            tombstone.project.is_none()
        }
        Change::EditProject { .. } | Change::Erase { .. } => true,
        _ => false,
    })
}

/// Applies a batch inside the caller's transaction.
pub(super) fn apply(db: &Db<'_>, batch: &Batch, attempt: &mut Attempt) -> Tried<Written> {
    let project = &batch.project;
    let (shared, own) = lock(db, project.as_str(), attempt.is_shared)?;
    let (revision, n_operations, n_entries) = own;
    // From here on an earlier attempt has ended, one way or the other: it had this lock.
    if let Some(earlier) = &attempt.unanswered {
        let is_there = journal::has(db, batch, earlier)?;
        let earlier = attempt.unanswered.take();
        if let (true, Some(earlier)) = (is_there, earlier) {
            return Ok(earlier);
        }
    }
    let found = Revision { project: revision as u64, global: shared.revision as u64 };
    if attempt.expected.is_some_and(|expected| expected != found) {
        return Err(Trouble::Conflict);
    }
    let changes = settle::filled(batch, |id| journal::body_of(db, project, id))?;
    if changes.iter().any(erase::is_wide) {
        db.reach(&Reach::Everything(Some(project)))?;
        db.needs_everything("only the owner of the tables can erase something in all of them")?;
    }
    let changes = settle::widened(
        changes,
        |lesson| erase::texts_about(db, lesson),
        |text, lesson| erase::is_of_other(db, text, lesson),
    )?;
    let before = load::touched(db, project, Touched::by(&changes, project))?;
    let settled = settle::settle(project, &changes, before)?;
    let is_global = settled.is_global.contains(&true);
    if is_global && !attempt.is_shared {
        return Err(Trouble::IsShared);
    }
    let clock = shared.clock + i64::from(attempt.is_shared);
    let mut place = Place { n_operations, n_entries, clock, is_shared: attempt.is_shared };
    let operation = journal::operation(db, batch, &mut place)?;
    let lines = changes.iter().zip(settled.is_global.iter().copied());
    let lines = journal::append(db, project, operation, &mut place, lines)?;
    if attempt.is_shared {
        db.reach(&Reach::Everything(Some(project)))?;
    }
    tables::write(db, &settled.before, &settled.after)?;
    erase::erase(db, project, &changes)?;
    let touches = i64::from(settled.touches_memory);
    let progress = cells![project.as_str(), touches, place.n_operations, place.n_entries];
    db.run(PROGRESS, &progress)?;
    if attempt.is_shared {
        let sql = "
            UPDATE hardwon.projects SET revision = revision + $2, clock = $3 WHERE project = $1";
        db.run(sql, &cells![GLOBAL, i64::from(is_global), clock])?;
    }
    Ok(Written { operation, lines })
}

/// What all projects share.
pub(super) struct Shared {
    revision: i64,
    clock: i64,
}

const LOCK_OWN: &str = "
    SELECT p.revision, p.n_operations, p.n_entries FROM hardwon.projects AS p
    WHERE p.project = $1 FOR UPDATE";

/// With the version of the tables.
const ALL: &str = "
    SELECT p.revision, p.clock, (SELECT max(v.version) FROM hardwon.versions AS v)
    FROM hardwon.projects AS p WHERE p.project = $1";

/// How far a project has come.
const PROGRESS: &str = "
    UPDATE hardwon.projects SET revision = revision + $2, n_operations = $3, n_entries = $4
    WHERE project = $1";

/// Shares the row of the empty project, or takes it alone.
pub(super) fn lock_shared(db: &Db<'_>, is_alone: bool) -> Tried<Shared> {
    let rows = db.all_of(vec![shared_lock(is_alone)]).map_err(Trouble::of_waiting)?;
    shared_of(rows[0].first())
}

fn shared_lock(is_alone: bool) -> Statement {
    let lock = if is_alone { "FOR UPDATE" } else { "FOR SHARE" };
    (format!("{ALL} {lock}"), cells![GLOBAL])
}

fn shared_of(row: Option<&Row>) -> Tried<Shared> {
    let row = row.ok_or(Trouble::Strange("the row of the global lessons is missing"))?;
    schema::refuse_other(row.get(2))?;
    Ok(Shared { revision: row.get(0), clock: row.get(1) })
}

/// Takes both locks, that of all projects first. The row of a project is made if this is its first
/// write.
fn lock(db: &Db<'_>, project: &str, is_alone: bool) -> Tried<(Shared, (i64, i64, i64))> {
    let own = || (LOCK_OWN.to_owned(), cells![project]);
    let rows = db.all_of(vec![shared_lock(is_alone), own()]).map_err(Trouble::of_waiting)?;
    let shared = shared_of(rows[0].first())?;
    let numbers = |row: &Row| (row.get(0), row.get(1), row.get(2));
    if let Some(row) = rows[1].first() {
        return Ok((shared, numbers(row)));
    }
    let insert = "INSERT INTO hardwon.projects (project) VALUES ($1) ON CONFLICT DO NOTHING";
    db.run(insert, &cells![project])?;
    let rows = db.all_of(vec![own()]).map_err(Trouble::of_waiting)?;
    let row = rows[0].first().ok_or(Trouble::Strange("the row of a project is missing"))?;
    Ok((shared, numbers(row)))
}
