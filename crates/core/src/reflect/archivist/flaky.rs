//! A test fails and passes on unchanged code: within one run with nothing in between
//! that could have made the difference, or in two runs that started from the same code.

use std::collections::BTreeSet;

use super::{Advice, FAILURE, Occurrence, found};
use crate::episode::{ErrorClass, StepKind};
use crate::ids::RunId;
use crate::lesson::Kind;
use crate::reflect::history::{History, Trial, TriedStep, sort_of, worded};
use crate::reflect::quote;
use crate::reflect::{Pattern, ReflectionPolicy};
use crate::run::Run;

pub(super) fn find(history: &History<'_>, _policy: &ReflectionPolicy) -> Vec<Occurrence> {
    let tests = history.trials(StepKind::Test);
    let single = tests.iter().filter(|(name, _)| quote::is_plain_name(name));
    let single = single.filter_map(|(name, trials)| {
        let text = format!(
            "Test `{name}` is flaky: it fails and passes on unchanged code. Run it again before \
             changing code for it."
        );
        flaky(&format!("test {name}"), text, &format!("test `{name}`"), trials)
    });
    let commands = history.trials(StepKind::Command);
    let suites = commands.iter().filter(|(_, trials)| sort_of(trials).is_test);
    let suites = suites.filter_map(|(shape, trials)| {
        let command = worded(shape, trials);
        let text = format!(
            "The tests of `{command}` are flaky: they fail and pass on unchanged code. Run them \
             again before changing code for them."
        );
        let made = flaky(&format!("suite {shape}"), text, &format!("`{command}`"), trials);
        made.filter(|_| quote::is_advisable(&command))
    });
    single.chain(suites).collect()
}

fn flaky(about: &str, text: String, what: &str, trials: &[Trial<'_>]) -> Option<Occurrence> {
    let rule = format!("IF {what} fails THEN run it again before changing code for it");
    let advice = Advice { text, rule, kind: Kind::Pattern, category: "test_strategy" };
    let runs = evidence(trials)?;
    Some(found(Pattern::Flaky, about, advice, FAILURE, runs).tagged(["flaky", "test"]))
}

/// Runs that show it, oldest first, if this one does.
fn evidence<'h>(trials: &[Trial<'h>]) -> Option<Vec<&'h Run>> {
    let mut shown: BTreeSet<&RunId> = BTreeSet::new();
    for (n, trial) in trials.iter().enumerate() {
        if is_flaky_within(trial) {
            shown.insert(&trial.view.run.id);
        }
        for earlier in &trials[..n] {
            if is_flaky_between(earlier, trial) || is_flaky_between(trial, earlier) {
                shown.extend([&earlier.view.run.id, &trial.view.run.id]);
            }
        }
    }
    let is_shown = |trial: &&Trial<'_>| shown.contains(&trial.view.run.id);
    let is_due = trials.iter().filter(is_shown).any(|trial| trial.view.is_own);
    is_due.then(|| trials.iter().filter(is_shown).map(|trial| trial.view.run).collect())
}

/// Whether a failure may be chance: it was run at all.
fn is_chance(tried: &TriedStep<'_>) -> bool {
    use ErrorClass::*;
    match tried.trouble() {
        Some(Tool | Import | Permission | Syntax | Type | Build) => false,
        Some(Timeout | Network | Test | Runtime | Logic) | None => tried.has_failed(),
    }
}

fn is_flaky_within(trial: &Trial<'_>) -> bool {
    let view = trial.view;
    let failed = trial.steps.iter().filter(|tried| is_chance(tried));
    let mut pairs = failed.flat_map(|failed| {
        let passed = trial.steps.iter().filter(|tried| tried.is_ok());
        passed.map(move |passed| (failed.step, passed.step))
    });
    pairs.any(|(failed, passed)| {
        // Of a trail that was cut, only what was before the first pass is all there.
        let passes = [Some(passed.first), Some(passed.last).filter(|_| !view.is_cut())];
        passes.into_iter().flatten().any(|pass| {
            [failed.first, failed.last].into_iter().any(|failure| {
                let is_told = !view.is_cut() || failure < pass;
                let (from, to) = (failure.min(pass), failure.max(pass));
                is_told && from < to && !view.is_changed_between(from, to)
            })
        })
    })
}

/// Whether it fails in one and passes in the other, each before anything was changed.
fn is_flaky_between(failing: &Trial<'_>, passing: &Trial<'_>) -> bool {
    let commit = &failing.view.run.episode.commit;
    let is_same_code = commit.is_some() && *commit == passing.view.run.episode.commit;
    // Of a trail that was cut, what went before a failure is not all there.
    if !is_same_code || failing.view.is_cut() {
        return false;
    }
    let is_untouched = |trial: &Trial<'_>, place: u32| {
        !trial.view.steps.iter().any(|tried| tried.changes_code() && tried.step.first < place)
    };
    let mut fails = failing.steps.iter().filter(|tried| is_chance(tried));
    let mut passes = passing.steps.iter().filter(|tried| tried.is_ok());
    fails.any(|tried| is_untouched(failing, tried.step.first))
        && passes.any(|tried| is_untouched(passing, tried.step.first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::episode::SingleStep;
    use crate::reflect::samples::{edit, failed, fails, found, look, ok, passes, run, texts};

    #[test]
    fn unchanged_code_that_fails_and_passes_is_flaky() {
        let red = || failed("make test", "1 test failed");
        let rows: Vec<(&str, Vec<SingleStep>, bool)> = vec![
            ("again", vec![fails("t"), passes("t")], true),
            ("the other way", vec![passes("t"), fails("t")], true),
            ("edited", vec![fails("t"), edit("a.rs"), passes("t")], false),
            ("edited later", vec![fails("t"), passes("t"), edit("a.rs")], true),
            ("installed", vec![fails("t"), ok("npm ci"), passes("t")], false),
            ("looked", vec![fails("t"), look("a.rs"), ok("git diff"), passes("t")], true),
            ("another test", vec![fails("t"), passes("u")], false),
            ("command", vec![red(), ok("make test")], true),
            ("unrunnable", vec![failed("make test", "command not found"), ok("make test")], false),
            ("no test", vec![failed("make", "failed"), ok("make")], false),
            ("cycles", vec![vec![fails("t"), edit("a"), passes("t")]; 4].concat(), false),
        ];
        for (name, done, expected) in rows {
            assert_eq!(texts(find, &[run("r1").with(done)]).len(), usize::from(expected), "{name}");
        }
    }

    #[test]
    fn two_runs_of_the_same_code_show_it_too() {
        let at = |id, commit: &str, done| {
            let mut run: Run = run(id).with(done);
            run.episode.commit = Some(commit.to_owned());
            run
        };
        let red = |commit| at("r1", commit, vec![fails("cart::total")]);
        let made = found(find, &[red("abc"), at("r2", "abc", vec![passes("cart::total")])]);
        assert_eq!(
            made[0].text,
            "Test `cart::total` is flaky: it fails and passes on unchanged code. Run it again \
             before changing code for it."
        );
        assert_eq!(made[0].evidence.len(), 2);
        let other_code = [red("abc"), at("r2", "abd", vec![passes("cart::total")])];
        assert_eq!(found(find, &other_code).len(), 0);
        let edited = [red("abc"), at("r2", "abc", vec![edit("a.rs"), passes("cart::total")])];
        assert_eq!(found(find, &edited).len(), 0);
    }

    #[test]
    fn a_suite_is_named_by_its_command() {
        let made = texts(find, &[run("r1").with(vec![failed("make test", "x"), ok("make test")])]);
        let expected = "The tests of `make test` are flaky: they fail and pass on unchanged \
                        code. Run them again before changing code for them.";
        assert_eq!(made, [expected]);
    }
}
