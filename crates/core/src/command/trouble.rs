//! Of what class is the error of a failed command, and which line of its output says it
//! best?

use super::printed::{exit_line, folded, parts};
use crate::episode::{ErrorClass, StepError};
use crate::gate::first_chars;
use crate::list;

/// Signs of each class, most telling first: a timeout of a test is a timeout.
const SIGNS: &[(ErrorClass, &[&str])] = &[
    (ErrorClass::Timeout, list!("error_signs.txt", "timeout")),
    (ErrorClass::Permission, list!("error_signs.txt", "permission")),
    (ErrorClass::Network, list!("error_signs.txt", "network")),
    (ErrorClass::Import, list!("error_signs.txt", "import")),
    (ErrorClass::Syntax, list!("error_signs.txt", "syntax")),
    (ErrorClass::Type, list!("error_signs.txt", "type")),
    (ErrorClass::Test, list!("error_signs.txt", "test")),
    (ErrorClass::Build, list!("error_signs.txt", "build")),
    (ErrorClass::Tool, list!("error_signs.txt", "tool")),
    (ErrorClass::Runtime, list!("error_signs.txt", "runtime")),
    (ErrorClass::Logic, list!("error_signs.txt", "logic")),
];

const TELLING: &[&str] = list!("output.txt", "telling");
const MISUSE: &[&str] = list!("output.txt", "misuse");

/// Longest line that is kept of an error, in characters.
const MAX_LINE_CHARS: usize = 180;

/// How many lines at the end of an output tell why it ended.
const N_LAST: usize = 12;

/// Fewest letters of a line that says anything.
const MIN_LETTERS: usize = 6;

/// The error of a failed step: its class and its best line. `None` if it printed nothing.
pub fn trouble(output: &str) -> Option<StepError> {
    let line = telling_line(output)?;
    Some(StepError { class: classify(output), line })
}

/// What sort of trouble it is, by what the output says. The class whose sign stands in
/// the most telling place wins; none if no sign is known.
pub fn classify(output: &str) -> Option<ErrorClass> {
    let lower: Vec<String> = parts(output).map(folded).collect();
    let has =
        |signs: &[&str]| signs.iter().any(|sign| lower.iter().any(|part| part.contains(sign)));
    let by_sign = SIGNS.iter().find(|(_, signs)| has(signs)).map(|(class, _)| *class);
    let has_failures = || lower.iter().flat_map(|part| part.lines()).any(counts_failures);
    by_sign.or_else(|| has_failures().then_some(ErrorClass::Test))
}

/// `3 passed, 1 failed`.
fn counts_failures(line: &str) -> bool {
    let words: Vec<&str> = line.split([' ', ',', ';', '=']).collect();
    let is_count = |word: &str| word.parse::<u32>().is_ok_and(|n| n > 0);
    words.windows(2).any(|pair| is_count(pair[0]) && pair[1] == "failed")
}

/// The class of an error; where it has none, its line may still show that the command was
/// called wrongly.
pub fn class_of(error: &StepError) -> Option<ErrorClass> {
    error.class.or_else(|| says(&error.line, MISUSE).then_some(ErrorClass::Tool))
}

/// Whether an error of this class is about how a command was called, or what was missing around
/// it, and neither about the code nor over by itself.
pub fn is_outside(class: ErrorClass) -> bool {
    matches!(class, ErrorClass::Tool | ErrorClass::Import | ErrorClass::Permission)
}

/// Whether an output ends with an error of the call or its surroundings.
pub fn shows_misuse(output: &str) -> bool {
    let lines: Vec<&str> = lines(output).collect();
    let last = lines.iter().rev().take(N_LAST).filter(|line| says(line, TELLING));
    last.into_iter().any(|line| trouble(line).as_ref().and_then(class_of).is_some_and(is_outside))
}

/// The line that says best what went wrong: the last one with a sign of trouble, else the
/// last that says anything but an exit status.
pub fn telling_line(output: &str) -> Option<String> {
    let lines: Vec<&str> = lines(output).collect();
    let telling = lines.iter().rfind(|line| says(line, TELLING));
    let telling = telling.or_else(|| lines.iter().rfind(|line| exit_line(line).is_none()));
    telling.or(lines.last()).map(|line| first_chars(line, MAX_LINE_CHARS).to_owned())
}

/// All lines that tell what went wrong, in order; where none has a sign of trouble, all
/// that say anything.
pub fn telling_lines(output: &str) -> Vec<&str> {
    let n_letters = |line: &str| line.chars().filter(|c| c.is_alphabetic()).count();
    let has_words = |line: &&str| n_letters(line) >= MIN_LETTERS && exit_line(line).is_none();
    let all: Vec<&str> = lines(output).filter(has_words).collect();
    let telling: Vec<&str> = all.iter().copied().filter(|line| says(line, TELLING)).collect();
    if telling.is_empty() { all } else { telling }
}

fn lines(output: &str) -> impl Iterator<Item = &str> {
    parts(output).flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty())
}

fn says(line: &str, marks: &[&str]) -> bool {
    let lower = folded(line);
    marks.iter().any(|mark| lower.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_a_class() {
        let table = [
            ("error[E0308]: mismatched types", Some(ErrorClass::Type)),
            ("ModuleNotFoundError: No module named 'requests'", Some(ErrorClass::Import)),
            ("SyntaxError: Unexpected token '}'", Some(ErrorClass::Syntax)),
            ("thread 'main' panicked at src/main.rs:3", Some(ErrorClass::Runtime)),
            ("test result: FAILED. 3 passed; 1 failed", Some(ErrorClass::Test)),
            ("error: could not compile `shop`", Some(ErrorClass::Build)),
            ("Command timed out after 120s running tests", Some(ErrorClass::Timeout)),
            ("bash: frobnicate: command not found", Some(ErrorClass::Tool)),
            ("cp: cannot create 'x': Permission denied", Some(ErrorClass::Permission)),
            ("curl: (7) connection refused", Some(ErrorClass::Network)),
            ("HTTP 429: slow down", Some(ErrorClass::Permission)),
            ("error: API rate limit exceeded for user", Some(ErrorClass::Permission)),
            ("429 Too Many Requests", Some(ErrorClass::Permission)),
            ("wrong result: 3 instead of 4", Some(ErrorClass::Logic)),
            ("3 passed, 1 failed", Some(ErrorClass::Test)),
            ("3 passed, 0 failed", None),
            ("something odd", None),
            ("", None),
        ];
        for (output, class) in table {
            assert_eq!(classify(output), class, "{output}");
        }
    }

    #[test]
    fn a_line_may_show_that_a_command_was_called_wrongly() {
        let kept = |class, line: &str| class_of(&StepError { class, line: line.to_owned() });
        assert_eq!(kept(None, "npm ERR! Missing script: lint"), Some(ErrorClass::Tool));
        assert_eq!(kept(Some(ErrorClass::Test), "unknown test"), Some(ErrorClass::Test));
        assert_eq!(kept(None, "something odd"), None);
    }

    #[test]
    fn the_telling_line_is_kept() {
        let output = "running\nerror: no such table: users\nnote: try again\n\n";
        assert_eq!(telling_line(output).as_deref(), Some("error: no such table: users"));
        assert_eq!(telling_line("one\ntwo\n").as_deref(), Some("two"));
        assert_eq!(telling_line("fine so far\nexit status 1").as_deref(), Some("fine so far"));
        assert_eq!(telling_line("exit status 1").as_deref(), Some("exit status 1"));
        assert_eq!(telling_line("\n \n"), None);
        assert_eq!(telling_line(&"ä".repeat(500)).map(|line| line.chars().count()), Some(180));
    }

    #[test]
    fn all_lines_that_tell_are_found() {
        let output = "Exit code 101\n  Compiling shop\nerror: bad name\nok so far\nnot found: x\n";
        assert_eq!(telling_lines(output), ["error: bad name", "not found: x"]);
        assert_eq!(telling_lines("exit status 1\nnothing more\n  ab\n"), ["nothing more"]);
        assert_eq!(telling_lines("Exit code 1\n"), [""; 0]);
    }
}
