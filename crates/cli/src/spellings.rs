//! Old spellings of commands: one table. They work until 0.3.0 and name the new spelling on
//! standard error. What scripts rely on (docs/json.md) is no old spelling: it stays, unseen.

use std::ffi::{OsStr, OsString};

/// The version in which old spellings end.
const END: &str = "0.3.0";

/// Options of every command that take a value, which may stand before the command.
const WITH_VALUE: [&str; 3] = ["--store", "--project", "--policy"];

/// What was typed, and what is typed today. A word in capitals stands for one argument.
const SPELLINGS: &[(&str, &str)] = &[
    ("search", "list"),
    ("ask", "list --answer"),
    ("runs deliberations list", "list answers"),
    ("runs deliberations search", "list answers"),
    ("runs deliberations show", "show"),
    ("runs deliberations", "list answers"),
    ("runs list", "list runs"),
    ("runs show", "show"),
    ("runs tree RUN", "show RUN --tree"),
    ("runs tree", "list runs --tree"),
    ("runs", "list runs"),
    ("findings list", "list findings"),
    ("findings show", "show"),
    ("findings", "list findings"),
    ("tried", "list attempts"),
    ("history", "log"),
    ("events", "log --events"),
    ("regressions", "log --regressions"),
    ("pin --off", "edit --unpin"),
    ("pin LESSON --off", "edit LESSON --unpin"),
    ("pin", "edit --pin"),
    ("merge LESSON INTO", "edit LESSON --into INTO"),
    ("merge", "review merges"),
    ("trust", "review trust"),
    ("stats", "report --counts"),
    ("usage", "report --costs"),
    ("decay", "learn --decay"),
    ("project", "config project"),
    ("team", "config team"),
    ("store", "config store"),
    ("model", "config model"),
    ("audit", "doctor"),
    ("notes where", "doctor"),
    ("notes discover", "jkz learn"),
    ("notes", "jkz"),
    ("completions", "install --completions"),
];

/// What was typed in an old spelling.
pub struct Respelled {
    /// The same in the new one.
    pub arguments: Vec<OsString>,
    old: &'static str,
    new: &'static str,
}

impl Respelled {
    /// What to tell the user.
    pub fn notice(&self) -> String {
        let Respelled { old, new, .. } = self;
        format!("hardwon: `{old}` is `{new}` now; the old spelling works until {END}")
    }
}

/// The arguments in today's spelling, if they begin with an old one.
pub fn respelled(arguments: &[OsString]) -> Option<Respelled> {
    let at = place_of_command(arguments)?;
    let typed = &arguments[at..];
    let fitting = SPELLINGS.iter().filter(|(old, _)| begins_with(typed, old));
    let &(old, new) = fitting.max_by_key(|(old, _)| old.split(' ').count())?;
    let n_words = old.split(' ').count();
    let argument = |name: &str| {
        let place = old.split(' ').position(|word| word == name);
        place.map_or_else(|| name.into(), |place| typed[place].clone())
    };
    let before = arguments[..at].iter().cloned();
    let after = typed[n_words..].iter().cloned();
    let arguments = before.chain(new.split(' ').map(argument)).chain(after).collect();
    Some(Respelled { arguments, old, new })
}

/// Where the command stands: behind the program and the options that may come before it.
fn place_of_command(arguments: &[OsString]) -> Option<usize> {
    let mut place = 1;
    while let Some(argument) = arguments.get(place).and_then(|argument| argument.to_str()) {
        match argument {
            _ if WITH_VALUE.contains(&argument) => place += 2,
            _ if argument.starts_with('-') => place += 1,
            _ => return Some(place),
        }
    }
    None
}

fn begins_with(typed: &[OsString], old: &str) -> bool {
    let is_argument = |word: &str| word.starts_with(|first: char| first.is_ascii_uppercase());
    let is_value = |typed: &OsStr| !typed.to_string_lossy().starts_with('-');
    let mut typed = typed.iter();
    old.split(' ').all(|word| {
        typed.next().is_some_and(|typed| {
            if is_argument(word) { is_value(typed) } else { typed.as_os_str() == word }
        })
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::program::Cli;

    fn today(typed: &str) -> String {
        let arguments: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
        let words = respelled(&arguments).map_or(arguments, |it| it.arguments);
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn old_spellings_become_new_ones() {
        for (typed, expected) in [
            ("hardwon search red blue --all", "hardwon list red blue --all"),
            (
                "hardwon --json --store sqlite:x pin l-1",
                "hardwon --json --store sqlite:x edit --pin l-1",
            ),
            ("hardwon pin l-1 --off --json", "hardwon edit l-1 --unpin --json"),
            ("hardwon merge l-1 l-2 --json", "hardwon edit l-1 --into l-2 --json"),
            ("hardwon merge --limit 3", "hardwon review merges --limit 3"),
            ("hardwon runs tree r1", "hardwon show r1 --tree"),
            ("hardwon runs tree --days 3", "hardwon list runs --tree --days 3"),
            ("hardwon runs --days 3", "hardwon list runs --days 3"),
            ("hardwon list search", "hardwon list search"),
            ("hardwon add search", "hardwon add search"),
            ("hardwon", "hardwon"),
        ] {
            assert_eq!(today(typed), expected);
        }
    }

    #[test]
    fn no_command_has_an_old_spelling_and_every_new_one_exists() {
        let tree = Cli::command();
        for (old, new) in SPELLINGS {
            let first = old.split(' ').next().unwrap_or_default();
            assert!(tree.find_subcommand(first).is_none(), "{first} is a command");
            let mut at = &tree;
            for word in new.split(' ').filter(|word| word.starts_with(|c: char| c.is_lowercase())) {
                at = at.find_subcommand(word).unwrap_or_else(|| panic!("no `{new}`"));
            }
            for flag in new.split(' ').filter_map(|word| word.strip_prefix("--")) {
                let is_there = |arg: &clap::Arg| arg.get_long() == Some(flag);
                assert!(at.get_arguments().any(is_there), "no `{new}`");
            }
        }
    }
}
