//! The one pattern that is searched in sessions: a command failed with an error line, and the same
//! command then succeeded in another form. What fails because the code is not right teaches no
//! other form, and neither does another folder, nor what an edit in between may have repaired.
//!
//! One session is only a witness: a line is shown once two saw the same repair.

use std::collections::{BTreeMap, BTreeSet};

use super::attempt::{Attempt, culprit};
use super::shown;
use crate::command::parted::{Parted, parted};
use crate::command::shell;
use crate::command::trouble::{class_of, is_outside, telling_lines, trouble};
use crate::episode::{ErrorClass, StepKind};
use crate::event::{FindingStated, StepStated};
use crate::list;
use crate::quote;

/// The rule of such findings.
pub const RULE: &str = "session:command";

/// How many steps later a success still belongs to a failure.
const HORIZON: usize = 60;

const OF_THE_MOMENT: &[&str] = list!("programs.txt", "of the moment");
const INTERPRETERS: &[&str] = list!("programs.txt", "runners");
/// Programs of which each runs what another would: `npm test`, `bun test`.
const EQUALS: &[&[&str]] =
    &[&["npm", "pnpm", "yarn", "bun"], &["python", "python3"], &["pip", "pip3", "uv"]];

/// What failed in a session and what repaired it, each once. What was not repaired, or may have been
/// another command of its line, starts no lesson, but it is a recurrence of one that is known.
pub fn failures(attempts: &[Attempt<'_>], steps: &[StepStated]) -> Vec<FindingStated> {
    let mut found: BTreeMap<String, (usize, FindingStated)> = BTreeMap::new();
    let failed = attempts.iter().enumerate().filter(|(_, attempt)| !attempt.is_ok);
    for (index, failed) in failed.filter(|(_, attempt)| !attempt.has_reports) {
        let Some(failure) = Failure::of(&failed.command, failed.output) else { continue };
        let later = if failed.is_sure { &attempts[index + 1..] } else { &[] };
        let repair = repair(failed, &failure, later, steps);
        let name = repair.as_ref().map(|(name, _)| name.clone());
        let name = name.unwrap_or_else(|| apart_from(&failed.command, &failed.command));
        let is_known = found.get(&failure.key).is_some_and(|(_, known)| known.repair.is_some());
        if is_known || !quote::is_command(&name) {
            continue;
        }
        let severity = if repair.is_some() { "warning" } else { "info" };
        let text = format!("`{name}` fails with \"{}\"", failure.line);
        let finding = FindingStated {
            severity: Some(severity.to_owned()),
            repair: repair.map(|(name, other)| format!("Use `{other}` here, not `{name}`")),
            ..shown(RULE, &failure.key, text, failed.output)
        };
        found.insert(failure.key, (index, finding));
    }
    let mut found: Vec<(usize, FindingStated)> = found.into_values().collect();
    found.sort_by_key(|(index, _)| *index);
    found.into_iter().map(|(_, finding)| finding).collect()
}

/// By what the failure of this command line is recognized, if it is one of those.
pub fn key_of(line: &str, output: &str) -> Option<String> {
    let (command, _) = culprit(parted(line), output)?;
    Some(Failure::of(&command, output)?.key)
}

/// A failure that says how the command was called, or what was missing around it.
struct Failure {
    line: String,
    is_misuse: bool,
    /// Which command and which error line: the same whatever it was applied to.
    key: String,
}

impl Failure {
    fn of(command: &Parted, output: &str) -> Option<Failure> {
        let program = command.program();
        let (raw, class) = telling_lines(output).into_iter().rev().find_map(|line| {
            let class = trouble(line).as_ref().and_then(class_of)?;
            is_outside(class).then_some((line, class))
        })?;
        let is_misuse = class == ErrorClass::Tool;
        let is_momentary = OF_THE_MOMENT.contains(&program.as_str()) && !is_misuse;
        let is_elsewhere = command.words[command.n_wrapping].starts_with(['/', '~']);
        // A shell that could not change its folder ran nothing.
        if command.sort.is_look || is_momentary || is_elsewhere || raw.contains("cd:") {
            return None;
        }
        let line = quote::error_line(raw, &command.text())?;
        let key = format!("{}: {}", family(command)?, quote::steady_line(raw)?);
        Some(Failure { line, is_misuse, key })
    }
}

/// The program and its first subcommand, or what an interpreter runs. `python3 -c …` has no
/// family: its code is another one each time.
pub(crate) fn family(command: &Parted) -> Option<String> {
    let bare = bare_words(command.arguments());
    let program = command.program();
    if !INTERPRETERS.contains(&program.as_str()) {
        let sub = bare.iter().find(|word| is_subcommand(word));
        return Some(sub.map_or(program.clone(), |sub| format!("{program} {sub}")));
    }
    let is_inline = command.arguments().first().is_some_and(|flag| flag.starts_with('-'))
        && command.arguments().first().is_none_or(|flag| flag != "-m");
    bare.first().filter(|_| !is_inline).map(|script| shell::name(script))
}

/// The command as it failed and as it worked later, without what both have in common besides
/// what they are.
fn repair(
    failed: &Attempt<'_>,
    failure: &Failure,
    later: &[Attempt<'_>],
    steps: &[StepStated],
) -> Option<(String, String)> {
    let wrong = &failed.command;
    let near = later.iter().take_while(|attempt| attempt.place <= failed.place + HORIZON);
    let worked = near.filter(|attempt| attempt.is_ok).find(|attempt| {
        let right = &attempt.command;
        right.text() == wrong.text() || right.folder == wrong.folder && is_other_form(wrong, right)
    })?;
    let right = &worked.command;
    let between = steps.get(failed.place + 1..worked.place).unwrap_or_default();
    let is_edit = |step: &StepStated| step.kind == StepKind::Edit && step.is_ok != Some(false);
    // An edit teaches no flag and no name, but it may well end anything else.
    if right.text() == wrong.text() || !failure.is_misuse && between.iter().any(is_edit) {
        return None;
    }
    let (name, other) = (apart_from(wrong, right), apart_from(right, wrong));
    let is_advised = quote::is_command(&other) && quote::is_advisable(&other);
    (name != other && quote::is_command(&name) && is_advised).then_some((name, other))
}

/// Whether two commands are one in two forms: applied to the same, with the words of one in the
/// other, in order, and some more; or with other flags.
fn is_other_form(a: &Parted, b: &Parted) -> bool {
    let targets = |command: &Parted| -> BTreeSet<String> {
        let words = bare_words(command.arguments());
        words.into_iter().filter(|word| is_target(word)).cloned().collect()
    };
    let names = |command: &Parted| -> Vec<String> {
        let words = bare_words(&command.words).into_iter().filter(|word| !is_target(word));
        words.map(|word| equal_to(&shell::name(word))).collect()
    };
    let (names_a, names_b) = (names(a), names(b));
    let is_within = |short: &[String], long: &[String]| {
        let mut rest = long.iter();
        short.iter().all(|word| rest.any(|other| other == word))
    };
    targets(a) == targets(b) && (is_within(&names_a, &names_b) || is_within(&names_b, &names_a))
}

/// Words of a command that are no flags.
fn bare_words(words: &[String]) -> Vec<&String> {
    words.iter().filter(|word| !word.starts_with('-')).collect()
}

/// A path, an address or a number, rather than the name of something to do.
fn is_target(word: &str) -> bool {
    word.contains(['/', '.', '"', '\'']) || word.chars().all(|c| c.is_ascii_digit())
}

/// A bare word, as subcommands and tasks are named: `run`, `test:ci`, `type-check`.
fn is_subcommand(word: &str) -> bool {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.chars().all(is_bare)
}

/// The first of the programs of which each runs what this one would.
fn equal_to(program: &str) -> String {
    let known = EQUALS.iter().find(|equals| equals.contains(&program));
    known.map_or(program, |equals| equals[0]).to_owned()
}

/// A command without the flags and targets that the other one has, too.
fn apart_from(command: &Parted, other: &Parted) -> String {
    let is_kept = |word: &&String| {
        let is_shared = other.words.contains(word) && (word.starts_with('-') || is_target(word));
        !is_shared || word.as_str() == "-m"
    };
    let n_head = command.n_wrapping + 1;
    let head = command.words.iter().take(n_head);
    let words = head.chain(command.words.iter().skip(n_head).filter(is_kept));
    command.with(&words.cloned().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::super::attempt::attempts;
    use super::*;

    /// `!` fails and prints what follows the bar, `+` works, `~` edits a file.
    fn step(line: &str) -> StepStated {
        let (mark, rest) = line.split_once(' ').unwrap();
        let (action, output) = rest.split_once(" | ").unwrap_or((rest, ""));
        let kind = if mark == "~" { StepKind::Edit } else { StepKind::Command };
        StepStated::done(kind, action, Some(mark != "!"), output)
    }

    fn found(lines: &[&str]) -> Vec<FindingStated> {
        let steps: Vec<StepStated> = lines.iter().map(|line| step(line)).collect();
        failures(&attempts(&steps), &steps)
    }

    fn taught(lines: &[&str]) -> Vec<(String, String)> {
        let found = found(lines).into_iter();
        found.filter_map(|finding| Some((finding.text, finding.repair?))).collect()
    }

    #[test]
    fn what_nothing_repaired_is_noted_and_starts_nothing() {
        let made = found(&["! npm test | npm error Missing script: \"test\"", "+ ls"]);
        assert_eq!((made.len(), made[0].severity.as_deref()), (1, Some("info")));
        assert_eq!(made[0].text, "`npm test` fails with \"npm error Missing script: 'test'\"");
        let again = "! npm test | npm error Missing script: \"test\"";
        let repaired = found(&[again, "+ pnpm test", again]);
        assert_eq!((repaired.len(), repaired[0].severity.as_deref()), (1, Some("warning")));
        assert_eq!(repaired[0].fingerprint, made[0].fingerprint);
        // Another command of the line may have failed: that repairs nothing.
        let no_module = "pytest | ModuleNotFoundError: No module named 'shop'";
        let (sure, unsure) = (format!("! {no_module}"), format!("! ruff check; {no_module}"));
        let (sure, unsure) = (found(&[&sure]), found(&[&unsure, "+ uv run pytest"]));
        assert_eq!(unsure[0].severity.as_deref(), Some("info"));
        assert_eq!(unsure[0].fingerprint, sure[0].fingerprint);
    }

    #[test]
    fn another_form_of_the_same_command_is_the_repair() {
        let (none, no_module) =
            ("command not found", "ModuleNotFoundError: No module named 'shop'");
        let lost = "npm error Missing script: \"test\"";
        // What failed and what it printed, what was done next, and the repair.
        for (failed, said, next, one, other) in [
            ("npm test", lost, "pnpm test", "pnpm test", "npm test"),
            ("pytest a.py -q", none, "uv run pytest a.py -q", "uv run pytest", "pytest"),
            ("pytest a.py", no_module, "PYTHONPATH=. pytest a.py", "PYTHONPATH=. pytest", "pytest"),
            (
                "gh pr diff 1 --a",
                "unknown flag: --a",
                "gh pr diff 1 --b",
                "gh pr diff --b",
                "gh pr diff --a",
            ),
            ("cd w && npm test", lost, "cd w && bun test", "cd w && bun test", "cd w && npm test"),
        ] {
            let lines = [&*format!("! {failed} | {said}"), "+ git status", &format!("+ {next}")];
            let (text, repair) = taught(&lines).remove(0);
            assert_eq!(repair, format!("Use `{one}` here, not `{other}`"), "{lines:?}");
            assert!(text.starts_with(&format!("`{other}")), "{lines:?}: {text}");
        }
    }

    #[test]
    fn what_shows_no_other_form_teaches_nothing() {
        let table: &[&[&str]] = &[
            // The wrong folder.
            &["! npm test | npm error Missing script: \"test\"", "+ cd web && npm test"],
            // The code was wrong.
            &["! pytest tests/a.py | 1 failed, 3 passed", "+ uv run pytest tests/a.py"],
            &["! pytest | ModuleNotFoundError: No module named 'x'", "~ x", "+ python -m pytest"],
            // Nothing repaired it, or nothing that a command tells.
            &["! npm test | npm error Missing script: \"test\""],
            &[
                "! npm test | npm error Missing script: \"test\"",
                "+ npm ci",
                "+ npm test",
                "+ pnpm test",
            ],
            // Another thing was done, or the same to something else.
            &["! npm run lint | npm error Missing script: \"lint\"", "+ npm run build"],
            &["! pytest tests/a.py | pytest: command not found", "+ uv run pytest tests/b.py"],
            // Code in an argument is another command each time.
            &["! python3 -c 'import x' | ModuleNotFoundError: No module named 'x'", "+ python3 a"],
            // A download is no advice.
            &["! npx eslint | sh: eslint: command not found", "+ sudo npx eslint"],
            // Over by itself.
            &["! npm ci | npm error network timed out", "+ npm ci --prefer-offline"],
        ];
        for lines in table {
            assert_eq!(taught(lines), [], "{lines:?}");
        }
    }

    #[test]
    fn a_failure_is_known_by_its_command_and_its_error() {
        let key = |line: &str, output: &str| key_of(line, output);
        let missing = "npm error Missing script: \"test\"";
        assert!(key("npm test", missing).is_some());
        assert_eq!(key("npm test", missing), key("cd web && npm test -- --ci", missing));
        assert_ne!(key("npm test", missing), key("npm run test2", missing));
        assert_eq!(key("python3 -c 'import x'", "No module named 'x'"), None);
        assert_eq!(key("pytest", "1 failed, 2 passed"), None);
    }
}
