//! What are the lines of an output? Which of them is its exit status, and is a line what a
//! program printed at all, or a sentence about it?

use crate::list;

// The file says what each list decides.
const BEGINS: &[&str] = list!("output.txt", "printed");
const EXIT: &[&str] = list!("output.txt", "exit");

/// How much of an output is read at its start, and at its end.
const MAX_PART_BYTES: usize = 64 << 10;

/// Longest line that names an exit status, in bytes.
const MAX_EXIT_LINE: usize = 80;

/// Whether a line is what a program or a terminal prints: a prompt with a command, a
/// result, a stack frame. `exit code` alone is prose; with a number it is a result.
///
/// ```
/// use hardwon_core::command::printed::is_printed;
///
/// assert!(is_printed("error[E0308]: mismatched types"));
/// assert!(is_printed("$ cargo test"));
/// assert!(!is_printed("I ran it and the exit code was fine"));
/// ```
pub fn is_printed(line: &str) -> bool {
    let line = line.trim().to_ascii_lowercase();
    let is_prompt = line.strip_prefix("$ ").is_some_and(|command| !command.trim().is_empty());
    let is_digit = |c: char| c.is_ascii_digit();
    let is_begun = BEGINS.iter().any(|begin| {
        let rest = line.strip_prefix(begin);
        rest.is_some_and(|rest| !begin.starts_with("exit") || rest.contains(is_digit))
    });
    is_prompt || is_begun || is_stack_frame(&line)
}

/// `at run (src/a.js:3:7)`, `File "a.py", line 3`.
fn is_stack_frame(line: &str) -> bool {
    let is_python = line.starts_with("file \"") && line.contains("\", line ");
    let is_call = line.strip_prefix("at ").is_some_and(|rest| {
        let place = rest.rsplit(['(', ' ']).next().unwrap_or_default();
        is_place(place.trim_end_matches(')'))
    });
    is_python || is_call
}

/// `src/api.rs:41`, `api.rs#L41`: a file and a line.
pub(crate) fn is_place(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '_'));
    let split = word.split_once("#L").or_else(|| word.split_once(':'));
    let Some((path, line)) = split else { return false };
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_file = name.split_once('.').is_some() && name.chars().any(char::is_alphabetic);
    let is_folder = path.contains('/') && !path.starts_with("//");
    (is_file || is_folder) && line.starts_with(|c: char| c.is_ascii_digit())
}

/// The exit status that the first or last lines of an output name.
pub fn exit_status(output: &str) -> Option<i64> {
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let last = lines().rev().take(4).find_map(exit_line);
    last.or_else(|| lines().take(5).find_map(exit_line))
}

/// The status of a line that says nothing else: `exit status 1`, `[exit 0]`,
/// `Process exited with code 101`.
pub fn exit_line(line: &str) -> Option<i64> {
    if line.len() > MAX_EXIT_LINE {
        return None;
    }
    let is_around = |c: char| " \t[]()<>#.,\"'`".contains(c);
    let (line, is_marked) = (line.trim(), line.trim().starts_with(['[', '(']));
    let line = line.strip_prefix("##[error]").unwrap_or(line);
    let line = line.trim_matches(is_around).to_ascii_lowercase();
    let words = EXIT.iter().find(|words| line.starts_with(**words))?;
    // A bare `exit 1` is a command; in brackets it is a note about one.
    if *words == "exit" && !is_marked {
        return None;
    }
    let rest = line[words.len()..].trim_matches(|c: char| is_around(c) || ":=".contains(c));
    rest.parse().ok()
}

/// A short output whole, of a long one its start and its end.
pub(super) fn parts(output: &str) -> impl Iterator<Item = &str> {
    let (mut start, mut end) = (output.len(), output.len());
    if output.len() > 2 * MAX_PART_BYTES {
        start = output.floor_char_boundary(MAX_PART_BYTES);
        end = output.ceil_char_boundary(output.len() - MAX_PART_BYTES);
    }
    [&output[..start], &output[end..]].into_iter().filter(|part| !part.is_empty())
}

/// In the form in which the lists are written.
pub(super) fn folded(text: &str) -> String {
    text.to_lowercase().replace('\u{2019}', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_lines_hold_nothing_else() {
        let table = [
            ("exit status 1", Some(1)),
            ("[exit 0]", Some(0)),
            ("exit 1", None),
            ("Process exited with code 101.", Some(101)),
            ("##[error]Process completed with exit code 2.", Some(2)),
            ("the exit code 2 means trouble", None),
            ("exit code: -1", Some(-1)),
            ("exit code", None),
            ("[exit code: 137]", Some(137)),
            ("exit status unknown", None),
            ("exit code 1 means failure", None),
            ("", None),
            ("é", None),
        ];
        for (line, status) in table {
            assert_eq!(exit_line(line), status, "{line}");
        }
        let long = format!("exit status 7\n{}", "noise\n".repeat(9));
        assert_eq!(exit_status(&long), Some(7));
        assert_eq!(exit_status(&format!("{}{long}", "noise\n".repeat(9))), None);
    }
}
