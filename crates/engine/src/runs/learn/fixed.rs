//! What did the tools of this run not find any more? Closes findings of earlier runs that lie
//! within what a report says it looked at, and what a reviewer passes who had reported it.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Change;
use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::fixed::{self, Reach, gone};
use hardwon_core::ids::RunId;
use hardwon_core::matching::compare;
use hardwon_core::run::Judgement;

use super::step::Step;
use crate::error::Result;

/// How many earlier runs of the project are searched, and how many at a time.
const N_RUNS_BACK: u64 = 256;
const N_RUNS_AT_ONCE: u64 = 64;
/// After so many root runs of the same tools, or so many findings, it is enough.
const N_ROOTS: usize = 12;
const N_FINDINGS: usize = 4000;

impl Step<'_> {
    /// Marks as fixed what was open and is gone. A run that is learned late says nothing about
    /// the present.
    pub fn close_what_is_gone(&mut self) -> Result<()> {
        let reach = self.reach();
        if !reach.is_empty() && !self.header.is_backfill {
            let tools: BTreeSet<&String> = reach.keys().collect();
            let earlier = self.earlier_of(&|name| tools.contains(name), None)?;
            let known = self.header.tree.findings.iter();
            let now: Vec<Finding> = known.chain(&self.findings).cloned().collect();
            self.close(gone(&earlier, &now, &reach));
        }
        self.close_what_passed()
    }

    /// The same for what the reviewers had reported on this task who pass it now.
    fn close_what_passed(&mut self) -> Result<()> {
        let run = &self.header.run;
        let passed = run.judgements.iter().filter(|(_, word)| **word == Judgement::Passed);
        let by: BTreeSet<String> = passed.map(|(name, _)| name.clone()).collect();
        let policy = &self.memory.policy;
        if by.is_empty() || !policy.credit.pass_closes {
            return Ok(());
        }
        // Work on a task goes on while others come and go: what counts is what was before.
        let tree = &self.header.tree.runs;
        let later = tree.iter().filter(|known| known.began() > run.began());
        let later: BTreeSet<&RunId> = later.map(|known| &known.id).collect();
        let (here, earlier): (Vec<Finding>, Vec<Finding>) =
            self.header.tree.findings.iter().cloned().partition(|known| known.run == run.id);
        let mut earlier = earlier;
        earlier.retain(|known| !later.contains(&known.run));
        if let Some(task) = &run.task {
            earlier.extend(self.earlier_of(&|name| by.contains(name), Some(task))?);
        }
        let now: Vec<Finding> = here.iter().chain(&self.findings).cloned().collect();
        let is_same = |a: &Finding, b: &Finding| compare::two_findings(a, b, &policy.matching);
        self.close(fixed::passed(&earlier, &now, &by, &is_same));
        Ok(())
    }

    fn close(&mut self, findings: Vec<&Finding>) {
        for finding in findings {
            let mut after = finding.clone();
            after.state = FindingState::Fixed;
            after.fixed_in = Some(self.header.run.id.clone());
            let before = Box::new(finding.clone());
            self.changes.push(Change::EditFinding { before, after: Box::new(after) });
        }
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

    /// What these found in the latest runs in which they looked, newest run first; on one task,
    /// if it is named.
    fn earlier_of(
        &self,
        is_one: &dyn Fn(&String) -> bool,
        task: Option<&String>,
    ) -> Result<Vec<Finding>> {
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
                let is_on_task = task.is_none() || run.task.as_ref() == task;
                let has_looked = is_on_task && run.detectors.iter().any(is_one);
                if has_looked && run.root != self.header.run.root && roots.insert(run.root.clone())
                {
                    let tree = store.tree(project, &run.root)?;
                    let theirs = tree.findings.into_iter().filter(|found| is_one(&found.author));
                    findings.extend(theirs);
                }
            }
            to = from - 1;
        }
        Ok(findings)
    }
}
