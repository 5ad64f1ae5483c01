//! `hardwon-sim matching`: are findings taken for one that name the same problem? Labelled findings
//! that the caller brings arrive one by one in a store in small, which proposes lessons as the
//! product's does; each joins the best one or starts its own. Then every pair of them whose truth
//! is known is looked at.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hardwon_core::matching::{Corpus, MatchPolicy, Prepared, Relation, Subject, best_of_prepared};
use hardwon_core::words::unique_words;
use hardwon_engine::policy;
use serde::Deserialize;

use crate::random::Random;
use crate::{Cell, Table, TableRow};

/// Findings of our own, too few for figures.
const OWN: &str = include_str!("../cases/matching.jsonl");
/// Orders of arrival; the first is that of the file.
const N_ORDERS: u64 = 3;
/// How many lessons the store proposes for one finding, as in the product.
const N_CANDIDATES: usize = 24;

/// One labelled finding.
#[derive(Clone, Debug, Deserialize)]
struct Row {
    /// Which judge extracted and labelled it. A finding occurs in the set of each.
    set: String,
    /// Pull request in which it was made.
    pr: String,
    text: String,
    /// The known problem that it names. `None` says little: the judge credited each reviewer with
    /// one finding per problem, so a second wording of the same problem has no label either.
    same_as: Option<String>,
}

/// Pairs of findings, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pairs {
    /// Joined and the same problem.
    n_right: u64,
    /// Joined and not the same problem.
    n_wrong: u64,
    /// The same problem and not joined.
    n_missed: u64,
}

/// Scores labelled findings.
pub fn run(data: Option<&Path>, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let rows = match data {
        Some(data) => read(data)?,
        None => parse(OWN).map_err(|error| format!("our own findings:{error}"))?,
    };
    let ours = policy::load("hardwon").map_err(|error| error.to_string())?.matching;
    let mut sets: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    rows.iter().for_each(|row| sets.entry(&row.set).or_default().push(row));
    let sets: Vec<Vec<&Row>> = sets.into_values().collect();
    let mut labelled = sets.clone();
    labelled.iter_mut().for_each(|set| set.retain(|row| row.same_as.is_some()));
    let mut found = Vec::new();
    for (name, sets) in [("labelled", labelled), ("all", sets)] {
        talk(&format!("{name} findings"));
        found.push(figures(name, &sets, &ours));
    }
    let notes = [
        "Findings arrive one by one, in three orders; each joins the best lesson or starts one.",
        "A pair counts if both name a known problem, or one does and the other was made in \
         another pull request. F1 is the mean of the sets.",
    ];
    Ok(Table {
        title: format!("matching: {} findings", rows.len()),
        notes: notes.map(str::to_owned).to_vec(),
        rows: found,
    })
}

fn figures(name: &str, sets: &[Vec<&Row>], policy: &MatchPolicy) -> TableRow {
    let of_set = |rows: &Vec<&Row>| {
        let mut pairs = Pairs::default();
        (0..N_ORDERS).for_each(|order| pairs.count(rows, &groups(rows, order, policy)));
        pairs
    };
    let pairs: Vec<Pairs> = sets.iter().map(of_set).collect();
    let mean = |of: fn(&Pairs) -> f64, decimals| {
        Cell::Number(pairs.iter().map(of).sum::<f64>() / pairs.len() as f64, decimals)
    };
    vec![
        ("findings", Cell::Text(name.to_owned())),
        ("n", Cell::Count(sets.iter().map(Vec::len).sum::<usize>() as u64)),
        ("f1", mean(|p| share(2 * p.n_right, 2 * p.n_right + p.n_wrong + p.n_missed), 3)),
        ("precision", mean(|p| share(p.n_right, p.n_right + p.n_wrong), 2)),
        ("recall", mean(|p| share(p.n_right, p.n_right + p.n_missed), 2)),
    ]
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

impl Pairs {
    fn count(&mut self, rows: &[&Row], groups: &[usize]) {
        for (at, (one, group)) in rows.iter().zip(groups).enumerate() {
            for (other, other_group) in rows.iter().zip(groups).skip(at + 1) {
                let Some(is_same) = is_same(one, other) else { continue };
                match (is_same, group == other_group) {
                    (true, true) => self.n_right += 1,
                    (true, false) => self.n_missed += 1,
                    (false, true) => self.n_wrong += 1,
                    (false, false) => {}
                }
            }
        }
    }
}

/// Whether they name the same problem, as far as it is known.
fn is_same(one: &Row, other: &Row) -> Option<bool> {
    match (&one.same_as, &other.same_as) {
        (None, None) => None,
        (Some(a), Some(b)) => Some(one.pr == other.pr && a == b),
        _ => (one.pr != other.pr).then_some(false),
    }
}

/// The group of each row when they arrive in one of several orders.
fn groups(rows: &[&Row], order: u64, policy: &MatchPolicy) -> Vec<usize> {
    let mut arrivals: Vec<usize> = (0..rows.len()).collect();
    if order > 0 {
        Random::seeded(&[order]).shuffle(&mut arrivals);
    }
    let mut lessons = Lessons::default();
    let mut groups = vec![0; rows.len()];
    for at in arrivals {
        let text = rows[at].text.as_str();
        let finding = Prepared::new(&Subject { text, ..Subject::default() }, policy.method);
        let words = unique_words(text);
        let candidates = lessons.propose(&words);
        let prepared: Vec<&Prepared> = candidates.iter().map(|&at| &lessons.prepared[at]).collect();
        let found = best_of_prepared(&finding, &prepared, &lessons.corpus(&words), policy);
        groups[at] = match (found.relation, found.index) {
            (Relation::Same, Some(index)) => {
                lessons.see_again(candidates[index], &finding, words, policy.n_findings);
                candidates[index]
            }
            _ => lessons.add(finding, words),
        };
    }
    groups
}

/// Lessons with their first findings, and an index from words to lessons.
#[derive(Default)]
struct Lessons<'a> {
    prepared: Vec<Prepared<'a>>,
    by_word: BTreeMap<String, Vec<usize>>,
}

impl<'a> Lessons<'a> {
    fn add(&mut self, lesson: Prepared<'a>, words: Vec<String>) -> usize {
        let at = self.prepared.len();
        self.prepared.push(lesson);
        words.into_iter().for_each(|word| self.by_word.entry(word).or_default().push(at));
        at
    }

    /// As many findings as the policy says are kept, with their words.
    fn see_again(&mut self, at: usize, finding: &Prepared<'a>, words: Vec<String>, max: usize) {
        let lesson = &mut self.prepared[at];
        if lesson.n_texts() >= max || lesson.subject.text == finding.subject.text {
            return;
        }
        lesson.add_wording(finding);
        for word in words {
            let lessons = self.by_word.entry(word).or_default();
            if !lessons.contains(&at) {
                lessons.push(at);
            }
        }
    }

    /// The lessons that share the rarest words, best first, then oldest first.
    fn propose(&self, words: &[String]) -> Vec<usize> {
        let mut shared: BTreeMap<usize, f64> = BTreeMap::new();
        for lessons in words.iter().filter_map(|word| self.by_word.get(word)) {
            let rarity = (1.0 + self.prepared.len() as f64 / lessons.len() as f64).ln();
            for &at in lessons {
                *shared.entry(at).or_default() += rarity;
            }
        }
        let mut ranked: Vec<(usize, f64)> = shared.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.into_iter().take(N_CANDIDATES).map(|(at, _)| at).collect()
    }

    fn corpus(&self, words: &[String]) -> Corpus {
        let known = |word: &String| Some((word.clone(), self.by_word.get(word)?.len() as u64));
        let df = words.iter().filter_map(known).collect();
        Corpus { n_texts: self.prepared.len() as u64, df }
    }
}

fn read(data: &Path) -> Result<Vec<Row>, String> {
    let place = data.display();
    let text = fs::read_to_string(data).map_err(|error| format!("cannot read {place}: {error}"))?;
    let rows = parse(&text).map_err(|error| format!("{place}:{error}"))?;
    if rows.is_empty() { Err(format!("{place} holds no labelled findings")) } else { Ok(rows) }
}

fn parse(text: &str) -> Result<Vec<Row>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let row = |(index, line): (usize, &str)| {
        let row = serde_json::from_str(line);
        row.map_err(|error| format!("{}: not a labelled finding: {error}", index + 1))
    };
    lines.map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pr: &str, text: &str, same_as: Option<&str>) -> Row {
        let same_as = same_as.map(str::to_owned);
        Row { set: "A".into(), pr: pr.into(), text: text.into(), same_as }
    }

    #[test]
    fn pairs_are_joined_and_those_of_unknown_truth_left_out() {
        let rows = [
            row("p", "downsize is defined twice, the later overrides the former", Some("1")),
            row("p", "Second definition of downsize overrides the former one", Some("1")),
            row("p", "host may be nil in before_validation", Some("2")),
            row("q", "The migration interpolates host into raw SQL", Some("3")),
            row("q", "Pagination shows an empty last page", None),
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        let counted = |groups: &[usize]| {
            let mut pairs = Pairs::default();
            pairs.count(&rows, groups);
            pairs
        };
        // All in one group: ten pairs, of which the labelled and the unlabelled row of `q` are one.
        assert_eq!(counted(&[0; 5]), Pairs { n_right: 1, n_wrong: 8, n_missed: 0 });
        assert_eq!(counted(&[0, 1, 2, 3, 4]), Pairs { n_right: 0, n_wrong: 0, n_missed: 1 });
        for order in 0..N_ORDERS {
            let groups = groups(&rows, order, &MatchPolicy::default());
            assert_eq!(counted(&groups), Pairs { n_right: 1, n_wrong: 0, n_missed: 0 });
        }
    }
}
