//! Is a sentence in another language than English a wish? Basic: words that make it last or
//! choose, together with a form that asks, and none of those of a question or the moment.

use super::said::has;
use crate::list;

struct Language {
    lasting: &'static [&'static str],
    over: &'static [&'static str],
    forbids: &'static [&'static str],
    asks: &'static [&'static str],
    /// Questions, reports and the moment.
    not: &'static [&'static str],
}

const LANGUAGES: &[Language] = &[
    Language {
        lasting: list!("wishes_abroad.txt", "de lasting"),
        over: list!("wishes_abroad.txt", "de over"),
        forbids: list!("wishes_abroad.txt", "de forbids"),
        asks: list!("wishes_abroad.txt", "de asks"),
        not: list!("wishes_abroad.txt", "de not"),
    },
    Language {
        lasting: list!("wishes_abroad.txt", "fr lasting"),
        over: list!("wishes_abroad.txt", "fr over"),
        forbids: list!("wishes_abroad.txt", "fr forbids"),
        asks: list!("wishes_abroad.txt", "fr asks"),
        not: list!("wishes_abroad.txt", "fr not"),
    },
    Language {
        lasting: list!("wishes_abroad.txt", "es lasting"),
        over: list!("wishes_abroad.txt", "es over"),
        forbids: list!("wishes_abroad.txt", "es forbids"),
        asks: list!("wishes_abroad.txt", "es asks"),
        not: list!("wishes_abroad.txt", "es not"),
    },
];

/// Whether a sentence in one of these languages is a wish; `None` if it is in none of them.
pub fn is_wish(words: &[&str]) -> Option<bool> {
    let language = LANGUAGES.iter().find(|language| {
        let signs = [language.lasting, language.over, language.forbids];
        signs.iter().any(|list| has(words, list)) && !is_english(words)
    })?;
    let is_forbidden = has(words, language.lasting) && has(words, language.forbids);
    Some(
        (has(words, language.asks) || is_forbidden)
            && !has(words, language.not)
            && words.len() >= 4,
    )
}

/// Small words that no sentence of the others has.
fn is_english(words: &[&str]) -> bool {
    let is_one = |word: &&str| {
        matches!(*word, "the" | "and" | "to" | "of" | "is" | "not" | "don't" | "with")
    };
    words.iter().any(is_one)
}
