//! The same history under two policies: `backtest --policy`.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, LessonField};
use hardwon_core::effect::{Arm, EffectKind};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::State;
use schemars::JsonSchema;
use serde::Serialize;

/// What would have been shown, prevented and decayed under the policy in force and under the
/// other one.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Compared {
    /// The policy in force.
    pub own: UnderPolicy,
    /// The one that was named.
    pub other: UnderPolicy,
    /// Texts of lessons that only the policy in force would have shown.
    pub only_own: Vec<String>,
    /// Texts of lessons that only the other one would have shown.
    pub only_other: Vec<String>,
}

/// What a history amounts to under a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnderPolicy {
    pub policy: String,
    /// Lessons in blocks, each time one was shown.
    #[serde(rename = "shown")]
    pub n_shown: u64,
    /// Shown where it could have come back, and did not.
    #[serde(rename = "prevented")]
    pub n_prevented: u64,
    /// Shown, and came back.
    #[serde(rename = "repeated")]
    pub n_repeated: u64,
    /// Lessons that became active.
    #[serde(rename = "promoted")]
    pub n_promoted: u64,
    /// Lessons that faded.
    #[serde(rename = "decayed")]
    pub n_decayed: u64,
    /// Lessons that were in a block.
    #[serde(skip)]
    pub shown: BTreeSet<LessonId>,
}

impl UnderPolicy {
    /// Counts what was written while the history was played.
    pub fn of<'a>(policy: &str, changes: impl Iterator<Item = &'a Change>) -> UnderPolicy {
        let mut under = UnderPolicy { policy: policy.to_owned(), ..UnderPolicy::default() };
        let mut effects = BTreeMap::new();
        for change in changes {
            match change {
                Change::AddEffect { effect } if effect.arm != Some(Arm::HeldOut) => {
                    effects.insert((&effect.lesson, &effect.root), effect.kind);
                }
                Change::RemoveEffect { effect } => {
                    effects.remove(&(&effect.lesson, &effect.root));
                }
                Change::AddInjection { injection } => {
                    under.n_shown += injection.shown.len() as u64;
                    under.shown.extend(injection.shown.iter().map(|shown| shown.lesson.clone()));
                }
                Change::EditLesson { fields, .. } => {
                    fields.iter().for_each(|field| under.count_step(field));
                }
                _ => {}
            }
        }
        let n_of = |kind| effects.values().filter(|known| **known == kind).count() as u64;
        under.n_prevented = n_of(EffectKind::Helped);
        under.n_repeated = n_of(EffectKind::NoHelp);
        under
    }

    fn count_step(&mut self, field: &LessonField) {
        if let LessonField::State(step) = field {
            let is_promotion = step.to.is_active() && !step.from.is_active();
            self.n_promoted += u64::from(is_promotion);
            self.n_decayed += u64::from(step.to == State::Decayed);
        }
    }
}
