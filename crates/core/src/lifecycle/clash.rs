//! Can two lessons both be right? Two established ones with opposite advice cannot: both are
//! doubted until a review decides. A rule or a preference of a person needs no decision: the
//! other lesson gives way in every block.

use super::{Transition, step};
use crate::conflict::{Precedence, contradict};
use crate::lesson::{Lesson, State};
use crate::policy::RankPolicy;

/// The steps that take both under review, if they clash.
pub fn clash(a: &Lesson, b: &Lesson, policy: &RankPolicy) -> Option<[Transition; 2]> {
    let is_open = |lesson: &Lesson| {
        let is_established = matches!(lesson.state, State::Stable | State::Canonical);
        is_established && Precedence::of(lesson) != Precedence::Rule
    };
    let is_off = policy.conflict_words > 1.0;
    if is_off || a.id == b.id || !is_open(a) || !is_open(b) || !a.scope.overlaps(&b.scope) {
        return None;
    }
    if !contradict(a.text.as_str(), b.text.as_str(), policy.conflict_words) {
        return None;
    }
    let doubted = |one: &Lesson, other: &Lesson| {
        let reason = format!("contradicts {}, which is {} too", other.id, other.state);
        step(one, State::UnderReview, reason)
    };
    Some([doubted(a, b)?, doubted(b, a)?])
}
