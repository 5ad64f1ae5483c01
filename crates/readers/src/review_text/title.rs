//! What does the title of a finding say, without its number and its place; and does it say anything?

use hardwon_core::list;

use super::said::{says_none, sentences};
use super::words::only_place;

/// Whether what is asked for is nothing.
pub fn says_nothing_to_do(repair: &str) -> bool {
    let lower = repair.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_praised = repair.trim_start_matches(['*', ' ']).starts_with(['✅', '✔', '✓']);
    is_praised
        || says_none(repair)
        || lower.starts_with("no action")
        || lower.starts_with("no change")
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
    let is_other = OTHERS.contains(&first.as_str()) && !lacks(text);
    text.split_whitespace().count() > 1 && !is_marked && !is_other
}

/// Whether a text says that something is not there which should be: `No tests`, but not `No issues`.
fn lacks(text: &str) -> bool {
    const BAD: &[&str] = list!("reviews.txt", "bad");
    // `No configuration: hardcoded values …` lacks what stands before the colon.
    let named = text.split_once(':').map_or(text, |(name, _)| name);
    let words = named.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let is_bad = |word: &String| BAD.contains(&word.trim_end_matches('s'));
    words.first().is_some_and(|word| word == "no") && !words.iter().take(4).any(is_bad)
}

/// Whether a title has a number or a short code before it: `3) `, `Issue 2:`, `CR-01 — `, `[SEC] `.
pub fn is_numbered(title: &str) -> bool {
    let title = title.trim_start_matches(['*', ' ']);
    without_number(title).len() < title.len() || behind_code(title).is_some()
}

/// The code that a review gives to one of its findings: `M1` of `M1. …`, `[P0-1]`.
pub fn code(title: &str) -> Option<String> {
    let title = title.trim_start_matches(['*', ' ']);
    let first = title.split(|c: char| c.is_whitespace() || matches!(c, ':' | ')' | ']')).next()?;
    let name = first.trim_matches(|c: char| !c.is_alphanumeric());
    let is_code = name.len() <= 10
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.ends_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c));
    (is_code && (behind_code(title).is_some() || title.len() == name.len()))
        .then(|| name.to_owned())
}

/// What follows a code that only this review knows: `WR-01 — …`, `C2: …`, `[SEC][PERF] …`.
pub fn behind_code(title: &str) -> Option<&str> {
    let tag = |text: &str| {
        let (inside, rest) = text.strip_prefix('[')?.split_once(']')?;
        let is_tag = !inside.is_empty() && !inside.contains(char::is_lowercase);
        Some(rest).filter(|_| is_tag).map(str::len)
    };
    let mut rest = title;
    while let Some(n) = tag(rest) {
        rest = rest[rest.len() - n..].trim_start();
    }
    if rest.len() < title.len() {
        return Some(rest).filter(|rest| !rest.is_empty());
    }
    let (code, rest) = title.split_once([' ', ':'])?;
    let code = code.trim_end_matches(['.', ':', ')']);
    let is_code = code.len() <= 10
        && code.starts_with(|c: char| c.is_ascii_uppercase())
        && code.ends_with(|c: char| c.is_ascii_digit())
        && code.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || "-.".contains(c));
    let is_set_off = title[code.len()..].starts_with([':', '.', ')'])
        || code.contains(['.', '-'])
        || rest.starts_with(['—', '–', '-', '·', ':']);
    let rest = rest.trim_start_matches(['—', '–', '-', '·', ':', ' ']);
    (is_code && is_set_off && !rest.is_empty()).then_some(rest)
}

/// A title without `1.`, `Issue 2:`, `#3`.
pub fn without_number(text: &str) -> &str {
    const NAMED: &[&str] = list!("reviews.txt", "numbered");
    let text = text.trim();
    let bold = text.strip_prefix("**").unwrap_or(text);
    let lower = bold.to_lowercase();
    let named = NAMED.iter().find(|name| lower.starts_with(**name)).map_or(0, |name| name.len());
    let after = bold.get(named..).unwrap_or(bold).trim_start_matches([' ', '#']);
    let rest = behind_digits(after);
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

/// What follows `3` and `2.11`.
fn behind_digits(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_more = |c: char| c.is_ascii_digit() || c == '.';
    let more = rest.trim_start_matches(is_more);
    let has_part = rest.starts_with('.') && more.len() + 1 < rest.len() && rest.len() < text.len();
    if has_part && more.starts_with([' ', ':', ')']) { more } else { rest }
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
