//! Which lessons are worth a closer look for a need or a finding? Says what a text is
//! indexed under, and orders what shares terms with a search. Every store keeps its own
//! index but calls [`propose`], so that all of them propose the same. Only proposes:
//! `matching` and `rank` look at the lessons themselves and decide.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use crate::finding::Finding;
use crate::ids::LessonId;
use crate::lesson::Lesson;
use crate::matching::{Corpus, rule_of};
use crate::need::Need;
use crate::words::{sorted_unique, unique_words};

/// A term in more texts than this is left out once rarer ones have proposed enough:
/// it costs most to read and says least. With these numbers, 64 proposals among 10,000
/// lessons held 98 % of the five that an unbounded search puts first, for 2,500 read
/// keys; at 200 it was 90 %, for 900.
pub const COMMON_AT: u64 = 500;

/// At most this many texts are read for one term, in the order of their keys.
pub const MAX_READ_PER_TERM: usize = 1_000;

/// After this many read in all, no further term is read once enough are proposed.
pub const MAX_READ: usize = 2_000;

/// What a lesson is indexed under: words of text, tags and category, of the findings that were
/// recognized as it, and each path and signature as one exact term. Sorted, each once. A lesson
/// whose text was erased keeps the rest.
pub fn terms_of_lesson(lesson: &Lesson) -> Vec<String> {
    let mut terms = terms_of_text(lesson.text.body().unwrap_or_default(), &lesson.paths);
    terms.extend(lesson.signatures.iter().map(|signature| signature_term(signature)));
    let said = lesson.tags.iter().chain(&lesson.category).chain(&lesson.guidance.wordings);
    for words in said {
        terms.extend(unique_words(words));
    }
    sorted_unique(terms)
}

/// What a finding is indexed under, and searched by: the words of its text, its path,
/// its signature and its tool's rule.
pub fn terms_of_finding(finding: &Finding) -> Vec<String> {
    let path = finding.place.as_ref().map(|place| place.path.as_str());
    let mut terms = terms_of_text(finding.text.body().unwrap_or_default(), path.as_slice());
    terms.push(signature_term(&finding.signature));
    terms.extend(rule_of(finding).map(|rule| signature_term(&rule)));
    sorted_unique(terms)
}

/// A signature as one term. Starts with an equals sign, which no word does.
pub fn signature_term(signature: &str) -> String {
    format!("={signature}")
}

/// What to search for when a need comes in: words of text and task, tags, paths as
/// exact terms, and the words of each file's name. Sorted, each once.
pub fn terms_of_need(need: &Need) -> Vec<String> {
    let mut terms = terms_of_text(need.text.as_deref().unwrap_or_default(), &need.paths);
    let names = need.paths.iter().filter_map(|path| path.rsplit(['/', '\\']).next());
    for words in names.chain(need.task.as_deref()).chain(need.tags.iter().map(String::as_str)) {
        terms.extend(unique_words(words));
    }
    sorted_unique(terms)
}

/// What to search for when there is a text and the paths it is about.
pub fn terms_of_text(text: &str, paths: &[impl AsRef<str>]) -> Vec<String> {
    let mut terms = unique_words(text);
    terms.extend(paths.iter().filter_map(|path| path_term(path.as_ref())));
    sorted_unique(terms)
}

/// Orders what shares terms with a search: keys by the summed weight of the shared
/// terms, heaviest first, then by key; at most `limit`.
///
/// `corpus` says how common each searched term is; `read(term, at_most)` gives the
/// first keys, in their order, of the texts that hold a term. Rare terms are read
/// first. The work is bounded by the constants above, whatever the size of the store.
pub fn propose<K: Ord + Hash, E>(
    corpus: &Corpus,
    limit: usize,
    mut read: impl FnMut(&str, usize) -> Result<Vec<K>, E>,
) -> Result<Vec<K>, E> {
    let mut weights: Weights<K> = HashMap::default();
    let mut n_read = 0;
    for (term, n_texts) in rarest_first(corpus) {
        let is_costly = n_texts > COMMON_AT || n_read >= MAX_READ;
        if is_costly && weights.len() >= limit {
            break;
        }
        let keys = read(term, MAX_READ_PER_TERM)?;
        n_read += keys.len();
        let weight = weight(corpus.n_texts, n_texts);
        weights.reserve(keys.len());
        for key in keys {
            *weights.entry(key).or_default() += weight;
        }
    }
    Ok(heaviest(weights, limit))
}

type Weights<K> = HashMap<K, u64, BuildHasherDefault<KeyHasher>>;

/// Of keys that a store gave out: a few thousand at most, so that nobody gains by choosing them, and
/// hashing them is a good part of a search.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    fn finish(&self) -> u64 {
        // Multiplying mixes upwards, and a map goes by the low bits first.
        self.0 ^ (self.0 >> 32)
    }
}

/// Keys by weight, heaviest first, then by key.
fn heaviest<K: Ord>(weights: Weights<K>, limit: usize) -> Vec<K> {
    let mut found: Vec<_> = weights.into_iter().map(|(key, n)| (Reverse(n), key)).collect();
    if found.len() > limit {
        // Most are not wanted: dropped before sorting.
        found.select_nth_unstable(limit);
        found.truncate(limit);
    }
    found.sort_unstable();
    found.into_iter().map(|(_, key)| key).collect()
}

/// Terms that occur at all, rarest first, then by name.
fn rarest_first(corpus: &Corpus) -> Vec<(&str, u64)> {
    let terms = corpus.df.iter().filter(|(_, n_texts)| **n_texts > 0);
    let mut terms: Vec<_> = terms.map(|(term, n_texts)| (term.as_str(), *n_texts)).collect();
    terms.sort_by_key(|(term, n_texts)| (*n_texts, *term));
    terms
}

/// How much sharing a term says, in thousandths: whole numbers, so that sums do not
/// depend on the order of adding. Never zero: even a word that all texts share orders
/// them before those that share nothing.
pub(crate) fn weight(n_all: u64, n_texts: u64) -> u64 {
    let n_others = n_all.saturating_sub(n_texts) as f64;
    let idf = (1.0 + (n_others + 0.5) / (n_texts as f64 + 0.5)).ln();
    ((idf * 1000.0).round() as u64).max(1)
}

/// A path as one term. Starts with a slash, which no word does. `None` for an empty one.
pub(crate) fn path_term(path: &str) -> Option<String> {
    let path = path.trim().replace('\\', "/");
    let mut rest = path.as_str();
    while let Some(shorter) = rest.strip_prefix("./").or(rest.strip_prefix('/')) {
        rest = shorter;
    }
    (!rest.is_empty()).then(|| format!("/{rest}"))
}

/// Lessons that were started and are not stored yet, by their terms.
#[derive(Clone, Debug, Default)]
pub struct Pending {
    n_lessons: u64,
    by_term: BTreeMap<String, BTreeSet<LessonId>>,
}

impl Pending {
    pub fn add(&mut self, lesson: &Lesson) {
        self.n_lessons += 1;
        for term in terms_of_lesson(lesson) {
            self.by_term.entry(term).or_default().insert(lesson.id.clone());
        }
    }

    /// How common these terms are, with the pending lessons counted in.
    pub fn counted_in(&self, mut corpus: Corpus, terms: &[String]) -> Corpus {
        corpus.n_texts += self.n_lessons;
        for (term, ids) in terms.iter().filter_map(|term| self.by_term.get_key_value(term)) {
            *corpus.df.entry(term.clone()).or_default() += ids.len() as u64;
        }
        corpus
    }

    /// The lessons that share most of these terms.
    pub fn sharing(&self, terms: &[String], limit: usize) -> BTreeSet<LessonId> {
        let mut shared: BTreeMap<&LessonId, usize> = BTreeMap::new();
        for id in terms.iter().filter_map(|term| self.by_term.get(term)).flatten() {
            *shared.entry(id).or_default() += 1;
        }
        let best = shared.into_iter().map(|(id, n)| (Reverse(n), id));
        let best = sorted_unique(best.collect());
        best.into_iter().take(limit).map(|(_, id)| id.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::convert::Infallible;

    use super::*;

    fn check(index: &[(&str, Vec<u32>)], n_texts: u64, limit: usize) -> (Vec<u32>, Vec<String>) {
        let df = index.iter().map(|(term, keys)| (term.to_string(), keys.len() as u64));
        let corpus = Corpus { n_texts, df: df.collect() };
        let lists: BTreeMap<&str, &Vec<u32>> = index.iter().map(|(t, k)| (*t, k)).collect();
        let mut read = Vec::new();
        let found = propose(&corpus, limit, |term, at_most| {
            read.push(term.to_owned());
            Ok::<_, Infallible>(lists[term].iter().take(at_most).copied().collect())
        });
        (found.unwrap(), read)
    }

    #[test]
    fn rare_terms_weigh_more_and_ties_go_by_key() {
        let index = [("common", vec![1, 2, 3, 4]), ("rare", vec![4, 3])];
        assert_eq!(check(&index, 100, 9).0, [3, 4, 1, 2]);
        assert_eq!(check(&index, 100, 3).0, [3, 4, 1]);
        assert_eq!(check(&index, 100, 0).0, [0u32; 0]);
    }

    #[test]
    fn a_common_term_is_read_only_while_too_few_are_proposed() {
        let common: Vec<u32> = (0..COMMON_AT as u32 + 1).collect();
        let index = [("common", common), ("rare", vec![7, 9])];
        assert_eq!(check(&index, 10_000, 2), (vec![7, 9], vec!["rare".to_owned()]));
        let (found, read) = check(&index, 10_000, 3);
        assert_eq!(found, [7, 9, 0]);
        assert_eq!(read, ["rare", "common"]);
    }

    #[test]
    fn the_work_is_bounded() {
        let index: Vec<(String, Vec<u32>)> =
            (0..100).map(|i| (format!("t{i:02}"), (0..400).collect())).collect();
        let index: Vec<_> = index.iter().map(|(term, all)| (term.as_str(), all.clone())).collect();
        let (found, read) = check(&index, 1_000, 10);
        assert_eq!(found.len(), 10);
        assert_eq!(read.len(), MAX_READ / 400);
    }

    #[test]
    fn a_path_is_one_term_however_it_is_written() {
        for path in ["src/api.rs", "./src/api.rs", "/src/api.rs", ".//src/api.rs", "src\\api.rs"] {
            assert_eq!(path_term(path).as_deref(), Some("/src/api.rs"), "{path}");
        }
        assert_eq!(path_term("./"), None);
    }

    #[test]
    fn a_need_searches_for_all_it_says() {
        let need = Need {
            task: Some("payments".into()),
            paths: vec!["src/session_token.rs".into()],
            tags: vec!["auth".into()],
            text: Some("refresh handling".into()),
            ..Need::default()
        };
        let terms = terms_of_need(&need);
        assert!(terms.is_sorted());
        assert!(terms.contains(&"/src/session_token.rs".to_owned()));
        for words in ["payments", "session", "auth", "refresh"] {
            assert!(unique_words(words).iter().all(|word| terms.contains(word)), "{words}");
        }
    }
}
