//! How fast are large reports read, and in how much memory? Whole cold processes of `learn` on
//! made-up files, each into an empty store.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::draft::{Draft, Random, Vocabulary};
use super::start::{Folder, Probes, Start};
use super::{BYTES_PER_MB, megabytes, size};
use crate::table::{Cell, Column, Table};

/// How many findings are made up; they recur, as those of real reports do.
const N_DRAFTS: u64 = 4000;
/// A session is often this many times as large as a report.
const TRANSCRIPT_TIMES: u64 = 4;

const COLUMNS: [Column; 6] = [
    Column { title: "format", key: "format" },
    Column { title: "MB", key: "mb" },
    Column { title: "seconds", key: "seconds" },
    Column { title: "MB/s", key: "mb_per_second" },
    Column { title: "peak MB", key: "peak_mb" },
    Column { title: "findings used", key: "findings_used" },
];

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Sarif,
    Junit,
    Cargo,
    Rdjsonl,
    Lines,
    Transcript,
}

/// How large the files are, which chance makes them, and how often each is read.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    pub megabytes: f64,
    pub seed: u64,
    pub starts: u32,
}

/// Measures every format.
pub fn run(program: &Path, ask: Ask, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    if ask.starts == 0 || ask.megabytes.is_nan() || ask.megabytes <= 0.0 {
        return Err("a bench needs at least one start and something to read".to_owned());
    }
    let folder = Folder::new()?;
    let probes = Probes::compile(folder.path())?;
    let vocabulary = Vocabulary::new();
    let drafts = (0..N_DRAFTS).map(|n| vocabulary.draft(ask.seed, n)).collect();
    let mut source = Made { drafts, random: Random::seeded(&[ask.seed]), n: 0 };
    let mut table = table(ask);
    use Sort::{Cargo, Junit, Lines, Rdjsonl, Sarif, Transcript};
    let sorts = [Sarif, Junit, Cargo, Rdjsonl, Lines, Transcript].map(|sort| (sort, 1));
    for (sort, times) in sorts.into_iter().chain([(Transcript, TRANSCRIPT_TIMES)]) {
        let file = folder.path().join("input");
        let n_bytes = (ask.megabytes * times as f64 * BYTES_PER_MB) as u64;
        source.write(sort, n_bytes, &file).map_err(|error| format!("cannot write: {error}"))?;
        talk(&format!("{}: {:.0} MB", sort.name(), megabytes(size(&file))));
        let reading = Reading { program, probes: &probes, folder: folder.path() };
        table.rows.push(reading.row(sort, &file, ask.starts)?);
    }
    Ok(table)
}

fn table(ask: Ask) -> Table {
    let (starts, seed) = (ask.starts, ask.seed);
    let mut notes = vec![format!(
        "`learn FILE` into an empty store, whole process; median of n = {starts}, seed {seed}."
    )];
    if cfg!(debug_assertions) {
        notes.push("A debug build: these figures say nothing about the released one.".to_owned());
    }
    let title = "Reading large files".to_owned();
    Table { title, notes, columns: COLUMNS.to_vec(), rows: Vec::new() }
}

struct Reading<'a> {
    program: &'a Path,
    probes: &'a Probes,
    folder: &'a Path,
}

impl Reading<'_> {
    fn row(&self, sort: Sort, file: &Path, starts: u32) -> Result<Vec<Cell>, String> {
        let mut times = Vec::new();
        for turn in 0..starts {
            let (start, home) = self.start(file, turn)?;
            times.push(start.time()?);
            remove(&home)?;
        }
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or(Duration::ZERO).as_secs_f64();
        let (start, home) = self.start(file, starts)?;
        let peak = self.probes.weigh(&start)?;
        remove(&home)?;
        let (start, home) = self.start(file, starts + 1)?;
        let n_used = used(&start.args(&["--json"]).output()?)?;
        remove(&home)?;
        let mb = megabytes(size(file));
        Ok(vec![
            Cell::Text(sort.name().to_owned()),
            Cell::Number(mb, 0),
            Cell::Number(median, 2),
            Cell::Number(mb / median, 1),
            Cell::Number(megabytes(peak), 1),
            Cell::Count(n_used),
        ])
    }

    /// A process in a home of its own.
    fn start(&self, file: &Path, turn: u32) -> Result<(Start, PathBuf), String> {
        let home = self.folder.join(format!("home-{turn}"));
        fs::create_dir(&home).map_err(|error| format!("cannot make a folder: {error}"))?;
        let start = Start::new(self.program, &home)
            .variable("HARDWON_PROJECT", "bench")
            .args(&["learn"])
            .args(&[file])
            .args(&["--run", "large"]);
        Ok((start, home))
    }
}

fn remove(home: &Path) -> Result<(), String> {
    fs::remove_dir_all(home).map_err(|error| format!("cannot remove a folder: {error}"))
}

/// How many findings were used in all runs: a file that nobody understood is read fast.
fn used(answer: &str) -> Result<u64, String> {
    let answer: Value = serde_json::from_str(answer).map_err(|error| error.to_string())?;
    let runs = answer["runs"].as_array().map(Vec::as_slice).unwrap_or_default();
    match runs.iter().filter_map(|run| run["findings"]["used"].as_u64()).sum() {
        0 => Err("`learn` used nothing of the file".to_owned()),
        n => Ok(n),
    }
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Sort::Sarif => "SARIF",
            Sort::Junit => "JUnit XML",
            Sort::Cargo => "cargo JSON lines",
            Sort::Rdjsonl => "rdjsonl",
            Sort::Lines => "lines",
            Sort::Transcript => "transcript",
        }
    }

    /// What stands before and after all items.
    fn frame(self) -> (&'static str, &'static str) {
        match self {
            Sort::Sarif => (
                "{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"scan\"}},\
                 \"results\":[\n",
                "]}]}",
            ),
            Sort::Junit => {
                ("<testsuites name=\"nextest-run\"><testsuite>\n", "</testsuite></testsuites>")
            }
            Sort::Cargo => ("", "{\"reason\":\"build-finished\",\"success\":false}\n"),
            Sort::Rdjsonl | Sort::Lines | Sort::Transcript => ("", ""),
        }
    }
}

/// What the files are made of.
struct Made {
    drafts: Vec<Draft>,
    random: Random,
    n: u64,
}

impl Made {
    /// Writes a file of about this size.
    fn write(&mut self, sort: Sort, n_bytes: u64, path: &Path) -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        let (head, tail) = sort.frame();
        file.write_all(head.as_bytes())?;
        let mut n_written = 0;
        self.n = 0;
        while n_written < n_bytes {
            let item = self.item(sort);
            if n_written > 0 && sort == Sort::Sarif {
                file.write_all(b",")?;
            }
            file.write_all(item.as_bytes())?;
            n_written += item.len() as u64;
        }
        file.write_all(tail.as_bytes())?;
        file.flush()
    }

    fn item(&mut self, sort: Sort) -> String {
        self.n += 1;
        let line = 1 + self.random.below(900);
        let noise = self.noise(6);
        let n = self.n;
        let index = self.random.below(N_DRAFTS) as usize;
        let Draft { text, path, category, .. } = &self.drafts[index];
        match sort {
            Sort::Sarif => sarif(text, path, line, category, &noise),
            Sort::Junit => {
                let failed = format!("<failure message=\"{text}\">{noise}</failure>");
                let failed = if n % 40 == 1 { failed.as_str() } else { "" };
                format!(
                    "<testcase name=\"case_{n}\" classname=\"{category}\">{failed}</testcase>\n"
                )
            }
            Sort::Cargo => cargo(text, path, line, category, &noise),
            Sort::Rdjsonl => {
                let at = json!({"path": path, "range": {"start": {"line": line}}});
                let rule = json!({"value": category});
                json!({"message": text, "location": at, "severity": "ERROR", "code": rule})
                    .to_string()
                    + "\n"
            }
            Sort::Lines => format!("{path}:{line}:7: warning: {text}\n"),
            Sort::Transcript => transcript(n, text, path, line, &noise),
        }
    }

    /// Some sentences that belong to nothing.
    fn noise(&mut self, n: usize) -> String {
        let mut sentence = || self.drafts[self.random.below(N_DRAFTS) as usize].text.clone();
        (0..n).map(|_| sentence()).collect::<Vec<_>>().join(". ")
    }
}

fn sarif(text: &str, path: &str, line: u64, rule: &str, noise: &str) -> String {
    let region = json!({"startLine": line, "snippet": {"text": noise}});
    let place = json!({"artifactLocation": {"uri": path}, "region": region});
    let flows =
        json!([{"threadFlows": [{"locations": [{"location": {"message": {"text": noise}}}]}]}]);
    let places = json!([{"physicalLocation": place}]);
    let result = json!({
        "ruleId": rule, "level": "error", "message": {"text": text}, "locations": places,
        "codeFlows": flows,
    });
    result.to_string() + "\n"
}

fn cargo(text: &str, path: &str, line: u64, rule: &str, noise: &str) -> String {
    let span = json!({"file_name": path, "line_start": line, "is_primary": true});
    let code = json!({"code": format!("clippy::{rule}"), "explanation": null});
    let message = json!({
        "level": "warning", "message": text, "code": code, "spans": [span], "rendered": noise,
    });
    let line = json!({"reason": "compiler-message", "package_id": "shop", "message": message});
    line.to_string() + "\n"
}

/// Mostly output of tools; a reviewer speaks in every fiftieth place.
fn transcript(n: u64, text: &str, path: &str, line: u64, noise: &str) -> String {
    let with = |kind: &str, content: Value| {
        let message = json!({"role": kind, "content": content});
        let line = json!({
            "parentUuid": n, "sessionId": "made-up", "type": kind, "message": message,
        });
        line.to_string() + "\n"
    };
    let id = format!("t{n}");
    match n % 50 {
        1 => {
            let input = json!({"subagent_type": "code-reviewer"});
            let call = json!({"type": "tool_use", "id": id, "name": "Task", "input": input});
            let said = format!("- [HIGH] {path}:{line}: {text}\n");
            let answer = json!({"type": "tool_result", "tool_use_id": id, "content": said});
            with("assistant", json!([call])) + &with("user", json!([answer]))
        }
        2..20 => with("assistant", json!([{"type": "text", "text": noise}])),
        _ => {
            let output = noise.repeat(8);
            with("user", json!([{"type": "tool_result", "tool_use_id": id, "content": output}]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_items() {
        let vocabulary = Vocabulary::new();
        let made = |seed| {
            let drafts = (0..N_DRAFTS).map(|n| vocabulary.draft(1, n)).collect();
            Made { drafts, random: Random::seeded(&[seed]), n: 0 }.item(Sort::Sarif)
        };
        assert_eq!(made(1), made(1));
        assert_ne!(made(1), made(2));
    }
}
