//! What are the words and clauses of a sentence, and where does what it says begin?

use crate::list;

const OPENERS: &[&str] = list!("wishes.txt", "openers");
const CONDITION: &[&str] = list!("wishes.txt", "condition");
const CHOOSES: &[&str] = list!("wishes.txt", "chooses");

/// Words behind which another clause begins.
const LINKS: &[&str] = &["and", "but", "so", "then", "because", "-", "–", "—", "--"];

/// One word of a sentence as it is compared: in small letters, without the marks around it.
/// What stands in backticks or quotes is one word.
#[derive(Debug)]
struct Word {
    text: String,
    /// Where it begins in the sentence.
    at: usize,
    /// Whether a mark behind it ends a clause.
    ends_clause: bool,
}

/// Where a clause stands in its sentence.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The first word behind what opens the sentence.
    pub first: usize,
    /// The first word of the clause.
    pub start: usize,
    /// Whether a mark stands before it, or nothing.
    pub is_apart: bool,
}

/// A sentence, taken apart.
#[derive(Debug)]
pub struct Sentence<'a> {
    pub raw: &'a str,
    words: Vec<Word>,
}

impl<'a> Sentence<'a> {
    pub fn of(raw: &'a str) -> Self {
        let raw = raw.trim().trim_start_matches(['-', '*', '•', '–']).trim_start();
        Sentence { raw, words: words_of(raw) }
    }

    pub fn words(&self) -> Vec<&str> {
        self.words.iter().map(|word| word.text.as_str()).collect()
    }

    /// Which word stands behind the opening words at this one.
    pub fn after_openers(&self, from: usize) -> usize {
        let words = self.words();
        let mut at = from;
        while let Some(n) = begins_with_any(&words[at..], OPENERS).filter(|n| at + n < words.len())
        {
            // "No tests in src" and "no, use pnpm": the mark tells.
            let is_open = !self.words[at].ends_clause && n == 1;
            let is_no = words[at] == "no" && !CHOOSES.contains(&words[at + 1]);
            let is_name = matches!(words[at], "claude" | "codex");
            if is_open && (is_no || is_name) {
                break;
            }
            at += n;
        }
        at
    }

    /// Words with which a clause begins, behind what only opens it.
    pub fn clauses(&self) -> Vec<Place> {
        let is_begin = |at: usize| {
            let before = &self.words[at - 1];
            before.ends_clause || LINKS.contains(&before.text.as_str())
        };
        let begins = (0..self.words.len()).filter(|at| *at == 0 || is_begin(*at));
        let first = self.after_openers(0);
        let mut starts: Vec<usize> = begins.map(|at| self.after_openers(at)).collect();
        starts.dedup();
        let place = |start: usize| {
            // A link may stand between the mark and the clause.
            let near = self.words[..start].iter().rev().take(3);
            let is_apart = start <= first
                || near
                    .take_while(|word| word.ends_clause || is_small(&word.text))
                    .any(|word| word.ends_clause || word.text.starts_with(['-', '–', '—']));
            Place { first, start, is_apart }
        };
        starts.into_iter().map(place).collect()
    }

    /// Where the text of a wish begins whose clause begins here: a condition or a choice
    /// before it belongs to it, a task or an answer does not.
    pub fn beginning_of(&self, clause: usize) -> usize {
        let first = self.after_openers(0);
        let words = self.words();
        let before = &words[first..clause.max(first)];
        let Some(begin) = before.first() else { return clause };
        let is_title = clause > 0 && self.raw[..self.words[clause].at].trim_end().ends_with(':');
        let is_ours = matches!(*begin, "we" | "our" | "you" | "i");
        let belongs = CONDITION.contains(begin) || CHOOSES.contains(begin) || is_ours || is_title;
        let points = before.iter().any(|word| matches!(*word, "that" | "it" | "this"));
        if belongs && !points { first } else { clause }
    }

    /// From a word to the end, as one sentence.
    pub fn clean(&self, from: usize) -> String {
        let rest = self.words.get(from).map_or("", |word| &self.raw[word.at..]);
        let rest = one_line(rest);
        let mut rest = rest.as_str();
        if rest.ends_with(')') && !rest.contains('(') {
            rest = rest.trim_end_matches(')');
        }
        loop {
            let cut = rest.trim_end_matches(|c: char| {
                c.is_whitespace() || (!c.is_alphanumeric() && !"`\"')/*]}_%".contains(c))
            });
            let cut = strip_end(cut);
            if cut == rest {
                break;
            }
            rest = cut;
        }
        let mut chars = rest.chars();
        match chars.next() {
            Some(first) => format!("{}{}.", first.to_uppercase(), chars.as_str()),
            None => String::new(),
        }
    }
}

/// A word that may stand between a mark and what it sets apart.
fn is_small(word: &str) -> bool {
    LINKS.contains(&word) || OPENERS.contains(&word)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Without a smile or a "please" at the end.
fn strip_end(text: &str) -> &str {
    let ends = [" please", " thanks", " ok", " :)", " :-)", " ;)", " :D"];
    ends.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text)
}

fn words_of(raw: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut at = 0;
    while at < raw.len() {
        let rest = &raw[at..];
        let Some(first) = rest.chars().next() else { break };
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let end = end_of_word(rest, first);
        push(&mut words, &rest[..end], at);
        at += end;
    }
    words
}

/// What is quoted is one word, with the marks behind it.
fn end_of_word(rest: &str, first: char) -> usize {
    let blank = |from: usize| {
        rest[from..].find(char::is_whitespace).map_or(rest.len(), |place| from + place)
    };
    let close = match first {
        '`' => '`',
        '"' => '"',
        '“' => '”',
        _ => return blank(0),
    };
    let n = first.len_utf8();
    rest[n..].find(close).map_or_else(|| blank(0), |place| blank(n + place + close.len_utf8()))
}

fn push(words: &mut Vec<Word>, token: &str, at: usize) {
    let ends_clause = token.ends_with([',', ':', ';', '.', '!', '?', ')']);
    let is_quoted = token.starts_with(['`', '"', '“']);
    let is_mark = |c: char| ",;:!?()[]{}*\"“”".contains(c);
    let inner = if is_quoted {
        token.trim_end_matches([',', ';', ':', '.', '!', '?'])
    } else {
        token.trim_matches(is_mark).trim_end_matches('.')
    };
    let text = inner.to_lowercase().replace('\u{2019}', "'");
    let text = match text.trim_matches('_') {
        "dont" => "don't".to_owned(),
        "lets" => "let's".to_owned(),
        "shouldnt" => "shouldn't".to_owned(),
        "pls" | "plz" => "please".to_owned(),
        "" => text.clone(),
        plain => plain.to_owned(),
    };
    if text.is_empty() || !text.chars().any(|c| c.is_alphanumeric() || "-–—".contains(c)) {
        if let Some(last) = words.last_mut() {
            last.ends_clause |= ends_clause;
        }
        return;
    }
    let start = at + token.find(inner).unwrap_or(0);
    words.push(Word { text, at: start, ends_clause });
}

pub fn begins(words: &[&str], phrase: &str) -> Option<usize> {
    let mut n = 0;
    for part in phrase.split(' ') {
        if words.get(n) != Some(&part) {
            return None;
        }
        n += 1;
    }
    Some(n)
}

/// The length of the longest of these phrases that the words begin with.
pub fn begins_with_any(words: &[&str], phrases: &[&str]) -> Option<usize> {
    phrases.iter().filter_map(|phrase| begins(words, phrase)).max()
}

/// Whether one of these phrases stands anywhere.
pub fn has(words: &[&str], phrases: &[&str]) -> bool {
    (0..words.len()).any(|at| {
        let is_from_now_on = at > 0 && words[at] == "now" && words[at - 1] == "from";
        !is_from_now_on && begins_with_any(&words[at..], phrases).is_some()
    })
}
