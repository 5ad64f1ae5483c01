//! Runs that begin with the same tool and end well: the Archivist's quick run.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Advice, Occurrence, SEVERAL, found};
use crate::episode::{Step, StepKind};
use crate::lesson::Kind;
use crate::reflect::history::{History, RunView};
use crate::reflect::{Pattern, ReflectionPolicy, quote};
use crate::run::{Outcome, Run};

/// What went well weighs less than what did not.
const IMPORTANCE: f64 = 0.3;

/// Most tools that are named.
const MAX_TOOLS: usize = 3;

/// Habits that most runs share come first, then by tool.
pub(super) fn find(history: &History<'_>, policy: &ReflectionPolicy) -> Vec<Occurrence> {
    if !policy.finds_habits {
        return Vec::new();
    }
    let mut by_tool: BTreeMap<&str, Vec<&RunView<'_>>> = BTreeMap::new();
    for view in history.runs.iter().filter(|view| view.run.outcome == Some(Outcome::Success)) {
        let first = uses(view.run).min_by_key(|step| step.first);
        if let Some(first) = first {
            by_tool.entry(&first.tool).or_default().push(view);
        }
    }
    by_tool.retain(|_, views| views.len() >= SEVERAL && views.iter().any(|view| view.is_own));
    let mut habits: Vec<(&str, Vec<&RunView<'_>>)> = by_tool.into_iter().collect();
    habits.sort_by_key(|(_, views)| Reverse(views.len()));
    habits.into_iter().filter_map(|(tool, views)| habit(tool, &views)).collect()
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
    use crate::episode::SingleStep;
    use crate::reflect::samples::{found, found_with, look, run};

    fn with(id: &str, outcome: Outcome, tools: &[&str]) -> Run {
        let used = |tool: &&str| SingleStep { tool: (*tool).to_owned(), ..look("x") };
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
}
