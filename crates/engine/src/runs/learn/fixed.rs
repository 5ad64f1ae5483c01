//! What did the tools of this run not find any more? Closes findings of earlier runs that lie
//! within what a report says it looked at.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Change;
use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::fixed::{Reach, gone};
use hardwon_core::ids::RunId;

use super::step::Step;
use crate::error::EngineError;

/// How many earlier runs of the project are searched, and how many at a time.
const N_RUNS_BACK: u64 = 256;
const N_RUNS_AT_ONCE: u64 = 64;
/// After so many root runs of the same tools, or so many findings, it is enough.
const N_ROOTS: usize = 12;
const N_FINDINGS: usize = 4000;

impl Step<'_> {
    /// Marks as fixed what was open and is gone. A run that is learned late says nothing about
    /// the present.
    pub fn close_what_is_gone(&mut self) -> Result<(), EngineError> {
        let reach = self.reach();
        if reach.is_empty() || self.header.is_backfill {
            return Ok(());
        }
        let earlier = self.earlier_of(&reach)?;
        if earlier.is_empty() {
            return Ok(());
        }
        let known = self.header.tree.findings.iter();
        let now: Vec<Finding> = known.chain(&self.findings).cloned().collect();
        for finding in gone(&earlier, &now, &reach) {
            let mut after = finding.clone();
            after.state = FindingState::Fixed;
            after.fixed_in = Some(self.header.run.id.clone());
            let before = Box::new(finding.clone());
            self.changes.push(Change::EditFinding { before, after: Box::new(after) });
        }
        Ok(())
    }

    /// How far the detectors of this run looked, by their names as they are kept.
    fn reach(&self) -> BTreeMap<String, Reach> {
        let mut all: BTreeMap<String, Reach> = BTreeMap::new();
        for (tool, reach) in &self.input.found.reach {
            let tool = self.memory.gate.word(tool);
            let ran = tool.filter(|tool| self.header.run.detectors.contains(tool));
            if let Some(tool) = ran {
                all.entry(tool).or_default().extend(reach);
            }
        }
        all
    }

    /// Findings of the latest runs in which any of these tools looked, newest run first.
    fn earlier_of(&self, tools: &BTreeMap<String, Reach>) -> Result<Vec<Finding>, EngineError> {
        let (store, project) = (&self.memory.store, &self.call.project);
        let mut roots: BTreeSet<RunId> = BTreeSet::new();
        let mut findings = Vec::new();
        let mut to = self.header.run.number.unwrap_or(0).saturating_sub(1);
        let last = to.saturating_sub(N_RUNS_BACK);
        while to > last {
            let from = to.saturating_sub(N_RUNS_AT_ONCE - 1).max(last + 1);
            for run in store.numbered_runs(project, from, to)?.into_iter().rev() {
                if roots.len() >= N_ROOTS || findings.len() >= N_FINDINGS {
                    return Ok(findings);
                }
                let has_looked = run.detectors.iter().any(|name| tools.contains_key(name));
                if has_looked && run.root != self.header.run.root && roots.insert(run.root.clone())
                {
                    let tree = store.tree(project, &run.root)?;
                    let of_tools = |finding: &Finding| tools.contains_key(&finding.author);
                    findings.extend(tree.findings.into_iter().filter(of_tools));
                }
            }
            to = from - 1;
        }
        Ok(findings)
    }
}
