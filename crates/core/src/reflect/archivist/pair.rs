//! The same command fails under one provider and succeeds under another: clearly so, and because of
//! the environment, not the code.

use std::collections::BTreeMap;

use super::fails_again::warning_key;
use super::{Advice, FAILURE, Occurrence, errors, found, rate};
use crate::command::shell::program;
use crate::episode::ErrorClass;
use crate::lesson::Kind;
use crate::reflect::history::{History, Trial, TriedStep, most_common, sort_of, worded};
use crate::reflect::quote;
use crate::reflect::{Pattern, ReflectionPolicy};
use crate::run::{Run, RunKind};
use crate::scope::{Dimension, Scope};

/// How far two smoothed success rates are apart at least.
const MIN_GAP: f64 = 0.4;

/// Runs of each side at least.
const MIN_RUNS: usize = 2;

/// What records call an agent that repairs what others left.
const HEALER: &str = "healer";

/// How a command went under one provider.
struct Side<'h> {
    name: &'h str,
    ok: Vec<&'h Trial<'h>>,
    failed: Vec<(&'h Trial<'h>, &'h TriedStep<'h>)>,
}

impl Side<'_> {
    fn rate(&self) -> f64 {
        rate(self.ok.len(), self.failed.len())
    }

    /// What most of its failures come down to.
    fn class(&self) -> Option<ErrorClass> {
        let classes = || self.failed.iter().filter_map(|(_, tried)| tried.trouble());
        let most = most_common(classes())?;
        let n_most = classes().filter(|class| *class == most).count();
        (n_most * 2 > self.failed.len()).then_some(most)
    }

    fn trials(&self) -> impl Iterator<Item = &Trial<'_>> {
        self.ok.iter().copied().chain(self.failed.iter().map(|(trial, _)| *trial))
    }
}

pub(super) fn find(history: &History<'_>, _policy: &ReflectionPolicy) -> Vec<Occurrence> {
    let commands = history.commands();
    let plain = commands.iter().filter(|(_, trials)| !sort_of(trials).is_look);
    plain.flat_map(|(shape, trials)| pairs(shape, trials)).collect()
}

fn pairs<'h>(shape: &str, trials: &'h [Trial<'h>]) -> Vec<Occurrence> {
    let sides = sides(trials);
    let pairs = sides.iter().filter_map(|bad| {
        let better = sides.iter().filter(|good| is_clearly_better(good, bad));
        let best =
            better.max_by(|a, b| a.ok.len().cmp(&b.ok.len()).then_with(|| b.name.cmp(a.name)))?;
        let is_due = bad.trials().chain(best.trials()).any(|trial| trial.view.is_own);
        is_due.then(|| pair(shape, bad, best)).flatten()
    });
    pairs.collect()
}

/// By name.
fn sides<'h>(trials: &'h [Trial<'h>]) -> Vec<Side<'h>> {
    let mut sides: BTreeMap<&str, Side<'h>> = BTreeMap::new();
    for trial in trials {
        let Some(name) = provider(trial.view.run) else { continue };
        let new = || Side { name, ok: Vec::new(), failed: Vec::new() };
        let side = sides.entry(name).or_insert_with(new);
        match (trial.is_ok_at_last(), trial.failure()) {
            (Some(true), _) => side.ok.push(trial),
            (Some(false), Some(tried)) => side.failed.push((trial, tried)),
            (Some(false) | None, _) => {}
        }
    }
    sides.into_values().collect()
}

/// The provider of a run. A healer is a part that a provider plays: nothing can be left to it.
fn provider(run: &Run) -> Option<&str> {
    let is_name = |agent: &&str| {
        let is_short = agent.split_whitespace().count() <= 4;
        !agent.eq_ignore_ascii_case(HEALER) && is_short && quote::is_plain_name(agent)
    };
    run.agent.as_deref().filter(|_| run.kind != RunKind::Healer).filter(is_name)
}

fn is_clearly_better(good: &Side<'_>, bad: &Side<'_>) -> bool {
    let is_known = good.ok.len() >= MIN_RUNS && bad.failed.len() >= MIN_RUNS;
    is_known && good.failed.is_empty() && good.rate() - bad.rate() >= MIN_GAP
}

fn pair(shape: &str, bad: &Side<'_>, good: &Side<'_>) -> Option<Occurrence> {
    use ErrorClass::*;
    let (bad_name, good_name) = (bad.name, good.name);
    let class = bad.class()?;
    let how = match class {
        Timeout => "times out".to_owned(),
        Tool | Permission | Network | Import => format!("fails with {}", errors(class)),
        // The code differed, not the environment.
        Type | Syntax | Runtime | Test | Build | Logic => return None,
    };
    let words = worded(shape, bad.trials().chain(good.trials()));
    if !quote::is_advisable(&words) {
        return None;
    }
    let advice = Advice {
        text: format!(
            "`{words}` {how} under {bad_name}; {good_name} completes it: leave it to {good_name}, \
             or run a smaller part of it."
        ),
        rule: format!(
            "IF `{words}` is to be run under {bad_name} THEN leave it to {good_name}, or run a \
             smaller part of it"
        ),
        kind: Kind::AntiPattern,
        category: "provider_quirk",
    };
    let runs = bad.failed.iter().map(|(trial, _)| trial.view.run);
    let mut made = found(Pattern::Pair, shape, advice, FAILURE, runs);
    made.candidate.key = format!("{}:provider {bad_name}: {shape}", Pattern::Pair);
    made.candidate.scope = Scope::default().with(Dimension::Provider, bad_name);
    made.candidate.refines = vec![warning_key(shape, Some(bad_name)), warning_key(shape, None)];
    Some(made.tagged([class.word(), bad_name, &program(shape)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::samples::{failed, found, ok, run, texts};
    use crate::run::Run;

    fn late(id: &str, agent: &str) -> Run {
        run(id).with(vec![failed("make e2e", "timed out after 600s")]).by(agent)
    }

    fn fine(id: &str, agent: &str) -> Run {
        run(id).with(vec![ok("make e2e")]).by(agent)
    }

    #[test]
    fn one_provider_times_out_where_another_does_not() {
        let runs =
            [late("r1", "alpha"), late("r2", "alpha"), fine("r3", "beta"), fine("r4", "beta")];
        let made = found(find, &runs);
        assert_eq!(
            made[0].text,
            "`make e2e` times out under alpha; beta completes it: leave it to beta, or run a \
             smaller part of it."
        );
        assert_eq!(made[0].scope, Scope::default().with(Dimension::Provider, "alpha"));
        assert_eq!((made.len(), made[0].category), (1, "provider_quirk"));
        let evidence: Vec<&str> = made[0].evidence.iter().map(|id| id.as_str()).collect();
        assert_eq!(evidence, ["r1", "r2"]);
    }

    #[test]
    fn the_difference_must_be_clear_and_not_of_the_code() {
        // Each agent with what its run came to: `+` is fine, `!` is late, `-` finds a red test.
        for (name, runs) in [
            ("one success", "a! a! b+"),
            ("one failure", "a! b+ b+"),
            ("both fail", "a! a! b+ b! b+"),
            ("small gap", "a! a+ a! a+ b+ b+"),
            ("code", "a- a- b+ b+"),
            ("same", "a! a! a+ a+"),
        ] {
            let one = |(n, it): (usize, &str)| match (format!("r{n}"), it.split_at(1)) {
                (id, (agent, "+")) => fine(&id, agent),
                (id, (agent, "!")) => late(&id, agent),
                (id, (agent, _)) => {
                    run(&id).with(vec![failed("make e2e", "1 test failed")]).by(agent)
                }
            };
            let runs: Vec<Run> = runs.split(' ').enumerate().map(one).collect();
            assert_eq!(texts(find, &runs), [] as [&str; 0], "{name}");
        }
    }

    #[test]
    fn a_healer_is_no_provider() {
        let healed = |id: &str| Run { kind: RunKind::Healer, ..fine(id, "beta") };
        let runs = [late("r1", "alpha"), late("r2", "alpha"), healed("r3"), healed("r4")];
        assert_eq!(texts(find, &runs), [] as [&str; 0]);
        let named =
            [late("r1", "alpha"), late("r2", "alpha"), fine("r3", "healer"), fine("r4", "healer")];
        assert_eq!(texts(find, &named), [] as [&str; 0], "nor is one that is called so");
        let late_healer = |id: &str| Run { kind: RunKind::Healer, ..late(id, "alpha") };
        let runs = [late_healer("r1"), late_healer("r2"), fine("r3", "beta"), fine("r4", "beta")];
        assert_eq!(texts(find, &runs), [] as [&str; 0], "nor does it fail as one");
    }
}
