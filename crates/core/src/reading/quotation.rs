//! Does a quotation stand in a digest? What a model changes when it quotes is put aside: blanks,
//! capitals, quotes, escapes, and what it leaves out by dots.

use crate::session::{Digest, Entry, PRINTED};

/// Shortest quotation that shows something, and shortest line that a tool printed.
const MIN_CHARS: usize = 12;
const MIN_LINE_CHARS: usize = 6;

/// A text without what quoting changes.
pub(super) fn plain(text: &str) -> String {
    let unmarked = text.lines().map(|line| line.trim_start().trim_start_matches(PRINTED));
    let text = unmarked.collect::<Vec<_>>().join(" ").replace("\\n", " ").replace("\\t", " ");
    let same = |c: char| match c {
        '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' | '`' | '"' => '\'',
        c => c,
    };
    let text: String = text.chars().filter(|c| *c != '\\').map(same).collect();
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text holds a quotation, piece by piece in their order.
pub fn stands(quotation: &str, text: &str) -> bool {
    let text = plain(text);
    let mut rest = text.as_str();
    let quotation = quotation.replace('…', "...");
    let mut pieces = quotation.split("...").map(plain).filter(|piece| !piece.is_empty()).peekable();
    pieces.peek().is_some()
        && pieces.all(|piece| match rest.split_once(&piece) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => false,
        })
}

/// In which entry a quotation stands, and whether that is another one than was named: the entry
/// itself, else the nearest that fits, else the nearest. Too short a one stands nowhere.
pub fn find(
    digest: &Digest,
    number: u64,
    quotation: &str,
    fits: impl Fn(&Entry) -> bool,
) -> Option<(u64, bool)> {
    let n_chars = plain(quotation).chars().count();
    let is_there = |entry: &Entry| {
        let is_line = || entry.printed().any(|line| stands(quotation, line));
        n_chars >= MIN_CHARS && stands(quotation, &entry.text())
            || n_chars >= MIN_LINE_CHARS && is_line()
    };
    if digest.entry(number).is_some_and(|entry| fits(entry) && is_there(entry)) {
        return Some((number, false));
    }
    let numbered = (1..).zip(&digest.entries).filter(|(_, entry)| is_there(entry));
    let rank = |(at, entry): &(u64, &Entry)| (!fits(entry), at.abs_diff(number));
    numbered.min_by_key(rank).map(|(at, _)| (at, at != number))
}
