//! May this lesson be shown here at all? If not, why not: the first reason wins, and
//! there is always one.

use std::fmt;

use crate::effect::EffectCounts;
use crate::lesson::{Kind, Lesson, State};
use crate::need::Need;
use crate::policy::{Preferences, RankOrder, RankPolicy};
use crate::scope::Violation;

/// Why a lesson is not shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Exclusion {
    /// Its state does not allow it.
    State(State),
    /// It is meant for something else.
    Scope(Violation),
    /// Too little is left of its standing.
    Standing { standing: u32, wanted: u32 },
    /// It was tried often enough without ever helping.
    NeverHelped { n_tried: u32 },
    /// It does not fit this need well enough.
    BelowBar { score: f64, bar: f64 },
    /// Another lesson in the block says nearly the same.
    NearDuplicate { of: String },
    /// There are more lessons than may be shown.
    OverMaximum { maximum: u32 },
    /// No room is left.
    OverBudget { tokens: u32 },
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exclusion::State(State::Quarantined) => {
                f.write_str("quarantined: it was imported and nobody vouched for it yet")
            }
            Exclusion::State(State::Candidate) => f.write_str("candidate: seen in one run so far"),
            Exclusion::State(state) => write!(f, "state is {state}"),
            Exclusion::Scope(violation) => write!(
                f,
                "scope: {} is {}, not {}",
                violation.dimension, violation.wanted, violation.given
            ),
            Exclusion::Standing { standing, wanted } => {
                write!(f, "standing {standing} is below {wanted}: seen too seldom of late")
            }
            Exclusion::NeverHelped { n_tried } => {
                write!(f, "shown in {n_tried} runs and never helped: reword or forget it")
            }
            Exclusion::BelowBar { score, bar } => {
                write!(f, "score {score:.2} is below the bar of {bar:.2}")
            }
            Exclusion::NearDuplicate { of } => write!(f, "says nearly the same as {of}"),
            Exclusion::OverMaximum { maximum } => {
                write!(f, "more than {maximum} lessons fit this need")
            }
            Exclusion::OverBudget { tokens } => {
                write!(f, "no room left within {tokens} tokens")
            }
        }
    }
}

/// Whether a lesson may be shown to this need, apart from rank and room.
pub fn exclusion(lesson: &Lesson, need: &Need, policy: &RankPolicy) -> Option<Exclusion> {
    if !lesson.is_injectable() {
        return Some(Exclusion::State(lesson.state));
    }
    if is_wish(lesson, policy) && policy.preferences == Preferences::Always {
        return None;
    }
    let (standing, wanted) = (lesson.standing, policy.min_standing);
    if standing < wanted && !lesson.is_pinned {
        return Some(Exclusion::Standing { standing, wanted });
    }
    let n_seen = match policy.order {
        RankOrder::Score => lesson.n_sightings,
        RankOrder::Standing => lesson.standing,
    };
    let is_universal = n_seen >= policy.universal_at;
    if let Some(violation) = lesson.scope.violation(need, is_universal) {
        return Some(Exclusion::Scope(violation));
    }
    given_up(lesson, policy)
}

/// Whether it is somebody's wish, which no number of other lessons pushes out.
pub fn is_wish(lesson: &Lesson, policy: &RankPolicy) -> bool {
    match policy.preferences {
        Preferences::Stated => lesson.is_wish(),
        Preferences::Always => lesson.kind == Kind::Preference,
    }
}

fn given_up(lesson: &Lesson, policy: &RankPolicy) -> Option<Exclusion> {
    let EffectCounts { n_helped, .. } = lesson.effects;
    let n_tried = lesson.effects.n_tried();
    let is_hopeless = policy.give_up_at > 0 && n_helped == 0 && n_tried >= policy.give_up_at;
    (is_hopeless && !lesson.is_pinned && !lesson.is_wish())
        .then_some(Exclusion::NeverHelped { n_tried })
}
