//! Which kind of call did a user reject, and does the rejection stand for more than the moment?

use super::{NoWish, judge, typed};
use crate::command::shape::sort;
use crate::command::shell::{self, Command};
use crate::list;

/// Words by which a rejection is against the call itself.
const AGAINST: &[&str] = list!("rejected.txt", "against");

/// Programs whose second word is a subcommand, and those that run a named task.
const RUNS_TASKS: &[&str] = list!("rejected.txt", "runs tasks");
const RUN_WORDS: &[&str] = list!("rejected.txt", "run words");

/// Subcommands of git that only look.
const GIT_LOOKS: &[&str] = list!("rejected.txt", "git looks");

/// Commands that only move about or get ready.
const MINOR: &[&str] = list!("rejected.txt", "minor");

/// The kind of a command: its program, subcommand and the first word that tells what it does.
/// Of several commands the last that does something. `None` if it only looks.
///
/// ```
/// use hardwon_core::wish::rejected::kind;
///
/// assert_eq!(kind("cd /w && git push -u origin main 2>&1").as_deref(), Some("git push"));
/// assert_eq!(kind("mise run test:ci 2>&1 | tail -5").as_deref(), Some("mise run test:ci"));
/// assert_eq!(kind("ls -la /tmp"), None);
/// ```
pub fn kind(command: &str) -> Option<String> {
    let commands = shell::commands(command);
    let does = |command: &&Command<'_>| {
        let is_git = command.program() == "git";
        let is_look = sort(&command.words.join(" ")).is_look
            || is_git && command.words.get(1).is_some_and(|sub| GIT_LOOKS.contains(sub));
        !command.words.is_empty() && !is_look && !MINOR.contains(&command.program().as_str())
    };
    let command = commands.iter().rev().find(does)?;
    let program = command.program();
    let mut parts = vec![program.clone()];
    let plain = |word: &&&str| is_plain_word(word);
    let words: Vec<&&str> = command.words.iter().skip(1).filter(plain).collect();
    let n = match words.first() {
        Some(first) if RUN_WORDS.contains(*first) || RUNS_TASKS.contains(&program.as_str()) => 2,
        _ => 1,
    };
    let has_sub = command.words.get(1).is_some_and(|word| is_plain_word(word));
    if has_sub {
        parts.extend(words.into_iter().take(n).map(|word| (*word).to_owned()));
    }
    let sort = sort(&command.words.join(" "));
    // Not all tests are meant where some were rejected: only a task with a name says which.
    if (sort.is_test || sort.is_check) && n == 1 {
        return None;
    }
    // `git -C folder log` and the like do not show what was done.
    let is_told = parts.len() > 1 || program != "git" && !RUNS_TASKS.contains(&program.as_str());
    Some(parts.join(" ")).filter(|kind| is_told && is_plain_name(kind))
}

/// A word that names something to do, and is no flag, path, address or text.
fn is_plain_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c))
        && word.len() <= 24
}

fn is_plain_name(kind: &str) -> bool {
    kind.split(' ').all(|word| {
        word.chars().all(|c| c.is_ascii_alphanumeric() || "-_:.+".contains(c)) && word.len() <= 24
    })
}

/// Whether what was said with a rejection leaves it against the call: nothing was said, or
/// something against it. A question, a word on the moment or another task does not.
pub fn is_against(said: Option<&str>) -> bool {
    let Some(said) = said.map(str::trim).filter(|said| !said.is_empty()) else { return true };
    let sentences = typed(said);
    let is_passing = |sentence: &String| {
        matches!(judge(sentence), Err(NoWish::Question | NoWish::Moment | NoWish::Unsure))
    };
    let lower = said.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> = lower
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    !sentences.is_empty()
        && !sentences.iter().any(is_passing)
        && !words.contains(&"first")
        && super::said::has(&words, AGAINST)
}

/// What the lesson says about calls of this kind.
pub fn advice(kind: &str) -> String {
    format!("Do not run `{kind}` unless the user asks for it.")
}
