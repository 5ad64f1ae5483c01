//! What became of a lesson in the hands of those it was shown to: was it used, passed over, or
//! ruled wrong? And which lessons of different roles worked together.

use std::collections::BTreeMap;

use crate::effect::{Effect, EffectKind};
use crate::finding::{Finding, FindingState};
use crate::ids::LessonId;
use crate::run::{Judgement, Run};
use crate::vocabulary::vocabulary;

vocabulary! {
    /// What a run did with a lesson, in the words of jkz.
    Attribution {
        /// It was in the prompt, and nothing more is known.
        Injected = "injected",
        /// A finding of the run is the lesson, or names it.
        Used = "used",
        /// The work failed, and nobody had made use of it.
        Ignored = "ignored",
        /// It was ruled wrong, or said to have misled.
        Contradicted = "contradicted",
    }
}

/// What the root run with these runs and findings did with a lesson.
pub fn attribution(effect: &Effect, findings: &[Finding], runs: &[Run]) -> Attribution {
    let id = &effect.lesson;
    let is_use = |finding: &Finding| {
        let is_it = finding.lesson.as_ref() == Some(id);
        is_it && finding.state != FindingState::Dismissed
            || finding.text.as_str().contains(id.as_str())
    };
    let has_failed = |run: &Run| run.judgements.values().any(|word| *word == Judgement::Failed);
    match effect.kind {
        EffectKind::Contradicted | EffectKind::Hurt => Attribution::Contradicted,
        _ if findings.iter().any(is_use) => Attribution::Used,
        _ if runs.iter().any(has_failed) => Attribution::Ignored,
        _ => Attribution::Injected,
    }
}

/// Adds the lessons that helped together with this one in a root run whose work passed on
/// evidence.
pub fn count_companions(
    lesson: &LessonId,
    effects: &[Effect],
    runs: &[Run],
    companions: &mut BTreeMap<LessonId, u32>,
) {
    let has_passed = |run: &Run| run.judgements.values().any(|word| *word == Judgement::Passed);
    let helped = |effect: &&Effect| effect.was_shown() && effect.kind == EffectKind::Helped;
    let is_one = effects.iter().filter(helped).any(|effect| effect.lesson == *lesson);
    if !is_one || !runs.iter().any(has_passed) {
        return;
    }
    for other in effects.iter().filter(helped).filter(|effect| effect.lesson != *lesson) {
        *companions.entry(other.lesson.clone()).or_default() += 1;
    }
}
