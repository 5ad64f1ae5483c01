//! Which patterns does a report want to be remembered? A section "Accumulated Patterns", each
//! item one of them. What was put into the prompt, and is given back, is left out.

use hardwon_core::event::FindingStated;

use crate::kinds::{System, from_foreign};

const MAX_PATTERNS: usize = 100;

const TITLE: &str = "accumulated patterns";
const SHOWN_BEGIN: &str = "=== HISTORICAL PATTERNS";
const SHOWN_END: &str = "=== END HISTORICAL PATTERNS ===";

/// The patterns of a report, and the report without that section.
pub fn patterns(text: &str, author: &str) -> (Vec<FindingStated>, String) {
    let mut items: Vec<String> = Vec::new();
    let mut rest = String::new();
    let (mut is_inside, mut is_fenced) = (false, false);
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        is_fenced ^= words.starts_with("```");
        if !is_fenced && is_heading(words) {
            is_inside = words.to_lowercase().contains(TITLE);
        }
        if !is_inside {
            rest.push_str(line);
        } else if !is_fenced && !is_heading(words) {
            take(&mut items, line);
        }
    }
    let found = items.iter().filter_map(|item| pattern(item, author));
    (found.take(MAX_PATTERNS).collect(), rest)
}

fn is_heading(line: &str) -> bool {
    let is_marked = line.starts_with('#') || line.starts_with("===") || line == "---";
    let is_bold = line.starts_with("**") && line.trim_end_matches(':').ends_with("**");
    is_marked || is_bold
}

/// A line of the section: an item begins, or goes on.
fn take(items: &mut Vec<String>, line: &str) {
    let body = line.trim_start();
    let indent = line.len() - body.len();
    let number = body.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered =
        number.len() < body.len() && (number.starts_with(". ") || number.starts_with(") "));
    let is_bullet = ["- ", "* ", "+ ", "• "].iter().any(|mark| body.starts_with(mark));
    if is_bullet || is_numbered {
        let (_, words) = body.split_once(' ').unwrap_or_default();
        items.push(words.trim().to_owned());
    } else if indent > 0
        && !body.is_empty()
        && let Some(last) = items.last_mut()
    {
        last.push(' ');
        last.push_str(body.trim_end());
    }
}

/// One item: `[rule] …`, `causal: …` or bare words.
fn pattern(item: &str, author: &str) -> Option<FindingStated> {
    let item = item.replace("**", "");
    let (category, words) = category(item.trim());
    let words = without_record(words);
    let lower = words.to_lowercase();
    let is_nothing = ["none", "n/a", "no new", "no pattern", "no accumulated", "nothing"]
        .iter()
        .any(|word| lower.starts_with(word) && lower.len() < 60);
    if is_nothing || words.split_whitespace().count() < 3 {
        return None;
    }
    Some(FindingStated {
        author: Some(author.to_owned()),
        severity: Some("warning".to_owned()),
        category,
        text: words.to_owned(),
        ..FindingStated::default()
    })
}

fn category(item: &str) -> (Option<String>, &str) {
    let inner = item.strip_prefix(['[', '(']).unwrap_or(item);
    let end = inner.find([']', ')', ':']).filter(|end| *end < 16);
    let Some(end) = end else { return (None, item) };
    let word = inner[..end].trim().to_lowercase();
    match from_foreign(System::JkzPatterns, &word) {
        Some(_) => (Some(word), inner[end + 1..].trim_start_matches([':', ' '])),
        None => (None, item),
    }
}

/// Without the record that a block shows behind a pattern: `[5x validated]`.
fn without_record(words: &str) -> &str {
    let words = words.trim();
    let tail = words.strip_suffix(']').and_then(|head| head.rsplit_once(" ["));
    let is_record = |tail: &str| {
        tail.contains("x validated")
            || tail.contains(" net")
            || tail.contains("score:")
            || tail.contains("via:")
    };
    tail.filter(|(_, tail)| is_record(tail)).map_or(words, |(head, _)| head.trim())
}

/// A text without the patterns that had been put into the prompt.
pub fn without_shown(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find(SHOWN_BEGIN) {
        kept.push_str(&rest[..begin]);
        rest = rest[begin..].split_once(SHOWN_END).map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_of_the_section_is_a_pattern() {
        let text = "# Audit\r\nFine.\r\n\r\n## Accumulated Patterns\r\n\r\n- Plans name no owner for the migration\r\n\
            - [rule] Every step names the file it\r\n  touches\r\n* causal: **Retries** hide a lost lock [5x validated]\r\n\
            - None\r\n1. Rollback is never tested first\r\n```\n- not this one here\n```\n\n## Verdict\n- PASS it is now\n";
        let (found, rest) = patterns(text, "auditor");
        let told: Vec<String> = found
            .iter()
            .map(|found| format!("{} {}", found.category.as_deref().unwrap_or("-"), found.text))
            .collect();
        assert_eq!(
            told,
            [
                "- Plans name no owner for the migration",
                "rule Every step names the file it touches",
                "causal Retries hide a lost lock",
                "- Rollback is never tested first",
            ]
        );
        assert_eq!(rest, "# Audit\r\nFine.\r\n\r\n## Verdict\n- PASS it is now\n");
        assert!(found.iter().all(|found| found.author.as_deref() == Some("auditor")));
    }

    #[test]
    fn the_section_may_be_missing_empty_or_last() {
        for (text, n) in [
            ("", 0),
            ("## Accumulated Patterns", 0),
            ("## Accumulated Patterns\nNone so far.\n- No new patterns in this run", 0),
            ("**Accumulated patterns:**\n- Time zones are mixed up again", 1),
            (
                "=== ACCUMULATED PATTERNS ===\n- Time zones are mixed up again\n=== END ===\n- so are units of money",
                1,
            ),
        ] {
            assert_eq!(patterns(text, "curator").0.len(), n, "{text}");
        }
    }

    #[test]
    fn what_was_put_into_the_prompt_is_left_out() {
        let text =
            "a\n=== HISTORICAL PATTERNS (judge) ===\n- x\n=== END HISTORICAL PATTERNS ===\nb";
        assert_eq!(without_shown(text), "a\n\nb");
        assert_eq!(without_shown("a === HISTORICAL PATTERNS (judge) ===\n- x"), "a ");
    }
}
