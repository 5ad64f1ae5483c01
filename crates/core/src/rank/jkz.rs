//! The pattern score of jkz: how often a pattern held up, how long ago, of what category,
//! and whether it was learned where the work is.
//!
//! Its words in ours: a success is every run in which a pattern was seen (there the same
//! text of the same role raises the counter), every time it `helped`, and the word of a person
//! who stated or approved it; it was ignored
//! when a reviewer ruled against it, which is `contradicted` (a false positive) or `hurt`.
//! `no_help` is no ignore: the finding came back, so it was true, and is counted as seen.
//! Reinforced is `helped`, which as there needs evidence that was executed or cited. Last
//! used is when it was last used, learned or changed.

use super::Parts;
use super::parts::{n_shared_paths, n_shared_tags};
use crate::jkz::{ignore_weight, n_success};
use crate::lesson::Lesson;
use crate::need::Need;
use crate::policy::JkzRank;
use crate::time::Timestamp;

pub(super) fn score(
    lesson: &Lesson,
    need: &Need,
    now: Timestamp,
    policy: &JkzRank,
) -> (f64, Parts) {
    let success = success(lesson, policy);
    let decay = decay(lesson, now, policy);
    let category = category(lesson, policy);
    let is_familiar = n_shared_tags(lesson, need) + n_shared_paths(lesson, need) > 0;
    let context = if is_familiar { policy.context_boost } else { 0.0 };
    let score = success * decay * category + context;
    let parts =
        vec![("success", success), ("decay", decay), ("category", category), ("context", context)];
    (score, parts)
}

/// Successes over successes and weighted rulings against it; nothing known counts as
/// nothing earned.
fn success(lesson: &Lesson, policy: &JkzRank) -> f64 {
    let n_success = f64::from(n_success(lesson));
    let ignored = ignore_weight(lesson, policy);
    if n_success == 0.0 { 0.0 } else { n_success / (n_success + ignored) }
}

fn decay(lesson: &Lesson, now: Timestamp, policy: &JkzRank) -> f64 {
    if policy.immune_at > 0 && lesson.effects.n_helped >= policy.immune_at {
        return 1.0;
    }
    let last_used = lesson.upkeep.used_at.map_or(lesson.updated_at, |at| at.max(lesson.updated_at));
    (-(now.days_since(last_used) as f64) / policy.decay_days.max(1.0)).exp()
}

/// The finer name decides, then the kind.
fn category(lesson: &Lesson, policy: &JkzRank) -> f64 {
    let weight = |word: &str| policy.category_weights.get(&word.to_lowercase()).copied();
    let finer = lesson.category.as_deref().and_then(weight);
    finer.or_else(|| weight(lesson.kind.word())).unwrap_or(1.0)
}
