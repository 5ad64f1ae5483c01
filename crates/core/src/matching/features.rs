//! What is compared when two texts are compared?
//!
//! Turns a subject into sorted, hashed marks once, so that one likeness is a merge of short lists.
//! How marks add up to a likeness is decided in `matching`.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::background::background;
use super::marks::{fingerprint, marked, rarity};
use super::{Corpus, MatchPolicy, Method, Subject};
use crate::words::{ascii_words, sorted_unique, words};

/// How many texts are remembered as they were taken apart, some kilobytes each.
const N_REMEMBERED: usize = 512;

thread_local! {
    // The findings of a run are compared with the lessons of a few places, and with what was
    // fixed there: the same texts again and again, and taking one apart is most of the work.
    static TAKEN_APART: RefCell<HashMap<String, Arc<Features>>> = RefCell::default();
}

/// A subject made ready for comparing under one method; prepare lessons once, compare many times.
///
/// Independent of corpus and weights, so it stays valid while the store grows.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    /// What it was made from.
    pub subject: Subject<'a>,
    pub(super) features: Arc<Features>,
    /// The other findings that were recognized as it; none under [`Method::Overlap`].
    pub(super) others: Vec<(&'a str, Arc<Features>)>,
}

impl<'a> Prepared<'a> {
    /// Reads the subject's text. Costs about as much as a dozen comparisons.
    pub fn new(subject: &Subject<'a>, method: Method) -> Self {
        match method {
            Method::Weighted => {
                let others =
                    subject.wordings.iter().map(|text| (text.as_str(), Features::of(text)));
                let (features, others) = (Features::of(subject.text), others.collect());
                Prepared { subject: *subject, features, others }
            }
            Method::Overlap => {
                let (features, others) = (Arc::new(overlap_features(subject)), Vec::new());
                Prepared { subject: *subject, features, others }
            }
        }
    }

    /// One more finding that was recognized as it.
    pub fn add_wording(&mut self, finding: &Prepared<'a>) {
        self.others.push((finding.subject.text, finding.features.clone()));
    }

    /// How many findings it is compared by.
    pub fn n_texts(&self) -> usize {
        1 + self.others.len()
    }

    /// Its own text and those of the other findings.
    pub fn texts(&self) -> impl Iterator<Item = &'a str> {
        let own = std::iter::once(self.subject.text);
        own.chain(self.others.iter().map(|(text, _)| *text))
    }

    pub(super) fn all_features(&self) -> impl Iterator<Item = &Features> {
        let others = self.others.iter().map(|(_, features)| features.as_ref());
        std::iter::once(self.features.as_ref()).chain(others)
    }
}

#[derive(Clone, Debug)]
pub(super) enum Features {
    Weighted(Said),
    Overlap { tokens: Vec<String>, with_tags: Vec<String> },
}

/// A text, taken apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    /// Its words, by their fingerprints, each once.
    pub(super) marks: Vec<Mark>,
    /// Its words in their order, as far as they are in a script with blanks between words.
    opening: Vec<u64>,
    /// Where it ends, but for numbers.
    end: usize,
}

impl Said {
    fn push(&mut self, id: u64, at: usize, word: u64) {
        self.marks.push(Mark { id, at, word, rarity: background().rarity(id) });
    }

    /// With how many words both begin, if each goes on with others: what two texts begin with is
    /// what they speak of, what follows is what they say about it.
    pub(super) fn n_in_opening(&self, other: &Said) -> usize {
        let pairs = self.opening.iter().zip(&other.opening);
        let n_equal = pairs.take_while(|(one, other)| one == other).count();
        if n_equal < self.end.min(other.end) { n_equal } else { 0 }
    }
}

impl Features {
    /// Of a text, from memory if the text was taken apart lately.
    fn of(text: &str) -> Arc<Self> {
        let known = TAKEN_APART.with_borrow(|known| known.get(text).cloned());
        known.unwrap_or_else(|| {
            let new = Arc::new(Features::Weighted(said(text)));
            TAKEN_APART.with_borrow_mut(|known| {
                if known.len() >= N_REMEMBERED {
                    known.clear();
                }
                known.insert(text.to_owned(), Arc::clone(&new));
            });
            new
        })
    }
}

/// A word as the index has it, or as it is written: same spelling is a stronger sign than same stem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) id: u64,
    /// Where it stands for the last time, counted in words.
    pub(super) at: usize,
    /// The index word behind the mark, under which the corpus may know its frequency.
    word: u64,
    rarity: f64,
}

/// The weight of a mark: rarer counts more, by what is known of reviews in general and of this store.
pub(super) struct Weights<'a> {
    policy: &'a MatchPolicy,
    /// Frequencies in the store, by fingerprint of the word.
    seen: Vec<(u64, u64)>,
    n_texts: f64,
    prior: f64,
    /// Rarity of what is in no list.
    unseen: f64,
    /// By how much everything unseen grows rarer as the store grows.
    growth: f64,
}

impl<'a> Weights<'a> {
    pub(super) fn new(corpus: &Corpus, policy: &'a MatchPolicy) -> Self {
        let mut seen: Vec<(u64, u64)> =
            corpus.df.iter().map(|(word, &n)| (fingerprint(word), n)).collect();
        seen.sort_unstable();
        let (n_texts, prior) = (corpus.n_texts as f64, policy.prior_texts.max(1.0));
        let growth = ((n_texts + prior) / prior).ln();
        Weights { policy, seen, n_texts, prior, unseen: rarity(policy.unseen_rate), growth }
    }

    /// What each side is taken to leave unsaid: words with their spellings.
    pub(super) fn unsaid(&self) -> f64 {
        2.0 * self.policy.unsaid * (self.unseen + self.growth)
    }

    /// Rarity of a share in which the general rate counts as `prior` texts beside those of the store.
    pub(super) fn of(&self, mark: &Mark) -> f64 {
        let general = mark.rarity.min(self.unseen);
        match self.n_seen(mark.word) {
            0 => general + self.growth,
            n_seen => rarity(
                (n_seen as f64 + self.prior * (-general).exp()) / (self.n_texts + self.prior),
            ),
        }
    }

    fn n_seen(&self, word: u64) -> u64 {
        let at = self.seen.binary_search_by_key(&word, |entry| entry.0);
        at.map_or(0, |at| self.seen[at].1)
    }
}

fn said(text: &str) -> Said {
    let mut said = Said { marks: Vec::with_capacity(text.len() / 3), ..Said::default() };
    let mut n_words = 0;
    for run in text.split(|c: char| !is_identifier_char(c)) {
        let parts = words(run);
        for part in &parts {
            let word = fingerprint(part);
            said.push(word, n_words, word);
            if part.is_ascii() && said.opening.len() == n_words {
                said.opening.push(word);
            }
            n_words += 1;
            if !part.bytes().all(|b| b.is_ascii_digit()) {
                said.end = n_words;
            }
        }
        if let [only] = parts.as_slice() {
            said.push(marked('=', &run.to_lowercase()), n_words - 1, fingerprint(only));
        }
    }
    said.marks.sort_by_key(|mark| (mark.id, Reverse(mark.at)));
    said.marks.dedup_by_key(|mark| mark.id);
    said
}

/// Any letter beyond ASCII, combining marks included, stays inside; `words` cuts those runs properly.
fn is_identifier_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '\'') || (!c.is_ascii() && !c.is_whitespace())
}

fn overlap_features(subject: &Subject) -> Features {
    let tokens = ascii_words(subject.text);
    let mut with_tags = tokens.clone();
    with_tags.extend(subject.tags.iter().flat_map(|tag| ascii_words(tag)));
    Features::Overlap { tokens, with_tags: sorted_unique(with_tags) }
}
