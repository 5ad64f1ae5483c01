//! What was a command meant for, and on what? Two commands can only stand for one another if
//! both were meant for the same.

use std::collections::BTreeSet;

use super::parted::Parted;
use super::shell;
use crate::list;

/// Purposes that many commands have, with the words that tell them.
const PURPOSES: &[(&str, &[&str])] = &[
    ("test", list!("purposes.txt", "test")),
    ("check", list!("purposes.txt", "check")),
    ("format", list!("purposes.txt", "format")),
    ("install", list!("purposes.txt", "install")),
    ("build", list!("purposes.txt", "build")),
    ("query", list!("purposes.txt", "query")),
    ("migrate", list!("purposes.txt", "migrate")),
    ("start", list!("purposes.txt", "start")),
];

/// Flags that may stand before a subcommand and only say how much is printed.
const QUIET: &[&str] = &["-q", "-v", "-s", "-B", "--quiet", "--verbose", "--silent"];

/// Purposes after which other commands work.
const PREPARING: &[&str] = &["install", "migrate", "start", "build"];

/// Words that say which of several a command is for.
const QUALIFIERS: &[&str] = list!("purposes.txt", "qualifiers");
const PREPARING_WORDS: &[&str] = list!("purposes.txt", "preparing");
/// Words of a program that only group its subcommands.
const GROUPS: &[&str] = list!("purposes.txt", "groups");
const RUNNERS: &[&str] = list!("programs.txt", "runners");
const HANDLING: &[&str] = list!("programs.txt", "handling");

/// What a command is meant for.
pub fn purpose(command: &Parted) -> String {
    let words = telling(command);
    let known = words.iter().find_map(|word| {
        let mut pieces = word.split(|c: char| !c.is_alphanumeric());
        pieces.find_map(|piece| class(piece, word))
    });
    match known {
        Some(class) if !handles_files(&command.program()) => class.to_owned(),
        _ => words.last().cloned().unwrap_or_default(),
    }
}

/// Whatever they name, they neither test nor check; docker runs whatever it is told.
pub fn handles_files(program: &str) -> bool {
    HANDLING.contains(&program) && program != "docker"
}

fn class(piece: &str, word: &str) -> Option<&'static str> {
    // `make_data` is not make.
    let is_it = |known: &str| known == piece && (known != "make" || word == known);
    let found = PURPOSES.iter().find(|(_, words)| words.iter().any(|known| is_it(known)));
    found.map(|(class, _)| *class)
}

/// The words that tell what a command is for: its program, the subcommands, the script that an
/// interpreter or a task runner runs.
fn telling(command: &Parted) -> Vec<String> {
    let stem = stem(command);
    let names = stem.iter().skip(command.n_wrapping).filter(|word| !word.starts_with('-'));
    let names = names.map(|word| {
        let name = shell::name(word);
        name.rsplit_once('.').map_or(name.clone(), |(bare, _)| bare.to_owned())
    });
    let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
    let is_runner = |name: &String| RUNNERS.contains(&name.as_str()) || name == "make";
    let is_runner = names.first().is_some_and(is_runner);
    if is_runner && names.len() > 1 { names[1..].to_vec() } else { names }
}

/// The command without what it is applied to: wrappers, program, subcommands and the module or
/// script that it runs.
pub fn stem(command: &Parted) -> Vec<String> {
    let mut stem: Vec<String> = command.words[..=command.n_wrapping].to_vec();
    let program = command.program();
    let is_runner = RUNNERS.contains(&program.as_str());
    let mut n_more = 1;
    let mut takes_next = false;
    for word in command.arguments() {
        if takes_next {
            stem.push(word.clone());
            return stem;
        }
        if is_runner && word == "-m" {
            stem.push(word.clone());
            takes_next = true;
            continue;
        }
        if QUIET.contains(&word.as_str()) {
            stem.push(word.clone());
            continue;
        }
        let is_script = is_runner && !word.starts_with('-');
        if n_more == 0 || !(is_script || is_subcommand(word)) {
            break;
        }
        stem.push(word.clone());
        n_more -= 1;
        n_more += usize::from(GROUPS.contains(&word.as_str()));
    }
    stem
}

/// A bare word, as subcommands and tasks are named: `run`, `test:ci`, `type-check`.
fn is_subcommand(word: &str) -> bool {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.chars().all(is_bare)
}

/// Whether both are meant for the same thing, by all that their words show.
pub fn are_for_the_same(a: &Parted, b: &Parted) -> bool {
    let (stem_a, stem_b) = (telling(a), telling(b));
    let is_same = purpose(a) == purpose(b) || is_renamed(&stem_a, &stem_b) || is_extended(a, b);
    is_same && qualifiers(a) == qualifiers(b) && have_common_target(a, b)
}

/// Whether the second has every word of the first, in order, and some more.
fn is_extended(a: &Parted, b: &Parted) -> bool {
    let mut rest = b.words.iter();
    a.words.len() < b.words.len() && a.words.iter().all(|word| rest.any(|other| other == word))
}

/// `type-check` for `typecheck`: one word differs by little.
fn is_renamed(a: &[String], b: &[String]) -> bool {
    let differing: Vec<_> = a.iter().zip(b).filter(|(a, b)| a != b).collect();
    let bare = |word: &str| word.replace(|c: char| !c.is_alphanumeric(), "");
    a.len() == b.len()
        && differing.len() == 1
        && differing.iter().all(|(a, b)| is_near(&bare(a), &bare(b)))
}

fn is_near(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.len() >= 4 && (long.starts_with(short) || long.ends_with(short))
        || a.len().abs_diff(b.len()) <= 1 && n_differing(a, b) <= 2 && short.len() >= 5
}

fn n_differing(a: &str, b: &str) -> usize {
    let (mut a, mut b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    while !a.is_empty() && a.first() == b.first() {
        a.remove(0);
        b.remove(0);
    }
    while !a.is_empty() && a.last() == b.last() {
        a.pop();
        b.pop();
    }
    a.len().max(b.len())
}

fn qualifiers(command: &Parted) -> BTreeSet<String> {
    let words = telling(command);
    let pieces = words.iter().flat_map(|word| word.split(|c: char| !c.is_alphanumeric()));
    pieces.filter(|piece| QUALIFIERS.contains(piece)).map(str::to_owned).collect()
}

/// What is named by both, unless one of them names nothing: other files are another intent.
fn have_common_target(a: &Parted, b: &Parted) -> bool {
    let (a, b) = (targets(a), targets(b));
    a.is_empty() || b.is_empty() || a.iter().any(|target| b.contains(target))
}

/// The last names of the paths that a command is applied to.
fn targets(command: &Parted) -> BTreeSet<String> {
    let n_stem = stem(command).len();
    let words = command.words.iter().skip(n_stem);
    let paths = words.filter(|word| !word.starts_with('-') && word.contains(['/', '.']));
    let names = paths.map(|word| {
        let word = word.trim_matches(['"', '\'']).split("::").next().unwrap_or_default();
        word.trim_end_matches(['/', '.']).rsplit('/').next().unwrap_or_default().to_owned()
    });
    names.filter(|name| !name.is_empty()).collect()
}

/// Whether other commands may work after this one that did not before.
pub fn prepares(command: &Parted) -> bool {
    let is_named = |word: &String| PREPARING_WORDS.contains(&word.as_str());
    PREPARING.contains(&purpose(command).as_str()) || telling(command).iter().any(is_named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::parted::parted;

    fn one(line: &str) -> Parted {
        parted(line).remove(0)
    }

    #[test]
    fn commands_have_a_purpose() {
        let table = [
            ("pytest tests/a.py", "test"),
            ("uv run pytest", "test"),
            ("npm run test:ci", "test"),
            ("go vet ./...", "check"),
            ("mise run lint", "check"),
            ("npx prettier -w .", "format"),
            ("cargo build --release", "build"),
            ("pip install -e .", "install"),
            ("npm ci", "install"),
            ("psql shop -c 'select 1'", "query"),
            ("python manage.py migrate", "manage"),
            ("python scripts/seed.py", "seed"),
            ("make seed", "seed"),
            ("npm run seed", "seed"),
            ("gh pr diff 12", "diff"),
            ("git diff", "diff"),
            ("frob sync --all", "sync"),
            ("docker compose up -d", "start"),
        ];
        for (line, expected) in table {
            assert_eq!(purpose(&one(line)), expected, "{line}");
        }
    }

    #[test]
    fn what_stands_for_one_another_is_meant_for_the_same() {
        let same = [
            ("npm test", "pnpm test"),
            ("pytest tests/a.py", "uv run pytest tests/a.py"),
            ("python seed.py", "make seed"),
            ("npm run typecheck", "npm run type-check"),
            ("gh pr diff 1 --stat", "git diff main...HEAD --stat"),
            ("docker-compose up", "docker compose up"),
        ];
        for (a, b) in same {
            assert!(are_for_the_same(&one(a), &one(b)), "{a} / {b}");
        }
        let other = [
            ("npm run test:e2e", "npm test"),
            ("pytest tests/a.py", "pytest tests/b.py"),
            ("just lint", "just deploy"),
            ("make seed", "make test"),
            ("git pull", "git push"),
        ];
        for (a, b) in other {
            assert!(!are_for_the_same(&one(a), &one(b)), "{a} / {b}");
        }
    }
}
