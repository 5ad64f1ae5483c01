//! How long do commands take on a tree of geas, beside an ArcheFlow folder of as many lessons?
//! Cold processes on what is made up here: documents, lines, retrospectives. Works in a folder of
//! its own and removes it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;

use crate::speed::start::Folder;
use crate::table::{Cell, Column, Table};

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// Entries of the tree, and lines of the ArcheFlow folder.
    pub entries: usize,
    /// Tasks with a retrospective of three candidates each.
    pub tasks: usize,
    /// Processes per figure.
    pub starts: u32,
}

const COLUMNS: [Column; 3] = [
    Column { title: "what", key: "what" },
    Column { title: "median ms", key: "median_ms" },
    Column { title: "limit ms", key: "limit_ms" },
];

/// An injection on a tree may take so many times as long as on the folder.
const TIMES: f64 = 3.0;
const EXTRACT_MS: f64 = 2_000.0;
const TEXT: &str = "check the parser queue before the cache is flushed";

/// Measures. Limits are printed, for whoever knows what else the machine does.
pub fn run(program: &Path, ask: Ask, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    if ask.starts == 0 || ask.entries == 0 || ask.tasks == 0 {
        return Err("a bench needs a start, an entry and a task".to_owned());
    }
    let folder = Folder::new()?;
    let bench = Bench { program, folder: folder.path() };
    talk(&format!("{} entries, {} tasks", ask.entries, ask.tasks));
    make_entries(&folder.path().join("tree"), ask.entries)?;
    make_lines(&folder.path().join("flow"), ask.entries)?;
    make_task(&folder.path().join("tree"))?;
    let mut table = table(ask);
    // Without a journal of ours, with one, and adding to it.
    for (what, is_recorded) in [("inject", false), ("inject --run", true), ("inject again", false)]
    {
        let of = |store: &str| bench.inject(store, is_recorded, ask.starts);
        let (flow, tree) = (of("archeflow:flow")?, of("geas:tree")?);
        table.rows.push(row(&format!("{what}, archeflow"), flow, None));
        table.rows.push(row(&format!("{what}, geas"), tree, Some(TIMES * flow)));
    }
    let packet = bench.packets(ask.starts)?;
    table.rows.push(row("geas packet", packet, None));
    let extract = bench.extracts(ask.tasks, ask.starts)?;
    table.rows.push(row("geas extract", extract, Some(EXTRACT_MS)));
    Ok(table)
}

fn row(what: &str, median: f64, limit: Option<f64>) -> Vec<Cell> {
    let limit = limit.map_or(Cell::Nothing, |limit| Cell::Number(limit, 0));
    vec![Cell::Text(what.to_owned()), Cell::Number(median, 0), limit]
}

fn table(ask: Ask) -> Table {
    let Ask { entries, tasks, starts } = ask;
    let mut notes = vec![format!(
        "A tree of {entries} entries beside an ArcheFlow folder of {entries} lines; `extract` of \
         {tasks} tasks into an empty tree; whole processes, n = {starts}."
    )];
    if cfg!(debug_assertions) {
        notes.push("A debug build: these figures say nothing about the released one.".to_owned());
    }
    let title = "Speed of a geas tree".to_owned();
    Table { title, notes, columns: COLUMNS.to_vec(), rows: Vec::new() }
}

struct Bench<'a> {
    program: &'a Path,
    folder: &'a Path,
}

impl Bench<'_> {
    fn inject(&self, store: &str, is_recorded: bool, starts: u32) -> Result<f64, String> {
        median((0..starts).map(|n| {
            let run = format!("run-{n}");
            let mut arguments = vec!["--store", store, "inject", "--text", TEXT];
            if is_recorded {
                arguments.extend(["--run", run.as_str()]);
            }
            let (answer, time) = self.timed(&arguments)?;
            if answer.is_empty() { Err(format!("{store} shows nothing")) } else { Ok(time) }
        }))
    }

    /// Each for another agent, so that each is made anew.
    fn packets(&self, starts: u32) -> Result<f64, String> {
        let agents = ["software_engineer", "qa_engineer", "security_engineer", "technical_writer"];
        median((0..starts as usize).map(|n| {
            let agent = agents[n % agents.len()];
            let task = ["--mission", "m1", "--task", "task-1", "--agent", agent];
            let arguments: Vec<&str> =
                ["geas", "packet", "--dir", "tree"].into_iter().chain(task).collect();
            Ok(self.timed(&arguments)?.1)
        }))
    }

    fn extracts(&self, n_tasks: usize, starts: u32) -> Result<f64, String> {
        median((0..starts).map(|n| {
            let name = format!("tasks-{n}");
            make_retrospectives(&self.folder.join(&name), n_tasks)?;
            Ok(self.timed(&["geas", "extract", "--dir", &name])?.1)
        }))
    }

    /// What one process prints, and how long it takes.
    fn timed(&self, arguments: &[&str]) -> Result<(String, f64), String> {
        let mut started = Command::new(self.program);
        started.args(arguments).current_dir(self.folder).stdin(Stdio::null());
        started.env("HARDWON_HOME", self.folder.join("home")).env("HARDWON_WORKER", "off");
        let from = Instant::now();
        let output = started.output().map_err(|error| format!("hardwon did not start: {error}"))?;
        let time = from.elapsed().as_secs_f64() * 1e3;
        if output.status.success() {
            return Ok((String::from_utf8_lossy(&output.stdout).into_owned(), time));
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(format!("{} ended with {}: {}", arguments.join(" "), output.status, stderr.trim()))
    }
}

fn median(times: impl Iterator<Item = Result<f64, String>>) -> Result<f64, String> {
    let mut times: Vec<f64> = times.collect::<Result<_, _>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times.get(times.len() / 2).copied().unwrap_or_default())
}

const VERBS: [&str; 8] = ["check", "close", "flush", "escape", "rotate", "bound", "sort", "split"];
const NOUNS: [&str; 16] = [
    "schema",
    "parser",
    "queue",
    "cache",
    "token",
    "cursor",
    "worker",
    "buffer",
    "header",
    "replica",
    "session",
    "migration",
    "fixture",
    "gateway",
    "cipher",
    "shard",
];

/// Texts of which no two are alike.
fn text(n: usize) -> String {
    let noun = |by: usize| NOUNS[(n / by) % NOUNS.len()];
    let (verb, first, second, third) = (VERBS[n % VERBS.len()], noun(1), noun(16), noun(7));
    format!("Always {verb} the {first} {second} before the {third} of part {n} is read")
}

fn meta(kind: &str, id: &str) -> serde_json::Value {
    json!({"version": "1.0", "artifact_type": kind, "artifact_id": id,
        "producer_type": "orchestration_authority", "created_at": "2026-03-01T00:00:00Z"})
}

fn make_entries(tree: &Path, n: usize) -> Result<(), String> {
    for at in 0..n {
        let (id, text) = (format!("mem-task-{}-{}", at / 3, at % 3 + 1), text(at));
        let (task, next) = (format!("retro-task-{}", at / 3), format!("retro-task-{}", at / 3 + 1));
        let entry = json!({
            "meta": meta("memory_entry", &id), "memory_id": id, "memory_type": "project_rule",
            "state": if at % 2 == 0 { "provisional" } else { "stable" },
            "title": text.chars().take(80).collect::<String>(), "summary": text,
            "scope": "project", "evidence_refs": [task, next],
            "signals": {"evidence_count": 2, "reuse_count": 1, "successful_reuses": 1,
                "failed_reuses": 0, "contradiction_count": 0, "confidence": 0.6},
            "review_after": "2099-10-01T00:00:00Z", "supersedes": [], "superseded_by": null,
            "tags": [], "body": [text],
        });
        write(&tree.join(format!(".geas/memory/entries/{id}.json")), &entry)?;
    }
    Ok(())
}

fn make_task(tree: &Path) -> Result<(), String> {
    let contract = json!({"task_id": "task-1", "title": "Parser", "goal": TEXT});
    write(&tree.join(".geas/missions/m1/tasks/task-1.json"), &contract)
}

fn make_lines(folder: &Path, n: usize) -> Result<(), String> {
    let line = |at: usize| {
        json!({"id": format!("m-{:03}", at + 1), "ts": "2026-03-01T00:00:00Z",
            "run_id": format!("task-{at}"), "type": "preference", "source": "retrospective",
            "description": text(at), "frequency": 2, "severity": "warning", "domain": "general",
            "tags": [], "archetype": null, "last_seen_run": format!("task-{at}"),
            "runs_since_last_seen": 0})
    };
    let lines: String = (0..n).map(|at| format!("{}\n", line(at))).collect();
    put(&folder.join(".archeflow/memory/lessons.jsonl"), &lines)
}

fn make_retrospectives(tree: &Path, n: usize) -> Result<(), String> {
    for at in 0..n {
        let task = format!("task-{at}");
        let candidates: Vec<String> = (0..3).map(|part| text(3 * at + part)).collect();
        let retrospective = json!({
            "version": "1.0", "artifact_type": "retrospective",
            "artifact_id": format!("retro-{task}"), "producer_type": "orchestration_authority",
            "created_at": "2026-03-01T00:00:00Z", "task_id": task, "what_went_well": ["all of it"],
            "what_broke": [], "what_was_surprising": [], "rule_candidates": [],
            "memory_candidates": candidates, "next_time_guidance": [],
        });
        let place = format!(".geas/missions/m1/tasks/{task}/retrospective.json");
        write(&tree.join(place), &retrospective)?;
    }
    Ok(())
}

fn write(path: &Path, document: &serde_json::Value) -> Result<(), String> {
    put(path, &format!("{document:#}\n"))
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    let failed = |error| format!("cannot write {}: {error}", path.display());
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
    fs::write(path, text).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_texts_are_alike() {
        let texts: std::collections::BTreeSet<String> = (0..5_000).map(text).collect();
        assert_eq!(texts.len(), 5_000);
    }
}
