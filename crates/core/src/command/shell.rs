//! How is a shell command line split? Quotes, operators, assignments, redirections
//! and wrappers such as `sudo` or `timeout` are known here and nowhere else.
//!
//! Nothing is run or expanded, and no line is an error: a quote that never closes runs to
//! the end, and a line that is not shell code is split at its blanks. Texts are slices of
//! the line as it was typed.

mod lexer;

pub use lexer::{Operator, Token, TokenKind, tokens};

use crate::list;

/// Programs that only run another one; the file says how its lines are read.
const WRAPPERS: &[&str] = list!("wrappers.txt");

/// Shells that take a command line as an argument.
const SHELLS: &[&str] = list!("programs.txt", "shells");

/// A line of the list of wrappers.
struct Wrapper {
    /// How many words its name has.
    n_name: usize,
    /// How many words of its own stand before the program.
    n_own: usize,
    flags: Vec<&'static str>,
}

impl Wrapper {
    /// The wrapper that a command begins with.
    fn of(words: &[&str]) -> Option<Wrapper> {
        let first = name(words.first()?);
        let known = WRAPPERS.iter().filter(|line| line.starts_with(&first));
        let mut known = known.filter_map(|line| {
            let mut parts = line.split(' ');
            let (names, n_own) = (parts.next()?, parts.next()?.parse().ok()?);
            let mut names = names.split('+');
            let is_first = names.next() == Some(first.as_str());
            let rest: Vec<&str> = names.collect();
            let is_it = is_first && words[1..].starts_with(&rest);
            is_it.then(|| Wrapper { n_name: 1 + rest.len(), n_own, flags: parts.collect() })
        });
        known.next()
    }

    /// Whether with this flag it does something else than run a program.
    fn is_other(&self, word: &str) -> bool {
        self.flags.iter().any(|flag| flag.strip_prefix('!') == Some(word))
    }
}

/// How many words a wrapper at the beginning takes up, its flags and own arguments among
/// them; `None` if it is not a wrapper, or has nothing to run.
pub fn wrapper_length(words: &[&str]) -> Option<usize> {
    let wrapper = Wrapper::of(words)?;
    let mut at = wrapper.n_name;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        if wrapper.is_other(word) {
            return None;
        }
        at += 1 + usize::from(wrapper.flags.contains(word));
        if *word == "--" {
            break;
        }
    }
    at += wrapper.n_own;
    (at < words.len()).then_some(at)
}

/// Where the program stands that a line is about, or the number of tokens: what only goes to a
/// folder, sets a variable or runs another program is passed over, as `cd web && npm test` is
/// about `npm test`.
pub fn program_place(tokens: &[Token<'_>]) -> usize {
    let texts: Vec<&str> = tokens.iter().map(|token| token.text).collect();
    let mut at = 0;
    while at < tokens.len() {
        let n_words = tokens[at..].iter().take_while(|token| token.operator().is_none()).count();
        let (words, rest) = texts[at..].split_at(n_words);
        at += match words {
            [] => 1,
            ["cd", ..] if rest.len() > 1 => n_words + 1,
            [first, ..] if is_assignment(first) => 1,
            words => match wrapper_length(words) {
                Some(n) => n,
                None => return at,
            },
        };
    }
    at
}

/// The program that a line is about, without its folder and in lower case, or "".
pub fn program(line: &str) -> String {
    let tokens = tokens(line);
    tokens.get(program_place(&tokens)).map_or(String::new(), |token| name(token.text))
}

/// The line again, with single blanks where any stood.
pub fn join(tokens: &[Token<'_>]) -> String {
    joined(tokens.iter().map(|token| (token, token.text)))
}

/// The same with other texts in the tokens' places.
pub fn joined<'t, 'a: 't>(parts: impl Iterator<Item = (&'t Token<'a>, impl AsRef<str>)>) -> String {
    let mut line = String::new();
    for (token, text) in parts {
        let is_break = token.text == "\n";
        if token.is_apart && !line.is_empty() && !is_break {
            line.push(' ');
        }
        line.push_str(if is_break { ";" } else { text.as_ref() });
    }
    line
}

/// A word without its folder, its quotes and its case: `/usr/bin/Make` is `make`.
pub fn name(word: &str) -> String {
    let bare = word.trim_matches(['"', '\'']);
    bare.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase()
}

/// Whether a word is `NAME=value`.
pub fn is_assignment(word: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(is_name) && !name.starts_with(|c: char| c.is_numeric())
    })
}

/// Whether what a line prints at last, or how it ends, is not the word of what it is about:
/// `make test | tail -5`, `make test; echo done`, `make test || true`.
pub fn hides_status(line: &str) -> bool {
    use Operator::*;
    let tokens = tokens(line);
    let behind = tokens.get(program_place(&tokens)..).unwrap_or_default();
    let mut joints = behind.split_last().map_or(&[][..], |(_, behind)| behind).iter();
    joints.any(|token| matches!(token.operator(), Some(Pipe | Or | Then)))
}

/// The line of a command in parts: of `["bash", "-lc", "make test"]` what the shell runs, of
/// others all parts.
pub fn from_parts(parts: &[&str]) -> String {
    match parts {
        [shell, flag, line] if runs_line(shell, flag) => (*line).to_owned(),
        parts => parts.join(" "),
    }
}

/// Whether a shell is told to run a line: `bash -lc`.
pub fn runs_line(shell: &str, flag: &str) -> bool {
    SHELLS.contains(&name(shell).as_str()) && flag.starts_with('-') && flag.ends_with('c')
}

/// Every word that a reader could take for a program or an argument, also inside quotes
/// and brackets. For rules of safety, which a quote must not mislead.
pub fn loose_words(line: &str) -> impl Iterator<Item = &str> {
    let is_between =
        |c: char| c.is_whitespace() || matches!(c, '|' | '&' | ';' | '(' | ')' | '"' | '\'');
    line.split(is_between)
}

/// The first word behind every `|`, also inside quotes; see [`loose_words`].
pub fn loosely_fed(line: &str) -> impl Iterator<Item = String> {
    let first =
        |fed: &str| name(fed.trim_start_matches('&').split_whitespace().next().unwrap_or_default());
    line.split('|').skip(1).map(first)
}

#[cfg(test)]
mod tests;
