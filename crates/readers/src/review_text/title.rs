//! What does the title of a finding say, without its number and its place; and does it say anything?

use hardwon_core::list;

use super::words::{only_place, says_none, sentences};

/// Whether what is asked for is nothing.
pub fn says_nothing_to_do(repair: &str) -> bool {
    let lower = repair.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    says_none(repair) || lower.starts_with("no action") || lower.starts_with("no change")
}

/// Whether a title says nothing: `Issue 1`, `Finding`, or no word at all.
pub fn is_bare(title: &str) -> bool {
    const WORDS: &[&str] = list!("reviews.txt", "heading");
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_known = |word: &str| {
        let lower = word.to_lowercase();
        WORDS.contains(&lower.trim_end_matches('s')) || lower.chars().all(|c| c.is_ascii_digit())
    };
    words.into_iter().all(is_known)
}

/// Whether words behind a place object to it: not what was done there, and no praise.
pub fn is_objection(text: &str) -> bool {
    const OTHERS: &[&str] = list!("reviews.txt", "no objection");
    let first = text.split_whitespace().next().unwrap_or_default();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_marked = text.starts_with(['✅', '✔', '✓', '☑']);
    text.split_whitespace().count() > 1 && !is_marked && !OTHERS.contains(&first.as_str())
}

/// A title without `1.`, `Issue 2:`, `#3`.
pub fn without_number(text: &str) -> &str {
    const NAMED: &[&str] = list!("reviews.txt", "numbered");
    let text = text.trim();
    let bold = text.strip_prefix("**").unwrap_or(text);
    let lower = bold.to_lowercase();
    let named = NAMED.iter().find(|name| lower.starts_with(**name)).map_or(0, |name| name.len());
    let after = bold.get(named..).unwrap_or(bold).trim_start_matches([' ', '#']);
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < after.len();
    if named > 0 && !is_numbered && after.starts_with(": ") {
        return after[2..].trim_start_matches("**").trim_start();
    }
    if !is_numbered || !(rest.is_empty() || rest.starts_with([':', '.', ')', ' ', '*'])) {
        return text;
    }
    // `**1.** …` has its stars on both sides.
    let rest = rest.trim_start_matches([':', '.', ')', ' ', '-', '–', '—']);
    if bold.len() < text.len() && !rest.starts_with("**") && rest.contains("**") {
        let from = text.len() - rest.len() - 2;
        return text.get(from..).filter(|it| it.starts_with("**")).unwrap_or(rest);
    }
    rest.trim_start_matches("**").trim_start()
}

/// A title without the place at its end or in its brackets: where it is is known.
pub fn without_place(title: &str) -> String {
    let title = title.trim();
    let is_place = |text: &str| only_place(text).is_some();
    for open in [" (", " ["] {
        if let Some((before, inside)) = title.rsplit_once(open)
            && is_place(inside)
        {
            return before.trim_end_matches([' ', ':', '—', '–', '-']).to_owned();
        }
    }
    for mark in [" — ", " – ", " - ", ": ", " at ", " in "] {
        if let Some((before, last)) = title.rsplit_once(mark)
            && is_place(last)
            && (before.split_whitespace().count() > 1)
            && !matches!(mark, " at " | " in ")
        {
            return before.trim().to_owned();
        }
    }
    title.to_owned()
}

/// A repair in one line, without what only asks for it.
pub fn plain_repair(text: &str) -> String {
    let text = super::plain(text);
    let sentence = sentences(&text).first().copied().unwrap_or_default().to_owned();
    sentence.trim_end_matches(['.', ';']).trim_matches(['"', ' ']).to_owned()
}
