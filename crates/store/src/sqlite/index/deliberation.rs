//! Deliberations in the text index: postings by the key of the row, which grows, so that of a common
//! term the newest are read.

use std::cmp::Reverse;

use hardwon_core::deliberation::{Deliberation, DeliberationFilter};
use hardwon_core::propose::propose;
use rusqlite::{Connection, Result, params, params_from_iter};

use super::{IndexHit, look_up};
use crate::asked::{Asking, asked_deliberations};
use crate::cell::Cell;
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
    let delete = "DELETE FROM deliberation_terms WHERE term = ?1 AND deliberation = ?2";
    let insert = "INSERT INTO deliberation_terms (term, deliberation) VALUES (?1, ?2)";
    super::replace(
        (db, project, Sort::Deliberation),
        [&old, &new],
        |term| run(db, delete, params![term, key]),
        |term| run(db, insert, params![term, key]),
    )?;
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
    let IndexHit { corpus, keys } = look_up(db, &[project], Sort::Deliberation, &search.terms)?;
    // Of those that do not fit as many are read as there are: still only postings and rows
    // without their texts.
    let found: Vec<Reverse<i64>> = propose(&corpus, search.limit, |term, at_most| {
        let mut asking = Asking::of("WHERE p.term = $1", Cell::from(keys[term][0]));
        let mut from = "deliberation_terms AS p";
        if !filter.is_open() {
            from = "deliberation_terms AS p JOIN deliberations AS t ON t.key = p.deliberation";
            asked_deliberations(&mut asking, filter);
        }
        let Asking { rest, values } = asking.ordered("p.deliberation DESC", Some(at_most));
        let sql = rows::worded(&format!("SELECT p.deliberation FROM {from} {rest}"));
        all(db, &sql, params_from_iter(&values), |row| row.get(0).map(Reverse))
    })?;
    let mut deliberations = Vec::with_capacity(found.len());
    for Reverse(key) in found {
        deliberations.extend(rows::deliberation::with_key(db, key)?);
    }
    Ok(Proposals { deliberations, corpus, n_bytes, ..Proposals::default() })
}
