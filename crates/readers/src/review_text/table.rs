//! A row of a table with a severity column: by the titles of its columns, in any order.

use hardwon_core::finding::{FindingState, Severity};

use super::graded::graded;
use super::severity;

/// The cells of a row. A bar behind a backslash is text.
pub fn cells(line: &str) -> Vec<String> {
    let hidden = line.replace("\\|", "\u{1}");
    let inside = hidden.trim_matches('|');
    inside.split('|').map(|cell| cell.replace('\u{1}', "|").trim().to_owned()).collect()
}

/// The severity that a field states with its first word, or with a mark alone: `🔴`.
pub fn stated(value: &str) -> Option<Severity> {
    let mark = || graded(value).filter(|grade| grade.rest.is_empty());
    let word = value.split_whitespace().next().and_then(by_word);
    word.or_else(|| mark().map(|grade| grade.severity))
}

/// A severity by its word, or by its first letter where that is all.
fn by_word(word: &str) -> Option<Severity> {
    let letter = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    severity(word).or(match letter.as_str() {
        "c" => Some(Severity::Critical),
        "h" => Some(Severity::Bug),
        "m" => Some(Severity::Warning),
        "l" => Some(Severity::Info),
        _ => None,
    })
}

/// What became of something, by the word for it.
pub fn status(word: &str) -> Option<FindingState> {
    let word = word.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|known| word.contains(known));
    if says(&["not ", "unfixed", "unresolved", "open", "partial", "to be "]) {
        Some(FindingState::Open)
    } else if says(&["fixed", "resolved", "addressed"]) {
        Some(FindingState::Fixed)
    } else if says(&["false positive", "dismissed", "rejected", "refuted", "invalid"]) {
        Some(FindingState::Dismissed)
    } else {
        None
    }
}
