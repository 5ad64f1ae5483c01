//! Dates in a sentence, and words that mean one only on the day on which they were written.

use super::Claim;
use crate::list;
use crate::time::Timestamp;

const MS_PER_DAY: i64 = 86_400_000;

/// Rows of phrase, how many days before or after it means, and what replaces it.
const RELATIVE: &[&str] = list!("audit.txt", "relative dates");

/// Words by which a sentence speaks of every day, and not of one.
const EVERY: &[&str] = list!("audit.txt", "every day");

/// Words by which a sentence tells what was.
const PAST: &[&str] = list!("audit.txt", "past");

/// Words by which it speaks of what is to come.
const FUTURE: &[&str] = list!("audit.txt", "future");

fn relative() -> impl Iterator<Item = (&'static str, i64, &'static str)> {
    RELATIVE.iter().filter_map(|row| {
        let mut fields = row.split(" | ");
        Some((fields.next()?, fields.next()?.parse().ok()?, fields.next()?))
    })
}

pub(super) fn dates(sentence: &str) -> Vec<(Claim, String)> {
    let mut found = Vec::new();
    for (at, _) in sentence.match_indices('-') {
        let start = at.saturating_sub(4);
        if let Some(date) = sentence.get(start..start + 10).filter(|_| at >= 4)
            && Timestamp::parse(&format!("{date}T00:00:00Z")).is_some()
            && is_apart(sentence, start, start + 10)
        {
            found.push((Claim::Date(date.to_owned()), date.to_owned()));
        }
    }
    let lower = sentence.to_lowercase();
    let is_every = lower.split(|c: char| !c.is_alphanumeric()).any(|word| EVERY.contains(&word));
    if is_every || lower.len() != sentence.len() {
        return found;
    }
    for (phrase, _, _) in relative() {
        for (at, _) in lower.match_indices(phrase) {
            let end = at + phrase.len();
            let is_code = sentence[..at].matches(['`', '"']).count() % 2 == 1;
            // "Yesterday's data" is of any day.
            let is_owner = lower[end..].starts_with(['\'', '\u{2019}']);
            if is_apart(&lower, at, end) && !is_code && !is_owner {
                let quote = sentence[at..end].to_owned();
                found.push((Claim::RelativeDate(phrase.to_owned()), quote));
            }
        }
    }
    found
}

fn is_apart(text: &str, start: usize, end: usize) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_' || c == '/';
    !text[..start].ends_with(is_word) && !text[end..].starts_with(is_word)
}

/// What a relative date meant when it was written: "on 2026-04-02".
pub fn fixed_date(phrase: &str, written: Timestamp) -> Option<String> {
    let (_, days, lead) = relative().find(|(known, _, _)| *known == phrase)?;
    let day = Timestamp(written.0 + days * MS_PER_DAY);
    Some(format!("{lead} {}", day.date()))
}

/// Whether a sentence with a date tells what was, and not what is to come.
pub fn is_past(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let has = |signs: &[&str]| {
        signs.iter().any(|sign| {
            if sign.contains(' ') { lower.contains(sign) } else { words.contains(sign) }
        })
    };
    has(PAST) && !has(FUTURE)
}
