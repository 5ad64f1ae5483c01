//! Does learning a chain of runs, each the parent of the next, take time in proportion to its length?
//! One file for each length, one process each, on a store of its own.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::speed::start::Folder;
use crate::table::{Cell, Column, Table};

const COLUMNS: [Column; 4] = [
    Column { title: "runs", key: "runs" },
    Column { title: "seconds", key: "seconds" },
    Column { title: "ms a run", key: "ms_per_run" },
    Column { title: "to the first", key: "ratio" },
];

/// Learns one chain of each length.
pub fn run(program: &Path, lengths: &[u64], talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    if lengths.is_empty() || lengths.contains(&0) {
        return Err("a chain needs at least one run".to_owned());
    }
    let folder = Folder::new()?;
    let mut rows = Vec::new();
    let mut first: Option<f64> = None;
    for length in lengths {
        talk(&format!("a chain of {length} runs"));
        let seconds = learn(program, folder.path(), *length)?.as_secs_f64();
        let per_run = seconds * 1000.0 / *length as f64;
        let ratio = per_run / *first.get_or_insert(per_run);
        rows.push(vec![
            Cell::Count(*length),
            Cell::Number(seconds, 2),
            Cell::Number(per_run, 3),
            Cell::Number(ratio, 2),
        ]);
    }
    let notes = [
        "Each run is the parent of the next and has one finding; `hardwon learn FILE`, one process.",
        "to the first: time a run, compared with that of the first chain; 1 = linear.",
    ];
    Ok(Table {
        title: "Chain: runs of which each is the parent of the next".to_owned(),
        notes: notes.map(str::to_owned).to_vec(),
        columns: COLUMNS.to_vec(),
        rows,
    })
}

fn learn(program: &Path, folder: &Path, length: u64) -> Result<Duration, String> {
    let failed = |error: std::io::Error| error.to_string();
    let (home, file) = (folder.join(format!("home-{length}")), folder.join("chain.jsonl"));
    fs::create_dir_all(&home).map_err(failed)?;
    fs::write(&file, record(length)).map_err(failed)?;
    let mut learn = Command::new(program);
    learn.arg("learn").arg(&file).env_clear().current_dir(&home);
    learn.env("HARDWON_HOME", &home).env("HARDWON_PROJECT", "chain");
    learn.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let from = Instant::now();
    let status = learn.status().map_err(failed)?;
    let took = from.elapsed();
    if status.success() { Ok(took) } else { Err(format!("learn ended with {status}")) }
}

/// The run record of a chain.
fn record(length: u64) -> String {
    let mut text = String::new();
    for n in 1..=length {
        let parent = if n == 1 { String::new() } else { format!(r#","parent":"r{:06}""#, n - 1) };
        let finding = format!(
            r#"{{"type":"finding","author":"guardian","severity":"warning","text":"Step {n} of the chain leaves handle {n} open"}}"#
        );
        let _ = writeln!(text, r#"{{"type":"run","id":"r{n:06}"{parent}}}"#);
        let _ = writeln!(text, "{finding}");
    }
    text
}
