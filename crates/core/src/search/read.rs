//! A lesson as a search sees it, each word taken apart once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::iter::once;

use super::Asked;
use crate::lesson::Lesson;
use crate::propose::path_term;
use crate::words::{sorted_unique, spellings, word_of};

/// The words of a text as they are written, each once.
pub(super) fn written(text: &str) -> BTreeSet<String> {
    // Only capitals and underscores show where an identifier comes apart.
    spellings(&text.to_lowercase()).into_iter().collect()
}

/// The grams of everything that occurs.
pub(super) type Spelled<'a> = HashMap<&'a str, Vec<u64>>;

/// A lesson as a search sees it.
pub(super) struct Read {
    /// How often each word occurs.
    pub(super) counts: BTreeMap<String, u32>,
    pub(super) written: BTreeSet<String>,
    pub(super) paths: BTreeSet<String>,
    pub(super) n_words: usize,
}

impl Read {
    pub(super) fn new(lesson: &Lesson) -> Self {
        let texts = lesson.tags.iter().chain(&lesson.category).map(String::as_str);
        let texts: Vec<&str> = lesson.text.body().into_iter().chain(texts).collect();
        let paths = lesson.paths.iter().filter_map(|path| path_term(path)).collect();
        Read { paths, ..Read::of(&texts) }
    }

    /// What stands in these texts, whatever they belong to.
    pub(super) fn of(texts: &[&str]) -> Self {
        let all: Vec<String> = texts.iter().flat_map(|text| spellings(text)).collect();
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for spelling in &all {
            *counts.entry(word_of(spelling)).or_default() += 1;
        }
        Read {
            counts,
            n_words: all.len().max(1),
            written: texts.iter().flat_map(|text| written(text)).collect(),
            paths: BTreeSet::new(),
        }
    }

    /// The spelling that is most like the one asked for, and how much, 0..=1.
    pub(super) fn nearest(&self, asked: &Asked, spelled: &Spelled<'_>) -> Option<(&str, f64)> {
        if let Some(same) = self.written.get(&asked.spelling) {
            return Some((same, 1.0));
        }
        let all = self.written.iter().map(String::as_str);
        let alike = all.map(|own| (own, likeness(&asked.grams, &spelled[own])));
        let best = alike.max_by(|a, b| a.1.total_cmp(&b.1));
        best.filter(|(_, likeness)| *likeness > 0.0)
    }
}

/// Every four characters of a word with a blank at either end, sorted, each once.
pub(super) fn grams(spelling: &str) -> Vec<u64> {
    let padded: Vec<char> = once(' ').chain(spelling.chars()).chain([' ']).collect();
    let packed = |gram: &[char]| gram.iter().fold(0, |all, c| all << 16 ^ u64::from(u32::from(*c)));
    sorted_unique(padded.windows(padded.len().min(4)).map(packed).collect())
}

/// Twice what is shared over what there is; both sides sorted.
fn likeness(a: &[u64], b: &[u64]) -> f64 {
    let n_shared = a.iter().filter(|gram| b.binary_search(gram).is_ok()).count();
    if n_shared == 0 { 0.0 } else { 2.0 * n_shared as f64 / (a.len() + b.len()) as f64 }
}
