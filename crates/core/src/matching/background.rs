//! How common is a word or a piece of a word before the store has seen anything?
//!
//! A young store cannot tell `error` from `downsize`. These tables can: they hold the vocabulary
//! that review findings share whatever the project. What the store itself has seen is added by `features`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::grams::{fingerprint, for_each_gram, marked, rarity};
use crate::list;
use crate::words::{sorted_unique, words};

/// Words by how many of a thousand findings contain them, as they are written.
///
/// Counted over 2,952 review findings of 27 pull requests (code-review-benchmark by withmartian, MIT):
/// the 300 commonest words that occur in at least five pull requests, less the few names of projects and languages.
/// 300 words did as well as 500 or 1,000 when each pull request was scored with the words of the others.
const COMMON: &[&str] = list!("background.txt", "common");

/// Words that reviewers exchange freely; the first of a row names the notion.
///
/// Written by hand after reading some of the findings, without use of their labels. As an *addition*
/// to the words they raised pair F1 by .002 to .006; put *in place of* the words they lowered it by .005.
const NOTIONS: &[&str] = list!("background.txt", "notions");

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

    /// The notion of a word (given by the fingerprint of its stem).
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
    for line in COMMON {
        let (per_mille, common) = line.split_once(' ').unwrap_or(("0", ""));
        let rate = per_mille.parse::<f64>().unwrap_or_default() / 1000.0;
        for mark in common.split(' ').flat_map(|word| marks_of(word, &notions)) {
            add(&mut rates, mark, rate);
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
    sorted_unique(marks)
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
        let mut all: Vec<&str> = COMMON.iter().flat_map(|row| row.split(' ').skip(1)).collect();
        let n_all = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), n_all);
    }
}
