//! `hardwon-sim matching`: our matching beside the methods it must beat, on labelled
//! findings that the caller brings. Baselines get the threshold that suits this very
//! data best; ours runs with the numbers of the policy file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hardwon_core::matching::MatchPolicy;
use hardwon_engine::policy;
use serde::Deserialize;

use crate::matching::{Arrivals, Baseline, Matcher, Pairs, Protocol, Row, Stores, score, tune};
use crate::{Cell, Column, Table};

const COLUMNS: [Column; 7] = [
    Column { title: "store", key: "store" },
    Column { title: "method", key: "method" },
    Column { title: "set", key: "set" },
    Column { title: "threshold", key: "threshold" },
    Column { title: "pair F1", key: "f1" },
    Column { title: "precision", key: "precision" },
    Column { title: "recall", key: "recall" },
];

/// A line of the data.
#[derive(Deserialize)]
struct Line {
    set: String,
    pr: String,
    author: String,
    text: String,
    same_as: Option<String>,
}

/// Rows of one set, and its name.
type Set<'a> = (String, Vec<&'a Row>);

/// Reads the labelled findings and scores every method on them.
pub fn run(data: &Path, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let rows = read(data)?;
    let sets = by_set(&rows);
    let ours = policy::load("hardwon").map_err(|error| error.to_string())?.matching;
    let mut table = Table {
        title: format!("matching: {} labelled findings, {} sets", rows.len(), sets.len()),
        notes: notes(),
        columns: COLUMNS.to_vec(),
        rows: Vec::new(),
    };
    for (name, stores) in [("whole", Stores::Whole), ("per change", Stores::PerPullRequest)] {
        let protocol = Protocol { arrivals: Arrivals::All, stores, n_orders: 1 };
        for (method, threshold, pairs) in methods(&sets, &ours, protocol, talk) {
            for ((set, _), pairs) in sets.iter().zip(&pairs) {
                table.rows.push(row(name, method, set, threshold, pairs));
            }
        }
    }
    Ok(table)
}

fn notes() -> Vec<String> {
    let notes = [
        "Findings arrive one by one; each joins the best lesson above the threshold or starts one.",
        "whole: all changes share one store, as in a project; per change: a store for each.",
        "Baselines have the threshold that is best on this very data; ours is the policy's.",
    ];
    notes.map(str::to_owned).to_vec()
}

/// Every method with its threshold and its pairs per set.
fn methods(
    sets: &[Set<'_>],
    ours: &MatchPolicy,
    protocol: Protocol,
    talk: &mut dyn FnMut(&str),
) -> Vec<(&'static str, f64, Vec<Pairs>)> {
    let scored = |matcher: &Matcher| -> Vec<Pairs> {
        sets.iter().map(|(_, rows)| score(rows, matcher, protocol)).collect()
    };
    talk("scoring ours and ArcheFlow's overlap");
    let shipped = Matcher::Baseline(Baseline::OverlapFirst, 0.5);
    let mut all = vec![
        ("ours", ours.same, scored(&Matcher::Policy(ours.clone()))),
        ("overlap, first match, as shipped", 0.5, scored(&shipped)),
    ];
    let grid: Vec<f64> = (5..20).map(|step| f64::from(step) / 50.0).collect();
    let rows: Vec<Vec<&Row>> = sets.iter().map(|(_, rows)| rows.clone()).collect();
    for (name, baseline) in [
        ("overlap, best match, tuned", Baseline::OverlapBest),
        ("tf-idf words, tuned", Baseline::WordTfIdf),
        ("tf-idf characters, tuned", Baseline::CharTfIdf),
    ] {
        talk(&format!("tuning {name}"));
        let (threshold, pairs) = tune(&rows, &Matcher::Baseline(baseline, 0.0), protocol, &grid);
        all.push((name, threshold, pairs));
    }
    all
}

fn row(store: &str, method: &str, set: &str, threshold: f64, pairs: &Pairs) -> Vec<Cell> {
    vec![
        Cell::Text(store.to_owned()),
        Cell::Text(method.to_owned()),
        Cell::Text(set.to_owned()),
        Cell::Number(threshold, 2),
        Cell::Number(pairs.f1(), 3),
        Cell::Number(pairs.precision(), 2),
        Cell::Number(pairs.recall(), 2),
    ]
}

fn read(data: &Path) -> Result<Vec<Row>, String> {
    let place = data.display();
    let text = fs::read_to_string(data).map_err(|error| format!("cannot read {place}: {error}"))?;
    let parse = |(index, line): (usize, &str)| -> Result<Row, String> {
        let line: Line = serde_json::from_str(line)
            .map_err(|error| format!("{place}:{}: not a labelled finding: {error}", index + 1))?;
        let Line { set, pr, author, text, same_as } = line;
        Ok(Row { set, pr, author, text, same_as })
    };
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let rows: Vec<Row> = lines.map(parse).collect::<Result<_, _>>()?;
    if rows.is_empty() { Err(format!("{place} holds no labelled findings")) } else { Ok(rows) }
}

fn by_set(rows: &[Row]) -> Vec<Set<'_>> {
    let mut sets: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        sets.entry(row.set.clone()).or_default().push(row);
    }
    sets.into_iter().collect()
}
