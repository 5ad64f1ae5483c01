//! The newest review of a lesson, as a document beside the lesson's own.

use hardwon_core::change::{Change, LessonField};
use hardwon_core::foreign::{GeasHeader, GeasReview};
use hardwon_core::lesson::{Decision, Lesson, Review, State};
use hardwon_render::geas as render;

use super::agents::{agent_type, known_type};
use super::{GeasLayout, REVIEW, names};
use crate::store::layout::Layout;
use crate::store::{FileWrite, Write, Writing};

/// Reviews of lessons that this batch decided about; all that are missing, where a writer died.
pub(super) fn writes(writing: &Writing<'_, GeasLayout>) -> Vec<FileWrite> {
    let lessons = &writing.tables.lessons;
    let is_decided = |field: &LessonField| matches!(field, LessonField::Reviews(step) if step.to.len() > step.from.len());
    let decided = writing.changes.iter().filter_map(|change| match change {
        Change::EditLesson { lesson, fields, .. } if fields.iter().any(is_decided) => {
            lessons.get(lesson)
        }
        _ => None,
    });
    let missing = lessons.values().filter(|_| writing.is_unfinished);
    decided.chain(missing).flat_map(|lesson| of_lesson(writing, lesson)).collect()
}

fn of_lesson(writing: &Writing<'_, GeasLayout>, lesson: &Lesson) -> Vec<FileWrite> {
    let Some(newest) = lesson.reviews.last() else { return Vec::new() };
    let Some(shelf) = GeasLayout::shelf_of(lesson) else { return Vec::new() };
    let name = GeasLayout::SHELVES[shelf].file(&format!("{}{REVIEW}", names::file_stem(lesson)));
    let profile = writing.context.policy.routing.profile.as_str();
    let document =
        |review: &Review| render::review(&review_of(lesson, review, profile)).into_bytes();
    let there = writing.rows.side.bytes.get(&name);
    let mut told = writing.rows.side.reviews.iter().filter(|(known, _)| *known == name);
    let wanted = review_of(lesson, newest, profile);
    let is_said =
        told.any(|(_, it)| it.decision == wanted.decision && it.rationale == wanted.rationale);
    if is_said {
        // Whoever decided wrote it down.
        return Vec::new();
    }
    let is_ours = |there: &Vec<u8>| lesson.reviews.iter().any(|review| document(review) == *there);
    let is_others = there.is_some_and(|there| !is_ours(there));
    let aside = is_others.then(|| FileWrite::of_project(&name, Write::SetAside));
    let put = FileWrite::of_project(&name, Write::Replace(document(newest)));
    aside.into_iter().chain([put]).collect()
}

fn review_of(lesson: &Lesson, review: &Review, profile: &str) -> GeasReview {
    let id = names::memory_id(lesson).to_owned();
    // Without a team whoever decides may say as whom.
    let by = known_type(&review.by, profile);
    let reviewer = by.unwrap_or_else(|| agent_type(&review.authority, profile)).to_owned();
    let is_replaced = review.decision == Decision::Supersede;
    GeasReview {
        header: GeasHeader {
            artifact_id: format!("{id}-review"),
            producer: reviewer.clone(),
            created_at: Some(review.at),
            ..GeasHeader::default()
        },
        supersedes: is_replaced.then(|| id.clone()).into_iter().collect(),
        memory_id: id,
        reviewer,
        decision: decision(review).to_owned(),
        rationale: review.because.clone(),
        required_followup: Vec::new(),
    }
}

/// An approval is called after the state to which it led, or would lead with others.
fn decision(review: &Review) -> &'static str {
    let next = match (review.from, review.to) {
        (from, to) if from != to => to,
        (State::Candidate, _) => State::Provisional,
        (State::Provisional, _) => State::Stable,
        _ => State::Canonical,
    };
    match (review.decision, next) {
        (Decision::Approve, State::Stable) => "promote_stable",
        (Decision::Approve, State::Canonical) => "promote_canonical",
        (Decision::Approve, _) => "promote_provisional",
        (other, _) => other.word(),
    }
}
