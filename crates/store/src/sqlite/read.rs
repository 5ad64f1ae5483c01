//! The reads: each is a few index lookups, whatever the size of the store. A global
//! lesson has an owner of its own, so what a project sees is read from two ranges of
//! an index and merged here.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Entry, Tombstone};
use hardwon_core::consult::Consultation;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::{Arms, Kind, Lesson, State};
use hardwon_core::run::Run;
use hardwon_core::scope::Scope;
use hardwon_core::time::Timestamp;
use hardwon_core::totals::Totals;
use rusqlite::{Connection, Result, ToSql, params};

use super::rows::{self, GLOBAL, ProjectKey, all, lesson::select_lessons, one, to_json};
use super::{index, journal};
use crate::query::latest_due_base;
use crate::{
    About, ConsultationQuery, FindingQuery, JournalQuery, LessonQuery, Pick, ProjectStatus,
    Proposals, Revision, Search, Tree,
};

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
    let (number, finished) = rows::run::progress(db, key)?;
    Ok(ProjectStatus {
        revision,
        run_number: number.unwrap_or(0) as u64,
        newest_finished: finished.map(Timestamp),
    })
}

pub(super) fn lessons(
    db: &Connection,
    project: &ProjectId,
    query: &LessonQuery,
) -> Result<Vec<Lesson>> {
    let own = project_key(db, project)?;
    let mut lessons = match &query.pick {
        Pick::Ids(ids) => by_ids(db, project, ids, query)?,
        Pick::All
        | Pick::Named(_)
        | Pick::Scoped(_)
        | Pick::Injectable
        | Pick::Kept
        | Pick::Shown
        | Pick::Waiting { .. }
        | Pick::DecayDue { .. } => {
            let mut lessons = Vec::new();
            for owner in own.into_iter().chain([GLOBAL]) {
                lessons.extend(of_owner(db, owner, query)?);
            }
            lessons
        }
    };
    lessons.sort_by(|a, b| query.pick.order(a, b));
    lessons.truncate(query.limit.unwrap_or(usize::MAX));
    Ok(lessons)
}

pub(super) fn totals(db: &Connection, project: &ProjectId) -> Result<Totals> {
    let mut totals = Totals::default();
    for owner in project_key(db, project)?.into_iter().chain([GLOBAL]) {
        rows::lesson::groups(db, owner)?.iter().for_each(|group| totals.take(group));
    }
    Ok(totals)
}

pub(super) fn scopes(db: &Connection, project: &ProjectId) -> Result<Vec<(Scope, u64)>> {
    let mut scopes: BTreeMap<Scope, u64> = BTreeMap::new();
    for owner in project_key(db, project)?.into_iter().chain([GLOBAL]) {
        for (scope, n) in rows::lesson::scopes(db, owner)? {
            *scopes.entry(scope).or_default() += n;
        }
    }
    Ok(scopes.into_iter().collect())
}

pub(super) fn arms(db: &Connection, project: &ProjectId) -> Result<Vec<(Arms, u64)>> {
    let mut arms = Vec::new();
    for owner in project_key(db, project)?.into_iter().chain([GLOBAL]) {
        arms.extend(rows::lesson::arms(db, owner)?);
    }
    arms.retain(|(arms, _)| arms.n_shown > 0 && arms.n_held_out > 0);
    Ok(arms)
}

pub(super) fn is_taken(db: &Connection, id: &LessonId) -> Result<bool> {
    let sql = "SELECT 1 FROM lessons WHERE id = ?1";
    Ok(one(db, sql, [id.as_str()], |_| Ok(()))?.is_some())
}

pub(super) fn search(db: &Connection, project: &ProjectId, search: &Search) -> Result<Proposals> {
    let own = project_key(db, project)?;
    match (&search.about, own) {
        (About::Lessons, own) => {
            let (ids, corpus) = index::search_lessons(db, own, search)?;
            let ids: Vec<&str> = ids.iter().map(LessonId::as_str).collect();
            let lessons = rows::lesson::load_all(db, &ids)?;
            Ok(Proposals { lessons, corpus, ..Proposals::default() })
        }
        (About::Deliberations(filter), Some(own)) => {
            index::deliberation::search(db, own, search, filter)
        }
        (About::Attempts(issue), Some(own)) => {
            let rest = "WHERE project = ?1 AND issue = ?2 ORDER BY at DESC, id LIMIT ?3";
            let limit = i64::try_from(search.limit).unwrap_or(i64::MAX);
            let attempts = rows::select(db, rest, params![own, issue, limit])?;
            Ok(Proposals { attempts, ..Proposals::default() })
        }
        (About::Deliberations(_) | About::Attempts(_), None) => Ok(Proposals::default()),
    }
}

pub(super) fn tree(db: &Connection, key: ProjectKey, run: &RunId) -> Result<Tree> {
    let known: Option<Run> = rows::load(db, key, &[run.as_str()])?;
    let root = known.map_or_else(|| run.clone(), |known| known.root);
    let runs: Vec<Run> = rows::of_root(db, key, &root)?;
    let mut ids: BTreeSet<&RunId> = runs.iter().map(|run| &run.id).collect();
    ids.extend([run, &root]);
    let mut injections: Vec<Injection> = Vec::new();
    for id in ids {
        injections.extend(rows::injection::of_run(db, key, id)?);
    }
    injections.sort_by_key(|injection| (injection.at, injection.key()));
    Ok(Tree {
        injections,
        findings: rows::of_root(db, key, &root)?,
        effects: rows::of_root(db, key, &root)?,
        runs,
    })
}

pub(super) fn findings(
    db: &Connection,
    key: ProjectKey,
    query: &FindingQuery,
) -> Result<Vec<Finding>> {
    let findings = match query {
        FindingQuery::OfLesson(lesson) => rows::finding::of_lesson(db, key, lesson)?,
        FindingQuery::Newest(page) => return rows::finding::page::newest(db, key, page),
        FindingQuery::FixedLike { signature, terms, limit } => {
            fixed_like(db, key, signature, terms, *limit)?
        }
        FindingQuery::InState(states) => {
            let mut all = rows::of_project(db, key)?;
            all.retain(|finding: &Finding| states.is_empty() || states.contains(&finding.state));
            all
        }
    };
    let mut aged = Vec::with_capacity(findings.len());
    for finding in findings {
        aged.push((rows::run::time(db, key, &finding.run)?, finding));
    }
    aged.sort_by(|(at_a, a), (at_b, b)| (at_a, &a.run, &a.key).cmp(&(at_b, &b.run, &b.key)));
    Ok(aged.into_iter().map(|(_, finding)| finding).collect())
}

pub(super) fn effects(
    db: &Connection,
    project: &ProjectId,
    lessons: &[LessonId],
) -> Result<Vec<(ProjectId, Effect)>> {
    let key = project_key(db, project)?;
    let mut effects = Vec::new();
    for lesson in lessons.iter().collect::<BTreeSet<_>>() {
        if rows::lesson::is_global(db, lesson)? {
            effects.extend(rows::effect::of_global_lesson(db, lesson)?);
        } else if let Some(key) = key {
            let own = rows::effect::of_lesson(db, key, lesson)?;
            effects.extend(own.into_iter().map(|effect| (project.clone(), effect)));
        }
    }
    Ok(effects)
}

pub(super) fn consultations(
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
    all(db, sql, params, |row| {
        let body = rows::from_json(row.get_ref(0)?.as_str()?)?;
        Ok((ProjectId::new(row.get_ref(1)?.as_str()?), body))
    })
}

pub(super) fn tombstones(db: &Connection, project: &ProjectId) -> Result<Vec<Tombstone>> {
    let mut found = rows::tombstone::of_owner(db, GLOBAL)?;
    if let Some(own) = project_key(db, project)? {
        found.extend(rows::tombstone::of_owner(db, own)?);
    }
    Ok(found)
}

pub(super) fn journal(
    db: &Connection,
    project: &ProjectId,
    query: &JournalQuery,
) -> Result<Vec<Entry>> {
    // A project without a row sees the global changes all the same.
    let key = project_key(db, project)?.unwrap_or(GLOBAL);
    journal::entries(db, key, query)
}

fn fixed_like(
    db: &Connection,
    project: ProjectKey,
    signature: &str,
    terms: &[String],
    limit: usize,
) -> Result<Vec<Finding>> {
    let mut found = match signature {
        "" => Vec::new(),
        _ => rows::finding::fixed_with_signature(db, project, signature, limit)?,
    };
    let known: BTreeSet<_> = found.iter().map(|f| (f.run.clone(), f.key.clone())).collect();
    for place in index::search_findings(db, project, terms, limit)? {
        if found.len() < limit && !known.contains(&place) {
            found.extend(rows::load(db, project, &[place.0.as_str(), &place.1.0])?);
        }
    }
    Ok(found)
}

fn by_ids(
    db: &Connection,
    project: &ProjectId,
    ids: &[LessonId],
    query: &LessonQuery,
) -> Result<Vec<Lesson>> {
    let ids: BTreeSet<&str> = ids.iter().map(LessonId::as_str).collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    let mut lessons = rows::lesson::load_all(db, &ids)?;
    lessons.retain(|lesson| {
        let is_visible = lesson.project.as_ref().is_none_or(|owner| owner == project);
        is_visible && query.admits(lesson)
    });
    Ok(lessons)
}

/// Statements for [`of_owner`]. ?1 owner, ?2 and ?3 states and kinds as JSON (null =
/// every one), ?4 limit (-1 = none), ?5 and ?6 as each says.
mod sql {
    use super::select_lessons;

    macro_rules! filtered {
        ($condition:expr, $order:literal) => {
            concat!(
                select_lessons!("WHERE lessons.project = ?1 AND "),
                $condition,
                " AND (?2 IS NULL OR lessons.state IN (SELECT value FROM json_each(?2)))
                  AND (?3 IS NULL OR lessons.kind IN (SELECT value FROM json_each(?3))) ",
                $order,
                " LIMIT ?4"
            )
        };
    }

    /// ?5 and ?6 prior and id after which the page begins.
    macro_rules! page {
        ($condition:literal) => {
            filtered!(
                concat!("prior <= ?5 AND (prior < ?5 OR lessons.id > ?6) AND ", $condition),
                "ORDER BY prior DESC, lessons.id"
            )
        };
    }

    pub(super) const ALL: &str = page!("TRUE");
    /// All in some states: mostly few, and in the order of a page all others would be passed.
    pub(super) const BY_STATE: &str =
        filtered!("lessons.state IN (SELECT value FROM json_each(?2))", "");
    pub(super) const INJECTABLE: &str = page!("is_injectable = 1");
    pub(super) const KEPT: &str = page!("is_kept = 1");
    /// Only their ids, from the index: ?1 owner, ?2 and ?3 where the page begins, ?4 limit.
    macro_rules! ids {
        ($condition:literal) => {
            concat!(
                "SELECT id FROM lessons WHERE project = ?1
                   AND prior <= ?2 AND (prior < ?2 OR id > ?3) AND ",
                $condition,
                " ORDER BY prior DESC, id LIMIT ?4"
            )
        };
    }
    pub(super) const KEPT_IDS: &str = ids!("is_kept = 1");
    pub(super) const INJECTABLE_IDS: &str = ids!("is_injectable = 1");
    pub(super) const SHOWN: &str = page!("is_shown = 1");
    /// ?7 how often a stable one helped of which a person may have to decide.
    pub(super) const WAITING: &str =
        page!("(waits = 1 OR n_helped > 0) AND (waits = 1 OR n_helped >= ?7)");
    /// ?5 latest base that is due.
    pub(super) const DECAY_DUE: &str =
        filtered!("decay_base IS NOT NULL AND decay_base <= ?5", "ORDER BY decay_base, lessons.id");
    /// ?5 the beginning of an id, ?6 what comes after all ids that begin so.
    pub(super) const BY_PREFIX: &str =
        filtered!("lessons.id >= ?5 AND lessons.id < ?6", "ORDER BY lessons.id");
    /// ?5 scopes as JSON texts. Few are sorted; read in the order of ids, all would be looked at.
    pub(super) const BY_SCOPE: &str =
        filtered!("lessons.scope IN (SELECT value FROM json_each(?5))", "ORDER BY +lessons.id");
    /// ?5 an alias.
    pub(super) const BY_ALIAS: &str = filtered!(
        "lessons.id IN (SELECT lesson FROM aliases WHERE project = ?1 AND alias = ?5)",
        "ORDER BY lessons.id"
    );
}

fn of_owner(db: &Connection, owner: ProjectKey, query: &LessonQuery) -> Result<Vec<Lesson>> {
    let states: Vec<&str> = query.states.iter().map(|state: &State| state.word()).collect();
    let kinds: Vec<&str> = query.kinds.iter().map(|kind: &Kind| kind.word()).collect();
    let states = (!states.is_empty()).then(|| to_json(&states));
    let kinds = (!kinds.is_empty()).then(|| to_json(&kinds));
    let limit = query.limit.map_or(-1, |limit| limit as i64);
    let read = |sql: &str, params: &[&dyn ToSql]| rows::lesson::read(db, sql, params);
    let after = query.after.as_ref();
    let after = after.map_or((f64::INFINITY, ""), |from| (from.prior, from.id.as_str()));
    let page = |sql: &str| {
        let (prior, id) = after;
        read(sql, params![owner, states, kinds, limit, prior, id])
    };
    // A statement that gives whole lessons takes as long to prepare as ten of them to read, and
    // that by ids is ready mostly.
    let by_ids = |sql: &str| {
        let (prior, id) = after;
        let ids: Vec<String> = all(db, sql, params![owner, prior, id, limit], |row| row.get(0))?;
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        if ids.is_empty() { Ok(Vec::new()) } else { rows::lesson::load_all(db, &ids) }
    };
    let is_open = states.is_none() && kinds.is_none() && query.limit.is_some();
    match &query.pick {
        Pick::Injectable if is_open => by_ids(sql::INJECTABLE_IDS),
        Pick::Kept if is_open => by_ids(sql::KEPT_IDS),
        Pick::All if states.is_some() && query.limit.is_none() && query.after.is_none() => {
            read(sql::BY_STATE, params![owner, states, kinds, limit])
        }
        Pick::All => page(sql::ALL),
        Pick::Injectable => page(sql::INJECTABLE),
        Pick::Kept => page(sql::KEPT),
        Pick::Shown => page(sql::SHOWN),
        Pick::Waiting { n_helped } => {
            let (prior, id) = after;
            read(sql::WAITING, params![owner, states, kinds, limit, prior, id, (*n_helped).max(1)])
        }
        Pick::DecayDue { run_number, window } => {
            let latest = latest_due_base(*run_number, *window);
            read(sql::DECAY_DUE, params![owner, states, kinds, limit, latest])
        }
        Pick::Named(name) => {
            let after = format!("{name}{}", char::MAX);
            let params = params![owner, states, kinds, limit, name, after];
            let mut lessons = read(sql::BY_PREFIX, params)?;
            let by_alias = read(sql::BY_ALIAS, params![owner, states, kinds, limit, name])?;
            let is_new = |lesson: &Lesson| !lesson.id.as_str().starts_with(name.as_str());
            lessons.extend(by_alias.into_iter().filter(is_new));
            Ok(lessons)
        }
        Pick::Scoped(scopes) => {
            let scopes: Vec<String> = scopes.iter().map(to_json).collect();
            read(sql::BY_SCOPE, params![owner, states, kinds, limit, to_json(&scopes)])
        }
        Pick::Ids(_) => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::{connection, migrate};

    fn plan(db: &Connection, sql: &str) -> String {
        let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let n_params = statement.parameter_count();
        let params = rusqlite::params_from_iter(vec![1; n_params]);
        let steps = statement.query_map(params, |row| row.get::<_, String>(3)).unwrap();
        steps.map(|step| step.unwrap() + "\n").collect()
    }

    #[test]
    fn reads_of_lessons_are_index_lookups() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        std::fs::write(&path, "").unwrap();
        let mut db = connection::open_existing(&path).unwrap();
        migrate::migrate(&path, &mut db, migrate::MIGRATIONS).unwrap();
        let cases = [
            (sql::WAITING, "lessons_waiting"),
            (sql::ALL, "lessons_by_prior"),
            (sql::BY_STATE, "lessons_counted"),
            (sql::INJECTABLE, "lessons_injectable"),
            (sql::KEPT, "lessons_kept"),
            (sql::SHOWN, "lessons_shown"),
            (sql::DECAY_DUE, "lessons_by_decay"),
            (sql::BY_PREFIX, "lessons_by_id"),
            (sql::BY_ALIAS, "lessons_by_id"),
            (rows::lesson::BY_IDS, "sqlite_autoindex_lessons_1"),
        ];
        for (sql, index) in cases {
            let plan = plan(&db, sql);
            assert!(plan.contains(&format!("SEARCH lessons USING INDEX {index} ")), "{plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        }
        let by_scope = plan(&db, sql::BY_SCOPE);
        assert!(by_scope.contains("USING INDEX lessons_by_scope "), "{by_scope}");
        for (sql, index) in
            [(sql::KEPT_IDS, "lessons_kept"), (sql::INJECTABLE_IDS, "lessons_injectable")]
        {
            let plan = plan(&db, sql);
            let expected = format!("SEARCH lessons USING COVERING INDEX {index} ");
            assert!(plan.contains(&expected) && !plan.contains("TEMP B-TREE"), "{plan}");
        }
    }
}
