//! A file is edited again and again, in several runs.

use super::{Advice, INCONVENIENCE, Occurrence, found, is_of_several};
use crate::episode::StepKind;
use crate::lesson::Kind;
use crate::reflect::history::{History, Trial};
use crate::reflect::quote;
use crate::reflect::{Pattern, ReflectionPolicy};

/// Edits of one file in one run.
const MIN_EDITS: u64 = 6;

pub(super) fn find(history: &History<'_>, policy: &ReflectionPolicy) -> Vec<Occurrence> {
    let edits = history.trials(StepKind::Edit);
    edits.iter().filter_map(|(path, trials)| one(path, trials, policy)).collect()
}

fn one(path: &str, trials: &[Trial<'_>], policy: &ReflectionPolicy) -> Option<Occurrence> {
    let n_edits =
        |trial: &Trial<'_>| trial.steps.iter().map(|tried| u64::from(tried.step.n)).sum::<u64>();
    let often: Vec<&Trial<'_>> =
        trials.iter().filter(|trial| n_edits(trial) >= MIN_EDITS).collect();
    let is_due = is_of_several(&often, policy) && often.iter().any(|trial| trial.view.is_own);
    if !is_due || !quote::is_plain_name(path) || !is_planned(path) {
        return None;
    }
    let advice = Advice {
        text: format!(
            "Plan changes of `{path}` before editing: it was edited again and again in several \
             runs."
        ),
        rule: format!("IF `{path}` is to be changed THEN plan all changes before editing"),
        kind: Kind::Pattern,
        category: "heuristic",
    };
    let runs = often.iter().map(|trial| trial.view.run);
    let mut made = found(Pattern::Churn, path, advice, INCONVENIENCE, runs);
    made.candidate.paths = vec![path.to_owned()];
    Some(made.tagged(["planning"]))
}

/// Whether changes of a file can be planned: not if programs write it, if it holds notes,
/// or if its path is of one machine only.
fn is_planned(path: &str) -> bool {
    let lower = path.to_lowercase();
    let name = lower.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_local = lower.starts_with(['/', '~']) || lower.contains(":\\");
    let is_written = name.contains("lock") || name.ends_with(".ipynb") || name.ends_with(".snap");
    let is_prose = [".md", ".txt", ".rst", ".adoc", ".log"].iter().any(|end| name.ends_with(end));
    !is_local && !is_written && !is_prose
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::samples::{edit, found, run};

    #[test]
    fn six_edits_in_two_runs() {
        let with = |id, n| run(id).with(vec![edit("./src/cart.rs"); n]);
        let table = [(6, 6, 1), (5, 6, 0), (6, 5, 0), (40, 7, 1)];
        for (a, b, expected) in table {
            assert_eq!(found(find, &[with("r1", a), with("r2", b)]).len(), expected, "{a} {b}");
        }
        let made = found(find, &[with("r1", 6), with("r2", 6)]);
        let expected = "Plan changes of `src/cart.rs` before editing: it was edited again and \
                        again in several runs.";
        assert_eq!(made[0].text, expected);
        assert_eq!(made[0].paths, ["src/cart.rs"]);
    }
}
