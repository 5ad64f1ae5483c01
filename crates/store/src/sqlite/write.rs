//! One batch in one transaction: journal, tables, index and revision together, or none
//! of them. What the batch does was worked out on copies of the rows it touches.

use hardwon_core::change::{Batch, Tables};
use hardwon_core::ids::{LessonId, OperationId};
use rusqlite::{Connection, Result};

use super::rows::{self, GLOBAL, ProjectKey, run};
use super::trouble::Trouble;
use super::{erase, journal, read, tables};
use crate::Revision;
use crate::settle::{self, Settled, Touched};

/// Applies a batch inside the caller's transaction.
pub(super) fn apply(
    db: &Connection,
    batch: &Batch,
    expected: Option<Revision>,
) -> std::result::Result<OperationId, Trouble> {
    if let Some(expected) = expected
        && expected != read::revision(db, &batch.project)?
    {
        return Err(Trouble::Conflict);
    }
    let project = tables::made_key(db, &batch.project)?;
    let changes = settle::filled(batch, |id| rows::text::body(db, id))?;
    let changes = settle::widened(
        changes,
        |lesson| erase::texts_about(db, lesson),
        |texts, lesson| erase::said_by_others(db, texts, lesson),
    )?;
    let before = load(db, project, Touched::by(&changes, &batch.project))?;
    let settled = settle::settle(&batch.project, &changes, before)?;
    let mut place = journal::Place::of(db, project, batch)?;
    for (change, is_global) in changes.iter().zip(&settled.is_global) {
        place.append(db, *is_global, change)?;
    }
    tables::write(db, &settled.before, &settled.after, &|id| {
        if *id == batch.project { Ok(project) } else { tables::made_key(db, id) }
    })?;
    erase::erase(db, &changes)?;
    bump(db, project, &settled)?;
    Ok(place.operation)
}

/// Those of the touched rows that exist.
fn load(db: &Connection, key: ProjectKey, touched: Touched) -> Result<Tables> {
    let mut tables = Tables::default();
    for at in touched.runs {
        tables.runs.extend(rows::load(db, key, &[at.1.as_str()])?.map(|run| (at, run)));
    }
    for at in touched.findings {
        let row = rows::load(db, key, &[at.1.as_str(), &at.2.0])?;
        tables.findings.extend(row.map(|row| (at, row)));
    }
    let lessons: Vec<&str> = touched.lessons.iter().map(LessonId::as_str).collect();
    for lesson in rows::lesson::load_all(db, &lessons)? {
        tables.lessons.insert(lesson.id.clone(), lesson);
    }
    for at in touched.injections {
        let (run, role, need) = &at.1;
        let row = rows::load(db, key, &[run.as_str(), role, need])?;
        tables.injections.extend(row.map(|row| (at, row)));
    }
    for at in touched.effects {
        let row = rows::load(db, key, &[at.1.as_str(), at.2.as_str()])?;
        tables.effects.extend(row.map(|row| (at, row)));
    }
    for at in touched.deliberations {
        tables.deliberations.extend(rows::load(db, key, &[&at.1])?.map(|row| (at, row)));
    }
    for at in touched.attempts {
        tables.attempts.extend(rows::load(db, key, &[&at.1])?.map(|row| (at, row)));
    }
    for at in touched.consultations {
        tables.consultations.extend(rows::load(db, key, &[&at.1])?.map(|row| (at, row)));
    }
    for at in touched.tombstones {
        let owner = if at.0.is_none() { GLOBAL } else { key };
        tables.tombstones.extend(rows::tombstone::load(db, owner, &at.1)?.map(|row| (at, row)));
    }
    for id in touched.projects {
        tables.projects.extend(rows::project::load(db, &id)?.map(|project| (id, project)));
    }
    Ok(tables)
}

fn bump(db: &Connection, project: ProjectKey, settled: &Settled) -> Result<()> {
    let sql = "UPDATE projects SET revision = revision + 1 WHERE key = ?1";
    if settled.touches_memory {
        run(db, sql, [project])?;
    }
    if settled.is_global.contains(&true) {
        run(db, sql, [GLOBAL])?;
    }
    Ok(())
}
