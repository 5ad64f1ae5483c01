//! The tables as the plain maps of `core::change`: read owner by owner or whole, and written
//! where two states of them differ.

use std::collections::BTreeMap;

use hardwon_core::change::Tables;
use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::Lesson;
use hardwon_core::project::Project;
use rusqlite::{Connection, Result};

use super::rows::{self, GLOBAL, ProjectKey, all};
use super::{index, read, tally};
use crate::rows::Kept;
use crate::settle::differing;
use crate::sums::touched_roots;

/// To whom rows belong.
pub(super) struct Owner {
    pub key: ProjectKey,
    /// `None` = they are global.
    pub project: Option<ProjectId>,
}

/// Every owner, the global one first.
pub(super) fn owners(db: &Connection) -> Result<Vec<Owner>> {
    let sql = "SELECT key, id FROM projects WHERE id <> '' ORDER BY key";
    let projects = all(db, sql, [], |row| {
        let project = Some(ProjectId::new(row.get_ref(1)?.as_str()?));
        Ok(Owner { key: ProjectKey(row.get(0)?), project })
    })?;
    let global = Owner { key: GLOBAL, project: None };
    Ok([global].into_iter().chain(projects).collect())
}

/// Everything in the tables, as the journal would give it.
pub(super) fn load(db: &Connection) -> Result<Tables> {
    let mut tables = Tables { projects: described(db)?, ..Tables::default() };
    for owner in owners(db)? {
        add_owner(db, &owner, &mut tables)?;
    }
    Ok(tables)
}

/// Adds all rows of one owner, but not its description.
pub(super) fn add_owner(db: &Connection, owner: &Owner, tables: &mut Tables) -> Result<()> {
    let key = owner.key;
    if let Some(project) = &owner.project {
        add(db, key, project, &mut tables.runs)?;
        add(db, key, project, &mut tables.findings)?;
        add(db, key, project, &mut tables.injections)?;
        add(db, key, project, &mut tables.effects)?;
        add(db, key, project, &mut tables.deliberations)?;
        add(db, key, project, &mut tables.attempts)?;
        add(db, key, project, &mut tables.consultations)?;
    }
    add_tombstones(db, key, tables)?;
    add_lessons(db, key, tables)
}

pub(super) fn add_tombstones(
    db: &Connection,
    owner: ProjectKey,
    tables: &mut Tables,
) -> Result<()> {
    let stones = rows::tombstone::of_owner(db, owner)?.into_iter();
    tables.tombstones.extend(stones.map(|stone| (stone.key(), stone)));
    Ok(())
}

pub(super) fn add_lessons(db: &Connection, owner: ProjectKey, tables: &mut Tables) -> Result<()> {
    let lessons = rows::lesson::every_of(db, owner)?.into_iter();
    tables.lessons.extend(lessons.map(|lesson| (lesson.id.clone(), lesson)));
    Ok(())
}

/// The projects that somebody described.
pub(super) fn described(db: &Connection) -> Result<BTreeMap<ProjectId, Project>> {
    let described = rows::project::every(db)?.into_iter().filter(|project| !project.is_bare());
    Ok(described.map(|project| (project.id.clone(), project)).collect())
}

fn add<R: Kept>(
    db: &Connection,
    key: ProjectKey,
    project: &ProjectId,
    table: &mut BTreeMap<R::Key, R>,
) -> Result<()> {
    let rows = rows::of_project::<R>(db, key)?.into_iter();
    table.extend(rows.map(|row| (row.key_in(project), row)));
    Ok(())
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
    for ((project, _), was, is) in differing(&before.runs, &after.runs) {
        rows::write(db, key_of(project)?, was, is)?;
    }
    for ((project, ..), was, is) in differing(&before.findings, &after.findings) {
        let project = key_of(project)?;
        rows::write(db, project, was, is)?;
        index::replace_finding(db, project, was, is)?;
    }
    for (id, was, is) in differing(&before.lessons, &after.lessons) {
        // One that moves leaves everything of its old owner, then comes to the new one.
        let is_moved = was.zip(is).is_some_and(|(was, is)| was.project != is.project);
        let steps = if is_moved { vec![(was, None), (None, is)] } else { vec![(was, is)] };
        for (was, is) in steps {
            let owner = owner_of(was.or(is).and_then(|lesson| lesson.project.as_ref()))?;
            rows::lesson::write(db, owner, was, is)?;
            index::replace_lesson(db, owner, was, is)?;
        }
        let is_injectable = is.is_some_and(Lesson::is_injectable);
        if was.is_some_and(Lesson::is_injectable) != is_injectable {
            tally::set_injectable(db, id, is_injectable)?;
        }
    }
    for ((project, _), was, is) in differing(&before.injections, &after.injections) {
        let project = key_of(project)?;
        rows::write_showings(db, project, was, is)?;
        rows::write(db, project, was, is)?;
    }
    for ((project, ..), was, is) in differing(&before.effects, &after.effects) {
        rows::write(db, key_of(project)?, was, is)?;
    }
    let mut deliberations = differing(&before.deliberations, &after.deliberations);
    // The index reads the newest first, by keys that grow.
    deliberations.sort_by_key(|(_, was, is)| is.or(*was).map(|it| it.at));
    for ((project, _), was, is) in deliberations {
        let project = key_of(project)?;
        if let Some(key) = rows::deliberation::write(db, project, was, is)? {
            index::deliberation::replace(db, project, key, was, is)?;
        }
    }
    for ((project, _), was, is) in differing(&before.attempts, &after.attempts) {
        rows::write(db, key_of(project)?, was, is)?;
    }
    for ((project, _), was, is) in differing(&before.consultations, &after.consultations) {
        rows::write(db, key_of(project)?, was, is)?;
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

/// The key of a project, which is made if this is its first write.
pub(super) fn made_key(db: &Connection, project: &ProjectId) -> Result<ProjectKey> {
    if let Some(key) = read::project_key(db, project)? {
        return Ok(key);
    }
    rows::run(db, "INSERT INTO projects (id) VALUES (?1)", [project.as_str()])?;
    Ok(ProjectKey(db.last_insert_rowid()))
}
