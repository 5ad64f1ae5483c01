//! The reads: each is a few lookups in indexes, whatever the size of the store. What a project sees of
//! lessons is its own and the global ones, which the empty project owns.

use std::collections::BTreeSet;

use hardwon_core::change::{Tables, Tombstone};
use hardwon_core::effect::Injection;
use hardwon_core::finding::FindingKey;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::project::Project;
use hardwon_core::time::Timestamp;
use tokio_postgres::Row;

use super::db::Db;
use super::index;
use super::load;
use super::routine::Routine;
use super::rows::{self, GLOBAL, both, from_json, select};
use super::trouble::{Tried, Trouble};
use crate::asked::{self, Asked, PROGRESS};
use crate::cell::{Cell, cells};
use crate::memory::tree_of;
use crate::rows::Kept;
use crate::{
    About, LessonQuery, Pick, ProjectQuery, ProjectStatus, Proposals, Revision, Search, Tree,
};

/// A project on a server.
pub(super) type Own<'a> = (&'a Db<'a>, &'a ProjectId);

impl Asked for Own<'_> {
    type Error = Trouble;

    const OWNED: &'static str = "t.project = ANY ($1)";
    const ALIASED: &'static str = "t.aliases @> ?";
    const SHOWED: &'static str = "t.lessons @> ?";
    const PROJECT: &'static str = "t.project";

    fn own(&self) -> Cell {
        Cell::from(self.1.as_str())
    }

    fn global(&self) -> Cell {
        Cell::from(GLOBAL)
    }

    fn owners(&self) -> Vec<Cell> {
        vec![Cell::from(both(self.1))]
    }

    fn select<T: Kept>(&self, rest: &str, values: &[Cell]) -> Tried<Vec<T>> {
        select(self.0, rest, values)
    }

    fn select_lessons(&self, rest: &str, values: &[Cell]) -> Tried<Vec<Lesson>> {
        select(self.0, rest, values)
    }

    fn select_with_project<T: Kept>(
        &self,
        rest: &str,
        values: &[Cell],
    ) -> Tried<Vec<(ProjectId, T)>> {
        rows::select_with_project(self.0, rest, values)
    }

    fn counted(&self, sql: &str, values: &[Cell]) -> Tried<Vec<(String, u64)>> {
        let rows = self.0.all(sql, values)?;
        Ok(rows.iter().map(|row| (row.get(0), row.get::<_, i64>(1) as u64)).collect())
    }

    fn two(&self, sql: &str, values: &[Cell]) -> Tried<[Option<i64>; 2]> {
        let row = self.0.one(sql, values)?;
        Ok(row.map_or([None; 2], |row| [row.get(0), row.get(1)]))
    }

    fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Tried<T> {
        from_json(text)
    }

    fn search_findings(&self, terms: &[String], limit: usize) -> Tried<Vec<(RunId, FindingKey)>> {
        index::search_findings(self.0, self.1, terms, limit)
    }
}

pub(super) fn status(db: &Db<'_>, project: &ProjectId) -> Tried<ProjectStatus> {
    let progress = (PROGRESS.to_owned(), cells![project.as_str()]);
    let revisions = db.named(&REVISIONS, cells![project.as_str()]);
    let rows = db.all_of(vec![revisions, progress])?;
    let mut status = ProjectStatus { revision: revision_of(&rows[0]), ..ProjectStatus::default() };
    if let Some(row) = rows[1].first() {
        status.run_number = row.get::<_, Option<i64>>(0).unwrap_or(0) as u64;
        status.newest_finished = row.get::<_, Option<i64>>(1).map(Timestamp);
    }
    Ok(status)
}

pub(super) fn revision(db: &Db<'_>, project: &ProjectId) -> Tried<Revision> {
    Ok(revision_of(&db.ask(&REVISIONS, cells![project.as_str()])?))
}

pub(super) const REVISIONS: Routine = Routine {
    name: "revisions",
    takes: "text",
    gives: "project text, revision bigint",
    sql: "SELECT p.project, p.revision FROM hardwon.projects AS p WHERE p.project IN ($1, '')",
};

/// What a person wants kept in mind, best first.
pub(super) const KEPT_LESSONS: Routine = Routine {
    name: "kept_lessons",
    takes: "text, bigint",
    gives: "body text, bodies text",
    sql: "
        SELECT t.body, t.bodies FROM hardwon.lessons AS t
        WHERE t.project IN ($1, '') AND t.is_kept ORDER BY t.prior DESC, t.id LIMIT $2",
};

fn revision_of(rows: &[Row]) -> Revision {
    let mut revision = Revision::default();
    for row in rows {
        let n = row.get::<_, i64>(1) as u64;
        match row.get(0) {
            GLOBAL => revision.global = n,
            _ => revision.project = n,
        }
    }
    revision
}

pub(super) fn lessons(db: &Db<'_>, project: &ProjectId, query: &LessonQuery) -> Tried<Vec<Lesson>> {
    let LessonQuery { pick, states, kinds, after, limit } = query;
    if states.is_empty() && kinds.is_empty() && after.is_none() {
        if let (Pick::Ids(ids), None) = (pick, limit) {
            let ids: BTreeSet<&str> = ids.iter().map(LessonId::as_str).collect();
            let ids: Vec<&str> = ids.into_iter().collect();
            return rows::lessons_by_id(db, project, &ids);
        }
        if let Pick::Kept = pick {
            let limit = limit.map(|limit| limit as i64);
            return rows::parsed(&db.ask(&KEPT_LESSONS, cells![project.as_str(), limit])?);
        }
    }
    asked::lessons(&(db, project), query)
}

pub(super) fn is_taken(db: &Db<'_>, project: &ProjectId, id: &LessonId) -> Tried<bool> {
    let sql = "SELECT 1 FROM hardwon.lessons WHERE project = ANY ($1) AND id = $2 LIMIT 1";
    let wide = "SELECT 1 FROM hardwon.lessons WHERE id = $1 LIMIT 1";
    let found = match db.is_owner()? {
        true => db.one(wide, &cells![id.as_str()])?,
        false => db.one(sql, &cells![both(project), id.as_str()])?,
    };
    Ok(found.is_some())
}

pub(super) fn search(db: &Db<'_>, project: &ProjectId, search: &Search) -> Tried<Proposals> {
    match &search.about {
        About::Lessons => {
            let (ids, corpus) = index::search_lessons(db, project, search)?;
            let ids: Vec<&str> = ids.iter().map(LessonId::as_str).collect();
            let lessons = rows::lessons_by_id(db, project, &ids)?;
            Ok(Proposals { lessons, corpus, ..Proposals::default() })
        }
        About::Deliberations(filter) => index::search_deliberations(db, project, search, filter),
        About::Attempts(issue) => {
            let attempts = asked::attempts(&(db, project), issue, search.limit)?;
            Ok(Proposals { attempts, ..Proposals::default() })
        }
    }
}

pub(super) fn tree(db: &Db<'_>, project: &ProjectId, run: &RunId) -> Tried<Tree> {
    let sql = "SELECT root FROM hardwon.runs WHERE project = $1 AND id = $2";
    let known = db.one(sql, &cells![project.as_str(), run.as_str()])?;
    let root = known.map(|row| rows::run_id(row.get(0))).transpose()?;
    let root = root.unwrap_or_else(|| run.clone());
    let mut tables = Tables::default();
    load::of_roots(db, project, &[&root], &mut tables)?;
    let ids: BTreeSet<&str> =
        tables.runs.keys().map(|(_, id)| id).chain([run, &root]).map(RunId::as_str).collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    let rest = "WHERE t.project = $1 AND t.run = ANY ($2)";
    let shown: Vec<Injection> = select(db, rest, &cells![project.as_str(), ids])?;
    let shown = shown.into_iter().map(|it| ((project.clone(), it.key()), it));
    tables.injections = shown.collect();
    Ok(tree_of(&tables, project, run))
}

pub(super) fn tombstones(db: &Db<'_>, project: &ProjectId) -> Tried<Vec<Tombstone>> {
    let rest = "WHERE project = ANY ($1) ORDER BY project, lesson";
    rows::tombstones(db, rest, &cells![both(project)])
}

/// The project with this id, if anything was ever kept of it. Looked up by its key.
pub(super) fn project(db: &Db<'_>, id: &ProjectId) -> Tried<Option<Project>> {
    Ok(select_projects(db, "AND project = $1", &cells![id.as_str()])?.pop())
}

pub(super) fn projects(db: &Db<'_>, query: &ProjectQuery) -> Tried<Vec<Project>> {
    let ProjectQuery::Near { path, mark, ids } = query else { return select_projects(db, "", &[]) };
    let ids: Vec<&str> = ids.iter().map(ProjectId::as_str).collect();
    let marks: Vec<&str> = mark.iter().map(|mark| mark.as_str()).collect();
    let condition = "AND (project = ANY ($1) OR paths @> $2 OR marks && $3)";
    select_projects(db, condition, &cells![ids, vec![path.as_str()], marks])
}

fn select_projects(db: &Db<'_>, condition: &str, params: &[Cell]) -> Tried<Vec<Project>> {
    let sql = format!(
        "SELECT project, description FROM hardwon.projects
         WHERE project <> '' {condition} ORDER BY project"
    );
    let read = |row: &tokio_postgres::Row| match row.get::<_, Option<&str>>(1) {
        Some(description) => from_json(description),
        None => Ok(Project::bare(ProjectId::new(row.get(0)))),
    };
    db.all(&sql, params)?.iter().map(read).collect()
}
