//! A lesson as scripts see it, alone or in a list.

use std::collections::BTreeMap;

use crate::answer::{Answer, Lessons};
use hardwon_core::effect::EffectCounts;
use hardwon_core::finding::{Grade, Severity};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Kind, Lesson, Origin, State, Trust};
use hardwon_core::lift::Lift;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;
use super::value::{Decimal, Time, Word};

/// One explicit statement with scope, evidence and state.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Lesson")]
pub(super) struct LessonWire {
    id: String,
    kind: Word<Kind>,
    category: Option<String>,
    state: Word<State>,
    text: String,
    /// `IF … THEN …`.
    rule: Option<String>,
    /// A short paragraph with nuance.
    detail: Option<String>,
    /// In which work it is of use.
    applies_when: Option<String>,
    /// Where it applies, as dimension = value; `project` is absent for a global lesson.
    scope: BTreeMap<String, String>,
    tags: Vec<String>,
    paths: Vec<String>,
    severity: Word<Severity>,
    /// Distinct root runs in which it was seen; never falls.
    sightings: u32,
    /// What is left of the sightings after decay.
    standing: u32,
    confidence: Decimal,
    importance: Decimal,
    /// Best grade of its evidence.
    grade: Option<Word<Grade>>,
    origin: Word<Origin>,
    trust: Word<Trust>,
    author: String,
    effects: EffectsWire,
    /// Null while not known yet.
    lift: Option<LiftWire>,
    aliases: Vec<String>,
    pinned: bool,
    /// Roles and tools that ever reported it.
    detectors: Vec<String>,
    last_seen_run: Option<String>,
    /// Unused by then, it fades.
    review_after: Option<Time>,
    /// The lesson that stands for it.
    superseded_by: Option<String>,
    created_at: Time,
    updated_at: Time,
}

/// How often each effect was concluded.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Effects")]
pub(crate) struct EffectsWire {
    helped: u32,
    no_help: u32,
    hurt: u32,
    contradicted: u32,
    neutral: u32,
    no_opportunity: u32,
}

/// What showing it prevents: recurrence when held out less recurrence when shown, -1 to 1,
/// measured only where chance decided, with its 90 % interval.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Lift")]
pub(super) struct LiftWire {
    value: Decimal,
    low: Decimal,
    high: Decimal,
    n_shown: u32,
    n_held_out: u32,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct LessonsWire {
    lessons: Vec<LessonWire>,
    /// Whether a limit cut the list.
    more: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct OneLessonWire {
    lesson: LessonWire,
}

impl LessonWire {
    pub(super) fn of(lesson: &Lesson) -> Self {
        LessonWire {
            id: lesson.id.to_string(),
            kind: Word(lesson.kind),
            category: lesson.category.clone(),
            state: Word(lesson.state),
            text: lesson.text.as_str().to_owned(),
            rule: lesson.guidance.rule.clone(),
            detail: lesson.guidance.detail.clone(),
            applies_when: lesson.guidance.applies_when.clone(),
            scope: scope(lesson),
            tags: lesson.tags.clone(),
            paths: lesson.paths.clone(),
            severity: Word(lesson.severity),
            sightings: lesson.n_sightings,
            standing: lesson.standing,
            confidence: Decimal(lesson.confidence),
            importance: Decimal(lesson.importance),
            grade: lesson.grade.map(Word),
            origin: Word(lesson.origin),
            trust: Word(lesson.trust),
            author: lesson.author.clone(),
            effects: EffectsWire::of(&lesson.effects),
            lift: None,
            aliases: lesson.aliases.clone(),
            pinned: lesson.is_pinned,
            detectors: lesson.detectors.iter().cloned().collect(),
            last_seen_run: lesson.last_seen_run.as_ref().map(RunId::to_string),
            review_after: lesson.upkeep.review_after.map(Time),
            superseded_by: lesson.superseded_by.as_ref().map(LessonId::to_string),
            created_at: Time(lesson.created_at),
            updated_at: Time(lesson.updated_at),
        }
    }

    /// The same with what showing it is worth.
    pub(super) fn with_lift(self, lift: Option<&Lift>) -> Self {
        LessonWire { lift: lift.map(LiftWire::of), ..self }
    }
}

impl LiftWire {
    pub(super) fn of(lift: &Lift) -> Self {
        LiftWire {
            value: Decimal(lift.value),
            low: Decimal(lift.low),
            high: Decimal(lift.high),
            n_shown: lift.arms.n_shown,
            n_held_out: lift.arms.n_held_out,
        }
    }
}

impl EffectsWire {
    pub(crate) fn of(counts: &EffectCounts) -> Self {
        EffectsWire {
            helped: counts.n_helped,
            no_help: counts.n_no_help,
            hurt: counts.n_hurt,
            contradicted: counts.n_contradicted,
            neutral: counts.n_neutral,
            no_opportunity: counts.n_no_opportunity,
        }
    }
}

/// `list` and `search`.
pub fn lessons(lessons: &Answer<Lessons>) -> Value {
    let body = &lessons.body;
    let wire = |lesson: &Lesson| LessonWire::of(lesson).with_lift(body.lifts.get(&lesson.id));
    let body =
        LessonsWire { lessons: body.lessons.iter().map(wire).collect(), more: body.has_more };
    answer(lessons, body)
}

/// `add`, `edit`, `pin`, `forget`, `restore` and whatever else answers with one lesson.
pub fn lesson(lesson: &Answer<Lesson>, lift: Option<&Lift>) -> Value {
    answer(lesson, OneLessonWire { lesson: LessonWire::of(&lesson.body).with_lift(lift) })
}

fn scope(lesson: &Lesson) -> BTreeMap<String, String> {
    let pairs = lesson.scope.0.iter();
    let pairs = pairs.map(|(dimension, value)| (dimension.to_string(), value.clone()));
    let project = lesson.project.iter().map(|id| ("project".to_owned(), id.to_string()));
    pairs.chain(project).collect()
}
