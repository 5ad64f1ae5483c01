//! The tables, written where two states of them differ, with what is kept for queries.

use std::collections::BTreeMap;

use hardwon_core::change::Tables;
use hardwon_core::ids::ProjectId;
use hardwon_core::project::Project;

use super::db::Db;
use super::index;
use super::rows::{self, Kept, cells_of, owned, owner_of};
use super::tally::{self, Counted};
use super::trouble::Tried;
use crate::cell::{Cell, cells};
use crate::rows::Table;
use crate::settle::differing;

/// A description stands in the row of its project.
const DESCRIPTIONS: Table =
    Table { name: "projects", n_key: 1, columns: &["project", "description", "paths", "marks"] };

/// Writes the rows in which two states differ, and what is kept for queries. Who has looked ahead says
/// what the counts are made of.
pub(super) fn write(
    db: &Db<'_>,
    before: &Tables,
    after: &Tables,
    mut counted: Counted,
) -> Tried<()> {
    // The counts are taken of the rows as they are.
    let counts = tally::between(db, before, after, &mut counted)?;
    write_table(db, &before.runs, &after.runs, |(project, _), _| project.as_str().to_owned())?;
    write_table(db, &before.findings, &after.findings, |(project, ..), _| owned(project))?;
    write_table(db, &before.injections, &after.injections, |(project, _), _| owned(project))?;
    write_table(db, &before.effects, &after.effects, |(project, ..), _| owned(project))?;
    write_table(db, &before.deliberations, &after.deliberations, |(owner, _), _| owned(owner))?;
    write_table(db, &before.attempts, &after.attempts, |(project, _), _| owned(project))?;
    write_table(db, &before.consultations, &after.consultations, |(owner, _), _| owned(owner))?;
    write_table(db, &before.lessons, &after.lessons, |_, lesson| owner_of(lesson))?;
    let stones = differing(&before.tombstones, &after.tombstones);
    let gone: Vec<_> =
        stones.iter().filter_map(|(_, was, _)| was.map(rows::tombstone_cells)).collect();
    db.remove(&rows::TOMBSTONES, &gone)?;
    let new: Vec<_> =
        stones.iter().filter_map(|(_, _, is)| is.map(rows::tombstone_cells)).collect();
    db.put(&rows::TOMBSTONES, new)?;
    let described = differing(&before.projects, &after.projects);
    let described: Vec<_> =
        described.iter().map(|(id, _, is)| description_cells(id, *is)).collect();
    db.put(&DESCRIPTIONS, described)?;
    index::write(db, before, after)?;
    tally::write(db, &counts, counted)
}

/// One that moves to another owner leaves a row behind, which is removed.
fn write_table<T: Kept>(
    db: &Db<'_>,
    before: &BTreeMap<T::Key, T>,
    after: &BTreeMap<T::Key, T>,
    owner: impl Fn(&T::Key, &T) -> String,
) -> Tried<()> {
    let (mut gone, mut new) = (Vec::new(), Vec::new());
    for (key, was, is) in differing(before, after) {
        let old_owner = was.map(|row| owner(key, row));
        let new_owner = is.map(|row| owner(key, row));
        if let (Some(row), Some(project)) = (was, &old_owner)
            && old_owner != new_owner
        {
            gone.push(cells_of(project, row));
        }
        if let (Some(row), Some(project)) = (is, &new_owner) {
            new.push(cells_of(project, row));
        }
    }
    db.remove(&T::TABLE, &gone)?;
    db.put(&T::TABLE, new)
}

fn description_cells(id: &ProjectId, project: Option<&Project>) -> Vec<Cell> {
    let checkouts = || project.into_iter().flat_map(|project| &project.checkouts);
    let paths: Vec<&str> = checkouts().map(|checkout| checkout.path.as_str()).collect();
    let marks: Vec<&str> = checkouts()
        .filter_map(|checkout| checkout.mark.as_ref())
        .map(|mark| mark.as_str())
        .collect();
    let body = project.map(rows::to_json);
    cells![id.as_str(), body.as_deref(), paths, marks]
}
