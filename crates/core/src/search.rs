//! Which lessons answer a search best, and why? Orders what the store proposed by the words
//! that each lesson has in common with the search, as relevance to a need does: rare words
//! count most, and a word that is only spelled alike counts in part.
//! Who may be shown in a block, and in which order, is `rank`'s to say.
//!
//! The numbers of the formula were chosen on one half of public question sets
//! (`hardwon-sim retrieval`) and confirmed on the other. Tried and left out, because they
//! gained nothing that could be told from chance: words of the best hits as further words of
//! the search, pairs of neighboring words, and tables of what words mean, which found one to two
//! in a hundred more and took twice the memory. Who has a model brings its vectors ([`Blend`]).

mod read;

use std::collections::BTreeMap;

use crate::lesson::Lesson;
use crate::matching::Corpus;
use crate::propose::{self, path_term};
use crate::words::{sorted_unique, spellings, word_of};
use read::{Read, Spelled, grams, written};

/// So many lessons are proposed for a search at least: beyond 80 nothing was gained.
pub const N_PROPOSED: usize = 200;

/// How soon a further occurrence of a word stops to count (k1 of BM25).
const SATURATION: f64 = 0.8;

/// How much of a lesson's length is held against it (b of BM25). In talk, length says
/// nothing; in documentation it says a little.
const LENGTH: f64 = 0.4;

/// What spelling counts beside the words.
const SPELLING: f64 = 0.6;

/// Of a score with embeddings, what likeness by them counts, and what the words do.
const LIKENESS: f64 = 0.6;
const WORDS: f64 = 0.4;

/// So many of the best are compared by embeddings.
pub const N_EMBEDDED: usize = 64;

/// Two spellings less alike than this are not given as a reason.
const ALIKE: f64 = 0.5;

/// What is searched for, and how much of it is wanted.
#[derive(Clone, Debug, Default)]
pub struct SearchRequest {
    pub text: String,
    pub limit: usize,
    /// Also what is put away.
    pub is_all: bool,
}

/// A search, taken apart once.
#[derive(Clone)]
pub struct Question {
    words: Vec<Asked>,
    /// As they were written: an identifier is one, not several.
    written: Vec<Asked>,
    paths: Vec<String>,
}

#[derive(Clone, Debug)]
struct Asked {
    spelling: String,
    word: String,
    grams: Vec<u64>,
}

/// A lesson's place in the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Index into the lessons that were ordered.
    pub index: usize,
    /// How much of the search it covers, in thousandths.
    pub score: u32,
    /// What it has in common with the search, the rarest first.
    pub why: Vec<Reason>,
}

/// Something that a lesson has in common with a search.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Reason {
    /// The word itself, whatever its ending.
    #[error("{0}")]
    Word(String),
    /// A word of the search, and one of the lesson that is spelled alike.
    #[error("{0} ~ {1}")]
    Alike(String, String),
    /// A path that it was seen in.
    #[error("{0}")]
    Path(String),
    /// How alike both are.
    #[error("embedding {0} %")]
    Embedding(i32),
}

impl Question {
    /// Whatever has a slash in it is taken for a path as well as for words.
    ///
    /// ```
    /// use hardwon_core::search::Question;
    ///
    /// assert_eq!(Question::new("userId").terms(), Question::new("user id").terms());
    /// assert!(Question::new("src/api.rs").terms().contains(&"/src/api.rs".to_owned()));
    /// ```
    pub fn new(text: &str) -> Self {
        let asked = |spelling: String| {
            let (word, grams) = (word_of(&spelling), grams(&spelling));
            Asked { spelling, word, grams }
        };
        let words = sorted_unique(spellings(text)).into_iter().map(asked).collect();
        let written = written(text).into_iter().map(asked).collect();
        let paths = text.split_whitespace().filter(|piece| piece.contains('/'));
        Question { words, written, paths: paths.filter_map(path_term).collect() }
    }

    /// What to search the index for. Sorted, each once.
    pub fn terms(&self) -> Vec<String> {
        let words = self.words.iter().map(|asked| asked.word.clone());
        sorted_unique(words.chain(self.paths.iter().cloned()).collect())
    }
}

/// Orders lessons by how much of the search they cover, best first, then by id. A lesson that
/// has no word and no path of it is left out.
pub fn order(lessons: &[Lesson], question: &Question, corpus: &Corpus) -> Vec<Hit> {
    let read: Vec<Read> = lessons.iter().map(Read::new).collect();
    let mut hits = hits(&read, question, corpus);
    hits.sort_by(|a, b| {
        let by_id = || lessons[a.index].id.cmp(&lessons[b.index].id);
        b.score.cmp(&a.score).then_with(by_id)
    });
    hits
}

/// The same for texts that are no lessons: best first, then in their order.
pub fn order_texts(texts: &[String], question: &Question) -> Vec<Hit> {
    let read: Vec<Read> = texts.iter().map(|text| Read::of(&[text])).collect();
    let mut corpus = Corpus { n_texts: read.len() as u64, ..Corpus::default() };
    for word in read.iter().flat_map(|read| read.counts.keys()) {
        *corpus.df.entry(word.clone()).or_default() += 1;
    }
    let mut hits = hits(&read, question, &corpus);
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
    hits
}

/// What covers a part of the search, with how much.
fn hits(read: &[Read], question: &Question, corpus: &Corpus) -> Vec<Hit> {
    let written = read.iter().flat_map(|read| &read.written);
    let spelled: Spelled<'_> = written.map(|own| (own.as_str(), grams(own))).collect();
    let n_words: usize = read.iter().map(|read| read.n_words).sum();
    let usual = (n_words as f64 / read.len().max(1) as f64).max(1.0);
    let scored = read.iter().enumerate().map(|(index, read)| {
        let (score, why) = cover(question, read, corpus, usual, &spelled);
        Hit { index, score: (score * 1000.0).round() as u32, why }
    });
    let is_found = |why: &[Reason]| why.iter().any(|it| !matches!(it, Reason::Alike(..)));
    scored.filter(|hit| is_found(&hit.why)).collect()
}

/// Embeddings of a search and of what it found: 0.6 of how alike they are and 0.4 of the score by
/// words. Without them words decide.
pub struct Blend {
    alike: Vec<f64>,
}

impl Blend {
    /// Of the search, then of what it found. `None` without any, or if their lengths differ.
    pub fn new(vectors: &[Vec<f64>]) -> Option<Blend> {
        let (asked, found) = vectors.split_first()?;
        let is_whole = !asked.is_empty() && found.iter().all(|own| own.len() == asked.len());
        is_whole.then(|| Blend { alike: found.iter().map(|own| cosine(asked, own)).collect() })
    }

    /// The score of what was found in that place, which is given by words.
    pub fn score(&self, place: usize, words: f64) -> f64 {
        LIKENESS * self.alike.get(place).copied().unwrap_or(0.0) + WORDS * words
    }

    /// Orders hits anew; the first of them have embeddings.
    pub fn reorder(&self, hits: &mut [Hit]) {
        for (place, hit) in hits.iter_mut().enumerate() {
            hit.score = (self.score(place, f64::from(hit.score) / 1000.0) * 1000.0).round() as u32;
            if let Some(alike) = self.alike.get(place) {
                hit.why.push(Reason::Embedding((alike * 100.0).round() as i32));
            }
        }
        hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
    }
}

/// 0 for nothing in common, 1 for the same direction.
fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let sum = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let length = (sum(a, a) * sum(b, b)).sqrt();
    if length > 0.0 { (sum(a, b) / length).clamp(0.0, 1.0) } else { 0.0 }
}

/// A share that is added up.
#[derive(Default)]
struct Share {
    covered: f64,
    whole: f64,
}

impl Share {
    fn add(&mut self, rarity: u64, share: f64) {
        self.whole += rarity as f64;
        self.covered += rarity as f64 * share;
    }

    fn value(&self) -> f64 {
        if self.whole > 0.0 { self.covered / self.whole } else { 0.0 }
    }
}

/// How much of the search's rarity a lesson covers, 0..=1, and by what.
fn cover(
    question: &Question,
    read: &Read,
    corpus: &Corpus,
    usual: f64,
    spelled: &Spelled<'_>,
) -> (f64, Vec<Reason>) {
    let dampened = SATURATION * (1.0 - LENGTH + LENGTH * read.n_words as f64 / usual);
    let mut words = Share::default();
    let mut why: Vec<(u64, Reason)> = Vec::new();
    let (spelling, alike) = cover_written(question, read, corpus, spelled);
    for asked in &question.words {
        let rarity = rarity(&asked.word, corpus);
        let count = f64::from(read.counts.get(&asked.word).copied().unwrap_or(0));
        words.add(rarity, count / (count + dampened));
        if count > 0.0 {
            why.push((rarity, Reason::Word(asked.spelling.clone())));
        }
    }
    for path in &question.paths {
        let rarity = rarity(path, corpus);
        let is_own = read.paths.contains(path);
        words.add(rarity, if is_own { 1.0 } else { 0.0 });
        if is_own {
            why.push((rarity, Reason::Path(path.trim_start_matches('/').to_owned())));
        }
    }
    why.extend(alike.into_values());
    why.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let score = words.value() + SPELLING * spelling.value();
    let why = why.into_iter().map(|(_, reason)| reason).collect();
    (score / (1.0 + SPELLING), why)
}

/// What is spelled alike: how much of the search, and by what.
fn cover_written<'a>(
    question: &'a Question,
    read: &Read,
    corpus: &Corpus,
    spelled: &Spelled<'_>,
) -> (Share, BTreeMap<&'a str, (u64, Reason)>) {
    let (mut share, mut alike) = (Share::default(), BTreeMap::new());
    for asked in &question.written {
        let rarity = rarity(&asked.word, corpus);
        let nearest = read.nearest(asked, spelled);
        share.add(rarity, nearest.map_or(0.0, |(_, likeness)| likeness));
        let near = nearest.filter(|(own, likeness)| {
            *likeness >= ALIKE && *own != asked.spelling && !read.counts.contains_key(&asked.word)
        });
        if let Some((own, _)) = near {
            let reason = Reason::Alike(asked.spelling.clone(), own.to_owned());
            alike.insert(asked.spelling.as_str(), (rarity / 2, reason));
        }
    }
    (share, alike)
}

fn rarity(term: &str, corpus: &Corpus) -> u64 {
    propose::weight(corpus.n_texts, corpus.df.get(term).copied().unwrap_or(0))
}
