//! One batch in one transaction: journal, tables, index and revision together, or none
//! of them. What the batch does was worked out on copies of the rows it touches.

use std::collections::BTreeMap;

use hardwon_core::change::{Batch, Change, Tables};
use hardwon_core::ids::{OperationId, ProjectId};
use hardwon_core::lesson::Lesson;
use rusqlite::{Connection, Result};

use super::rows::{self, GLOBAL, ProjectKey, run};
use super::{Trouble, erase, index, journal, read};
use crate::Revision;
use crate::settle::{self, Settled, Touched};

/// Applies a batch inside the caller's transaction.
pub(super) fn apply(
    connection: &Connection,
    batch: &Batch,
    expected: Option<Revision>,
) -> std::result::Result<OperationId, Trouble> {
    if let Some(expected) = expected
        && expected != read::revision(connection, &batch.project)?
    {
        return Err(Trouble::Conflict);
    }
    let project = project_key(connection, &batch.project)?;
    let changes = settle::filled(batch, |id| rows::text::body(connection, id))?;
    let changes = settle::widened(
        changes,
        |lesson| erase::texts_about(connection, lesson),
        |text, lesson| erase::is_of_other(connection, text, lesson),
    )?;
    let before = load(connection, &batch.project, project, &changes)?;
    let settled = settle::settle(&batch.project, &changes, before)?;
    let operation = journal::operation(connection, project, batch)?;
    for (change, is_global) in changes.iter().zip(&settled.is_global) {
        journal::append(connection, operation, project, *is_global, change)?;
    }
    store(connection, project, &settled)?;
    erase::erase(connection, &changes)?;
    bump(connection, project, &settled)?;
    Ok(operation)
}

/// The key of the project, which is made if this is its first write.
fn project_key(connection: &Connection, project: &ProjectId) -> Result<ProjectKey> {
    if let Some(key) = read::project_key(connection, project)? {
        return Ok(key);
    }
    run(connection, "INSERT INTO projects (id) VALUES (?1)", [project.as_str()])?;
    Ok(ProjectKey(connection.last_insert_rowid()))
}

/// Those of the touched rows that exist.
fn load(
    connection: &Connection,
    project: &ProjectId,
    key: ProjectKey,
    changes: &[Change],
) -> Result<Tables> {
    let touched = Touched::of(changes);
    let mut tables = Tables::default();
    let p = || project.clone();
    for id in touched.runs {
        if let Some(run) = rows::run::load(connection, key, &id)? {
            tables.runs.insert((p(), id), run);
        }
    }
    for place in touched.findings {
        if let Some(finding) = rows::finding::load(connection, key, &place)? {
            tables.findings.insert((p(), place.0, place.1), finding);
        }
    }
    for id in touched.lessons {
        if let Some(lesson) = rows::lesson::load(connection, &id)? {
            tables.lessons.insert(id, lesson);
        }
    }
    for injection_key in touched.injections {
        if let Some(injection) = rows::injection::load(connection, key, &injection_key)? {
            tables.injections.insert((p(), injection_key), injection);
        }
    }
    for place in touched.effects {
        if let Some(effect) = rows::effect::load(connection, key, &place)? {
            tables.effects.insert((p(), place.0, place.1), effect);
        }
    }
    for id in touched.projects {
        if let Some(project) = rows::project::load(connection, &id)? {
            tables.projects.insert(id, project);
        }
    }
    for (owner, lesson) in touched.tombstones {
        let owner_key = if owner.is_none() { GLOBAL } else { key };
        if let Some(tombstone) = rows::tombstone::load(connection, owner_key, &lesson)? {
            tables.tombstones.insert((owner, lesson), tombstone);
        }
    }
    Ok(tables)
}

/// Writes the rows that come out differently.
fn store(connection: &Connection, project: ProjectKey, settled: &Settled) -> Result<()> {
    let Settled { before, after, .. } = settled;
    for ((_, id), _, run) in differing(&before.runs, &after.runs) {
        rows::run::write(connection, project, id, run)?;
    }
    for ((_, run, key), was, is) in differing(&before.findings, &after.findings) {
        rows::finding::write(connection, project, run, key, is)?;
        index::replace_finding(connection, project, was, is)?;
    }
    for (_, was, is) in differing(&before.lessons, &after.lessons) {
        let owner = owner_of(was.or(is), project);
        rows::lesson::write(connection, owner, was, is)?;
        index::replace_lesson(connection, owner, was, is)?;
    }
    for ((_, key), was, is) in differing(&before.injections, &after.injections) {
        rows::injection::write(connection, project, key, was, is)?;
    }
    for ((_, root, lesson), _, effect) in differing(&before.effects, &after.effects) {
        rows::effect::write(connection, project, root, lesson, effect)?;
    }
    for ((owner, lesson), _, is) in differing(&before.tombstones, &after.tombstones) {
        let owner = if owner.is_none() { GLOBAL } else { project };
        rows::tombstone::write(connection, owner, lesson, is)?;
    }
    for (id, _, is) in differing(&before.projects, &after.projects) {
        rows::project::write(connection, project_key(connection, id)?, is)?;
    }
    Ok(())
}

fn owner_of(lesson: Option<&Lesson>, project: ProjectKey) -> ProjectKey {
    let is_global = lesson.is_some_and(|lesson| lesson.project.is_none());
    if is_global { GLOBAL } else { project }
}

fn bump(connection: &Connection, project: ProjectKey, settled: &Settled) -> Result<()> {
    let sql = "UPDATE projects SET revision = revision + 1 WHERE key = ?1";
    if settled.touches_memory {
        run(connection, sql, [project])?;
    }
    if settled.is_global.contains(&true) {
        run(connection, sql, [GLOBAL])?;
    }
    Ok(())
}

type Difference<'a, K, V> = (&'a K, Option<&'a V>, Option<&'a V>);

/// Keys whose rows differ, with both versions.
fn differing<'a, K: Ord, V: PartialEq>(
    before: &'a BTreeMap<K, V>,
    after: &'a BTreeMap<K, V>,
) -> Vec<Difference<'a, K, V>> {
    let added = after.iter().filter(|(key, _)| !before.contains_key(key));
    let added = added.map(|(key, row)| (key, None, Some(row)));
    let others = before.iter().map(|(key, row)| (key, Some(row), after.get(key)));
    others.filter(|(_, was, is)| was != is).chain(added).collect()
}
