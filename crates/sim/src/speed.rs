//! How fast is the program where people wait for it? Cold processes of `hardwon` on
//! filled stores, in turn with the start of an empty program, so that what the machine
//! does meanwhile falls on both. Works in a folder of its own and removes it.

pub(crate) mod draft;
pub(crate) mod fill;
pub(crate) mod scenario;
pub(crate) mod start;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hardwon_store::{Access, LessonQuery, SqliteStore, Store};

use crate::{Cell, Table, TableRow};
use draft::Vocabulary;
use scenario::{Memory, Scenario};
use start::Probes;

/// Turns that are not counted: they fill the page cache and the log.
const N_WARM_UPS: u64 = 3;

/// From this size on the disk may still be busy when a store is filled; a millisecond a lesson is
/// waited for that, and not longer than this.
const WORTH_WAITING: u64 = 10_000;
const MOST_PATIENCE: Duration = Duration::from_secs(120);

/// What is measured together. `learn` changes the store, so it comes last, with
/// reference starts of its own.
const ROUNDS: [&[Scenario]; 2] = [
    &[
        Scenario::Empty,
        Scenario::Lookup,
        Scenario::Inject,
        Scenario::InjectForRun,
        Scenario::HookPrompt,
        Scenario::HookFailed,
    ],
    &[Scenario::Empty, Scenario::Lookup, Scenario::Learn],
];

/// What is measured.
#[derive(Clone, Debug, clap::Args)]
pub struct Ask {
    /// Store sizes, in lessons
    #[arg(long, value_delimiter = ',', default_values_t = [1000, 10_000])]
    pub lessons: Vec<u64>,
    /// Cold starts per figure
    #[arg(long, default_value_t = 40)]
    pub starts: u32,
}

/// Measures stores of these sizes.
pub fn run(program: &Path, ask: &Ask, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let Ask { lessons, starts } = ask;
    let starts = *starts;
    if starts == 0 || lessons.contains(&0) {
        return Err("a bench needs at least one start and one lesson".to_owned());
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let probes = Probes::compile(folder.path())?;
    let vocabulary = Vocabulary::new();
    let mut bench = Bench { program, probes: &probes, starts, table: table(starts) };
    bench.table.notes.push(format!("Binary: {:.1} MB.", megabytes(size(program))));
    for n_lessons in lessons {
        let home = folder.path().join(n_lessons.to_string());
        bench.size(home.clone(), *n_lessons, &vocabulary, talk)?;
        std::fs::remove_dir_all(&home).map_err(|error| error.to_string())?;
    }
    Ok(bench.table)
}

fn table(starts: u32) -> Table {
    let mut notes = vec![
        format!("n = {starts} cold processes a figure, after {N_WARM_UPS} warm-ups."),
        "The page cache is warm; `× empty` compares with empty starts of the same loop.".to_owned(),
    ];
    if cfg!(debug_assertions) {
        notes.push("A debug build: these figures say nothing about the released one.".to_owned());
    }
    let title = "Speed of cold processes".to_owned();
    Table { title, notes, rows: Vec::new() }
}

struct Bench<'a> {
    program: &'a Path,
    probes: &'a Probes,
    starts: u32,
    table: Table,
}

impl Bench<'_> {
    /// Fills a store of this size and measures it.
    fn size(
        &mut self,
        home: PathBuf,
        n_lessons: u64,
        vocabulary: &Vocabulary,
        talk: &mut dyn FnMut(&str),
    ) -> Result<(), String> {
        talk(&format!("{n_lessons} lessons: filling a store"));
        let from = Instant::now();
        let lesson = fill_store(&home, n_lessons, vocabulary, talk)?;
        talk(&format!("  filled in {:.1} s; measuring", from.elapsed().as_secs_f64()));
        // A small store leaves nothing to wait for.
        let patience = Duration::from_millis(n_lessons).min(MOST_PATIENCE);
        if n_lessons >= WORTH_WAITING && !self.probes.wait_for_quiet(&home, patience)? {
            let note = format!("{n_lessons} lessons: the machine was busy with something else.");
            self.table.notes.push(note);
        }
        let (program, empty) = (self.program, self.probes.empty.as_path());
        let memory = Memory { home, n_lessons, vocabulary, program, empty, lesson };
        let store_bytes = size(&Memory::file(&memory.home));
        for (index, round) in ROUNDS.iter().enumerate() {
            let figures = self.round(&memory, round)?;
            // The references of later rounds serve their ratios only.
            let n_hidden = if index == 0 { 0 } else { 2 };
            for figure in &figures[n_hidden..] {
                self.table.rows.push(row(figure, &figures, n_lessons, store_bytes));
            }
        }
        self.table.notes.push(check(&memory, u64::from(self.starts) + N_WARM_UPS + 1)?);
        Ok(())
    }

    /// Times the scenarios of a round in turn.
    fn round(&self, memory: &Memory<'_>, round: &[Scenario]) -> Result<Vec<Figure>, String> {
        let figure = |scenario| Figure { scenario, times: Vec::new(), peak_bytes: None };
        let mut figures: Vec<Figure> = round.iter().copied().map(figure).collect();
        let n_turns = N_WARM_UPS + u64::from(self.starts);
        for turn in 0..n_turns {
            for figure in &mut figures {
                let took = time(memory, figure.scenario, turn)?;
                if turn >= N_WARM_UPS {
                    figure.times.push(took);
                }
            }
        }
        for figure in &mut figures {
            figure.times.sort_unstable();
            if let Some(start) = memory.start(figure.scenario, n_turns)? {
                figure.peak_bytes = Some(self.probes.weigh(&start)?);
            }
        }
        Ok(figures)
    }
}

/// Fills the store at `home` and names one of its lessons.
fn fill_store(
    home: &Path,
    n_lessons: u64,
    vocabulary: &Vocabulary,
    talk: &mut dyn FnMut(&str),
) -> Result<hardwon_core::ids::LessonId, String> {
    let mut filled = || {
        let mut store = SqliteStore::open(Memory::file(home), Access::Write)?;
        fill::fill(&mut store, vocabulary, n_lessons, talk)?;
        store.lessons(&fill::project(0), &LessonQuery { limit: Some(1), ..LessonQuery::default() })
    };
    let lessons = filled().map_err(|error| format!("cannot fill a store: {error}"))?;
    let lesson = lessons.into_iter().next().ok_or("the filled store is empty")?;
    Ok(lesson.id)
}

fn time(memory: &Memory<'_>, scenario: Scenario, turn: u64) -> Result<Duration, String> {
    match memory.start(scenario, turn)? {
        Some(start) => start.time(),
        None => {
            let from = Instant::now();
            memory.look_up()?;
            Ok(from.elapsed())
        }
    }
}

/// One sentence on what the measured commands really did. `inject` never fails, so an
/// empty block would otherwise pass for a fast one.
fn check(memory: &Memory<'_>, turn: u64) -> Result<String, String> {
    let n_of = |list: &serde_json::Value| list.as_array().map_or(0, Vec::len);
    let injected = memory.json_answer(Scenario::Inject, turn)?;
    let n_shown = n_of(&injected["lessons"]);
    if n_shown == 0 {
        return Err(format!("`inject` showed nothing: {}", injected["problems"]));
    }
    let hooked = memory.start(Scenario::HookPrompt, turn)?.ok_or("not a process")?.output()?;
    if !hooked.contains("additionalContext") {
        return Err("`hook` printed nothing".to_owned());
    }
    let learned = memory.json_answer(Scenario::Learn, turn)?;
    let run = &learned["runs"][0];
    Ok(format!(
        "{} lessons: `inject` showed {n_shown}; `learn` made {} lessons and recognized {}.",
        memory.n_lessons,
        n_of(&run["new"]),
        n_of(&run["matched"]),
    ))
}

/// Times of one scenario, shortest first.
struct Figure {
    scenario: Scenario,
    times: Vec<Duration>,
    peak_bytes: Option<u64>,
}

impl Figure {
    /// The time that this share of the starts did not exceed.
    fn ms(&self, share: f64) -> f64 {
        let index = (self.times.len() as f64 * share).ceil() as usize;
        let time = self.times[index.clamp(1, self.times.len()) - 1];
        time.as_secs_f64() * 1000.0
    }
}

fn row(figure: &Figure, round: &[Figure], n_lessons: u64, store_bytes: u64) -> TableRow {
    let reference = |scenario| round.iter().find(|f| f.scenario == scenario).map(|f| f.ms(0.5));
    let empty = reference(Scenario::Empty);
    let both = empty.zip(reference(Scenario::Lookup)).map(|(empty, lookup)| empty + lookup);
    let ratio = |to: Option<f64>| match to {
        Some(ms) if figure.peak_bytes.is_some() => Cell::Number(figure.ms(0.5) / ms, 2),
        _ => Cell::Nothing,
    };
    let peak = figure.peak_bytes.map(|bytes| Cell::Number(megabytes(bytes), 1));
    vec![
        ("lessons", Cell::Count(n_lessons)),
        ("what", Cell::Text(figure.scenario.name().to_owned())),
        ("median_ms", Cell::Number(figure.ms(0.5), 2)),
        ("p90_ms", Cell::Number(figure.ms(0.9), 2)),
        ("ratio_to_empty", ratio(empty)),
        ("ratio_to_empty_and_lookup", ratio(both)),
        ("peak_mb", peak.unwrap_or(Cell::Nothing)),
        ("store_mb", Cell::Number(megabytes(store_bytes), 1)),
    ]
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1_000_000.0
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |about| about.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_p90_are_measured_times() {
        let times = (1..=10).map(Duration::from_millis).collect();
        let figure = Figure { scenario: Scenario::Inject, times, peak_bytes: None };
        assert_eq!((figure.ms(0.5), figure.ms(0.9)), (5.0, 9.0));
        let one = Figure { times: vec![Duration::from_millis(7)], ..figure };
        assert_eq!((one.ms(0.5), one.ms(0.9)), (7.0, 7.0));
    }
}
