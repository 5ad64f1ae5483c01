//! The Archivist's patterns in how runs went: one file per pattern, each a pure function from history to
//! what it found. All wordings are fixed sentences around what was quoted.

mod correction;
mod fails_again;
mod flaky;
mod habit;
mod pair;
mod rescue;
mod slow;

use super::history::{History, Trial, n_roots};
use super::{Candidate, Pattern, ReflectionPolicy};
use crate::episode::ErrorClass;
use crate::ids::RunId;
use crate::lesson::{Guidance, Kind};
use crate::run::Run;
use crate::scope::Scope;

pub(super) use fails_again::outgrown;

/// What a failure weighs, and what a success or a mere inconvenience does.
pub(super) const FAILURE: f64 = 0.7;
const INCONVENIENCE: f64 = 0.4;

/// How many runs "several" are at least, whatever was set.
const SEVERAL: usize = 2;

/// A candidate, and the thing that it is about: two patterns may be about the same one.
pub(super) struct Occurrence {
    pub candidate: Candidate,
    pub about: String,
}

pub(super) type Find = fn(&History<'_>, &ReflectionPolicy) -> Vec<Occurrence>;

/// What a lesson says.
pub(super) struct Advice {
    pub text: String,
    pub rule: String,
    pub kind: Kind,
    pub category: &'static str,
}

/// Everything that the patterns find; of two that are about the same thing, the one that
/// says more.
pub(super) fn find_all(history: &History<'_>, policy: &ReflectionPolicy) -> Vec<Candidate> {
    let is_session = history.is_session();
    let patterns = Pattern::ALL.iter().filter(|pattern| !is_session || is_of_sessions(**pattern));
    let all: Vec<Occurrence> =
        patterns.flat_map(|pattern| finder(*pattern)(history, policy)).collect();
    let is_said = |one: &&Occurrence| {
        let is_better = |other: &Occurrence| {
            let says_more = better_than(one.candidate.pattern).contains(&other.candidate.pattern);
            says_more && other.about == one.about
        };
        all.iter().any(is_better)
    };
    all.iter().filter(|one| !is_said(one)).map(|one| one.candidate.clone()).collect()
}

/// Whether a pattern is searched in what an agent's host kept, too: there, commands and what tools
/// print are looked at step by step (`observe`).
fn is_of_sessions(pattern: Pattern) -> bool {
    match pattern {
        Pattern::Correction => true,
        Pattern::FailsAgain | Pattern::Flaky | Pattern::Slow | Pattern::Pair => false,
        Pattern::Habit | Pattern::Rescue | Pattern::Advised => false,
    }
}

fn finder(pattern: Pattern) -> Find {
    match pattern {
        Pattern::FailsAgain => fails_again::find,
        Pattern::Flaky => flaky::find,
        Pattern::Slow => slow::find,
        Pattern::Pair => pair::find,
        Pattern::Correction => correction::find,
        Pattern::Rescue => rescue::find,
        Pattern::Habit => habit::find,
        // It is said, and cannot be searched for.
        Pattern::Advised => |_, _| Vec::new(),
    }
}

/// Which patterns say more about the same thing.
fn better_than(pattern: Pattern) -> &'static [Pattern] {
    match pattern {
        Pattern::FailsAgain => &[Pattern::Pair, Pattern::Flaky],
        Pattern::Slow => &[Pattern::Pair, Pattern::FailsAgain],
        Pattern::Flaky | Pattern::Pair => &[],
        Pattern::Correction | Pattern::Rescue | Pattern::Habit | Pattern::Advised => &[],
    }
}

/// A candidate about a thing that these runs show, with the parts that differ from pattern
/// to pattern left empty.
pub(super) fn found<'r>(
    pattern: Pattern,
    about: &str,
    advice: Advice,
    importance: f64,
    runs: impl IntoIterator<Item = &'r Run>,
) -> Occurrence {
    let Advice { text, rule, kind, category } = advice;
    let mut evidence: Vec<RunId> = Vec::new();
    for run in runs {
        if !evidence.contains(&run.id) {
            evidence.push(run.id.clone());
        }
    }
    let candidate = Candidate {
        pattern,
        key: format!("{pattern}:{about}"),
        text,
        kind,
        category,
        scope: Scope::default(),
        tags: Vec::new(),
        paths: Vec::new(),
        importance,
        guidance: Guidance { rule: Some(rule), ..Guidance::default() },
        evidence,
        refines: Vec::new(),
    };
    Occurrence { candidate, about: about.to_owned() }
}

impl Occurrence {
    pub fn tagged<'t>(mut self, tags: impl IntoIterator<Item = &'t str>) -> Occurrence {
        let plain = tags.into_iter().filter(|tag| !tag.is_empty());
        self.candidate.tags = plain.map(str::to_owned).collect();
        self.candidate.tags.sort();
        self.candidate.tags.dedup();
        self
    }

    /// What was printed when it happened, as the detail of the lesson.
    fn saying(mut self, line: Option<String>) -> Occurrence {
        self.candidate.guidance.detail = line.map(|line| format!("It said: {line}."));
        self
    }
}

/// Whether several trees of runs show it.
fn is_of_several(trials: &[&Trial<'_>], policy: &ReflectionPolicy) -> bool {
    n_roots(trials.iter().map(|trial| trial.view.run)) >= policy.min_runs.max(SEVERAL)
}

/// What errors of a class are called.
pub(super) fn errors(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Type => "type errors",
        ErrorClass::Import => "import errors",
        ErrorClass::Syntax => "syntax errors",
        ErrorClass::Runtime => "runtime errors",
        ErrorClass::Test => "failing tests",
        ErrorClass::Build => "build errors",
        ErrorClass::Timeout => "timeouts",
        ErrorClass::Tool => "tool errors",
        ErrorClass::Permission => "permission errors",
        ErrorClass::Network => "network errors",
        ErrorClass::Logic => "logic errors",
    }
}
