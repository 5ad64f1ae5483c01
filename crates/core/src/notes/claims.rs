//! What does a fact claim that can be looked up? Files, symbols, flags, commands by name,
//! versions, values and dates, each with the sentence in which it stands.

mod date;

use super::wording::sentences;
use crate::command::shell;
use crate::list;

pub use date::{fixed_date, is_past};

/// Something that a fact claims.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// A file or folder of the tree.
    Path(String),
    /// A name in code, without what stands before its last part.
    Symbol(String),
    /// A flag of a command: `--dry-run`.
    Flag(String),
    /// A command that a manifest names: `npm run seed`, `make seed`.
    Script { runner: String, name: String },
    /// `Node 18`.
    Version { of: String, version: String },
    /// "`MAX_RETRIES` is 3".
    Value { name: String, value: String },
    /// `2026-04-03`.
    Date(String),
    /// "yesterday", "last week".
    RelativeDate(String),
}

/// A claim where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    pub claim: Claim,
    /// As it is written.
    pub quote: String,
    pub sentence: String,
    /// Whether its sentence says that it is gone, or not wanted: then it agrees with its absence.
    pub is_denied: bool,
    /// Whether its sentence says how to work in general: that holds whatever becomes of a file.
    pub is_principle: bool,
}

/// Endings by which a bare word is a file.
const ENDINGS: &[&str] = list!("audit.txt", "endings");

/// What runs a script that a manifest names, with `run` where that stands between.
const RUNNERS: &[&str] = list!("audit.txt", "runners");

/// Words before a name that say that it is gone or not wanted.
const DENIES: &[&str] = list!("audit.txt", "denies");

/// Words anywhere in a sentence that say so of what it names.
const GONE: &[&str] = list!("audit.txt", "gone");

/// Words by which a sentence says how to work in general.
const PRINCIPLES: &[&str] = list!("audit.txt", "principles");

/// Everything that a text claims, in order, each once.
pub fn claims(text: &str) -> Vec<Claimed> {
    let mut found: Vec<Claimed> = Vec::new();
    for sentence in sentences(text) {
        let lower = sentence.to_lowercase();
        let is_gone = GONE.iter().any(|sign| lower.contains(sign));
        let is_principle = is_principle(&lower);
        let mut take = |claim: Claim, quote: &str, before: &str| {
            let is_denied = is_gone || is_denied(before);
            let (quote, sentence) = (quote.to_owned(), sentence.to_owned());
            if !found.iter().any(|known| known.claim == claim) {
                found.push(Claimed { claim, quote, sentence, is_denied, is_principle });
            }
        };
        for (at, code) in code_spans(sentence) {
            let before = &sentence[..at];
            for (claim, quote) in in_code(code) {
                take(claim, &quote, before);
            }
            let behind = &sentence[at + code.len()..];
            if let Some(value) = value_behind(code, behind) {
                take(value, code, before);
            }
        }
        for (at, word) in bare_words(sentence) {
            if let Some(path) = path_in(word, false) {
                take(Claim::Path(path), word, &sentence[..at]);
            }
        }
        for (claim, quote) in versions(sentence) {
            take(claim, &quote, "");
        }
        for (claim, quote) in date::dates(sentence) {
            take(claim, &quote, "");
        }
    }
    found
}

/// Whether a sentence, in lower case, says how to work in general.
fn is_principle(sentence: &str) -> bool {
    // What stands in a path or another name is no word.
    let is_part = |c: char| c.is_alphanumeric() || "/_-.".contains(c);
    PRINCIPLES.iter().any(|sign| {
        sentence.match_indices(sign).any(|(at, _)| {
            let (before, behind) = (&sentence[..at], &sentence[at + sign.len()..]);
            // What stands in back quotes is a name.
            let is_code = before.matches('`').count() % 2 == 1;
            let ends = behind.trim_start_matches('.').is_empty() || !behind.starts_with(is_part);
            !is_code && !before.ends_with(is_part) && ends
        })
    })
}

/// How a flag may stand in code: `--dry-run`, `dry-run`, `dry_run`, `dryRun`. Any other name has
/// one spelling.
pub(super) fn spellings(name: &str) -> Vec<String> {
    let Some(bare) = name.strip_prefix("--") else { return vec![name.to_owned()] };
    let mut parts = bare.split('-');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        camel.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    let mut all = vec![name.to_owned(), bare.to_owned(), bare.replace('-', "_"), camel];
    all.sort();
    all.dedup();
    all
}

/// Whether one of the last words before a name says that it is not wanted.
fn is_denied(before: &str) -> bool {
    let clause = before.rsplit([',', ';', ':', '(']).next().unwrap_or_default().to_lowercase();
    let words: Vec<&str> = clause.split_whitespace().collect();
    words.iter().rev().take(4).any(|word| DENIES.contains(word))
}

/// What stands in back quotes, with where it begins.
fn code_spans(sentence: &str) -> Vec<(usize, &str)> {
    let mut spans = Vec::new();
    let mut ticks = sentence.match_indices('`').map(|(at, _)| at);
    while let (Some(open), Some(close)) = (ticks.next(), ticks.next()) {
        if close > open + 1 {
            spans.push((open + 1, &sentence[open + 1..close]));
        }
    }
    spans
}

/// Words outside of back quotes, without the marks around them.
fn bare_words(sentence: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let (mut at, mut is_code) = (0, false);
    for piece in sentence.split('`') {
        if !is_code {
            let mut from = 0;
            for word in piece.split_whitespace() {
                let place = from + piece[from..].find(word).unwrap_or(0);
                from = place + word.len();
                let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !"/._@".contains(c));
                let bare = bare.trim_end_matches('.');
                words.push((at + place, bare));
            }
        }
        at += piece.len() + 1;
        is_code = !is_code;
    }
    words
}

fn in_code(code: &str) -> Vec<(Claim, String)> {
    let code = code.trim();
    if code.contains(char::is_whitespace) {
        return in_command(code);
    }
    if let Some((name, value)) = code.split_once('=').filter(|(name, _)| is_setting(name)) {
        let value = value.trim_matches(['"', '\'']).to_owned();
        let is_plain = !value.is_empty() && !value.contains(['$', '<', '{']);
        let claim = Claim::Value { name: name.to_owned(), value };
        return if is_plain { vec![(claim, code.to_owned())] } else { Vec::new() };
    }
    let claim = path_in(code, true)
        .map(Claim::Path)
        .or_else(|| flag(code).map(Claim::Flag))
        .or_else(|| symbol(code).map(Claim::Symbol));
    claim.map(|claim| (claim, code.to_owned())).into_iter().collect()
}

/// Of a command the script that it runs, the files that it names, and flags of programs that
/// belong to the tree: nobody here removes a flag of git.
fn in_command(line: &str) -> Vec<(Claim, String)> {
    let mut found = Vec::new();
    for command in shell::commands(line) {
        let program = command.program();
        let words = &command.words;
        let is_own = words.first().is_some_and(|word| word.contains('/'));
        if let Some(needs_run) = needs_run(&program) {
            let rest = match words.get(1) {
                Some(&("run" | "run-script")) => &words[2..],
                _ if needs_run => &[][..],
                _ => &words[1..],
            };
            let name =
                rest.iter().find(|word| !word.starts_with('-') && !shell::is_assignment(word));
            if let Some(name) = name.filter(|name| is_script_name(name)) {
                let (runner, name) = (program.clone(), (*name).to_owned());
                found.push((Claim::Script { runner, name: name.clone() }, name));
            }
        }
        for word in words {
            let bare = word.trim_matches(['"', '\'']);
            if let Some(path) = path_in(bare, bare.contains('/')) {
                found.push((Claim::Path(path), bare.to_owned()));
            } else if let Some(flag) = flag(bare).filter(|_| is_own) {
                found.push((Claim::Flag(flag.clone()), flag));
            }
        }
    }
    found
}

/// Whether `run` stands between a runner and its script; `None` if it runs none.
fn needs_run(program: &str) -> Option<bool> {
    RUNNERS.iter().find_map(|row| match row.strip_prefix(program)? {
        "" => Some(false),
        " run" => Some(true),
        _ => None,
    })
}

fn is_script_name(name: &str) -> bool {
    let is_usual = |c: char| c.is_ascii_alphanumeric() || "_-:.".contains(c);
    !name.is_empty() && name.chars().all(is_usual) && name.starts_with(|c: char| c.is_alphabetic())
}

/// A path inside the tree. In back quotes a slash is enough, elsewhere it has to end like a file.
fn path_in(word: &str, is_code: bool) -> Option<String> {
    let word = word.trim_start_matches("./").trim_end_matches([',', ';', ':']);
    let word = word.split_once(":").map_or(word, |(path, line)| {
        if line.starts_with(|c: char| c.is_ascii_digit()) { path } else { word }
    });
    let is_usual = |c: char| c.is_alphanumeric() || "_-./@+()[]".contains(c);
    let is_inside = !word.starts_with(['/', '~', '-', '@', '.'])
        || word.starts_with('.') && !word.starts_with("..") && word.len() > 2;
    let ending = word.rsplit_once('.');
    let has_ending = ending.is_some_and(|(stem, ending)| {
        !stem.is_empty() && !stem.ends_with('/') && ENDINGS.contains(&ending)
    });
    let has_slash = word.trim_end_matches('/').contains('/') || word.ends_with('/');
    let is_plain = word.len() > 2
        && word.chars().all(is_usual)
        && !word.contains("..")
        && !word.contains("//")
        && word.chars().any(char::is_alphabetic);
    // `e.g.` and `and/or` are no files, `Node.js` is a name.
    let is_name = !has_slash && word.ends_with(".js") && word.starts_with(char::is_uppercase);
    let is_path = has_ending && (is_code || has_slash || word.len() > 4) || is_code && has_slash;
    let is_branch = word.starts_with("origin/") || word.starts_with("feature/");
    // An account and a repository, or a package in its scope, look like a path of two parts.
    (is_plain && is_inside && is_path && !is_name && !is_branch)
        .then(|| word.trim_end_matches('/').to_owned())
}

fn flag(word: &str) -> Option<String> {
    let name = word.strip_prefix("--")?;
    let name = name.split('=').next().unwrap_or_default();
    let is_usual = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (name.len() >= 3 && name.chars().all(is_usual)).then(|| format!("--{name}"))
}

/// The last part of a name in code: of `Foo::bar()` it is `bar`.
fn symbol(code: &str) -> Option<String> {
    let bare = code.split(['(', '<']).next().unwrap_or_default();
    let last = bare.rsplit(['.', ':', '#']).next().unwrap_or_default();
    let is_usual = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let is_name = last.len() >= 3
        && last.chars().all(is_usual)
        && last.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    let is_whole = bare.chars().all(|c| is_usual(c) || ".:#".contains(c));
    (is_name && is_whole).then(|| last.to_owned())
}

fn is_setting(name: &str) -> bool {
    let is_usual = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    name.len() >= 3 && name.chars().all(is_usual) && !name.starts_with(char::is_numeric)
}

/// What stands between a name and its value; longer ones first.
const LINKS: &[&str] = list!("audit.txt", "links");

/// "`MAX_RETRIES` is 3", "`timeout` defaults to 30".
fn value_behind(code: &str, behind: &str) -> Option<Claim> {
    let name = symbol(code.trim())?;
    let behind = behind.strip_prefix('`')?.trim_start();
    let link = LINKS.iter().find(|link| behind.starts_with(**link))?;
    let raw = behind[link.len()..].trim_start();
    let value = match raw.strip_prefix('`') {
        Some(code) => code.split('`').next()?,
        None => raw.split(|c: char| c.is_whitespace() || ",;)".contains(c)).next()?,
    };
    let value = value.trim_matches(['"', '\'']).trim_end_matches('.');
    let is_value = value.starts_with(|c: char| c.is_ascii_digit())
        || matches!(value, "true" | "false")
        || raw.starts_with(['`', '"', '\'']);
    let is_short = !value.is_empty() && value.len() <= 60 && !value.contains(char::is_whitespace);
    (is_value && is_short).then(|| Claim::Value { name, value: value.to_owned() })
}

/// "Node 18", "`react` v17.0.2", "Python version 3.11".
fn versions(sentence: &str) -> Vec<(Claim, String)> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let bare = |word: &str| {
        let is_mark = |c: char| !c.is_alphanumeric() && !"@/_-.".contains(c);
        word.trim_matches(is_mark).trim_end_matches('.').to_owned()
    };
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate().skip(1) {
        let number = bare(word);
        let number = number.trim_start_matches('v');
        let is_version = number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_digit() || c == '.')
            && number.len() <= 12;
        let is_word = |word: &str| matches!(word, "version" | "v" | ">=" | "at" | "least" | "is");
        let mut before = words[..at].iter().rev().map(|word| bare(word).to_lowercase());
        let name = before.find(|word| !word.is_empty() && !is_word(word));
        if let Some(name) = name.filter(|_| is_version) {
            let name = name.strip_suffix(".js").unwrap_or(&name).to_owned();
            let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '@');
            if is_name && name.len() >= 2 && !name.contains('_') {
                let claim = Claim::Version { of: name, version: number.to_owned() };
                found.push((claim, number.to_owned()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
