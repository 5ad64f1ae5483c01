//! `hardwon-sim needs`: how much of a block concerns the need it was asked for, and whether
//! nothing is said where nothing fits. Lessons are learned from the records of runs and blocks are
//! composed, both as the product does it. What concerns a need is labelled beforehand.

mod cases;
mod plain;

use std::collections::BTreeMap;
use std::path::PathBuf;

use hardwon_core::need::Need;
use hardwon_engine::{InjectRequest, Input, LearnRequest, OpenMemory, blocks, runs};
use hardwon_store::LessonQuery;
use serde_json::json;

use crate::retrieval::interval;
use crate::{Cell, Column, Table};
use cases::{Asked, Cases, Lesson};
use plain::Plain;

/// When it is asked: shortly after the last run.
const NOW: &str = "2026-03-01T00:00:00Z";
/// Over so many runs the lessons are spread.
const N_RUNS: usize = 30;

const COLUMNS: [Column; 9] = [
    Column { title: "set", key: "set" },
    Column { title: "method", key: "method" },
    Column { title: "needs", key: "needs" },
    Column { title: "served", key: "served" },
    Column { title: "lines", key: "lines" },
    Column { title: "to the point", key: "relevant" },
    Column { title: "per need, 95 %", key: "interval" },
    Column { title: "nothing fits", key: "others" },
    Column { title: "silent", key: "silent" },
];

/// Asks every need of the files, or our own.
pub fn run(files: &[PathBuf], talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let all = if files.is_empty() { vec![cases::own()?] } else { cases::read(files)? };
    let mut rows = Vec::new();
    for cases in &all {
        let memory = Filled::new(cases)?;
        talk(&format!("{} of {} lessons may be shown", memory.n_active, cases.lessons.len()));
        let plain = Plain::new(&cases.lessons);
        for (name, asked) in &cases.sets {
            let mut ours = Score::default();
            let mut theirs = Score::default();
            for asked in asked {
                let block = memory.block(&asked.need)?;
                talk(&told(asked, &block));
                ours.add(asked, &block);
                theirs.add(asked, &plain.block(&asked.need, &cases.lessons));
            }
            rows.push(ours.row(name, "inject"));
            rows.push(theirs.row(name, "words that cover a fifth"));
        }
    }
    Ok(Table {
        title: "needs: what a block says, and where it says nothing".to_owned(),
        notes: notes(),
        columns: COLUMNS.to_vec(),
        rows,
    })
}

fn notes() -> Vec<String> {
    let notes = [
        "served: something fits the need, and something was shown.",
        "to the point: of the lines of such needs, those that concern them; the interval of a \
         bootstrap over needs is of the share per need.",
        "silent: nothing fits the need, and nothing was shown.",
    ];
    notes.map(str::to_owned).to_vec()
}

/// A memory that has learned the lessons.
struct Filled {
    open: OpenMemory,
    keys: BTreeMap<String, String>,
    n_active: usize,
}

impl Filled {
    fn new(cases: &Cases) -> Result<Self, String> {
        let told = |error: hardwon_engine::EngineError| error.to_string();
        let mut open = OpenMemory::throwaway("needs", NOW).map_err(told)?;
        let request = LearnRequest::of(Input::text("records", &records(&cases.lessons)));
        runs::learn(&mut open.memory, &open.call, request).map_err(told)?;
        let learned = open.memory.store.lessons(&open.call.project, &LessonQuery::default());
        let learned = learned.map_err(|error| error.to_string())?;
        let n_active = learned.iter().filter(|lesson| lesson.state.is_active()).count();
        let key = |lesson: &Lesson| (lesson.text.clone(), lesson.key.clone());
        Ok(Filled { open, keys: cases.lessons.iter().map(key).collect(), n_active })
    }

    /// The keys of the lessons in the block; the text of one that is no case's.
    fn block(&self, need: &str) -> Result<Vec<String>, String> {
        let need = Need { text: Some(need.to_owned()), ..Need::default() };
        let request = InjectRequest { need, ..InjectRequest::default() };
        let block = blocks::compose(&self.open.memory, &self.open.call, &request);
        let shown = block.map_err(|error| error.to_string())?.lessons;
        let texts = shown.iter().map(|shown| shown.lesson.text.as_str());
        Ok(texts.map(|text| self.keys.get(text).map_or(text, |key| key).to_owned()).collect())
    }
}

/// Runs in which the lessons came up, each in two to five of them.
fn records(lessons: &[Lesson]) -> String {
    let mut runs: Vec<String> = (0..N_RUNS)
        .map(|at| {
            let (month, day) = (1 + at / 28, 1 + at % 28);
            let time = format!("2026-{month:02}-{day:02}T00:00:00Z");
            let run =
                json!({"type": "run", "id": format!("r{at}"), "started": time, "finished": time});
            format!("{run}\n")
        })
        .collect();
    for (at, lesson) in lessons.iter().enumerate() {
        for time in 0..2 + at % 4 {
            let finding = json!({
                "type": "finding", "author": "reviewer", "severity": "warning",
                "path": lesson.path, "text": lesson.text,
            });
            runs[(at * 7 + time * 11) % N_RUNS] += &format!("{finding}\n");
        }
    }
    runs.concat()
}

fn told(asked: &Asked, block: &[String]) -> String {
    let mark =
        |key: &String| if asked.fits.contains(key) { key.clone() } else { format!("-{key}") };
    let sort = if asked.fits.is_empty() { '-' } else { '+' };
    format!("{sort} {}: {}", asked.need, block.iter().map(mark).collect::<Vec<_>>().join(" "))
}

#[derive(Default)]
struct Score {
    /// Of each need that something fits and something was shown for.
    shares: Vec<f64>,
    n_fitting: u64,
    n_lines: u64,
    n_right: u64,
    n_others: u64,
    n_silent: u64,
}

impl Score {
    fn add(&mut self, asked: &Asked, block: &[String]) {
        if asked.fits.is_empty() {
            self.n_others += 1;
            self.n_silent += u64::from(block.is_empty());
            return;
        }
        self.n_fitting += 1;
        let n_right = block.iter().filter(|key| asked.fits.contains(*key)).count();
        self.n_lines += block.len() as u64;
        self.n_right += n_right as u64;
        if !block.is_empty() {
            self.shares.push(n_right as f64 / block.len() as f64);
        }
    }

    fn row(&self, set: &str, method: &str) -> Vec<Cell> {
        vec![
            Cell::Text(set.to_owned()),
            Cell::Text(method.to_owned()),
            Cell::Count(self.n_fitting),
            Cell::Count(self.shares.len() as u64),
            Cell::Count(self.n_lines),
            Cell::Number(self.n_right as f64 / self.n_lines.max(1) as f64, 3),
            Cell::Text(interval(&self.shares)),
            Cell::Count(self.n_others),
            Cell::Count(self.n_silent),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_lines_concern_the_need_and_nothing_is_said_where_nothing_fits() {
        let table = run(&[], &mut |_| {}).unwrap();
        for row in table.rows.chunks_exact(2) {
            let [ours, plain] = row else { panic!("two methods each") };
            assert_eq!(ours[7], ours[8], "silent\n{table}");
            let share =
                |row: &[Cell]| if let Cell::Number(share, _) = row[5] { share } else { 0.0 };
            assert!(share(ours) >= 0.6, "{table}");
            assert!(share(ours) + 0.1 >= share(plain), "{table}");
        }
    }
}
