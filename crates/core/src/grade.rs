//! How strong is the evidence in a text, whatever it says about itself? Output that was
//! pasted is execution; a place with a line and words from it is a citation; everything
//! else is reasoning, "ran it, works" among it.

use std::collections::BTreeSet;

use crate::event::{FindingStated, VerdictStated};
use crate::finding::Grade;
use crate::lesson::Origin;

/// Words by which a line of output begins.
const BEGINS: &[&str] = &[
    "error:",
    "error[",
    "fatal:",
    "panicked at",
    "thread '",
    "traceback (most recent call last)",
    "test result:",
    "assertion failed",
    "assertionerror",
    "segmentation fault",
    "exit code",
    "exit status",
    "exited with",
    "process exited",
    "command exited",
    "--- fail",
    "npm err!",
    "caused by:",
];

/// What a fence is called when it holds what a terminal showed.
const TERMINALS: &[&str] = &[
    "",
    "console",
    "text",
    "txt",
    "output",
    "log",
    "sh",
    "shell",
    "bash",
    "terminal",
    "shellsession",
];

/// Shortest piece of code that can be looked up.
const MIN_FRAGMENT_CHARS: usize = 4;

/// Whether a channel may grade its own evidence.
fn is_believed(origin: Origin) -> bool {
    match origin {
        Origin::User | Origin::Reviewer | Origin::Import => true,
        Origin::Agent => false,
    }
}

/// A finding with the grade that counts: as stated, or, where the channel is not
/// believed about itself, as the text shows.
pub fn of_finding(stated: &FindingStated, origin: Origin) -> FindingStated {
    let shown = || recognised(&stated.text, stated.path.as_deref(), stated.line);
    let grade = stated.grade.map(|grade| if is_believed(origin) { grade } else { shown() });
    FindingStated { grade, ..stated.clone() }
}

/// The same for a verdict, which has no text that could show anything.
pub fn of_verdict(stated: &VerdictStated, origin: Origin) -> VerdictStated {
    let shown = Grade::Reasoned;
    let grade = stated.grade.map(|grade| if is_believed(origin) { grade } else { shown });
    VerdictStated { grade, ..stated.clone() }
}

/// Detectors all of whose graded verdicts were reasoning.
pub fn reasoned_only(verdicts: &[VerdictStated]) -> BTreeSet<String> {
    let graded = |grade_is: fn(Grade) -> bool| -> BTreeSet<String> {
        let matching = verdicts.iter().filter(|verdict| verdict.grade.is_some_and(grade_is));
        matching.map(|verdict| verdict.author.clone()).collect()
    };
    let reasoned = graded(|grade| grade == Grade::Reasoned);
    let grounded = graded(|grade| grade != Grade::Reasoned);
    reasoned.difference(&grounded).cloned().collect()
}

/// The grade of a finding by its text, and by the place that stands beside it.
pub fn recognised(text: &str, path: Option<&str>, line: Option<u32>) -> Grade {
    let fences = fences(text);
    if fences.iter().any(Fence::is_output) || outside(text).any(is_output_line) {
        return Grade::Executed;
    }
    let has_place = (path.is_some() && line.is_some()) || text.split_whitespace().any(is_place);
    let has_fragment = !fences.is_empty() || quotations(text).any(is_fragment);
    match has_place && has_fragment {
        true => Grade::Cited,
        false => Grade::Reasoned,
    }
}

/// A fenced block.
struct Fence<'a> {
    name: &'a str,
    lines: Vec<&'a str>,
}

impl Fence<'_> {
    fn is_output(&self) -> bool {
        let is_said = self.lines.iter().any(|line| !line.trim().is_empty());
        let is_terminal = TERMINALS.contains(&self.name.to_ascii_lowercase().as_str());
        is_said && (is_terminal || self.lines.iter().any(|line| is_output_line(line)))
    }
}

/// Closed fences only: what is cut off may be anything.
fn fences(text: &str) -> Vec<Fence<'_>> {
    let mut fences = Vec::new();
    let mut open: Option<Fence<'_>> = None;
    for line in text.lines() {
        let mark = line.trim_start().strip_prefix("```");
        match (mark, open.take()) {
            (Some(_), Some(fence)) => fences.push(fence),
            (Some(name), None) => open = Some(Fence { name: name.trim(), lines: Vec::new() }),
            (None, Some(mut fence)) => {
                fence.lines.push(line);
                open = Some(fence);
            }
            (None, None) => {}
        }
    }
    fences
}

/// The lines that are not part of a fence.
fn outside(text: &str) -> impl Iterator<Item = &str> {
    let mut is_inside = false;
    text.lines().filter(move |line| {
        let is_mark = line.trim_start().starts_with("```");
        is_inside ^= is_mark;
        !is_inside && !is_mark
    })
}

/// Whether a line is what a program prints, not what somebody says about it.
fn is_output_line(line: &str) -> bool {
    let line = line.trim().to_ascii_lowercase();
    let is_prompt = line.strip_prefix("$ ").is_some_and(|command| !command.trim().is_empty());
    let is_begun = BEGINS.iter().any(|begin| {
        let rest = line.strip_prefix(begin);
        // `exit code` alone is prose; with a number it is a result.
        rest.is_some_and(|rest| !begin.starts_with("exit") || has_digit(rest))
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

fn has_digit(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_digit())
}

/// `src/api.rs:41`, `api.rs#L41`: a file and a line.
fn is_place(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '_'));
    let split = word.split_once("#L").or_else(|| word.split_once(':'));
    let Some((path, line)) = split else { return false };
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_file = name.split_once('.').is_some() && name.chars().any(char::is_alphabetic);
    let is_folder = path.contains('/') && !path.starts_with("//");
    (is_file || is_folder) && line.starts_with(|c: char| c.is_ascii_digit())
}

/// What stands between backticks or double quotes on one line.
fn quotations(text: &str) -> impl Iterator<Item = &str> {
    let between = |mark: char| {
        text.lines().flat_map(move |line| {
            let n_marks = line.matches(mark).count();
            // Every second piece is inside; the last one only if it was closed.
            line.split(mark).take(n_marks / 2 * 2).skip(1).step_by(2)
        })
    };
    between('`').chain(between('"'))
}

/// Words from the code: not merely the place again.
fn is_fragment(quoted: &str) -> bool {
    quoted.trim().chars().count() >= MIN_FRAGMENT_CHARS && !is_place(quoted.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_by_what_is_there() {
        let cases = [
            ("Ran it, works", Grade::Reasoned),
            ("I ran the tests and they all pass, exit code was fine", Grade::Reasoned),
            ("Ran it, exit code 0", Grade::Reasoned),
            ("The query in src/api.rs is built by concatenation", Grade::Reasoned),
            ("See src/api.rs:41, it concatenates", Grade::Reasoned),
            ("See `src/api.rs:41`, it concatenates", Grade::Reasoned),
            ("`format!(\"{user}\")` is used in src/api.rs", Grade::Reasoned),
            ("src/api.rs:41 has `format!(\"SELECT {user}\")`", Grade::Cited),
            ("api.rs#L41: \"SELECT * FROM users\"", Grade::Cited),
            ("src/api.rs:41\n```rust\nlet q = user;\n```", Grade::Cited),
            ("It fails:\n```\nassertion `left == right` failed\n```", Grade::Executed),
            ("```rust\nlet q = user;\n```", Grade::Reasoned),
            ("```rust\nlet q = user;", Grade::Reasoned),
            ("Seen:\nerror: cannot find value `x` in this scope", Grade::Executed),
            ("exit code: 101", Grade::Executed),
            ("Traceback (most recent call last):\n  File \"a.py\", line 3, in f", Grade::Executed),
            ("boom\n    at run (/app/src/a.js:3:7)", Grade::Executed),
            ("$ cargo test\nrunning 3 tests", Grade::Executed),
            ("Meet at noon, see 12:30 and \"the long note\"", Grade::Reasoned),
            ("Call 127.0.0.1:80 with \"some words\"", Grade::Reasoned),
        ];
        for (text, grade) in cases {
            assert_eq!(recognised(text, None, None), grade, "{text}");
        }
    }

    #[test]
    fn a_place_beside_the_text_counts_with_its_line() {
        let quoted = "Uses `format!(user)` for SQL";
        assert_eq!(recognised(quoted, Some("src/api.rs"), Some(41)), Grade::Cited);
        assert_eq!(recognised(quoted, Some("src/api.rs"), None), Grade::Reasoned);
        assert_eq!(recognised("Builds SQL", Some("src/api.rs"), Some(41)), Grade::Reasoned);
    }
}
