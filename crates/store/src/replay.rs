//! What does a journal give, and where do the rows of a database differ from it?

use std::collections::BTreeMap;

use hardwon_core::change::{Entry, Row, Tables};

use crate::Fault;
use crate::settle::differing;

/// How many faults of one sort are named.
const MAX_NAMED: usize = 20;

/// What the journal gives.
#[derive(Default)]
pub(crate) struct Replayed {
    pub tables: Tables,
    /// Entries that are missing or do not fit.
    pub faults: Vec<String>,
}

impl Replayed {
    /// Applies the next entry.
    pub fn take(&mut self, entry: &Entry) {
        let Entry { sequence, project, change, .. } = entry;
        if let Err(mismatch) = self.tables.apply(project, change) {
            let fault = format!("entry {sequence} of project {project} does not fit: {mismatch}");
            self.faults.push(fault);
        }
    }

    /// Rows that are not what the journal gives, by table.
    pub fn differences(&self, stored: &Tables) -> Vec<String> {
        let given = &self.tables;
        let projects = differing(&given.projects, &stored.projects);
        let projects = projects.into_iter().map(|(id, ..)| told(&format!("project {id}")));
        [
            differing_rows(&given.runs, &stored.runs),
            differing_rows(&given.findings, &stored.findings),
            differing_rows(&given.lessons, &stored.lessons),
            differing_rows(&given.injections, &stored.injections),
            differing_rows(&given.effects, &stored.effects),
            differing_rows(&given.deliberations, &stored.deliberations),
            differing_rows(&given.attempts, &stored.attempts),
            differing_rows(&given.consultations, &stored.consultations),
            differing_rows(&given.tombstones, &stored.tombstones),
            projects.collect(),
        ]
        .concat()
    }
}

fn differing_rows<R: Row>(
    given: &BTreeMap<R::Key, R>,
    stored: &BTreeMap<R::Key, R>,
) -> Vec<String> {
    let rows = differing(given, stored).into_iter().filter_map(|(_, was, is)| was.or(is));
    rows.map(|row| told(&row.name())).collect()
}

fn told(name: &str) -> String {
    format!("{name} is not what the journal gives")
}

/// Faults of one sort: the first are named, the rest is counted.
pub(crate) fn named(check: &'static str, found: Vec<String>) -> Vec<Fault> {
    let n_more = found.len().saturating_sub(MAX_NAMED);
    let more = (n_more > 0).then(|| format!("and {n_more} more"));
    let details = found.into_iter().take(MAX_NAMED).chain(more);
    details.map(|detail| Fault { check, detail }).collect()
}
