//! Does anybody starve? Many processes at a time ask for a block for a run and then learn from
//! that run, all in one project; the same is done by one process alone, and the crowd is held
//! against it. At the end the store is asked which injections it has, and whether credit saw
//! them. Works in folders of its own and removes them.

mod member;

use std::path::Path;
use std::thread;
use std::time::Duration;

use hardwon_core::ids::RunId;
use hardwon_store::{Access, SqliteStore, Store, StoreError};

use crate::speed::draft::Vocabulary;
use crate::speed::fill;
use crate::speed::start::Folder;
use crate::table::{Cell, Column, Table};
use member::{Member, Turn};

/// What is promised, as ratios to one process and as shares.
const MAX_RATIO: f64 = 20.0;
const MIN_RECORDED: f64 = 0.999;
const MAX_WAIT: Duration = Duration::from_secs(10);

/// The hundredth part of fewer says nothing.
const MIN_FOR_P99: usize = 100;

/// So many failures are named one by one.
const MAX_NAMED: usize = 5;

/// One process alone takes so many turns for one of each process of the crowd.
const ALONE_TURNS: u64 = 4;

const COLUMNS: [Column; 15] = [
    Column { title: "processes", key: "processes" },
    Column { title: "learns", key: "learns" },
    Column { title: "refused", key: "refused" },
    Column { title: "learn p50 ms", key: "learn_p50_ms" },
    Column { title: "p99", key: "learn_p99_ms" },
    Column { title: "max", key: "learn_max_ms" },
    Column { title: "p99 ratio", key: "learn_p99_ratio" },
    Column { title: "inject p50 ms", key: "inject_p50_ms" },
    Column { title: "p99", key: "inject_p99_ms" },
    Column { title: "max", key: "inject_max_ms" },
    Column { title: "injections", key: "injections" },
    Column { title: "recorded", key: "recorded" },
    Column { title: "%", key: "recorded_percent" },
    Column { title: "credited", key: "credited" },
    Column { title: "waiting", key: "waiting" },
];

/// How large a crowd.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub processes: u64,
    /// Turns of each process.
    pub turns: u64,
    pub pause: Duration,
    /// In memory before anybody comes.
    pub lessons: u64,
}

/// One process alone, and the crowd.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    alone: Figures,
    crowd: Figures,
}

/// What so many processes met.
#[derive(Clone, Debug, Default)]
struct Figures {
    n_processes: u64,
    /// Sorted.
    learns: Vec<Duration>,
    injects: Vec<Duration>,
    failures: Vec<String>,
    /// Blocks that were shown to a run.
    n_injections: u64,
    /// Of those, how many the store has after the queue was emptied.
    n_recorded: u64,
    /// Of the recorded ones, how many credit had seen when their run was learned.
    n_credited: u64,
    /// Files that wait after the last writer.
    n_waiting: u64,
}

/// Lets one process work, then all of them.
pub fn run(program: &Path, plan: Plan, talk: &mut dyn FnMut(&str)) -> Result<Outcome, String> {
    if plan.processes == 0 || plan.turns == 0 || plan.lessons == 0 {
        return Err("a crowd needs processes, turns and lessons".to_owned());
    }
    let alone = Plan { processes: 1, turns: plan.turns * ALONE_TURNS, ..plan };
    let vocabulary = Vocabulary::new();
    talk(&format!("one process, {} turns", alone.turns));
    let alone = measure(program, alone, &vocabulary)?;
    talk(&format!("{} processes, {} turns each", plan.processes, plan.turns));
    let crowd = measure(program, plan, &vocabulary)?;
    Ok(Outcome { alone, crowd })
}

fn measure(program: &Path, plan: Plan, vocabulary: &Vocabulary) -> Result<Figures, String> {
    let folder = Folder::new()?;
    let path = folder.path().join("memory.db");
    let told = |error: StoreError| error.to_string();
    {
        let mut store = SqliteStore::open(&path, Access::Write).map_err(told)?;
        fill::fill(&mut store, vocabulary, plan.lessons, &mut |_| {}).map_err(told)?;
    }
    let member = |number| Member { program, home: folder.path(), vocabulary, number, plan };
    let turns: Vec<Turn> = thread::scope(|scope| {
        let work = |number| scope.spawn(move || member(number).work());
        let handles: Vec<_> = (0..plan.processes).map(work).collect();
        let ended = handles.into_iter().map(|handle| handle.join());
        let ended = ended.map(|turns| turns.unwrap_or_else(|_| Err("a thread panicked".into())));
        ended.collect::<Result<Vec<_>, String>>().map(|turns| turns.concat())
    })?;
    // The next writer takes in what waits.
    member(plan.processes).learn("the-last", 0)?;
    let store = SqliteStore::open(&path, Access::Read).map_err(told)?;
    figures(&store, plan, &turns).map_err(told)
}

fn figures(store: &SqliteStore, plan: Plan, turns: &[Turn]) -> Result<Figures, StoreError> {
    let sorted = |times: &mut dyn Iterator<Item = Duration>| {
        let mut times: Vec<Duration> = times.collect();
        times.sort();
        times
    };
    let mut figures = Figures {
        n_processes: plan.processes,
        learns: sorted(&mut turns.iter().map(|turn| turn.learned_in)),
        injects: sorted(&mut turns.iter().map(|turn| turn.injected_in)),
        failures: turns.iter().flat_map(|turn| turn.failures.clone()).collect(),
        n_waiting: store.n_waiting() as u64,
        ..Figures::default()
    };
    for turn in turns.iter().filter(|turn| turn.is_shown) {
        let run = RunId::parse(&turn.run).expect("the bench made the name");
        let tree = store.tree(&fill::project(0), &run)?;
        let is_recorded = tree.injections.iter().any(|injection| injection.run == run);
        figures.n_injections += 1;
        figures.n_recorded += u64::from(is_recorded);
        figures.n_credited += u64::from(is_recorded && !tree.effects.is_empty());
    }
    Ok(figures)
}

/// The time below which this share of them is. Sorted.
fn quantile(times: &[Duration], share: f64) -> Duration {
    let at = (times.len() as f64 * share).ceil() as usize;
    times.get(at.clamp(1, times.len().max(1)) - 1).copied().unwrap_or_default()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

impl Figures {
    fn recorded_share(&self) -> f64 {
        if self.n_injections == 0 { 1.0 } else { self.n_recorded as f64 / self.n_injections as f64 }
    }

    fn longest(&self) -> Duration {
        let longest = |times: &[Duration]| times.last().copied().unwrap_or_default();
        longest(&self.learns).max(longest(&self.injects))
    }

    fn row(&self, ratio: Cell) -> Vec<Cell> {
        let time = |times: &[Duration], share| Cell::Number(ms(quantile(times, share)), 1);
        vec![
            Cell::Count(self.n_processes),
            Cell::Count(self.learns.len() as u64),
            Cell::Count(self.failures.len() as u64),
            time(&self.learns, 0.5),
            time(&self.learns, 0.99),
            time(&self.learns, 1.0),
            ratio,
            time(&self.injects, 0.5),
            time(&self.injects, 0.99),
            time(&self.injects, 1.0),
            Cell::Count(self.n_injections),
            Cell::Count(self.n_recorded),
            Cell::Number(self.recorded_share() * 100.0, 2),
            Cell::Count(self.n_credited),
            Cell::Count(self.n_waiting),
        ]
    }
}

impl Outcome {
    fn ratio(&self) -> f64 {
        let alone = ms(quantile(&self.alone.learns, 0.99));
        if alone > 0.0 { ms(quantile(&self.crowd.learns, 0.99)) / alone } else { 0.0 }
    }

    /// Whether everything held that is promised. The ratio is one of hundredths, so it needs
    /// that many.
    pub fn is_kept(&self) -> bool {
        let has_enough = self.alone.learns.len().min(self.crowd.learns.len()) >= MIN_FOR_P99;
        let is_complete = |figures: &Figures| {
            figures.failures.is_empty()
                && figures.recorded_share() >= MIN_RECORDED
                && figures.n_credited == figures.n_recorded
                && figures.n_waiting == 0
        };
        let is_fair = self.ratio() <= MAX_RATIO && self.crowd.longest() <= MAX_WAIT;
        is_complete(&self.alone) && is_complete(&self.crowd) && (is_fair || !has_enough)
    }

    /// The figures, with what they mean.
    pub fn table(&self) -> Table {
        Table {
            title: "Crowd: many processes on one project".to_owned(),
            notes: self.notes(),
            columns: COLUMNS.to_vec(),
            rows: vec![
                self.alone.row(Cell::Number(1.0, 1)),
                self.crowd.row(Cell::Number(self.ratio(), 1)),
            ],
        }
    }

    fn notes(&self) -> Vec<String> {
        let notes = [
            "Each process in turn: inject --run, learn of that run with 20 findings, a pause. \
             Times are of whole processes.",
            "refused: a command that failed, or said that it could not do all.",
            "recorded: injections that the store has after one more writer came.",
            "credited: recorded ones whose run has effects, so that its learn had seen them.",
            "waiting: files that are still in the queue.",
        ];
        let failures = self.alone.failures.iter().chain(&self.crowd.failures).take(MAX_NAMED);
        notes.map(str::to_owned).into_iter().chain(failures.cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(n: u64, learn_ms: u64) -> Figures {
        let times = vec![Duration::from_millis(learn_ms); 100];
        Figures {
            n_processes: n,
            learns: times.clone(),
            injects: times,
            n_injections: 1000,
            n_recorded: 1000,
            n_credited: 1000,
            ..Figures::default()
        }
    }

    #[test]
    fn anything_that_does_not_hold_is_told() {
        let good = Outcome { alone: figures(1, 10), crowd: figures(16, 200) };
        assert!(good.is_kept());
        let spoil: [fn(&mut Outcome); 6] = [
            |it| it.crowd.learns[98..].fill(Duration::from_millis(201)),
            |it| it.crowd.injects[99] = Duration::from_secs(11),
            |it| (it.crowd.n_recorded, it.crowd.n_credited) = (998, 998),
            |it| it.crowd.n_credited = 999,
            |it| it.crowd.n_waiting = 1,
            |it| it.alone.failures.push("learn ended with 3".to_owned()),
        ];
        for (n, spoil) in spoil.iter().enumerate() {
            let mut outcome = good.clone();
            spoil(&mut outcome);
            assert!(!outcome.is_kept(), "{n}");
        }
        let mut few = good.clone();
        few.crowd.learns = vec![Duration::from_secs(60); 99];
        assert!(few.is_kept(), "the hundredth part of 99 says nothing");
    }

    #[test]
    fn a_row_is_as_long_as_its_head() {
        let table = Outcome::default().table();
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
    }
}
