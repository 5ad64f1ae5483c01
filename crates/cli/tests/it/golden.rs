//! Contracts that no change may break unseen: every case in `tests/golden` is played, and
//! must give what it gave when the case was frozen: what was printed, how it ended, and what
//! changed in the files of the folder, after each command.
//!
//! A case is text. `$ ` begins a command of a shell, `% ` one that only puts files where they
//! are wanted, and `> ` goes on with either; lines that begin with `#` say something to the
//! reader; all others are the outcome of the command above:
//!
//! - `1 ` and `2 ` begin what it printed on standard output and standard error, `exit N` says
//!   how it ended unless with 0;
//! - `new PATH MODE` with its lines behind `+ `, `changed PATH` with `@N`, the lines that went
//!   there (`- `) and those that came (`+ `), `mode PATH MODE`, and `gone PATH`.
//!
//! `␍` stands for a carriage return, `␄` for an end without a line end. Of files of our own
//! (`OURS`) only the names count, and the folder of a case is called `/work`. Of a call with `--json` only the fields of `FIELDS` count,
//! lessons in any order, and nothing of standard error: they are what scripts may rely on.
//!
//! Nothing writes these files by the way. `HARDWON_FREEZE=PROGRAM` lets that program play them
//! and writes down what it does; CONTRIBUTING.md says when that is right.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;

use hardwon_render::diff::unified;
use serde_json::Value;

use crate::readme::{in_clean_room, root, write_if_changed};

/// Names of files whose content is nobody's but ours.
const OURS: &[&str] = &["hardwon.jsonl", "hardwon.lock", "lessons.jsonl.lock"];

/// The fields of answers that are promised and do not depend on how lessons are ranked or on
/// how a thing is put in words.
#[rustfmt::skip]
const FIELDS: &[&str] = &[
    "status", "problems", "where", "actor", "at", "change", "runs", "run", "already_known", "findings", "read", "used",
    "rejected", "new", "matched", "promoted", "transitions", "lesson", "from", "to", "effects",
    "effect", "regressions", "text", "fixed_in", "lessons", "id", "left_out", "held_out", "kind",
    "category", "state", "scope", "tags", "paths", "severity", "sightings", "standing",
    "confidence", "importance", "origin", "trust", "author", "helped", "no_help", "hurt",
    "contradicted", "neutral", "no_opportunity", "aliases", "created_at", "updated_at",
    "evidence", "injections", "reviews", "history", "outcome", "added",
    "quarantined", "counts", "scenario", "status_of_reflection", "created", "updated", "entries",
];

/// Every file below a folder: how it may be used, and its lines.
type Tree = BTreeMap<String, (u32, Vec<String>)>;

#[test]
fn what_was_frozen_is_as_it_was() {
    let witness = std::env::var_os("HARDWON_FREEZE").map(PathBuf::from);
    let program = witness.clone().unwrap_or_else(|| env!("CARGO_BIN_EXE_hardwon").into());
    let cases = cases();
    let check = |path: &PathBuf| {
        let frozen = fs::read_to_string(path).expect("a case is readable");
        let played = play(&frozen, &program);
        if witness.is_some() {
            write_if_changed(path, &played);
            return String::new();
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        unified(&name, Some(&frozen), Some(&played))
    };
    let faults: String = std::thread::scope(|scope| {
        let started: Vec<_> = cases.iter().map(|path| scope.spawn(|| check(path))).collect();
        started.into_iter().map(|case| case.join().expect("the case was played")).collect()
    });
    assert!(
        faults.is_empty(),
        "a contract is broken (- frozen, + today):\n\n{faults}\
         CONTRIBUTING.md says when one of crates/cli/tests/golden may change"
    );
}

/// The files of all cases.
fn cases() -> Vec<PathBuf> {
    let folder = root().join("crates/cli/tests/golden");
    let entries = fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut cases: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "golden")).collect();
    cases.sort();
    assert!(cases.len() > 5, "{cases:?}");
    cases
}

/// The case with the outcomes that a program gives.
fn play(case: &str, program: &Path) -> String {
    let place = tempfile::tempdir().expect("a temporary folder can be made");
    let work = place.path().join("work");
    let bin = place.path().join("bin");
    fs::create_dir(&work).and_then(|()| fs::create_dir(&bin)).expect("the folder is ours");
    symlink(program, bin.join("hardwon")).expect("links can be made");
    let mut before = Tree::new();
    let mut played = String::new();
    let mut lines = case.lines().peekable();
    while let Some(line) = lines.next() {
        let is_kept = line.is_empty() || line.starts_with('#');
        let put = line.strip_prefix("% ");
        let begun = line.strip_prefix("$ ").or(put);
        if is_kept || begun.is_some() {
            played += &format!("{line}\n");
        }
        let Some(begun) = begun else { continue };
        let mut command = format!("{begun}\n");
        while let Some(more) = lines.next_if(|line| line.starts_with("> ") || *line == ">") {
            command += &format!("{}\n", more.get(2..).unwrap_or_default());
            played += &format!("{more}\n");
        }
        let ended = run(&command, place.path());
        let after = tree(&work);
        let mut outcome = outcome(&command, &ended);
        if put.is_none() {
            outcome += &difference(&before, &after);
        }
        played += &placeless(&outcome.replace(&work.display().to_string(), "/work"));
        before = after;
    }
    played
}

/// Without the digests of folders that stand in names such as `m-001@17b586`.
fn placeless(text: &str) -> String {
    let mut pieces = text.split('@');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |before, piece| {
        let is_digest =
            piece.find('"') == Some(6) && piece[..6].bytes().all(|byte| byte.is_ascii_hexdigit());
        before + "@" + if is_digest { &piece[6..] } else { piece }
    })
}

/// Runs one command in a shell of its own.
fn run(command: &str, place: &Path) -> Output {
    let mut shell = in_clean_room("sh", &place.join("work"));
    let own = place.join("bin");
    let path = std::env::join_paths([own.as_path(), Path::new("/usr/bin"), Path::new("/bin")]);
    shell
        .args(["-c", &format!(". \"$GOLDEN/prelude.sh\"\n{command}")])
        .env("PATH", path.expect("folders on PATH can be joined"))
        .env("HARDWON_HOME", place.join("memory"))
        .env("GOLDEN", root().join("crates/cli/tests/golden"))
        // No machine is too slow for a case, and no copy of the day is one.
        .env("HARDWON_DEADLINE_MS", "60000")
        .env("HARDWON_BACKUP", "off");
    shell.output().expect("sh is there")
}

/// What was printed and how it ended.
fn outcome(command: &str, ended: &Output) -> String {
    let (stdout, stderr) = (text(&ended.stdout), text(&ended.stderr));
    let answer = command.contains("--json").then(|| serde_json::from_str::<Value>(&stdout).ok());
    let mut told = match answer {
        Some(Some(answer)) => marked("1 ", &lines_of(&in_lines(&promised(answer)))),
        Some(None) => marked("1 ", &lines_of(&stdout)),
        None => marked("1 ", &lines_of(&stdout)) + &marked("2 ", &lines_of(&stderr)),
    };
    match ended.status.code() {
        Some(0) => {}
        code => {
            told += &format!("exit {}\n", code.map_or("by a signal".into(), |it| it.to_string()))
        }
    }
    told
}

/// An answer without the fields that are not promised, its keys in order.
fn promised(answer: Value) -> Value {
    match answer {
        Value::Object(fields) => {
            let fields: BTreeMap<String, Value> = fields
                .into_iter()
                .filter(|(name, _)| FIELDS.contains(&name.as_str()))
                .map(|(name, value)| match (name.as_str(), promised(value.clone())) {
                    // The names in a scope are dimensions.
                    ("scope", _) => (name, value),
                    ("lessons" | "left_out", Value::Array(mut items)) => {
                        items.sort_by_key(Value::to_string);
                        (name, items.into())
                    }
                    (_, value) => (name, value),
                })
                .collect();
            fields.into_iter().collect::<serde_json::Map<_, _>>().into()
        }
        Value::Array(items) => items.into_iter().map(promised).collect(),
        plain => plain,
    }
}

/// A field each line, and each item of a list of objects.
fn in_lines(answer: &Value) -> String {
    let Some(fields) = answer.as_object() else { return format!("{answer}\n") };
    let field = |(name, value): (&String, &Value)| match value.as_array() {
        Some(items) if items.iter().any(Value::is_object) => {
            let items: String = items.iter().map(|item| format!("  {item}\n")).collect();
            format!("{name}:\n{items}")
        }
        _ => format!("{name}: {value}\n"),
    };
    fields.iter().map(field).collect()
}

/// Every file below a folder.
fn tree(folder: &Path) -> Tree {
    let mut found = Tree::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("the folder is readable") {
            let path = entry.expect("an entry").path();
            let about = path.symlink_metadata().expect("it is there");
            if about.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).expect("it lies there").display().to_string();
            let is_ours = OURS.iter().any(|ours| path.ends_with(ours));
            let content = match fs::read_link(&path) {
                Ok(target) => format!("link to {}", target.display()),
                Err(_) if is_ours => String::new(),
                Err(_) => text(&fs::read(&path).expect("files are readable")),
            };
            found.insert(name, (about.permissions().mode() & 0o777, lines_of(&content)));
        }
    }
    found
}

/// What happened to files.
fn difference(before: &Tree, after: &Tree) -> String {
    let mut told = String::new();
    for (name, (mode, lines)) in after {
        match before.get(name) {
            None => told += &format!("new {name} {mode:o}\n{}", marked("+ ", lines)),
            Some((old_mode, old)) => {
                if old_mode != mode {
                    told += &format!("mode {name} {mode:o}\n");
                }
                if old != lines {
                    told += &format!("changed {name}\n{}", changed(old, lines));
                }
            }
        }
    }
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    told + &gone.map(|name| format!("gone {name}\n")).collect::<String>()
}

/// The lines that went and came, with the number of the first: line by line, or what stands
/// between what both texts share, whichever is shorter.
fn changed(old: &[String], new: &[String]) -> String {
    let piece = |at: usize, went: &[String], came: &[String]| {
        format!("@{at}\n{}{}", marked("- ", went), marked("+ ", came))
    };
    let n_both = old.len().min(new.len());
    let differs = |at: &usize| old[*at] != new[*at];
    let one = |at: usize| piece(at + 1, &old[at..=at], &new[at..=at]);
    let mut in_place: String = (0..n_both).filter(differs).map(one).collect();
    if old.len() != new.len() {
        in_place += &piece(n_both + 1, &old[n_both..], &new[n_both..]);
    }
    let n_before = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[n_before..], &new[n_before..]);
    let n_behind = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let moved = piece(n_before + 1, &old[..old.len() - n_behind], &new[..new.len() - n_behind]);
    if in_place.len() <= moved.len() { in_place } else { moved }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Lines with signs for what cannot be seen.
fn lines_of(text: &str) -> Vec<String> {
    let line = |line: &str| match line.strip_suffix('\n') {
        Some(whole) => whole.replace('\r', "␍"),
        None => line.replace('\r', "␍") + "␄",
    };
    text.split_inclusive('\n').map(line).collect()
}

fn marked(mark: &str, lines: &[String]) -> String {
    lines.iter().map(|line| format!("{mark}{line}\n")).collect()
}

#[test]
fn an_outcome_says_every_byte() {
    let frozen = "# Says nothing.\n% printf 'a\\r\\nb' > f\n\
        $ printf 'a\\r\\nc\\n' > f; chmod 600 f; echo one; echo two >&2; exit 3\n\
        1 one\n2 two\nexit 3\nmode f 600\nchanged f\n@2\n- b␄\n+ c\n\n\
        $ echo 0 > g; rm f\nnew g 644\n+ 0\ngone f\n";
    let commands = frozen.lines().filter(|it| it.is_empty() || it.starts_with(['#', '%', '$']));
    let commands: String = commands.map(|line| format!("{line}\n")).collect();
    assert_eq!(play(&commands, Path::new("/nowhere")), frozen);
    // What was written down is not read again.
    assert_eq!(play(frozen, Path::new("/nowhere")), frozen);
}
