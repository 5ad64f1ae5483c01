//! Does a reviewer say that what stands here has been repaired? Only where it says so at an
//! end, in brackets or by a mark: "fixed-size buffer" and "not fixed yet" say no such thing.

use hardwon_core::list;

/// What something is that was repaired.
const WORDS: &[&str] = list!("fixed.txt", "fixed");

/// What may stand before such a word without changing what it says.
const BEFORE: &[&str] = list!("fixed.txt", "before");

/// What may follow, and after which of those words something else is meant.
const AFTER: &[&str] = list!("fixed.txt", "after");

/// Words that revoke it.
const DOUBTS: &[&str] = list!("fixed.txt", "doubts");

const MARKS: &[char] = &['✅', '✔', '☑', '✓'];

/// The longest remark in brackets.
const MAX_REMARK_BYTES: usize = 80;

/// The text without what it says about its repair, if it says that it was repaired.
pub fn without_fix(text: &str) -> Option<String> {
    bracketed(text).or_else(|| marked(text)).or_else(|| ending(text)).map(|rest| {
        let is_loose =
            |c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | ';' | ',' | '*');
        rest.trim_matches(is_loose).to_owned()
    })
}

/// What follows `[FIXED]`, `FIXED:`, a check mark or a struck-out beginning, if a line begins
/// with one.
pub fn behind_mark(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix(MARKS).or_else(|| line.strip_prefix("~~")) {
        return Some(rest.trim_start_matches('\u{fe0f}').trim_start());
    }
    let inner = line.trim_start_matches(['[', '(', '*']);
    let end = inner.find(|c: char| !c.is_alphabetic())?;
    let is_mark = inner.len() < line.len() || inner[end..].starts_with(':');
    let is_closed = inner[end..].starts_with([']', ')', '*', ':']);
    let is_word = WORDS.contains(&inner[..end].to_lowercase().as_str());
    let rest = inner[end..].trim_start_matches([']', ')', '*', ':', ' ']);
    (is_mark && is_closed && is_word && !rest.is_empty()).then_some(rest)
}

/// Whether a heading says of all that stands below it that it was repaired.
pub fn is_heading(text: &str) -> bool {
    const OTHERS: &[&str] = list!("fixed.txt", "heading");
    let words: Vec<String> = words(text).collect();
    let is_known = |word: &String| {
        WORDS.contains(&word.as_str())
            || OTHERS.contains(&word.trim_end_matches('s'))
            || word.chars().all(|c| c.is_ascii_digit())
    };
    words.iter().any(|word| WORDS.contains(&word.as_str())) && words.iter().all(is_known)
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '\'' | '#' | '/'));
    words.filter(|word| word.chars().any(char::is_alphanumeric)).map(str::to_lowercase)
}

/// Whether a text says only that something was repaired: `fixed`, `now resolved`, `has been
/// addressed in #12`.
pub fn is_phrase(text: &str) -> bool {
    let words: Vec<String> = words(text).collect();
    let n_before = words.iter().take_while(|word| BEFORE.contains(&word.as_str())).count();
    let has_doubt = words.iter().any(|word| DOUBTS.contains(&word.as_str())) || text.contains('?');
    let Some(word) = words.get(n_before).filter(|_| !has_doubt) else { return false };
    let is_fixed = WORDS.contains(&word.as_str());
    is_fixed
        && match (words.get(n_before + 1), words.get(n_before + 2)) {
            (None, _) => true,
            (Some(after), then) => AFTER.iter().any(|line| {
                let mut known = line.split(' ');
                known.next() == Some(after) && then.is_none_or(|then| known.all(|k| k != then))
            }),
        }
}

/// `(fixed in #12)`, `[RESOLVED]`, anywhere.
fn bracketed(text: &str) -> Option<String> {
    for (at, open) in text.match_indices(['(', '[']) {
        let close = if open == "(" { ')' } else { ']' };
        let inside = &text[at + 1..];
        let Some(end) = inside.find(close).filter(|end| *end <= MAX_REMARK_BYTES) else { continue };
        if is_phrase(&inside[..end]) {
            let rest = format!("{} {}", text[..at].trim_end(), inside[end + 1..].trim_start());
            return Some(rest.trim().to_owned());
        }
    }
    None
}

/// A check mark, or a word in capitals, at the end.
fn marked(text: &str) -> Option<String> {
    let text = text.trim_end_matches(['\u{fe0f}', ' ', '*', '.', '~']);
    if let Some(rest) = text.strip_suffix(MARKS) {
        return Some(without_fix(rest.trim_end()).unwrap_or_else(|| rest.trim_end().to_owned()));
    }
    let (rest, last) = text.rsplit_once(' ')?;
    let last = last.trim_matches(|c: char| !c.is_alphabetic());
    let is_loud = last.chars().all(char::is_uppercase);
    let is_not = words(rest).last().is_some_and(|word| DOUBTS.contains(&word.as_str()));
    let is_fixed = is_loud && !is_not && WORDS.contains(&last.to_lowercase().as_str());
    is_fixed.then(|| rest.trim_end_matches(['*', ' ', ':']).to_owned())
}

/// `… - fixed by binding parameters`, `… has been fixed.`
fn ending(text: &str) -> Option<String> {
    const BREAKS: &[&str] = &[" - ", " – ", " — ", "; ", " -> ", " → ", " ✅ ", " ✔ ", ". ", ", "];
    let mut breaks: Vec<(usize, usize)> = BREAKS
        .iter()
        .flat_map(|mark| text.match_indices(mark).map(|(at, mark)| (at, at + mark.len())))
        .collect();
    breaks.sort_unstable();
    let at_break = breaks.into_iter().find(|(_, from)| is_phrase(&text[*from..]));
    at_break.map(|(at, _)| text[..at].to_owned()).or_else(|| sentence(text))
}

/// A sentence that ends with `has been fixed`.
fn sentence(text: &str) -> Option<String> {
    const VERBS: &[&str] = list!("fixed.txt", "verbs");
    let verb = VERBS.iter().filter_map(|verb| Some((text.rfind(verb)?, verb.len()))).max()?;
    let last: Vec<String> = words(&text[verb.0 + verb.1..]).collect();
    let is_fixed = last.len() == 1 && WORDS.contains(&last[0].as_str());
    is_fixed.then(|| text[..verb.0].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repair_stands_at_an_end_in_brackets_or_by_a_mark() {
        let fixed = [
            "SQL injection - fixed by binding parameters",
            "SQL injection — resolved",
            "SQL injection; now addressed in #12",
            "SQL injection. Fixed in commit 1a2b3c4.",
            "SQL injection, already fixed",
            "SQL injection (fixed)",
            "SQL injection [RESOLVED in r3]",
            "(already addressed) SQL injection",
            "SQL injection ✅",
            "SQL injection ✅ fixed",
            "SQL injection **FIXED**",
            "SQL injection has been fixed.",
            "SQL injection is now resolved",
        ];
        for text in fixed {
            assert_eq!(without_fix(text).as_deref(), Some("SQL injection"), "{text}");
        }
        let not_fixed = [
            "SQL injection - not fixed",
            "SQL injection (not fixed yet)",
            "SQL injection - should be fixed",
            "SQL injection - fixed in #12 but back again",
            "SQL injection - partially fixed",
            "SQL injection has not been fixed",
            "SQL injection (to be fixed)",
            "SQL injection - unresolved",
            "Buffer overflow - fixed size buffer is too small",
            "Overflow, fixed in size",
            "Header uses position: fixed",
            "The race that was fixed in #12 is back",
            "Fixed salt is used for every hash",
            "Is this fixed?",
            "SQL injection NOT FIXED",
        ];
        for text in not_fixed {
            assert_eq!(without_fix(text), None, "{text}");
        }
    }

    #[test]
    fn lines_that_begin_with_a_mark() {
        assert_eq!(behind_mark("[FIXED] [HIGH] leak"), Some("[HIGH] leak"));
        assert_eq!(behind_mark("**Resolved:** High: leak"), Some("High: leak"));
        assert_eq!(behind_mark("✅ [HIGH] leak"), Some("[HIGH] leak"));
        for line in ["Fixed salt: bad", "[HIGH] leak", "fixed", "", "[FIXED"] {
            assert_eq!(behind_mark(line), None, "{line}");
        }
    }

    #[test]
    fn headings_of_what_was_repaired() {
        for heading in ["Fixed", "✅ Resolved issues (3)", "Previously reported, now fixed"] {
            assert!(is_heading(heading), "{heading}");
        }
        for heading in ["Not fixed", "Must be fixed", "Fixed salt in hashing", "Issues", ""] {
            assert!(!is_heading(heading), "{heading}");
        }
    }
}
