//! Which lessons answer a search best, and why? Orders what the store proposed by the words
//! that each lesson has in common with the search, as relevance to a need does: rare words
//! count most, and a word that is only spelled alike, or means about the same, counts in part.
//! Who may be shown in a block, and in which order, is `rank`'s to say.
//!
//! The numbers of the formula were chosen on one half of public question sets
//! (`hardwon-sim retrieval`) and confirmed on the other. Tried and left out, because they
//! gained nothing that could be told from chance: words of the best hits as further words of
//! the search, and pairs of neighboring words.

mod read;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::ids::LessonId;
use crate::lesson::Lesson;
use crate::matching::Corpus;
use crate::meaning::{Table, Vector, similarity};
use crate::propose::{self, path_term};
use crate::words::{spellings, word_of};
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

/// What meaning counts beside the words.
const MEANING: f64 = 0.5;

/// What a model's opinion of the whole text counts beside the words.
const SENSE: f64 = 1.0;

/// Two texts whose sense is less alike than this, in thousandths, are not found by it alone.
const SAME_SENSE: i32 = 400;

/// Up to so many lessons, all are looked at when meaning counts: what shares no word with the
/// search is proposed by no index.
pub const N_WHOLE: u64 = 2000;

/// Two words whose meanings are less alike than this, in thousandths, are not given as a
/// reason, nor is a lesson found by them alone.
const NEAR: i32 = 500;

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
    words: Vec<AskedWord>,
    written: Vec<Written>,
    paths: Vec<String>,
    /// `None` = words only.
    meaning: Option<&'static Table<'static>>,
    sense: Option<Sense>,
}

/// What an installed model makes of a search, and of lessons.
#[derive(Clone)]
pub struct Sense {
    pub asked: Vector,
    pub lessons: HashMap<LessonId, Vector>,
}

#[derive(Clone, Debug)]
struct AskedWord {
    spelling: String,
    word: String,
    vector: Option<Vector>,
}

/// A word as it was written: an identifier is one, not several.
#[derive(Clone, Debug)]
struct Written {
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
    /// The sense of the whole, in percent.
    Sense(i32),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Word(word) => f.write_str(word),
            Reason::Alike(asked, found) => write!(f, "{asked} ~ {found}"),
            Reason::Near(asked, found) => write!(f, "{asked} ≈ {found}"),
            Reason::Path(path) => f.write_str(path),
            Reason::Sense(percent) => write!(f, "sense {percent} %"),
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
            vector: None,
            spelling,
        });
        let written = written(text).into_iter().map(|spelling| Written {
            word: word_of(&spelling),
            grams: grams(&spelling),
            spelling,
        });
        let paths = text.split_whitespace().filter(|piece| piece.contains('/'));
        let paths = paths.filter_map(path_term).collect();
        let written = written.collect();
        Question { words: words.collect(), written, paths, meaning: None, sense: None }
    }

    /// The same search by meaning as well.
    pub fn with_meaning(mut self) -> Self {
        let table = Table::built_in();
        self.words.iter_mut().for_each(|asked| asked.vector = table.word(&asked.spelling));
        self.meaning = Some(table);
        self
    }

    /// The same search by what a model says as well. Lessons that it knows nothing of are
    /// ordered by the rest.
    pub fn with_sense(mut self, sense: Sense) -> Self {
        self.sense = Some(sense);
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
    let read: Vec<Read> = lessons.iter().map(Read::new).collect();
    let mut hits = hits(&read, question, corpus, |index, score, why| {
        if let Some(sense) = &question.sense {
            add_sense(sense, &lessons[index].id, score, why);
        }
    });
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
    let mut hits = hits(&read, question, &corpus, |_, _, _| {});
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
    hits
}

/// What covers a part of the search, with how much; `adjust` mixes in what is known besides.
fn hits(
    read: &[Read],
    question: &Question,
    corpus: &Corpus,
    adjust: impl Fn(usize, &mut f64, &mut Vec<Reason>),
) -> Vec<Hit> {
    let mut spelled = Spelled::default();
    read.iter().for_each(|read| spelled.add(read, question.meaning));
    let n_words: usize = read.iter().map(|read| read.n_words).sum();
    let usual = (n_words as f64 / read.len().max(1) as f64).max(1.0);
    let scored = read.iter().enumerate().map(|(index, read)| {
        let (mut score, mut why) = cover(question, read, corpus, usual, &spelled);
        adjust(index, &mut score, &mut why);
        Hit { index, score: (score * 1000.0).round() as u32, why }
    });
    scored.filter(|hit| is_found(&hit.why)).collect()
}

/// Mixes in how alike the senses are. Words keep the share that they have without it.
fn add_sense(sense: &Sense, lesson: &LessonId, score: &mut f64, why: &mut Vec<Reason>) {
    let own = sense.lessons.get(lesson);
    let alike = own.map_or(0, |own| similarity(&sense.asked, own).clamp(0, 1000));
    let words = 1.0 + SPELLING + MEANING;
    *score = (*score * words + SENSE * f64::from(alike) / 1000.0) / (words + SENSE);
    if alike >= SAME_SENSE {
        why.push(Reason::Sense(alike / 10));
    }
}

fn is_found(why: &[Reason]) -> bool {
    why.iter().any(|reason| !matches!(reason, Reason::Alike(..)))
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
    spelled: &Spelled,
) -> (f64, Vec<Reason>) {
    let dampened = SATURATION * (1.0 - LENGTH + LENGTH * read.n_words as f64 / usual);
    let (mut words, mut meaning) = (Share::default(), Share::default());
    let mut why: Vec<(u64, Reason)> = Vec::new();
    let (spelling, alike) = cover_written(question, read, corpus, spelled);
    for asked in &question.words {
        let rarity = rarity(&asked.word, corpus);
        let count = f64::from(read.counts.get(&asked.word).copied().unwrap_or(0));
        words.add(rarity, count / (count + dampened));
        let synonym = read.synonym(asked, spelled);
        meaning.add(rarity, f64::from(synonym.map_or(0, |(_, near)| near.min(1000))) / 1000.0);
        let near = synonym.filter(|(_, similarity)| *similarity >= NEAR);
        if count > 0.0 {
            why.push((rarity, Reason::Word(asked.spelling.clone())));
        } else if let Some((own, _)) = near.filter(|_| !alike.contains_key(&*asked.spelling)) {
            why.push((rarity / 2, Reason::Near(asked.spelling.clone(), own.to_owned())));
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
    let weight = question.meaning.map_or(0.0, |_| MEANING);
    let score = words.value() + SPELLING * spelling.value() + weight * meaning.value();
    let why = why.into_iter().map(|(_, reason)| reason).collect();
    (score / (1.0 + SPELLING + weight), why)
}

/// What is spelled alike: how much of the search, and by what.
fn cover_written<'a>(
    question: &'a Question,
    read: &Read,
    corpus: &Corpus,
    spelled: &Spelled,
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
