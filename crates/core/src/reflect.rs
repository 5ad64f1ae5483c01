//! What can be learned from how a run went? A run and those before it in, an account of it
//! and candidate lessons out. No model is asked: patterns are searched in what was done, and
//! each candidate names the runs that show it.
//!
//! The same runs give the same words, so that a reflection that is repeated finds nothing new.

mod account;
pub mod advice;
mod archivist;
mod history;
mod related;
#[cfg(test)]
mod samples;
mod scenario;
mod shape;
pub mod taken;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::ids::RunId;
use crate::lesson::{Guidance, Kind, Lesson, State};
use crate::quote;
use crate::run::Run;
use crate::scope::{Dimension, Scope};
use crate::vocabulary::vocabulary;
use history::History;

pub use account::outcome;
pub use related::{Related, Relation, related};
pub use scenario::{scenario_of, scenario_stated};

/// Most wishes that are taken from one session.
const MAX_WISHES: usize = 12;

/// How the rule of a finding begins that a reflection made.
const PREFIX: &str = "reflection:";

/// The author of such findings.
pub const AUTHOR: &str = "archivist";

vocabulary! {
    /// Why a run is reflected upon.
    Scenario {
        SessionComplete = "session_complete",
        SessionFailed = "session_failed",
        HealerInvocation = "healer_invocation",
        PatternDetected = "pattern_detected",
    }
}

vocabulary! {
    /// What a reflection searches for.
    Pattern {
        /// The same command fails in several runs.
        FailsAgain = "fails_again",
        /// One provider or tool fails where another succeeds.
        Pair = "pair",
        /// The user typed a wish.
        Correction = "correction",
        /// Runs that begin alike end well.
        Habit = "habit",
        /// A model said so.
        Advised = "advised",
    }
}

impl Pattern {
    /// The rule of a finding of this pattern.
    pub fn rule(self) -> String {
        format!("{PREFIX}{self}")
    }
}

/// Whether a reflection made a finding, of this version or an earlier one.
pub fn is_reflected(finding: &Finding) -> bool {
    finding.rule.as_deref().is_some_and(|rule| rule.starts_with(PREFIX))
}

/// What a reflection reads.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    pub run: &'a Run,
    /// The other runs of its tree, by id.
    pub below: &'a [Run],
    /// Findings of its tree.
    pub findings: &'a [Finding],
    /// Earlier runs of the project that are not of its tree, newest first.
    pub others: &'a [Run],
}

/// A lesson that is proposed; its text has not passed the gate yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub pattern: Pattern,
    /// What it is about, in words that stay the same however often it happens: the
    /// identity of the candidate.
    pub key: String,
    /// One or two sentences, the same ones each time.
    pub text: String,
    pub kind: Kind,
    /// One of the Archivist's categories.
    pub category: &'static str,
    /// Where it holds.
    pub scope: Scope,
    pub tags: Vec<String>,
    pub paths: Vec<String>,
    /// 0..1; failures weigh more than successes.
    pub importance: f64,
    pub guidance: Guidance,
    /// Runs that show it, oldest first, the run itself among them if it does.
    pub evidence: Vec<RunId>,
    /// Pattern and key of what says less of the same, which this one replaces.
    pub refines: Vec<(Pattern, String)>,
    /// The words of a session that show it, with the number of their entry.
    pub quote: Option<String>,
}

impl Candidate {
    /// Whether it is what a user typed, so that other words may say the same.
    pub fn is_said(&self) -> bool {
        self.pattern == Pattern::Correction
    }

    /// Whether a model said it: other words may say the same, and nothing was executed.
    pub fn is_advised(&self) -> bool {
        self.pattern == Pattern::Advised
    }

    /// Why it is not taken under this policy.
    pub fn refusal(&self, policy: &ReflectionPolicy) -> Option<&'static str> {
        let is_refused = self.pattern == Pattern::Correction && !policy.takes_wishes;
        is_refused.then_some("a wish is one person's, and this memory is shared: state it yourself")
    }

    /// Whether a lesson may be recognized in it by likeness: wishes are like wishes, and
    /// nothing else speaks for what somebody wants.
    pub fn may_be(&self, lesson: &Lesson) -> bool {
        let person = |scope: &Scope| scope.0.get(&Dimension::Person).cloned();
        match self.pattern {
            Pattern::Correction => {
                let is_theirs = person(&lesson.scope) == person(&self.scope);
                // What the opposite has ended stands for nothing else.
                let is_ended = lesson.state == State::Superseded && lesson.is_personal();
                let is_wish = lesson.kind == Kind::Preference;
                is_wish && !is_ended && (is_theirs || !lesson.is_personal())
            }
            _ => !lesson.is_personal(),
        }
    }
}

/// The account of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reflection {
    /// One to three sentences.
    pub outcome: String,
    /// Most important first; filtered and cut by the policy.
    pub candidates: Vec<Candidate>,
    /// Pattern and key of what is no longer true.
    pub outgrown: Vec<(Pattern, String)>,
}

/// The numbers of reflection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReflectionPolicy {
    pub is_enabled: bool,
    pub on_success: bool,
    pub on_failure: bool,
    pub on_healer: bool,
    /// Most candidates of one reflection.
    pub max_lessons: usize,
    /// Importance below which a candidate is dropped.
    pub min_importance: f64,
    /// Runs that must show a pattern.
    pub min_runs: usize,
    /// Whether runs that begin alike and end well are a lesson.
    #[serde(default)]
    pub finds_habits: bool,
    /// Whether wishes that a user typed are taken: not where memory is shared.
    #[serde(default = "is_so")]
    pub takes_wishes: bool,
}

fn is_so() -> bool {
    true
}

impl Default for ReflectionPolicy {
    fn default() -> Self {
        ReflectionPolicy {
            is_enabled: true,
            on_success: true,
            on_failure: true,
            on_healer: true,
            max_lessons: 5,
            min_importance: 0.3,
            min_runs: 2,
            finds_habits: false,
            takes_wishes: true,
        }
    }
}

/// What a run was and how it ended, in its own words or made from what it tells.
pub fn summary(run: &Run) -> String {
    let context = Context { run, below: &[], findings: &[], others: &[] };
    run.episode.summary.clone().unwrap_or_else(|| outcome(&context))
}

/// The account of a run, and what is to be learned from it and those before it.
///
/// Best first: what matters more, then what more runs show, then by key; what matters
/// too little or is beyond the policy's number is left out.
pub fn reflect(context: &Context<'_>, policy: &ReflectionPolicy) -> Reflection {
    let history = History::new(context);
    let mut candidates = archivist::find_all(&history, policy);
    candidates.retain(|candidate| candidate.importance >= policy.min_importance);
    candidates.sort_by(|a, b| {
        let by_importance = b.importance.total_cmp(&a.importance);
        let by_evidence = || b.evidence.len().cmp(&a.evidence.len());
        by_importance.then_with(by_evidence).then_with(|| a.key.cmp(&b.key))
    });
    let mut keys = BTreeSet::new();
    candidates.retain(|candidate| keys.insert(candidate.key.clone()));
    // What the user wants is not displaced by what happened.
    let (mut wishes, mut candidates): (Vec<Candidate>, Vec<Candidate>) =
        candidates.into_iter().partition(|candidate| candidate.pattern == Pattern::Correction);
    candidates.truncate(policy.max_lessons);
    wishes.truncate(MAX_WISHES);
    candidates.extend(wishes);
    Reflection { outcome: outcome(context), outgrown: archivist::outgrown(&history), candidates }
}
