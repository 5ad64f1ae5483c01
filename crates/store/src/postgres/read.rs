//! The reads: each is a few lookups in indexes, whatever the size of the store. What a project sees of
//! lessons is its own and the global ones, which the empty project owns.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Tables, Tombstone};
use hardwon_core::consult::Consultation;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::{Finding, FindingKey};
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::project::Project;
use hardwon_core::run::Run;
use hardwon_core::scope::Scope;
use hardwon_core::time::Timestamp;
use tokio_postgres::Row;

use super::db::Db;
use super::index;
use super::load;
use super::routine::Routine;
use super::rows::{self, GLOBAL, both, from_json, select, select_with_project};
use super::trouble::Tried;
use crate::cell::{Cell, cells};
use crate::memory::tree_of;
use crate::query::latest_due_base;
use crate::{
    About, BlockTotals, ConsultationQuery, FindingPage, FindingQuery, LessonQuery, Pick,
    ProjectQuery, ProjectStatus, Proposals, Revision, RunQuery, Search, Tree,
};

pub(super) fn status(db: &Db<'_>, project: &ProjectId) -> Tried<ProjectStatus> {
    let progress = "SELECT max(number), max(finished) FROM hardwon.runs WHERE project = $1";
    let progress = (progress.to_owned(), cells![project.as_str()]);
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
    if let LessonQuery { pick: Pick::Ids(ids), states, kinds, after: None, limit: None } = query
        && states.is_empty()
        && kinds.is_empty()
    {
        let ids: BTreeSet<&str> = ids.iter().map(LessonId::as_str).collect();
        let mut lessons = rows::lessons_by_id(db, project, &ids.into_iter().collect::<Vec<_>>())?;
        lessons.sort_by(|a, b| query.pick.order(a, b));
        return Ok(lessons);
    }
    if let LessonQuery { pick: Pick::Kept, states, kinds, after: None, limit } = query
        && states.is_empty()
        && kinds.is_empty()
    {
        let limit = limit.map(|limit| limit as i64);
        return rows::parsed(&db.ask(&KEPT_LESSONS, cells![project.as_str(), limit])?);
    }
    let mut params = cells![both(project)];
    let mut rest = "WHERE t.project = ANY ($1)".to_owned();
    let mut ask = |condition: &str, asked: Vec<Cell>| {
        let mut condition = condition.to_owned();
        for cell in asked {
            params.push(cell);
            condition = condition.replacen('?', &format!("${}", params.len()), 1);
        }
        rest += &format!(" AND {condition}");
    };
    let mut order = "t.prior DESC, t.id";
    match &query.pick {
        Pick::All => {}
        Pick::Ids(ids) => {
            let ids: Vec<&str> = ids.iter().map(LessonId::as_str).collect();
            ask("t.id = ANY (?)", cells![ids]);
            order = "t.id";
        }
        Pick::Named(name) => {
            let after = format!("{name}{}", char::MAX);
            let condition = "(t.id >= ? AND t.id < ? OR t.aliases @> ?)";
            ask(condition, cells![name.as_str(), after, vec![name.as_str()]]);
            order = "t.id";
        }
        Pick::Scoped(scopes) => {
            let scopes: Vec<String> = scopes.iter().map(rows::to_json).collect();
            ask("t.scope = ANY (?)", cells![scopes]);
            order = "t.id";
        }
        Pick::Injectable => ask("t.is_injectable", Vec::new()),
        Pick::Kept => ask("t.is_kept", Vec::new()),
        Pick::Shown => ask("t.is_shown", Vec::new()),
        Pick::Waiting { n_helped } => {
            ask("(t.waits OR t.n_helped >= ?)", cells![i64::from((*n_helped).max(1))]);
        }
        Pick::DecayDue { run_number, window } => {
            ask("t.decay_base <= ?", cells![latest_due_base(*run_number, *window)]);
            order = "t.decay_base, t.id";
        }
    }
    if !query.states.is_empty() {
        let states: Vec<&str> = query.states.iter().map(|state| state.word()).collect();
        ask("t.state = ANY (?)", cells![states]);
    }
    if !query.kinds.is_empty() {
        let kinds: Vec<&str> = query.kinds.iter().map(|kind| kind.word()).collect();
        ask("t.kind = ANY (?)", cells![kinds]);
    }
    if let Some(from) = query.after.as_ref().filter(|_| order.starts_with("t.prior")) {
        let condition = "(t.prior < ? OR t.prior = ? AND t.id > ?)";
        ask(condition, cells![from.prior, from.prior, from.id.as_str()]);
    }
    params.push(query.limit.map(|limit| limit as i64).into());
    rest += &format!(" ORDER BY {order} LIMIT ${}", params.len());
    let mut lessons: Vec<Lesson> = select(db, &rest, &params)?;
    lessons.sort_by(|a, b| query.pick.order(a, b));
    Ok(lessons)
}

/// Counted by the server: every run that is learned asks for it.
pub(super) fn scopes(db: &Db<'_>, project: &ProjectId) -> Tried<Vec<(Scope, u64)>> {
    let kept = State::ALL.iter().filter(|state| !state.is_put_away());
    let kept: Vec<&str> = kept.map(|state| state.word()).collect();
    let sql = "
        SELECT scope, count(*) FROM hardwon.lessons
        WHERE project = ANY ($1) AND state = ANY ($2) GROUP BY scope";
    let mut scopes: BTreeMap<Scope, u64> = BTreeMap::new();
    for row in db.all(sql, &cells![both(project), kept])? {
        *scopes.entry(from_json(row.get(0))?).or_default() += row.get::<_, i64>(1) as u64;
    }
    Ok(scopes.into_iter().collect())
}

pub(super) fn block_totals(db: &Db<'_>, project: &ProjectId) -> Tried<BlockTotals> {
    let sql = "
        SELECT count(*), coalesce(sum(n_tokens), 0)::bigint FROM hardwon.injections
        WHERE project = $1";
    let totals = db.one(sql, &cells![project.as_str()])?;
    Ok(totals.map_or_else(BlockTotals::default, |row| BlockTotals {
        n_blocks: row.get::<_, i64>(0) as u64,
        n_tokens: row.get::<_, i64>(1) as u64,
    }))
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
            let rest = "WHERE t.project = $1 AND t.issue = $2 ORDER BY t.at DESC, t.id LIMIT $3";
            let limit = i64::try_from(search.limit).unwrap_or(i64::MAX);
            let attempts = select(db, rest, &cells![project.as_str(), issue.as_str(), limit])?;
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

pub(super) fn numbered_runs(
    db: &Db<'_>,
    project: &ProjectId,
    from: u64,
    to: u64,
) -> Tried<Vec<Run>> {
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let rest = "WHERE t.project = $1 AND t.number BETWEEN $2 AND $3 ORDER BY t.number, t.id";
    select(db, rest, &cells![project.as_str(), number(from), number(to)])
}

/// What is asked of runs. ?1 project and what follows.
const ASKED_RUNS: &str = "
    WHERE t.project = $1 AND ($2::text IS NULL OR t.session = $2)
      AND ($3::text IS NULL OR t.task = $3) AND ($4::text IS NULL OR t.agent = $4)
      AND ($5::text IS NULL OR t.kind = $5) AND ($6::text IS NULL OR t.outcome = $6)
      AND t.at >= $7 AND ($8::bigint IS NULL OR (t.at, t.id) < ($8, $9))";

fn asked_runs(project: &ProjectId, query: &RunQuery) -> Vec<Cell> {
    let before = query.before.as_ref();
    cells![
        project.as_str(),
        query.session.as_deref(),
        query.task.as_deref(),
        query.agent.as_deref(),
        query.kind.map(|kind| kind.word()),
        query.outcome.map(|outcome| outcome.word()),
        query.since.map_or(i64::MIN, |since| since.0),
        before.map(|place| place.at.0),
        before.map(|place| place.id.as_str()),
    ]
}

pub(super) fn runs(db: &Db<'_>, project: &ProjectId, query: &RunQuery) -> Tried<Vec<Run>> {
    let rest = format!("{ASKED_RUNS} ORDER BY t.at DESC, t.id DESC LIMIT $10");
    let mut params = asked_runs(project, query);
    params.push(query.limit.map(|limit| limit as i64).into());
    select(db, &rest, &params)
}

pub(super) fn n_runs(db: &Db<'_>, project: &ProjectId, query: &RunQuery) -> Tried<u64> {
    let sql = format!("SELECT count(*) FROM hardwon.runs AS t {ASKED_RUNS}");
    let n = db.one(&sql, &asked_runs(project, query))?;
    let n = n.map_or(0, |row| row.get::<_, i64>(0) as u64);
    Ok(n.min(query.limit.map_or(u64::MAX, |limit| limit as u64)))
}

/// Each finding with the time of its run, none where that was never recorded.
const WITH_RUN: &str = "
    LEFT JOIN hardwon.runs AS r ON r.project = t.project AND r.id = t.run
    WHERE t.project = $1";
const OLDEST_FIRST: &str = "ORDER BY r.at NULLS FIRST, t.run, t.key";

pub(super) fn findings(
    db: &Db<'_>,
    project: &ProjectId,
    query: &FindingQuery,
) -> Tried<Vec<Finding>> {
    match query {
        FindingQuery::OfLesson(lesson) => {
            let rest = format!("{WITH_RUN} AND t.lesson = $2 {OLDEST_FIRST}");
            select(db, &rest, &cells![project.as_str(), lesson.as_str()])
        }
        FindingQuery::InState(states) => {
            let states: Vec<&str> = states.iter().map(|state| state.word()).collect();
            let all = states.is_empty();
            let rest = format!("{WITH_RUN} AND ($2 OR t.state = ANY ($3)) {OLDEST_FIRST}");
            select(db, &rest, &cells![project.as_str(), all, states])
        }
        FindingQuery::Newest(page) => newest_findings(db, project, page),
        FindingQuery::FixedLike { signature, terms, limit } => {
            fixed_like(db, project, signature, terms, *limit)
        }
    }
}

fn newest_findings(db: &Db<'_>, project: &ProjectId, page: &FindingPage) -> Tried<Vec<Finding>> {
    let before = page.before.as_ref();
    let rest = format!(
        "{WITH_RUN} AND ($2::text IS NULL OR t.state = $2) AND ($3::text IS NULL OR t.author = $3)
         AND ($4::text IS NULL OR t.run = $4 OR t.root = $4)
         AND ($6::text IS NULL
              OR CASE WHEN $5::bigint IS NULL THEN r.at IS NULL AND (t.run, t.key) < ($6, $7)
                      ELSE r.at IS NULL OR (r.at, t.run, t.key) < ($5, $6, $7) END)
         ORDER BY r.at DESC NULLS LAST, t.run DESC, t.key DESC LIMIT $8"
    );
    let params = cells![
        project.as_str(),
        page.state.map(|state| state.word()),
        page.author.as_deref(),
        page.run.as_ref().map(RunId::as_str),
        before.and_then(|place| place.at).map(|at| at.0),
        before.map(|place| place.run.as_str()),
        before.map(|place| place.key.0.as_str()),
        i64::try_from(page.limit).unwrap_or(i64::MAX),
    ];
    let mut found = select(db, &rest, &params)?;
    found.reverse();
    Ok(found)
}

fn fixed_like(
    db: &Db<'_>,
    project: &ProjectId,
    signature: &str,
    terms: &[String],
    limit: usize,
) -> Tried<Vec<Finding>> {
    let own = project.as_str();
    let newest = format!(
        "{WITH_RUN} AND t.signature = $2 AND t.state = 'fixed'
         ORDER BY r.at DESC NULLS LAST, t.run DESC, t.key DESC LIMIT $3"
    );
    let mut found: Vec<Finding> = match signature {
        "" => Vec::new(),
        _ => select(db, &newest, &cells![own, signature, limit as i64])?,
    };
    let mut keys: Vec<(RunId, FindingKey)> =
        found.iter().map(|it| (it.run.clone(), it.key.clone())).collect();
    for place in index::search_findings(db, project, terms, limit)? {
        if keys.len() < limit && !keys.contains(&place) {
            keys.push(place);
        }
    }
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let key = |(run, key): &(RunId, FindingKey)| [run.as_str(), key.0.as_str()].map(str::to_owned);
    let (runs, names): (Vec<String>, Vec<String>) =
        keys.iter().map(key).map(|[run, key]| (run, key)).unzip();
    let rest =
        format!("{WITH_RUN} AND (t.run, t.key) IN (SELECT * FROM unnest($2, $3)) {OLDEST_FIRST}");
    found = select(db, &rest, &cells![own, runs, names])?;
    Ok(found)
}

/// Of a global lesson every project's effects: its confidence is one.
pub(super) fn effects(
    db: &Db<'_>,
    project: &ProjectId,
    lessons: &[LessonId],
) -> Tried<Vec<(ProjectId, Effect)>> {
    if lessons.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = lessons.iter().map(LessonId::as_str).collect();
    let sql = "SELECT id FROM hardwon.lessons WHERE project = $1 AND id = ANY ($2)";
    let global = db.all(sql, &cells![GLOBAL, ids.clone()])?;
    let global: Vec<&str> = global.iter().map(|row| row.get(0)).collect();
    // Where none is global, no other project is looked at.
    let others = if global.is_empty() { "" } else { "OR t.lesson = ANY ($3)" };
    let rest = format!(
        "WHERE t.lesson = ANY ($2) AND (t.project = $1 {others})
         ORDER BY t.lesson, t.run_number, t.root, t.project"
    );
    let mut params = cells![project.as_str(), ids];
    if !global.is_empty() {
        params.push(Cell::from(global));
    }
    select_with_project(db, &rest, &params)
}

pub(super) fn injections(
    db: &Db<'_>,
    project: &ProjectId,
    lesson: &LessonId,
) -> Tried<Vec<Injection>> {
    let rest = "WHERE t.project = $1 AND t.lessons @> $2 ORDER BY t.at, t.run, t.role, t.need";
    select(db, rest, &cells![project.as_str(), vec![lesson.as_str()]])
}

pub(super) fn consultations(
    db: &Db<'_>,
    query: &ConsultationQuery,
) -> Tried<Vec<(ProjectId, Consultation)>> {
    let rest = "
        WHERE ($1::text IS NULL OR t.project = $1) AND t.at >= $2
          AND ($3::text IS NULL OR t.evidence = $3)
        ORDER BY t.at DESC, t.project, t.id LIMIT $4";
    let params = cells![
        query.project.as_ref().map(ProjectId::as_str),
        query.since.map_or(i64::MIN, |since| since.0),
        query.evidence.as_deref(),
        query.limit.map(|limit| limit as i64),
    ];
    select_with_project(db, rest, &params)
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
    let ProjectQuery::Near { path, mark, ids } = query else {
        return select_projects(db, "", &[]);
    };
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
