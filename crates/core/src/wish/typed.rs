//! What of a user's turn did the user type? Hosts, hooks and skills speak under the user's
//! name, we put a block there, and people paste: code, output, reviews, other people's words.
//! None of it is the user's own.

use super::said::begins_with_any;
use crate::command::printed::is_printed;
use crate::gate::{BLOCK_BEGIN, BLOCK_END};
use crate::list;

/// More than this is a document: only its first paragraph was surely typed.
const MAX_CHARS: usize = 1_200;
const MAX_LINES: usize = 14;

/// Longest line, in characters, that is taken for typed.
const MAX_LINE_CHARS: usize = 500;

/// Most words before a colon that announce somebody else's words.
const MAX_LEAD_IN: usize = 16;

const HOST: &[&str] = list!("typed.txt", "host");
const TAGS: &[&str] = list!("typed.txt", "tags");
const PASTED: &[&str] = list!("typed.txt", "pasted lines");
const LEAD_INS: &[&str] = list!("typed.txt", "lead-ins");

/// The sentences of a turn that the user typed, as they are.
///
/// ```
/// use hardwon_core::wish::typed;
///
/// let turn = "I got this feedback:\n> Never use globals.\nNever use globals.";
/// assert!(typed(turn).iter().all(|sentence| !sentence.contains("globals")));
/// ```
pub fn typed(turn: &str) -> Vec<String> {
    let Some(text) = own_text(turn) else { return Vec::new() };
    let mut sentences = Vec::new();
    let is_document = text.chars().count() > MAX_CHARS || text.lines().count() > MAX_LINES;
    let (mut has_begun, mut is_last_paragraph) = (false, false);
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            is_last_paragraph |= is_document && has_begun;
            continue;
        }
        // Below a heading stands a document, and who wrote it is not said.
        if is_last_paragraph || is_heading(trimmed) {
            break;
        }
        has_begun = true;
        if is_pasted(line) {
            continue;
        }
        for sentence in split(trimmed) {
            if announces(sentence) {
                return sentences;
            }
            sentences.push(sentence.to_owned());
        }
    }
    sentences
}

/// A turn without what the host and we put there, and without code; `None` if nothing of it
/// is the user's.
fn own_text(turn: &str) -> Option<String> {
    let turn = without(turn, BLOCK_BEGIN, BLOCK_END);
    let mut text = without(&turn, "```", "```");
    text = text.trim().to_owned();
    while let Some(tag) = leading_tag(&text) {
        if TAGS.contains(&tag.as_str()) {
            return None;
        }
        let close = format!("</{tag}>");
        text = match text.find(&close) {
            Some(end) => text[end + close.len()..].trim().to_owned(),
            None => return None,
        };
    }
    text = without(&text, "<system-reminder>", "</system-reminder>");
    let lower = text.to_lowercase();
    let is_host = HOST.iter().any(|begin| lower.starts_with(begin));
    let is_tagged = TAGS.iter().any(|tag| lower.contains(&format!("<{tag}>")));
    (!text.is_empty() && !is_host && !is_tagged && !text.starts_with('<')).then_some(text)
}

/// The name of the tag that a text begins with.
fn leading_tag(text: &str) -> Option<String> {
    let inside = text.strip_prefix('<')?;
    let end = inside.find('>')?;
    let name = inside[..end].split_whitespace().next()?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    is_name.then(|| name.to_owned())
}

/// Without what stands between these marks; what is never closed runs to the end.
fn without(text: &str, begin: &str, end: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(begin) {
        kept.push_str(&rest[..at]);
        kept.push('\n');
        let inside = &rest[at + begin.len()..];
        rest = inside.find(end).map_or("", |at| &inside[at + end.len()..]);
    }
    kept.push_str(rest);
    kept
}

/// Whether a line was printed, quoted or copied.
fn is_pasted(line: &str) -> bool {
    let is_code =
        line.starts_with("    ") || line.starts_with('\t') || line.ends_with(['{', ';', '\\']);
    let trimmed = line.trim();
    let lower = trimmed.to_lowercase();
    let first = trimmed.split_whitespace().next().unwrap_or_default();
    // `src/a.go:12:3: message`, `12:04:55 INFO`, `[lint] …`.
    let is_located = first.contains(':') && first.contains(|c: char| c.is_ascii_digit());
    let is_tagged = trimmed.starts_with('[') && trimmed.contains(']');
    let is_dated = first.len() >= 8 && first.starts_with("20") && first.contains('-');
    is_code
        || PASTED.iter().any(|begin| lower.starts_with(begin))
        || is_located
        || is_tagged
        || is_of_review(trimmed)
        || is_dated
        || is_printed(trimmed)
        || trimmed.chars().count() > MAX_LINE_CHARS
}

fn is_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    title.len() < line.len() && title.starts_with(' ')
}

/// Whether a line of a list is one of a review: `- [high] …`, `- **Fix:** …`, `1. `a.rs:4` …`.
fn is_of_review(line: &str) -> bool {
    let item = line.trim_start_matches(|c: char| c.is_ascii_digit() || "-*•.) ".contains(c));
    let is_field = line.contains(":**") || line.contains("**:");
    let is_place = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let Some((path, number)) = word.split_once(':') else { return false };
        path.contains(['.', '/']) && number.starts_with(|c: char| c.is_ascii_digit())
    };
    let is_item = item.len() < line.len();
    is_field || is_item && (item.starts_with('[') || item.split_whitespace().any(is_place))
}

/// Whether a sentence announces that somebody else's words follow: all behind it is theirs.
fn announces(sentence: &str) -> bool {
    let Some((before, after)) = sentence.split_once(':') else { return false };
    let is_colon = after.is_empty() || after.starts_with([' ', '\n']);
    let lower = before.to_lowercase();
    let words: Vec<&str> = lower
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    let is_named =
        words.iter().enumerate().any(|(at, _)| begins_with_any(&words[at..], LEAD_INS).is_some());
    let is_open = after.trim().is_empty() && words.len() > 2;
    is_colon && words.len() <= MAX_LEAD_IN && (is_named || is_open)
}

/// At stops that end a sentence; a stop within a name ends none.
fn split(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut at = 0;
    for word in line.split_inclusive([' ', '\t']) {
        at += word.len();
        let bare = word.trim_end();
        let is_short = matches!(bare, "e.g." | "i.e." | "etc." | "vs." | "z.B." | "p.ej.");
        if bare.ends_with(['.', '!', '?', ';']) && !is_short {
            found.push(line[from..at].trim());
            from = at;
        }
    }
    found.push(line[from..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}
