//! Everything about one lesson: `show`, and `why`, which adds the story.

use std::collections::BTreeMap;
use std::ops::Deref;

use hardwon_core::change;
use hardwon_core::conversation::conversations;
use hardwon_core::effect::{Arm, Effect, Injection};
use hardwon_core::finding::{Finding, FindingState, Grade, Severity};
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::{self, Decision, State};
use hardwon_core::run::{Outcome, Run};
use schemars::JsonSchema;
use serde::Serialize;

use super::journal::Entry;
use super::lesson::Lesson;
use super::runs::Conclusion;
use super::value::{Decimal, Id, Time, Word};
use crate::answer::steps;
use crate::record::placed;

/// Everything about one lesson.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LessonPage {
    pub lesson: Lesson,
    /// In how many conversations it was seen, if sessions showed it.
    pub conversations: Option<String>,
    /// Oldest first.
    pub evidence: Vec<Evidence>,
    /// Where it was shown.
    pub injections: Vec<Showing>,
    /// What came of it, oldest first.
    pub effects: Vec<RunEffect>,
    pub reviews: Vec<Review>,
    /// Lessons of other roles that helped in the same runs, whose work passed on evidence.
    pub informed_by: Vec<InformedBy>,
    /// What was done to it, oldest first.
    pub history: Vec<Entry>,
    /// Why it is not shown to anybody, if it is not.
    #[serde(skip)]
    pub excluded: Option<String>,
}

/// The same, and how it came about.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LessonStory {
    #[serde(flatten)]
    pub page: LessonPage,
    /// The runs that evidence and effects come from.
    pub runs: Vec<RunBrief>,
    /// What happened, in order.
    pub story: Vec<Step>,
}

/// A finding that supports a lesson.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Evidence {
    pub run: Id<RunId>,
    pub author: String,
    pub severity: Word<Severity>,
    pub text: String,
    /// What its author says to do about it.
    pub repair: Option<String>,
    pub path: Option<String>,
    pub line: Option<u32>,
    pub grade: Option<Word<Grade>>,
    pub state: Word<FindingState>,
    /// How alike finding and lesson were, 0..1.
    pub likeness: Decimal,
    /// The words of a session that show it, with the number of their entry.
    pub quote: Option<String>,
    /// The lesson that it supports.
    #[serde(skip)]
    pub lesson: Option<Id<LessonId>>,
}

/// A block that held the lesson.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Injection")]
pub struct Showing {
    pub run: Id<RunId>,
    /// Null when the need named no role.
    pub role: Option<String>,
    /// Null when the need named no domain.
    pub domain: Option<String>,
    pub at: Time,
    /// `sha256:` of the block that held it.
    pub digest: String,
    /// Place in the block, from 1.
    pub position: Option<u64>,
}

/// A decision on a lesson.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Review {
    pub by: String,
    /// In which capacity.
    pub authority: String,
    pub decision: Word<Decision>,
    pub because: String,
    pub at: Time,
    pub from: Word<State>,
    pub to: Word<State>,
}

/// What came of a showing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunEffect {
    pub run: Id<RunId>,
    #[serde(flatten)]
    pub conclusion: Conclusion,
    /// What chance decided; null if it was not left to chance. What was held out had no
    /// effect: `effect` then says what would have counted.
    pub arm: Option<Word<Arm>>,
    /// Somebody said so.
    #[serde(rename = "named")]
    pub is_named: bool,
}

/// A lesson of another role that worked together with this one. Both name each other.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InformedBy {
    pub lesson: Id<LessonId>,
    pub text: String,
    /// The roles that report it.
    pub roles: Vec<String>,
    /// In how many runs.
    #[serde(rename = "runs")]
    pub n_runs: u64,
}

/// When a run was, and how it ended.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Run")]
pub struct RunBrief {
    pub id: Id<RunId>,
    pub started: Option<Time>,
    pub finished: Option<Time>,
    pub outcome: Option<Word<Outcome>>,
    pub detectors: Vec<String>,
}

/// One thing that happened.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Step {
    /// When the run ended, or when the command was given.
    pub at: Time,
    pub run: Option<Id<RunId>>,
    pub text: String,
}

/// What memory has about one lesson, of which its story is made.
#[derive(Clone, Debug)]
pub struct LessonFacts {
    /// Who asks.
    pub project: ProjectId,
    pub lesson: lesson::Lesson,
    /// Findings that support it, oldest first.
    pub evidence: Vec<Finding>,
    /// The runs that these findings and effects come from.
    pub runs: BTreeMap<RunId, Run>,
    /// Where it was shown.
    pub injections: Vec<Injection>,
    pub effects: Vec<Effect>,
    /// Lessons that helped in the same runs, and in how many.
    pub companions: Vec<(lesson::Lesson, u32)>,
    /// What was done to it, oldest first.
    pub history: Vec<change::Entry>,
    /// Why it is not shown to anybody, if it is not.
    pub excluded: Option<String>,
}

impl From<&LessonFacts> for LessonStory {
    fn from(facts: &LessonFacts) -> Self {
        let LessonFacts { lesson, injections, .. } = facts;
        let page = LessonPage {
            lesson: Lesson::from(lesson),
            conversations: conversations(&facts.evidence, &facts.runs),
            evidence: facts.evidence.iter().map(Evidence::from).collect(),
            injections: injections.iter().map(|one| Showing::new(one, &lesson.id)).collect(),
            effects: facts.effects.iter().map(RunEffect::from).collect(),
            reviews: lesson.reviews.iter().map(Review::from).collect(),
            informed_by: informed_by(facts),
            history: facts.history.iter().map(|one| Entry::of(one, &facts.project)).collect(),
            excluded: facts.excluded.clone(),
        };
        let runs = facts.runs.values().map(RunBrief::from).collect();
        LessonStory { page, runs, story: steps::steps(facts) }
    }
}

/// Those of other roles, the most frequent first.
fn informed_by(facts: &LessonFacts) -> Vec<InformedBy> {
    let own = &facts.lesson.detectors;
    let others = facts.companions.iter().filter(|(other, _)| other.detectors.is_disjoint(own));
    let mut edges: Vec<InformedBy> = others
        .map(|(other, n_runs)| InformedBy {
            lesson: other.id.clone().into(),
            text: other.text.as_str().to_owned(),
            roles: other.detectors.iter().cloned().collect(),
            n_runs: u64::from(*n_runs),
        })
        .collect();
    edges.sort_by(|a, b| b.n_runs.cmp(&a.n_runs).then_with(|| a.lesson.0.cmp(&b.lesson.0)));
    edges
}

impl From<&lesson::Review> for Review {
    fn from(review: &lesson::Review) -> Self {
        Review {
            by: review.by.clone(),
            authority: review.authority.clone(),
            decision: Word(review.decision),
            because: review.because.clone(),
            at: Time(review.at),
            from: Word(review.from),
            to: Word(review.to),
        }
    }
}

impl Deref for RunEffect {
    type Target = Conclusion;

    fn deref(&self) -> &Conclusion {
        &self.conclusion
    }
}

impl From<&Effect> for RunEffect {
    fn from(effect: &Effect) -> Self {
        RunEffect {
            run: effect.root.clone().into(),
            conclusion: Conclusion::from(effect),
            arm: effect.arm.map(Word),
            is_named: effect.is_named,
        }
    }
}

impl From<&Finding> for Evidence {
    fn from(finding: &Finding) -> Self {
        Evidence {
            run: finding.run.clone().into(),
            author: finding.author.clone(),
            severity: Word(finding.severity),
            text: finding.text.as_str().to_owned(),
            repair: finding.repair.clone(),
            path: finding.place.as_ref().map(|place| place.path.clone()),
            line: finding.place.as_ref().and_then(|place| place.line),
            grade: finding.grade.map(Word),
            state: Word(finding.state),
            likeness: Decimal(finding.likeness),
            quote: finding.quote.clone(),
            lesson: finding.lesson.clone().map(Id),
        }
    }
}

impl Evidence {
    /// `src/api.rs:41`.
    pub(crate) fn place(&self) -> Option<String> {
        self.path.as_ref().map(|path| placed(path, self.line))
    }
}

impl Showing {
    fn new(injection: &Injection, lesson: &LessonId) -> Self {
        Showing {
            run: injection.run.clone().into(),
            role: Some(injection.role.clone()).filter(|role| !role.is_empty()),
            domain: Some(injection.domain.clone()).filter(|domain| !domain.is_empty()),
            at: Time(injection.at),
            digest: injection.digest.clone(),
            position: steps::position(injection, lesson),
        }
    }
}

impl From<&Run> for RunBrief {
    fn from(run: &Run) -> Self {
        RunBrief {
            id: run.id.clone().into(),
            started: run.started.map(Time),
            finished: run.finished.map(Time),
            outcome: run.outcome.map(Word),
            detectors: run.detectors.iter().cloned().collect(),
        }
    }
}
