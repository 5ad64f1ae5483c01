//! The Archivist's quick run, which asks no model either: runs that began with the same
//! tool and ended the same way are one habit, if there are enough of them and they went
//! well.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::episode::{Step, StepKind};
use crate::ids::RunId;
use crate::run::{Outcome, Run};

const MIN_RUNS: usize = 2;
const MIN_SUCCESS: f64 = 0.7;
const MAX_TOOLS: usize = 3;

/// A habit that several runs share.
#[derive(Clone, Debug, PartialEq)]
pub struct QuickPattern {
    /// The tool that the runs began with.
    pub first_tool: String,
    pub outcome: Outcome,
    /// The tools that were used most, most used first.
    pub tools: Vec<String>,
    pub success_rate: f64,
    /// 0..1; more runs, more of it.
    pub confidence: f64,
    /// The runs, in the order given.
    pub evidence: Vec<RunId>,
}

/// Habits of these runs: of most runs first, then by tool.
pub fn quick_patterns(runs: &[Run]) -> Vec<QuickPattern> {
    let mut groups: BTreeMap<(&str, Outcome), Vec<&Run>> = BTreeMap::new();
    for run in runs {
        let (Some(tool), Some(outcome)) = (first_tool(run), run.outcome) else { continue };
        groups.entry((tool, outcome)).or_default().push(run);
    }
    let groups = groups.into_iter().filter(|(_, runs)| runs.len() >= MIN_RUNS);
    let mut patterns: Vec<QuickPattern> = groups
        .map(|((tool, outcome), runs)| pattern(tool, outcome, &runs))
        .filter(|pattern| pattern.success_rate >= MIN_SUCCESS)
        .collect();
    patterns.sort_by_key(|pattern| Reverse(pattern.evidence.len()));
    patterns
}

fn pattern(first_tool: &str, outcome: Outcome, runs: &[&Run]) -> QuickPattern {
    let n_success = runs.iter().filter(|run| run.outcome == Some(Outcome::Success)).count();
    QuickPattern {
        first_tool: first_tool.to_owned(),
        outcome,
        tools: top_tools(runs),
        success_rate: n_success as f64 / runs.len() as f64,
        // In tenths, so that 0.5 + 0.1 * 3 is 0.8.
        confidence: (5 + runs.len()).min(9) as f64 / 10.0,
        evidence: runs.iter().map(|run| run.id.clone()).collect(),
    }
}

fn uses(run: &Run) -> impl Iterator<Item = &Step> {
    let steps = run.episode.trail.iter();
    steps.filter(|step| step.kind != StepKind::Correction && !step.tool.is_empty())
}

fn first_tool(run: &Run) -> Option<&str> {
    uses(run).min_by_key(|step| step.first).map(|step| step.tool.as_str())
}

fn top_tools(runs: &[&Run]) -> Vec<String> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for step in runs.iter().flat_map(|run| uses(run)) {
        *counts.entry(&step.tool).or_default() += u64::from(step.n);
    }
    let mut tools: Vec<(&str, u64)> = counts.into_iter().collect();
    tools.sort_by_key(|(_, n)| Reverse(*n));
    tools.into_iter().take(MAX_TOOLS).map(|(tool, _)| tool.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::episode::Done;
    use crate::reflect::samples::{look, run};

    fn with(id: &str, outcome: Outcome, tools: &[&str]) -> Run {
        let used = |tool: &&str| Done { tool: (*tool).to_owned(), ..look("x") };
        Run { outcome: Some(outcome), ..run(id).with(tools.iter().map(used).collect()) }
    }

    #[test]
    fn runs_that_began_alike_and_went_well() {
        let good = |id: &str, tools: &[&str]| with(id, Outcome::Success, tools);
        let bad = |id: &str| with(id, Outcome::Failed, &["grep"]);
        let runs = [
            good("a", &["read", "edit", "bash", "bash"]),
            good("b", &["read", "bash", "grep"]),
            good("c", &["read", "edit"]),
            good("d", &["bash"]),
            good("e", &["bash", "read"]),
            good("f", &["edit"]),
            bad("g"),
            bad("h"),
            with("i", Outcome::Partial, &["bash"]),
            good("j", &[]),
            good("k", &[]),
        ];
        let told: Vec<String> = quick_patterns(&runs)
            .iter()
            .map(|p| {
                let (n, tools) = (p.evidence.len(), p.tools.join(","));
                format!(
                    "{} {} {n} {} {} {tools}",
                    p.first_tool, p.outcome, p.success_rate, p.confidence
                )
            })
            .collect();
        let expected = ["read success 3 1 0.8 bash,read,edit", "bash success 2 1 0.7 bash,read"];
        assert_eq!(told, expected);
    }

    #[test]
    fn confidence_follows_the_documented_numbers() {
        for (n, expected) in [(2, 0.7), (3, 0.8), (4, 0.9), (5, 0.9), (50, 0.9)] {
            let runs: Vec<Run> =
                (0..n).map(|i| with(&format!("r{i}"), Outcome::Success, &["read"])).collect();
            assert_eq!(quick_patterns(&runs)[0].confidence, expected, "{n} runs");
        }
        assert_eq!(quick_patterns(&[]), []);
    }
}
