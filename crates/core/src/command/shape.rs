//! What sort of command is it: one that only looks, one that tests, one that checks? And which
//! numbers in a text change from run to run?

use super::shell::{self, Operator, Token};
use crate::list;

/// What replaces a number.
const NUMBER: &str = "N";

// The file says what each list decides.
const LOOKING: &[&str] = list!("programs.txt", "looking");
const GIT_LOOKING: &[&str] = list!("programs.txt", "looking with git");
const HANDLING: &[&str] = list!("programs.txt", "handling");
const RUNNERS: &[&str] = list!("programs.txt", "runners");
const TESTING: &[&str] = list!("programs.txt", "testing");
const CHECKING: &[&str] = list!("programs.txt", "checking");

/// Whether a token stands between two commands.
pub(crate) fn ends_command(token: &Token<'_>) -> bool {
    matches!(token.operator(), Some(Operator::And | Operator::Or | Operator::Then))
}

/// A text with every number replaced that is not part of a name: `--jobs=4`, `a.rs:12`
/// and `30s` lose it, `test2.py` and `e2e` do not.
pub fn steady(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, digits) = rest.split_at(start);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (number, after) = digits.split_at(end);
        out.push_str(before);
        let is_inside = out
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/'))
            && !is_option_end(&out);
        let is_number = !is_inside && is_end_of_number(after);
        out.push_str(if is_number { NUMBER } else { number });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// `-5` and ` -5` are numbers; `python-3` is a name.
fn is_option_end(out: &str) -> bool {
    let Some(before) = out.strip_suffix('-') else { return false };
    before.is_empty() || before.ends_with(char::is_whitespace)
}

/// Whether what follows digits leaves them a number: nothing of a name, or a unit.
fn is_end_of_number(after: &str) -> bool {
    let end = after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len());
    matches!(&after[..end], "" | "s" | "ms" | "m" | "h" | "k" | "kb" | "mb" | "gb")
}

/// What a command is for, as far as its words show; it may both test and check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    /// It changes nothing, and that it fails is an answer.
    pub is_look: bool,
    /// It runs tests.
    pub is_test: bool,
    /// It builds, lints or checks types.
    pub is_check: bool,
}

/// What sort of command it is.
pub fn sort(shape: &str) -> Sort {
    let tokens = shell::tokens(shape);
    let words = from_program(&tokens);
    let program = words.first().map_or(String::new(), |word| shell::name(word));
    let is_look = match program.as_str() {
        "git" => words.get(1).is_some_and(|sub| GIT_LOOKING.contains(sub)),
        program => LOOKING.contains(&program) && !tokens.iter().any(ends_command),
    };
    Sort {
        is_look,
        is_test: !is_look && place_of(&program, &words, TESTING).is_some(),
        is_check: !is_look && place_of(&program, &words, CHECKING).is_some(),
    }
}

/// A test command up to the word that says so: what follows selects tests.
pub fn test_stem(shape: &str) -> Option<String> {
    let tokens = shell::tokens(shape);
    let words = from_program(&tokens);
    let place = place_of(&shell::name(words.first()?), &words, TESTING)?;
    let n_before = tokens.len() - words.len();
    Some(shell::join(&tokens[..=n_before + place]))
}

/// All that stands from the program on.
fn from_program<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let place = shell::program_place(tokens);
    tokens[place..].iter().map(|token| token.text).collect()
}

/// Which token of the program says one of these words.
fn place_of(program: &str, words: &[&str], known: &[&str]) -> Option<usize> {
    if HANDLING.contains(&program) {
        return None;
    }
    let is_runner = RUNNERS.contains(&program);
    words.iter().take(5).enumerate().position(|(n, token)| {
        let is_path = token.contains(['/', '.', '\\']);
        let may_be_path = n == 0 || n == 1 && is_runner;
        let name = shell::name(token);
        let is_file_of_it = !is_path || may_be_path;
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        // `make_data` is not make.
        let is_known = |word: &str| known.contains(&word) && (word != "make" || name == word);
        !token.starts_with('-') && is_file_of_it && words.any(is_known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_of_a_sort() {
        let word = |shape: &str| match sort(shape) {
            Sort { is_look: true, .. } => "look",
            Sort { is_test: true, .. } => "test",
            Sort { is_check: true, .. } => "check",
            Sort { .. } => "other",
        };
        let table = [
            ("cargo test", "test"),
            ("python -m pytest tests/a.py", "test"),
            ("./scripts/run_tests.sh", "test"),
            ("bash scripts/test.sh --fast", "test"),
            ("CI=1 npm run test:unit", "test"),
            ("cd web && npm test", "test"),
            ("git add tests/a.py", "other"),
            ("python tests/make_data.py", "other"),
            ("cargo clippy -- -D warnings", "check"),
            ("npx tsc --noEmit", "check"),
            ("make", "check"),
            ("grep test src", "look"),
            ("git diff", "look"),
            ("cat a && make", "check"),
            ("rm -rf build", "other"),
            ("", "other"),
        ];
        for (shape, expected) in table {
            assert_eq!(word(shape), expected, "{shape}");
        }
    }

    #[test]
    fn what_selects_tests_is_not_part_of_the_stem() {
        let table = [
            ("cargo test -p shop total", Some("cargo test")),
            ("python -m pytest tests/a.py -q", Some("python -m pytest")),
            ("CI=1 npm run test:unit -- --watch", Some("CI=1 npm run test:unit")),
            ("cd web && npm test -- -u", Some("cd web && npm test")),
            ("make", None),
        ];
        for (shape, expected) in table {
            assert_eq!(test_stem(shape).as_deref(), expected, "{shape}");
        }
    }
}
