//! What the commands about runs answer: `learn`, `outcome`, `check`, `regressions` and
//! `decay`.

use std::ops::Deref;

use hardwon_core::credit::Attribution;
use hardwon_core::effect::{self, EffectKind, FollowUp, Surface};
use hardwon_core::finding::Finding;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::State;
use hardwon_core::lifecycle;
use hardwon_core::reflect::Scenario;
use hardwon_core::run::Outcome;
use hardwon_core::session::Digest;
use schemars::JsonSchema;
use serde::Serialize;

use super::Named;
use super::value::{Decimal, Id, Word, id, ids};

/// What `learn` did.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Learned {
    pub runs: Vec<RunLearned>,
    /// What `undo` takes back; null if nothing was written.
    pub operation: Option<u64>,
    /// Sessions that are worth reading, for the model that reads them.
    #[serde(skip)]
    pub digests: Vec<(RunId, Digest)>,
}

/// What one run taught.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunLearned {
    pub run: Id<RunId>,
    /// Nothing new was in it.
    #[serde(rename = "already_known")]
    pub is_known: bool,
    /// It ended before the newest learned run: evidence only.
    #[serde(rename = "backfill")]
    pub is_backfill: bool,
    pub findings: FindingCounts,
    /// Lessons that were started.
    #[serde(serialize_with = "ids")]
    #[schemars(with = "Vec<String>")]
    pub new: Vec<Named>,
    /// Lessons that were seen again.
    #[serde(serialize_with = "ids")]
    #[schemars(with = "Vec<String>")]
    pub matched: Vec<Named>,
    /// Lessons that became active.
    #[serde(serialize_with = "ids")]
    #[schemars(with = "Vec<String>")]
    pub promoted: Vec<Named>,
    pub transitions: Vec<Transition>,
    pub effects: Vec<Effect>,
    pub regressions: Vec<Regression>,
    /// Lessons that resemble another, but not enough to be the same.
    pub similar: Vec<Similar>,
    /// What looking back on it came to, if it was worth it.
    #[serde(skip)]
    pub reflection: Option<LookedBack>,
}

/// What became of the findings of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindingCounts {
    #[serde(rename = "read")]
    pub n_read: u64,
    #[serde(rename = "used")]
    pub n_used: u64,
    #[serde(rename = "rejected")]
    pub n_rejected: u64,
}

/// A step of a lesson from one state to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Transition {
    #[serde(serialize_with = "id")]
    #[schemars(with = "String")]
    pub lesson: Named,
    pub from: Word<State>,
    pub to: Word<State>,
    pub reason: String,
}

/// What showing a lesson did in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Effect {
    #[serde(serialize_with = "id")]
    #[schemars(with = "String")]
    pub lesson: Named,
    #[serde(flatten)]
    pub conclusion: Conclusion,
    /// What the run did with the lesson; only `check` says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution: Option<Word<Attribution>>,
}

/// What was concluded about showing a lesson in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Conclusion {
    #[serde(rename = "effect")]
    pub kind: Word<EffectKind>,
    pub why: String,
    /// Into what the block was put.
    pub surface: Word<Surface>,
    /// What the effect asks for.
    pub follow_up: Word<FollowUp>,
    /// The lesson had proved itself, and failed here.
    #[serde(rename = "regression")]
    pub is_regression: bool,
}

/// A finding that had been fixed and is back.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Regression {
    pub text: String,
    /// Null when its own record says so and no fix is known.
    pub fixed_in: Option<Id<RunId>>,
    /// The run in which it is back.
    pub run: Id<RunId>,
    pub author: String,
}

impl Regression {
    /// A finding that had been fixed before.
    pub fn of(finding: &Finding) -> Self {
        Regression {
            run: Id(finding.run.clone()),
            text: finding.text.as_str().to_owned(),
            author: finding.author.clone(),
            fixed_in: finding.fixed_in.clone().map(Id),
        }
    }
}

/// A new lesson that resembles a known one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Similar {
    #[serde(serialize_with = "id")]
    #[schemars(with = "String")]
    pub lesson: Named,
    #[serde(serialize_with = "id")]
    #[schemars(with = "String")]
    pub like: Named,
    pub likeness: Decimal,
}

/// What looking back on a run did to lessons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookedBack {
    pub scenario: Scenario,
    pub created: Vec<Named>,
    pub updated: Vec<Named>,
}

/// A run and how it ended.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunEnded {
    pub run: Id<RunId>,
    pub outcome: Word<Outcome>,
}

/// The effects of one run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Checked {
    pub run: Id<RunId>,
    pub effects: Vec<Effect>,
    #[serde(skip)]
    pub n_shown: usize,
}

/// What had been fixed and is back.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Regressions {
    pub regressions: Vec<Regression>,
}

/// Transitions of a sweep.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Swept {
    pub transitions: Vec<Transition>,
}

impl RunLearned {
    /// A run that taught nothing so far.
    pub fn nothing(run: RunId) -> Self {
        RunLearned {
            run: Id(run),
            is_known: false,
            is_backfill: false,
            findings: FindingCounts::default(),
            new: Vec::new(),
            matched: Vec::new(),
            promoted: Vec::new(),
            transitions: Vec::new(),
            effects: Vec::new(),
            regressions: Vec::new(),
            similar: Vec::new(),
            reflection: None,
        }
    }

    pub fn add_transition(&mut self, lesson: Named, step: &lifecycle::Transition) {
        let step = Transition::new(lesson, step);
        self.promoted.extend(step.is_promotion().then(|| step.lesson.clone()));
        self.transitions.push(step);
    }
}

impl Transition {
    pub fn new(lesson: Named, step: &lifecycle::Transition) -> Self {
        let reason = step.reason.clone();
        Transition { lesson, from: Word(step.from), to: Word(step.to), reason }
    }

    /// Whether the lesson became active.
    pub fn is_promotion(&self) -> bool {
        self.to.is_active() && !self.from.is_active()
    }
}

impl Effect {
    pub fn new(lesson: Named, effect: &effect::Effect) -> Self {
        Effect { lesson, conclusion: Conclusion::from(effect), attribution: None }
    }

    pub fn with_attribution(self, attribution: Attribution) -> Self {
        Effect { attribution: Some(Word(attribution)), ..self }
    }
}

impl Deref for Effect {
    type Target = Conclusion;

    fn deref(&self) -> &Conclusion {
        &self.conclusion
    }
}

impl From<&effect::Effect> for Conclusion {
    fn from(effect: &effect::Effect) -> Self {
        Conclusion {
            kind: Word(effect.kind),
            why: effect.why.clone(),
            surface: Word(effect.surface),
            follow_up: Word(effect.follow_up),
            is_regression: effect.is_regression,
        }
    }
}
