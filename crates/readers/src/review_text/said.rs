//! What does a text ask for, which are its sentences, and does it say that there is nothing? The words
//! themselves stand in data files.

use hardwon_core::list;

/// A text and the repair that it names behind `Fix:` within it, or behind an arrow.
pub fn inline_repair(text: &str) -> (&str, Option<&str>) {
    const NAMES: &[&str] = list!("review_fields.txt", "repair");
    let lower = text.to_lowercase();
    let colons = lower.match_indices(':').filter(|(at, _)| lower.is_char_boundary(*at));
    for (at, _) in colons {
        let before = lower[..at].trim_end_matches(['*', '_']);
        let name =
            NAMES.iter().filter(|name| before.ends_with(**name)).max_by_key(|name| name.len());
        let Some(from) = name.map(|name| before.len() - name.len()) else { continue };
        let is_own = before[..from]
            .trim_end_matches(['*', '_', ' '])
            .ends_with(['.', '!', '?', ';', '—', '-', ')']);
        if is_own && text.len() == lower.len() {
            let rest = text[at + 1..].trim_start_matches(['*', '_', ' ']);
            return (text[..from].trim_end_matches(['*', '_', ' ', ';', '—', '-']), Some(rest));
        }
    }
    match text.split_once(" → ").or_else(|| text.split_once(" -> ")) {
        // From one piece of code to another tells of a change.
        Some((what, repair))
            if what.split_whitespace().count() > 1
                // A second arrow makes steps of it, and in code it is code.
                && repair.matches('`').count() % 2 == 0
                && !repair.contains(" → ")
                && !repair.contains(" -> ")
                && !(what.ends_with('`') && repair.starts_with('`')) =>
        {
            (what.trim_end(), Some(repair))
        }
        _ => (text, None),
    }
}

/// Whether a sentence asks for a repair.
pub fn asks(sentence: &str) -> bool {
    const ASKING: &[&str] = list!("repairs.txt", "asking");
    const ORDERS: &[&str] = list!("repairs.txt", "orders");
    // `truncate_all()` at the beginning is a name.
    if sentence.trim_start_matches(['*', ' ']).starts_with('`') {
        return false;
    }
    let lower = sentence.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_asking = |asking: &&str| {
        let rest = lower.strip_prefix(*asking);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    };
    ASKING.iter().any(is_asking) || ORDERS.contains(&first)
}

/// The sentences of a text. What stands in backticks ends none.
pub fn sentences(text: &str) -> Vec<&str> {
    let (mut all, mut from, mut is_code) = (Vec::new(), 0, false);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        is_code ^= c == '`';
        let ends = matches!(c, '.' | '!' | '?') && !is_code;
        let is_gap = chars.peek().is_some_and(|(_, next)| next.is_whitespace());
        let rest = &text[at + c.len_utf8()..];
        let opens = |c: char| c.is_uppercase() || !c.is_alphanumeric();
        if ends && is_gap && rest.trim_start().starts_with(opens) {
            all.push(text[from..at + c.len_utf8()].trim());
            from = at + c.len_utf8();
        }
    }
    all.push(text[from..].trim());
    all.retain(|sentence| !sentence.is_empty());
    all
}

/// Whether a line stands where a finding would and says that there is none.
pub fn says_none(line: &str) -> bool {
    const NONE: &[&str] = list!("reviews.txt", "none");
    let is_none = |line: &str| {
        let line = line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        NONE.contains(&line.as_str())
    };
    // `**Blockers:** None. All of it follows the plan.`
    let labelled = line.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let behind = labelled.map(|(_, rest)| rest.trim_start_matches([':', ' ']));
    let first = behind.and_then(|rest| sentences(rest).first().copied());
    // `NONE — no blocking issues`
    let dashed = [" — ", " – ", " - "].iter().find_map(|mark| line.split_once(mark));
    is_none(line) || first.is_some_and(is_none) || dashed.is_some_and(|(it, _)| is_none(it))
}

/// Whether the first of several sentences says that there is nothing: `None identified. The change
/// only …`
pub fn begins_with_none(text: &str) -> bool {
    let all = sentences(text);
    all.len() > 1 && all.first().is_some_and(|first| says_none(first))
}

/// Whether a message says that its author found nothing.
pub fn says_clean(message: &str) -> bool {
    const CLEAN: &[&str] = list!("reviews.txt", "clean");
    let lower = message.replace("**", "").to_lowercase();
    CLEAN.iter().any(|phrase| lower.contains(phrase))
}
