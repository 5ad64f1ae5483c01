//! Does a lesson move to another state? At most one transition a call, with its
//! reason. Also what unseen runs do to its standing.

use crate::effect::EffectKind;
use crate::finding::Grade;
use crate::ids::LessonId;
use crate::lesson::{Lesson, Origin, State, Unseen};
use crate::policy::{DecayPolicy, PromotionPolicy};
use crate::time::Timestamp;

/// One step in the lifecycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub lesson: LessonId,
    pub from: State,
    pub to: State,
    pub reason: String,
}

impl Transition {
    /// The lesson after the step.
    pub fn applied(&self, lesson: &Lesson, at: Timestamp) -> Lesson {
        Lesson { state: self.to, updated_at: at, ..lesson.clone() }
    }
}

fn step(lesson: &Lesson, to: State, reason: String) -> Option<Transition> {
    Some(Transition { lesson: lesson.id.clone(), from: lesson.state, to, reason })
}

/// Whether a lesson rises. `recent` are its last effects, newest last.
pub fn promotion(
    lesson: &Lesson,
    recent: &[EffectKind],
    policy: &PromotionPolicy,
) -> Option<Transition> {
    match lesson.state {
        State::Candidate => to_provisional(lesson, policy),
        State::Provisional => to_stable(lesson, recent, policy),
        State::Stable | State::Decayed | State::Archived | State::Quarantined => None,
    }
}

fn to_provisional(lesson: &Lesson, policy: &PromotionPolicy) -> Option<Transition> {
    let is_confirmed = lesson.standing >= policy.provisional_at;
    let is_doubted = lesson.confidence < policy.min_confidence;
    if !is_confirmed || is_doubted || !is_vouched_for(lesson, policy) {
        return None;
    }
    let reason = match lesson.origin {
        Origin::User => "stated by a person and seen in a run".to_owned(),
        Origin::Reviewer | Origin::Agent | Origin::Import => {
            format!("seen in {} runs", lesson.standing)
        }
    };
    step(lesson, State::Provisional, reason)
}

/// An agent's own claim needs a second voice or evidence that can be checked.
fn is_vouched_for(lesson: &Lesson, policy: &PromotionPolicy) -> bool {
    match lesson.origin {
        Origin::User | Origin::Reviewer | Origin::Import => true,
        Origin::Agent => {
            let is_grounded = matches!(lesson.grade, Some(Grade::Executed | Grade::Cited));
            let is_other = !lesson.detectors.contains(&lesson.author);
            let n_voices = lesson.detectors.len() + usize::from(is_other);
            is_grounded || n_voices >= policy.claimed_authors as usize
        }
    }
}

fn to_stable(
    lesson: &Lesson,
    recent: &[EffectKind],
    policy: &PromotionPolicy,
) -> Option<Transition> {
    let n_helped = lesson.effects.n_helped;
    let window = recent.iter().rev().take(policy.stable_window as usize);
    let is_contradicted = window.clone().any(|kind| *kind == EffectKind::Contradicted);
    if policy.stable_at_helped == 0 || n_helped < policy.stable_at_helped || is_contradicted {
        return None;
    }
    step(lesson, State::Stable, format!("helped in {n_helped} runs"))
}

/// Whether a lesson fades: nothing is left of its standing, or it proved wrong.
pub fn decay(lesson: &Lesson, policy: &DecayPolicy) -> Option<Transition> {
    let may_fade = match lesson.state {
        State::Candidate | State::Provisional | State::Stable => lesson.kind.decays(),
        State::Decayed | State::Archived | State::Quarantined => false,
    };
    if !may_fade {
        return None;
    }
    let n_contradicted = lesson.effects.n_contradicted;
    let reason = if policy.contradictions > 0 && n_contradicted >= policy.contradictions {
        format!("contradicted {n_contradicted} times")
    } else if lesson.confidence < policy.min_confidence {
        format!("confidence {:.2} is below {:.2}", lesson.confidence, policy.min_confidence)
    } else if lesson.standing == 0 {
        "unseen for so long that nothing is left of its standing".to_owned()
    } else {
        return None;
    };
    step(lesson, State::Decayed, reason)
}

/// The lesson after `n_unseen` more runs went by without it, up to `run_number`.
pub fn unseen(lesson: &Lesson, n_unseen: u32, run_number: u64, policy: &DecayPolicy) -> Lesson {
    let n_runs = lesson.unseen.n_runs.saturating_add(n_unseen);
    let n_steps = n_runs / policy.runs_per_step.max(1);
    Lesson {
        standing: lesson.standing.saturating_sub(n_steps),
        unseen: Unseen { n_runs: n_runs % policy.runs_per_step.max(1), checked_at: run_number },
        ..lesson.clone()
    }
}
