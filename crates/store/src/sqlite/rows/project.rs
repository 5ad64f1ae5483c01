//! Rows of `projects`, as far as they describe a project, and of `checkouts`.

use std::collections::BTreeMap;

use hardwon_core::ids::ProjectId;
use hardwon_core::project::{Checkout, Mark, Project};
use hardwon_core::team::Team;
use rusqlite::types::Type;
use rusqlite::{Connection, Error, Params, Result, Row, params};

use super::{ProjectKey, all, run};
use crate::ProjectQuery;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, lineage, path, mark, members
             FROM projects LEFT JOIN checkouts ON checkouts.project = projects.key
                           LEFT JOIN teams ON teams.project = projects.key
             WHERE id <> '' ",
            $rest,
            " ORDER BY id, path"
        )
    };
}

fn read(row: &Row<'_>) -> Result<(Project, Option<Checkout>)> {
    let id = ProjectId::new(row.get_ref(0)?.as_str()?);
    let (name, lineage, team) = (row.get(1)?, row.get(2)?, team(row)?);
    let project = Project { name, lineage, team, ..Project::bare(id) };
    let mark: Option<String> = row.get(4)?;
    let mark = mark.as_deref().and_then(Mark::parse);
    Ok((project, row.get::<_, Option<String>>(3)?.map(|path| Checkout { path, mark })))
}

fn team(row: &Row<'_>) -> Result<Option<Team>> {
    let Some(members) = row.get_ref(5)?.as_str_or_null()? else { return Ok(None) };
    let strange = |error| Error::FromSqlConversionFailure(5, Type::Text, Box::new(error));
    serde_json::from_str(members).map(Some).map_err(strange)
}

/// By id.
fn projects(db: &Connection, sql: &str, params: impl Params) -> Result<Vec<Project>> {
    let mut projects: BTreeMap<ProjectId, Project> = BTreeMap::new();
    for (project, checkout) in all(db, sql, params, read)? {
        let project = projects.entry(project.id.clone()).or_insert(project);
        project.checkouts.extend(checkout);
    }
    Ok(projects.into_values().collect())
}

/// Every project, described or not.
pub(crate) fn every(db: &Connection) -> Result<Vec<Project>> {
    projects(db, select!(""), [])
}

pub(crate) fn query(db: &Connection, query: &ProjectQuery) -> Result<Vec<Project>> {
    match query {
        ProjectQuery::All => every(db),
        ProjectQuery::Near { path, mark, ids } => {
            let sql = select!(
                "AND (projects.key IN (SELECT project FROM checkouts WHERE path = ?1)
                   OR projects.key IN (SELECT project FROM checkouts WHERE mark = ?2)
                   OR id IN (?3, ?4))"
            );
            let [first, second] = ids;
            let mark = mark.as_ref().map(Mark::as_str);
            projects(db, sql, params![path, mark, first.as_str(), second.as_str()])
        }
    }
}

/// The project, if somebody described it.
pub(crate) fn load(db: &Connection, id: &ProjectId) -> Result<Option<Project>> {
    let found = projects(db, select!("AND id = ?1"), [id.as_str()])?;
    Ok(found.into_iter().find(|project| !project.is_bare()))
}

pub(crate) fn write(db: &Connection, key: ProjectKey, after: Option<&Project>) -> Result<()> {
    run(db, "DELETE FROM checkouts WHERE project = ?1", [key])?;
    run(db, "DELETE FROM teams WHERE project = ?1", [key])?;
    let name = after.and_then(|project| project.name.as_deref());
    let lineage = after.and_then(|project| project.lineage.as_deref());
    let sql = "UPDATE projects SET name = ?2, lineage = ?3 WHERE key = ?1";
    run(db, sql, params![key, name, lineage])?;
    if let Some(team) = after.and_then(|project| project.team.as_ref()) {
        let members = serde_json::to_string(team).expect("a team can be written as JSON");
        let sql = "INSERT INTO teams (project, members) VALUES (?1, ?2)";
        run(db, sql, params![key, members])?;
    }
    for Checkout { path, mark } in after.iter().flat_map(|project| &project.checkouts) {
        let sql = "INSERT INTO checkouts (project, path, mark) VALUES (?1, ?2, ?3)";
        run(db, sql, params![key, path, mark.as_ref().map(Mark::as_str)])?;
    }
    Ok(())
}
