//! What was tried in a session, command by command? Of a line that failed only the command is
//! known to have failed that its output speaks of; of one that went well all of them did.

use crate::command::parted::{Parted, parted};
use crate::episode::StepKind;
use crate::event::StepStated;

/// How many lines of an output are looked at for whom it names.
const N_LINES: usize = 12;

/// A command that was run, and how that went.
#[derive(Clone, Debug)]
pub struct Attempt<'a> {
    /// The step in which it was run.
    pub place: usize,
    pub command: Parted,
    pub is_ok: bool,
    pub output: &'a str,
    /// Whether nothing else of its line can have failed.
    pub is_sure: bool,
    /// Whether a tool looked at the code in it.
    pub has_looks: bool,
    /// Whether a tool reported something in it: then that is why it failed.
    pub has_reports: bool,
}

/// All attempts whose end is known, in order.
pub fn attempts(steps: &[StepStated]) -> Vec<Attempt<'_>> {
    let mut attempts = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        let (StepKind::Command, Some(is_ok)) = (step.kind, step.is_ok) else { continue };
        let output = step.output.as_deref().unwrap_or_default();
        let has_looks = !step.looks.is_empty();
        let has_reports = step.looks.iter().any(|look| !look.findings.is_empty());
        let parts = parted(&step.action);
        let tried: Vec<(Parted, bool)> = match is_ok {
            true => {
                let ran = parts.into_iter().filter(|part| !part.is_alternative);
                ran.map(|part| (part, true)).collect()
            }
            false => culprit(parts, output).into_iter().collect(),
        };
        attempts.extend(tried.into_iter().map(|(command, is_sure)| Attempt {
            place,
            command,
            is_ok,
            output,
            is_sure,
            has_looks,
            has_reports,
        }));
    }
    attempts
}

/// Which command of a line failed, and whether that is sure: the one that its output names first,
/// else the last that does more than look.
pub fn culprit(parts: Vec<Parted>, output: &str) -> Option<(Parted, bool)> {
    let lower = output.to_lowercase();
    let named = |part: &&Parted| {
        let program = part.program();
        let begins = |line: &str| {
            let line = line.trim_start();
            let rest = line.strip_prefix("bash: line 1: ").or_else(|| line.strip_prefix("bash: "));
            let rest = rest.or_else(|| line.strip_prefix("sh: 1: ")).unwrap_or(line);
            rest.strip_prefix(program.as_str()).is_some_and(|rest| rest.starts_with([':', ' ']))
        };
        !program.is_empty() && lower.lines().take(N_LINES).any(begins)
    };
    let acting = || parts.iter().filter(|part| !part.sort.is_look);
    let is_only = parts.len() == 1;
    let named: Vec<&Parted> = acting().filter(named).collect();
    let found = named.first().map(|part| (*part, named.len() == 1));
    let last = acting().next_back().or_else(|| parts.last());
    found.or_else(|| Some((last?, is_only))).map(|(part, is_sure)| (part.clone(), is_sure))
}
