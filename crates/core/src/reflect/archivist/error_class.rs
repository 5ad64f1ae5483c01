//! Several runs failed with the same class of error: what to look at before ending.

use super::{Advice, Occurrence, errors, found};
use crate::episode::{ErrorClass, StepResult};
use crate::lesson::Kind;
use crate::reflect::history::{History, n_roots};
use crate::reflect::{Pattern, ReflectionPolicy};
use crate::run::{Outcome, Run};

/// Two failures of one class are a coincidence.
const MIN_RUNS: usize = 3;

pub(super) fn find(history: &History<'_>, policy: &ReflectionPolicy) -> Vec<Occurrence> {
    ErrorClass::ALL.iter().filter_map(|class| one(*class, history, policy)).collect()
}

fn one(class: ErrorClass, history: &History<'_>, policy: &ReflectionPolicy) -> Option<Occurrence> {
    let failed = || history.runs.iter().filter(|view| class_of(view.run) == Some(class));
    let n_runs = n_roots(failed().map(|view| view.run));
    if n_runs < policy.min_runs.max(MIN_RUNS) || !failed().any(|view| view.is_own) {
        return None;
    }
    let todo = todo(class);
    let advice = Advice {
        text: format!("Runs here often fail with {}: {todo} before ending.", errors(class)),
        rule: format!("IF a run is about to end THEN {todo} first"),
        kind: Kind::AntiPattern,
        category: "anti_pattern",
    };
    // The more runs, the more it matters: a failure's weight at three of them.
    let importance = (55 + 5 * n_runs.min(7)) as f64 / 100.0;
    let runs = failed().map(|view| view.run);
    let made = found(Pattern::ErrorClass, class.word(), advice, importance, runs);
    Some(made.tagged([class.word()]))
}

/// What a failed run failed with, as far as is known.
pub(super) fn class_of(run: &Run) -> Option<ErrorClass> {
    if run.outcome != Some(Outcome::Failed) {
        return None;
    }
    let stated = run.episode.error_class.as_deref();
    let stated = stated.and_then(|word| ErrorClass::from_word(&word.trim().to_lowercase()));
    let failed = run.episode.trail.iter().filter(|step| step.result == StepResult::Failed);
    let last = || failed.max_by_key(|step| step.last)?.error.as_ref()?.class;
    stated.or_else(last)
}

fn todo(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Type => "run the type checker",
        ErrorClass::Import => "check that everything that is imported is there",
        ErrorClass::Syntax => "parse or build every file that was edited",
        ErrorClass::Runtime => "run what was changed",
        ErrorClass::Test => "run the tests",
        ErrorClass::Build => "run a full build",
        ErrorClass::Timeout => "split what takes long, and check that it is done",
        ErrorClass::Tool => "check that the tools that are needed are there and how to call them",
        ErrorClass::Permission => "check which files and services may be used",
        ErrorClass::Network => "check which services can be reached",
        ErrorClass::Logic => "check results against what was asked for",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::samples::{failed, found, run};

    fn with(id: &str, class: &str) -> Run {
        let mut run = run(id);
        run.episode.error_class = Some(class.to_owned());
        run
    }

    #[test]
    fn three_failed_runs_of_one_class() {
        let table = [
            (vec![with("r1", "type"), with("r2", "type")], None),
            (vec![with("r1", "type"), with("r2", "Type"), with("r3", "type")], Some(0.7)),
            (vec![with("r1", "type"), with("r2", "type"), with("r3", "test")], None),
            (vec![with("r1", "odd"), with("r2", "odd"), with("r3", "odd")], None),
            ((1..=9).map(|n| with(&format!("r{n}"), "type")).collect(), Some(0.9)),
        ];
        for (n, (runs, expected)) in table.into_iter().enumerate() {
            let made = found(find, &runs);
            assert_eq!(made.first().map(|made| made.importance), expected, "row {n}");
        }
        let made = found(find, &[with("r1", "type"), with("r2", "type"), with("r3", "type")]);
        let expected = "Runs here often fail with type errors: run the type checker before ending.";
        assert_eq!(made[0].text, expected);
    }

    #[test]
    fn the_last_failure_speaks_where_the_record_does_not() {
        let runs = ["r1", "r2", "r3"].map(|id| {
            run(id).with(vec![failed("a", "1 test failed"), failed("b", "could not compile")])
        });
        assert_eq!(found(find, &runs)[0].key, "error_class:build");
        let fine = runs.map(|run| Run { outcome: Some(Outcome::Success), ..run });
        assert_eq!(found(find, &fine).len(), 0);
    }
}
