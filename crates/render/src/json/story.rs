//! Everything about one lesson: `show`, and `why`, which adds the story.

use crate::answer::{Answer, LessonStory};
use hardwon_core::effect::{Arm, Effect, EffectKind, FollowUp, Injection, Surface};
use hardwon_core::finding::{Finding, FindingState, Grade, Severity};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Decision, Review, State};
use hardwon_core::run::{Outcome, Run};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;
use super::journal::EntryWire;
use super::lesson::LessonWire;
use super::value::{Decimal, Time, Word};
use crate::story;

#[derive(Serialize, JsonSchema)]
pub(super) struct ShowWire {
    lesson: LessonWire,
    /// Oldest first.
    evidence: Vec<EvidenceWire>,
    /// Where it was shown.
    injections: Vec<InjectionWire>,
    /// What came of it, oldest first.
    effects: Vec<RunEffectWire>,
    reviews: Vec<ReviewWire>,
    /// What was done to it, oldest first.
    history: Vec<EntryWire>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct WhyWire {
    #[serde(flatten)]
    show: ShowWire,
    /// The runs that evidence and effects come from.
    runs: Vec<RunWire>,
    /// What happened, in order.
    story: Vec<StepWire>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Evidence")]
pub(super) struct EvidenceWire {
    run: String,
    author: String,
    severity: Word<Severity>,
    text: String,
    path: Option<String>,
    line: Option<u32>,
    grade: Option<Word<Grade>>,
    state: Word<FindingState>,
    /// How alike finding and lesson were, 0..1.
    likeness: Decimal,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Injection")]
struct InjectionWire {
    run: String,
    /// Null when the need named no role.
    role: Option<String>,
    /// Null when the need named no domain.
    domain: Option<String>,
    at: Time,
    /// `sha256:` of the block that held it.
    digest: String,
    /// Place in the block, from 1.
    position: Option<u64>,
}

/// A decision on a lesson.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Review")]
pub(super) struct ReviewWire {
    by: String,
    /// In which capacity.
    authority: String,
    decision: Word<Decision>,
    because: String,
    at: Time,
    from: Word<State>,
    to: Word<State>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RunEffect")]
struct RunEffectWire {
    run: String,
    effect: Word<EffectKind>,
    why: String,
    /// Into what the block was put.
    surface: Word<Surface>,
    /// What the effect asks for.
    follow_up: Word<FollowUp>,
    /// The lesson had proved itself, and failed here.
    regression: bool,
    /// What chance decided; null if it was not left to chance. What was held out had no
    /// effect: `effect` then says what would have counted.
    arm: Option<Word<Arm>>,
    /// Somebody said so.
    named: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Run")]
struct RunWire {
    id: String,
    started: Option<Time>,
    finished: Option<Time>,
    outcome: Option<Word<Outcome>>,
    detectors: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Step")]
struct StepWire {
    at: Time,
    run: Option<String>,
    text: String,
}

/// `show`.
pub fn show(story: &Answer<LessonStory>) -> Value {
    answer(story, show_wire(&story.body))
}

/// `why`: all that `show` says, and how it came about.
pub fn why(story: &Answer<LessonStory>) -> Value {
    let body = &story.body;
    let steps = story::steps(body).into_iter().map(|step| StepWire {
        at: Time(step.at),
        run: step.run.as_ref().map(RunId::to_string),
        text: step.text,
    });
    let wire = WhyWire {
        show: show_wire(body),
        runs: body.runs.values().map(run).collect(),
        story: steps.collect(),
    };
    answer(story, wire)
}

fn show_wire(story: &LessonStory) -> ShowWire {
    let id = &story.lesson.id;
    ShowWire {
        lesson: LessonWire::of(&story.lesson).with_lift(story.lift.as_ref()),
        evidence: story.evidence.iter().map(evidence).collect(),
        injections: story.injections.iter().map(|shown| injection(shown, id)).collect(),
        effects: story.effects.iter().map(run_effect).collect(),
        reviews: story.lesson.reviews.iter().map(review).collect(),
        history: story.history.iter().map(EntryWire::of).collect(),
    }
}

pub(super) fn review(review: &Review) -> ReviewWire {
    ReviewWire {
        by: review.by.clone(),
        authority: review.authority.clone(),
        decision: Word(review.decision),
        because: review.because.clone(),
        at: Time(review.at),
        from: Word(review.from),
        to: Word(review.to),
    }
}

fn run_effect(effect: &Effect) -> RunEffectWire {
    RunEffectWire {
        run: effect.root.to_string(),
        effect: Word(effect.kind),
        why: effect.why.clone(),
        surface: Word(effect.surface),
        follow_up: Word(effect.follow_up),
        regression: effect.is_regression,
        arm: effect.arm.map(Word),
        named: effect.is_named,
    }
}

pub(super) fn evidence(finding: &Finding) -> EvidenceWire {
    EvidenceWire {
        run: finding.run.to_string(),
        author: finding.author.clone(),
        severity: Word(finding.severity),
        text: finding.text.as_str().to_owned(),
        path: finding.place.as_ref().map(|place| place.path.clone()),
        line: finding.place.as_ref().and_then(|place| place.line),
        grade: finding.grade.map(Word),
        state: Word(finding.state),
        likeness: Decimal(finding.likeness),
    }
}

fn injection(injection: &Injection, lesson: &LessonId) -> InjectionWire {
    InjectionWire {
        run: injection.run.to_string(),
        role: Some(injection.role.clone()).filter(|role| !role.is_empty()),
        domain: Some(injection.domain.clone()).filter(|domain| !domain.is_empty()),
        at: Time(injection.at),
        digest: injection.digest.clone(),
        position: story::position(injection, lesson),
    }
}

fn run(run: &Run) -> RunWire {
    RunWire {
        id: run.id.to_string(),
        started: run.started.map(Time),
        finished: run.finished.map(Time),
        outcome: run.outcome.map(Word),
        detectors: run.detectors.iter().cloned().collect(),
    }
}
