//! What did the edits have in common that ended a tool's complaint? Not the edit itself, which
//! is the code of one place, but what it added or replaced: `%w`, `exec.CommandContext` for
//! `exec.Command`, a comment that excuses the place.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::TextChange;
use crate::list;

/// Comments by which tools are told to pass a place over.
const EXCUSES: &[&str] = list!("mistakes.txt", "excuses");

/// More new names than this, and the edit is a piece of work.
const MAX_NEW: usize = 2;

/// Longest name that is quoted, in characters.
const MAX_NAME_CHARS: usize = 48;

/// What ended the complaint of a rule, by the edits that did; the most frequent of them.
pub fn repair(rule: &str, message: &str, changes: &[&TextChange]) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for change in changes {
        if let Some(shape) = shape(rule, message, change) {
            *counts.entry(shape).or_default() += 1;
        }
    }
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, n)| *n == most).map(|(shape, _)| shape)
}

fn shape(rule: &str, message: &str, change: &TextChange) -> Option<String> {
    if let Some(excuse) = excuse(rule, change) {
        return Some(format!("mark a place that is right with `{excuse}` and the reason"));
    }
    let (removed, added) = (names(&change.removed), names(&change.added));
    let come: Vec<&&str> = added.difference(&removed).collect();
    let gone: Vec<&&str> = removed.difference(&added).collect();
    // Of all verbs of a format only this one says something: it keeps the error.
    let is_about_wrapping =
        ["wrap", "%w", "errorf"].iter().any(|word| message.to_lowercase().contains(word));
    if is_about_wrapping && come.iter().any(|name| **name == "%w") {
        return Some("add `%w`".to_owned());
    }
    // The tool's own proposal, where the edit took it.
    let is_proposed = |name: &&&&str| {
        let last = name.rsplit(['.', ':']).next().unwrap_or_default();
        last.chars().count() >= 4 && message.contains(last) && !change.removed.contains(last)
    };
    if let Some(proposed) = come.iter().find(is_proposed) {
        return Some(format!("use `{proposed}`"));
    }
    match (gone.as_slice(), come.as_slice()) {
        ([gone], [come]) => Some(format!("`{come}` instead of `{gone}`")),
        ([], come) if come.len() == 1 && is_telling(come[0]) => Some(format!("add `{}`", come[0])),
        (_, come) if come.len() > MAX_NEW => None,
        _ => None,
    }
}

/// `//nolint:gosec`, if the edit added it for this rule.
fn excuse(rule: &str, change: &TextChange) -> Option<String> {
    let name = rule.rsplit(['/', ':']).next().unwrap_or(rule).to_lowercase();
    let family = rule.split(['/', ':']).next().unwrap_or(rule).to_lowercase();
    let find = |text: &str| {
        let line = text.lines().find(|line| {
            let lower = line.to_lowercase();
            let is_excuse = EXCUSES.iter().any(|excuse| lower.contains(excuse));
            is_excuse && (lower.contains(&name) || lower.contains(&family))
        })?;
        let lower = line.to_lowercase();
        EXCUSES.iter().find_map(|excuse| {
            let at = lower.find(excuse)?;
            let rest = line.get(at..)?;
            let end = rest.find(|c: char| c.is_whitespace() || c == ',' || c == ')');
            let end = end.unwrap_or(rest.len());
            // `noqa: E501` has a blank in it.
            let more = rest[end..].trim_start().split_whitespace().next().unwrap_or_default();
            let head = &rest[..end];
            let is_open =
                head.ends_with(':') || head.ends_with("-line") || head.ends_with("ignore");
            Some(if is_open { format!("{head} {more}") } else { head.to_owned() })
        })
    };
    let is_new = find(&change.removed).is_none();
    find(&change.added).filter(|_| is_new).filter(|excuse| excuse.chars().count() <= MAX_NAME_CHARS)
}

/// The names, format verbs and octal numbers of a piece of code.
fn names(code: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '%');
    let pieces = code.split(|c: char| !is_part(c)).map(|piece| piece.trim_matches('.'));
    let is_name = |piece: &&str| {
        let is_verb = piece.len() == 2 && piece.starts_with('%');
        let is_octal = piece.starts_with("0o") || piece.starts_with("0x");
        let is_word = piece.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        piece.len() <= MAX_NAME_CHARS && (is_verb || is_octal || is_word)
    };
    pieces.filter(is_name).collect()
}

/// A name that says something without the code around it.
fn is_telling(name: &str) -> bool {
    name.contains('.') || name.starts_with("0o") || name.starts_with(|c: char| c.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_edits_have_in_common_is_named() {
        let table = [
            (
                "wrapcheck",
                "error returned is unwrapped",
                "return err",
                "return fmt.Errorf(\"read: %w\", err)",
                Some("add `%w`"),
            ),
            (
                "noctx",
                "os/exec.Command must not be called. use os/exec.CommandContext",
                "exec.Command(\"git\")",
                "exec.CommandContext(ctx, \"git\")",
                Some("use `exec.CommandContext`"),
            ),
            (
                "gosec/G304",
                "Potential file inclusion via variable",
                "os.Open(path)",
                "os.Open(path) //nolint:gosec // path is ours",
                Some("mark a place that is right with `nolint:gosec` and the reason"),
            ),
            (
                "E501",
                "Line too long",
                "x = 1",
                "x = 1  # noqa: E501",
                Some("mark a place that is right with `noqa: E501` and the reason"),
            ),
            (
                "gosec/G306",
                "Expect WriteFile permissions to be 0600 or less",
                "os.WriteFile(a, b, 0o644)",
                "os.WriteFile(a, b, 0o600)",
                Some("`0o600` instead of `0o644`"),
            ),
            ("unused", "func `x` is unused", "func x() {}", "", None),
            ("dupl", "lines are duplicate", "a b c", "d e f g h i j", None),
        ];
        for (rule, message, removed, added, expected) in table {
            let change = TextChange { removed: removed.to_owned(), added: added.to_owned() };
            assert_eq!(repair(rule, message, &[&change]).as_deref(), expected, "{rule}");
        }
    }
}
