//! How long do `notes status` and `notes audit` take on large folders, trees and histories? Cold
//! processes on what is made up here: files, notes that name some of them, and a history that
//! `git fast-import` writes. Works in a folder of its own and removes it.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::speed::start::Folder;
use crate::table::{Cell, Column, Table};

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// Files of notes for `notes status`.
    pub notes: usize,
    /// Facts for `notes audit`.
    pub facts: usize,
    /// Files of the tree.
    pub files: usize,
    /// Commits of the long history.
    pub commits: usize,
    /// Processes per figure.
    pub starts: u32,
}

const COLUMNS: [Column; 4] = [
    Column { title: "what", key: "what" },
    Column { title: "median ms", key: "median_ms" },
    Column { title: "limit ms", key: "limit_ms" },
    Column { title: "findings", key: "findings" },
];

/// Limits of issue 18.
const STATUS_MS: u64 = 100;
const AUDIT_MS: u64 = 10_000;

/// Every fifth fact names a file that is gone, every fifth a name that is.
const SORTS: usize = 5;

/// Measures, and says whether every limit was kept.
pub fn run(program: &Path, ask: Ask, talk: &mut dyn FnMut(&str)) -> Result<(Table, bool), String> {
    if ask.starts == 0 || ask.files < SORTS || ask.commits < 3 {
        return Err("a bench needs a start, some files and at least three commits".to_owned());
    }
    let folder = Folder::new()?;
    let notes = folder.path().join("notes");
    write_notes(&notes, ask.notes)?;
    let facts = folder.path().join("facts");
    write_notes(&facts, ask.facts)?;
    let bench = Bench { program, home: folder.path().join("home"), starts: ask.starts };
    make(&bench.home)?;
    let mut table = table(ask);
    let mut is_kept = true;
    let mut take = |row: (Vec<Cell>, bool)| {
        table.rows.push(row.0);
        is_kept &= row.1;
    };
    let bare = folder.path().join("bare");
    make(&bare)?;
    let status = ["notes", "status", "--dir"];
    take(bench.row("status", &bare, &status, &notes, STATUS_MS)?);
    let audit = ["notes", "audit", "--json", "--dir"];
    for (name, commits) in [("audit, 3 commits", 3), ("audit, long history", ask.commits)] {
        talk(&format!("{} files, {commits} commits", ask.files));
        let tree = folder.path().join(format!("tree-{commits}"));
        make_tree(&tree, ask.files, commits)?;
        take(bench.row(name, &tree, &audit, &facts, AUDIT_MS)?);
        if commits == 3 {
            fs::remove_dir_all(tree.join(".git")).map_err(|error| error.to_string())?;
            take(bench.row("audit, no git", &tree, &audit, &facts, AUDIT_MS)?);
        }
        fs::remove_dir_all(&tree).map_err(|error| error.to_string())?;
    }
    Ok((table, is_kept))
}

fn table(ask: Ask) -> Table {
    let Ask { notes, facts, files, commits, starts } = ask;
    let mut lines = vec![format!(
        "`notes status` of {notes} notes, `notes audit` of {facts} facts on {files} files, with 3 \
         and with {commits} commits; whole processes, n = {starts}."
    )];
    if cfg!(debug_assertions) {
        lines.push("A debug build: these figures say nothing about the released one.".to_owned());
    }
    let title = "Speed of notes".to_owned();
    Table { title, notes: lines, columns: COLUMNS.to_vec(), rows: Vec::new() }
}

struct Bench<'a> {
    program: &'a Path,
    home: PathBuf,
    starts: u32,
}

impl Bench<'_> {
    fn row(
        &self,
        what: &str,
        tree: &Path,
        command: &[&str],
        notes: &Path,
        limit: u64,
    ) -> Result<(Vec<Cell>, bool), String> {
        let mut times: Vec<Duration> = Vec::new();
        let mut answer = String::new();
        for _ in 0..self.starts {
            let from = Instant::now();
            answer = self.answer(tree, command, notes)?;
            times.push(from.elapsed());
        }
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64() * 1e3;
        let findings = serde_json::from_str::<serde_json::Value>(&answer).ok();
        let n = findings.and_then(|it| it["findings"].as_array().map(Vec::len));
        let n = n.map_or(Cell::Nothing, |n| Cell::Count(n as u64));
        let row = vec![Cell::Text(what.to_owned()), Cell::Number(median, 0), Cell::Count(limit), n];
        Ok((row, median <= limit as f64))
    }

    /// What one process prints in a tree. It needs to find git, so the environment stays.
    fn answer(&self, tree: &Path, command: &[&str], notes: &Path) -> Result<String, String> {
        let mut started = Command::new(self.program);
        started.args(command).arg(notes).current_dir(tree).stdin(Stdio::null());
        started.env("HARDWON_HOME", &self.home).env("HARDWON_WORKER", "off");
        let output = started.output().map_err(|error| format!("hardwon did not start: {error}"))?;
        // 1 says that something was found.
        match output.status.code() {
            Some(0 | 1) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            _ => {
                let stderr = String::from_utf8_lossy(&output.stderr);
                Err(format!(
                    "{} ended with {}: {}",
                    command.join(" "),
                    output.status,
                    stderr.trim()
                ))
            }
        }
    }
}

fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Notes that name what is there, what is gone, and what never was.
fn write_notes(folder: &Path, n: usize) -> Result<(), String> {
    make(folder)?;
    let mut index = String::new();
    for at in 0..n {
        let fact = match at % SORTS {
            0 => format!("The importer of part {at} lives in `src/gone/part_{at}.rs`."),
            1 => format!("Queue {at} is emptied by `drain_queue_{at}` before a restart."),
            2 => {
                format!("Shard {at} is opened by `work_{at}` in `src/m{}/file_{at}.rs`.", at % 100)
            }
            3 => format!("Table {at} of the warehouse is filled by `never_there_{at}` at night."),
            _ => format!("Team {at} wants the numbers of region {at} before noon on Fridays."),
        };
        let head = format!("name: Fact {at}\ndescription: fact {at}\ntype: project");
        let text = format!("---\n{head}\nmodified: 2026-04-01T10:00:00Z\n---\n{fact}\n");
        write(&folder.join(format!("project_fact-{at}.md")), &text)?;
        if at < 180 {
            index += &format!("- [Fact {at}](project_fact-{at}.md) — fact {at}\n");
        }
    }
    write(&folder.join("MEMORY.md"), &index)
}

fn content(at: usize) -> String {
    let mut text = String::new();
    for line in 0..60 {
        text += &format!("    let value_{line} = work_{at}(input_{line}, \"row {line}\");\n");
    }
    format!("pub fn work_{at}() {{\n{text}}}\n")
}

/// A tree and a history that ends in it. The second commit takes away what the notes miss, so that
/// the whole history has to be read to find it.
fn make_tree(tree: &Path, n_files: usize, n_commits: usize) -> Result<(), String> {
    make(tree)?;
    git(tree, &["init", "-q"])?;
    let mut import = Command::new("git")
        .arg("-C")
        .arg(tree)
        .args(["fast-import", "--quiet", "--force"])
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|error| format!("git does not start: {error}"))?;
    let into = import.stdin.take().ok_or("git takes no input")?;
    stream(BufWriter::new(into), n_files, n_commits).map_err(|error| error.to_string())?;
    if !import.wait().is_ok_and(|status| status.success()) {
        return Err("git fast-import failed".to_owned());
    }
    git(tree, &["reset", "-q", "--hard", "refs/heads/made"])
}

fn stream(mut out: impl Write, n_files: usize, n_commits: usize) -> std::io::Result<()> {
    let data = |text: &str| format!("data {}\n{text}\n", text.len());
    let head = |at: usize| {
        let time = 1_600_000_000 + 600 * at;
        let message = data(&format!("change {at}"));
        format!("commit refs/heads/made\ncommitter a <a@example.com> {time} +0000\n{message}")
    };
    write!(out, "{}", head(0))?;
    for at in 0..n_files {
        write!(out, "M 644 inline src/m{}/file_{at}.rs\n{}", at % 100, data(&content(at)))?;
    }
    for at in (0..n_files.min(1_000)).step_by(SORTS) {
        let part = data(&format!("pub fn drain_queue_{}() {{}}\n", at + 1));
        write!(out, "M 644 inline src/gone/part_{at}.rs\n{part}")?;
    }
    writeln!(out, "{}D src/gone", head(1))?;
    for at in 2..n_commits {
        let file = at % n_files;
        let text = data(&format!("{}// change {at}\n", content(file)));
        write!(out, "{}M 644 inline src/m{}/file_{file}.rs\n{text}", head(at), file % 100)?;
    }
    out.flush()
}

fn git(tree: &Path, arguments: &[&str]) -> Result<(), String> {
    let ran = Command::new("git").arg("-C").arg(tree).args(arguments).status();
    match ran.map_err(|error| format!("git does not start: {error}"))?.success() {
        true => Ok(()),
        false => Err(format!("git {} failed", arguments.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_history_loses_what_the_notes_name() {
        let mut bytes = Vec::new();
        stream(&mut bytes, 10, 4).expect("memory takes all");
        let text = String::from_utf8(bytes).expect("text");
        assert_eq!(text.matches("commit refs/heads/made").count(), 4);
        assert!(text.contains("src/gone/part_5.rs") && text.contains("drain_queue_6"));
        assert!(text.contains("D src/gone\n"));
    }
}
