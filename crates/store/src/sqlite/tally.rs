//! How often what comes up where: the counts of `core::tally` as tables. What a root run
//! contributes is taken from its rows before and after a write, and the difference added, so
//! that a write costs as much as the runs it touches and can be taken back exactly.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::tally::{self, Counts, LessonCounts, N_REMEMBERED, Part, Rate, Tally, Trial};
use rusqlite::{Connection, Result, Row, ToSql, params, params_from_iter};

use super::rows::to_json;
use super::rows::{self, ProjectKey, all, one, run};
use crate::sums::Root;
use crate::{CountQuery, N_AT_PLACE};

/// What each of these root runs contributes, as the rows are now.
pub(super) fn of_roots(
    db: &Connection,
    roots: &BTreeSet<Root>,
    key_of: &dyn Fn(&ProjectId) -> Result<ProjectKey>,
) -> Result<Vec<(ProjectKey, Option<Tally>)>> {
    let of_root = |(project, root): &Root| {
        let project = key_of(project)?;
        Ok((project, of_root(db, project, root)?))
    };
    roots.iter().map(of_root).collect()
}

fn of_root(db: &Connection, project: ProjectKey, root: &RunId) -> Result<Option<Tally>> {
    let runs = rows::of_root(db, project, root)?;
    if runs.is_empty() {
        return Ok(None);
    }
    let findings = rows::of_root(db, project, root)?;
    let effects = rows::of_root(db, project, root)?;
    Ok(tally::tally(&runs, &findings, &effects))
}

/// Takes contributions away and adds others in their place.
pub(super) fn replace(
    db: &Connection,
    project: ProjectKey,
    before: Option<&Tally>,
    after: Option<&Tally>,
) -> Result<()> {
    if before == after {
        return Ok(());
    }
    let none = Tally::default();
    let (was, is) = (before.unwrap_or(&none), after.unwrap_or(&none));
    for facet in is.facets.difference(&was.facets) {
        count_run(db, project, facet, true)?;
    }
    let lessons: BTreeSet<&LessonId> = was.lessons.keys().chain(is.lessons.keys()).collect();
    let nothing = Part::default();
    for lesson in lessons {
        let (old, new) = (was.lessons.get(lesson), is.lessons.get(lesson));
        let (old_part, new_part) = (old.unwrap_or(&nothing), new.unwrap_or(&nothing));
        for facet in new_part.facets.difference(&old_part.facets) {
            see(db, project, lesson, facet, true)?;
        }
        for facet in old_part.facets.difference(&new_part.facets) {
            see(db, project, lesson, facet, false)?;
        }
        let is_same = (was.number, &was.root) == (is.number, &is.root);
        if old != new || !is_same {
            let id = lesson.as_str();
            let root = |tally: &Tally| tally.root.as_ref().map_or(String::new(), RunId::to_string);
            if old.is_some() {
                let sql = "DELETE FROM trials
                           WHERE project = ?1 AND lesson = ?2 AND number = ?3 AND root = ?4";
                run(db, sql, params![project, id, was.number as i64, root(was)])?;
            }
            if let Some(Part { was_seen, was_shown, .. }) = new {
                let sql = "
                    INSERT INTO trials (project, lesson, number, root, was_seen, was_shown)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
                let (number, root) = (is.number as i64, root(is));
                run(db, sql, params![project, id, number, root, was_seen, was_shown])?;
            }
            fade(db, project, lesson)?;
        }
    }
    for facet in was.facets.difference(&is.facets) {
        count_run(db, project, facet, false)?;
    }
    Ok(())
}

/// Counts one run more or less; a facet without any has no row.
fn count_run(db: &Connection, project: ProjectKey, facet: &str, is_more: bool) -> Result<()> {
    let more = "
        INSERT INTO facets (project, facet, n_runs) VALUES (?1, ?2, 1)
        ON CONFLICT (project, facet) DO UPDATE SET n_runs = n_runs + 1";
    let last = "DELETE FROM facets WHERE project = ?1 AND facet = ?2 AND n_runs <= 1";
    let less = "UPDATE facets SET n_runs = n_runs - 1 WHERE project = ?1 AND facet = ?2";
    count(db, is_more, [more, last, less], params![project, facet])
}

fn count(
    db: &Connection,
    is_more: bool,
    [more, last, less]: [&str; 3],
    params: &[&dyn ToSql],
) -> Result<()> {
    if is_more {
        run(db, more, params)?;
    } else if run(db, last, params)? == 0 {
        run(db, less, params)?;
    }
    Ok(())
}

fn find(db: &Connection, project: ProjectKey, facet: &str) -> Result<Option<(i64, u64)>> {
    let sql = "SELECT key, n_runs FROM facets WHERE project = ?1 AND facet = ?2";
    one(db, sql, params![project, facet], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))
}

/// A lesson is seen where its run was: the facet has a row.
fn see(
    db: &Connection,
    project: ProjectKey,
    lesson: &LessonId,
    facet: &str,
    is_more: bool,
) -> Result<()> {
    let Some((key, _)) = find(db, project, facet)? else { return Ok(()) };
    let more = "
        INSERT INTO seen_at (lesson, facet, n_runs) VALUES (?1, ?2, 1)
        ON CONFLICT (lesson, facet) DO UPDATE SET n_runs = n_runs + 1";
    let last = "DELETE FROM seen_at WHERE lesson = ?1 AND facet = ?2 AND n_runs <= 1";
    let less = "UPDATE seen_at SET n_runs = n_runs - 1 WHERE lesson = ?1 AND facet = ?2";
    count(db, is_more, [more, last, less], params![lesson.as_str(), key])
}

/// Works the faded sums of a lesson out again.
fn fade(db: &Connection, project: ProjectKey, lesson: &LessonId) -> Result<()> {
    let sql = "
        SELECT number, was_seen, was_shown FROM trials
        WHERE project = ?1 AND lesson = ?2 AND number >= ?3 ORDER BY number, root";
    let newest = "SELECT max(number) FROM trials WHERE project = ?1 AND lesson = ?2";
    let id = lesson.as_str();
    let newest = one(db, newest, params![project, id], |row| row.get::<_, Option<i64>>(0))?;
    let Some(newest) = newest.flatten() else {
        let sql = "DELETE FROM rates WHERE project = ?1 AND lesson = ?2";
        return run(db, sql, params![project, id]).map(drop);
    };
    let oldest = newest.saturating_sub(N_REMEMBERED as i64).max(0);
    let trials: Vec<Trial> = all(db, sql, params![project, id, oldest], |row| {
        let number = row.get::<_, i64>(0)? as u64;
        Ok(Trial { number, was_seen: row.get(1)?, was_shown: row.get(2)? })
    })?;
    let (as_of, rate) = tally::rate(&trials);
    let Rate { seen, shown, shown_seen, last } = rate;
    let order = (seen > 0.0).then(|| rate.order(as_of));
    let sql = "
        INSERT INTO rates
            (project, lesson, is_injectable, as_of, seen, shown, shown_seen, last, rank)
        VALUES (?1, ?2,
                coalesce((SELECT is_injectable FROM lessons WHERE id = ?2), 0),
                ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT (project, lesson) DO UPDATE SET
            is_injectable = excluded.is_injectable, as_of = excluded.as_of,
            seen = excluded.seen, shown = excluded.shown,
            shown_seen = excluded.shown_seen, last = excluded.last, rank = excluded.rank";
    let (as_of, last) = (as_of as i64, last as i64);
    run(db, sql, params![project, id, as_of, seen, shown, shown_seen, last, order]).map(drop)
}

/// Says of a lesson whether it may be shown now.
pub(super) fn set_injectable(db: &Connection, lesson: &LessonId, is: bool) -> Result<()> {
    let sql = "UPDATE rates SET is_injectable = ?2 WHERE lesson = ?1 AND is_injectable <> ?2";
    run(db, sql, params![lesson.as_str(), is]).map(drop)
}

/// Forgets words of titles, which older versions counted, too.
pub(super) fn drop_words(db: &Connection) -> Result<()> {
    let counts = "DELETE FROM seen_at WHERE facet IN (SELECT key FROM facets WHERE facet < '/')";
    run(db, counts, [])?;
    run(db, "DELETE FROM facets WHERE facet < '/'", []).map(drop)
}

/// What was counted at one facet: its key, and the lessons that came up there most.
struct AtFacet {
    key: Option<i64>,
    seen: BTreeMap<LessonId, u64>,
    /// Whether no other lesson came up there.
    is_all: bool,
}

/// What bears on the facets of a query.
pub(super) fn counts(
    db: &Connection,
    project: ProjectKey,
    n_runs: u64,
    query: &CountQuery,
) -> Result<Counts> {
    let mut runs_with = Vec::with_capacity(query.facets.len());
    let mut at: Vec<AtFacet> = Vec::with_capacity(query.facets.len());
    for facet in &query.facets {
        let found = find(db, project, facet)?;
        runs_with.push(found.map_or(0, |(_, n_runs)| n_runs));
        at.push(at_facet(db, found)?);
    }
    let mut ids: BTreeSet<LessonId> = query.lessons.iter().cloned().collect();
    ids.extend(most_frequent(db, project, query)?);
    let mut wanted: BTreeSet<LessonId> = ids.clone();
    for here in at.iter().filter(|_| query.n_frequent > 0) {
        wanted.extend(here.seen.keys().cloned());
    }
    let busy: Vec<i64> = at.iter().filter(|here| !here.is_all).filter_map(|it| it.key).collect();
    let mut lessons = BTreeMap::new();
    let (first, others) = busy.split_at(busy.len().min(N_FACETS_AT_ONCE));
    let mut known = rates(db, project, &wanted, first)?;
    for more in others.chunks(N_FACETS_AT_ONCE) {
        // The same rows in the same order.
        let known = known.iter_mut().zip(rates(db, project, &wanted, more)?);
        known.for_each(|((_, own), (_, more))| own.seen_at.extend(more.seen_at));
    }
    for (id, own) in known {
        if ids.contains(&id) || own.is_injectable || !query.only_injectable {
            let mut seen_there = own.seen_at.into_iter();
            let mut n_seen = |here: &AtFacet| match here.is_all {
                true => here.seen.get(&id).copied().unwrap_or(0),
                false => seen_there.next().unwrap_or(0),
            };
            let seen_with = at.iter().map(&mut n_seen).collect();
            let rate = own.rate.at(own.as_of, n_runs);
            lessons.insert(id, LessonCounts { rate, seen_with });
        }
    }
    Ok(Counts { n_runs, runs_with, lessons })
}

fn at_facet(db: &Connection, found: Option<(i64, u64)>) -> Result<AtFacet> {
    let Some((known, _)) = found else {
        return Ok(AtFacet { key: None, seen: BTreeMap::new(), is_all: true });
    };
    let key = Some(known);
    let sql = "
        SELECT lesson, n_runs FROM seen_at
        WHERE facet = ?1 ORDER BY n_runs DESC, lesson LIMIT ?2";
    let seen: Vec<(LessonId, u64)> = all(db, sql, params![known, N_AT_PLACE as i64], |row| {
        let id = LessonId::given(row.get_ref(0)?.as_str()?);
        Ok((id, row.get::<_, i64>(1)? as u64))
    })?;
    let is_all = seen.len() < N_AT_PLACE;
    Ok(AtFacet { key, seen: seen.into_iter().collect(), is_all })
}

fn most_frequent(
    db: &Connection,
    project: ProjectKey,
    query: &CountQuery,
) -> Result<Vec<LessonId>> {
    let sql = "
        SELECT lesson FROM rates
        WHERE project = ?1 AND is_injectable = ?2 AND rank NOT NULL
        ORDER BY rank DESC, lesson LIMIT ?3";
    let all_of = "
        SELECT lesson FROM rates WHERE project = ?1 AND rank NOT NULL
        ORDER BY rank DESC, lesson LIMIT ?3";
    let sql = if query.only_injectable { sql } else { all_of };
    if query.n_frequent == 0 {
        return Ok(Vec::new());
    }
    all(db, sql, params![project, true, query.n_frequent as i64], |row| {
        Ok(LessonId::given(row.get_ref(0)?.as_str()?))
    })
}

/// A result has at most 2,000 columns.
const N_FACETS_AT_ONCE: usize = 200;

/// How often a lesson came up, when that was counted, and at some facets.
struct Own {
    as_of: u64,
    rate: Rate,
    is_injectable: bool,
    seen_at: Vec<u64>,
}

/// The rates of these lessons, and in how many runs they came up at these facets. One statement for
/// all: a block asks for a hundred lessons at a handful of facets.
fn rates(
    db: &Connection,
    project: ProjectKey,
    lessons: &BTreeSet<LessonId>,
    facets: &[i64],
) -> Result<Vec<(LessonId, Own)>> {
    let at = |index: usize| {
        format!(
            ", (SELECT n_runs FROM seen_at WHERE lesson = rates.lesson AND facet = ?{})",
            index + 3
        )
    };
    let seen_at: String = (0..facets.len()).map(at).collect();
    let sql = format!(
        "SELECT lesson, as_of, seen, shown, shown_seen, last, is_injectable{seen_at}
        FROM json_each(?2) AS wanted
        CROSS JOIN rates ON project = ?1 AND lesson = wanted.value"
    );
    let named: Vec<&str> = lessons.iter().map(LessonId::as_str).collect();
    let named = to_json(&named);
    let first: [&dyn ToSql; 2] = [&project, &named];
    let bound = first.into_iter().chain(facets.iter().map(|key| key as &dyn ToSql));
    let n_seen =
        |row: &Row<'_>, index: usize| Ok(row.get::<_, Option<i64>>(7 + index)?.unwrap_or(0) as u64);
    all(db, &sql, params_from_iter(bound), |row| {
        let id = LessonId::given(row.get_ref(0)?.as_str()?);
        let last = row.get::<_, i64>(5)? as u64;
        let rate = Rate { seen: row.get(2)?, shown: row.get(3)?, shown_seen: row.get(4)?, last };
        let seen_at = (0..facets.len()).map(|index| n_seen(row, index)).collect::<Result<_>>()?;
        let as_of = row.get::<_, i64>(1)? as u64;
        Ok((id, Own { as_of, rate, is_injectable: row.get(6)?, seen_at }))
    })
}
