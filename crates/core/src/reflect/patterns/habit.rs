//! Runs that begin alike and end well: the Archivist's quick run, as candidates.

use super::{Advice, Occurrence, found};
use crate::ids::RunId;
use crate::lesson::Kind;
use crate::reflect::history::History;
use crate::reflect::{Pattern, ReflectionPolicy, quick_patterns, quote};
use crate::run::Run;

/// What went well weighs less than what did not.
const IMPORTANCE: f64 = 0.3;

pub(super) fn find(history: &History<'_>, policy: &ReflectionPolicy) -> Vec<Occurrence> {
    if !policy.finds_habits {
        return Vec::new();
    }
    let runs: Vec<Run> = history.runs.iter().map(|seen| seen.run.clone()).collect();
    let habits = quick_patterns(&runs).into_iter().filter(|habit| {
        let is_own = |id: &RunId| history.runs.iter().any(|seen| seen.is_own && seen.run.id == *id);
        habit.evidence.iter().any(is_own) && habit.tools.iter().all(|t| quote::is_plain_name(t))
    });
    let made = habits.map(|habit| {
        let tools = habit.tools.join("`, `");
        let advice = Advice {
            text: format!(
                "Use `{}` first: runs that begin with it and work with `{tools}` end well here.",
                habit.first_tool
            ),
            rule: format!("IF a run begins THEN begin with `{}`", habit.first_tool),
            kind: Kind::Pattern,
            category: "heuristic",
        };
        let about = format!("begin {}", habit.first_tool);
        found(Pattern::Habit, &about, advice, IMPORTANCE, habit.evidence)
            .tagged([habit.first_tool.as_str()])
    });
    made.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::samples::{found, found_with, look, ok, run};
    use crate::run::Outcome;

    fn well(id: &str) -> Run {
        let run = run(id).with(vec![look("src/a.rs"), ok("make")]);
        Run { outcome: Some(Outcome::Success), ..run }
    }

    #[test]
    fn what_began_alike_and_went_well_is_a_habit_if_that_is_wanted() {
        let runs = [well("r1"), well("r2")];
        assert!(found(find, &runs).is_empty(), "the default does not look for it");
        let policy = ReflectionPolicy { finds_habits: true, ..ReflectionPolicy::default() };
        let made = found_with(find, &runs, &policy);
        assert_eq!(made.len(), 1);
        assert_eq!(
            made[0].text,
            "Use `read` first: runs that begin with it and work with `bash`, `read` end well here."
        );
        assert_eq!(made[0].evidence.len(), 2);
        assert!(found_with(find, &[well("r1")], &policy).is_empty());
    }
}
