//! One batch in one transaction: journal, rows, index and revision together, or none of them. What
//! the batch does was worked out on copies of the rows it touches.
//!
//! A writer locks the row of its project, so that writers of one project come one after the other. It
//! shares one more lock with all others, unless it changes what all projects see: then it has that lock
//! alone, and nobody else writes meanwhile.

use hardwon_core::change::{Batch, Change};

use super::ahead::{self, Ahead, Wanted};
use super::db::{Db, Reach};
use super::journal::{self, Place, Written};
use super::rows::GLOBAL;
use super::schema;
use super::trouble::{Tried, Trouble};
use super::{erase, load, tables};
use crate::Revision;
use crate::cell::cells;
use crate::settle;

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
    let wanted = Wanted::by(&batch.changes, project);
    let ahead = ahead::look(db, project, &wanted, attempt.is_shared)?;
    let Ahead { shared, own: (revision, n_operations, n_entries), part, .. } = ahead;
    // From here on an earlier attempt has ended, one way or the other: it had this lock.
    if let Some(earlier) = &attempt.unanswered {
        let is_there = journal::has(db, batch, earlier)?;
        let earlier = attempt.unanswered.take();
        if let (true, Some(earlier)) = (is_there, earlier) {
            return Ok(earlier);
        }
    }
    let found = Revision { project: revision as u64, global: shared.0 as u64 };
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
        |texts, lesson| erase::said_by_others(db, texts, lesson),
    )?;
    let before = load::touched(db, project, wanted.touched, ahead.touched)?;
    let settled = settle::settle(project, &changes, before)?;
    let is_global = settled.is_global.contains(&true);
    if is_global && !attempt.is_shared {
        return Err(Trouble::IsShared);
    }
    let clock = shared.1 + i64::from(attempt.is_shared);
    let mut place = Place { n_operations, n_entries, clock, is_shared: attempt.is_shared };
    let operation = journal::operation(db, batch, &mut place)?;
    let lines = changes.iter().zip(settled.is_global.iter().copied());
    let lines = journal::append(db, project, operation, &mut place, lines)?;
    if attempt.is_shared {
        db.reach(&Reach::Everything(Some(project)))?;
    }
    tables::write(db, &settled.before, &settled.after, ahead.counted)?;
    erase::erase(db, project, &changes)?;
    let touches = i64::from(settled.touches_memory);
    let progress = cells![project.as_str(), touches, place.n_operations, place.n_entries];
    db.call(format!("advance_{part}"), progress)?;
    if attempt.is_shared {
        let sql = "
            UPDATE hardwon.projects SET revision = revision + $2, clock = $3 WHERE project = $1";
        db.run(sql, &cells![GLOBAL, i64::from(is_global), clock])?;
    }
    Ok(Written { operation, lines })
}

/// Takes the lock of all projects alone.
pub(super) fn lock_alone(db: &Db<'_>) -> Tried<()> {
    let lock = ("SELECT hardwon.lock_shared(true)".to_owned(), Vec::new());
    let version = ("SELECT max(version) FROM hardwon.versions".to_owned(), Vec::new());
    let rows = db.all_of(vec![lock, version]).map_err(Trouble::of_waiting)?;
    schema::refuse_other(rows[1].first().and_then(|row| row.get(0)))
}
