//! What the commands about runs answer: `learn`, `outcome`, `check`, `regressions` and
//! `decay`.

use crate::answer::{Answer, Checked, Learned, Named, Regression, RunEnded, RunLearned, Swept};
use hardwon_core::effect::{Effect, EffectKind, FollowUp, Surface};
use hardwon_core::lesson::State;
use hardwon_core::lifecycle::Transition;
use hardwon_core::run::Outcome;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;
use super::value::{Decimal, Word};

#[derive(Serialize, JsonSchema)]
pub(super) struct LearnWire {
    runs: Vec<RunLearnedWire>,
    /// What `undo` takes back; null if nothing was written.
    operation: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RunLearned")]
struct RunLearnedWire {
    run: String,
    /// Nothing new was in it.
    already_known: bool,
    /// It ended before the newest learned run: evidence only.
    backfill: bool,
    findings: FindingCounts,
    /// Lessons that were started.
    new: Vec<String>,
    /// Lessons that were seen again.
    matched: Vec<String>,
    /// Lessons that became active.
    promoted: Vec<String>,
    transitions: Vec<TransitionWire>,
    effects: Vec<EffectWire>,
    regressions: Vec<RegressionWire>,
    /// Lessons that resemble another, but not enough to be the same.
    similar: Vec<SimilarWire>,
}

#[derive(Serialize, JsonSchema)]
struct FindingCounts {
    read: u64,
    used: u64,
    rejected: u64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Transition")]
pub(super) struct TransitionWire {
    lesson: String,
    from: Word<State>,
    to: Word<State>,
    reason: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Effect")]
pub(super) struct EffectWire {
    lesson: String,
    effect: Word<EffectKind>,
    why: String,
    /// Into what the block was put.
    surface: Word<Surface>,
    /// What the effect asks for.
    follow_up: Word<FollowUp>,
    /// The lesson had proved itself, and failed here.
    regression: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Regression")]
struct RegressionWire {
    text: String,
    /// Null when its own record says so and no fix is known.
    fixed_in: Option<String>,
    /// The run in which it is back.
    run: String,
    author: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Similar")]
struct SimilarWire {
    lesson: String,
    like: String,
    likeness: Decimal,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct OutcomeWire {
    run: String,
    outcome: Word<Outcome>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CheckWire {
    run: String,
    effects: Vec<EffectWire>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RegressionsWire {
    regressions: Vec<RegressionWire>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct DecayWire {
    transitions: Vec<TransitionWire>,
}

/// `learn`.
pub fn learn(learned: &Answer<Learned>) -> Value {
    let body = LearnWire {
        runs: learned.body.runs.iter().map(run_learned).collect(),
        operation: learned.body.operation.map(|operation| operation.0),
    };
    answer(learned, body)
}

/// `outcome`.
pub fn outcome(ended: &Answer<RunEnded>) -> Value {
    let body = &ended.body;
    answer(ended, OutcomeWire { run: body.run.to_string(), outcome: Word(body.outcome) })
}

/// `check`.
pub fn check(checked: &Answer<Checked>) -> Value {
    let effects = effects(&checked.body.effects);
    answer(checked, CheckWire { run: checked.body.run.to_string(), effects })
}

/// `regressions`.
pub fn regressions(regressions: &Answer<Vec<Regression>>) -> Value {
    let wire = RegressionsWire { regressions: regressions.body.iter().map(regression).collect() };
    answer(regressions, wire)
}

/// `decay`.
pub fn decay(swept: &Answer<Swept>) -> Value {
    answer(swept, DecayWire { transitions: transitions(&swept.body.transitions) })
}

fn run_learned(run: &RunLearned) -> RunLearnedWire {
    let ids = |named: &[Named]| named.iter().map(|named| named.id.to_string()).collect();
    RunLearnedWire {
        run: run.run.to_string(),
        already_known: run.is_known,
        backfill: run.is_backfill,
        findings: FindingCounts { read: run.n_read, used: run.n_used, rejected: run.n_rejected },
        new: ids(&run.new),
        matched: ids(&run.matched),
        promoted: run.promoted().map(|(named, _)| named.id.to_string()).collect(),
        transitions: transitions(&run.transitions),
        effects: effects(&run.effects),
        regressions: run.regressions.iter().map(regression).collect(),
        similar: run.similar.iter().map(similar).collect(),
    }
}

pub(super) fn transitions(transitions: &[(Named, Transition)]) -> Vec<TransitionWire> {
    let wire = |(named, transition): &(Named, Transition)| TransitionWire {
        lesson: named.id.to_string(),
        from: Word(transition.from),
        to: Word(transition.to),
        reason: transition.reason.clone(),
    };
    transitions.iter().map(wire).collect()
}

pub(super) fn effects(effects: &[(Named, Effect)]) -> Vec<EffectWire> {
    let wire = |(named, effect): &(Named, Effect)| EffectWire {
        lesson: named.id.to_string(),
        effect: Word(effect.kind),
        why: effect.why.clone(),
        surface: Word(effect.surface),
        follow_up: Word(effect.follow_up),
        regression: effect.is_regression,
    };
    effects.iter().map(wire).collect()
}

fn regression(regression: &Regression) -> RegressionWire {
    RegressionWire {
        text: regression.text.clone(),
        fixed_in: regression.fixed_in.as_ref().map(ToString::to_string),
        run: regression.run.to_string(),
        author: regression.author.clone(),
    }
}

fn similar((new, old, likeness): &(Named, Named, f64)) -> SimilarWire {
    SimilarWire {
        lesson: new.id.to_string(),
        like: old.id.to_string(),
        likeness: Decimal(*likeness),
    }
}
