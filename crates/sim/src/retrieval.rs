//! `hardwon-sim retrieval`: does `search` find the texts that answer a question? Each text is a
//! lesson in a memory store, each question one search by the same functions as the command's.
//! Beside it stands BM25, so that it shows when that is better. The small set
//! of the repository is our own; the caller brings larger ones by path.

mod methods;
mod sets;

use std::path::PathBuf;

use crate::{Cell, Table, TableRow};
use methods::{METHODS, Method};
use sets::{Part, Set};

const NOTE: &str =
    "R@k: the share of the texts that answer a question which are among the first k found.";
const DEPTHS: [usize; 3] = [1, 5, 10];

/// What one question came to.
struct Outcome {
    recall: [f64; 3],
    reciprocal: f64,
}

/// Asks every question of every set by every method.
pub fn run(files: &[PathBuf], talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let sets = if files.is_empty() { sets::own()? } else { sets::read(files)? };
    let mut table = Table {
        title: format!("retrieval: {} sets of questions", sets.len()),
        notes: vec![NOTE.to_owned()],
        rows: Vec::new(),
    };
    for set in &sets {
        talk(&format!("{}: {} questions", set.name, set.n_questions()));
        for method in METHODS {
            table.rows.push(row(set, method, &asked(set, method)));
        }
    }
    Ok(table)
}

fn asked(set: &Set, method: Method) -> Vec<Outcome> {
    let ask = |part: &Part| {
        let search = method.1(part);
        let outcomes = part.questions.iter().map(|question| {
            let mut found = search(&question.text);
            found.retain(|at| Some(*at) != question.own);
            Outcome {
                recall: DEPTHS.map(|depth| recall(&found, &question.answers, depth)),
                reciprocal: reciprocal(&found, &question.answers),
            }
        });
        outcomes.collect::<Vec<_>>()
    };
    set.parts.iter().flat_map(ask).collect()
}

fn recall(found: &[usize], answers: &[usize], depth: usize) -> f64 {
    let n_found = found.iter().take(depth).filter(|at| answers.contains(at)).count();
    n_found as f64 / answers.len() as f64
}

/// One over the place of the first right one among the first ten.
fn reciprocal(found: &[usize], answers: &[usize]) -> f64 {
    let place = found.iter().take(10).position(|at| answers.contains(at));
    place.map_or(0.0, |place| 1.0 / (place + 1) as f64)
}

fn row(set: &Set, method: Method, outcomes: &[Outcome]) -> TableRow {
    let n = outcomes.len() as f64;
    let mean = |of: &dyn Fn(&Outcome) -> f64| {
        Cell::Number(outcomes.iter().map(of).sum::<f64>() / n.max(1.0), 3)
    };
    vec![
        ("set", Cell::Text(set.name.clone())),
        ("texts", Cell::Count(set.n_texts() as u64)),
        ("questions", Cell::Count(outcomes.len() as u64)),
        ("method", Cell::Text(method.0.to_owned())),
        ("recall_1", mean(&|outcome| outcome.recall[0])),
        ("recall_5", mean(&|outcome| outcome.recall[1])),
        ("recall_10", mean(&|outcome| outcome.recall[2])),
        ("mrr", mean(&|outcome| outcome.reciprocal)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(table: &Table, method: &str) -> Vec<f64> {
        let is_of = |row: &&TableRow| row[3].1 == Cell::Text(method.to_owned());
        let row = table.rows.iter().find(is_of).unwrap();
        let number =
            |(_, cell): &(_, Cell)| if let Cell::Number(number, _) = cell { *number } else { -1.0 };
        row[4..8].iter().map(number).collect()
    }

    #[test]
    fn search_is_better_than_bm25() {
        let table = run(&[], &mut |_| {}).unwrap();
        let ours = figures(&table, methods::OURS);
        let other = figures(&table, methods::BM25);
        assert!(ours.iter().zip(&other).all(|(ours, other)| ours >= other), "{table}");
        assert!(ours[3] > other[3], "{table}");
    }

    #[test]
    fn recall_counts_what_is_among_the_first() {
        assert_eq!(recall(&[3, 1, 2], &[1, 7], 2), 0.5);
        assert_eq!(reciprocal(&[3, 1, 2], &[2, 1]), 0.5);
    }
}
