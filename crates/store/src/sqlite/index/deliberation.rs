//! Deliberations in the text index: postings by the key of the row, which grows, so that of a common
//! term the newest are read.

use std::cmp::Reverse;

use hardwon_core::deliberation::{Deliberation, DeliberationFilter};
use hardwon_core::propose::propose;
use rusqlite::{Connection, Result, params};

use super::{IndexHit, add, look_up, remove};
use crate::sqlite::rows::{self, ProjectKey, all, run};
use crate::terms::{Sort, terms};
use crate::{Proposals, Search};

/// Replaces the terms of a deliberation in the index, and what is counted of it. `key` is that of
/// its row.
pub(in crate::sqlite) fn replace(
    db: &Connection,
    project: ProjectKey,
    key: i64,
    before: Option<&Deliberation>,
    after: Option<&Deliberation>,
) -> Result<()> {
    let (old, new) = (terms(before, Deliberation::terms), terms(after, Deliberation::terms));
    for term in old.difference(&new) {
        remove(db, project, Sort::Deliberation, term, |term| {
            let sql = "DELETE FROM deliberation_terms WHERE term = ?1 AND deliberation = ?2";
            run(db, sql, params![term, key])
        })?;
    }
    for term in new.difference(&old) {
        let term = add(db, project, Sort::Deliberation, term)?;
        let sql = "INSERT INTO deliberation_terms (term, deliberation) VALUES (?1, ?2)";
        run(db, sql, params![term, key])?;
    }
    rows::deliberation::count(db, project, before, after)
}

/// Those that share terms, or all, as far as they are asked for.
pub(in crate::sqlite) fn search(
    db: &Connection,
    project: ProjectKey,
    search: &Search,
    filter: &DeliberationFilter,
) -> Result<Proposals> {
    let n_bytes = rows::deliberation::sums(db, project)?.1;
    if search.terms.is_empty() {
        let deliberations = rows::deliberation::listed(db, project, filter, search.limit)?;
        return Ok(Proposals { deliberations, n_bytes, ..Proposals::default() });
    }
    let IndexHit { corpus, keys } = look_up(db, &[project], Sort::Deliberation, &search.terms)?;
    let open = "
        SELECT deliberation FROM deliberation_terms
        WHERE term = ?1
        ORDER BY deliberation DESC LIMIT ?2";
    // Of those that do not fit as many are read as there are: still only postings and rows
    // without their texts.
    let filtered = "
        SELECT deliberation FROM deliberation_terms
        JOIN deliberations ON deliberations.key = deliberation
        WHERE term = ?1
          AND (?3 IS NULL OR deliberations.id >= ?3 AND deliberations.id < ?4)
          AND (?5 IS NULL OR role = ?5) AND (?6 IS NULL OR verdict = ?6)
          AND (?7 IS NULL OR run = ?7) AND at >= ?8
        ORDER BY deliberation DESC LIMIT ?2";
    let after = filter.id.as_ref().map(|id| format!("{id}{}", char::MAX));
    let found: Vec<Reverse<i64>> = propose(&corpus, search.limit, |term, at_most| {
        let (term, at_most) = (keys[term][0], at_most as i64);
        let read = |row: &rusqlite::Row<'_>| row.get(0).map(Reverse);
        if filter.is_open() {
            return all(db, open, params![term, at_most], read);
        }
        let run = filter.run.as_ref().map(|run| run.as_str());
        let since = filter.since.map_or(i64::MIN, |since| since.0);
        let DeliberationFilter { id, role, verdict, .. } = filter;
        all(db, filtered, params![term, at_most, id, after, role, verdict, run, since], read)
    })?;
    let mut deliberations = Vec::with_capacity(found.len());
    for Reverse(key) in found {
        deliberations.extend(rows::deliberation::with_key(db, key)?);
    }
    Ok(Proposals { deliberations, corpus, n_bytes, ..Proposals::default() })
}
