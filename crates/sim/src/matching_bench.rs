//! `hardwon-sim matching`: our matching beside the methods it must beat, on labelled findings
//! that the caller brings. Every method gets the threshold that suits the other half of the
//! pull requests best; a line more has ours with the numbers of the policy file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use hardwon_core::matching::MatchPolicy;
use hardwon_engine::policy;
use serde::Deserialize;

use crate::matching::{Arrivals, Matcher, Pairs, Protocol, Row, Validated, cross_validate};
use crate::speed::draft::Random;
use crate::{Cell, Column, Table};

const COLUMNS: [Column; 9] = [
    Column { title: "findings", key: "findings" },
    Column { title: "method", key: "method" },
    Column { title: "threshold", key: "threshold" },
    Column { title: "pair F1", key: "f1" },
    Column { title: "low", key: "low" },
    Column { title: "high", key: "high" },
    Column { title: "precision", key: "precision" },
    Column { title: "recall", key: "recall" },
    Column { title: "over tf-idf characters", key: "gain" },
];

/// Orders of arrival, each with halves of its own.
const N_ORDERS: usize = 3;
/// How many times pull requests are drawn again for an interval.
const N_DRAWS: usize = 1000;
/// Thresholds that are tried.
const GRID: [f64; 13] =
    [0.12, 0.14, 0.16, 0.17, 0.18, 0.19, 0.20, 0.21, 0.22, 0.24, 0.28, 0.32, 0.38];

/// A line of the data.
#[derive(Deserialize)]
struct Line {
    set: String,
    pr: String,
    author: String,
    text: String,
    same_as: Option<String>,
}

/// Findings of our own, too few for figures: whether ours is better can be asked of them.
const OWN: &str = include_str!("../cases/matching.jsonl");

/// Scores every method on labelled findings.
pub fn run(data: Option<&Path>, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let rows = match data {
        Some(data) => read(data)?,
        None => parse(OWN).map_err(|(line, error)| format!("our own findings:{line}: {error}"))?,
    };
    let ours = policy::load("hardwon").map_err(|error| error.to_string())?.matching;
    let sets = by_set(&rows);
    let mut table = Table {
        title: format!(
            "matching: {} findings, {} of them labelled, {} pull requests, {} sets",
            rows.len(),
            rows.iter().filter(|row| row.same_as.is_some()).count(),
            pulls(&sets).len(),
            sets.len()
        ),
        notes: notes(),
        columns: COLUMNS.to_vec(),
        rows: Vec::new(),
    };
    for (findings, arrivals) in [("labelled", Arrivals::Labelled), ("all", Arrivals::All)] {
        talk(&format!("{findings} findings"));
        let protocol = Protocol { arrivals, n_orders: N_ORDERS };
        for row in compared(&sets, &ours, protocol) {
            table.rows.push([text(findings)].into_iter().chain(row).collect());
        }
    }
    Ok(table)
}

fn notes() -> Vec<String> {
    let notes = [
        "Findings arrive one by one; each joins the best lesson above the threshold or starts one.",
        "Thresholds are chosen on one half of the pull requests and scored on the other, both \
         ways, in three orders with halves of their own; shown is their mean.",
        "F1 is the mean of the sets; low and high: 95 % over pull requests, drawn 1,000 times; \
         the last column is paired.",
    ];
    notes.map(str::to_owned).to_vec()
}

/// The figures of every method, the simplest last.
fn compared(sets: &[Vec<&Row>], ours: &MatchPolicy, protocol: Protocol) -> Vec<Vec<Cell>> {
    let one = MatchPolicy { n_findings: 1, ..ours.clone() };
    let (shipped, tuned) = ([ours.same], GRID);
    let policy = |policy: &MatchPolicy| Matcher::Policy(policy.clone());
    let methods: Vec<(&str, Matcher, &[f64])> = vec![
        ("ours", policy(ours), &tuned),
        ("ours, the policy's threshold", policy(ours), &shipped),
        ("ours, one finding of a lesson", policy(&one), &tuned),
        ("tf-idf characters", Matcher::Baseline(0.0), &tuned),
    ];
    let validated = |(name, matcher, grid)| (name, cross_validate(sets, &matcher, protocol, grid));
    let found: Vec<(&str, Validated)> = methods.into_iter().map(validated).collect();
    let pulls = pulls(sets);
    let rival = &found[3].1;
    found.iter().map(|(name, found)| figures(name, found, rival, &pulls)).collect()
}

fn figures(name: &str, found: &Validated, rival: &Validated, pulls: &[&str]) -> Vec<Cell> {
    let (low, high) = interval(pulls, |drawn| found.f1_of(drawn));
    let gain = |drawn: &[&str]| found.f1_of(drawn) - rival.f1_of(drawn);
    let (least, most) = interval(pulls, gain);
    let n = found.per_set.len() as f64;
    let mean =
        |of: fn(&Pairs) -> f64| found.per_set.iter().map(|set| of(&set.total())).sum::<f64>() / n;
    let threshold = found.thresholds.iter().sum::<f64>() / found.thresholds.len() as f64;
    vec![
        text(name),
        Cell::Number(threshold, 2),
        Cell::Number(mean(Pairs::f1), 3),
        Cell::Number(low, 3),
        Cell::Number(high, 3),
        Cell::Number(mean(Pairs::precision), 2),
        Cell::Number(mean(Pairs::recall), 2),
        text(&format!("{:+.3} [{least:+.3}, {most:+.3}]", gain(pulls))),
    ]
}

/// The 95 % interval of a figure over pull requests, drawn again with the same seed.
fn interval(pulls: &[&str], figure: impl Fn(&[&str]) -> f64) -> (f64, f64) {
    let n = pulls.len();
    let mut random = Random::seeded(&[n as u64]);
    let mut draw = || -> f64 {
        let drawn: Vec<&str> = (0..n).map(|_| pulls[random.below(n as u64) as usize]).collect();
        figure(&drawn)
    };
    let mut figures: Vec<f64> = (0..N_DRAWS).map(|_| draw()).collect();
    figures.sort_by(f64::total_cmp);
    (figures[N_DRAWS / 40], figures[N_DRAWS - 1 - N_DRAWS / 40])
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn pulls<'a>(sets: &[Vec<&'a Row>]) -> Vec<&'a str> {
    let all: BTreeSet<&str> = sets.iter().flatten().map(|row| row.pr.as_str()).collect();
    all.into_iter().collect()
}

fn read(data: &Path) -> Result<Vec<Row>, String> {
    let place = data.display();
    let text = fs::read_to_string(data).map_err(|error| format!("cannot read {place}: {error}"))?;
    let rows = parse(&text).map_err(|(line, error)| format!("{place}:{line}: {error}"))?;
    if rows.is_empty() { Err(format!("{place} holds no labelled findings")) } else { Ok(rows) }
}

/// The rows, or the line that is none.
fn parse(text: &str) -> Result<Vec<Row>, (usize, String)> {
    let parse = |(index, line): (usize, &str)| {
        let line: Line = serde_json::from_str(line)
            .map_err(|error| (index + 1, format!("not a labelled finding: {error}")))?;
        let Line { set, pr, author, text, same_as } = line;
        Ok(Row { set, pr, author, text, same_as })
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(parse).collect()
}

fn by_set(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut sets: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        sets.entry(&row.set).or_default().push(row);
    }
    sets.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_is_better_than_plain_ways_on_our_own_findings() {
        let table = run(None, &mut |_| {}).unwrap();
        let f1 = |findings: &str, method: &str| {
            let is_wanted = |row: &&Vec<Cell>| row[0] == text(findings) && row[1] == text(method);
            match table.rows.iter().find(is_wanted).unwrap()[3] {
                Cell::Number(f1, _) => f1,
                _ => panic!("F1 is a number"),
            }
        };
        for findings in ["labelled", "all"] {
            let plain = f1(findings, "tf-idf characters");
            assert!(f1(findings, "ours") > plain, "{findings}: {table}");
        }
    }
}
