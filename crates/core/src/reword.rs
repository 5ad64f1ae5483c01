//! May these words stand for what lessons say? Better words are proposed by a model; here it is
//! checked, before a person sees them, that they are shorter, say nothing that the lesson or its
//! evidence does not, and ask nothing of the reader's tools. What is wrong is named.

use std::collections::BTreeSet;

use crate::conflict::{deny_each_other, oppose};
use crate::list;
use crate::vocabulary::vocabulary;
use crate::words::{is_stop_word, spellings, word_of};

/// Words by which a rule is put.
const GLUE: &[&str] = list!("reword.txt");
/// A number as a word, and in digits.
const NUMBERS: &[&str] = list!("reword.txt", "numbers");
/// How a text begins that talks about the answer.
const TALK: &[&str] = list!("reword.txt", "talk");
const LINKS: &[&str] = list!("reword.txt", "links");

/// A rule that generalizes may have so many words that none of its lessons has: a person is told
/// which.
const MAX_NEW_WORDS: usize = 2;

/// A rule of several lessons is at most so long, in characters.
const MAX_RULE_CHARS: usize = 300;

/// What a line takes besides its text: where it was seen and how it fared.
const RECORD_CHARS: usize = 40;

/// So many lessons become one rule.
pub const MAX_LESSONS: usize = 6;

vocabulary! {
    /// What is asked for.
    Form {
        /// A short line in place of a long text.
        Line = "line",
        /// A short form beside the text, for blocks without room.
        Summary = "summary",
        /// One rule in place of several lessons.
        Rule = "rule",
    }
}

/// How long a lesson's line may be in a block, in full and in short.
#[derive(Clone, Copy, Debug)]
pub struct Ladder {
    pub line_chars: u32,
    pub short_chars: u32,
}

impl Ladder {
    /// Which form helps a text: a line if it is cut in every block, a summary if it is cut where
    /// there is little room. `None` if it is short enough.
    pub fn form_for(&self, text: &str) -> Option<Form> {
        match text.chars().count() {
            n if n > self.line_chars as usize => Some(Form::Line),
            n if n > self.max_chars(Form::Summary) => Some(Form::Summary),
            _ => None,
        }
    }

    /// The most characters that a form may have.
    pub fn max_chars(&self, form: Form) -> usize {
        match form {
            Form::Line | Form::Summary => (self.short_chars as usize).saturating_sub(RECORD_CHARS),
            Form::Rule => MAX_RULE_CHARS.min(self.line_chars as usize),
        }
    }
}

/// What the words are held against.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// What the lessons say now: one, or for a rule several.
    pub lessons: &'a [&'a str],
    /// What else is known of them: their findings, other wordings, nuance.
    pub evidence: &'a [&'a str],
}

/// Words that passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fair {
    /// Plain words that stand in no lesson and no evidence.
    pub new_words: Vec<String>,
}

/// Whether the proposed words are fair; or what is wrong with them.
///
/// ```
/// use hardwon_core::reword::{Form, Said, check};
///
/// let lesson = "The nightly build failed since the workspace root has no scripts, so always run \
///               pnpm with --filter PACKAGE";
/// let said = Said { lessons: &[lesson], evidence: &[] };
/// assert!(check("Run pnpm with --filter PACKAGE", Form::Line, &said, 120).is_ok());
/// let wrong = check("Run pnpm with --recursive", Form::Line, &said, 120).unwrap_err();
/// assert_eq!(wrong, "`--recursive` stands neither in the lesson nor in its evidence");
/// ```
pub fn check(new: &str, form: Form, said: &Said<'_>, max_chars: usize) -> Result<Fair, String> {
    let new = new.trim();
    let n_chars = new.chars().count();
    let longest = match form {
        Form::Line | Form::Summary => said.lessons.iter().map(|it| it.chars().count()).min(),
        Form::Rule => Some(said.lessons.iter().map(|it| it.chars().count()).sum()),
    };
    if new.is_empty() {
        return Err("it says nothing".to_owned());
    }
    if n_chars > max_chars || longest.is_some_and(|old| n_chars >= old) {
        return Err(format!("it has {n_chars} characters, at most {max_chars} and fewer than now"));
    }
    is_plain(new)?;
    let all: Vec<&str> = said.lessons.iter().chain(said.evidence).copied().collect();
    let opposed = said.lessons.iter().find(|old| oppose(new, old) || deny_each_other(new, old));
    if opposed.is_some() {
        return Err("it says the opposite".to_owned());
    }
    let any_old = |has: fn(&str) -> bool| said.lessons.iter().any(|old| has(old));
    // What is not so may be left out; what is forbidden may not.
    if forbids(new) != any_old(forbids) || turns(new) && !any_old(turns) {
        return Err("it forbids what was asked for, or asks for what was forbidden".to_owned());
    }
    let known = all.join("\n").to_lowercase();
    for exact in exact_parts(new) {
        if !stands(&exact, &known) {
            return Err(format!("`{exact}` stands neither in the lesson nor in its evidence"));
        }
    }
    let new_words = new_words(new, &all);
    let most = if form == Form::Rule { MAX_NEW_WORDS } else { 0 };
    match new_words.get(most) {
        Some(word) => Err(format!("`{word}` stands neither in the lesson nor in its evidence")),
        None => Ok(Fair { new_words }),
    }
}

/// One order or statement: no question, no talk about itself, no link, no second line.
fn is_plain(new: &str) -> Result<(), String> {
    let lower = new.to_lowercase();
    let problem = if new.lines().count() > 1 {
        "it has several lines"
    } else if new.ends_with('?') {
        "it is a question"
    } else if TALK.iter().any(|talk| begins_with(&lower, talk)) {
        "it talks about the answer"
    } else if LINKS.iter().any(|link| lower.contains(link)) || has_address(new) {
        "it holds a link or an address"
    } else {
        return Ok(());
    };
    Err(problem.to_owned())
}

fn begins_with(text: &str, words: &str) -> bool {
    text.strip_prefix(words.trim_end())
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

fn has_address(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        word.split_once('@').is_some_and(|(who, host)| !who.is_empty() && host.contains('.'))
    })
}

/// Whether a text forbids something, or says that something is not so.
fn turns(text: &str) -> bool {
    forbids(text) || has_any(text, &["not", "cannot", "cant", "no", "without"])
}

/// Whether a text forbids something.
fn forbids(text: &str) -> bool {
    const PAIRS: &[&str] = &["do not", "must not", "should not", "may not"];
    let lower = text.to_lowercase();
    has_any(text, &["avoid", "dont", "never"]) || PAIRS.iter().any(|pair| lower.contains(pair))
}

fn has_any(text: &str, words: &[&str]) -> bool {
    let lower = text.to_lowercase().replace(['\'', '’'], "");
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
}

/// What has to stand there letter for letter: quoted words, and every word that is no plain one.
fn exact_parts(text: &str) -> Vec<String> {
    const QUOTES: &[(char, char)] = &[('`', '`'), ('"', '"'), ('“', '”'), ('«', '»')];
    let mut parts = Vec::new();
    for (open, close) in QUOTES {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(*open) {
            let Some((quoted, after)) = after.split_once(*close) else { break };
            parts.push(quoted.trim().to_lowercase());
            rest = after;
        }
    }
    let words = text.split_whitespace().map(|word| word.trim_matches(is_wrapping));
    let is_exact = |(index, word): &(usize, &str)| is_exact_word(word, *index == 0);
    parts.extend(words.enumerate().filter(is_exact).map(|(_, word)| word.to_lowercase()));
    parts.retain(|part| !part.is_empty());
    parts
}

fn is_wrapping(c: char) -> bool {
    matches!(
        c,
        '`' | '"' | '\'' | '“' | '”' | '«' | '»' | ',' | ';' | ':' | '.' | '!' | '(' | ')' | '…'
    )
}

/// A path, number, flag, identifier or name: not a word of the dictionary.
fn is_exact_word(word: &str, is_first: bool) -> bool {
    let inner = word.trim_end_matches("'s");
    let is_mark = |c: char| matches!(c, '/' | '\\' | '_' | '.' | '=' | '$' | '@' | '#' | '*' | '<');
    let is_number_word = number_of(&inner.to_lowercase()).is_some();
    let has_inner_capital = inner.chars().skip(1).any(char::is_uppercase);
    let is_name = !is_first && inner.chars().next().is_some_and(char::is_uppercase);
    inner.starts_with('-') && inner.len() > 1
        || inner.contains("::")
        || inner.chars().any(|c| c.is_numeric() || is_mark(c))
        || is_number_word
        || has_inner_capital
        || is_name
}

fn number_of(word: &str) -> Option<&'static str> {
    let pairs = NUMBERS.iter().filter_map(|pair| pair.split_once(' '));
    pairs.into_iter().find(|(name, _)| *name == word).map(|(_, digits)| digits)
}

/// Whether a part stands in what is known as a word of its own, or a number in its other form.
fn stands(part: &str, known: &str) -> bool {
    let name = |digits: &str| {
        let pairs = NUMBERS.iter().filter_map(|pair| pair.split_once(' '));
        pairs.into_iter().find(|(_, own)| *own == digits).map(|(name, _)| name)
    };
    let other = number_of(part).or_else(|| name(part));
    std::iter::once(part).chain(other).any(|part| has_word(known, part))
}

fn has_word(known: &str, part: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    known.match_indices(part).any(|(at, _)| {
        let before = known[..at].chars().next_back();
        let after = known[at + part.len()..].chars().next();
        let opens = part.starts_with(is_inner) && before.is_some_and(is_inner);
        let goes_on = part.ends_with(is_inner) && after.is_some_and(is_inner);
        !opens && !goes_on
    })
}

/// Plain words that nothing of what is known has, each once.
fn new_words(new: &str, known: &[&str]) -> Vec<String> {
    let stem = |spelling: &String| word_of(spelling);
    let mut allowed: BTreeSet<String> =
        known.iter().flat_map(|text| spellings(text)).map(|it| stem(&it)).collect();
    allowed.extend(GLUE.iter().map(|word| word_of(word)));
    let mut found: Vec<String> = Vec::new();
    for spelling in spellings(new) {
        let is_plain = number_of(&spelling).is_none() && !is_stop_word(&spelling);
        let is_new = is_plain && !allowed.contains(&stem(&spelling));
        if is_new && !found.contains(&spelling) {
            found.push(spelling);
        }
    }
    found
}

#[cfg(test)]
mod tests;
