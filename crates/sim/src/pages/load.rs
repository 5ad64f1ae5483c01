//! Blocks over HTTP beside blocks of processes, and how much a server weighs after many.

use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{Connection, Server};
use super::row;
use crate::speed::scenario::{Memory, Scenario};
use crate::table::{Cell, Table};

/// Who asks at a time: one for each core of a small machine.
pub const N_WORKERS: u64 = 2;
/// As long as processes are started for their figure.
const SPAN: Duration = Duration::from_secs(5);
/// Different needs.
const N_NEEDS: u64 = 2_000;
/// Findings of the record that is learned beside.
const N_LEARNED: u64 = 1_000;

pub fn measure(
    memory: &Memory<'_>,
    server: &Server,
    n_requests: u64,
    table: &mut Table,
    talk: &mut dyn FnMut(&str),
) -> Result<(), String> {
    // Runs that are recorded make the store grow, so that a tenth is enough.
    let cases = [
        (Scenario::Inject, "", n_requests),
        (Scenario::InjectForRun, " with run", n_requests / 10),
    ];
    for (scenario, with, n) in cases {
        talk(&format!("  {n} blocks{with} over HTTP, and as processes"));
        let started = by_processes(memory, scenario, n)?;
        let asked = over_http(memory, server, scenario, n.max(1), 0)?;
        let ratio = asked.per_second() / started.per_second();
        table.notes.push(format!(
            "POST /inject{with}: {ratio:.1} × as many a second as processes of `hardwon inject`."
        ));
        table.rows.push(started.row(&format!("process: inject{with}")));
        table.rows.push(asked.row(&format!("POST /inject{with}")));
        weigh(server, n, table);
    }
    same_need(memory, server, n_requests, table, talk)?;
    talk(&format!("  blocks while {N_LEARNED} findings are learned"));
    let record = memory.large_record(N_LEARNED)?;
    let mut learning = memory.learn(&record).command();
    learning.stdout(Stdio::null()).stderr(Stdio::null());
    let learning = learning.spawn().map_err(|error| error.to_string())?;
    let learning = Mutex::new(learning);
    let is_learning = || learning.lock().is_ok_and(|mut it| matches!(it.try_wait(), Ok(None)));
    let beside = while_true(memory, server, &is_learning)?;
    let mut times = beside.times.clone();
    times.sort_by(f64::total_cmp);
    if let [.., _] = times[..] {
        let at = |share: f64| times[((times.len() as f64 * share) as usize).min(times.len() - 1)];
        table.notes.push(format!("While learning, p99 is {:.1} × p50.", at(0.99) / at(0.5)));
    }
    table.rows.push(beside.row("POST /inject while learning"));
    Ok(())
}

/// What the agents of a pipeline do: all ask for the same.
fn same_need(
    memory: &Memory<'_>,
    server: &Server,
    n: u64,
    table: &mut Table,
    talk: &mut dyn FnMut(&str),
) -> Result<(), String> {
    talk(&format!("  {n} blocks for one need"));
    for (scenario, with) in [(Scenario::Inject, ""), (Scenario::InjectForRun, " with run")] {
        let turns = AtomicU64::new(700_000_000);
        let n = if with.is_empty() { n } else { n / 10 };
        let is_left = || turns.load(Ordering::Relaxed) < 700_000_000 + n.max(1);
        let asked = requests(memory, server, scenario, 1, &turns, &is_left)?;
        table.rows.push(asked.row(&format!("POST /inject{with}, one need")));
    }
    weigh(server, n, table);
    Ok(())
}

fn weigh(server: &Server, n: u64, table: &mut Table) {
    if let Some((now, most)) = server.weight() {
        let mb = |bytes: u64| bytes as f64 / 1_000_000.0;
        let (now, most) = (mb(now), mb(most));
        table.notes.push(format!("After {n} more requests: {now:.1} MB, at most {most:.1} MB."));
    }
}

/// What was asked for, and how long it took.
struct Asked {
    times: Vec<f64>,
    span: Duration,
}

impl Asked {
    fn per_second(&self) -> f64 {
        self.times.len() as f64 / self.span.as_secs_f64().max(f64::EPSILON)
    }

    fn row(mut self, name: &str) -> Vec<Cell> {
        let per_second = self.per_second();
        row(name, &mut self.times, None, Some(per_second))
    }
}

/// As many processes as there is time for, and no more than requests.
fn by_processes(memory: &Memory<'_>, scenario: Scenario, n: u64) -> Result<Asked, String> {
    let from = Instant::now();
    let turns = AtomicU64::new(0);
    together(from, &|| {
        let turn = turns.fetch_add(1, Ordering::Relaxed);
        if turn >= n.max(1) || from.elapsed() > SPAN {
            return Ok(None);
        }
        let start = memory.start(scenario, 500_000_000 + turn)?.ok_or("not a process")?;
        start.time().map(|took| Some(took.as_secs_f64() * 1000.0))
    })
}

/// So many requests.
fn over_http(
    memory: &Memory<'_>,
    server: &Server,
    scenario: Scenario,
    n: u64,
    first: u64,
) -> Result<Asked, String> {
    let turns = AtomicU64::new(first);
    let is_left = || turns.load(Ordering::Relaxed) < first + n;
    requests(memory, server, scenario, N_NEEDS, &turns, &is_left)
}

/// As long as this holds.
fn while_true(
    memory: &Memory<'_>,
    server: &Server,
    holds: &(dyn Fn() -> bool + Sync),
) -> Result<Asked, String> {
    requests(memory, server, Scenario::Inject, N_NEEDS, &AtomicU64::new(0), holds)
}

fn requests(
    memory: &Memory<'_>,
    server: &Server,
    scenario: Scenario,
    n_needs: u64,
    turns: &AtomicU64,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<Asked, String> {
    // Made before, so that only the server is measured.
    let needs: Vec<serde_json::Value> = (0..n_needs).map(|turn| memory.need_of(turn)).collect();
    let from = Instant::now();
    let idle: Mutex<Vec<Connection>> = Mutex::default();
    together(from, &|| {
        if !goes_on() {
            return Ok(None);
        }
        let turn = turns.fetch_add(1, Ordering::Relaxed);
        let waiting = idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut connection = waiting.map_or_else(|| Connection::to(server), Ok)?;
        let mut body = needs[(turn % n_needs) as usize].clone();
        if scenario == Scenario::InjectForRun {
            body["run"] = json!(format!("asked-{turn}"));
        }
        let began = Instant::now();
        let (status, answer) = connection.post("/api/v1/inject", &body.to_string())?;
        let took = began.elapsed().as_secs_f64() * 1000.0;
        if status != 200 || answer.is_empty() {
            return Err(format!("/inject was answered with {status}"));
        }
        if let Ok(mut idle) = idle.lock() {
            idle.push(connection);
        }
        Ok(Some(took))
    })
}

/// All workers do this until it says that it is over.
fn together(
    from: Instant,
    work: &(dyn Fn() -> Result<Option<f64>, String> + Sync),
) -> Result<Asked, String> {
    let one = || {
        let mut times = Vec::new();
        while let Some(took) = work()? {
            times.push(took);
        }
        Ok::<_, String>(times)
    };
    let done: Vec<Result<Vec<f64>, String>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..N_WORKERS).map(|_| scope.spawn(one)).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|_| Err("a worker failed".to_owned()))
        };
        workers.into_iter().map(join).collect()
    });
    let span = from.elapsed();
    let times = done.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    Ok(Asked { times, span })
}
