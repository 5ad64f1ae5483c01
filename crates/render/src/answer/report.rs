//! `report` and `stats`: what is being learned, and how much it helps.

use std::collections::BTreeMap;

use hardwon_core::effect::{Effect, EffectKind};
use hardwon_core::finding::{Finding, FindingState, Severity};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Kind, State};
use hardwon_core::run::{Outcome, Run};
use hardwon_core::totals::Totals;
use schemars::JsonSchema;
use serde::Serialize;

use super::lesson::{Effects, Lesson};
use super::lift::Lift;
use super::value::{Id, Time, Word, ids};

/// Numbers about a project's memory.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Counts {
    #[serde(rename = "lessons")]
    pub n_lessons: u64,
    #[schemars(with = "BTreeMap<String, u64>")]
    pub by_state: BTreeMap<Word<State>, u64>,
    #[schemars(with = "BTreeMap<String, u64>")]
    pub by_kind: BTreeMap<Word<Kind>, u64>,
    #[schemars(with = "BTreeMap<String, u64>")]
    pub by_severity: BTreeMap<Word<Severity>, u64>,
    #[serde(rename = "global")]
    pub n_global: u64,
    #[serde(rename = "pinned")]
    pub n_pinned: u64,
    #[serde(rename = "runs")]
    pub n_runs: u64,
    pub effects: Effects,
}

impl Counts {
    /// These numbers about lessons.
    pub fn of(totals: &Totals, n_runs: u64) -> Self {
        Counts {
            n_lessons: totals.n_lessons,
            n_runs,
            by_state: totals.by_state.iter().map(|(state, n)| (Word(*state), *n)).collect(),
            by_kind: totals.by_kind.iter().map(|(kind, n)| (Word(*kind), *n)).collect(),
            by_severity: totals.by_severity.iter().map(|(word, n)| (Word(*word), *n)).collect(),
            n_global: totals.n_global,
            n_pinned: totals.n_pinned,
            effects: Effects::from(&totals.effects),
        }
    }
}

/// What memory holds, in numbers.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Stats {
    pub counts: Counts,
    /// The lessons that were put to the test, or wait for it.
    pub lessons: Vec<Lesson>,
    /// Of all lessons together; null while not known yet.
    pub lift: Option<Lift>,
    /// About how many more opportunities are needed before a halving would be told; null before
    /// anything came back while chance decided.
    #[serde(rename = "opportunities_missing")]
    pub n_missing: Option<u64>,
}

/// What is being learned, and what it is worth.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Report {
    #[serde(flatten)]
    pub stats: Stats,
    /// Of each kind of which it is told that showing works, or does harm.
    #[schemars(with = "BTreeMap<String, Lift>")]
    pub lift_by_kind: BTreeMap<Word<Kind>, Lift>,
    /// Put to the test, and never came back. No proof that they work.
    #[serde(serialize_with = "ids")]
    #[schemars(with = "Vec<String>")]
    pub survived: Vec<Lesson>,
    /// Came back although shown.
    #[serde(serialize_with = "ids")]
    #[schemars(with = "Vec<String>")]
    pub came_back: Vec<Lesson>,
    /// Contradicted, or named as a cause of harm.
    #[serde(serialize_with = "ids")]
    #[schemars(with = "Vec<String>")]
    pub contradicted: Vec<Lesson>,
    /// Were shown, and are put away or faded.
    pub given_up: Vec<GivenUp>,
    /// Confirmed, and not put to the test yet.
    #[serde(serialize_with = "ids")]
    #[schemars(with = "Vec<String>")]
    pub untested: Vec<Lesson>,
    /// Newest first.
    pub runs: Vec<RunSummary>,
}

/// A lesson that is shown no more, and why.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GivenUp {
    pub lesson: Id<LessonId>,
    pub text: String,
    pub because: String,
}

/// One line about a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunSummary {
    pub run: Id<RunId>,
    pub started: Option<Time>,
    pub finished: Option<Time>,
    pub outcome: Option<Word<Outcome>>,
    #[serde(rename = "findings")]
    pub n_findings: u64,
    /// Findings that an earlier run had already reported.
    #[serde(rename = "repeats")]
    pub n_repeats: u64,
    #[serde(rename = "regressions")]
    pub n_regressions: u64,
    #[serde(rename = "shown")]
    pub n_shown: u64,
    #[serde(rename = "helped")]
    pub n_helped: u64,
    #[serde(skip)]
    pub recorded_at: Time,
}

impl RunSummary {
    /// A run of which nothing is counted yet.
    pub fn of(run: &Run) -> Self {
        RunSummary {
            run: Id(run.id.clone()),
            started: run.started.map(Time),
            finished: run.finished.map(Time),
            outcome: run.outcome.map(Word),
            n_findings: 0,
            n_repeats: 0,
            n_regressions: 0,
            n_shown: 0,
            n_helped: 0,
            recorded_at: Time(run.recorded_at),
        }
    }

    /// The same with what was found in the root run and what came of what was shown to it.
    pub fn with_counts(self, findings: &[Finding], effects: &[Effect], n_repeats: u64) -> Self {
        let regressed = findings.iter().filter(|found| found.state == FindingState::Regressed);
        let shown = || effects.iter().filter(|effect| effect.was_shown());
        let helped = shown().filter(|effect| effect.kind == EffectKind::Helped);
        RunSummary {
            n_findings: findings.iter().filter(|found| found.is_sighting).count() as u64,
            n_repeats,
            n_regressions: regressed.count() as u64,
            n_shown: shown().count() as u64,
            n_helped: helped.count() as u64,
            ..self
        }
    }
}

impl Report {
    /// The same with the lessons behind the numbers, each once.
    pub fn with_lessons(mut self) -> Self {
        let lists = [&self.contradicted, &self.came_back, &self.survived, &self.untested];
        for lesson in lists.into_iter().flatten() {
            if !self.stats.lessons.iter().any(|known| known.id == lesson.id) {
                self.stats.lessons.push(lesson.clone());
            }
        }
        self
    }
}
