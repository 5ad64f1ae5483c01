//! Do the documents tell the truth? Every ```console block of README.md and docs/*.md is
//! run as it stands and must print what the page shows. `HARDWON_BLESS=1` writes what was
//! printed into the page instead.
//!
//! One empty folder and one shell per document, so variables, files and memory carry over
//! from block to block. A command that exits with another status than 0 is a failure.
//!
//! `trycmd` (1.2, 67 crates) is not used: it splits a command into words and has no shell, and
//! 12 of the 32 commands in the pages have pipes, here-documents or variables. `insta` (1.49) is
//! not, either: what is compared here and in `docs.rs` are published files, and its snapshots
//! carry a header of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hardwon_render::diff::unified;

/// Stands between the outputs of two commands: no command prints it.
const MARK: char = '\u{1e}';

#[test]
fn console_blocks_print_what_they_show() {
    let mut faults = String::new();
    for path in documents() {
        let name = path.strip_prefix(root()).expect("documents are in the repository").display();
        let page = fs::read_to_string(&path).expect("a document is readable");
        let steps = steps(&page).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        if steps.is_empty() {
            continue;
        }
        let printed = run(&steps).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        faults += &compare(&path, &steps, &printed);
    }
    assert!(
        faults.is_empty(),
        "documents show other output than the program gives (- page, + program):\n\n{faults}\
         HARDWON_BLESS=1 cargo test -p hardwon-cli --test it writes it into the pages"
    );
}

/// What a page shows otherwise than it was printed; or, when blessing, nothing: then what
/// was printed is written into the page.
pub(crate) fn compare(path: &Path, steps: &[Step], printed: &[Vec<String>]) -> String {
    let name = path.strip_prefix(root()).expect("pages are in the repository").display();
    if is_blessing() {
        let page = fs::read_to_string(path).expect("a page is readable");
        let blessed = rewrite(&page, steps, printed);
        write_if_changed(path, &blessed.unwrap_or_else(|fault| panic!("{name}: {fault}")));
        return String::new();
    }
    let differs = |(step, printed): &(&Step, &Vec<String>)| step.expected != **printed;
    let diff = |(step, printed): (&Step, &Vec<String>)| {
        let place = format!("{name}:{}: $ {}", step.line, first(&step.command));
        let (page, program) = (step.expected.join("\n"), printed.join("\n"));
        format!("{}\n", unified(&place, Some(&page), Some(&program)))
    };
    steps.iter().zip(printed).filter(differs).map(diff).collect()
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("the crate is two folders below the root").to_owned()
}

/// Whether generated text is to be written rather than compared.
pub(crate) fn is_blessing() -> bool {
    std::env::var_os("HARDWON_BLESS").is_some_and(|value| value == "1")
}

/// Writes a file only if that changes it, so that blessing twice leaves times alone.
pub(crate) fn write_if_changed(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// README.md and every page of docs/, in a fixed order.
pub(crate) fn documents() -> Vec<PathBuf> {
    let mut pages = pages_of(&root().join("docs"));
    pages.insert(0, root().join("README.md"));
    pages
}

/// The Markdown files of a folder, by name.
pub(crate) fn pages_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder of the pages exists");
    let paths = entries.map(|entry| entry.expect("a folder entry is readable").path());
    let mut pages: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    pages.sort();
    pages
}

/// The binary, away from the caller's settings, clock and terminal.
pub(crate) fn in_clean_room(program: &str, folder: &Path) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_hardwon"));
    let own = binary.parent().expect("a binary is in a folder").to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(own).chain(std::env::split_paths(&others));
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::join_paths(path).expect("folders on PATH can be joined"))
        .env("HOME", folder)
        .env("LC_ALL", "C.UTF-8")
        .env("NO_COLOR", "1")
        .env("HARDWON_HOME", folder.join("memory"))
        .env("HARDWON_WORKER", "off")
        .env("HARDWON_PROJECT", "demo")
        .env("HARDWON_NOW", "2026-04-03T14:00:00Z")
        .stdin(Stdio::null());
    command
}

/// One command of a page and what the page shows below it.
#[derive(Debug, PartialEq)]
pub(crate) struct Step {
    /// Line of the page, from 1.
    pub line: usize,
    pub command: String,
    expected: Vec<String>,
    /// Lines of the page that hold the expected output, from 0; end exclusive.
    span: (usize, usize),
}

/// Takes the console blocks of a page apart.
pub(crate) fn steps(page: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let lines: Vec<&str> = page.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        if lines[at] != "```console" {
            at += 1;
            continue;
        }
        let first = at + 1;
        let length = lines[first..].iter().position(|line| *line == "```");
        let end = first + length.ok_or(format!("the block at line {first} is not closed"))?;
        at = first;
        while at < end {
            let step = step(&lines, at, end)?;
            at = step.span.1;
            steps.push(step);
        }
        at = end + 1;
    }
    Ok(steps)
}

/// Reads the step that begins at a line: a `$ ` line with its continuation lines and
/// here-document, then output up to the next `$ ` line or the end of the block.
fn step(lines: &[&str], start: usize, end: usize) -> Result<Step, String> {
    let number = start + 1;
    let no_command = || format!("line {number}: a console block begins with `$ command`");
    let mut command = vec![lines[start].strip_prefix("$ ").ok_or_else(no_command)?];
    if let Some(word) = here_document(lines[start]) {
        while command.last() != Some(&word) {
            let open = || format!("line {number}: the here-document has no line {word}");
            let line = lines[..end].get(start + command.len()).ok_or_else(open)?;
            command.push(line.strip_prefix("> ").unwrap_or(line));
        }
    }
    let mut at = start + command.len();
    while at < end && (lines[at].starts_with("> ") || lines[at - 1].ends_with('\\')) {
        command.push(lines[at].strip_prefix("> ").unwrap_or(lines[at]));
        at += 1;
    }
    let output = at;
    while at < end && !lines[at].starts_with("$ ") {
        at += 1;
    }
    let expected = lines[output..at].iter().map(|line| (*line).to_owned()).collect();
    Ok(Step { line: number, command: command.join("\n"), expected, span: (output, at) })
}

/// The word that ends the here-document which a command line opens.
fn here_document(line: &str) -> Option<&str> {
    let (_, after) = line.split_once("<<")?;
    let after = after.trim_start_matches(['-', ' ', '\'', '"']);
    let end = after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len());
    Some(&after[..end]).filter(|word| !word.is_empty())
}

/// Runs all steps in one shell; gives the lines that each of them printed. A command that
/// fails is a fault.
pub(crate) fn run(steps: &[Step]) -> Result<Vec<Vec<String>>, String> {
    let mut all = Vec::new();
    for (step, ended) in steps.iter().zip(run_to_end(steps, "")?) {
        if ended.status != "0" {
            let (line, command) = (step.line, first(&step.command));
            let printed = ended.printed.join("\n");
            return Err(format!(
                "line {line}: $ {command}\nexit status {}\n{printed}",
                ended.status
            ));
        }
        all.push(ended.printed);
    }
    Ok(all)
}

/// How a command of a page ended.
pub(crate) struct Ended {
    pub printed: Vec<String>,
    pub status: String,
}

/// Runs all steps in one shell, after what the prelude says, however they end. The folder in
/// which they run goes by the name of `/shop`.
pub(crate) fn run_to_end(steps: &[Step], prelude: &str) -> Result<Vec<Ended>, String> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let script = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    let mark = |step: &Step| format!("{}\nprintf '\\036%d\\036' \"$?\"\n", step.command);
    let text: String = steps.iter().map(mark).collect();
    // Whoever reads the page types it.
    let person = "hardwon() { command hardwon --as-user \"$@\"; }";
    let text = format!("{person}\n{prelude}\nexec 2>&1\n{text}");
    fs::write(script.path(), text).expect("a temporary file is writable");
    let output = in_clean_room("bash", folder.path())
        .args(["--noprofile", "--norc"])
        .arg(script.path())
        .output()
        .map_err(|error| format!("cannot start bash: {error}"))?;
    let printed = String::from_utf8(output.stdout).map_err(|_| "output is not UTF-8".to_owned())?;
    // Output, status, output, status, …, and nothing after the last mark.
    let parts: Vec<&str> = printed.split(MARK).collect();
    if parts.len() != 2 * steps.len() + 1 {
        return Err(format!("the shell stopped early; it had printed:\n{printed}"));
    }
    let home = folder.path().display().to_string();
    let ended = |pair: &[&str]| Ended {
        printed: pair[0].replace(&home, "/shop").lines().map(str::to_owned).collect(),
        status: pair[1].to_owned(),
    };
    Ok(parts.chunks_exact(2).map(ended).collect())
}

/// The page with what was printed in place of what it showed.
fn rewrite(page: &str, steps: &[Step], printed: &[Vec<String>]) -> Result<String, String> {
    let lines: Vec<&str> = page.lines().collect();
    let mut out: Vec<&str> = Vec::new();
    let mut at = 0;
    for (step, printed) in steps.iter().zip(printed) {
        let breaks_out = |line: &&String| line.starts_with("$ ") || line.starts_with("```");
        if let Some(line) = printed.iter().find(breaks_out) {
            return Err(format!("line {}: a console block cannot show {line:?}", step.line));
        }
        out.extend(&lines[at..step.span.0]);
        out.extend(printed.iter().map(String::as_str));
        at = step.span.1;
    }
    out.extend(&lines[at..]);
    Ok(out.join("\n") + "\n")
}

fn first(command: &str) -> &str {
    command.lines().next().unwrap_or_default()
}

#[test]
fn a_failing_command_and_a_block_that_is_not_closed_are_faults() {
    let failing = steps("```console\n$ echo so; false\nso\n```\n").expect("well-formed");
    assert!(run(&failing).unwrap_err().contains("exit status 1"));
    assert!(steps("```console\n$ true\n").is_err());
    assert!(steps("```console\nno command\n```\n").is_err());
}
