//! A run's account of itself, behind the gate: its words cleaned, its steps made a trail.

use std::collections::BTreeSet;

use crate::command::output::{CallResult, End, ending};
use crate::command::trouble::trouble;
use crate::ended::Ended;
use crate::episode::{Account, Episode, Step, StepError, StepResult, trail};
use crate::event::{Problem, StepStated};
use crate::find::FoundRun;
use crate::gate::{Gate, MAX_TEXT_CHARS};
use crate::run::Outcome;

/// Longest account that a run gives of itself, in characters.
const MAX_SUMMARY_CHARS: usize = 600;

/// Most entries of each list in what a model says about a run.
const MAX_ACCOUNT_LINES: usize = 8;

/// The run's account of itself, cleaned.
pub fn episode(gate: &Gate, found: &FoundRun, problems: &mut Vec<Problem>) -> Episode {
    let stated = &found.stated.episode;
    let word = |raw: &Option<String>| raw.as_deref().and_then(|raw| gate.word(raw));
    let set = |raw: &BTreeSet<String>| raw.iter().filter_map(|raw| gate.word(raw)).collect();
    let steps = trail(found.steps.iter().filter_map(|step| single_step(gate, step)));
    // What a host's own error did is no step's fault.
    let is_cut = stated.ended.as_ref().is_some_and(|ended| ended.cut_by.is_some());
    let is_failed = found.stated.outcome == Some(Outcome::Failed) && !is_cut;
    let last_class = || {
        let failed = steps.iter().filter_map(|step| Some((step.last, step.error.as_ref()?.class?)));
        failed.max_by_key(|(last, _)| *last).map(|(_, class)| class.word().to_owned())
    };
    let class = word(&stated.error_class).map(|class| class.to_lowercase());
    let episode = Episode {
        session: word(&stated.session),
        subtask: word(&stated.subtask),
        phase: word(&stated.phase),
        error_class: class.or_else(|| last_class().filter(|_| is_failed)),
        summary: stated.summary.as_deref().and_then(|raw| prose(gate, raw)),
        commit: word(&stated.commit),
        trajectories: set(&stated.trajectories),
        logs: set(&stated.logs),
        usage: stated.usage,
        // A run that was learned before has its trail already.
        trail: if steps.is_empty() { stated.trail.clone() } else { steps },
        ended: stated.ended.as_ref().map(|ended| Ended {
            checked: word(&ended.checked),
            red_tests: ended.red_tests.iter().filter_map(|name| gate.word(name)).collect(),
            ..ended.clone()
        }),
        told_by: None,
        is_witnessed: stated.is_witnessed,
        account: stated.account.as_ref().and_then(|stated| account(gate, stated)),
        messages: stated.messages.clone(),
        extra: stated.extra.as_deref().and_then(|raw| extra(gate, found, raw, problems)),
    };
    let told_by = (!episode.is_empty()).then_some(stated.told_by.unwrap_or(found.origin));
    Episode { told_by, ..episode }
}

/// What a model said about a run, each part of it short.
pub fn account(gate: &Gate, stated: &Account) -> Option<Account> {
    let list = |raw: &[String]| -> Vec<String> {
        let clean = raw.iter().filter_map(|raw| prose(gate, raw));
        clean.take(MAX_ACCOUNT_LINES).collect()
    };
    Some(Account {
        by: gate.word(&stated.by)?,
        summary: prose(gate, &stated.summary).unwrap_or_default(),
        worked: list(&stated.worked),
        failed: list(&stated.failed),
        decisions: list(&stated.decisions),
    })
}

fn prose(gate: &Gate, raw: &str) -> Option<String> {
    let clean: String = gate.line(raw).as_str().chars().take(MAX_SUMMARY_CHARS).collect();
    (!clean.trim().is_empty()).then_some(clean)
}

/// What has no field of its own is kept completely or not at all.
fn extra(gate: &Gate, found: &FoundRun, raw: &str, problems: &mut Vec<Problem>) -> Option<String> {
    if raw.chars().count() > MAX_TEXT_CHARS {
        let reason = format!("\"extra\" has more than {MAX_TEXT_CHARS} characters; not kept");
        problems.push(Problem::new(&found.source, reason));
        return None;
    }
    Some(gate.line(raw).as_str().to_owned())
}

fn single_step(gate: &Gate, step: &StepStated) -> Option<Step> {
    let (kind, is_ok) = (step.kind, step.is_ok);
    let output = step.output.as_deref().unwrap_or_default();
    // The reader of the step has read its output; what it left open stays open.
    let end = is_ok.map(|_| ending(&CallResult { kind, is_ok, output, ..CallResult::default() }));
    let result = match end {
        Some(End::Ok) => StepResult::Ok,
        Some(End::Failed) => StepResult::Failed,
        Some(End::Refused | End::Interrupted | End::Unknown) | None => StepResult::Unknown,
    };
    let error = trouble(output).filter(|_| result == StepResult::Failed);
    let error = error.and_then(|error| Some(StepError { line: gate.word(&error.line)?, ..error }));
    let (tool, action) = (gate.word(&step.tool)?.to_lowercase(), gate.word(&step.action)?);
    let duration_ms = step.duration_ms;
    Some(Step { error, duration_ms, ..Step::once(kind, tool, action, result) })
}
