//! The Archivist's patterns in how runs went: one file per pattern, each a pure function from history to
//! what it found. All wordings are fixed sentences around what was quoted.

mod correction;
mod fails_again;
mod habit;
mod pair;

use std::collections::BTreeSet;

use super::history::{History, Trial, n_roots};
use super::{Candidate, Pattern, ReflectionPolicy};
use crate::episode::ErrorClass;
use crate::ids::RunId;
use crate::lesson::{Guidance, Kind};
use crate::run::Run;
use crate::scope::Scope;
use crate::words::sorted_unique;

pub(super) use fails_again::outgrown;

/// What a failure weighs.
pub(super) const FAILURE: f64 = 0.7;

/// How many runs "several" are at least, whatever was set.
const SEVERAL: usize = 2;

/// A candidate, and the thing that it is about: two patterns may be about the same one.
#[derive(Clone)]
pub(super) struct Occurrence {
    pub candidate: Candidate,
    pub about: String,
}

/// What a lesson says.
pub(super) struct Advice {
    pub text: String,
    pub rule: String,
    pub kind: Kind,
    pub category: &'static str,
}

/// Everything that the patterns find. In what an agent's host kept only wishes are searched: there,
/// commands and what tools print are looked at step by step (`observe`).
pub(super) fn find_all(history: &History<'_>, policy: &ReflectionPolicy) -> Vec<Candidate> {
    let mut all = correction::find(history, policy);
    if !history.is_session() {
        let pairs = pair::find(history, policy);
        let mut again = fails_again::find(history, policy);
        // Of two that are about the same command, the one that says more.
        again.retain(|one| !pairs.iter().any(|pair| pair.about == one.about));
        all.extend([pairs, again, habit::find(history, policy)].concat());
    }
    all.into_iter().map(|one| one.candidate).collect()
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
    let mut seen = BTreeSet::new();
    let evidence = runs.into_iter().map(|run| run.id.clone());
    let evidence: Vec<RunId> = evidence.filter(|id| seen.insert(id.clone())).collect();
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
        quote: None,
    };
    Occurrence { candidate, about: about.to_owned() }
}

impl Occurrence {
    pub fn tagged<'t>(mut self, tags: impl IntoIterator<Item = &'t str>) -> Occurrence {
        let plain = tags.into_iter().filter(|tag| !tag.is_empty());
        self.candidate.tags = sorted_unique(plain.map(str::to_owned).collect());
        self
    }

    /// What was printed when it happened, as the detail of the lesson.
    fn saying(mut self, line: Option<String>) -> Occurrence {
        self.candidate.guidance.detail = line.map(|line| format!("It said: {line}."));
        self
    }
}

/// Share of those that went well, pulled towards one half while little is known.
fn rate(n_good: usize, n_bad: usize) -> f64 {
    (n_good as f64 + 1.0) / ((n_good + n_bad) as f64 + 2.0)
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
