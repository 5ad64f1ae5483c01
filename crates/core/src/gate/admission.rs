//! Does a text say enough to be a lesson? At least three content words, not a
//! commonplace, and, from an agent, something to do or to avoid.

use std::collections::BTreeSet;

use crate::gate::Refusal;
use crate::lesson::Origin;
use crate::words::unique_words;

const MIN_CONTENT_WORDS: usize = 3;

/// A text made of nothing but these words helps nobody. Compared after stemming, so
/// the list itself is run through the tokenizer.
const COMMONPLACE: &str = "be careful more always never write good better best clean code quality \
    high proper properly correct correctly make sure ensure follow practice practices standard \
    standards guideline guidelines improve fix bug bugs error errors issue issues problem problems \
    mistake mistakes avoid test tests testing add thing things do work works working should must \
    check double verify review pay attention detail details important remember consider careful \
    thoroughly well done right wrong handle everything try try harder keep mind think step";

/// Words of which an agent's lesson needs at least one: they tell what to do.
const ACTING: &[&str] = &[
    "use", "avoid", "never", "always", "must", "should", "prefer", "instead", "run", "set",
    "don't", "not", "check", "call", "add", "remove", "keep", "pass", "when", "before", "after",
    "if", "ensure", "wrap", "validate", "escape", "close", "pin", "install", "read", "write",
    "test",
];

/// Acting words that count as content; "when" or "if" alone say nothing.
const COUNTED: &[&str] = &[
    "use", "avoid", "never", "always", "prefer", "run", "set", "call", "add", "remove", "keep",
    "pass", "read", "write", "test", "check",
];

pub(super) fn check(text: &str, origin: Origin) -> Result<(), Refusal> {
    if text.is_empty() {
        return Err(Refusal::Empty);
    }
    let words = unique_words(text);
    if words.len() + n_acting(text) < MIN_CONTENT_WORDS {
        return Err(Refusal::TooShort);
    }
    let commonplace = unique_words(COMMONPLACE);
    if words.iter().all(|word| commonplace.binary_search(word).is_ok()) {
        return Err(Refusal::Generic);
    }
    match origin {
        Origin::User | Origin::Reviewer | Origin::Import => Ok(()),
        Origin::Agent if says_what_to_do(text) => Ok(()),
        Origin::Agent => Err(Refusal::NotActionable),
    }
}

fn says_what_to_do(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.any(|word| ACTING.contains(&word))
}

/// Words that tell what to do, and that the index leaves out as too common: "use the
/// project logger" says three things.
fn n_acting(text: &str) -> usize {
    let lower = text.to_lowercase();
    let said: BTreeSet<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let is_unindexed = |word: &&&str| unique_words(word).is_empty();
    said.iter().filter(|word| COUNTED.contains(word)).filter(is_unindexed).count()
}
