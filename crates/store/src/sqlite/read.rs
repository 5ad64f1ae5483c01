//! The reads: each is a few index lookups, whatever the size of the store. A global
//! lesson has an owner of its own, so what a project sees is read from two ranges of
//! an index and merged.

use std::collections::BTreeSet;

use hardwon_core::change::Tombstone;
use hardwon_core::effect::Injection;
use hardwon_core::finding::FindingKey;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::{Arms, Lesson};
use hardwon_core::run::Run;
use hardwon_core::time::Timestamp;
use rusqlite::{Connection, Result, params, params_from_iter};

use super::index;
use super::rows::{self, GLOBAL, ProjectKey, all, one, worded};
use crate::asked::{self, Asked, PROGRESS};
use crate::cell::Cell;
use crate::rows::Kept;
use crate::{About, ProjectStatus, Proposals, Revision, Search, Tree};

/// A project in a file; the owner of the global lessons for one of which nothing was ever written.
pub(super) type Own<'a> = (&'a Connection, ProjectKey);

impl Asked for Own<'_> {
    type Error = rusqlite::Error;

    const OWNED: &'static str = "t.project = $1";
    const ALIASED: &'static str =
        "t.id IN (SELECT lesson FROM aliases WHERE project = $1 AND alias = ANY (?))";
    const SHOWED: &'static str = "(t.run, t.role, t.need) IN (
        SELECT run, role, need FROM showings WHERE project = $1 AND lesson = ANY (?))";
    const PROJECT: &'static str = "projects.id";

    fn own(&self) -> Cell {
        Cell::from(self.1.0)
    }

    fn global(&self) -> Cell {
        Cell::from(GLOBAL.0)
    }

    fn owners(&self) -> Vec<Cell> {
        BTreeSet::from([self.1, GLOBAL]).into_iter().map(|key| Cell::from(key.0)).collect()
    }

    fn select<T: Kept>(&self, rest: &str, values: &[Cell]) -> Result<Vec<T>> {
        rows::select(self.0, &worded(rest), params_from_iter(values))
    }

    fn select_lessons(&self, rest: &str, values: &[Cell]) -> Result<Vec<Lesson>> {
        rows::lesson::select(self.0, "lessons AS t", &worded(rest), params_from_iter(values))
    }

    fn select_with_project<T: Kept>(
        &self,
        rest: &str,
        values: &[Cell],
    ) -> Result<Vec<(ProjectId, T)>> {
        let sql = format!(
            "SELECT projects.id, t.body FROM {} AS t JOIN projects ON projects.key = t.project {}",
            T::TABLE.name,
            worded(rest)
        );
        all(self.0, &sql, params_from_iter(values), |row| {
            let row_of = rows::from_body(self.0, row.get_ref(1)?.as_str()?)?;
            Ok((ProjectId::new(row.get_ref(0)?.as_str()?), row_of))
        })
    }

    fn counted(&self, sql: &str, values: &[Cell]) -> Result<Vec<(String, u64)>> {
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64));
        all(self.0, &worded(sql), params_from_iter(values), read)
    }

    fn two(&self, sql: &str, values: &[Cell]) -> Result<[Option<i64>; 2]> {
        let read = |row: &rusqlite::Row<'_>| Ok([row.get(0)?, row.get(1)?]);
        Ok(one(self.0, &worded(sql), params_from_iter(values), read)?.unwrap_or_default())
    }

    fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
        rows::from_json(text)
    }

    fn search_findings(&self, terms: &[String], limit: usize) -> Result<Vec<(RunId, FindingKey)>> {
        index::search_findings(self.0, self.1, terms, limit)
    }
}

/// The key of a project; `None` for one of which nothing was ever written.
pub(super) fn project_key(db: &Connection, project: &ProjectId) -> Result<Option<ProjectKey>> {
    let sql = "SELECT key FROM projects WHERE id = ?1";
    one(db, sql, [project.as_str()], |row| row.get(0).map(ProjectKey))
}

pub(super) fn revision(db: &Connection, project: &ProjectId) -> Result<Revision> {
    let sql = "SELECT revision FROM projects WHERE id = ?1";
    let count = |id: &str| -> Result<u64> {
        let count = one(db, sql, [id], |row| row.get::<_, i64>(0))?;
        Ok(count.unwrap_or(0) as u64)
    };
    Ok(Revision { project: count(project.as_str())?, global: count("")? })
}

pub(super) fn status(db: &Connection, project: &ProjectId) -> Result<ProjectStatus> {
    let revision = revision(db, project)?;
    let Some(key) = project_key(db, project)? else {
        return Ok(ProjectStatus { revision, ..ProjectStatus::default() });
    };
    let [number, finished] = (db, key).two(PROGRESS, &[(db, key).own()])?;
    Ok(ProjectStatus {
        revision,
        run_number: number.unwrap_or(0) as u64,
        newest_finished: finished.map(Timestamp),
    })
}

pub(super) fn arms(own: Own<'_>) -> Result<Vec<(Arms, u64)>> {
    let sql = "
        SELECT arms, count(*) FROM lessons WHERE project = $1 AND is_shown = 1 GROUP BY arms";
    let mut arms: Vec<(Arms, u64)> = Vec::new();
    for owner in own.owners() {
        for (text, n) in own.counted(sql, &[owner])? {
            arms.push((rows::from_json(&text)?, n));
        }
    }
    arms.retain(|(arms, _)| arms.n_shown > 0 && arms.n_held_out > 0);
    Ok(arms)
}

pub(super) fn is_taken(db: &Connection, id: &LessonId) -> Result<bool> {
    let sql = "SELECT 1 FROM lessons WHERE id = ?1";
    Ok(one(db, sql, [id.as_str()], |_| Ok(()))?.is_some())
}

pub(super) fn search(own: Own<'_>, search: &Search) -> Result<Proposals> {
    let (db, key) = own;
    match &search.about {
        About::Lessons => {
            let (ids, corpus) = index::search_lessons(db, key, search)?;
            let ids: Vec<&str> = ids.iter().map(LessonId::as_str).collect();
            let lessons = rows::lesson::load_all(db, &ids)?;
            Ok(Proposals { lessons, corpus, ..Proposals::default() })
        }
        About::Deliberations(filter) if search.terms.is_empty() => {
            let deliberations = asked::deliberations(&own, filter, search.limit)?;
            let n_bytes = rows::deliberation::sums(db, key)?.1;
            Ok(Proposals { deliberations, n_bytes, ..Proposals::default() })
        }
        About::Deliberations(filter) => index::deliberation::search(db, key, search, filter),
        About::Attempts(issue) => {
            let attempts = asked::attempts(&own, issue, search.limit)?;
            Ok(Proposals { attempts, ..Proposals::default() })
        }
    }
}

pub(super) fn tree((db, key): Own<'_>, run: &RunId) -> Result<Tree> {
    let known: Option<Run> = rows::load(db, key, &[run.as_str()])?;
    let root = known.map_or_else(|| run.clone(), |known| known.root);
    let runs: Vec<Run> = rows::of_root(db, key, &root)?;
    let mut ids: BTreeSet<&RunId> = runs.iter().map(|run| &run.id).collect();
    ids.extend([run, &root]);
    let mut injections: Vec<Injection> = Vec::new();
    for id in ids {
        let rest = "WHERE project = ?1 AND run = ?2";
        injections.extend(rows::select::<Injection>(db, rest, params![key, id.as_str()])?);
    }
    injections.sort_by_key(|injection| (injection.at, injection.key()));
    Ok(Tree {
        injections,
        findings: rows::of_root(db, key, &root)?,
        effects: rows::of_root(db, key, &root)?,
        runs,
    })
}

pub(super) fn tombstones((db, own): Own<'_>) -> Result<Vec<Tombstone>> {
    let owners = [GLOBAL, own].into_iter().take(if own == GLOBAL { 1 } else { 2 });
    let found: Result<Vec<_>> = owners.map(|it| rows::tombstone::of_owner(db, it)).collect();
    Ok(found?.concat())
}

#[cfg(test)]
mod tests {
    use hardwon_core::lesson::State;

    use super::*;
    use crate::asked::Way;
    use crate::sqlite::{connection, migrate};
    use crate::{LessonQuery, Pick};

    #[test]
    fn reads_of_lessons_are_index_lookups() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        std::fs::write(&path, "").unwrap();
        let mut db = connection::open_existing(&path).unwrap();
        migrate::migrate(&path, &mut db, migrate::MIGRATIONS).unwrap();
        let planned = |query: &LessonQuery, way: Way| -> String {
            let asking = asked::asked_lessons::<Own<'_>>(Cell::from(1_i64), query, way);
            let rest = worded(&asking.rest);
            let sql = format!("EXPLAIN QUERY PLAN SELECT t.body FROM lessons AS t {rest}");
            let params = params_from_iter(&asking.values);
            let steps = all(&db, &sql, params, |row| row.get::<_, String>(3)).unwrap();
            steps.join("\n")
        };
        let plan = |query: &LessonQuery| planned(query, Way::Id);
        let cases = [
            (Pick::Waiting { n_helped: 3 }, "lessons_waiting"),
            (Pick::All, "lessons_by_prior"),
            (Pick::Injectable, "lessons_injectable"),
            (Pick::Kept, "lessons_kept"),
            (Pick::Shown, "lessons_shown"),
            (Pick::DecayDue { run_number: 9, window: 2 }, "lessons_by_decay"),
            (Pick::Named("l-1".to_owned()), "lessons_by_id"),
            (Pick::Ids(Vec::new()), "lessons_by_id"),
        ];
        for (pick, index) in cases {
            let states = vec![State::Candidate];
            let plan = plan(&LessonQuery { pick, states, limit: Some(9), ..Default::default() });
            assert!(plan.contains(&format!("SEARCH t USING INDEX {index} ")), "{plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        }
        let states = vec![State::Candidate];
        let by_state = plan(&LessonQuery { states, ..LessonQuery::default() });
        assert!(by_state.contains("USING INDEX lessons_counted "), "{by_state}");
        let pick = Pick::Named("l-1".to_owned());
        let query = LessonQuery { pick, ..LessonQuery::default() };
        assert!(plan(&query).contains("(project=? AND id>? AND id<?)"), "{}", plan(&query));
        let by_alias = planned(&query, Way::Alias);
        assert!(by_alias.contains("(project=? AND id=?)"), "{by_alias}");
        let pick = Pick::Scoped(Vec::new());
        let by_scope = plan(&LessonQuery { pick, ..LessonQuery::default() });
        assert!(by_scope.contains("USING INDEX lessons_by_scope "), "{by_scope}");
    }
}
