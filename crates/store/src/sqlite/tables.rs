//! All tables at once, as the plain maps of `core::change`: read whole, and written where
//! two states of them differ.

use std::collections::BTreeMap;

use hardwon_core::change::{Row, Tables};
use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::Lesson;
use rusqlite::{Connection, Result};

use super::rows::{self, GLOBAL, ProjectKey, all};
use super::{index, read, tally};
use crate::sums::touched_roots;

/// Everything in the tables, as the journal would give it.
pub(super) fn load(db: &Connection) -> Result<Tables> {
    let mut tables = Tables::default();
    let sql = "SELECT key, id FROM projects WHERE id <> '' ORDER BY key";
    let projects = all(db, sql, [], |row| {
        Ok((ProjectKey(row.get(0)?), ProjectId::new(row.get_ref(1)?.as_str()?)))
    })?;
    for (key, project) in &projects {
        put(&mut tables.runs, project, rows::run::of_project(db, *key)?);
        put(&mut tables.findings, project, rows::finding::of_project(db, *key)?);
        put(&mut tables.injections, project, rows::injection::of_project(db, *key)?);
        put(&mut tables.effects, project, rows::effect::of_project(db, *key)?);
        put(&mut tables.deliberations, project, rows::deliberation::of_project(db, *key)?);
        put(&mut tables.attempts, project, rows::attempt::of_project(db, *key)?);
        put(&mut tables.tombstones, project, rows::tombstone::of_owner(db, *key)?);
    }
    for stone in rows::tombstone::of_owner(db, GLOBAL)? {
        tables.tombstones.insert(stone.key(), stone);
    }
    for lesson in rows::lesson::every(db)? {
        tables.lessons.insert(lesson.id.clone(), lesson);
    }
    let described = rows::project::every(db)?.into_iter().filter(|project| !project.is_bare());
    tables.projects = described.map(|project| (project.id.clone(), project)).collect();
    Ok(tables)
}

fn put<R: Row>(table: &mut BTreeMap<R::Key, R>, project: &ProjectId, rows: Vec<R>) {
    table.extend(rows.into_iter().map(|row| (row.key_in(project), row)));
}

/// Writes the rows in which two states differ, and the text index. `key_of` gives the key of
/// a project.
pub(super) fn write(
    db: &Connection,
    before: &Tables,
    after: &Tables,
    key_of: &dyn Fn(&ProjectId) -> Result<ProjectKey>,
) -> Result<()> {
    let owner_of = |project: Option<&ProjectId>| project.map_or(Ok(GLOBAL), key_of);
    let roots = touched_roots(before, after);
    let counted_before = tally::of_roots(db, &roots, key_of)?;
    for ((project, id), _, is) in differing(&before.runs, &after.runs) {
        rows::run::write(db, key_of(project)?, id, is)?;
    }
    for ((project, run, key), was, is) in differing(&before.findings, &after.findings) {
        let project = key_of(project)?;
        rows::finding::write(db, project, run, key, is)?;
        index::replace_finding(db, project, was, is)?;
    }
    for (id, was, is) in differing(&before.lessons, &after.lessons) {
        let owner = owner_of(was.or(is).and_then(|lesson| lesson.project.as_ref()))?;
        rows::lesson::write(db, owner, was, is)?;
        index::replace_lesson(db, owner, was, is)?;
        let is_injectable = is.is_some_and(Lesson::is_injectable);
        if was.is_some_and(Lesson::is_injectable) != is_injectable {
            tally::set_injectable(db, id, is_injectable)?;
        }
    }
    for ((project, key), was, is) in differing(&before.injections, &after.injections) {
        rows::injection::write(db, key_of(project)?, key, was, is)?;
    }
    for ((project, root, lesson), _, is) in differing(&before.effects, &after.effects) {
        rows::effect::write(db, key_of(project)?, root, lesson, is)?;
    }
    for ((project, id), was, is) in differing(&before.deliberations, &after.deliberations) {
        let project = key_of(project)?;
        if let Some(key) = rows::deliberation::write(db, project, id, is)? {
            index::deliberation::replace(db, project, key, was, is)?;
        }
    }
    for ((project, id), _, is) in differing(&before.attempts, &after.attempts) {
        rows::attempt::write(db, key_of(project)?, id, is)?;
    }
    for ((owner, lesson), _, is) in differing(&before.tombstones, &after.tombstones) {
        rows::tombstone::write(db, owner_of(owner.as_ref())?, lesson, is)?;
    }
    for (id, _, is) in differing(&before.projects, &after.projects) {
        rows::project::write(db, key_of(id)?, is)?;
    }
    let counted_after = tally::of_roots(db, &roots, key_of)?;
    for ((project, was), (_, is)) in counted_before.iter().zip(&counted_after) {
        tally::replace(db, *project, was.as_ref(), is.as_ref())?;
    }
    Ok(())
}

/// The key of a project that has a row, as every project of the journal does.
pub(super) fn known_key(db: &Connection, project: &ProjectId) -> Result<ProjectKey> {
    read::project_key(db, project)?.ok_or(rusqlite::Error::QueryReturnedNoRows)
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
