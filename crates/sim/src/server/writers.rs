//! Do writers of different projects get on without waiting for one another? One writer, then many, each
//! with a project and a connection of its own.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use hardwon_core::gate::Gate;
use hardwon_store::{Access, PostgresStore, StoreError};

use super::{Bench, Cell};
use crate::speed::draft::Vocabulary;
use crate::speed::fill;

/// What each writer writes before it counts. A process of the server that is new maps its memory, opens
/// the files of the tables and makes plans; it keeps a plan from the sixth time on, and of ten lessons
/// one or two have a text that few others have.
const N_WARM_UPS: u64 = 50;

impl Bench<'_> {
    /// Counts what is written in the same time.
    pub(super) fn many_writers(&mut self, talk: &mut dyn FnMut(&str)) -> Result<(), String> {
        let n_writers = self.ask.writers;
        talk(&format!("1 writer and {n_writers} writers"));
        // Projects that nobody has read or written before.
        let first = self.ask.projects + 1;
        let one = self.per_second(first, 1)?;
        let many = self.per_second(first + 1, n_writers)?;
        self.table.rows.push(writers_row(1, one, None));
        self.table.rows.push(writers_row(n_writers, many, Some(many / one)));
        Ok(())
    }

    /// Lessons a second, each written in a transaction of its own.
    fn per_second(&self, first: u64, n_writers: u64) -> Result<f64, String> {
        let span = Duration::from_secs_f64(self.ask.seconds);
        let start = Barrier::new(n_writers as usize);
        let done: Vec<Result<f64, StoreError>> = thread::scope(|scope| {
            let write = |number| {
                let start = &start;
                move || write(self.ask.measured_url(), self.vocabulary, number, span, start)
            };
            let writers: Vec<_> =
                (first..first + n_writers).map(|number| scope.spawn(write(number))).collect();
            let ended = writers.into_iter().map(|writer| writer.join().expect("it does not panic"));
            ended.collect()
        });
        let done: Result<Vec<f64>, StoreError> = done.into_iter().collect();
        done.map(|each| each.iter().sum()).map_err(|error| error.to_string())
    }
}

/// What one writer writes in a second, once its connection knows the tables.
fn write(
    url: &str,
    vocabulary: &Vocabulary,
    number: u64,
    span: Duration,
    start: &Barrier,
) -> Result<f64, StoreError> {
    let gate = Gate::standard();
    let ready = || {
        let mut store = PostgresStore::open(url, Access::Write)?;
        for n in 0..N_WARM_UPS {
            fill::fill_one(&mut store, vocabulary, &gate, number, n)?;
        }
        Ok(store)
    };
    let opened = ready();
    // Everybody waits for everybody, also for who has failed.
    start.wait();
    let mut store: PostgresStore = opened?;
    let (from, mut n_written) = (Instant::now(), 0);
    while from.elapsed() < span {
        fill::fill_one(&mut store, vocabulary, &gate, number, N_WARM_UPS + n_written)?;
        n_written += 1;
    }
    Ok(n_written as f64 / from.elapsed().as_secs_f64())
}

fn writers_row(n_writers: u64, per_second: f64, ratio: Option<f64>) -> Vec<Cell> {
    let name = if n_writers == 1 { "1 writer".into() } else { format!("{n_writers} writers") };
    vec![
        Cell::Text(name),
        Cell::Count(n_writers),
        Cell::Nothing,
        Cell::Nothing,
        Cell::Number(per_second, 0),
        ratio.map_or(Cell::Nothing, |ratio| Cell::Number(ratio, 2)),
        ratio.map_or(Cell::Nothing, |_| Cell::Text("at least 4".to_owned())),
    ]
}
