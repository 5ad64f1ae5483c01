//! Runs that begin with the same tool and end well, clearly more often than others do: the
//! Archivist's quick run.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Advice, Occurrence, SEVERAL, found, rate};
use crate::episode::{Step, StepKind};
use crate::lesson::Kind;
use crate::reflect::history::{History, RunView};
use crate::reflect::{Pattern, ReflectionPolicy, quote};
use crate::run::{Outcome, Run};

/// What went well weighs less than what did not.
const IMPORTANCE: f64 = 0.3;

/// How far the smoothed success rates of runs that begin so and of all others are apart at
/// least: among runs that went well, every tool is a good one.
const MIN_GAP: f64 = 0.25;

/// Most tools that are named.
const MAX_TOOLS: usize = 3;

/// The runs that began with one tool and whose end is known.
#[derive(Default)]
struct Begun<'h> {
    good: Vec<&'h RunView<'h>>,
    n_bad: usize,
}

/// Habits that most runs share come first, then by tool.
pub(super) fn find(history: &History<'_>, policy: &ReflectionPolicy) -> Vec<Occurrence> {
    if !policy.finds_habits {
        return Vec::new();
    }
    let mut by_tool: BTreeMap<&str, Begun<'_>> = BTreeMap::new();
    for view in &history.runs {
        // What was cut short says nothing about how it began.
        let is_cut = view.run.episode.ended.as_ref().is_some_and(|ended| ended.cut_by.is_some());
        let outcome = view.run.outcome.filter(|_| !is_cut);
        let Some(is_good) = outcome.map(|outcome| outcome == Outcome::Success) else { continue };
        let Some(first) = uses(view.run).min_by_key(|step| step.first) else { continue };
        let begun = by_tool.entry(&first.tool).or_default();
        if is_good {
            begun.good.push(view);
        } else {
            begun.n_bad += 1;
        }
    }
    let n_good: usize = by_tool.values().map(|begun| begun.good.len()).sum();
    let n_bad: usize = by_tool.values().map(|begun| begun.n_bad).sum();
    let is_habit = |begun: &Begun<'_>| {
        let (good, bad) = (begun.good.len(), begun.n_bad);
        let (other_good, other_bad) = (n_good - good, n_bad - bad);
        let gap = rate(good, bad) - rate(other_good, other_bad);
        // Where all begin alike, nothing shows that it matters.
        let is_compared = other_good + other_bad >= SEVERAL;
        good >= SEVERAL && is_compared && gap >= MIN_GAP
    };
    by_tool.retain(|_, begun| is_habit(begun) && begun.good.iter().any(|view| view.is_own));
    let mut habits: Vec<(&str, Begun<'_>)> = by_tool.into_iter().collect();
    habits.sort_by_key(|(_, begun)| Reverse(begun.good.len()));
    habits.into_iter().filter_map(|(tool, begun)| habit(tool, &begun.good)).collect()
}

fn habit(first: &str, views: &[&RunView<'_>]) -> Option<Occurrence> {
    let tools = top_tools(views);
    if !tools.iter().all(|tool| quote::is_plain_name(tool)) {
        return None;
    }
    let tools = tools.join("`, `");
    let advice = Advice {
        text: format!(
            "Use `{first}` first: runs that begin with it and work with `{tools}` end well here."
        ),
        rule: format!("IF a run begins THEN begin with `{first}`"),
        kind: Kind::Pattern,
        category: "heuristic",
    };
    let runs = views.iter().map(|view| view.run);
    Some(found(Pattern::Habit, &format!("begin {first}"), advice, IMPORTANCE, runs).tagged([first]))
}

fn uses(run: &Run) -> impl Iterator<Item = &Step> {
    let steps = run.episode.trail.iter();
    steps.filter(|step| step.kind != StepKind::Correction && !step.tool.is_empty())
}

/// The tools that were used most, most used first.
fn top_tools<'a>(views: &[&RunView<'a>]) -> Vec<&'a str> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for step in views.iter().flat_map(|view| uses(view.run)) {
        *counts.entry(&step.tool).or_default() += u64::from(step.n);
    }
    let mut tools: Vec<(&str, u64)> = counts.into_iter().collect();
    tools.sort_by_key(|(_, n)| Reverse(*n));
    tools.into_iter().take(MAX_TOOLS).map(|(tool, _)| tool).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::samples::{found, found_with, look, run};

    fn with(id: &str, outcome: Outcome, tools: &[&str]) -> Run {
        let used = |tool: &&str| Step { tool: (*tool).to_owned(), ..look("x") };
        Run { outcome: Some(outcome), ..run(id).with(tools.iter().map(used).collect()) }
    }

    #[test]
    fn runs_that_began_alike_and_went_well_are_a_habit_if_that_is_enabled() {
        let good = |id: &str, tools: &[&str]| with(id, Outcome::Success, tools);
        let runs = [
            good("a", &["read", "edit", "bash", "bash"]),
            good("b", &["read", "bash", "grep"]),
            good("f", &["edit"]),
            with("g", Outcome::Failed, &["grep"]),
            with("h", Outcome::Failed, &["grep"]),
            with("i", Outcome::Partial, &["bash"]),
            good("j", &[]),
            good("k", &[]),
            good("c", &["read", "edit"]),
        ];
        assert!(found(find, &runs).is_empty(), "the default does not search for it");
        let policy = ReflectionPolicy { finds_habits: true, ..ReflectionPolicy::default() };
        let made = found_with(find, &runs, &policy);
        let texts: Vec<&str> = made.iter().map(|made| made.text.as_str()).collect();
        let expected = "Use `read` first: runs that begin with it and work with `bash`, `read`, \
                        `edit` end well here.";
        assert_eq!(texts, [expected]);
        assert_eq!(made[0].evidence.len(), 3);
        let others = [good("d", &["bash"]), good("e", &["bash", "read"]), good("c", &["read"])];
        assert!(found_with(find, &others, &policy).is_empty(), "this run must show it");
    }

    /// Two runs in eight that begin so go well, and all others do: the truth is the opposite.
    #[test]
    fn a_tool_with_which_most_runs_fail_is_no_habit() {
        let policy = ReflectionPolicy { finds_habits: true, ..ReflectionPolicy::default() };
        let begun = |id: &str, outcome, tool: &str| with(id, outcome, &[tool]);
        let mut runs: Vec<Run> =
            (1..=6).map(|n| begun(&format!("b{n}"), Outcome::Failed, "read")).collect();
        runs.extend((1..=3).map(|n| begun(&format!("g{n}"), Outcome::Success, "bash")));
        runs.extend((1..=2).map(|n| begun(&format!("r{n}"), Outcome::Success, "read")));
        assert_eq!(found_with(find, &runs, &policy), []);
        runs.push(begun("g4", Outcome::Success, "bash"));
        let made = found_with(find, &runs, &policy);
        assert_eq!((made.len(), made[0].tags.as_slice()), (1, &["bash".to_owned()][..]));
        let alike: Vec<Run> =
            (1..=4).map(|n| begun(&format!("a{n}"), Outcome::Success, "read")).collect();
        assert_eq!(found_with(find, &alike, &policy), [], "nothing shows that it matters");
        let unknown: Vec<Run> = (1..=3)
            .map(|n| Run { outcome: None, ..begun(&format!("u{n}"), Outcome::Failed, "bash") })
            .chain(alike)
            .collect();
        assert_eq!(found_with(find, &unknown, &policy), [], "an unknown end says nothing");
    }
}
