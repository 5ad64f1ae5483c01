//! A command takes more than a minute, and much longer than commands do here, in several
//! runs.

use super::{Advice, INCONVENIENCE, Occurrence, found, is_of_several};
use crate::command::shell::program;
use crate::episode::StepKind;
use crate::lesson::Kind;
use crate::reflect::history::{History, Trial, sort_of, worded};
use crate::reflect::quote;
use crate::reflect::{Pattern, ReflectionPolicy};

const SLOW_MS: u64 = 60_000;

/// What takes so long is slow, whatever else is.
const ALWAYS_SLOW_MS: u64 = 300_000;

/// How many times the usual time it takes at least.
const FACTOR: u64 = 5;

pub(super) fn find(history: &History<'_>, policy: &ReflectionPolicy) -> Vec<Occurrence> {
    let commands = history.trials(StepKind::Command);
    let all = commands.values().flatten().flat_map(|trial| &trial.steps);
    let Some(usual) = median(all.filter_map(|tried| tried.step.duration_ms).collect()) else {
        return Vec::new();
    };
    let limit = usual.saturating_mul(FACTOR).clamp(SLOW_MS + 1, ALWAYS_SLOW_MS);
    commands.iter().filter_map(|(shape, trials)| one(shape, trials, limit, policy)).collect()
}

fn one(
    shape: &str,
    trials: &[Trial<'_>],
    limit: u64,
    policy: &ReflectionPolicy,
) -> Option<Occurrence> {
    let slow: Vec<&Trial<'_>> =
        trials.iter().filter(|trial| duration(trial).is_some_and(|ms| ms >= limit)).collect();
    let is_due = is_of_several(&slow, policy) && slow.iter().any(|trial| trial.view.is_own);
    let words = worded(shape, slow.iter().copied());
    if !is_due || sort_of(trials).is_look || !quote::is_advisable(&words) {
        return None;
    }
    let long = coarse(median(slow.iter().filter_map(|trial| duration(trial)).collect())?);
    let advice = Advice {
        text: format!(
            "`{words}` is slow, it takes {long}: run only the part that is needed, or run it in \
             the background."
        ),
        rule: format!("IF `{words}` is to be run THEN run only a part of it, or in the background"),
        kind: Kind::Pattern,
        category: if sort_of(trials).is_test { "test_strategy" } else { "infra" },
    };
    let runs = slow.iter().map(|trial| trial.view.run);
    let made = found(Pattern::Slow, shape, advice, INCONVENIENCE, runs);
    Some(made.tagged(["slow-command", &program(shape)]))
}

fn duration(trial: &Trial<'_>) -> Option<u64> {
    trial.steps.iter().filter_map(|tried| tried.step.duration_ms).max()
}

/// In words that stay the same from run to run.
fn coarse(ms: u64) -> &'static str {
    match ms / SLOW_MS {
        0..=2 => "more than a minute",
        3..=9 => "several minutes",
        _ => "more than ten minutes",
    }
}

/// The lower one of two in the middle.
fn median(mut all: Vec<u64>) -> Option<u64> {
    all.sort_unstable();
    all.get(all.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::samples::{run, texts, took};

    #[test]
    fn slow_is_much_slower_than_usual_in_several_runs() {
        let with = |id, seconds| {
            run(id).with(vec![took("make e2e", seconds), took("ls", 1), took("cat a", 2)])
        };
        let usual = |id, seconds| run(id).with(vec![took("make e2e", seconds), took("make", 50)]);
        let advice = |seconds| texts(find, &[with("r1", seconds), with("r2", seconds)]);
        let expected = |long: &str| {
            format!(
                "`make e2e` is slow, it takes {long}: run only the part that is needed, or run \
                 it in the background."
            )
        };
        assert_eq!(advice(60), [] as [&str; 0]);
        assert_eq!(advice(61), [expected("more than a minute")]);
        assert_eq!(advice(179), [expected("more than a minute")]);
        assert_eq!(advice(180), [expected("several minutes")]);
        assert_eq!(advice(599), [expected("several minutes")]);
        assert_eq!(advice(600), [expected("more than ten minutes")]);
        assert_eq!(texts(find, &[with("r1", 300)]), [] as [&str; 0], "one run only");
        let all_slow = [usual("r1", 240), usual("r2", 240)];
        assert_eq!(texts(find, &all_slow), [] as [&str; 0], "not five times the usual");
    }
}
