//! What came up so far, and what simple rules would show because of it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{Chooser, Subject};

/// How often something came up in each place.
type ByPlace = BTreeMap<String, BTreeMap<usize, u64>>;

/// Everything that came up in the runs that were learned.
#[derive(Default)]
pub struct Past {
    /// Numbered in the order in which they first came up.
    subjects: BTreeMap<Subject, usize>,
    records: Vec<Record>,
    by_file: ByPlace,
    by_folder: ByPlace,
    n_runs: usize,
}

#[derive(Clone, Copy, Default)]
struct Record {
    /// Runs in which it came up.
    n_runs: u64,
    /// The number of the last of them.
    last: usize,
}

impl Past {
    pub fn n_subjects(&self) -> usize {
        self.records.len()
    }

    /// The number of a subject, which is known from now on.
    pub fn index(&mut self, subject: &Subject) -> usize {
        if let Some(index) = self.subjects.get(subject) {
            return *index;
        }
        self.subjects.insert(subject.clone(), self.records.len());
        self.records.push(Record::default());
        self.records.len() - 1
    }

    /// One more run, and where what came up in it.
    pub fn add<'a>(&mut self, seen: impl Iterator<Item = (usize, Option<&'a str>)>) {
        self.n_runs += 1;
        let mut in_run = BTreeSet::new();
        let mut places = BTreeSet::new();
        for (index, path) in seen {
            in_run.insert(index);
            places.extend(path.map(|path| (index, path)));
        }
        for index in in_run {
            let record = &mut self.records[index];
            *record = Record { n_runs: record.n_runs + 1, last: self.n_runs };
        }
        for (index, path) in places {
            for (counts, place) in [(&mut self.by_file, path), (&mut self.by_folder, folder(path))]
            {
                *counts.entry(place.to_owned()).or_default().entry(index).or_default() += 1;
            }
        }
    }

    /// The `n` subjects that a rule would show to a run that touches these paths.
    pub fn pick(&self, by: Chooser, paths: &[String], n: usize) -> BTreeSet<usize> {
        let files = sum(&self.by_file, paths, |path| path);
        let folders = sum(&self.by_folder, paths, folder);
        let of = |counts: &BTreeMap<usize, u64>, index| counts.get(&index).copied().unwrap_or(0);
        let score = |index: usize, record: &Record| match by {
            Chooser::Frequent => Some([record.n_runs, 0, 0]),
            Chooser::Place => Some([of(&files, index), of(&folders, index), record.n_runs]),
            // They do not go by what came up so far.
            Chooser::Hardwon | Chooser::Oracle => None,
        };
        let scored = self.records.iter().enumerate();
        let scored =
            scored.filter_map(|(index, record)| Some((score(index, record)?, record.last, index)));
        let mut scored: Vec<([u64; 3], usize, usize)> = scored.collect();
        scored.sort_by_key(|known| Reverse(*known));
        scored.into_iter().take(n).map(|(_, _, index)| index).collect()
    }
}

/// How often each came up in the places of these paths.
fn sum(counts: &ByPlace, paths: &[String], part: fn(&str) -> &str) -> BTreeMap<usize, u64> {
    let places: BTreeSet<&str> = paths.iter().map(|path| part(path)).collect();
    let mut all = BTreeMap::new();
    for (index, n) in places.iter().filter_map(|place| counts.get(*place)).flatten() {
        *all.entry(*index).or_default() += n;
    }
    all
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
