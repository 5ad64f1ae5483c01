//! Is this finding one of these lessons: the same, similar, or new?
//!
//! Measures the similarity of a finding to the lessons that the store proposed; the best wins.
//! What follows from the answer (sightings, a proposed merge, a new candidate) is decided in `learn`.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::conflict::deny_each_other;
pub use crate::policy::{MatchPolicy, Method};

mod background;
pub mod compare;
mod failure;
mod features;
pub(crate) mod grams;
mod identity;

pub use failure::name_the_same;
pub use features::Prepared;
use features::{Features, Weights};
use identity::{Agreement, agreement};
pub use identity::{is_test, rule_of};

/// One side of a comparison: a finding, or a lesson.
///
/// An absent or empty field is neutral, never an error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Subject<'a> {
    /// The statement itself.
    pub text: &'a str,
    /// Stable fingerprint (see [`signature`](crate::signature::signature)).
    pub signature: Option<&'a str>,
    /// The finer name of its kind, compared without regard to case.
    pub category: Option<&'a str>,
    /// A finding's place, or the places where a lesson was seen; without line numbers.
    pub paths: &'a [&'a str],
    /// Read by [`Method::Overlap`] only.
    pub tags: &'a [&'a str],
    /// The rules of tools that it is about (see [`rule_of`]).
    pub rules: &'a [&'a str],
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

/// Less than any two overlaps differ by: lets the same category decide between equals.
const TIE: f64 = 0.005;

/// Lessons in the stores on which the thresholds were tuned.
const CROWD: f64 = 500.0;

impl MatchPolicy {
    fn relation(&self, likeness: f64, n_texts: u64) -> Relation {
        let raise = self.crowd * (n_texts as f64 / CROWD).max(1.0).ln();
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
///
/// ```
/// use hardwon_core::matching::{best_match, Corpus, MatchPolicy, Relation, Subject};
///
/// let subject = |text| Subject { text, ..Subject::default() };
/// let lessons = [
///     subject("Retry loop has no upper bound in fetchPage"),
///     subject("userName is dereferenced before the null check"),
/// ];
/// let finding = subject("Null check for user_name comes after it is dereferenced");
/// let found = best_match(&finding, &lessons, &Corpus::default(), &MatchPolicy::default());
/// assert_eq!((found.index, found.relation), (Some(1), Relation::Same));
/// ```
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
    let mut best = Match { index: None, relation: Relation::New, likeness: 0.0, parts: Vec::new() };
    for (index, lesson) in lessons.iter().enumerate() {
        let (likeness, parts) = compare(finding, lesson, &weights, policy);
        let relation = policy.relation(likeness, corpus.n_texts);
        let goes_before = |relation: Relation| {
            let by_likeness = || best.likeness.total_cmp(&likeness);
            best.index.is_none() || relation.cmp(&best.relation).then_with(by_likeness).is_lt()
        };
        if !goes_before(relation) {
            continue;
        }
        // Compared only for the most similar ones, because it costs most.
        let is_denied =
            relation != Relation::New && deny_each_other(finding.subject.text, lesson.subject.text);
        let relation = if is_denied { Relation::New } else { relation };
        if goes_before(relation) {
            best = Match { index: Some(index), relation, likeness, parts };
        }
    }
    if best.relation == Relation::New {
        best.index = None;
    }
    best
}

/// How similar two subjects are, 0..=1, and the named parts of that number.
///
/// Symmetric under [`Method::Weighted`]. [`Method::Overlap`] counts the first subject's tokens and so is not.
/// Equal texts that hold anything at all have likeness 1, less what category and place take off.
pub fn likeness(a: &Subject, b: &Subject, corpus: &Corpus, policy: &MatchPolicy) -> (f64, Parts) {
    let (a, b) = (Prepared::new(a, policy.method), Prepared::new(b, policy.method));
    compare(&a, &b, &Weights::new(corpus, policy), policy)
}

fn compare(a: &Prepared, b: &Prepared, weights: &Weights, policy: &MatchPolicy) -> (f64, Parts) {
    let agreement = agreement(&a.subject, &b.subject);
    if agreement == Agreement::Other {
        // Also with the same fingerprint: then it does not distinguish them.
        return (0.0, vec![("rule", -1.0)]);
    }
    match (&a.features, &b.features) {
        (
            Features::Weighted { marks, grams },
            Features::Weighted { marks: other_marks, grams: other_grams },
        ) => {
            if same_signature(&a.subject, &b.subject) {
                return (1.0, vec![("signature", 1.0)]);
            }
            let words = shared(
                marks,
                other_marks,
                weights.unsaid_words(),
                |mark| mark.id,
                |mark| weights.of_mark(mark),
            );
            let grams = shared(
                grams,
                other_grams,
                weights.unsaid_grams(),
                |gram| gram.id,
                |gram| weights.of_gram(gram),
            );
            let rule = if agreement == Agreement::Same { policy.rule } else { 0.0 };
            weigh(words, grams, rule, &a.subject, &b.subject, policy)
        }
        (Features::Overlap { tokens, .. }, Features::Overlap { with_tags, .. }) => {
            let overlap = overlap(tokens, with_tags);
            let category = match category_agreement(&a.subject, &b.subject) {
                agreement if agreement < 0.0 => -policy.category,
                agreement => agreement * TIE,
            };
            let mut parts = vec![("overlap", overlap)];
            parts.extend((category != 0.0).then_some(("category", category)));
            ((overlap + category).clamp(0.0, 1.0), parts)
        }
        (Features::Weighted { .. }, Features::Overlap { .. })
        | (Features::Overlap { .. }, Features::Weighted { .. }) => (0.0, Vec::new()),
    }
}

fn same_signature(a: &Subject, b: &Subject) -> bool {
    a.signature.is_some_and(|signature| !signature.is_empty()) && a.signature == b.signature
}

fn weigh(
    words: f64,
    grams: f64,
    rule: f64,
    a: &Subject,
    b: &Subject,
    policy: &MatchPolicy,
) -> (f64, Parts) {
    let category = policy.category * category_agreement(a, b);
    let place = policy.place * place_agreement(a, b);
    let equal = !a.text.trim().is_empty() && a.text.trim() == b.text.trim();
    let text = if equal {
        1.0
    } else {
        (policy.words * words + policy.grams * grams)
            / (policy.words + policy.grams).max(f64::MIN_POSITIVE)
    };
    let likeness = (text + rule + category + place).clamp(0.0, 1.0);
    let mut parts = vec![("words", words), ("grams", grams)];
    // Neutral parts are left out, so that `why` shows only what moved the number.
    parts.extend(
        [("rule", rule), ("category", category), ("place", place)]
            .into_iter()
            .filter(|part| part.1 != 0.0),
    );
    (likeness, parts)
}

/// 1 for equal, -1 for different, 0 when either side has none.
fn category_agreement(a: &Subject, b: &Subject) -> f64 {
    match (a.category, b.category) {
        (Some(a), Some(b)) if !a.is_empty() && !b.is_empty() => {
            if a.to_lowercase() == b.to_lowercase() { 1.0 } else { -1.0 }
        }
        _ => 0.0,
    }
}

/// 1 for a shared path, one half for a shared folder, -1 for neither, 0 when either side has no path.
fn place_agreement(a: &Subject, b: &Subject) -> f64 {
    if a.paths.is_empty() || b.paths.is_empty() {
        return 0.0;
    }
    let any =
        |like: fn(&str, &str) -> bool| a.paths.iter().any(|a| b.paths.iter().any(|b| like(a, b)));
    if any(|a, b| a == b) {
        1.0
    } else if any(|a, b| folder(a).is_some() && folder(a) == folder(b)) {
        0.5
    } else {
        -1.0
    }
}

fn folder(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}

/// Weight in common over the geometric mean of both weights: both directions count, 0..=1.
///
/// Against the smaller side alone, short vague texts swallowed everything (pair F1 .006 lower);
/// against the larger side alone, long texts found nothing (.017 lower). Taking off what the runners-up
/// have in common with the finding, so that crowded topics need more, was tried and gained nothing.
/// `unsaid` is added to both sides.
fn shared<T>(
    a: &[T],
    b: &[T],
    unsaid: f64,
    id: impl Fn(&T) -> u64,
    weight: impl Fn(&T) -> f64,
) -> f64 {
    let (mut all_a, mut all_b, mut common) = (unsaid, unsaid, 0.0);
    let (mut at_a, mut at_b) = (0, 0);
    while at_a < a.len() || at_b < b.len() {
        let order = match (a.get(at_a), b.get(at_b)) {
            (Some(a), Some(b)) => id(a).cmp(&id(b)),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let weight_a = if order.is_le() { weight(&a[at_a]) } else { 0.0 };
        let weight_b = if order.is_ge() { weight(&b[at_b]) } else { 0.0 };
        all_a += weight_a;
        all_b += weight_b;
        common += weight_a.min(weight_b);
        at_a += usize::from(order.is_le());
        at_b += usize::from(order.is_ge());
    }
    if common > 0.0 { (common / (all_a * all_b).sqrt()).min(1.0) } else { 0.0 }
}

/// ArcheFlow's percentage, rounded down, as a share; 0 when either side has no tokens.
fn overlap(finding: &[String], lesson: &[String]) -> f64 {
    let n_common = finding.iter().filter(|token| lesson.binary_search(token).is_ok()).count();
    (100 * n_common).checked_div(finding.len()).unwrap_or(0) as f64 / 100.0
}

#[cfg(test)]
mod tests;
