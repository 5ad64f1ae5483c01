//! What is said about each candidate: its place in the block, or why it has none.

use hardwon_core::answer::{InjectedLesson, LeftOut};
use hardwon_core::eligible::Exclusion;
use hardwon_core::lesson::Lesson;
use hardwon_core::rank::Ranked;

/// Why lessons are not in the block, if anybody wants to know: making the sentences costs
/// more than choosing.
pub(super) struct Reasons {
    is_wanted: bool,
    pub said: Vec<LeftOut>,
}

impl Reasons {
    pub fn new(is_wanted: bool) -> Self {
        Reasons { is_wanted, said: Vec::new() }
    }

    pub fn say(&mut self, reason: impl FnOnce() -> LeftOut) {
        if self.is_wanted {
            self.said.push(reason());
        }
    }
}

/// Only what would have deserved the room is worth an elision line.
pub(super) fn is_elided(reason: &Exclusion) -> bool {
    match reason {
        Exclusion::OverMaximum { .. } | Exclusion::OverBudget { .. } => true,
        Exclusion::State(_)
        | Exclusion::Wordless
        | Exclusion::Superseded { .. }
        | Exclusion::Contradicts { .. }
        | Exclusion::Scope(_)
        | Exclusion::NotNow
        | Exclusion::Bound { .. }
        | Exclusion::Standing { .. }
        | Exclusion::NeverHelped { .. }
        | Exclusion::BelowBar { .. }
        | Exclusion::HeldOut
        | Exclusion::NearDuplicate { .. } => false,
    }
}

pub(super) fn injected_lesson(
    lessons: &[Lesson],
    ranked: &Ranked,
    is_randomised: &dyn Fn(&Lesson) -> bool,
) -> InjectedLesson {
    InjectedLesson {
        lesson: lessons[ranked.index].clone(),
        score: ranked.score,
        parts: ranked.parts.clone(),
        is_randomised: is_randomised(&lessons[ranked.index]),
    }
}

pub(super) fn excluded(lesson: &Lesson, reason: &Exclusion) -> LeftOut {
    LeftOut {
        id: lesson.id.clone(),
        text: lesson.text.as_str().to_owned(),
        reason: reason.to_string(),
        score: None,
        parts: Vec::new(),
    }
}

pub(super) fn scored_out(lesson: &Lesson, ranked: &Ranked, reason: &Exclusion) -> LeftOut {
    LeftOut { score: Some(ranked.score), parts: ranked.parts.clone(), ..excluded(lesson, reason) }
}
