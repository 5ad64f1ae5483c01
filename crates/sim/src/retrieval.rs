//! `hardwon-sim retrieval`: does `search` find the texts that answer a question? Each text is a
//! lesson in a memory store, each question one search by the same functions as the command's.
//! Beside it stand plain ways to search, so that it shows when they are better. The small set
//! of the repository is our own; the caller brings larger ones by path.

mod methods;
mod sets;

use std::path::PathBuf;

use crate::speed::draft::Random;
use crate::{Cell, Column, Table};
use methods::Method;
use sets::{Part, Set};

const COLUMNS: [Column; 9] = [
    Column { title: "set", key: "set" },
    Column { title: "texts", key: "texts" },
    Column { title: "questions", key: "questions" },
    Column { title: "method", key: "method" },
    Column { title: "R@1", key: "recall_1" },
    Column { title: "R@5", key: "recall_5" },
    Column { title: "R@10", key: "recall_10" },
    Column { title: "MRR", key: "mrr" },
    Column { title: "search's R@10 less this one's", key: "difference" },
];

/// How many times questions are drawn again for an interval.
const N_DRAWS: usize = 1000;
const DEPTHS: [usize; 3] = [1, 5, 10];

/// What one question came to.
struct Outcome {
    recall: [f64; 3],
    reciprocal: f64,
}

/// Asks every question of every set by every method.
pub fn run(files: &[PathBuf], talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let methods = Method::ALL;
    let sets = if files.is_empty() { sets::own()? } else { sets::read(files)? };
    let mut table = Table {
        title: format!("retrieval: {} sets of questions", sets.len()),
        notes: notes(),
        columns: COLUMNS.to_vec(),
        rows: Vec::new(),
    };
    for set in &sets {
        talk(&format!("{}: {} questions", set.name, set.n_questions()));
        let all = methods.iter().map(|method| asked(set, *method));
        let outcomes: Vec<Vec<Outcome>> = all.collect();
        let ours: Vec<f64> = outcomes[0].iter().map(|outcome| outcome.recall[2]).collect();
        for (method, outcomes) in methods.iter().zip(&outcomes) {
            table.rows.push(row(set, *method, outcomes, &ours));
        }
    }
    Ok(table)
}

fn notes() -> Vec<String> {
    let notes = [
        "R@k: the share of the texts that answer a question which are among the first k found.",
        "The last column has the 95 % interval of a paired bootstrap over questions.",
    ];
    notes.map(str::to_owned).to_vec()
}

fn asked(set: &Set, method: Method) -> Vec<Outcome> {
    let ask = |part: &Part| {
        let search = method.prepare(part);
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

fn row(set: &Set, method: Method, outcomes: &[Outcome], ours: &[f64]) -> Vec<Cell> {
    let n = outcomes.len() as f64;
    let mean = |of: &dyn Fn(&Outcome) -> f64| {
        Cell::Number(outcomes.iter().map(of).sum::<f64>() / n.max(1.0), 3)
    };
    let gains = outcomes.iter().zip(ours).map(|(outcome, ours)| ours - outcome.recall[2]);
    let difference = match method {
        Method::Search => Cell::Nothing,
        Method::Proposals | Method::Bm25 => Cell::Text(interval(&gains.collect::<Vec<_>>())),
    };
    vec![
        Cell::Text(set.name.clone()),
        Cell::Count(set.n_texts() as u64),
        Cell::Count(outcomes.len() as u64),
        Cell::Text(method.name().to_owned()),
        mean(&|outcome| outcome.recall[0]),
        mean(&|outcome| outcome.recall[1]),
        mean(&|outcome| outcome.recall[2]),
        mean(&|outcome| outcome.reciprocal),
        difference,
    ]
}

/// The mean and its 95 % interval, drawn again and again with the same seed.
pub fn interval(gains: &[f64]) -> String {
    let n = gains.len();
    let mean = |draw: &mut dyn FnMut(usize) -> f64| (0..n).map(draw).sum::<f64>() / n.max(1) as f64;
    let mut random = Random::seeded(&[n as u64]);
    let mut means: Vec<f64> =
        (0..N_DRAWS).map(|_| mean(&mut |_| gains[random.below(n as u64) as usize])).collect();
    means.sort_by(f64::total_cmp);
    let (low, high) = (means[N_DRAWS / 40], means[N_DRAWS - 1 - N_DRAWS / 40]);
    format!("{:+.3} [{low:+.3}, {high:+.3}]", mean(&mut |at| gains[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(table: &Table, method: &str) -> Vec<f64> {
        let is_of = |row: &&Vec<Cell>| row[3] == Cell::Text(method.to_owned());
        let row = table.rows.iter().find(is_of).unwrap();
        let number = |cell: &Cell| if let Cell::Number(number, _) = cell { *number } else { -1.0 };
        row[4..8].iter().map(number).collect()
    }

    #[test]
    fn search_is_better_than_plain_ways_to_search() {
        let table = run(&[], &mut |_| {}).unwrap();
        let ours = figures(&table, Method::Search.name());
        for other in [Method::Proposals, Method::Bm25] {
            let other = figures(&table, other.name());
            assert!(ours.iter().zip(&other).all(|(ours, other)| ours >= other), "{table}");
            assert!(ours[3] > other[3], "{table}");
        }
    }

    #[test]
    fn recall_counts_what_is_among_the_first() {
        assert_eq!(recall(&[3, 1, 2], &[1, 7], 2), 0.5);
        assert_eq!(reciprocal(&[3, 1, 2], &[2, 1]), 0.5);
        assert_eq!(interval(&[0.5, 0.5]), "+0.500 [+0.500, +0.500]");
    }
}
