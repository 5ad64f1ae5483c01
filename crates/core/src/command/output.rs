//! What did a command print, and how did it end? Decided here for readers, reflection,
//! recall and hooks, whatever their records call it. Of what sort the trouble is:
//! `trouble`.

use super::printed::{exit_status, folded, parts};
use super::trouble::classify;
use crate::episode::StepKind;
use crate::list;

const REFUSED: &[&str] = list!("output.txt", "refused");
const INTERRUPTED: &[&str] = list!("output.txt", "interrupted");
const OPENING: &[&str] = list!("output.txt", "opening");
const OPENING_OF_LOOK: &[&str] = list!("output.txt", "opening of a look");
const FIRM: &[&str] = list!("output.txt", "firm");
const FIRM_END: &[&str] = list!("output.txt", "firm end");
const LIKELY: &[&str] = list!("output.txt", "likely");
const LIKELY_WITHIN: &[&str] = list!("output.txt", "likely within");

/// How much of its start an output shows what it is by, in bytes.
const MAX_OPENING: usize = 80;

/// What a shell ends with when its command was stopped from the keyboard.
const STOPPED_STATUS: i64 = 130;

/// How a call of a tool ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    Ok,
    Failed,
    /// It was not permitted to run.
    Refused,
    /// It was stopped on the way.
    Interrupted,
    #[default]
    Unknown,
}

impl End {
    /// Whether it went well. A refusal says nothing about the command.
    pub fn is_ok(self) -> Option<bool> {
        match self {
            End::Ok => Some(true),
            End::Failed => Some(false),
            End::Refused | End::Interrupted | End::Unknown => None,
        }
    }
}

/// How surely a line is a sign of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    /// A word such as "error", which outputs of all sorts have.
    Possible,
    /// A form that failing programs print, and that what shows files may show, too.
    Likely,
    /// A form that no other program prints.
    Firm,
}

/// All that is known of a call that ended.
#[derive(Clone, Copy, Debug)]
pub struct CallResult<'a> {
    /// What sort of step it was: only what is run prints as programs do.
    pub kind: StepKind,
    pub exit_status: Option<i64>,
    /// Whether it went well, as the program that ran it states.
    pub is_ok: Option<bool>,
    pub is_interrupted: bool,
    pub output: &'a str,
}

impl Default for CallResult<'_> {
    fn default() -> Self {
        CallResult {
            kind: StepKind::Command,
            exit_status: None,
            is_ok: None,
            is_interrupted: false,
            output: "",
        }
    }
}

/// How a call ended. The exit status counts before what is stated, that before what the
/// output shows; but what was stopped has not failed.
pub fn ending(result: &CallResult<'_>) -> End {
    let is_well = result.exit_status.map(|status| status == 0).or(result.is_ok) == Some(true);
    let stopped = result.is_interrupted.then_some(End::Interrupted);
    let stopped = stopped.or_else(|| stop(result.output).filter(|_| !is_well));
    stopped.unwrap_or_else(|| match (result.exit_status, result.is_ok) {
        (Some(status), _) => by_status(status),
        (None, Some(true)) => End::Ok,
        (None, Some(false)) => End::Failed,
        (None, None) => by_output(result.kind, result.output),
    })
}

/// Whether a text names an exit status of a failure. Bare output fails as well by a line that
/// programs print when they fail; what merely has the word in it, such as the output of a
/// search, does not.
pub fn shows_failure(output: &str, is_bare: bool) -> bool {
    let by_sign = || is_bare && strongest_sign(output) >= Some(Strength::Likely);
    let by_status = || exit_status(output).map(|status| by_status(status) == End::Failed);
    stop(output).is_none() && by_status().unwrap_or_else(by_sign)
}

fn by_status(status: i64) -> End {
    match status {
        0 => End::Ok,
        STOPPED_STATUS => End::Interrupted,
        _ => End::Failed,
    }
}

/// What the output of a call shows, where nothing else states how it ended. A sign that is
/// not certain leaves it open.
fn by_output(kind: StepKind, output: &str) -> End {
    if let Some(status) = exit_status(output) {
        return by_status(status);
    }
    let sign = match kind {
        StepKind::Command | StepKind::Test => strongest_sign(output),
        _ => {
            let is_open = opens_with(output, OPENING) || opens_with(output, OPENING_OF_LOOK);
            is_open.then_some(Strength::Firm)
        }
    };
    match sign {
        Some(Strength::Firm) => End::Failed,
        Some(Strength::Likely | Strength::Possible) => End::Unknown,
        None => End::Ok,
    }
}

/// Whether the user refused or stopped it, in the words of the hosts.
fn stop(output: &str) -> Option<End> {
    parts(output).map(folded).find_map(|lower| {
        let has = |signs: &[&str]| signs.iter().any(|sign| lower.contains(sign));
        let is_denied = lower.contains("has been denied") && lower.contains("permission to use");
        if is_denied || has(REFUSED) {
            return Some(End::Refused);
        }
        has(INTERRUPTED).then_some(End::Interrupted)
    })
}

/// The strongest sign of a failure that an output has.
fn strongest_sign(output: &str) -> Option<Strength> {
    let lines = || parts(output).flat_map(str::lines);
    let strongest = lines().filter_map(sign_of_line).max();
    let is_possible = || {
        let has_word = |part: String| ["error", "fail"].iter().any(|word| part.contains(word));
        parts(output).map(folded).any(has_word) || classify(output).is_some()
    };
    match strongest {
        _ if opens_with(output, OPENING) => Some(Strength::Firm),
        Some(sign) => Some(sign),
        None => is_possible().then_some(Strength::Possible),
    }
}

fn sign_of_line(line: &str) -> Option<Strength> {
    let line = folded(line.trim());
    let begins = |signs: &[&str]| signs.iter().any(|sign| line.starts_with(sign));
    if begins(FIRM) || FIRM_END.iter().any(|sign| line.ends_with(sign)) {
        return Some(Strength::Firm);
    }
    let is_within = LIKELY_WITHIN.iter().any(|sign| line.contains(sign));
    (begins(LIKELY) || is_within || is_thrown(&line)).then_some(Strength::Likely)
}

/// `ValueError: no`, `java.lang.IllegalStateException: closed`.
fn is_thrown(lower: &str) -> bool {
    let Some((name, _)) = lower.split_once(':') else { return false };
    let is_word = !name.contains(char::is_whitespace);
    is_word && (name.ends_with("error") || name.ends_with("exception"))
}

fn opens_with(output: &str, signs: &[&str]) -> bool {
    let start = output.trim_start();
    let start = folded(&start[..start.floor_char_boundary(MAX_OPENING)]);
    signs.iter().any(|sign| start.starts_with(sign))
}

/// Whether a word for a result is a good one.
pub fn is_good_word(word: &str) -> Option<bool> {
    let word = word.trim().to_ascii_lowercase();
    let is_in = |list: &[&str]| list.contains(&word.as_str());
    if is_in(list!("output.txt", "good words")) {
        return Some(true);
    }
    is_in(list!("output.txt", "bad words")).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(kind: StepKind, output: &str) -> End {
        ending(&CallResult { kind, output, ..CallResult::default() })
    }

    #[test]
    fn an_output_shows_how_it_ended() {
        let table = [
            ("3 passed", End::Ok),
            ("", End::Ok),
            ("error: no such table", End::Failed),
            ("<tool_use_error>File not found", End::Failed),
            ("a\n  fatal: bad object\n", End::Failed),
            ("sh: 1: frob: command not found", End::Failed),
            ("Command timed out after 5 s", End::Failed),
            ("npm ERR! Missing script: lint", End::Failed),
            ("ok\nerror: one of the lines", End::Unknown),
            ("thread 'main' panicked at src/a.rs", End::Unknown),
            ("java.lang.IllegalStateException: closed", End::Unknown),
            ("cp: x: Permission denied", End::Unknown),
            ("a: error", End::Unknown),
            ("docs/errors.md: errors: 7", End::Unknown),
            ("request timed out", End::Unknown),
            ("test result: ok. 3 passed; 0 failed", End::Unknown),
            ("error: x\nexit status 0", End::Ok),
            ("Exit code: 2\nall is well", End::Failed),
            ("[exit 130]", End::Interrupted),
            ("The user doesn’t want to proceed with it", End::Refused),
            ("[Request interrupted by user]", End::Interrupted),
        ];
        for (output, end) in table {
            assert_eq!(shown(StepKind::Command, output), end, "{output}");
        }
    }

    #[test]
    fn bare_output_fails_by_a_line_that_programs_print() {
        for (output, by_text, by_output) in [
            ("Exit code: 2\nall is well", true, true),
            ("cp: x: Permission denied", false, true),
            ("a: error", false, false),
            ("error: x\nexit status 0", false, false),
            ("The user doesn’t want to proceed with it", false, false),
        ] {
            let shown = (shows_failure(output, false), shows_failure(output, true));
            assert_eq!(shown, (by_text, by_output), "{output}");
        }
    }

    #[test]
    fn a_look_fails_by_its_first_words() {
        let table = [
            ("fn main() {}\nerror: in a file", End::Ok),
            ("No such file: a.rs", End::Failed),
            ("Error reading a.rs", End::Failed),
            ("Error: a.rs", End::Failed),
            ("Errors are values", End::Ok),
        ];
        for (output, end) in table {
            assert_eq!(shown(StepKind::Look, output), end, "{output}");
        }
    }

    #[test]
    fn what_is_stated_counts_before_what_is_shown() {
        let result = |exit_status, is_ok, output| {
            ending(&CallResult { exit_status, is_ok, output, ..CallResult::default() })
        };
        let table = [
            (Some(0), Some(false), "error: x", End::Ok),
            (Some(1), Some(true), "fine", End::Failed),
            (None, Some(true), "error: x", End::Ok),
            (None, Some(false), "fine", End::Failed),
            (None, Some(false), "User rejected it", End::Refused),
            (None, Some(true), "grep: user rejected", End::Ok),
            (Some(1), None, "Permission to use Bash has been denied.", End::Refused),
        ];
        for (status, is_ok, output, end) in table {
            assert_eq!(result(status, is_ok, output), end, "{output}");
        }
        let stopped = CallResult { is_interrupted: true, ..CallResult::default() };
        assert_eq!(ending(&stopped), End::Interrupted);
    }

    #[test]
    fn a_long_output_is_read_from_both_ends() {
        let long = format!("{}\nfatal: the end", "ä noise\n".repeat(100_000));
        assert_eq!(shown(StepKind::Command, &long), End::Failed);
        assert!(parts(&long).map(str::len).sum::<usize>() <= 128 << 10);
    }
}
