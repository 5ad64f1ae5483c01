//! Our own formula: relevance to the need, usefulness so far, importance, recency and
//! sightings, each between 0 and 1, weighted.

use super::parts::{Topic, either, path_part, scope_part, tag_part, text_part};
use super::{Parts, RankingContext};
use crate::lesson::Lesson;
use crate::policy::RankPolicy;
use crate::time::Timestamp;

/// Relevance of every lesson when the need says nothing about the work.
pub(super) const NEUTRAL: f64 = 0.5;

pub(super) fn score(
    lesson: &Lesson,
    topic: &Topic<'_>,
    known: &RankingContext<'_>,
    policy: &RankPolicy,
) -> (f64, Parts) {
    let RankingContext { corpus, now, useful, .. } = *known;
    let text = text_part(lesson, topic, corpus);
    let path = path_part(lesson, topic.need);
    let tags = tag_part(lesson, topic.need);
    let scope = scope_part(lesson, topic.need);
    let start = if topic.need.has_topic() { 0.0 } else { NEUTRAL };
    let relevance = either(&[start, text, path, tags, scope]);
    let usefulness = useful(lesson);
    let recency = recency(lesson, now, policy);
    let n_sightings = f64::from(lesson.n_sightings);
    let sightings = n_sightings / (n_sightings + 3.0);
    let score = policy.weight_relevance * relevance
        + policy.weight_usefulness * usefulness
        + policy.weight_importance * lesson.importance
        + policy.weight_recency * recency
        + policy.weight_sightings * sightings;
    let parts = vec![
        ("relevance", relevance),
        ("usefulness", usefulness),
        ("importance", lesson.importance),
        ("recency", recency),
        ("sightings", sightings),
        ("text", text),
        ("path", path),
        ("tags", tags),
        ("scope", scope),
    ];
    (score, parts)
}

/// How much good a lesson did where it was shown, 0..1, as long as nothing was measured.
pub fn usefulness(lesson: &Lesson) -> f64 {
    lesson.effects.worth()
}

/// Halves every `half_life_days` of whole days; what a person wants does not age.
fn recency(lesson: &Lesson, now: Timestamp, policy: &RankPolicy) -> f64 {
    if !lesson.kind.decays() {
        return 1.0;
    }
    let days = now.days_since(lesson.updated_at) as f64;
    0.5_f64.powf(days / policy.half_life_days.max(1.0))
}
