//! A lesson, alone or in a list.

use hardwon_core::effect::EffectCounts;
use hardwon_core::finding::{Grade, Severity};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{self, Kind, Origin, State, Trust};
use hardwon_core::notes::found::FoundNote;
use hardwon_core::{prompt, search};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::value::{Decimal, Id, Time, Word};
use crate::record;

/// One explicit statement with scope, evidence and state.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Lesson {
    pub id: Id<LessonId>,
    pub kind: Word<Kind>,
    pub category: Option<String>,
    pub state: Word<State>,
    pub text: String,
    /// `IF … THEN …`.
    pub rule: Option<String>,
    /// A short paragraph with nuance.
    pub detail: Option<String>,
    /// What it comes to in a few words, for blocks without room.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub summary: Option<String>,
    /// In which work it is of use.
    pub applies_when: Option<String>,
    /// What to do about it.
    pub repair: Option<String>,
    /// Where it applies, as dimension = value; `project` is absent for a global lesson.
    pub scope: Scope,
    pub tags: Vec<String>,
    pub paths: Vec<String>,
    pub severity: Word<Severity>,
    /// Distinct root runs in which it was seen; never falls.
    #[serde(rename = "sightings")]
    pub n_sightings: u32,
    /// What is left of the sightings after decay.
    pub standing: u32,
    pub confidence: Decimal,
    pub importance: Decimal,
    /// Best grade of its evidence.
    pub grade: Option<Word<Grade>>,
    pub origin: Word<Origin>,
    pub trust: Word<Trust>,
    pub author: String,
    pub effects: Effects,
    /// Null: what showing is worth is measured of all lessons together.
    pub lift: (),
    pub aliases: Vec<String>,
    #[serde(rename = "pinned")]
    pub is_pinned: bool,
    /// Roles and tools that ever reported it.
    pub detectors: Vec<String>,
    pub last_seen_run: Option<Id<RunId>>,
    /// Unused by then, it fades.
    pub review_after: Option<Time>,
    /// The lesson that stands for it.
    pub superseded_by: Option<Id<LessonId>>,
    pub created_at: Time,
    pub updated_at: Time,
    /// What jkz calls its state; only where its policy decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jkz_state: Option<&'static str>,
    /// Whether runs are shown it now.
    #[serde(skip)]
    pub is_injectable: bool,
    /// Root runs since it was seen last.
    #[serde(skip)]
    pub n_runs_unseen: u32,
    /// Since when it is in doubt, and how often it was.
    #[serde(skip)]
    pub reviewing_since: Option<Time>,
    #[serde(skip)]
    pub n_visits: u32,
    /// What stands behind it, in a few words.
    #[serde(skip)]
    pub record: String,
}

/// How often each effect was concluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Effects {
    #[serde(rename = "helped")]
    pub n_helped: u32,
    #[serde(rename = "no_help")]
    pub n_no_help: u32,
    #[serde(rename = "hurt")]
    pub n_hurt: u32,
    #[serde(rename = "contradicted")]
    pub n_contradicted: u32,
    #[serde(rename = "neutral")]
    pub n_neutral: u32,
    #[serde(rename = "no_opportunity")]
    pub n_no_opportunity: u32,
}

/// Where a lesson applies. In JSON the project stands among the other dimensions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// `None` for a global lesson.
    pub project: Option<String>,
    /// Dimension and value.
    pub pairs: Vec<(String, String)>,
}

impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let project = self.project.iter().map(|project| ("project", project));
        let pairs = self.pairs.iter().map(|(dimension, value)| (dimension.as_str(), value));
        serializer.collect_map(pairs.chain(project))
    }
}

impl From<&hardwon_core::scope::Scope> for Scope {
    fn from(scope: &hardwon_core::scope::Scope) -> Self {
        let pairs = scope.0.iter().map(|(side, value)| (side.to_string(), value.clone()));
        Scope { project: None, pairs: pairs.collect() }
    }
}

/// Lessons, in order.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Lessons {
    pub lessons: Vec<Lesson>,
    /// Whether a limit cut the list.
    #[serde(rename = "more")]
    pub has_more: bool,
    /// Where the next page begins, for `--after`; null at the end.
    pub next: Option<String>,
}

/// Lessons that a search found, best first.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Hits {
    pub lessons: Vec<Hit>,
    /// Notes that were found: facts in files, which no run confirmed.
    pub notes: Vec<NoteHit>,
    /// Whether a limit cut the list.
    #[serde(rename = "more")]
    pub has_more: bool,
}

/// A lesson that was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Hit {
    #[serde(flatten)]
    pub lesson: Lesson,
    /// How much of the search it covers, 0 to 1.
    pub score: Decimal,
    /// What it has in common with the search, the rarest first.
    pub why: Vec<String>,
}

impl Hit {
    pub fn new(lesson: Lesson, hit: &search::Hit) -> Self {
        let why = hit.why.iter().map(ToString::to_string).collect();
        Hit { lesson, score: Decimal(f64::from(hit.score) / 1000.0), why }
    }
}

/// A note that was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NoteHit {
    /// As `jkz show` takes it.
    pub slug: String,
    pub text: String,
    /// How much of the search it covers, 0 to 1.
    pub score: Decimal,
    /// What it has in common with the search, the rarest first.
    pub why: Vec<String>,
}

/// As it may stand in a prompt: who searches may be an agent.
impl From<&FoundNote> for NoteHit {
    fn from(found: &FoundNote) -> Self {
        NoteHit {
            slug: prompt::printed(&found.told.name),
            text: prompt::printed(&found.told.text),
            score: Decimal(f64::from(found.score) / 1000.0),
            why: found.why.iter().map(ToString::to_string).collect(),
        }
    }
}

/// What every command on one lesson answers with.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OneLesson {
    pub lesson: Lesson,
}

impl From<lesson::Lesson> for OneLesson {
    fn from(lesson: lesson::Lesson) -> Self {
        OneLesson { lesson: Lesson::from(&lesson) }
    }
}

impl From<&lesson::Lesson> for Lesson {
    fn from(lesson: &lesson::Lesson) -> Self {
        Lesson {
            id: lesson.id.clone().into(),
            kind: Word(lesson.kind),
            category: lesson.category.clone(),
            state: Word(lesson.state),
            text: lesson.text.as_str().to_owned(),
            rule: lesson.guidance.rule.clone(),
            detail: lesson.guidance.detail.clone(),
            summary: lesson.summary().map(str::to_owned),
            applies_when: lesson.guidance.applies_when.clone(),
            repair: lesson.guidance.repair.clone(),
            scope: Scope {
                project: lesson.project.as_ref().map(ToString::to_string),
                ..Scope::from(&lesson.scope)
            },
            tags: lesson.tags.clone(),
            paths: lesson.paths.clone(),
            severity: Word(lesson.severity),
            n_sightings: lesson.n_sightings,
            standing: lesson.standing,
            confidence: Decimal(lesson.confidence),
            importance: Decimal(lesson.importance),
            grade: lesson.grade.map(Word),
            origin: Word(lesson.origin),
            trust: Word(lesson.trust),
            author: lesson.author.clone(),
            effects: Effects::from(&lesson.effects),
            aliases: lesson.aliases.clone(),
            is_pinned: lesson.is_pinned,
            detectors: lesson.detectors.iter().cloned().collect(),
            last_seen_run: lesson.last_seen_run.clone().map(Id),
            review_after: lesson.upkeep.review_after.map(Time),
            superseded_by: lesson.superseded_by.clone().map(Id),
            created_at: Time(lesson.created_at),
            updated_at: Time(lesson.updated_at),
            jkz_state: None,
            is_injectable: prompt::withheld(lesson).is_none(),
            n_runs_unseen: lesson.unseen.n_runs,
            reviewing_since: lesson.upkeep.reviewing_since.map(Time),
            n_visits: lesson.upkeep.n_visits,
            record: record::record(lesson),
            lift: (),
        }
    }
}

impl From<&EffectCounts> for Effects {
    fn from(counts: &EffectCounts) -> Self {
        Effects {
            n_helped: counts.n_helped,
            n_no_help: counts.n_no_help,
            n_hurt: counts.n_hurt,
            n_contradicted: counts.n_contradicted,
            n_neutral: counts.n_neutral,
            n_no_opportunity: counts.n_no_opportunity,
        }
    }
}

impl Effects {
    /// How often it was shown where the finding could have come back.
    pub fn n_tried(&self) -> u32 {
        self.n_helped + self.n_no_help + self.n_hurt + self.n_contradicted
    }

    /// `shown 12 times, came back twice, heeded 7 times`; nothing while it was not tested.
    pub(crate) fn came_of_it(&self) -> Option<String> {
        let Effects { n_helped, n_no_help, n_contradicted, n_neutral, n_no_opportunity, .. } =
            *self;
        let n_shown = self.n_tried() + n_neutral + n_no_opportunity;
        let counts = [n_shown, n_no_help, n_helped, n_contradicted];
        (self.n_tried() > 0).then(|| record::came_of_it(counts))
    }
}
