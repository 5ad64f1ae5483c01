//! What does a lesson come to in a few words? The first clause that holds the rule. A pure
//! function of the text: what it gives changes when the text does, and is kept nowhere.

use crate::budget::shorten;
use crate::conflict::may_instruct;

/// Words behind which a clause only gives reasons.
const REASONS: &[&str] =
    &[", because ", " because ", ", since ", ", so that ", " so that ", ", which ", ", as "];

/// A clause of fewer words says nothing by itself.
const MIN_WORDS: usize = 3;

/// The first clause that asks or forbids, else the first clause; at most so many characters.
pub fn summary(text: &str, max_chars: usize) -> String {
    let clauses: Vec<&str> = clauses(text).into_iter().map(without_reason).collect();
    let is_said = |clause: &&&str| clause.split_whitespace().count() >= MIN_WORDS;
    let said = || clauses.iter().filter(is_said);
    let rule = said().find(|clause| may_instruct(clause)).or_else(|| said().next());
    shorten(rule.copied().unwrap_or(text).trim_end_matches(['.', ';', ',', ':']), max_chars)
}

/// Sentences, and their parts between semicolons and dashes.
fn clauses(text: &str) -> Vec<&str> {
    let mut clauses = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices(' ') {
        let (before, after) = (&text[from..at], &text[at + 1..]);
        let ends = before.ends_with(['.', '!', '?']) && begins_sentence(after);
        let parts =
            before.ends_with(';') || ["— ", "– ", "- "].iter().any(|d| after.starts_with(d));
        if ends || parts {
            clauses.push(before.trim_matches(is_between));
            from = at + 1;
        }
    }
    clauses.push(text[from..].trim_matches(is_between));
    clauses
}

fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, '—' | '–' | ';')
}

/// "e.g. retries" goes on.
fn begins_sentence(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_uppercase() || c.is_numeric() || c == '`')
}

fn without_reason(clause: &str) -> &str {
    let end = REASONS.iter().filter_map(|reason| clause.find(reason)).min();
    end.map_or(clause, |end| &clause[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// seed-facts 4.2: all, stored summary, greedy by score.
    #[test]
    fn facts_4_2_a_summary_is_the_first_clause_with_the_rule() {
        let cases = [
            ("Retry once. Twice is too often.", "Twice is too often"),
            ("Use e.g. a bounded queue; the open one grew", "Use e.g. a bounded queue"),
            ("A limiter is created per request — share one", "A limiter is created per request"),
            ("It was slow, since nothing was cached. You must cache it.", "You must cache it"),
            ("Short one", "Short one"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(summary(text, 160), expected, "{text}");
        }
    }

    #[test]
    fn facts_4_2_a_summary_has_at_most_160_characters() {
        let long = "Never let the importer of the old archive open more files ".repeat(8);
        let made = summary(&long, 160);
        assert!(made.chars().count() <= 160 && made.ends_with('…'), "{made}");
        assert_eq!(summary(&format!("Ü{}", "日本".repeat(200)), 160).chars().count(), 160);
    }
}
