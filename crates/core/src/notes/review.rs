//! What should a person look at in a set of notes? Six tables and one word for the whole; nothing
//! is changed.

pub mod promote;

use std::collections::BTreeMap;

use super::documents::Documents;
use super::policy::NotesPolicy;
use super::set::{Fault, NoteSet};
use super::wording::overlap;
use super::{Note, NoteKind};
use crate::vocabulary;
use crate::words::unique_words;
use promote::{Advice, Promotion, promotion};

vocabulary! {
    /// Where the age of a note is known from.
    AgeSource {
        /// The note says it.
        Modified = "modified",
        /// The last commit that changed the file.
        Git = "git",
        /// The time of the file.
        File = "file",
    }
}

/// How old a note is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age {
    pub days: i64,
    pub source: AgeSource,
}

vocabulary! {
    /// What the documents make of a note.
    Redundancy {
        AlreadyCovered = "already_covered",
        ExtendsExisting = "extends_existing",
        NewRule = "new_rule",
    }
}

/// A note, and how far a document says it.
#[derive(Clone, Debug, PartialEq)]
pub struct RedundantRow {
    pub file: String,
    pub redundancy: Redundancy,
    pub share: f64,
    /// File, line and section of the place that says most of it.
    pub place: Option<(String, usize, String)>,
}

/// What a note lacks that its readers look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewriteRow {
    pub file: String,
    pub lacks_why: bool,
    pub lacks_how: bool,
}

/// The six tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Review {
    /// Oldest first.
    pub stale: Vec<(String, Age)>,
    /// Two files and the share of their words, most first.
    pub overlapping: Vec<(String, String, f64)>,
    pub redundancy: Vec<RedundantRow>,
    pub rewrite: Vec<RewriteRow>,
    /// Best first.
    pub promote: Vec<(String, Promotion)>,
    /// How many notes of each kind; `None` where a file names none.
    pub by_kind: BTreeMap<Option<NoteKind>, usize>,
}

/// What a review is told beside the notes.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// By file; a note without an age is not stale.
    pub ages: &'a BTreeMap<String, Age>,
    pub documents: &'a Documents,
}

pub fn review(set: &NoteSet, around: Surroundings<'_>, policy: &NotesPolicy) -> Review {
    let redundancy = redundancy(set, around, policy);
    let mut promote = promotions(set, around, policy);
    promote.retain(|(_, promotion)| promotion.advice == Advice::Promote);
    promote.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(a.0.cmp(&b.0)));
    Review {
        stale: stale(&set.notes, around.ages, policy.stale_days),
        overlapping: overlapping(&set.notes, policy.overlap),
        redundancy,
        rewrite: set.notes.iter().filter_map(rewrite).collect(),
        promote,
        by_kind: by_kind(&set.notes),
    }
}

fn by_kind(notes: &[Note]) -> BTreeMap<Option<NoteKind>, usize> {
    let mut counts = BTreeMap::new();
    for note in notes {
        *counts.entry(note.kind).or_default() += 1;
    }
    counts
}

/// How far documents say what each note says.
fn redundancy(set: &NoteSet, around: Surroundings<'_>, policy: &NotesPolicy) -> Vec<RedundantRow> {
    set.notes.iter().map(|note| redundant(note, around, policy)).collect()
}

/// Whether each note belongs into the project's rules, in the order of their files.
pub fn promotions(
    set: &NoteSet,
    around: Surroundings<'_>,
    policy: &NotesPolicy,
) -> Vec<(String, Promotion)> {
    let redundancy = redundancy(set, around, policy);
    let words: Vec<Vec<String>> = set.notes.iter().map(words_of).collect();
    let most_like = |at: usize| {
        let others = (0..words.len()).filter(|other| *other != at);
        let shares = others
            .map(|other| (set.notes[other].file.as_str(), overlap(&words[at], &words[other])));
        shares.max_by(|a, b| a.1.total_cmp(&b.1))
    };
    let scored = set.notes.iter().enumerate().zip(&redundancy).map(|((at, note), row)| {
        let age = around.ages.get(&note.file).copied();
        let most = most_like(at);
        (note.file.clone(), promotion(note, row, age, most, policy))
    });
    scored.collect()
}

fn stale(notes: &[Note], ages: &BTreeMap<String, Age>, days: i64) -> Vec<(String, Age)> {
    let aged = notes.iter().filter_map(|note| Some((note.file.clone(), *ages.get(&note.file)?)));
    let mut stale: Vec<(String, Age)> = aged.filter(|(_, age)| age.days > days).collect();
    stale.sort_by(|a, b| b.1.days.cmp(&a.1.days).then(a.0.cmp(&b.0)));
    stale
}

/// Pairs that share at least this much of their words, most first.
pub fn overlapping(notes: &[Note], bar: f64) -> Vec<(String, String, f64)> {
    let words: Vec<Vec<String>> = notes.iter().map(words_of).collect();
    let mut pairs = Vec::new();
    for (at, note) in notes.iter().enumerate() {
        for (other, known) in notes.iter().enumerate().skip(at + 1) {
            // Texts whose lengths differ much cannot reach the bar.
            let (short, long) =
                (words[at].len().min(words[other].len()), words[at].len() + words[other].len());
            if long == 0 || 2.0 * short as f64 / (long as f64) < bar {
                continue;
            }
            let share = overlap(&words[at], &words[other]);
            if share >= bar {
                pairs.push((note.file.clone(), known.file.clone(), share));
            }
        }
    }
    pairs.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| (&a.0, &a.1).cmp(&(&b.0, &b.1))));
    pairs
}

fn words_of(note: &Note) -> Vec<String> {
    unique_words(note.statement())
}

/// How far the documents say a note.
fn redundant(note: &Note, around: Surroundings<'_>, policy: &NotesPolicy) -> RedundantRow {
    let found = around.documents.coverage(note.statement(), policy);
    let share = found.as_ref().map_or(0.0, |found| found.share).min(1.0);
    let redundancy = match share {
        share if share >= policy.covered => Redundancy::AlreadyCovered,
        share if share >= policy.extends => Redundancy::ExtendsExisting,
        _ => Redundancy::NewRule,
    };
    let place = found.map(|it| (it.place.file.clone(), it.place.line, it.place.section.clone()));
    RedundantRow { file: note.file.clone(), redundancy, share, place }
}

/// Who the user is and where something lies needs no reason.
fn rewrite(note: &Note) -> Option<RewriteRow> {
    let is_asked = !matches!(note.kind, Some(NoteKind::User | NoteKind::Reference));
    let lacks = |part: &Option<String>| part.as_ref().is_none_or(|text| text.trim().is_empty());
    let (lacks_why, lacks_how) = (lacks(&note.why), lacks(&note.how));
    let row = RewriteRow { file: note.file.clone(), lacks_why, lacks_how };
    (is_asked && (lacks_why || lacks_how)).then_some(row)
}

vocabulary! {
    /// One word for a set of notes.
    Health {
        Good = "good",
        /// Something is stale, overlaps, or leads nowhere.
        NeedsReview = "needs_review",
        /// The index is not loaded whole or cannot be read, or half of the notes are stale.
        Critical = "critical",
    }
}

/// How a set is doing, with the figures behind the word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    pub health: Health,
    pub n_notes: usize,
    pub n_stale: usize,
    pub n_overlaps: usize,
    /// Lines and links that lead nowhere, and files that cannot be read.
    pub n_broken: usize,
    pub is_over_limit: bool,
    pub by_kind: BTreeMap<Option<NoteKind>, usize>,
}

/// Judges a set by its ages, overlaps and faults.
pub fn status(set: &NoteSet, ages: &BTreeMap<String, Age>, policy: &NotesPolicy) -> Status {
    let n_notes = set.notes.len();
    let n_stale = stale(&set.notes, ages, policy.stale_days).len();
    let n_overlaps = overlapping(&set.notes, policy.overlap).len();
    let faults = set.check(&policy.limits);
    let n_broken = faults.iter().filter(|fault| fault.is_broken()).count();
    let is_over_limit = faults.iter().any(|fault| matches!(fault, Fault::OverLimit { .. }));
    let is_old = n_stale > 0 && n_stale as f64 >= policy.critical_stale * n_notes as f64;
    let health = if is_over_limit || is_old || set.is_index_unreadable() {
        Health::Critical
    } else if n_stale + n_overlaps + n_broken > 0 {
        Health::NeedsReview
    } else {
        Health::Good
    };
    let by_kind = by_kind(&set.notes);
    Status { health, n_notes, n_stale, n_overlaps, n_broken, is_over_limit, by_kind }
}

#[cfg(test)]
mod tests;
