//! How similar are two subjects, as a number with its named parts? Words, rule,
//! category and place add up here; what is enough is decided in `matching`.

use std::cmp::Ordering;

use super::features::{Features, Mark, Prepared, Said, Weights};
use super::identity::{Agreement, agreement};
use super::{MatchPolicy, Parts, Subject};

/// Less than any two overlaps differ by: lets the same category decide between equals.
const TIE: f64 = 0.005;

/// How much rule, category and place add at most, for what the words say.
const MOST_RAISED: f64 = 2.0;

pub(super) fn compare(
    a: &Prepared,
    b: &Prepared,
    weights: &Weights,
    policy: &MatchPolicy,
) -> (f64, Parts) {
    let agreement = agreement(&a.subject, &b.subject);
    if agreement == Agreement::Other {
        // Also with the same fingerprint: then it does not distinguish them.
        return (0.0, vec![("rule", -1.0)]);
    }
    match (a.features.as_ref(), b.features.as_ref()) {
        (Features::Weighted(_), Features::Weighted(_)) => {
            let signature = a.subject.signature.filter(|signature| !signature.is_empty());
            if signature.is_some() && signature == b.subject.signature {
                return (1.0, vec![("signature", 1.0)]);
            }
            let rule = if agreement == Agreement::Same { policy.rule } else { 0.0 };
            weigh(mean_of_texts(a, b, weights), rule, a, b, policy)
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
        (Features::Weighted(_), Features::Overlap { .. })
        | (Features::Overlap { .. }, Features::Weighted(_)) => (0.0, Vec::new()),
    }
}

/// What texts have in common, 0..=1 each.
#[derive(Clone, Copy, Debug, Default)]
struct InCommon {
    words: f64,
    /// The same without the words that both begin with.
    rest: f64,
}

impl InCommon {
    fn of(a: &Features, b: &Features, weights: &Weights) -> Self {
        let (Features::Weighted(a), Features::Weighted(b)) = (a, b) else {
            return InCommon::default();
        };
        let words = shared(a, b, 0, weights);
        let rest = match a.n_in_opening(b) {
            0 => words,
            n_words => shared(a, b, n_words, weights),
        };
        InCommon { words, rest }
    }
}

/// The mean over all findings that are known of either side. Of one that is like a lesson in
/// one finding only, the others say that it is something else: the mean was better than the
/// likest (pair F1 .88 against .87) and than the first alone (.83).
fn mean_of_texts(a: &Prepared, b: &Prepared, weights: &Weights) -> InCommon {
    let (mut sum, mut n) = (InCommon::default(), 0.0);
    for (one, other) in a.all_features().flat_map(|a| b.all_features().map(move |b| (a, b))) {
        let InCommon { words, rest } = InCommon::of(one, other, weights);
        (sum.words, sum.rest, n) = (sum.words + words, sum.rest + rest, n + 1.0);
    }
    InCommon { words: sum.words / n, rest: sum.rest / n }
}

/// Whether one was said before in the very words of the other.
pub(super) fn has_equal_texts(a: &Prepared, b: &Prepared) -> bool {
    let mut texts = a.texts().map(str::trim).filter(|text| !text.is_empty());
    texts.any(|a| b.texts().any(|b| a == b.trim()))
}

fn weigh(
    common: InCommon,
    rule: f64,
    a: &Prepared,
    b: &Prepared,
    policy: &MatchPolicy,
) -> (f64, Parts) {
    let category = policy.category * category_agreement(&a.subject, &b.subject);
    let place = policy.place * place_agreement(&a.subject, &b.subject);
    let text = policy.opening * common.words + (1.0 - policy.opening) * common.rest;
    let text = if has_equal_texts(a, b) { 1.0 } else { text };
    // They raise what the words say, and say nothing alone.
    let raise = (rule + category + place).min(MOST_RAISED * text);
    let likeness = (text + raise).clamp(0.0, 1.0);
    let mut parts = vec![("words", common.words)];
    parts.extend((common.rest != common.words).then_some(("behind the opening", common.rest)));
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

/// Weight in common over the geometric mean of both weights, of all words from the given place
/// on: both directions count, 0..=1.
///
/// Against the smaller side alone, short vague texts swallowed everything (pair F1 .006 lower);
/// against the larger side alone, long texts found nothing (.017 lower). What is taken to be unsaid
/// is added to both sides.
fn shared(a: &Said, b: &Said, from: usize, weights: &Weights) -> f64 {
    let behind = |mark: &&Mark| mark.at >= from;
    let mut left = a.marks.iter().filter(behind).peekable();
    let mut right = b.marks.iter().filter(behind).peekable();
    let (mut all_a, mut all_b, mut common) = (weights.unsaid(), weights.unsaid(), 0.0);
    loop {
        let order = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) => a.id.cmp(&b.id),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        let own = if order.is_le() { left.next() } else { None };
        let other = if order.is_ge() { right.next() } else { None };
        let of = |mark: Option<&Mark>| mark.map_or(0.0, |mark| weights.of(mark));
        let (own, other) = (of(own), of(other));
        (all_a, all_b, common) = (all_a + own, all_b + other, common + own.min(other));
    }
    if common > 0.0 { (common / (all_a * all_b).sqrt()).min(1.0) } else { 0.0 }
}

/// ArcheFlow's percentage, rounded down, as a share; 0 when either side has no tokens.
fn overlap(finding: &[String], lesson: &[String]) -> f64 {
    let n_common = finding.iter().filter(|token| lesson.binary_search(token).is_ok()).count();
    (100 * n_common).checked_div(finding.len()).unwrap_or(0) as f64 / 100.0
}
