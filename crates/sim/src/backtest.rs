//! `hardwon-sim backtest`: real histories of repositories, played through the program. One file is
//! one history: a run a line, with `id`, `time`, `end`, `text`, `paths` and `findings`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::backtest::{Chooser, Figures, RunScore, Share, figures};
use hardwon_engine::backtest::{History, How, backtest};
use hardwon_engine::{Input, LearnRequest, OpenMemory};
use serde::Deserialize;
use serde_json::json;

use crate::{Cell, Table, TableRow};

/// When the memory is opened; the runs bring their own time.
const NOW: &str = "2026-01-01T00:00:00Z";
/// Who found something that has a rule and no author.
const LINTER: &str = "ruff";

#[derive(Deserialize)]
struct Line {
    id: String,
    time: String,
    end: Option<String>,
    text: String,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    findings: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    author: Option<String>,
    rule: Option<String>,
    path: Option<String>,
    line: Option<u32>,
    text: String,
}

/// One history that was played.
pub struct Stream {
    name: String,
    /// Whether tools with rules found it, rather than reviewers.
    has_rules: bool,
    pub scores: Vec<RunScore>,
}

/// Plays every file, and sums up: tools and reviewers apart.
pub fn run(files: &[PathBuf], how: How, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let mut streams = Vec::new();
    for file in files {
        streams.push(stream(file, how)?);
        talk(&format!("{} of {} played", streams.len(), files.len()));
    }
    Ok(table(&streams, how))
}

fn stream(file: &Path, how: How) -> Result<Stream, String> {
    let named = |what: String| format!("{}: {what}", file.display());
    let text = fs::read_to_string(file).map_err(|error| named(error.to_string()))?;
    let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    play(&name.unwrap_or_default(), &text, how).map_err(named)
}

/// Plays one history.
pub fn play(name: &str, text: &str, how: How) -> Result<Stream, String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<Line> = lines
        .map(|line| serde_json::from_str(line).map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    let findings = || lines.iter().flat_map(|line| &line.findings);
    let has_rules = findings().any(|found| found.rule.is_some());
    let authors: BTreeSet<&str> = findings().map(|found| found.author(has_rules)).collect();
    let record: String = lines.iter().map(|line| line.record(&authors, has_rules)).collect();
    let open = OpenMemory::throwaway(name, NOW).map_err(|error| error.to_string())?;
    let request = LearnRequest::of(Input::text(name, &record));
    let history = History::Records(request);
    let played = backtest(&open.memory, &open.call, history, how, None, &mut |_, _| {});
    let scores = played.map_err(|error| error.to_string())?.body.played.scores;
    Ok(Stream { name: name.to_owned(), has_rules, scores })
}

impl Found {
    fn author(&self, has_rules: bool) -> &str {
        self.author.as_deref().unwrap_or(if has_rules { LINTER } else { "reviewer" })
    }
}

impl Line {
    /// As a run record. All authors of a history looked at each of its runs.
    fn record(&self, detectors: &BTreeSet<&str>, has_rules: bool) -> String {
        let end = self.end.as_ref().unwrap_or(&self.time);
        let run = json!({
            "type": "run", "id": self.id, "task": self.text, "started": self.time,
            "finished": end, "paths": self.paths, "detectors": detectors,
        });
        let mut record = format!("{run}\n");
        for found in &self.findings {
            let finding = json!({
                "type": "finding", "author": found.author(has_rules), "rule": found.rule,
                "severity": "warning", "path": found.path, "line": found.line, "text": found.text,
            });
            record += &format!("{finding}\n");
        }
        record
    }
}

fn table(streams: &[Stream], how: How) -> Table {
    let mut rows: Vec<TableRow> = Vec::new();
    for stream in streams {
        rows.push(row(&stream.name, &figures(&stream.scores, how.seed)));
    }
    for (name, has_rules) in [("all tools", true), ("all reviewers", false)] {
        let of = streams.iter().filter(|stream| stream.has_rules == has_rules);
        let scores: Vec<RunScore> = of.flat_map(|stream| stream.scores.clone()).collect();
        if !scores.is_empty() {
            rows.push(row(name, &figures(&scores, how.seed)));
        }
    }
    let recorded = if how.is_recorded { "blocks recorded" } else { "no block recorded" };
    let hold_out = if how.holds_out { "one in ten held out" } else { "nothing held out" };
    Table {
        title: format!("backtest: problems that a block had told of, {recorded}, {hold_out}"),
        notes: notes(),
        rows,
    }
}

fn row(name: &str, figures: &Figures) -> TableRow {
    let percent = |value: f64| Cell::Number(value * 100.0, 1);
    let share = |share: Share| percent(share.value());
    let ours = figures.of(Chooser::Hardwon);
    let mut cells = vec![
        ("history", Cell::Text(name.to_owned())),
        ("runs", Cell::Count(figures.n_runs)),
        ("problems", Cell::Count(figures.n_problems)),
        ("known", share(figures.known)),
        ("low", percent(ours.low)),
        ("high", percent(ours.high)),
    ];
    cells.extend(figures.forewarned.iter().map(|(by, found)| (by.word(), share(*found))));
    cells.extend([
        ("useful", share(figures.useful)),
        ("silent", share(figures.silent)),
        ("lines_per_run", Cell::Number(figures.lines_per_run(), 1)),
        ("tokens_per_run", Cell::Number(figures.tokens_per_run(), 0)),
    ]);
    cells
}

fn notes() -> Vec<String> {
    [
        "the first 30 % of the runs are only learned; low and high: 95 % interval of ours over runs",
        "known: had come up before; the others show as many lines as ours in each run",
        "useful: lines about a problem of their run; silent: empty blocks where nothing came up",
    ]
    .map(str::to_owned)
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made up: each folder has a rule of its own that comes up in most of its runs, and one run in
    /// five meets something new.
    fn history() -> String {
        let folders = ["web", "db", "cli", "docs", "tests"];
        let mut out = String::new();
        for n in 0..120_usize {
            let at = n * 7 % 5;
            let (folder, path) = (folders[at], format!("{}/part{}.py", folders[at], n % 3));
            let time = format!("2026-{:02}-{:02}T08:00:00Z", n / 28 + 1, n % 28 + 1);
            let mut findings = Vec::new();
            if n % 4 != 0 {
                let text = format!("Trouble of {folder} that ought to be repaired before a merge");
                findings.push(json!({ "rule": format!("R{at}"), "path": path, "text": text }));
            }
            if n % 5 == 0 {
                let text = format!("Something number {n} that nobody has ever met in here");
                findings.push(json!({ "rule": format!("N{n}"), "path": path, "text": text }));
            }
            let line = json!({
                "id": format!("c{n}"), "time": time, "text": format!("Change {folder}"),
                "paths": [path], "findings": findings,
            });
            out += &format!("{line}\n");
        }
        out
    }

    fn played(is_recorded: bool) -> (Figures, String) {
        let how = How { is_recorded, holds_out: false, seed: 3 };
        let stream = play("made-up", &history(), how).unwrap();
        (figures(&stream.scores, how.seed), table(&[stream], how).to_string())
    }

    #[test]
    fn no_chooser_beats_the_oracle_and_ours_tells_of_something() {
        for is_recorded in [true, false] {
            let (figures, _) = played(is_recorded);
            let n = |chooser| figures.of(chooser).n;
            assert!(figures.n_problems > 60, "{figures:?}");
            for chooser in Chooser::ALL {
                assert!(n(*chooser) <= n(Chooser::Oracle), "{chooser}: {figures:?}");
            }
            assert!(n(Chooser::Oracle) <= figures.known.n, "{figures:?}");
            assert!(n(Chooser::Hardwon) > 0, "{figures:?}");
        }
    }

    #[test]
    fn the_same_history_gives_the_same_table() {
        assert_eq!(played(true), played(true));
    }

    #[test]
    fn a_line_that_is_no_run_is_an_error() {
        let how = How { is_recorded: true, holds_out: false, seed: 1 };
        assert!(play("x", "{\"id\":\"a\"}\n", how).is_err());
    }
}
