//! How is a shell command line split? Quotes, operators, assignments, redirections
//! and wrappers such as `sudo` or `timeout` are known here and nowhere else.
//!
//! Nothing is run or expanded, and no line is an error: a quote that never closes runs to
//! the end, and a line that is not shell code is split at its blanks. Texts are slices of
//! the line as it was typed.
//!
//! ```
//! use hardwon_core::command::shell::{commands, program, Operator};
//!
//! let line = "CI=1 sudo -u ci npm test 2>&1 | tail -5 && echo 'a && b'";
//! let parts = commands(line);
//! assert_eq!(parts[0].assignments, ["CI=1"]);
//! assert_eq!(parts[0].wrappers, ["sudo"]);
//! assert_eq!(parts[0].words, ["npm", "test"]);
//! assert_eq!(parts[0].redirections, ["2>&1"]);
//! assert_eq!(parts[1].operator, Some(Operator::Pipe));
//! assert_eq!(parts[2].words, ["echo", "'a && b'"]);
//! assert_eq!(program(line), "npm");
//! ```

mod lexer;

pub use lexer::{Operator, Token, TokenKind, tokens};

use crate::list;

/// Programs that only run another one; the file says how its lines are read.
const WRAPPERS: &[&str] = list!("wrappers.txt");

/// Shells that take a command line as an argument.
const SHELLS: &[&str] = list!("programs.txt", "shells");

/// One of the commands of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command<'a> {
    /// What joins it to the one before it; `None` for the first.
    pub operator: Option<Operator>,
    /// `NAME=value`, before the program or behind `env`.
    pub assignments: Vec<&'a str>,
    /// Names of the programs that run it, outermost first.
    pub wrappers: Vec<&'a str>,
    /// The program and its arguments, quotes and all.
    pub words: Vec<&'a str>,
    /// `2>&1`, `>` and its file.
    pub redirections: Vec<&'a str>,
}

impl Command<'_> {
    /// The name of the program, without its folder and in lower case, or "".
    pub fn program(&self) -> String {
        self.words.first().map_or(String::new(), |word| name(word))
    }
}

/// The commands of a line, in order, without their groups: `(a; b)` has two commands.
pub fn commands(line: &str) -> Vec<Command<'_>> {
    let tokens = tokens(line);
    let mut commands = Vec::new();
    let mut operator = None;
    for part in tokens.split_inclusive(|token| token.operator().is_some()) {
        let (own, next) = match part.split_last() {
            Some((last, own)) if last.operator().is_some() => (own, last.operator()),
            _ => (part, None),
        };
        if !own.is_empty() {
            commands.push(Command { operator, ..command(own) });
            operator = None;
        }
        // Of `) && ` the operator counts, not the bracket.
        let is_joint = |operator: Operator| !matches!(operator, Operator::Open | Operator::Close);
        operator = next.filter(|next| is_joint(*next)).or(operator);
    }
    if let Some(first) = commands.first_mut() {
        first.operator = None;
    }
    commands
}

fn command<'a>(tokens: &[Token<'a>]) -> Command<'a> {
    let mut command = Command::default();
    let mut words = Vec::with_capacity(tokens.len());
    let mut is_target = false;
    for token in tokens {
        match token.kind {
            TokenKind::Redirection { .. } => command.redirections.push(token.text),
            TokenKind::Word if is_target => command.redirections.push(token.text),
            TokenKind::Word | TokenKind::Operator(_) => words.push(token.text),
        }
        is_target = token.kind == TokenKind::Redirection { has_target: false };
    }
    let n_before = n_before_program(&words, &mut command);
    command.words = words.split_off(n_before);
    command
}

/// How many words stand before the program: assignments and wrappers with their own
/// arguments.
fn n_before_program<'a>(words: &[&'a str], command: &mut Command<'a>) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if is_assignment(word) {
            command.assignments.push(word);
            at += 1;
        } else if let Some(n) = wrapper_length(&words[at..]) {
            command.wrappers.push(word);
            at += n;
        } else {
            break;
        }
    }
    at
}

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

/// The command that a line is about: the first that does not only go to a folder, as
/// `cd web && npm test` is about `npm test`.
pub fn main_command(line: &str) -> Option<Command<'_>> {
    let mut commands = commands(line);
    let is_way = |command: &Command<'_>| command.words.first() == Some(&"cd");
    let place = commands.iter().position(|command| !is_way(command)).unwrap_or(0);
    (place < commands.len()).then(|| commands.swap_remove(place))
}

/// The program of the main command, without its folder and in lower case, or "".
pub fn program(line: &str) -> String {
    main_command(line).map_or(String::new(), |command| command.program())
}

/// Where the program of the main command stands among the tokens of a line, or their
/// number.
pub fn program_place(line: &str, tokens: &[Token<'_>]) -> usize {
    let words = main_command(line).map(|command| command.words).unwrap_or_default();
    let is_it =
        |token: &Token<'_>| words.first().is_some_and(|word| word.as_ptr() == token.text.as_ptr());
    tokens.iter().position(is_it).unwrap_or(tokens.len())
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
    let commands = commands(line);
    let main = commands.iter().position(|command| command.program() != "cd").unwrap_or(0);
    commands.iter().skip(main + 1).any(|command| {
        use Operator::*;
        match command.operator {
            Some(Pipe | Or | Then) => true,
            Some(And | Open | Close | Background) | None => false,
        }
    })
}

/// The line of a command in parts: of `["bash", "-lc", "make test"]` what the shell runs, of
/// others all parts.
pub fn from_parts(parts: &[&str]) -> String {
    match parts {
        [shell, flag, line]
            if SHELLS.contains(&name(shell).as_str())
                && flag.starts_with('-')
                && flag.ends_with('c') =>
        {
            (*line).to_owned()
        }
        parts => parts.join(" "),
    }
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
