//! How common is a word before the store has seen anything?
//!
//! A young store cannot tell `error` from `downsize`. These tables can: they hold the vocabulary
//! that review findings share whatever the project. What the store itself has seen is added by `features`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::marks::{fingerprint, marked, rarity};
use crate::list;
use crate::words::words;

/// Words by how many of a thousand findings contain them, as they are written.
///
/// Counted over 2,952 review findings of 27 pull requests (code-review-benchmark by withmartian, MIT):
/// the 300 commonest words that occur in at least five pull requests, less the few names of projects and languages.
/// 300 words did as well as 500 or 1,000 when each pull request was scored with the words of the others.
const COMMON: &[&str] = list!("background.txt", "common");

/// How rare a word or a spelling is among findings, by fingerprint.
pub(super) struct Background(Vec<(u64, f64)>);

/// The tables, built once per process (well under a millisecond, and only when something is matched).
pub(super) fn background() -> &'static Background {
    static BACKGROUND: OnceLock<Background> = OnceLock::new();
    BACKGROUND.get_or_init(build)
}

impl Background {
    /// How rare this mark is; infinite when it is not a common one.
    pub(super) fn rarity(&self, mark: u64) -> f64 {
        let at = self.0.binary_search_by_key(&mark, |entry| entry.0);
        at.map_or(f64::INFINITY, |at| self.0[at].1)
    }
}

fn build() -> Background {
    let mut rates = BTreeMap::new();
    for line in COMMON {
        let (per_mille, common) = line.split_once(' ').unwrap_or(("0", ""));
        let rate = per_mille.parse::<f64>().unwrap_or_default() / 1000.0;
        for word in common.split(' ') {
            add(&mut rates, marked('=', word), rate);
            words(word).iter().for_each(|stem| add(&mut rates, fingerprint(stem), rate));
        }
    }
    Background(rates.into_iter().map(|(mark, rate)| (mark, rarity(rate))).collect())
}

/// Chance that one of two independent words is present.
fn add(rates: &mut BTreeMap<u64, f64>, mark: u64, rate: f64) {
    let known = rates.entry(mark).or_insert(0.0);
    *known = 1.0 - (1.0 - *known) * (1.0 - rate);
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
    fn no_word_is_listed_twice() {
        let mut all: Vec<&str> = COMMON.iter().flat_map(|row| row.split(' ').skip(1)).collect();
        let n_all = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), n_all);
    }
}
