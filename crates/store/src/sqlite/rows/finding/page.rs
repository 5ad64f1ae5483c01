//! Findings of all runs, page by page: runs give the order, so that a page reads little more than
//! what stands on it.

use hardwon_core::finding::{Finding, FindingState};
use rusqlite::{Connection, Result, params};

use crate::FindingPage;
use crate::sqlite::rows::{ProjectKey, all, from_body};

/// Which findings a page has. ?1 project, ?2 state, ?3 author, ?4 run (null = any), ?5 limit, ?6
/// to ?8 where it begins: time, run and key.
macro_rules! asked {
    ($from:literal, $state:expr, $rest:expr) => {
        concat!(
            "SELECT findings.body",
            $from,
            " WHERE findings.project = ?1 AND ",
            $state,
            " AND (?3 IS NULL OR author = ?3)
               AND (?4 IS NULL OR findings.run = ?4 OR findings.root = ?4) ",
            $rest,
            " LIMIT ?5"
        )
    };
}

macro_rules! any_state {
    () => {
        "(?2 IS NULL OR state = ?2)"
    };
}

/// As the index of those that are not open has it.
macro_rules! rare_state {
    () => {
        "state = ?2 AND state <> 'open'"
    };
}

macro_rules! by_time {
    () => {
        "AND runs.project = ?1
         AND at <= ?6 AND (at, findings.run, findings.key) < (?6, ?7, ?8)
         ORDER BY at DESC, runs.id DESC, findings.key DESC"
    };
}

macro_rules! without_run {
    () => {
        "AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.project = ?1 AND runs.id = findings.run)
         AND (findings.run, findings.key) < (?7, ?8)
         ORDER BY findings.run DESC, findings.key DESC"
    };
}

/// Of recorded runs, the newest run first; and of runs that were never recorded: the oldest.
struct Selects {
    recorded: &'static str,
    unrecorded: &'static str,
}

/// Runs give the order.
const BY_RUN: Selects = Selects {
    recorded: asked!(
        " FROM runs CROSS JOIN findings
             ON findings.project = runs.project AND findings.run = runs.id",
        any_state!(),
        by_time!()
    ),
    unrecorded: asked!(" FROM findings", any_state!(), without_run!()),
};

/// All of a state that few have are put in order.
const BY_STATE: Selects = Selects {
    recorded: asked!(
        " FROM findings CROSS JOIN runs
             ON runs.project = findings.project AND runs.id = findings.run",
        rare_state!(),
        by_time!()
    ),
    unrecorded: asked!(" FROM findings", rare_state!(), without_run!()),
};

/// How many of a state are put in order, at most.
const FEW: i64 = 2000;

const COUNT: &str = "
    SELECT count(*) FROM (
        SELECT 1 FROM findings WHERE project = ?1 AND state = ?2 AND state <> 'open' LIMIT ?3)";

/// Whether few are in this state. Nothing else is looked at than its index.
fn is_rare(db: &Connection, project: ProjectKey, state: FindingState) -> Result<bool> {
    if state == FindingState::Open {
        return Ok(false);
    }
    let mut statement = db.prepare_cached(COUNT)?;
    let n: i64 = statement.query_row(params![project, state.word(), FEW + 1], |row| row.get(0))?;
    Ok(n <= FEW)
}

/// What no run and no key comes after.
const AFTER_ALL: &str = "\u{10FFFF}";

/// The newest of those that are asked for, the oldest of them first.
pub(crate) fn newest(
    db: &Connection,
    project: ProjectKey,
    page: &FindingPage,
) -> Result<Vec<Finding>> {
    let limit = i64::try_from(page.limit).unwrap_or(i64::MAX);
    let is_rare = page.state.map_or(Ok(false), |state| is_rare(db, project, state))?;
    let selects = if is_rare { BY_STATE } else { BY_RUN };
    let find = |sql: &str, limit: i64, at: i64, run: &str, key: &str| {
        let state = page.state.map(|state| state.word());
        let of = page.run.as_ref().map(|run| run.as_str());
        let params = params![project, state, page.author, of, limit, at, run, key];
        all(db, sql, params, |row| from_body(db, row.get_ref(0)?.as_str()?))
    };
    let before = page.before.as_ref();
    let begins = before.map(|place| (place.at, place.run.as_str(), place.key.0.as_str()));
    let mut found = match begins {
        Some((Some(at), run, key)) => find(selects.recorded, limit, at.0, run, key)?,
        Some((None, ..)) => Vec::new(),
        None => find(selects.recorded, limit, i64::MAX, AFTER_ALL, AFTER_ALL)?,
    };
    let n_left = limit.saturating_sub(found.len() as i64);
    if n_left > 0 {
        let (run, key) = match begins {
            Some((None, run, key)) => (run, key),
            Some((Some(_), ..)) | None => (AFTER_ALL, AFTER_ALL),
        };
        found.extend(find(selects.unrecorded, n_left, 0, run, key)?);
    }
    found.reverse();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::{connection, migrate};

    #[test]
    fn few_of_a_state_are_looked_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        std::fs::write(&path, "").unwrap();
        let mut db = connection::open_existing(&path).unwrap();
        migrate::migrate(&path, &mut db, migrate::MIGRATIONS).unwrap();
        for sql in [BY_STATE.recorded, BY_STATE.unrecorded, COUNT] {
            let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let params = rusqlite::params_from_iter(vec![1; statement.parameter_count()]);
            let steps = statement.query_map(params, |row| row.get::<_, String>(3)).unwrap();
            let plan: String = steps.map(|step| step.unwrap() + "\n").collect();
            assert!(plan.contains("findings_by_state (project=? AND state=?"), "{plan}");
        }
    }
}
