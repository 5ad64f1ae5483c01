//! Is this finding one of these lessons: the same, similar, or new?
//!
//! Measures the similarity of a finding to the lessons that the store proposed; the best wins.
//! What follows from the answer (sightings, a proposed merge, a new candidate) is decided in `learn`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::conflict::{oppose, praises};
pub use crate::policy::{MatchPolicy, Method};

mod background;
pub mod compare;
mod failure;
mod features;
mod identity;
mod likeness;
mod marks;

pub use failure::name_the_same;
pub use features::Prepared;
use features::Weights;
pub use identity::{Author, rule_of};
use likeness::{compare, has_equal_texts};

/// One side of a comparison: a finding, or a lesson.
///
/// An absent or empty field is neutral, never an error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Subject<'a> {
    /// The statement itself.
    pub text: &'a str,
    /// Other findings that were recognized as this lesson. Not read by [`Method::Overlap`].
    pub wordings: &'a [String],
    /// Who says it: by whose measure two are alike enough.
    pub author: Author,
    /// Stable fingerprint (see [`signature`](crate::signature::signature)).
    pub signature: Option<&'a str>,
    /// The finer name of its kind, compared without regard to case.
    pub category: Option<&'a str>,
    /// A finding's place, or the places where a lesson was seen; without line numbers.
    pub paths: &'a [String],
    /// Read by [`Method::Overlap`] only.
    pub tags: &'a [String],
    /// The rules of tools that it is about (see [`rule_of`]).
    pub rules: &'a [String],
}

/// What the store knows about word frequencies.
///
/// `df` needs to hold only the words of the finding, as [`words`](crate::words::words) gives them;
/// every other word counts as unseen. Empty is fine: general knowledge of review texts then decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Corpus {
    /// Number of stored lessons.
    pub n_texts: u64,
    /// In how many stored lessons a word occurs.
    pub df: BTreeMap<String, u64>,
}

/// How a finding relates to the known lessons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The lesson was seen again.
    Same,
    /// Near enough to propose a merge; counts for nothing by itself.
    Similar,
    /// No lesson says this.
    New,
}

/// The answer of [`best_match`], with the numbers that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Which lesson; `None` exactly when the relation is [`Relation::New`].
    pub index: Option<usize>,
    /// Same, similar or new.
    pub relation: Relation,
    /// Similarity to the best lesson, 0..=1, also below the threshold; 0 without lessons.
    pub likeness: f64,
    /// The parts of the likeness, by name, in a fixed order.
    pub parts: Parts,
}

/// Named parts of a likeness, for `why`.
pub type Parts = Vec<(&'static str, f64)>;

/// Lessons in the stores on which the thresholds were tuned.
const CROWD: f64 = 500.0;

impl MatchPolicy {
    fn relation(&self, likeness: f64, n_texts: u64, author: Author) -> Relation {
        let own = match author {
            Author::Tool => self.same_of_tools,
            Author::Reviewer => None,
            Author::Person => self.same_of_people,
        };
        let crowd = self.crowd * (n_texts as f64 / CROWD).max(1.0).ln();
        let raise = crowd + own.map_or(0.0, |own| own - self.same);
        if likeness >= (self.same + raise).min(1.0) {
            Relation::Same
        } else if likeness >= (self.similar + raise).min(1.0) {
            Relation::Similar
        } else {
            Relation::New
        }
    }
}

/// The lesson most similar to the finding, and whether that is enough.
///
/// The best wins, never the first; of equals, the lowest index. Without lessons the answer is new.
pub fn best_match(
    finding: &Subject,
    lessons: &[Subject],
    corpus: &Corpus,
    policy: &MatchPolicy,
) -> Match {
    let prepare = |subject| Prepared::new(subject, policy.method);
    let lessons: Vec<Prepared> = lessons.iter().map(prepare).collect();
    let lessons: Vec<&Prepared> = lessons.iter().collect();
    best_of_prepared(&prepare(finding), &lessons, corpus, policy)
}

/// [`best_match`] for subjects prepared beforehand, which is where most of the time goes.
///
/// A subject prepared for another method than the policy's matches nothing. A finding that
/// denies a lesson is not a sighting of it, however similar the words are: it is new.
pub fn best_of_prepared(
    finding: &Prepared,
    lessons: &[&Prepared],
    corpus: &Corpus,
    policy: &MatchPolicy,
) -> Match {
    let weights = Weights::new(corpus, policy);
    let compared = lessons.iter().enumerate().map(|(index, lesson)| {
        let (likeness, parts) = compare(finding, lesson, &weights, policy);
        let author = finding.subject.author.of_both(lesson.subject.author);
        let relation = policy.relation(likeness, corpus.n_texts, author);
        Match { index: Some(index), relation, likeness, parts }
    });
    let mut compared: Vec<Match> = compared.collect();
    compared.sort_by(|a, b| a.relation.cmp(&b.relation).then(b.likeness.total_cmp(&a.likeness)));
    // Whether one denies the other is asked from the likest on, because it costs most.
    let is_near = |found: &&Match| found.relation != Relation::New;
    let is_one = |found: &Match| {
        let lesson = found.index.and_then(|index| lessons.get(index));
        lesson.is_some_and(|lesson| !is_denied(finding, lesson))
    };
    if let Some(found) = compared.iter().take_while(is_near).find(|found| is_one(found)) {
        return found.clone();
    }
    let likest = compared.into_iter().max_by(|a, b| a.likeness.total_cmp(&b.likeness));
    let (likeness, parts) = likest.map_or((0.0, Vec::new()), |it| (it.likeness, it.parts));
    Match { index: None, relation: Relation::New, likeness, parts }
}

/// Whether one denies the other, in words that are not the same.
fn is_denied(a: &Prepared, b: &Prepared) -> bool {
    let mut pairs = a.texts().flat_map(|a| b.texts().map(move |b| (a, b)));
    !has_equal_texts(a, b) && pairs.any(|(a, b)| praises(a) != praises(b) || oppose(a, b))
}

#[cfg(test)]
mod tests;
