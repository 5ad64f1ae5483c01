//! How fast is the page at 100,000 lessons, and how many blocks a second does a server give,
//! beside as many processes? One server of the measured program, asked over its own HTTP.

pub(crate) mod client;
mod load;

use std::path::Path;
use std::time::Instant;

use crate::speed::draft::Vocabulary;
use crate::speed::fill_store;
use crate::speed::scenario::Memory;
use crate::speed::start::{Folder, Probes};
use crate::table::{Cell, Column, Table};
use client::{Connection, Server};

const COLUMNS: [Column; 6] = [
    Column { title: "what", key: "what" },
    Column { title: "n", key: "n" },
    Column { title: "median ms", key: "median_ms" },
    Column { title: "p99 ms", key: "p99_ms" },
    Column { title: "first ms", key: "first_ms" },
    Column { title: "a second", key: "per_second" },
];

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// Lessons of the store whose pages are looked at.
    pub lessons: u64,
    /// Lessons of the store that gives blocks.
    pub load_lessons: u64,
    /// Requests for blocks.
    pub requests: u64,
    /// Requests for each page.
    pub turns: u32,
}

/// Measures pages, then blocks under load.
pub fn run(program: &Path, ask: Ask, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    if ask.lessons == 0 || ask.load_lessons == 0 || ask.requests == 0 || ask.turns == 0 {
        return Err("a bench needs at least one lesson, one request and one turn".to_owned());
    }
    let folder = Folder::new()?;
    let probes = Probes::compile(folder.path())?;
    let vocabulary = Vocabulary::new();
    let mut table = Table {
        title: "The page and the API".to_owned(),
        notes: vec![
            "`first` is the first request after a write of another process; one at a time.".into(),
            format!("Blocks: {} workers at a time, over HTTP and as processes.", load::N_WORKERS),
        ],
        columns: COLUMNS.to_vec(),
        rows: Vec::new(),
    };
    for (n_lessons, is_load) in [(ask.lessons, false), (ask.load_lessons, true)] {
        let home = folder.path().join(format!("{n_lessons}-{is_load}"));
        talk(&format!("{n_lessons} lessons: filling a store"));
        let lesson = fill_store(&home, n_lessons, 0, &vocabulary, talk)?;
        let empty = probes.empty.as_path();
        let memory = Memory {
            home: home.clone(),
            store: None,
            n_lessons,
            vocabulary: &vocabulary,
            program,
            empty,
            lesson,
        };
        let server = Server::start(&memory)?;
        if is_load {
            load::measure(&memory, &server, ask.requests, &mut table, talk)?;
        } else {
            pages(&memory, &server, ask.turns, &mut table, talk)?;
        }
        drop(server);
        std::fs::remove_dir_all(&home).map_err(|error| error.to_string())?;
    }
    Ok(table)
}

/// Every page that looks at many, and one that looks at one.
fn pages(
    memory: &Memory<'_>,
    server: &Server,
    turns: u32,
    table: &mut Table,
    talk: &mut dyn FnMut(&str),
) -> Result<(), String> {
    let cookie = server.enter()?;
    let one = format!("/lessons/{}", memory.lesson.as_str());
    let paths: [&str; 16] = [
        "/",
        "/lessons",
        "/lessons?state=stable",
        "/lessons?tag=security",
        "/lessons?tag=nobody-has-this",
        "/lessons?scope=role%3Dreviewer",
        "/lessons?scope=tool%3Dnobody",
        "/lessons?text=query+built+from+input",
        one.as_str(),
        "/runs",
        "/runs/past-1",
        "/review",
        "/findings",
        "/findings?state=fixed",
        "/findings?state=dismissed",
        "/health",
    ];
    for (index, path) in paths.iter().enumerate() {
        talk(&format!("  {path}"));
        // So that nothing that was kept is good any more.
        memory.write_something(index as u64)?;
        let mut connection = Connection::to(server)?;
        let mut times = Vec::new();
        for _ in 0..=turns {
            let from = Instant::now();
            let status = connection.get(path, &cookie)?;
            times.push(from.elapsed().as_secs_f64() * 1000.0);
            if status != 200 {
                return Err(format!("{path} was answered with {status}"));
            }
        }
        let first = times.remove(0);
        table.rows.push(row(&format!("GET {path}"), &mut times, Some(first), None));
    }
    Ok(())
}

/// A row of times in milliseconds.
fn row(name: &str, times: &mut [f64], first: Option<f64>, per_second: Option<f64>) -> Vec<Cell> {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let index = (times.len() as f64 * share).ceil() as usize;
        times
            .get(index.clamp(1, times.len().max(1)) - 1)
            .map_or(Cell::Nothing, |ms| Cell::Number(*ms, 2))
    };
    let number =
        |it: Option<f64>, decimals| it.map_or(Cell::Nothing, |it| Cell::Number(it, decimals));
    vec![
        Cell::Text(name.to_owned()),
        Cell::Count(times.len() as u64),
        at(0.5),
        at(0.99),
        number(first, 1),
        number(per_second, 0),
    ]
}
