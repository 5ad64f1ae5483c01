//! What `reflect` says.

use hardwon_core::episode::{Account, Usage};
use hardwon_core::event::Problem;
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Kind, Lesson};
use hardwon_core::reflect::{Candidate, Pattern, Reflection, Scenario};
use hardwon_core::run::Run;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::asked::{Asked, AskedOutcome};
use super::lesson::Scope;
use super::runs::{Learned, LookedBack, RunLearned, Transition};
use super::value::{Decimal, Id, Word};
use super::{Answer, Named};

/// What looking back came to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reflected {
    pub scenario: Word<Scenario>,
    /// `skipped` or `reflected`.
    pub(crate) status_of_reflection: StatusOfReflection,
    /// Why nothing was looked at; null if something was.
    #[serde(rename = "reason")]
    pub skipped: Option<String>,
    /// How many lessons were started.
    #[serde(rename = "created")]
    pub(crate) n_created: u64,
    /// How many lessons were seen again.
    #[serde(rename = "updated")]
    pub(crate) n_updated: u64,
    /// One to three sentences.
    pub summary: String,
    #[serde(rename = "created_lessons")]
    pub created: Vec<Named>,
    #[serde(rename = "updated_lessons")]
    pub updated: Vec<Named>,
    pub worked: Vec<String>,
    pub failed: Vec<String>,
    pub decisions: Vec<String>,
    /// What was considered, the most important first.
    pub candidates: Vec<Considered>,
    /// Root runs that were looked at, oldest first.
    pub runs: Vec<Id<RunId>>,
    pub transitions: Vec<Transition>,
    /// What `undo` takes back; null if nothing was written.
    pub operation: Option<u64>,
    /// Questions to a model; none without a backend.
    pub asked: Vec<Asked>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StatusOfReflection {
    Skipped,
    Reflected,
}

/// A candidate lesson.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Candidate")]
pub struct Considered {
    pub text: String,
    pub pattern: Word<Pattern>,
    pub kind: Word<Kind>,
    pub category: &'static str,
    pub importance: Decimal,
    /// `IF … THEN …`.
    pub rule: Option<String>,
    /// Where it holds, as dimension = value.
    pub scope: Scope,
    /// Runs that show it, oldest first.
    pub evidence: Vec<Id<RunId>>,
    /// Why it was not taken; null if it was.
    pub refused: Option<String>,
    /// What it is about: two of one pattern and key are one.
    #[serde(skip)]
    pub key: String,
}

/// What became of what a model said about a run.
#[derive(Clone, Debug)]
pub struct AdviceTaken {
    pub learned: RunLearned,
    /// Candidates whose evidence is there, each with why it was kept out, if it was.
    pub considered: Vec<Considered>,
    /// For each candidate, in its order, the lesson that it is; `None` if it was not taken.
    pub lessons: Vec<Option<LessonId>>,
    pub operation: Option<u64>,
}

/// What a reflection would look at, as the Archivist's document has it.
#[derive(Clone, Debug, Serialize)]
pub struct ReflectionContext {
    pub context: Value,
}

/// All that a reflection would look at.
#[derive(Clone, Debug)]
pub struct Looked {
    pub scenario: Scenario,
    pub run: Run,
    pub below: Vec<Run>,
    pub findings: Vec<Finding>,
    /// Each with what it has in common with the run, the nearest first.
    pub related: Vec<(Run, Vec<String>)>,
    /// Other runs of the same session, newest first.
    pub session: Vec<Run>,
    /// The project's progress file.
    pub progress: Option<String>,
    /// What the whole tree used up.
    pub usage: Usage,
    /// What is known already and bears on it.
    pub lessons: Vec<Lesson>,
}

/// Why nothing was looked at, if no run gives a reason.
const NOTHING: &str = "nothing to look back on";

impl Reflected {
    /// Nothing was looked at, for this reason.
    pub fn skipped(scenario: Scenario, reason: &str) -> Reflected {
        Reflected {
            scenario: Word(scenario),
            status_of_reflection: StatusOfReflection::Skipped,
            skipped: Some(reason.to_owned()),
            n_created: 0,
            n_updated: 0,
            summary: String::new(),
            created: Vec::new(),
            updated: Vec::new(),
            worked: Vec::new(),
            failed: Vec::new(),
            decisions: Vec::new(),
            candidates: Vec::new(),
            runs: Vec::new(),
            transitions: Vec::new(),
            operation: None,
            asked: Vec::new(),
        }
    }

    /// A run was not looked at, for this reason. The first one is told.
    pub fn skip(&mut self, reason: String) {
        if self.runs.is_empty() && self.skipped.as_deref() == Some(NOTHING) {
            self.skipped = Some(reason);
        }
    }

    /// Adds what looking back on one more run came to.
    pub fn add(
        &mut self,
        root: &RunId,
        learned: RunLearned,
        reflection: Reflection,
        considered: Vec<Considered>,
    ) {
        self.skipped = None;
        self.runs.push(root.clone().into());
        self.take(learned);
        self.summary = reflection.outcome;
        for considered in considered {
            let of = |c: &Considered| (c.pattern, c.key.clone());
            self.candidates.retain(|known| of(known) != of(&considered));
            self.candidates.push(considered);
        }
    }

    /// Adds what a model said about one of them: its account in place of what the patterns tell.
    pub fn advised(&mut self, account: Account, taken: AdviceTaken) {
        self.take(taken.learned);
        self.candidates.extend(taken.considered);
        self.operation = taken.operation.or(self.operation);
        if !account.summary.is_empty() {
            self.summary = account.summary;
        }
        for (known, said) in [
            (&mut self.worked, account.worked),
            (&mut self.failed, account.failed),
            (&mut self.decisions, account.decisions),
        ] {
            if !said.is_empty() {
                *known = said;
            }
        }
    }

    /// Whether the last question to a model got no answer, so that others need not be asked.
    pub fn is_stopped(&self) -> bool {
        let is_open =
            |asked: &Asked| matches!(asked.outcome, AskedOutcome::Failed | AskedOutcome::NotAsked);
        self.asked.last().is_some_and(is_open)
    }

    /// A model read the session of this run.
    pub fn read(&mut self, run: RunId) {
        self.status_of_reflection = StatusOfReflection::Reflected;
        self.skipped = None;
        self.runs.push(Id(run));
    }

    /// Adds what came of sessions that were read.
    pub fn add_read(&mut self, read: Reflected) {
        if read.skipped.is_none() {
            self.status_of_reflection = StatusOfReflection::Reflected;
            (self.skipped, self.summary) = (None, read.summary);
        }
        self.operation = read.operation.or(self.operation);
        unite(&mut self.created, &read.created);
        unite(&mut self.updated, &read.updated);
        self.candidates.extend(read.candidates);
        self.transitions.extend(read.transitions);
        self.runs.extend(read.runs);
        self.asked.extend(read.asked);
    }

    /// Adds what a run taught: what is new, and what was known before it.
    fn take(&mut self, mut learned: RunLearned) {
        unite(&mut self.created, &learned.new);
        learned.matched.retain(|named| self.created.iter().all(|known| known.id != named.id));
        unite(&mut self.updated, &learned.matched);
        self.transitions.extend(learned.transitions);
    }

    /// Says of how many runs the summary is the newest one's.
    pub fn summarize(&mut self) {
        let n = self.runs.len();
        if n > 1 {
            self.summary = format!("{n} runs looked back upon. The newest: {}", self.summary);
        }
    }

    /// What looking back came to in runs that were learned.
    pub fn of_learned(learned: &Learned) -> Reflected {
        let looked = learned.runs.iter().filter_map(|run| Some((run, run.reflection.as_ref()?)));
        let looked: Vec<(&RunLearned, &LookedBack)> = looked.collect();
        let scenario = match looked.as_slice() {
            [(_, one)] => one.scenario,
            _ => Scenario::PatternDetected,
        };
        let mut all = Reflected::skipped(scenario, NOTHING);
        all.operation = learned.operation;
        for (run, LookedBack { created, updated, .. }) in &looked {
            all.skipped = None;
            all.runs.push(run.run.clone());
            unite(&mut all.created, created);
            unite(&mut all.updated, updated);
            all.transitions.extend(run.transitions.iter().cloned());
        }
        all.updated.retain(|named| all.created.iter().all(|created| created.id != named.id));
        match (all.runs.as_slice(), learned.runs.len()) {
            ([], 0) => all.skipped = Some("nothing waits".to_owned()),
            ([], n) => {
                let reason = format!("{n} runs were learned, and none tells what was done in it");
                all.skipped = Some(reason);
            }
            ([run], _) => all.summary = format!("{run} was looked back upon."),
            (runs, _) => all.summary = format!("{} runs were looked back upon.", runs.len()),
        }
        all
    }

    /// The whole as an answer, counted; `empty` if nothing was looked at.
    pub fn answer(mut self, problems: Vec<Problem>) -> Answer<Reflected> {
        let is_skipped = self.skipped.is_some();
        self.status_of_reflection = match self.skipped {
            Some(_) => StatusOfReflection::Skipped,
            None => StatusOfReflection::Reflected,
        };
        (self.n_created, self.n_updated) = (self.created.len() as u64, self.updated.len() as u64);
        Answer::of(self, problems).or_empty(is_skipped)
    }
}

impl Considered {
    /// A candidate, with why it was not taken if it was not.
    pub fn new(candidate: &Candidate, refused: Option<String>) -> Self {
        Considered {
            text: candidate.text.clone(),
            pattern: Word(candidate.pattern),
            kind: Word(candidate.kind),
            category: candidate.category,
            importance: Decimal(candidate.importance),
            rule: candidate.guidance.rule.clone(),
            scope: Scope::from(&candidate.scope),
            evidence: candidate.evidence.iter().cloned().map(Id).collect(),
            refused,
            key: candidate.key.clone(),
        }
    }
}

fn unite(all: &mut Vec<Named>, more: &[Named]) {
    for named in more {
        if all.iter().all(|known| known.id != named.id) {
            all.push(named.clone());
        }
    }
}
