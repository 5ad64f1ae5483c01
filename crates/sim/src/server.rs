//! What does a server cost beside a file, and does it carry many projects and many writers? The same
//! lessons in SQLite and in PostgreSQL, asked over `hardwon serve`; then one project beside many,
//! and one writer beside as many as a team has. Fills a database that has nothing in it yet.

mod projects;
mod writers;

use std::path::Path;
use std::time::Instant;

use hardwon_core::ids::LessonId;
use hardwon_store::{
    Access, LessonQuery, PostgresStore, ProjectQuery, SqliteStore, Store, StoreError,
};

use crate::pages::client::{Connection, Server};
use crate::speed::draft::Vocabulary;
use crate::speed::fill;
use crate::speed::scenario::Memory;
use crate::speed::start::Folder;
use crate::table::{Cell, Column, Table};

const COLUMNS: [Column; 7] = [
    Column { title: "what", key: "what" },
    Column { title: "n", key: "n" },
    Column { title: "median ms", key: "median_ms" },
    Column { title: "p99 ms", key: "p99_ms" },
    Column { title: "a second", key: "per_second" },
    Column { title: "×", key: "ratio" },
    Column { title: "aim", key: "aim" },
];

/// Turns that are not counted: connections are made, and what is read often comes into memory.
const N_WARM_UPS: u64 = 10;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Where the server is, as the owner of a database without tables.
    pub url: String,
    /// The same database as whoever is measured. None: the owner, for whom no policy is looked at.
    pub as_role: Option<String>,
    /// Lessons in each of the two stores.
    pub lessons: u64,
    /// How many projects there are beside, of how many lessons.
    pub projects: u64,
    pub project_lessons: u64,
    /// Requests per figure.
    pub turns: u64,
    /// Who writes at the same time, and for how long.
    pub writers: u64,
    pub seconds: f64,
}

impl Ask {
    /// Where those who are measured are.
    fn measured_url(&self) -> &str {
        self.as_role.as_deref().unwrap_or(&self.url)
    }

    /// The role in the URL of those who are measured.
    fn role(&self) -> Option<&str> {
        let (_, place) = self.as_role.as_deref()?.split_once("://")?;
        place.split([':', '@']).next()
    }
}

/// Measures all of it.
pub fn run(program: &Path, ask: &Ask, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let sizes = [ask.lessons, ask.projects, ask.project_lessons, ask.turns, ask.writers];
    if sizes.contains(&0) || !ask.seconds.is_finite() || ask.seconds <= 0.0 {
        return Err("a bench needs at least one of everything".to_owned());
    }
    let mut store = empty_store(ask)?;
    let folder = Folder::new()?;
    let vocabulary = Vocabulary::new();
    let mut bench = Bench { program, ask, vocabulary: &vocabulary, table: table() };
    bench.beside_a_file(folder.path(), &mut store, talk)?;
    bench.many_projects(folder.path(), &mut store, talk)?;
    bench.many_writers(talk)?;
    Ok(bench.table)
}

fn table() -> Table {
    let notes = vec![
        "Medians and p99 of requests over one connection to `hardwon serve`, in turn.".to_owned(),
        "`×` is the median beside the row before; of many projects the p99 beside one alone; of \
         writers what they write together."
            .to_owned(),
    ];
    let title = "A server beside a file".to_owned();
    Table { title, notes, columns: COLUMNS.to_vec(), rows: Vec::new() }
}

/// Makes the tables. What others wrote is not measured, and not written to.
fn empty_store(ask: &Ask) -> Result<PostgresStore, String> {
    let made = || {
        PostgresStore::migrate(&ask.url, ask.role())?;
        let store = PostgresStore::open(&ask.url, Access::Write)?;
        let is_empty = store.projects(&ProjectQuery::All)?.is_empty()
            && store.status(&fill::project(0))?.run_number == 0;
        Ok::<_, StoreError>((store, is_empty))
    };
    match made().map_err(|error| error.to_string())? {
        (store, true) => Ok(store),
        (_, false) => Err("the database has lessons already: name one without".to_owned()),
    }
}

struct Bench<'a> {
    program: &'a Path,
    ask: &'a Ask,
    vocabulary: &'a Vocabulary,
    table: Table,
}

impl<'a> Bench<'a> {
    /// The same lessons in a file and on the server.
    fn beside_a_file(
        &mut self,
        folder: &Path,
        store: &mut PostgresStore,
        talk: &mut dyn FnMut(&str),
    ) -> Result<(), String> {
        let n_lessons = self.ask.lessons;
        let (in_file, on_server) = (folder.join("file"), folder.join("server"));
        talk(&format!("{n_lessons} lessons: filling a file"));
        let mut file = SqliteStore::open(Memory::file(&in_file), Access::Write);
        let file = file.as_mut().map_err(|error| error.to_string())?;
        self.fill(file, n_lessons, talk)?;
        talk(&format!("{n_lessons} lessons: filling the server"));
        let lesson = self.fill(store, n_lessons, talk)?;
        std::fs::create_dir_all(&on_server).map_err(|error| error.to_string())?;
        let both = [
            self.memory(&in_file, None, lesson.clone()),
            self.memory(&on_server, Some(self.ask.measured_url().to_owned()), lesson),
        ];
        let servers = [Server::start(&both[0])?, Server::start(&both[1])?];
        for (what, n_turns) in [("inject", self.ask.turns), ("learn", self.ask.turns.div_ceil(4))] {
            talk(&format!("  {what}, {n_turns} times each"));
            let times = in_turn(&both, &servers, what, n_turns)?;
            self.table.rows.extend(rows_of(what, times));
        }
        Ok(())
    }

    fn fill(
        &self,
        store: &mut dyn Store,
        n_lessons: u64,
        talk: &mut dyn FnMut(&str),
    ) -> Result<LessonId, String> {
        let mut filled = || {
            fill::fill_project(store, self.vocabulary, 0, n_lessons)?;
            let query = LessonQuery { limit: Some(1), ..LessonQuery::default() };
            store.lessons(&fill::project(0), &query)
        };
        let from = Instant::now();
        let lessons = filled().map_err(|error| format!("cannot fill a store: {error}"))?;
        talk(&format!("  filled in {:.1} s", from.elapsed().as_secs_f64()));
        lessons.into_iter().next().map(|it| it.id).ok_or_else(|| "the store is empty".to_owned())
    }

    fn memory(&self, home: &Path, store: Option<String>, lesson: LessonId) -> Memory<'a> {
        Memory {
            home: home.to_owned(),
            store,
            n_lessons: self.ask.lessons,
            vocabulary: self.vocabulary,
            program: self.program,
            // Nothing is held against an empty start here.
            empty: self.program,
            lesson,
        }
    }
}

/// Milliseconds of requests to one and the other, alternating, so that what the machine does meanwhile
/// falls on both.
fn in_turn(
    both: &[Memory<'_>; 2],
    servers: &[Server; 2],
    what: &str,
    n_turns: u64,
) -> Result<[Vec<f64>; 2], String> {
    let mut connections = [Connection::to(&servers[0])?, Connection::to(&servers[1])?];
    let mut times = [Vec::new(), Vec::new()];
    for turn in 0..N_WARM_UPS + n_turns {
        for at in 0..2 {
            let body = match what {
                "learn" => both[at].record_text(turn),
                _ => both[at].need_of(turn).to_string(),
            };
            let took = time(&mut connections[at], &format!("/api/v1/{what}"), &body)?;
            if turn >= N_WARM_UPS {
                times[at].push(took);
            }
        }
    }
    Ok(times)
}

/// One request. An empty answer would pass for a fast one.
fn time(connection: &mut Connection, path: &str, body: &str) -> Result<f64, String> {
    let from = Instant::now();
    let (status, answer) = connection.post(path, body)?;
    let took = from.elapsed().as_secs_f64() * 1000.0;
    let answer: serde_json::Value =
        serde_json::from_slice(&answer).map_err(|error| format!("{path}: {error}"))?;
    if status != 200 || answer["status"] != "ok" {
        return Err(format!("{path} was answered with {status}: {}", answer["problems"]));
    }
    Ok(took)
}

fn rows_of(what: &str, times: [Vec<f64>; 2]) -> [Vec<Cell>; 2] {
    let [in_file, on_server] = times.map(sorted);
    let ratio = at(&on_server, 0.5) / at(&in_file, 0.5);
    [
        row(&format!("{what}, a file"), &in_file, None),
        row(&format!("{what}, the server"), &on_server, Some((ratio, "at most 3"))),
    ]
}

fn row(what: &str, times: &[f64], judged: Option<(f64, &str)>) -> Vec<Cell> {
    vec![
        Cell::Text(what.to_owned()),
        Cell::Count(times.len() as u64),
        Cell::Number(at(times, 0.5), 2),
        Cell::Number(at(times, 0.99), 2),
        Cell::Nothing,
        judged.map_or(Cell::Nothing, |(ratio, _)| Cell::Number(ratio, 2)),
        judged.map_or(Cell::Nothing, |(_, aim)| Cell::Text(aim.to_owned())),
    ]
}

fn sorted(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    times
}

/// The time that this share of the requests did not exceed.
fn at(times: &[f64], share: f64) -> f64 {
    let index = (times.len() as f64 * share).ceil() as usize;
    times.get(index.clamp(1, times.len().max(1)) - 1).copied().unwrap_or(f64::NAN)
}
