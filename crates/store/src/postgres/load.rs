//! The rows as the plain maps of `core::change`: those that a batch touches, those of some root runs,
//! or all of them.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Row, Tables};
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::project::Project;

use super::client::Statement;
use super::db::{Db, Reach};
use super::routine::Routine;
use super::rows::{self, Kept, both, parsed, select, select_with_project, statement};
use super::trouble::Tried;
use crate::cell::{Cell, cells};
use crate::settle::Touched;

pub(super) const RUNS_OF_ROOTS: Routine = Routine {
    name: "runs_of_roots",
    takes: "text, text[]",
    gives: "body text, bodies text",
    sql: "
        SELECT t.body, t.bodies FROM hardwon.runs AS t
        WHERE t.project = $1 AND t.root = ANY ($2)",
};

pub(super) const FINDINGS_OF_ROOTS: Routine = Routine {
    name: "findings_of_roots",
    takes: "text, text[]",
    gives: "body text, bodies text",
    sql: "
        SELECT t.body, t.bodies FROM hardwon.findings AS t
        WHERE t.project = $1 AND t.root = ANY ($2)",
};

pub(super) const EFFECTS_OF_ROOTS: Routine = Routine {
    name: "effects_of_roots",
    takes: "text, text[]",
    gives: "body text, bodies text",
    sql: "
        SELECT t.body, t.bodies FROM hardwon.effects AS t
        WHERE t.project = $1 AND t.root = ANY ($2)",
};

/// Those of the touched rows that exist, with those that are known.
pub(super) fn touched(
    db: &Db<'_>,
    project: &ProjectId,
    touched: Touched,
    known: Tables,
) -> Tried<Tables> {
    let mut tables = known;
    find_elsewhere(db, project, &touched.lessons, &mut tables.lessons)?;
    if !touched.tombstones.is_empty() {
        let ids: Vec<&str> = touched.tombstones.iter().map(|(_, id)| id.as_str()).collect();
        let rest = "WHERE project = ANY ($1) AND lesson = ANY ($2)";
        let found = rows::tombstones(db, rest, &cells![both(project), ids])?;
        let found = found.into_iter().map(|stone| (stone.key(), stone));
        tables.tombstones = found.filter(|(key, _)| touched.tombstones.contains(key)).collect();
    }
    if touched.projects.is_empty() {
        return Ok(tables);
    }
    // A checkout may go from another project to this one.
    db.reach(&Reach::Everything(Some(project)))?;
    for id in touched.projects {
        tables.projects.extend(description(db, &id)?.map(|project| (id, project)));
    }
    db.reach(&Reach::Project(project))?;
    Ok(tables)
}

/// Finds lessons by their ids, whosever they are, as far as that can be seen: that one is another
/// project's is why a batch is refused. To look through all partitions takes longer than all the
/// rest of a write, so who sees no more by it does not look.
fn find_elsewhere(
    db: &Db<'_>,
    project: &ProjectId,
    ids: &BTreeSet<LessonId>,
    lessons: &mut BTreeMap<LessonId, Lesson>,
) -> Tried<()> {
    let missing: Vec<&str> =
        ids.iter().filter(|id| !lessons.contains_key(id)).map(LessonId::as_str).collect();
    if !missing.is_empty() && db.is_owner()? {
        db.reach(&Reach::Everything(Some(project)))?;
        let mut found = select::<Lesson>(db, "WHERE t.id = ANY ($1)", &cells![missing])?;
        db.reach(&Reach::Project(project))?;
        lessons.extend(found.drain(..).map(|lesson| (lesson.id.clone(), lesson)));
    }
    Ok(())
}

/// A statement for rows with these ids, if there are any.
pub(super) fn by_id<T: Kept>(project: &ProjectId, ids: Vec<String>) -> Option<Statement> {
    let rest = "WHERE t.project = $1 AND t.id = ANY ($2)";
    (!ids.is_empty()).then(|| statement::<T>(rest, &cells![project.as_str(), ids]))
}

/// What is known of these root runs: runs, findings and effects.
pub(super) fn of_roots(
    db: &Db<'_>,
    project: &ProjectId,
    roots: &[&RunId],
    tables: &mut Tables,
) -> Tried<()> {
    let roots: Vec<&str> = roots.iter().map(|root| root.as_str()).collect();
    let params = cells![project.as_str(), roots];
    let all = [&RUNS_OF_ROOTS, &FINDINGS_OF_ROOTS, &EFFECTS_OF_ROOTS];
    let rows = db.all_of(all.map(|routine| db.named(routine, params.clone())).to_vec())?;
    put(&mut tables.runs, project, parsed(&rows[0])?);
    put(&mut tables.findings, project, parsed(&rows[1])?);
    put(&mut tables.effects, project, parsed(&rows[2])?);
    Ok(())
}

/// Everything, of every project.
pub(super) fn everything(db: &Db<'_>) -> Tried<Tables> {
    fn every<T: Kept>(db: &Db<'_>) -> Tried<BTreeMap<T::Key, T>> {
        let found = select_with_project::<T>(db, "", &[])?.into_iter();
        Ok(found.map(|(project, row)| (row.key_in(&project), row)).collect())
    }
    // Global ones belong to no project.
    let lessons: Vec<Lesson> = select(db, "", &[])?;
    let stones = rows::tombstones(db, "", &[])?;
    let projects = described(db, "", &[])?;
    Ok(Tables {
        runs: every(db)?,
        findings: every(db)?,
        lessons: lessons.into_iter().map(|lesson| (lesson.id.clone(), lesson)).collect(),
        injections: every(db)?,
        effects: every(db)?,
        deliberations: every(db)?,
        attempts: every(db)?,
        consultations: every(db)?,
        tombstones: stones.into_iter().map(|stone| (stone.key(), stone)).collect(),
        projects: projects.into_iter().map(|project| (project.id.clone(), project)).collect(),
    })
}

/// The descriptions of projects of which the condition holds.
fn described(db: &Db<'_>, condition: &str, params: &[Cell]) -> Tried<Vec<Project>> {
    let sql = format!(
        "SELECT description FROM hardwon.projects WHERE description IS NOT NULL {condition}"
    );
    db.all(&sql, params)?.iter().map(|row| rows::from_json(row.get(0))).collect()
}

fn description(db: &Db<'_>, project: &ProjectId) -> Tried<Option<Project>> {
    Ok(described(db, "AND project = $1", &cells![project.as_str()])?.pop())
}

/// Puts rows of a project under their keys.
pub(super) fn put<R: Row>(
    table: &mut BTreeMap<R::Key, R>,
    project: &ProjectId,
    rows: impl IntoIterator<Item = R>,
) {
    table.extend(rows.into_iter().map(|row| (row.key_in(project), row)));
}
