//! What was answered, found and tried, to be looked up: `runs deliberations`, `findings`, `tried`.

use hardwon_core::attempt;
use hardwon_core::attempt::tell::Nearness;
use hardwon_core::deliberation;
use hardwon_core::event::AttemptResult;
use hardwon_core::finding::life::{LifeEvent, LifeStep};
use hardwon_core::finding::{Finding, FindingState, Grade, Severity};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{Decimal, Id, Time, Word};

/// What agents answered.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Deliberations {
    pub deliberations: Vec<DeliberationLine>,
    pub has_more: bool,
}

/// One answer without its words.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Deliberation")]
pub struct DeliberationLine {
    pub id: String,
    pub run: Id<RunId>,
    pub role: String,
    /// Null if it gave none.
    pub verdict: Option<String>,
    pub summary: String,
    pub grade: Option<Word<Grade>>,
    pub model: Option<String>,
    pub issue: Option<String>,
    /// Read and written together.
    pub tokens: Option<u64>,
    pub duration_ms: Option<u64>,
    pub at: Time,
    /// How well it answers the search, 0..1; null in a list.
    pub score: Option<Decimal>,
}

/// One answer with its words.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeliberationShown {
    pub deliberation: DeliberationLine,
    /// Null where it was struck, erased, or never kept.
    pub response: Option<String>,
}

/// Findings of all runs.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct FindingsListed {
    pub findings: Vec<FindingLine>,
    /// How many more there are, as far as was looked: 1000 stands for any number from there.
    #[serde(rename = "more")]
    pub n_more: u64,
    /// Where the next page begins, for `--after`; null at the end.
    pub next: Option<String>,
}

/// One finding in one run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "FoundFinding")]
pub struct FindingLine {
    pub id: String,
    pub run: Id<RunId>,
    /// When that run took place.
    pub at: Option<Time>,
    pub state: Word<FindingState>,
    pub severity: Word<Severity>,
    pub author: String,
    pub text: String,
    pub path: Option<String>,
    pub line: Option<u32>,
    pub rule: Option<String>,
    pub grade: Option<Word<Grade>>,
    /// What its author says to do about it.
    pub repair: Option<String>,
    /// The reviewer who ruled it false.
    pub ruled_by: Option<String>,
    /// The run in which it had been fixed.
    pub fixed_in: Option<Id<RunId>>,
    /// The lesson that it is evidence of.
    pub lesson: Option<Id<LessonId>>,
}

/// A finding and its life.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FindingStory {
    /// As it was reported last.
    pub finding: FindingLine,
    /// The oldest first.
    pub life: Vec<FindingStep>,
}

/// What happened to a finding in a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FindingStep {
    pub event: Word<LifeEvent>,
    pub run: Id<RunId>,
    pub at: Option<Time>,
    /// Who reported or dismissed it.
    pub by: Option<String>,
}

/// What was tried at an issue.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Tried {
    pub issue: String,
    #[serde(rename = "failed")]
    pub n_failed: u64,
    #[serde(rename = "worked")]
    pub n_worked: u64,
    /// The highest number of an iteration, or else how many attempts there are.
    #[serde(rename = "iterations")]
    pub n_iterations: u32,
    /// The newest first.
    pub attempts: Vec<AttemptLine>,
    /// Which of them the text that was asked about repeats, the nearest first.
    pub repeats: Vec<Repeat>,
}

/// One attempt.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Attempt")]
pub struct AttemptLine {
    pub id: String,
    pub run: Id<RunId>,
    pub at: Time,
    pub iteration: Option<u32>,
    pub author: String,
    pub approach: String,
    pub files: Vec<String>,
    /// Null if it is not known.
    pub result: Option<Word<AttemptResult>>,
    pub why: Option<String>,
    pub next: Option<String>,
    /// Only an agent says so.
    #[serde(rename = "claimed")]
    pub is_claim: bool,
}

/// An attempt that a text repeats.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Repeat {
    pub attempt: String,
    /// The share of words that both have; 1 if they are the same.
    pub likeness: Decimal,
    pub result: Option<Word<AttemptResult>>,
}

impl From<&deliberation::Deliberation> for DeliberationLine {
    fn from(it: &deliberation::Deliberation) -> Self {
        DeliberationLine {
            id: it.id.clone(),
            run: Id(it.run.clone()),
            role: it.role.clone(),
            verdict: it.verdict.clone(),
            summary: it.summary.clone(),
            grade: it.grade.map(Word),
            model: it.model.clone(),
            issue: it.issue.clone(),
            tokens: it.n_tokens,
            duration_ms: it.duration_ms,
            at: Time(it.at),
            score: None,
        }
    }
}

impl DeliberationLine {
    /// With its score, if a search found it.
    pub fn new(it: &deliberation::Deliberation, score: Option<f64>) -> Self {
        DeliberationLine { score: score.map(Decimal), ..it.into() }
    }
}

impl From<&deliberation::Deliberation> for DeliberationShown {
    fn from(it: &deliberation::Deliberation) -> Self {
        let response = it.response.body().map(str::to_owned);
        DeliberationShown { deliberation: it.into(), response }
    }
}

impl FindingLine {
    pub fn new(finding: &Finding, at: Option<Timestamp>) -> Self {
        FindingLine {
            id: finding.key.0.clone(),
            run: Id(finding.run.clone()),
            at: at.map(Time),
            state: Word(finding.state),
            severity: Word(finding.severity),
            author: finding.author.clone(),
            text: finding.text.as_str().to_owned(),
            path: finding.place.as_ref().map(|place| place.path.clone()),
            line: finding.place.as_ref().and_then(|place| place.line),
            rule: finding.rule.clone(),
            grade: finding.grade.map(Word),
            repair: finding.repair.clone(),
            ruled_by: finding.ruled_by.clone(),
            fixed_in: finding.fixed_in.clone().map(Id),
            lesson: finding.lesson.clone().map(Id),
        }
    }
}

impl FindingStory {
    /// `at` says when a run took place.
    pub fn new(
        finding: &Finding,
        life: &[LifeStep],
        at: &dyn Fn(&RunId) -> Option<Timestamp>,
    ) -> Self {
        let step = |step: &LifeStep| FindingStep {
            event: Word(step.event),
            run: Id(step.run.clone()),
            at: at(&step.run).map(Time),
            by: step.by.clone(),
        };
        let line = FindingLine::new(finding, at(&finding.run));
        FindingStory { finding: line, life: life.iter().map(step).collect() }
    }
}

impl Tried {
    pub fn new(
        issue: &str,
        attempts: &[attempt::Attempt],
        repeated: &[(&attempt::Attempt, Nearness)],
    ) -> Self {
        let ended = |result| attempts.iter().filter(|it| it.result == Some(result)).count() as u64;
        let highest = attempts.iter().filter_map(|it| it.iteration).max();
        let repeat = |(it, near): &(&attempt::Attempt, Nearness)| Repeat {
            attempt: it.id.clone(),
            likeness: Decimal(match near {
                Nearness::Same => 1.0,
                Nearness::Nearly(share) => *share,
            }),
            result: it.result.map(Word),
        };
        let mut newest: Vec<&attempt::Attempt> = attempts.iter().collect();
        newest.sort_by_key(|it| std::cmp::Reverse((it.at, it.iteration)));
        Tried {
            issue: issue.to_owned(),
            n_failed: ended(AttemptResult::Failed),
            n_worked: ended(AttemptResult::Worked),
            n_iterations: highest.unwrap_or(attempts.len() as u32),
            attempts: newest.into_iter().map(AttemptLine::from).collect(),
            repeats: repeated.iter().map(repeat).collect(),
        }
    }
}

impl From<&attempt::Attempt> for AttemptLine {
    fn from(it: &attempt::Attempt) -> Self {
        AttemptLine {
            id: it.id.clone(),
            run: Id(it.run.clone()),
            at: Time(it.at),
            iteration: it.iteration,
            author: it.author.clone(),
            approach: it.approach.as_str().to_owned(),
            files: it.files.clone(),
            result: it.result.map(Word),
            why: it.why.clone(),
            next: it.next.clone(),
            is_claim: it.is_claim,
        }
    }
}
