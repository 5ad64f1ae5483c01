//! What is asked of findings: those like another one, and pages of all.

use hardwon_core::finding::{Finding, FindingKey, FindingState};
use hardwon_core::ids::RunId;

use super::{Asked, Asking};
use crate::cell::cells;
use crate::{FindingPage, FindingQuery};

/// What no id comes after.
const AFTER_ALL: &str = "\u{10FFFF}";

/// Each finding with its run, none where that was never recorded.
const WITH_RUN: &str = "
    LEFT JOIN hardwon.runs AS r ON r.project = t.project AND r.id = t.run
    WHERE t.project = $1";

pub(crate) fn findings<A: Asked>(own: &A, query: &FindingQuery) -> Result<Vec<Finding>, A::Error> {
    let mut asking = Asking::of(WITH_RUN, own.own());
    let mut keys = None;
    match query {
        FindingQuery::Newest(page) => return newest_findings(own, page),
        FindingQuery::OfLesson(lesson) => asking.and("t.lesson = ?", cells![lesson.as_str()]),
        FindingQuery::InState(states) => {
            let states: Vec<&str> = states.iter().map(|state| state.word()).collect();
            asking.and_if("t.state = ANY (?)", (!states.is_empty()).then_some(states));
        }
        FindingQuery::FixedLike { signature, terms, limit } => {
            let found = fixed_like(own, signature, terms, *limit)?;
            let runs: Vec<&str> = found.iter().map(|(run, _)| run.as_str()).collect();
            let names: Vec<&str> = found.iter().map(|(_, key)| key.0.as_str()).collect();
            asking.and("t.run = ANY (?) AND t.key = ANY (?)", cells![runs, names]);
            keys = Some(found);
        }
    }
    let asking = asking.ordered("r.at NULLS FIRST, t.run, t.key", None);
    let mut findings: Vec<Finding> = asking.select(own)?;
    if let Some(keys) = keys {
        findings.retain(|it| keys.iter().any(|(run, key)| *run == it.run && *key == it.key));
    }
    Ok(findings)
}

fn fixed_like<A: Asked>(
    own: &A,
    signature: &str,
    terms: &[String],
    limit: usize,
) -> Result<Vec<(RunId, FindingKey)>, A::Error> {
    let mut same = Vec::new();
    if !signature.is_empty() {
        let mut asking = Asking::of(WITH_RUN, own.own());
        asking.and("t.signature = ? AND t.state = 'fixed'", cells![signature]);
        let newest = "r.at DESC NULLS LAST, t.run DESC, t.key DESC";
        let found: Vec<Finding> = asking.ordered(newest, Some(limit)).select(own)?;
        same.extend(found.into_iter().map(|it| (it.run, it.key)));
    }
    for place in own.search_findings(terms, limit)? {
        if same.len() < limit && !same.contains(&place) {
            same.push(place);
        }
    }
    Ok(same)
}

/// At most so many findings of a state are put in order by themselves.
const FEW: i64 = 2_000;

/// Whether a page is asked of so few findings that passing all runs would take longer.
fn is_of_few<A: Asked>(own: &A, page: &FindingPage) -> Result<bool, A::Error> {
    let Some(state) = page.state.filter(|state| *state != FindingState::Open) else {
        return Ok(false);
    };
    let sql = format!(
        "SELECT count(*), CAST(NULL AS bigint) FROM (
            SELECT 1 FROM hardwon.findings AS t
            WHERE t.project = $1 AND t.state = $2 AND t.state <> 'open' LIMIT {}) AS few",
        FEW + 1
    );
    let [n, _] = own.two(&sql, &cells![own.own(), state.word()])?;
    Ok(n.is_some_and(|n| n <= FEW))
}

/// Runs give the order, so that a page reads little more than what stands on it; after them come
/// findings of runs that were never recorded: the oldest.
fn newest_findings<A: Asked>(own: &A, page: &FindingPage) -> Result<Vec<Finding>, A::Error> {
    let recorded = "
        JOIN hardwon.runs AS r ON r.project = t.project AND r.id = t.run WHERE t.project = $1";
    let unrecorded = "
        WHERE t.project = $1 AND NOT EXISTS (
            SELECT 1 FROM hardwon.runs AS r WHERE r.project = t.project AND r.id = t.run)";
    let asked = |from: &str| {
        let mut asking = Asking::of(from, own.own());
        asking.and_if("t.state = ?", page.state.map(|state| state.word()));
        if page.state.is_some_and(|state| state != FindingState::Open) {
            // Few are not open, and these have an index.
            asking.and("t.state <> 'open'", Vec::new());
        }
        asking.and_if("t.author = ?", page.author.as_deref());
        if let Some(run) = &page.run {
            asking.and("(t.run = ? OR t.root = ?)", cells![run.as_str(), run.as_str()]);
        }
        asking
    };
    let begins = page.before.as_ref();
    let (run, key) = begins.map_or((AFTER_ALL, AFTER_ALL), |it| (it.run.as_str(), &it.key.0));
    let mut found: Vec<Finding> = Vec::new();
    if begins.is_none_or(|place| place.at.is_some()) {
        let at = begins.and_then(|place| place.at).map_or(i64::MAX, |at| at.0);
        let mut asking = asked(recorded);
        let time = if is_of_few(own, page)? { "(r.at + 0)" } else { "r.at" };
        let after = format!("{time} <= ? AND ({time}, t.run, t.key) < (?, ?, ?)");
        asking.and(&after, cells![at, at, run, key]);
        let newest = format!("{time} DESC, t.run DESC, t.key DESC");
        found = asking.ordered(&newest, Some(page.limit)).select(own)?;
    }
    if found.len() < page.limit {
        let mut asking = asked(unrecorded);
        if begins.is_some_and(|place| place.at.is_none()) {
            asking.and("(t.run, t.key) < (?, ?)", cells![run, key]);
        }
        let n_left = page.limit - found.len();
        let rest: Vec<Finding> =
            asking.ordered("t.run DESC, t.key DESC", Some(n_left)).select(own)?;
        found.extend(rest);
    }
    found.reverse();
    Ok(found)
}
