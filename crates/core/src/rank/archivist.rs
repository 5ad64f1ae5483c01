//! The Archivist's score: importance, recency, relevance. Recency halves with age, in
//! whole days since the lesson was made; there a refined lesson is a new one, so what was
//! merely seen again keeps its age. Relevance is shared words, tags and scope (task, tool,
//! provider, role); files are no part of it.

use super::Parts;
use super::parts::{Topic, either, scope_part, tag_part, text_part};
use crate::lesson::Lesson;
use crate::matching::Corpus;
use crate::policy::ArchivistRank;
use crate::time::Timestamp;

/// Relevance of every lesson when the need says nothing about the work.
const NEUTRAL: f64 = 0.5;

pub(super) fn score(
    lesson: &Lesson,
    topic: &Topic<'_>,
    corpus: &Corpus,
    now: Timestamp,
    policy: &ArchivistRank,
) -> (f64, Parts) {
    let text = text_part(lesson, topic, corpus);
    let tags = tag_part(lesson, topic.need);
    let scope = scope_part(lesson, topic.need);
    let start = if topic.need.has_topic() { 0.0 } else { NEUTRAL };
    let relevance = either(&[start, text, tags, scope]);
    let days = now.days_since(lesson.created_at) as f64;
    let recency = 0.5_f64.powf(days / policy.half_life_days.max(1.0));
    let score = policy.weight_importance * lesson.importance
        + policy.weight_recency * recency
        + policy.weight_relevance * relevance;
    let parts = vec![
        ("importance", lesson.importance),
        ("recency", recency),
        ("relevance", relevance),
        ("text", text),
        ("tags", tags),
        ("scope", scope),
    ];
    (score, parts)
}
