//! ArcheFlow's event logs: adding an event, and what came back in a run that had been
//! fixed in an earlier one.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use hardwon_core::event::{Event, Problem};
use hardwon_core::gate::without_control;
use hardwon_core::matching::compare;
use hardwon_engine::{EngineError, Result};
use hardwon_readers::archeflow_index;
use hardwon_render::archeflow::{EventLine, event_line};

use super::{Archeflow, is_run_name, read_log};
use crate::archeflow::audit::finding_texts;

/// How long ArcheFlow's own scripts wait for the lock of a log.
const LOG_WAIT: Duration = Duration::from_secs(10);

/// An event to be added to a run's log.
#[derive(Clone, Debug)]
pub struct EventRequest {
    pub run: String,
    pub event_type: String,
    pub phase: String,
    /// May be empty.
    pub agent: String,
    /// JSON.
    pub data: String,
    pub parents: Vec<u64>,
}

/// What had been fixed and came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reappeared {
    pub fixed: String,
    pub fixed_in: String,
    pub now: String,
}

/// What a log was compared with.
#[derive(Clone, Debug)]
pub enum Compared {
    NoIndex,
    NoEarlierRun,
    NothingFixed,
    NoFindings,
    With(Vec<Reappeared>),
}

impl Archeflow {
    /// Adds an event with the next number; returns the number.
    pub fn add_event(&self, request: &EventRequest) -> Result<u64> {
        if !is_run_name(&request.run) {
            return Err(EngineError::UnknownRun { name: without_control(&request.run) });
        }
        let name = format!("events/{}.jsonl", request.run);
        let _lock = self.folder.lock(&name, LOG_WAIT)?;
        let log = self.folder.read(&name)?.unwrap_or_default();
        let has_end = log.is_empty() || log.ends_with(b"\n");
        let n_lines = log.iter().filter(|byte| **byte == b'\n').count() + usize::from(!has_end);
        let seq = n_lines as u64 + 1;
        let line = event_line(&EventLine {
            ts: self.call.now,
            run_id: &request.run,
            seq,
            parents: &request.parents,
            event_type: &request.event_type,
            phase: &request.phase,
            agent: (!request.agent.is_empty()).then_some(request.agent.as_str()),
            data: &request.data,
        });
        let line = if has_end { format!("{line}\n") } else { format!("\n{line}\n") };
        self.folder.append(&name, line.as_bytes(), true)?;
        Ok(seq)
    }

    /// Compares the findings of a log with what every earlier run of the index had fixed;
    /// of a fix in several runs the newest counts.
    pub fn regressions(&self, log: &Path) -> Result<(Compared, Vec<Problem>)> {
        let bytes = self.log(log)?;
        if bytes.trim_ascii().is_empty() {
            return Ok((Compared::NoFindings, Vec::new()));
        }
        let record = read_log(&log.display().to_string(), &bytes)?;
        let mut problems = record.problems.clone();
        let current = record.events.iter().find_map(|sourced| match &sourced.event {
            Event::Run(run) => run.id.clone(),
            _ => None,
        });
        let Some(index) = self.folder.read("events/index.jsonl")? else {
            return Ok((Compared::NoIndex, problems));
        };
        let (earlier, more) = archeflow_index("index.jsonl", &index);
        problems.extend(more);
        let earlier = earlier.into_iter().filter(|run| Some(run) != current.as_ref());
        let earlier: Vec<String> = earlier.collect();
        if earlier.is_empty() {
            return Ok((Compared::NoEarlierRun, problems));
        }
        let fixed = self.fixed_in(&earlier, &mut problems);
        let findings = finding_texts(&record);
        let compared = match (fixed.is_empty(), findings.is_empty()) {
            (true, _) => Compared::NothingFixed,
            (_, true) => Compared::NoFindings,
            _ => Compared::With(self.reappeared(&fixed, &findings)),
        };
        Ok((compared, problems))
    }

    /// What was fixed, newest run first, each text once.
    fn fixed_in(&self, earlier: &[String], problems: &mut Vec<Problem>) -> Vec<(String, String)> {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut fixed = Vec::new();
        for run in earlier.iter().rev() {
            if !is_run_name(run) {
                problems.push(Problem::new("index.jsonl", "an invalid run id was ignored"));
                continue;
            }
            let name = format!("events/{run}.jsonl");
            let Some(log) = self.read_or_tell(&name, problems) else { continue };
            let Ok(record) = read_log(&name, &log) else { continue };
            for sourced in record.events {
                if let Event::Fix(fix) = sourced.event
                    && seen.insert(fix.text.clone())
                {
                    fixed.push((fix.text, run.clone()));
                }
            }
        }
        fixed
    }

    fn reappeared(&self, fixed: &[(String, String)], findings: &[String]) -> Vec<Reappeared> {
        let policy = &self.memory.policy.matching;
        let clean = |text: &str| self.memory.gate.line(text).as_str().to_owned();
        let again = |(text, run): &(String, String)| {
            let is_same = |now: &&String| compare::same_text(text, now, policy).is_some();
            let now = findings.iter().find(is_same)?;
            Some(Reappeared { fixed: clean(text), fixed_in: run.clone(), now: clean(now) })
        };
        fixed.iter().filter_map(again).collect()
    }
}
