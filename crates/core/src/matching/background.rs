//! How common is a word or a piece of a word before the store has seen anything?
//!
//! A young store cannot tell `error` from `downsize`. These tables can: they hold the vocabulary
//! that review findings share whatever the project. What the store itself has seen is added by `features`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::features::{fingerprint, for_each_gram, marked, rarity};
use crate::words::words;

/// Words by how many of a thousand findings contain them, as they are written.
///
/// Counted over 2,952 review findings of 27 pull requests (code-review-benchmark by withmartian, MIT):
/// the 300 commonest words that occur in at least five pull requests, less the few names of projects and languages.
/// 300 words did as well as 500 or 1,000 when each pull request was scored with the words of the others.
const COMMON: &[(u16, &str)] = &[
    (420, "and in is the to"),
    (200, "be causing for instead not of or should when with"),
    (110, "an are but can from if it may method on so that uses which will"),
    (75, "all as at by check code error logic only returns same this use using without"),
    (
        48,
        "after always before behavior calls fail false function id incorrect limit line \
         missing never no non potentially return string test time value",
    ),
    (
        34,
        "allowing because both cache call called cause client condition could data default \
         does doesn empty enabled errors even feature field has into key lines multiple new \
         now null path removed set type update used user validation values via where",
    ),
    (
        25,
        "across any being block checks class concurrent conditions consider count created \
         creating dead different existing failures flag have ids inconsistent incorrectly \
         instances intended invalid like loop making message name need nil object operations \
         parameter per race raise resource returned run runtime server still tests true typo \
         unused users variable was while",
    ),
    (
        19,
        "actual add added avoid break breaking callers calling case checking comment context \
         create creates database db defined delete directly disabled due duplicate during end \
         exception fallback file handling implementation initialization inside instance \
         leading level list literal log match matches methods negative once one other pass \
         permission potential process query regardless remove returning review scope since \
         size start state subsequent than them unnecessary up validate write",
    ),
    (
        14,
        "access actually adding against allows array authorization based between branch catch \
         causes change changes contains definition deterministic documentation duplicated \
         ensure entries exist exists explicit fails failure first guard handle helper import \
         include index input issues join keys lacks leaving local lock logging means objects \
         operator original paths preventing proper properly provider reduce request requests \
         required result risking setting side silently through throw times two undefined \
         updates valid vs won wrong",
    ),
];

/// Words that reviewers exchange freely; the first of a row names the notion.
///
/// Written by hand after reading some of the findings, without use of their labels. As an *addition*
/// to the words they raised pair F1 by .002 to .006; put *in place of* the words they lowered it by .005.
const NOTIONS: &[&str] = &[
    "null nil none undefined",
    "duplicate twice redundant repeat",
    "raise throw thrown",
    "exception error",
    "missing absent lack omit",
    "remove delete destroy drop",
    "function method func",
    "crash panic",
    "incorrect wrong invalid bad improper",
    "parameter argument param arg args params",
    "race concurrent concurrency thread simultaneous parallel",
    "overwrite override shadow",
    "create insert add",
    "check validate verify guard",
    "break broken",
    "update modify change mutate",
    "fail failure",
    "unsafe insecure vulnerability vulnerable injection",
    "test spec",
    "hardcode fixed constant",
    "ignore bypass skip",
    "empty blank",
    "typo misspell misspelling",
    "database db sql",
    "config configuration setting option",
    "async await asynchronous promise",
    "inconsistent inconsistency mismatch differ different",
    "condition conditional",
    "compare comparison equality equal",
    "loop iterate iteration",
    "permission authorization auth privilege access",
    "unused dead unreachable",
    "slow performance inefficient expensive",
    "key identifier id",
    "timeout deadline",
    "lock mutex deadlock",
    "cast convert conversion coerce",
];

/// How rare a word, a spelling, a notion or a gram is among findings, by fingerprint.
pub(super) struct Background {
    rarities: Vec<(u64, f64)>,
    notions: Vec<(u64, u64)>,
}

/// The tables, built once per process (well under a millisecond, and only when something is matched).
pub(super) fn background() -> &'static Background {
    static BACKGROUND: OnceLock<Background> = OnceLock::new();
    BACKGROUND.get_or_init(build)
}

impl Background {
    /// How rare this mark is; infinite when it is not a common one.
    pub(super) fn rarity(&self, mark: u64) -> f64 {
        find(&self.rarities, mark).unwrap_or(f64::INFINITY)
    }

    /// The notion that a word (given by the fingerprint of its stem) stands for.
    pub(super) fn notion(&self, word: u64) -> Option<u64> {
        find(&self.notions, word)
    }
}

fn find<T: Copy>(table: &[(u64, T)], key: u64) -> Option<T> {
    let at = table.binary_search_by_key(&key, |entry| entry.0).ok()?;
    Some(table[at].1)
}

fn build() -> Background {
    let notions = notions();
    let mut rates = BTreeMap::new();
    for (per_mille, common) in COMMON {
        for word in common.split_whitespace() {
            for mark in marks_of(word, &notions) {
                add(&mut rates, mark, f64::from(*per_mille) / 1000.0);
            }
        }
    }
    let rarities = rates.into_iter().map(|(mark, rate)| (mark, rarity(rate))).collect();
    Background { rarities, notions }
}

/// Every mark that a text gains by containing this word, each once.
fn marks_of(word: &str, notions: &[(u64, u64)]) -> Vec<u64> {
    let mut marks = vec![marked('=', word)];
    for stem in words(word) {
        let stem = fingerprint(&stem);
        marks.push(stem);
        marks.extend(find(notions, stem));
    }
    for_each_gram(word, |gram| marks.push(gram));
    marks.sort_unstable();
    marks.dedup();
    marks
}

/// Chance that one of two independent words is present.
fn add(rates: &mut BTreeMap<u64, f64>, mark: u64, rate: f64) {
    let known = rates.entry(mark).or_insert(0.0);
    *known = 1.0 - (1.0 - *known) * (1.0 - rate);
}

fn notions() -> Vec<(u64, u64)> {
    let mut notions = BTreeMap::new();
    for row in NOTIONS {
        let name = row.split(' ').next().map_or(0, |first| marked('~', first));
        for stem in row.split(' ').flat_map(words) {
            notions.entry(fingerprint(&stem)).or_insert(name);
        }
    }
    notions.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_common_and_names_are_not() {
        let rarity_of = |word: &str| background().rarity(fingerprint(word));
        assert!(rarity_of("method") < rarity_of("cach"));
        assert!(rarity_of("check") < rarity(0.05));
        assert_eq!(rarity_of("downsiz"), f64::INFINITY);
    }

    #[test]
    fn grams_of_common_words_are_common() {
        for_each_gram("method", |gram| assert!(background().rarity(gram) < rarity(0.05)));
    }

    #[test]
    fn notions_join_words_and_nothing_else() {
        let notion = |word: &str| background().notion(fingerprint(&words(word)[0]));
        assert_eq!(notion("nil"), notion("undefined"));
        assert_ne!(notion("nil"), notion("twice"));
        assert_eq!(notion("downsize"), None);
    }

    #[test]
    fn no_word_is_listed_twice() {
        let mut all: Vec<&str> = COMMON.iter().flat_map(|row| row.1.split_whitespace()).collect();
        let n_all = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), n_all);
    }
}
