//! What happened beside what another policy would have made of it: `replay`.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, LessonField};
use hardwon_core::effect::{Arm, EffectKind};
use hardwon_core::event::Problem;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::State;
use schemars::JsonSchema;
use serde::Serialize;

/// Recorded history beside the same history under another policy.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Replayed {
    /// The policy it was replayed under.
    pub policy: String,
    /// Root runs that were replayed.
    #[serde(rename = "runs")]
    pub n_runs: u64,
    pub happened: HistoryCounts,
    pub replayed: HistoryCounts,
    /// Texts of lessons that were shown, and would not have been.
    pub only_happened: Vec<String>,
    /// Texts of lessons that were not shown, and would have been.
    pub only_replayed: Vec<String>,
    /// What to keep in mind.
    pub notes: Vec<String>,
}

impl Replayed {
    /// What no replay can tell.
    pub const NOTE: &str = "whether a finding comes back is taken as recorded: what an agent would \
                            have done with another block is not known";

    /// What could not be replayed as it was.
    pub fn problems(n_unlike: usize, n_erased: u64) -> Vec<Problem> {
        let mut problems = Vec::new();
        if n_unlike > 0 {
            let one = "1 block was".to_owned();
            let blocks = if n_unlike == 1 { one } else { format!("{n_unlike} blocks were") };
            let reason = format!(
                "{blocks} asked for with more than a role and a domain, such as a task, paths or a \
                 budget; that is not recorded and was left out"
            );
            problems.push(Problem::new("injections", reason));
        }
        if n_erased > 0 {
            let reason = format!("{n_erased} findings were erased and are left out");
            problems.push(Problem::new("findings", reason));
        }
        problems
    }
}

/// What a history amounts to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HistoryCounts {
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
}

/// What a list of changes amounts to.
pub struct Story {
    pub counts: HistoryCounts,
    /// Lessons that were in a block.
    pub shown: BTreeSet<LessonId>,
}

impl Story {
    pub fn of<'a>(changes: impl Iterator<Item = &'a Change>) -> Story {
        let mut story = Story { counts: HistoryCounts::default(), shown: BTreeSet::new() };
        let mut effects = BTreeMap::new();
        for change in changes {
            match change {
                Change::AddEffect { effect } if effect.arm != Some(Arm::HeldOut) => {
                    effects.insert((&effect.lesson, &effect.root), effect.kind);
                }
                Change::RemoveEffect { effect } => {
                    effects.remove(&(&effect.lesson, &effect.root));
                }
                other => story.count(other),
            }
        }
        let n_of = |kind| effects.values().filter(|known| **known == kind).count() as u64;
        story.counts.n_prevented = n_of(EffectKind::Helped);
        story.counts.n_repeated = n_of(EffectKind::NoHelp);
        story
    }

    fn count(&mut self, change: &Change) {
        match change {
            Change::AddInjection { injection } => {
                self.counts.n_shown += injection.shown.len() as u64;
                self.shown.extend(injection.shown.iter().map(|shown| shown.lesson.clone()));
            }
            Change::EditLesson { fields, .. } => {
                for field in fields {
                    self.count_step(field);
                }
            }
            _ => {}
        }
    }

    fn count_step(&mut self, field: &LessonField) {
        if let LessonField::State(step) = field {
            let is_promotion = step.to.is_active() && !step.from.is_active();
            self.counts.n_promoted += u64::from(is_promotion);
            self.counts.n_decayed += u64::from(step.to == State::Decayed);
        }
    }
}
