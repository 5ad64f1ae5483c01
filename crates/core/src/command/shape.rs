//! Which command is it, apart from what changes from run to run? And what sort of command:
//! one that only looks, one that tests, one that checks?

use super::shell::{self, Operator, Token};
use crate::list;

/// What replaces a number, a temporary path and a free text in a command's shape.
const NUMBER: &str = "N";
const TEMPORARY: &str = "TMP";
const FREE_TEXT: &str = "TEXT";

// The file says what each list decides.
const TEMPORARY_ROOTS: &[&str] = list!("programs.txt", "temporary roots");
const SHORTENING: &[&str] = list!("programs.txt", "shortening");
const LOOKING: &[&str] = list!("programs.txt", "looking");
const GIT_LOOKING: &[&str] = list!("programs.txt", "looking with git");
const HANDLING: &[&str] = list!("programs.txt", "handling");
const RUNNERS: &[&str] = list!("programs.txt", "runners");
const TESTING: &[&str] = list!("programs.txt", "testing");
const CHECKING: &[&str] = list!("programs.txt", "checking");

/// A command without what surrounds it: the folder it was run in, its time limit, and
/// what only shortened its output.
///
/// ```
/// use hardwon_core::command::shape::core;
///
/// assert_eq!(core("cd /home/u/shop && timeout 300 make test 2>&1 | tail -5"), "make test");
/// ```
pub fn core(action: &str) -> String {
    let mut tokens = shell::tokens(action);
    while let Some(n) = n_leading(&tokens) {
        tokens.drain(..n);
    }
    while let Some(n) = n_trailing(&tokens) {
        tokens.truncate(tokens.len() - n);
    }
    shell::join(&tokens)
}

/// The shape of a command: the same however its numbers, temporary paths and quoted texts
/// change.
///
/// ```
/// use hardwon_core::command::shape::shape;
///
/// assert_eq!(shape("crawl --depth=3 --log /tmp/x1"), "crawl --depth=N --log TMP");
/// ```
pub fn shape(core: &str) -> String {
    let tokens = shell::tokens(core);
    let steady = tokens.iter().enumerate().map(|(n, token)| match n {
        0 => (token, token.text.to_owned()),
        _ => (token, steady_token(token.text)),
    });
    shell::joined(steady)
}

/// How many tokens at the start only say where or how long.
fn n_leading(tokens: &[Token<'_>]) -> Option<usize> {
    let word = |n: usize| tokens.get(n).map_or("", |token| token.text);
    let is_here = |path: &str| path == "." || path.starts_with(['/', '~']) || path.contains(":\\");
    let is_joint =
        |token: &Token<'_>| matches!(token.operator(), Some(Operator::And | Operator::Then));
    match word(0) {
        "cd" if is_here(word(1).trim_matches(['"', '\''])) => {
            tokens.get(2).is_some_and(is_joint).then_some(3)
        }
        "time" | "timeout" => {
            let words: Vec<&str> = tokens.iter().map(|token| token.text).collect();
            shell::wrapper_length(&words)
        }
        _ => None,
    }
}

fn ends_command(token: &Token<'_>) -> bool {
    matches!(token.operator(), Some(Operator::And | Operator::Or | Operator::Then))
}

/// How many tokens at the end only shorten the output.
fn n_trailing(tokens: &[Token<'_>]) -> Option<usize> {
    let last = tokens.last().filter(|_| tokens.len() > 1)?;
    let is_open = ends_command(last) && last.operator() != Some(Operator::Or);
    if is_open || matches!(last.text, "2>&1" | "2>/dev/null") {
        return Some(1);
    }
    let is_pipe = |token: &Token<'_>| token.operator() == Some(Operator::Pipe);
    let pipe = tokens.iter().rposition(is_pipe)?;
    let is_short = tokens.get(pipe + 1).is_some_and(|token| SHORTENING.contains(&token.text));
    let is_last = !tokens[pipe..].iter().any(ends_command);
    (is_short && is_last && pipe > 0).then_some(tokens.len() - pipe)
}

fn steady_token(token: &str) -> String {
    let lower = token.to_lowercase();
    let bare = lower.trim_start_matches(['"', '\'']);
    if TEMPORARY_ROOTS.iter().any(|root| bare.starts_with(root)) {
        return TEMPORARY.to_owned();
    }
    if token.contains(['"', '\'']) && token.contains(char::is_whitespace) {
        return FREE_TEXT.to_owned();
    }
    steady(token)
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
///
/// ```
/// use hardwon_core::command::shape::sort;
///
/// assert!(sort("CI=1 npx vitest run").is_test);
/// assert!(sort("git status").is_look);
/// ```
pub fn sort(shape: &str) -> Sort {
    let tokens = shell::tokens(shape);
    let words = from_program(shape, &tokens);
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
    let words = from_program(shape, &tokens);
    let place = place_of(&shell::name(words.first()?), &words, TESTING)?;
    let n_before = tokens.len() - words.len();
    Some(shell::join(&tokens[..=n_before + place]))
}

/// All that stands from the program on.
fn from_program<'a>(shape: &str, tokens: &[Token<'a>]) -> Vec<&'a str> {
    let place = shell::program_place(shape, tokens);
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
    fn what_surrounds_a_command_is_left_out() {
        let table = [
            ("make test", "make test"),
            ("cd /home/u/shop && make test", "make test"),
            ("cd web && npm test", "cd web && npm test"),
            ("timeout 300 cargo test 2>&1 | tail -20", "cargo test"),
            ("cd . && time make 2>/dev/null", "make"),
            ("make | tee log", "make | tee log"),
            ("make | tail -5 && ls", "make | tail -5 && ls"),
            ("  make   test ", "make test"),
            ("cd", "cd"),
            ("| tail", "| tail"),
            ("", ""),
        ];
        for (action, expected) in table {
            assert_eq!(core(action), expected, "{action}");
        }
    }

    #[test]
    fn what_changes_from_run_to_run_is_not_part_of_the_shape() {
        let table = [
            ("pytest -n 4 --timeout=30", "pytest -n N --timeout=N"),
            ("pytest tests/test_a1.py", "pytest tests/test_a1.py"),
            ("python3 /tmp/x81/run.py", "python3 TMP"),
            ("git commit -m \"fix the total\"", "git commit -m TEXT"),
            ("npm run e2e", "npm run e2e"),
            ("sleep 30s", "sleep Ns"),
            ("head -5 a", "head -N a"),
            ("python-3 x", "python-3 x"),
            ("7z x", "7z x"),
            ("echo \"unclosed text", "echo TEXT"),
            ("größe 5ä 5", "größe 5ä N"),
            ("", ""),
        ];
        for (core, expected) in table {
            assert_eq!(shape(core), expected, "{core}");
        }
    }

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
