//! Does a project get slower because there are many others? Blocks of one project of a server, before
//! and after it has a thousand.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Instant;

use hardwon_core::ids::LessonId;
use hardwon_store::{Access, PostgresStore, StoreError};
use serde_json::json;

use super::{Bench, at, row, sorted, time};
use crate::pages::client::{Connection, Server};
use crate::speed::fill;

/// Blocks that are not counted: of projects that chance draws, so many have been in each of the 16 parts
/// that the tables have, which a process of the server opens one by one.
const N_WARM_UPS: u64 = 64;

/// Who fills projects at the same time: so that neither the server nor we wait for the other.
const N_FILLERS: u64 = 4;

impl Bench<'_> {
    /// Fills projects and asks before and after.
    pub(super) fn many_projects(
        &mut self,
        folder: &Path,
        store: &mut PostgresStore,
        talk: &mut dyn FnMut(&str),
    ) -> Result<(), String> {
        let (n_projects, n_lessons) = (self.ask.projects, self.ask.project_lessons);
        let filled = |error| format!("cannot fill a store: {error}");
        // The one whose lessons are compared with a file has the number 0.
        fill::fill_project(store, self.vocabulary, 1, n_lessons).map_err(filled)?;
        let one = sorted(self.blocks(&folder.join("one"), 1)?);
        talk(&format!("{n_projects} projects of {n_lessons} lessons"));
        self.fill_projects(talk).map_err(filled)?;
        let among = sorted(self.blocks(&folder.join("among"), 1)?);
        let many = sorted(self.blocks(&folder.join("many"), n_projects)?);
        let beside_one = |times: &[f64]| Some((at(times, 0.99) / at(&one, 0.99), "p99 at most 2"));
        let name = |n: u64| format!("inject, {n} projects of {n_lessons}");
        let rows = [
            row(&name(1), &one, None),
            row(&format!("inject, the same of {n_projects}"), &among, beside_one(&among)),
            row(&name(n_projects), &many, beside_one(&many)),
        ];
        self.table.rows.extend(rows);
        Ok(())
    }

    /// Fills all but the first, over several connections. As whoever is measured: the owner would look for
    /// the ids of all lessons in all projects.
    fn fill_projects(&self, talk: &mut dyn FnMut(&str)) -> Result<(), StoreError> {
        let (n_projects, n_lessons) = (self.ask.projects, self.ask.project_lessons);
        let (from, next) = (Instant::now(), AtomicU64::new(2));
        let fill = |said: Sender<()>| {
            let mut store = PostgresStore::open(self.ask.measured_url(), Access::Write)?;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number > n_projects {
                    return Ok(());
                }
                fill::fill_project(&mut store, self.vocabulary, number, n_lessons)?;
                let _ = said.send(());
            }
        };
        let (said, heard) = channel();
        thread::scope(|scope| {
            let filler = |_| {
                let (fill, said) = (&fill, said.clone());
                scope.spawn(move || fill(said))
            };
            let fillers: Vec<_> = (0..N_FILLERS).map(filler).collect();
            drop(said);
            for n_filled in (2_u64..).take_while(|_| heard.recv().is_ok()) {
                if n_filled.is_multiple_of(100) {
                    let seconds = from.elapsed().as_secs_f64();
                    talk(&format!("  {n_filled} of {n_projects} projects after {seconds:.0} s"));
                }
            }
            fillers.into_iter().try_for_each(|filler| filler.join().expect("it does not panic"))
        })
    }

    /// Milliseconds of blocks, each for another of so many projects.
    fn blocks(&self, home: &Path, n_projects: u64) -> Result<Vec<f64>, String> {
        std::fs::create_dir_all(home).map_err(|error| error.to_string())?;
        let lesson = LessonId::given("none");
        let memory = self.memory(home, Some(self.ask.measured_url().to_owned()), lesson);
        let server = Server::start(&memory)?;
        let mut connection = Connection::to(&server)?;
        let mut times = Vec::new();
        for turn in 0..N_WARM_UPS + self.ask.turns {
            let (path, body) = self.need(turn, n_projects);
            let took = time(&mut connection, &path, &body)?;
            if turn >= N_WARM_UPS {
                times.push(took);
            }
        }
        Ok(times)
    }

    /// Where to ask, and for what.
    fn need(&self, turn: u64, n_projects: u64) -> (String, String) {
        let number = 1 + turn.wrapping_mul(7919) % n_projects;
        let known = turn.wrapping_mul(31) % self.ask.project_lessons;
        let draft = self.vocabulary.retold(number, known, turn);
        let need = json!({"role": "reviewer", "domain": "code", "paths": [draft.path],
                          "text": draft.text});
        (format!("/api/v1/inject?project={}", fill::project(number)), need.to_string())
    }
}
