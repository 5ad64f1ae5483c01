//! Which lessons answer a search best, and why? Orders what the store proposed by the words
//! that each lesson has in common with the search, as relevance to a need does: rare words
//! count most, and a word that is only spelled alike, or means about the same, counts in part.
//! Who may be shown in a block, and in which order, is `rank`'s to say.
//!
//! The numbers of the formula were chosen on one half of public question sets
//! (`hardwon-sim retrieval`) and confirmed on the other. Tried and left out, because they
//! gained nothing that could be told from chance: words of the best hits as further words of
//! the search, and pairs of neighboring words.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::lesson::Lesson;
use crate::matching::Corpus;
use crate::matching::grams::for_each_gram;
use crate::meaning::{Table, Vector, similarity};
use crate::propose::{self, path_term};
use crate::words::{spellings, word_of};

/// So many lessons are proposed for a search at least: beyond 80 nothing was gained.
pub const N_PROPOSED: usize = 200;

/// How soon a further occurrence of a word stops to count (k1 of BM25).
const SATURATION: f64 = 0.8;

/// How much of a lesson's length is held against it (b of BM25). In talk, length says
/// nothing; in documentation it says a little.
const LENGTH: f64 = 0.4;

/// What spelling counts beside the words.
const SPELLING: f64 = 0.6;

/// What meaning counts beside the words.
const MEANING: f64 = 0.5;

/// Up to so many lessons, all are looked at when meaning counts: what shares no word with the
/// search is proposed by no index.
pub const N_WHOLE: u64 = 2000;

/// Two words whose meanings are less alike than this, in thousandths, are not given as a
/// reason, nor is a lesson found by them alone.
const NEAR: i32 = 500;

/// Two spellings less alike than this are not given as a reason.
const ALIKE: f64 = 0.5;

/// A search, taken apart once.
#[derive(Clone)]
pub struct Question {
    words: Vec<AskedWord>,
    paths: Vec<String>,
    /// `None` = words only.
    meaning: Option<&'static Table<'static>>,
}

#[derive(Clone, Debug)]
struct AskedWord {
    spelling: String,
    word: String,
    grams: Vec<u64>,
    vector: Option<Vector>,
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The word itself, whatever its ending.
    Word(String),
    /// A word of the search, and one of the lesson that is spelled alike.
    Alike(String, String),
    /// A word of the search, and one of the lesson that means about the same.
    Near(String, String),
    /// A path that it was seen in.
    Path(String),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Word(word) => f.write_str(word),
            Reason::Alike(asked, found) => write!(f, "{asked} ~ {found}"),
            Reason::Near(asked, found) => write!(f, "{asked} ≈ {found}"),
            Reason::Path(path) => f.write_str(path),
        }
    }
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
        let unique: BTreeSet<String> = spellings(text).into_iter().collect();
        let words = unique.into_iter().map(|spelling| AskedWord {
            word: word_of(&spelling),
            grams: grams(&spelling),
            vector: None,
            spelling,
        });
        let paths = text.split_whitespace().filter(|piece| piece.contains('/'));
        let paths = paths.filter_map(path_term).collect();
        Question { words: words.collect(), paths, meaning: None }
    }

    /// The same search by meaning as well.
    pub fn with_meaning(mut self) -> Self {
        let table = Table::built_in();
        self.words.iter_mut().for_each(|asked| asked.vector = table.word(&asked.spelling));
        self.meaning = Some(table);
        self
    }

    /// Whether all of so many lessons are looked at, and not only what the index proposes.
    pub fn is_for_all(&self, n_lessons: u64) -> bool {
        self.meaning.is_some() && n_lessons <= N_WHOLE
    }

    /// What to search the index for. Sorted, each once.
    pub fn terms(&self) -> Vec<String> {
        let words = self.words.iter().map(|asked| asked.word.clone());
        let unique: BTreeSet<String> = words.chain(self.paths.iter().cloned()).collect();
        unique.into_iter().collect()
    }
}

/// Orders lessons by how much of the search they cover, best first, then by id. A lesson that
/// has no word and no path of it, and no word that means the same, is left out.
pub fn order(lessons: &[Lesson], question: &Question, corpus: &Corpus) -> Vec<Hit> {
    let mut spelled = Spelled { known: HashMap::new(), meaning: question.meaning };
    let read: Vec<Read> = lessons.iter().map(|lesson| Read::new(lesson, &mut spelled)).collect();
    let n_words: usize = read.iter().map(|read| read.n_words).sum();
    let usual = (n_words as f64 / read.len().max(1) as f64).max(1.0);
    let scored = read.iter().enumerate().map(|(index, read)| {
        let (score, why) = cover(question, read, corpus, usual, &spelled);
        Hit { index, score: (score * 1000.0).round() as u32, why }
    });
    let mut hits: Vec<Hit> = scored.filter(|hit| is_found(&hit.why)).collect();
    hits.sort_by(|a, b| {
        let by_id = || lessons[a.index].id.cmp(&lessons[b.index].id);
        b.score.cmp(&a.score).then_with(by_id)
    });
    hits
}

fn is_found(why: &[Reason]) -> bool {
    why.iter().any(|reason| !matches!(reason, Reason::Alike(..)))
}

/// Every spelling that occurs, each taken apart once.
struct Spelled {
    known: HashMap<String, (Vec<u64>, Option<Vector>)>,
    meaning: Option<&'static Table<'static>>,
}

impl Spelled {
    fn add(&mut self, spelling: &str) {
        if !self.known.contains_key(spelling) {
            let vector = self.meaning.and_then(|table| table.word(spelling));
            self.known.insert(spelling.to_owned(), (grams(spelling), vector));
        }
    }
}

/// A lesson as a search sees it.
struct Read {
    /// How often each word occurs.
    counts: BTreeMap<String, u32>,
    spellings: BTreeSet<String>,
    paths: BTreeSet<String>,
    n_words: usize,
}

impl Read {
    fn new(lesson: &Lesson, spelled: &mut Spelled) -> Self {
        let mut all = spellings(lesson.text.body().unwrap_or_default());
        for words in lesson.tags.iter().chain(&lesson.category) {
            all.extend(spellings(words));
        }
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for spelling in &all {
            *counts.entry(word_of(spelling)).or_default() += 1;
            spelled.add(spelling);
        }
        let paths = lesson.paths.iter().filter_map(|path| path_term(path)).collect();
        Read { counts, n_words: all.len().max(1), spellings: all.into_iter().collect(), paths }
    }

    /// The spelling that is most like the one asked for, and how much, 0..=1.
    fn nearest(&self, asked: &AskedWord, spelled: &Spelled) -> Option<(&str, f64)> {
        if let Some(same) = self.spellings.get(&asked.spelling) {
            return Some((same, 1.0));
        }
        let all = self.spellings.iter().map(String::as_str);
        let alike = all.map(|own| (own, likeness(&asked.grams, &spelled.known[own].0)));
        let best = alike.max_by(|a, b| a.1.total_cmp(&b.1));
        best.filter(|(_, likeness)| *likeness > 0.0)
    }

    /// The word that means most the same as the one asked for, and how much, in thousandths.
    fn synonym(&self, asked: &AskedWord, spelled: &Spelled) -> Option<(&str, i32)> {
        let vector = asked.vector.as_ref()?;
        let all = self.spellings.iter().map(String::as_str);
        let near = all.filter_map(|own| {
            let own_vector = spelled.known[own].1.as_ref()?;
            Some((own, similarity(vector, own_vector)))
        });
        near.max_by_key(|(_, similarity)| *similarity).filter(|(_, similarity)| *similarity > 0)
    }
}

/// How much of the search's rarity a lesson covers, 0..=1, and by what.
fn cover(
    question: &Question,
    read: &Read,
    corpus: &Corpus,
    usual: f64,
    spelled: &Spelled,
) -> (f64, Vec<Reason>) {
    let rarity = |term: &str| rarity(term, corpus);
    let dampened = SATURATION * (1.0 - LENGTH + LENGTH * read.n_words as f64 / usual);
    let (mut covered, mut whole) = (0.0, 0.0);
    let mut why: Vec<(u64, Reason)> = Vec::new();
    for asked in &question.words {
        let rarity = rarity(&asked.word);
        let meaning = question.meaning.map_or(0.0, |_| MEANING);
        whole += rarity as f64 * (1.0 + SPELLING + meaning);
        let count = f64::from(read.counts.get(&asked.word).copied().unwrap_or(0));
        covered += rarity as f64 * count / (count + dampened);
        let nearest = read.nearest(asked, spelled);
        covered += rarity as f64 * SPELLING * nearest.map_or(0.0, |(_, likeness)| likeness);
        let synonym = read.synonym(asked, spelled);
        let similarity = synonym.map_or(0, |(_, similarity)| similarity);
        covered += rarity as f64 * meaning * f64::from(similarity.min(1000)) / 1000.0;
        match nearest {
            _ if count > 0.0 => why.push((rarity, Reason::Word(asked.spelling.clone()))),
            Some((own, likeness)) if likeness >= ALIKE => {
                why.push((rarity / 2, Reason::Alike(asked.spelling.clone(), own.to_owned())));
            }
            Some(_) | None => {
                let near = synonym.filter(|(_, similarity)| *similarity >= NEAR);
                let reason = |own: &str| Reason::Near(asked.spelling.clone(), own.to_owned());
                why.extend(near.map(|(own, _)| (rarity / 2, reason(own))));
            }
        }
    }
    for path in &question.paths {
        let rarity = rarity(path);
        whole += rarity as f64;
        if read.paths.contains(path) {
            covered += rarity as f64;
            why.push((rarity, Reason::Path(path.trim_start_matches('/').to_owned())));
        }
    }
    why.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let why = why.into_iter().map(|(_, reason)| reason).collect();
    (if whole > 0.0 { covered / whole } else { 0.0 }, why)
}

fn rarity(term: &str, corpus: &Corpus) -> u64 {
    propose::weight(corpus.n_texts, corpus.df.get(term).copied().unwrap_or(0))
}

/// The grams of a word, sorted, each once.
fn grams(spelling: &str) -> Vec<u64> {
    let mut grams = Vec::with_capacity(spelling.len());
    for_each_gram(spelling, |gram| grams.push(gram));
    grams.sort_unstable();
    grams.dedup();
    grams
}

/// Twice what is shared over what there is; both sides sorted.
fn likeness(a: &[u64], b: &[u64]) -> f64 {
    let n_shared = a.iter().filter(|gram| b.binary_search(gram).is_ok()).count();
    if n_shared == 0 { 0.0 } else { 2.0 * n_shared as f64 / (a.len() + b.len()) as f64 }
}
