//! Which lines of a failed command's output say what went wrong, in the form in which they are
//! compared with what is known?

use super::trouble;
use crate::gate::first_chars;

/// How many lines of an output are looked at.
const N_LINES: usize = 4;
/// More of a line says nothing new.
const MAX_LINE_CHARS: usize = 300;

/// Most of a command that is put before it.
const MAX_COMMAND_CHARS: usize = 120;

/// A line that says what went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureLine {
    pub line: String,
    /// The same with the command it belongs to, or without.
    pub with_command: String,
}

/// The lines that say what went wrong: the first and the last of them, and the first with
/// the command it belongs to.
pub fn failure_lines(error: &str, command: Option<&str>) -> Vec<FailureLine> {
    let telling = trouble::telling_lines(error);
    let cut = |line: &str| first_chars(line, MAX_LINE_CHARS).to_owned();
    let first = telling.iter().take(N_LINES / 2);
    let last = telling.iter().skip(N_LINES / 2).rev().take(N_LINES / 2);
    let bare = |line: &&str| FailureLine { line: cut(line), with_command: cut(line) };
    let mut kept: Vec<FailureLine> = first.chain(last).map(bare).collect();
    let with_command = kept.first().zip(command).map(|(first, command)| {
        let command = first_chars(command, MAX_COMMAND_CHARS);
        FailureLine { with_command: format!("{command}: {}", first.line), ..first.clone() }
    });
    kept.extend(with_command);
    kept
}

/// All of these lines as one text.
pub fn joined(lines: &[FailureLine]) -> String {
    lines.iter().map(|line| line.with_command.as_str()).collect::<Vec<_>>().join("\n")
}

/// The code of a compiler's error: `E0425` of `error[E0425]: cannot find value`.
pub fn error_code(line: &str) -> Option<&str> {
    let code = line.split_once("error[")?.1.split_once(']')?.0;
    let digits = code.strip_prefix('E')?;
    (digits.len() == 4 && digits.chars().all(|c| c.is_ascii_digit())).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_tell_are_found() {
        let output = "Exit code 101\n   Compiling demo v0.1.0\nwarning: unused import\n\
             error[E0425]: cannot find value `x` in this scope\n  --> src/a.rs:1:2\n\
             error: could not compile `demo`\n";
        let lines = failure_lines(output, Some("cargo test"));
        assert_eq!(lines[0].with_command, "error[E0425]: cannot find value `x` in this scope");
        assert_eq!(lines[1].with_command, "error: could not compile `demo`");
        assert!(lines[2].with_command.starts_with("cargo test: error[E0425]"), "{lines:?}");
        assert_eq!(lines[2].line, lines[0].line);
        assert_eq!(failure_lines("Exit code 1\n", Some("false")), []);
        let long = format!("{}\nfatal: the end is here", "ä noise\n".repeat(100_000));
        assert_eq!(joined(&failure_lines(&long, None)), "fatal: the end is here");
    }

    #[test]
    fn codes_of_errors_are_found() {
        assert_eq!(error_code("error[E0425]: cannot find value"), Some("E0425"));
        for line in ["error: no code", "error[internal]: no", "error[E04]: short", "error[E0425"] {
            assert_eq!(error_code(line), None, "{line}");
        }
    }
}
