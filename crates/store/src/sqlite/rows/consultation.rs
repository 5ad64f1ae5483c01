//! Rows of `consultations`. What is asked for by a query has a column; the rest is one document.

use hardwon_core::consult::Consultation;
use hardwon_core::ids::ProjectId;
use rusqlite::{Connection, Result, Row, params};

use super::{ProjectKey, all, one, run};
use crate::ConsultationQuery;
use crate::sqlite::cells::{Cells, to_json};

fn read(row: &Row<'_>) -> Result<Consultation> {
    Cells::new(row).json()
}

pub(crate) fn load(db: &Connection, project: ProjectKey, id: &str) -> Result<Option<Consultation>> {
    let sql = "SELECT body FROM consultations WHERE project = ?1 AND id = ?2";
    one(db, sql, params![project, id], read)
}

pub(crate) fn of_project(db: &Connection, project: ProjectKey) -> Result<Vec<Consultation>> {
    all(db, "SELECT body FROM consultations WHERE project = ?1 ORDER BY id", [project], read)
}

pub(crate) fn find(
    db: &Connection,
    query: &ConsultationQuery,
) -> Result<Vec<(ProjectId, Consultation)>> {
    let sql = "
        SELECT body, projects.id FROM consultations JOIN projects ON projects.key = project
        WHERE at >= ?1 AND (?2 IS NULL OR projects.id = ?2) AND (?3 IS NULL OR evidence = ?3)
        ORDER BY at DESC, projects.id, consultations.id LIMIT ?4";
    let params = params![
        query.since.map_or(i64::MIN, |since| since.0),
        query.project.as_ref().map(ProjectId::as_str),
        query.evidence,
        query.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX)),
    ];
    all(db, sql, params, |row| Ok((ProjectId::new(row.get_ref(1)?.as_str()?), read(row)?)))
}

pub(crate) fn write(
    db: &Connection,
    project: ProjectKey,
    id: &str,
    after: Option<&Consultation>,
) -> Result<()> {
    let Some(after) = after else {
        let sql = "DELETE FROM consultations WHERE project = ?1 AND id = ?2";
        return run(db, sql, params![project, id]).map(drop);
    };
    let sql = "
        REPLACE INTO consultations (project, id, at, evidence, body) VALUES (?1, ?2, ?3, ?4, ?5)";
    let params = params![project, id, after.at.0, after.evidence, to_json(after)];
    run(db, sql, params).map(drop)
}
