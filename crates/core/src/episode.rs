//! A run's account of itself: which session and step of the work it was, what it cost, how
//! it went in its own words, and what was done in it, step by step. Reflection reads it;
//! counting and credit do not.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::ended::Ended;
use crate::lesson::Origin;
use crate::message::Messages;
use crate::vocabulary::vocabulary;

/// Most steps that a run keeps; what failed or was edited stays before what went well.
pub const MAX_STEPS: usize = 80;

/// The tool of a correction by which earlier versions noted a call that the user rejected.
pub const REJECTED: &str = "rejected";

vocabulary! {
    /// What sort of trouble an error is.
    ErrorClass {
        Type = "type",
        Import = "import",
        Syntax = "syntax",
        Runtime = "runtime",
        Test = "test",
        Build = "build",
        Timeout = "timeout",
        Tool = "tool",
        Permission = "permission",
        Network = "network",
        Logic = "logic",
    }
}

vocabulary! {
    /// How a step went.
    StepResult {
        Ok = "ok",
        Failed = "failed",
        Unknown = "unknown",
    }
}

vocabulary! {
    /// What sort of step it was.
    StepKind {
        /// Something was run.
        Command = "command",
        /// A file was changed.
        Edit = "edit",
        /// Any other use of a tool: reading, searching.
        Look = "look",
        /// A test was run, by name.
        Test = "test",
        /// The user corrected something.
        Correction = "correction",
    }
}

/// What was done, as often as it was done the same way with the same result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub kind: StepKind,
    /// `bash`, `edit`; the tool's own name in small letters.
    pub tool: String,
    /// The command, the file, the name of the test, or the user's correction.
    pub action: String,
    pub result: StepResult,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
    /// Of the slowest time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// How often.
    pub n: u32,
    /// Place of the first time in the order of the run, from 0.
    pub first: u32,
    /// Place of the last time.
    pub last: u32,
}

impl Step {
    /// Something that was done one time; its trail says in which place.
    pub fn once(kind: StepKind, tool: String, action: String, result: StepResult) -> Self {
        Step { kind, tool, action, result, error: None, duration_ms: None, n: 1, first: 0, last: 0 }
    }
}

/// The error of a failed step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepError {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<ErrorClass>,
    /// The line that says it best.
    pub line: String,
}

/// What a run used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_in: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_out: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_cached: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
}

impl Usage {
    pub fn is_empty(&self) -> bool {
        *self == Usage::default()
    }

    /// Both together; the newer figure wins.
    pub fn merged(self, newer: Usage) -> Usage {
        Usage {
            tokens_in: newer.tokens_in.or(self.tokens_in),
            tokens_out: newer.tokens_out.or(self.tokens_out),
            tokens_cached: newer.tokens_cached.or(self.tokens_cached),
            cost_usd: newer.cost_usd.or(self.cost_usd),
            duration_s: newer.duration_s.or(self.duration_s),
        }
    }

    /// The sum of two, where either is known.
    pub fn plus(self, other: Usage) -> Usage {
        fn either<T: Copy>(a: Option<T>, b: Option<T>, sum: fn(T, T) -> T) -> Option<T> {
            a.zip(b).map(|(a, b)| sum(a, b)).or(a).or(b)
        }
        let counts = |a, b| either(a, b, u64::saturating_add);
        let amounts = |a, b| either(a, b, |a: f64, b| a + b);
        Usage {
            tokens_in: counts(self.tokens_in, other.tokens_in),
            tokens_out: counts(self.tokens_out, other.tokens_out),
            tokens_cached: counts(self.tokens_cached, other.tokens_cached),
            cost_usd: amounts(self.cost_usd, other.cost_usd),
            duration_s: amounts(self.duration_s, other.duration_s),
        }
    }
}

/// How a run went, in the words of a model that looked back on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
    /// The model, or the agent that spoke for itself.
    pub by: String,
    pub summary: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub worked: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
}

impl Account {
    pub(crate) fn for_each_word(&mut self, visit: &mut dyn FnMut(&mut String)) {
        let Account { by, summary, worked, failed, decisions } = self;
        let lists = worked.iter_mut().chain(failed).chain(decisions);
        [by, summary].into_iter().chain(lists).for_each(visit);
    }
}

/// A run's account of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Episode {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subtask: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// What made it fail, as its record states it or as its last failed step shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_class: Option<String>,
    /// One to three sentences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The code that it started from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Names of the raw records it was made of.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub trajectories: BTreeSet<String>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub logs: BTreeSet<String>,
    #[serde(skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
    /// What was done, by first time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trail: Vec<Step>,
    /// How it ended, by what its record shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// The channel that it came through; of several, the one that is trusted least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told_by: Option<Origin>,
    /// Whether the trail is what an agent's host kept, not what the agent says it did.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_witnessed: bool,
    /// What was said about it by a model that looked back on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
    /// By what a copy of its conversation is known: the messages that no earlier one had.
    #[serde(skip_serializing_if = "Messages::is_empty")]
    pub messages: Messages,
    /// What its source says beyond all this, as JSON, so that it is not lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<String>,
}

impl Episode {
    pub fn is_empty(&self) -> bool {
        *self == Episode::default()
    }

    /// Two records of the same run together: the newer statement wins where both state
    /// something, sets are united. A record holds its complete trail: the longer one is
    /// kept, so that a record that is read again while it grows counts nothing twice.
    pub fn merged(&self, newer: &Episode) -> Episode {
        let or = |new: &Option<String>, old: &Option<String>| new.clone().or(old.clone());
        let union = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.union(b).cloned().collect();
        let is_longer = newer.n_done() >= self.n_done();
        Episode {
            session: or(&newer.session, &self.session),
            subtask: or(&newer.subtask, &self.subtask),
            phase: or(&newer.phase, &self.phase),
            error_class: or(&newer.error_class, &self.error_class),
            summary: or(&newer.summary, &self.summary),
            commit: or(&newer.commit, &self.commit),
            trajectories: union(&self.trajectories, &newer.trajectories),
            logs: union(&self.logs, &newer.logs),
            usage: self.usage.merged(newer.usage),
            is_witnessed: if is_longer { newer.is_witnessed } else { self.is_witnessed },
            // What went on has not ended as it seemed.
            ended: match newer.goes_beyond(self) {
                true => newer.ended.clone(),
                false => newer.ended.clone().or(self.ended.clone()),
            },
            trail: if is_longer { newer.trail.clone() } else { self.trail.clone() },
            told_by: match (self.told_by, newer.told_by) {
                (Some(a), Some(b)) if a.trust() < b.trust() => Some(a),
                (a, b) => b.or(a),
            },
            account: newer.account.clone().or(self.account.clone()),
            messages: self.messages.merged(&newer.messages),
            extra: or(&newer.extra, &self.extra),
        }
    }

    /// How many steps were done, as far as they are kept.
    fn n_done(&self) -> u64 {
        self.trail.iter().map(|step| u64::from(step.n)).sum()
    }

    /// Whether this is the same record after more was done.
    pub(crate) fn goes_beyond(&self, earlier: &Episode) -> bool {
        self.n_done() > earlier.n_done()
    }

    /// Visits every text that came from outside.
    pub(crate) fn for_each_word(&mut self, visit: &mut dyn FnMut(&mut String)) {
        #[rustfmt::skip]
        let Episode {
            usage: _, told_by: _, is_witnessed: _, messages: _,
            session, subtask, phase, error_class, summary, commit, trajectories, logs, trail,
            ended, account, extra,
        } = self;
        account.iter_mut().for_each(|account| account.for_each_word(visit));
        let single = [session, subtask, phase, error_class, summary, commit, extra];
        single.into_iter().flatten().for_each(&mut *visit);
        for set in [trajectories, logs] {
            let mut words: Vec<String> = std::mem::take(set).into_iter().collect();
            words.iter_mut().for_each(&mut *visit);
            set.extend(words);
        }
        if let Some(Ended { checked, red_tests, .. }) = ended {
            checked.iter_mut().chain(red_tests).for_each(&mut *visit);
        }
        for step in trail {
            [&mut step.tool, &mut step.action].into_iter().for_each(&mut *visit);
            step.error.iter_mut().for_each(|error| visit(&mut error.line));
        }
    }
}

/// The trail of what was done: the same thing with the same result is one step. Of too
/// many the failed ones, edits and corrections are kept first, then the earlier ones.
pub fn trail(done: impl IntoIterator<Item = Step>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (place, done) in done.into_iter().enumerate() {
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        let is_same = |step: &&mut Step| {
            step.kind == done.kind
                && step.tool == done.tool
                && step.action == done.action
                && step.result == done.result
        };
        match steps.iter_mut().find(is_same) {
            Some(step) => {
                step.n = step.n.saturating_add(1);
                step.last = place;
                step.duration_ms = step.duration_ms.max(done.duration_ms);
                step.error = done.error.or(step.error.take());
            }
            None => steps.push(Step { first: place, last: place, ..done }),
        }
    }
    cut(steps)
}

fn cut(mut steps: Vec<Step>) -> Vec<Step> {
    let rank = |step: &Step| match (step.result, step.kind) {
        (_, StepKind::Correction) => 0,
        (StepResult::Failed, _) => 1,
        (_, StepKind::Edit | StepKind::Command | StepKind::Test) => 2,
        (_, StepKind::Look) => 3,
    };
    if steps.len() > MAX_STEPS {
        steps.sort_by_key(|step| (rank(step), step.first));
        steps.truncate(MAX_STEPS);
        steps.sort_by_key(|step| step.first);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(kind: StepKind, action: &str, result: StepResult) -> Step {
        Step::once(kind, "bash".to_owned(), action.to_owned(), result)
    }

    #[test]
    fn the_same_thing_done_again_is_one_step() {
        let steps = trail([
            done(StepKind::Command, "cargo test", StepResult::Failed),
            done(StepKind::Edit, "src/a.rs", StepResult::Ok),
            done(StepKind::Command, "cargo test", StepResult::Failed),
            done(StepKind::Command, "cargo test", StepResult::Ok),
        ]);
        let counts: Vec<_> = steps.iter().map(|step| (step.n, step.first, step.last)).collect();
        assert_eq!(counts, [(2, 0, 2), (1, 1, 1), (1, 3, 3)]);
    }

    #[test]
    fn of_a_long_trail_what_failed_is_kept() {
        let looks = (0..500).map(|n| done(StepKind::Look, &format!("f{n}"), StepResult::Ok));
        let failed = done(StepKind::Command, "make", StepResult::Failed);
        let steps = trail(looks.chain([failed.clone()]));
        assert_eq!(steps.len(), MAX_STEPS);
        assert_eq!(steps.last().map(|it| (it.action.as_str(), it.first)), Some(("make", 500)));
    }

    #[test]
    fn a_record_read_again_while_it_grows_counts_once() {
        let made = |n| {
            let steps = vec![done(StepKind::Command, "make", StepResult::Ok); n];
            Episode { trail: trail(steps), ..Episode::default() }
        };
        let (one, two) = (made(1), made(2));
        assert_eq!(one.merged(&two).trail, two.trail);
        assert_eq!(two.merged(&one).trail, two.trail);
    }
}
