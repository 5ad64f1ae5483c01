//! Which command of a run's trail is it, apart from what changes from run to run?

use crate::command::shape::{ends_command, steady};
use crate::command::shell::{self, Operator, Token};
use crate::list;

/// What replaces a temporary path and a free text in a command's shape.
const TEMPORARY: &str = "TMP";
const FREE_TEXT: &str = "TEXT";

// The file says what each list decides.
const TEMPORARY_ROOTS: &[&str] = list!("programs.txt", "temporary roots");
const SHORTENING: &[&str] = list!("programs.txt", "shortening");

/// A command without what surrounds it: the folder it was run in, its time limit, and
/// what only shortened its output.
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
}
