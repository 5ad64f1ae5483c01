//! The words of notes: which of them are rare, how many two texts share, and does a text say what
//! to do?

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::list;
use crate::words::{unique_words, words};

const COMMON: &[&str] = list!("background.txt", "common");
const ACTING: &[&str] = list!("admission.txt", "acting");
const OPENING: &[&str] = list!("admission.txt", "opening");

/// Words that stand in every note about a project, beside the common ones of reviews.
const EVERYDAY: &[&str] = list!("bar.txt", "everyday");

static USUAL: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let common = COMMON.iter().flat_map(|row| row.split(' ').skip(1));
    common.chain(EVERYDAY.iter().copied()).flat_map(words).collect()
});

/// The words of a text that say which thing is meant, each once, in byte order.
pub(super) fn rare_words(text: &str) -> Vec<String> {
    let mut rare = unique_words(text);
    rare.retain(|word| is_rare(word));
    rare
}

pub(super) fn is_rare(word: &str) -> bool {
    !USUAL.contains(word)
}

/// Twice the shared words over all words of the two, 0..=1. Both are sorted.
pub(super) fn overlap(a: &[String], b: &[String]) -> f64 {
    let n_shared = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
    2.0 * n_shared as f64 / (a.len() + b.len()).max(1) as f64
}

/// Whether a text says what to do, to avoid, or when.
pub(super) fn says_what_to_do(text: &str) -> bool {
    text.split_inclusive(['.', '!', '?', '\n', ';', ':']).any(|sentence| {
        let lower = sentence.to_lowercase().replace('\u{2019}', "'");
        let words = || lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
        let first = words().find(|word| !word.is_empty());
        let opens = first.is_some_and(|word| OPENING.contains(&word));
        opens || words().any(|word| ACTING.contains(&word) && word != "not")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_told_from_statements() {
        for text in [
            "Use pnpm",
            "The cache is cold. Run `make warm` first",
            "Don’t mock the database",
            "Batch the inserts",
        ] {
            assert!(says_what_to_do(text), "{text}");
        }
        for text in ["The sky is blue", "Postgres runs on port 5433", "It was slow"] {
            assert!(!says_what_to_do(text), "{text}");
        }
    }

    #[test]
    fn rare_words_name_the_thing() {
        assert_eq!(rare_words("Always use the pnpm workspace file"), ["pnpm", "workspac"]);
    }
}
