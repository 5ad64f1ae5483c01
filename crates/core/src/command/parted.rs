//! How does a command line come apart into the commands that it runs, each with the folder and
//! the variables it runs in? What only limits time or shortens output is left out; what is run by
//! another shell is looked at like anything else.

use super::shape::{Sort, sort};
use super::shell::{self, Operator, Token, TokenKind};
use crate::list;

/// Wrappers that change nothing about what a command does.
const TRANSPARENT: &[&str] = list!("programs.txt", "transparent");

/// How deep shells in shells are looked into.
const MAX_DEPTH: usize = 3;

/// Most commands of one line that are looked at.
const MAX_PARTS: usize = 12;

/// One command of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parted {
    /// The folder in the project that it was run in, if the line says it.
    pub folder: Option<String>,
    pub assignments: Vec<String>,
    /// Wrappers that matter, the program and its arguments.
    pub words: Vec<String>,
    /// How many of the words are wrappers.
    pub n_wrapping: usize,
    pub sort: Sort,
    /// Whether it was run only if the one before it failed.
    pub is_alternative: bool,
}

impl Parted {
    /// The name of the program, without its folder.
    pub fn program(&self) -> String {
        self.words.get(self.n_wrapping).map_or(String::new(), |word| shell::name(word))
    }

    /// What stands behind the program.
    pub fn arguments(&self) -> &[String] {
        self.words.get(self.n_wrapping + 1..).unwrap_or_default()
    }

    /// The command as it can be typed.
    pub fn text(&self) -> String {
        self.with(&self.words)
    }

    /// The same with other words in the place of its own.
    pub fn with(&self, words: &[String]) -> String {
        let folder = self.folder.iter().map(|folder| format!("cd {folder} &&"));
        let words = self.assignments.iter().chain(words).cloned();
        folder.chain(words).collect::<Vec<_>>().join(" ")
    }
}

/// The commands of a line, in order.
pub fn parted(line: &str) -> Vec<Parted> {
    let mut parts = Vec::new();
    take_apart(line, 0, &mut parts);
    parts.truncate(MAX_PARTS);
    parts
}

fn take_apart(line: &str, depth: usize, parts: &mut Vec<Parted>) {
    // What follows is the text of a document.
    let line = line.find("<<").map_or(line, |at| &line[..at]);
    let tokens = shell::tokens(line);
    let mut folder = None;
    let mut before: Option<Operator> = None;
    for part in tokens.split_inclusive(|token| token.operator().is_some()) {
        let own: Vec<&Token<'_>> = part.iter().filter(|token| token.operator().is_none()).collect();
        let after = part.last().and_then(Token::operator);
        let words = words(&own);
        if let Some(words) = words.filter(|words| !words.is_empty()) {
            let is_filter = before == Some(Operator::Pipe);
            let is_fed = is_filter && parts.last().is_some_and(|fed: &Parted| fed.sort.is_look);
            if words[0] == "cd" {
                folder = folder_of(words.get(1).map(String::as_str)).or(folder);
            } else if !is_filter || is_fed {
                push(words, &folder, before == Some(Operator::Or), depth, parts);
            }
        }
        before = after.or(before);
    }
}

/// The words of one command without redirections; nothing for a comment.
fn words(tokens: &[&Token<'_>]) -> Option<Vec<String>> {
    let mut words = Vec::with_capacity(tokens.len());
    let mut is_target = false;
    for token in tokens {
        let is_word = token.kind == TokenKind::Word && !is_target;
        if is_word && token.text.starts_with('#') {
            break;
        }
        if is_word {
            words.push(token.text.to_owned());
        }
        is_target = token.kind == TokenKind::Redirection { has_target: false };
    }
    (!words.is_empty()).then_some(words)
}

fn folder_of(path: Option<&str>) -> Option<String> {
    let path = path?.trim_matches(['"', '\'']).trim_end_matches('/');
    let path = path.strip_prefix("./").unwrap_or(path);
    let is_inside = !path.is_empty() && !path.starts_with(['/', '~', '$', '-', '.']);
    is_inside.then(|| path.to_owned())
}

fn push(
    mut words: Vec<String>,
    folder: &Option<String>,
    is_alternative: bool,
    depth: usize,
    parts: &mut Vec<Parted>,
) {
    let mut assignments = Vec::new();
    loop {
        let slices: Vec<&str> = words.iter().map(String::as_str).collect();
        if slices.first().is_some_and(|word| shell::is_assignment(word)) {
            assignments.push(words.remove(0));
        } else if slices
            .first()
            .is_some_and(|word| TRANSPARENT.contains(&shell::name(word).as_str()))
            && let Some(n) = shell::wrapper_length(&slices)
        {
            words.drain(..n);
        } else {
            break;
        }
    }
    if let Some(inner) = inner(&words).filter(|_| depth < MAX_DEPTH) {
        let n = parts.len();
        take_apart(&inner, depth + 1, parts);
        for part in &mut parts[n..] {
            part.folder = part.folder.take().or_else(|| folder.clone());
        }
        return;
    }
    let n_wrapping = n_wrapping(&words);
    if words.len() <= n_wrapping {
        return;
    }
    let sort = sort(&words[n_wrapping..].join(" "));
    let folder = folder.clone();
    parts.push(Parted { folder, assignments, words, n_wrapping, sort, is_alternative });
}

/// What a shell is told to run: of `bash -lc "make test"` the text in quotes.
fn inner(words: &[String]) -> Option<String> {
    let [shell, flag, line, ..] = words else { return None };
    shell::runs_line(shell, flag).then(|| line.trim_matches(['"', '\'']).to_owned())
}

fn n_wrapping(words: &[String]) -> usize {
    let slices: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut at = 0;
    while let Some(n) = shell::wrapper_length(&slices[at..]) {
        at += n;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_apart() {
        let texts = |line: &str| parted(line).iter().map(Parted::text).collect::<Vec<_>>();
        let table: &[(&str, &[&str])] = &[
            ("npm test", &["npm test"]),
            (
                "cd web && npm ci && CI=1 npm test 2>&1 | tail -5",
                &["cd web && npm ci", "cd web && CI=1 npm test"],
            ),
            ("timeout 60 nice -n 5 uv run pytest -q", &["uv run pytest -q"]),
            ("bash -lc 'cd api && make seed'", &["cd api && make seed"]),
            ("cd /abs/x && make", &["make"]),
            ("echo 'select 1' | psql shop", &["echo 'select 1'", "psql shop"]),
            ("python - <<'EOF'\nimport x\nEOF", &["python -"]),
            ("make lint || make fmt", &["make lint", "make fmt"]),
            ("# only a comment", &[]),
            ("", &[]),
        ];
        for (line, expected) in table {
            assert_eq!(texts(line), *expected, "{line}");
        }
        assert!(parted("make lint || make fmt")[1].is_alternative);
        let wrapped = &parted("poetry run pytest tests/a.py")[0];
        assert_eq!((wrapped.program().as_str(), wrapped.n_wrapping), ("pytest", 2));
        assert_eq!(wrapped.arguments(), ["tests/a.py"]);
    }
}
