//! Findings of all runs, page by page: runs give the order, so that a page reads little more than
//! what stands on it.

use hardwon_core::finding::Finding;
use rusqlite::{Connection, Result, params};

use super::read;
use crate::FindingPage;
use crate::sqlite::rows::{ProjectKey, all};

/// Which findings a page has. ?1 project, ?2 state, ?3 author, ?4 run (null = any), ?5 limit, ?6
/// to ?8 where it begins: time, run and key.
macro_rules! asked {
    ($from:literal, $rest:literal) => {
        concat!(
            columns!(),
            $from,
            " CROSS JOIN texts ON texts.key = findings.text
             WHERE findings.project = ?1
               AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR author = ?3)
               AND (?4 IS NULL OR findings.run = ?4 OR findings.root = ?4) ",
            $rest,
            " LIMIT ?5"
        )
    };
}

const RECORDED: &str = asked!(
    " FROM runs CROSS JOIN findings
         ON findings.project = runs.project AND findings.run = runs.id",
    "AND runs.project = ?1
     AND coalesce(started_at, finished_at, recorded_at) <= ?6
     AND (coalesce(started_at, finished_at, recorded_at), findings.run, findings.key)
         < (?6, ?7, ?8)
     ORDER BY coalesce(started_at, finished_at, recorded_at) DESC, runs.id DESC,
              findings.key DESC"
);

/// Of runs that were never recorded: the oldest.
const UNRECORDED: &str = asked!(
    " FROM findings",
    "AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.project = ?1 AND runs.id = findings.run)
     AND (findings.run, findings.key) < (?7, ?8)
     ORDER BY findings.run DESC, findings.key DESC"
);

/// What no run and no key comes after.
const AFTER_ALL: &str = "\u{10FFFF}";

/// The newest of those that are asked for, the oldest of them first.
pub(crate) fn newest(
    db: &Connection,
    project: ProjectKey,
    page: &FindingPage,
) -> Result<Vec<Finding>> {
    let limit = i64::try_from(page.limit).unwrap_or(i64::MAX);
    let find = |sql: &str, limit: i64, at: i64, run: &str, key: &str| {
        let state = page.state.map(|state| state.word());
        let of = page.run.as_ref().map(|run| run.as_str());
        all(db, sql, params![project, state, page.author, of, limit, at, run, key], read)
    };
    let before = page.before.as_ref();
    let begins = before.map(|place| (place.at, place.run.as_str(), place.key.0.as_str()));
    let mut found = match begins {
        Some((Some(at), run, key)) => find(RECORDED, limit, at.0, run, key)?,
        Some((None, ..)) => Vec::new(),
        None => find(RECORDED, limit, i64::MAX, AFTER_ALL, AFTER_ALL)?,
    };
    let n_left = limit.saturating_sub(found.len() as i64);
    if n_left > 0 {
        let (run, key) = match begins {
            Some((None, run, key)) => (run, key),
            Some((Some(_), ..)) | None => (AFTER_ALL, AFTER_ALL),
        };
        found.extend(find(UNRECORDED, n_left, 0, run, key)?);
    }
    found.reverse();
    Ok(found)
}
