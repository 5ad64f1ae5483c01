//! In which order are eligible lessons shown? By a score with every part kept, so that
//! `--explain` and `why` can show how it came about. The formula is the policy's:
//! our own is in `score`, those of other systems each in a file of their name.

mod archivist;
mod geas;
mod jkz;
mod parts;
mod score;

use std::cmp::Ordering;

use crate::lesson::Lesson;
use crate::matching::Corpus;
use crate::need::Need;
use crate::policy::{RankOrder, RankPolicy};
use crate::time::Timestamp;
use parts::{Topic, round};

pub use parts::same_file;
pub use score::usefulness;

/// Name and value of each part of a score; those that the formula adds up come first.
pub type Parts = Vec<(&'static str, f64)>;

/// A lesson's place for one need.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Index into the lessons that were ranked.
    pub index: usize,
    pub score: f64,
    pub parts: Parts,
}

/// Orders lessons for a need, best first; ties by id. A pure function of its
/// arguments: the order of `lessons` does not matter.
pub fn rank(
    lessons: &[Lesson],
    need: &Need,
    corpus: &Corpus,
    now: Timestamp,
    policy: &RankPolicy,
) -> Vec<Ranked> {
    rank_by(lessons, need, &RankingContext { corpus, now, useful: &usefulness }, policy)
}

/// What is known besides the lessons and the need.
pub struct RankingContext<'a> {
    pub corpus: &'a Corpus,
    pub now: Timestamp,
    /// How much good a lesson does where it is shown, 0..1.
    pub useful: &'a dyn Fn(&Lesson) -> f64,
}

/// [`rank`] with measured usefulness.
pub fn rank_by(
    lessons: &[Lesson],
    need: &Need,
    known: &RankingContext<'_>,
    policy: &RankPolicy,
) -> Vec<Ranked> {
    let topic = Topic::of(need);
    let score_of = |(index, lesson): (usize, &Lesson)| {
        let (score, parts) = scored(lesson, &topic, known, policy);
        let parts = parts.into_iter().map(|(name, value)| (name, round(value))).collect();
        Ranked { index, score: round(score), parts }
    };
    let mut ranked: Vec<Ranked> = lessons.iter().enumerate().map(score_of).collect();
    ranked.sort_by(|a, b| {
        let (left, right) = (&lessons[a.index], &lessons[b.index]);
        let by_score = b.score.total_cmp(&a.score);
        let order = match policy.order {
            RankOrder::Standing => right.standing.cmp(&left.standing).then(by_score),
            RankOrder::Geas(_) => by_score.then_with(|| geas::tie(left, right)),
            RankOrder::Score | RankOrder::Jkz(_) | RankOrder::Archivist(_) => by_score,
        };
        let by_name = || by_foreign_id(left, right).then_with(|| left.id.cmp(&right.id));
        order.then_with(by_name)
    });
    ranked
}

fn scored(
    lesson: &Lesson,
    topic: &Topic<'_>,
    known: &RankingContext<'_>,
    policy: &RankPolicy,
) -> (f64, Parts) {
    let RankingContext { corpus, now, .. } = *known;
    match &policy.order {
        RankOrder::Score | RankOrder::Standing => score::score(lesson, topic, known, policy),
        RankOrder::Geas(formula) => geas::score(lesson, topic.need, now, formula),
        RankOrder::Jkz(formula) => jkz::score(lesson, topic.need, now, formula),
        RankOrder::Archivist(formula) => archivist::score(lesson, topic, corpus, now, formula),
    }
}

/// Foreign ids count up, so theirs is the order in which lessons were written down:
/// shorter first, because `m-1000` comes after `m-999`.
fn by_foreign_id(a: &Lesson, b: &Lesson) -> Ordering {
    let key = |lesson: &Lesson| lesson.aliases.first().map(|id| (id.len(), id.clone()));
    key(a).is_none().cmp(&key(b).is_none()).then_with(|| key(a).cmp(&key(b)))
}
