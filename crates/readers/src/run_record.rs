//! What does a line of a `hardwon.run/1` record state? The contract is described for
//! pipeline builders in `docs/run-record.md`; line types and fields that are not known
//! here are skipped without a problem, so that newer writers can say more.

use hardwon_core::effect::EffectKind;
use hardwon_core::episode::{Episode, StepKind, Usage};
use hardwon_core::event::{
    AttemptStated, EffectStated, Event, FindingStated, RunStated, StepStated, VerdictStated,
    issue_name,
};
use hardwon_core::finding::{FindingState, Grade};
use hardwon_core::run::{Outcome, RunKind};
use serde_json::Value;

use crate::fields::{Fields, milliseconds, repair};
use crate::jkz::{attempt_result, deliberation_line, role_name};
use crate::json::Object;
use crate::steps::{excerpt, kind_of};

/// The line types that show this contract by themselves. A `step` is too common a word.
pub const TYPES: [&str; 4] = ["run", "finding", "verdict", "effect"];

/// Whether a line is a step of this contract rather than of another one.
pub fn is_step(object: &Object) -> bool {
    let is_text = |name: &str| object.get(name).is_some_and(|value| value.is_string());
    object.get("type").is_some_and(|word| word == "step")
        && is_text("action")
        && !object.contains_key("run_id")
}

/// Whether a line tells of a call of an agent, or of an attempt, in this contract.
pub fn is_call_or_attempt(object: &Object) -> bool {
    let has = |name: &str| object.get(name).is_some_and(|value| !value.is_null());
    match object.get("type").and_then(|word| word.as_str()) {
        _ if object.contains_key("run_id") => false,
        Some("deliberation") => has("role"),
        Some("attempt") => has("approach"),
        _ => false,
    }
}

pub fn event(line: Fields<'_>) -> Option<Event> {
    match line.silent("type")? {
        "run" => Some(Event::Run(run(line))),
        "finding" => finding(line).map(Event::Finding),
        "verdict" => verdict(line).map(Event::Verdict),
        "effect" => effect(line).map(Event::Effect),
        "step" => step(line).map(Event::Step),
        "deliberation" => deliberation_line(line).map(Event::Deliberation),
        "attempt" => attempt(line).map(Event::Attempt),
        _ => None,
    }
}

fn run(line: Fields<'_>) -> RunStated {
    RunStated {
        episode: episode(line),
        id: line.id("id"),
        parent: line.id("parent"),
        kind: line.word("kind", RunKind::ALL),
        role: line.text("role"),
        agent: line.text("agent"),
        task: line.text("task"),
        domain: line.text("domain"),
        started: line.time("started"),
        finished: line.time("finished"),
        outcome: line.word("outcome", Outcome::ALL),
        detectors: line.texts("detectors"),
        paths: line.texts("paths").unwrap_or_default(),
        tools: line.texts("tools").unwrap_or_default(),
        tags: line.texts("tags").unwrap_or_default(),
    }
}

fn episode(line: Fields<'_>) -> Episode {
    let extra = line.object("extra").and_then(|_| line.value("extra"));
    let extra = extra.filter(|extra| extra.as_object().is_some_and(|extra| !extra.is_empty()));
    let texts = |name: &str| line.texts(name).into_iter().flatten().collect();
    Episode {
        session: line.text("session"),
        subtask: line.text("subtask"),
        phase: line.text("phase"),
        error_class: line.text("error_class"),
        summary: line.text("summary"),
        commit: line.text("commit"),
        trajectories: texts("trajectories"),
        logs: texts("logs"),
        extra: extra.and_then(|extra| serde_json::to_string(extra).ok()),
        usage: used(line.inside("usage")),
        ..Episode::default()
    }
}

fn used(usage: Fields<'_>) -> Usage {
    let duration_s = usage.amount("duration_s");
    Usage { duration_s, ..usage.usage(["tokens_in", "tokens_out", "tokens_cached", "cost_usd"]) }
}

/// Something that was done. The tool alone shows what sort of step it was.
fn step(line: Fields<'_>) -> Option<StepStated> {
    let action = line.needed_words("action", "a step without \"action\" was put aside")?;
    let tool = line.words("tool");
    let kind = line.word("kind", StepKind::ALL);
    Some(StepStated {
        kind: kind.unwrap_or_else(|| tool.as_deref().map_or(StepKind::Command, kind_of)),
        tool: tool.unwrap_or_else(|| kind.unwrap_or(StepKind::Command).word().to_owned()),
        action,
        output: line.words("output").map(|output| excerpt(&output)),
        is_ok: line.flag("ok"),
        duration_ms: line.amount("duration_s").map(milliseconds),
        looks: Vec::new(),
    })
}

fn finding(line: Fields<'_>) -> Option<FindingStated> {
    let text = line.finding_words("text", "a finding without \"text\"")?;
    Some(FindingStated {
        id: line.id("id").filter(|id| !id.trim().is_empty()),
        author: line.text("author"),
        severity: line.text("severity"),
        category: line.text("category"),
        rule: line.text("rule"),
        text,
        path: line.text("path"),
        line: line.number("line"),
        grade: line.word("grade", Grade::ALL),
        evidence: evidence(line),
        repair: repair(line),
        state: line.word("state", FindingState::ALL),
        fingerprint: line.text("fingerprint"),
        ..FindingStated::default()
    })
}

fn verdict(line: Fields<'_>) -> Option<VerdictStated> {
    let author = line.needed_words("author", "a verdict without \"author\" was put aside")?;
    Some(VerdictStated {
        author,
        is_pass: is_pass(line),
        grade: line.word("grade", Grade::ALL),
        evidence: evidence(line),
        false_positives: false_positives(line),
        ..VerdictStated::default()
    })
}

/// What was ruled false: ids, which may be numbers, or words.
fn false_positives(line: Fields<'_>) -> Vec<String> {
    let items = line.list("false_positives").unwrap_or_default();
    let name = |item: &Value| match item {
        Value::Number(number) => Some(number.to_string()),
        other => other.as_str().map(str::to_owned),
    };
    let names: Vec<String> = items.iter().filter_map(name).collect();
    if names.len() < items.len() {
        line.notes.problem("field \"false_positives\" has items that are neither ids nor texts");
    }
    names
}

fn attempt(line: Fields<'_>) -> Option<AttemptStated> {
    let approach = line.needed_words("approach", "an attempt without \"approach\" was put aside");
    let issue = line.id("issue").map(|issue| issue_name(&issue)).unwrap_or_default();
    if issue.is_empty() {
        line.notes.problem("an attempt without an \"issue\" was put aside");
        return None;
    }
    let result = line.words("result");
    let known = result.as_deref().and_then(attempt_result);
    if result.is_some() && known.is_none() {
        line.notes.problem("field \"result\" is not one of worked, partial, failed");
    }
    let role = line.text("role").or_else(|| line.text("author"));
    Some(AttemptStated {
        role: role.as_deref().and_then(role_name),
        issue,
        iteration: line.number("iteration"),
        approach: approach?,
        files: line.texts("files").unwrap_or_default(),
        result: known,
        why: line.words("why"),
        next: line.words("next"),
        at: line.time("at"),
    })
}

/// Whether the work passed. Work that failed with nothing that must be fixed has passed; an
/// unknown word says nothing.
fn is_pass(line: Fields<'_>) -> Option<bool> {
    let must_fix = line.list("must_fix");
    match line.words("verdict")?.trim().to_ascii_lowercase().as_str() {
        "pass" | "passed" | "approve" | "approved" | "accept" | "accepted" => Some(true),
        "fail" | "failed" | "reject" | "rejected" | "needs_changes" | "changes_requested" => {
            Some(must_fix.is_some_and(<[_]>::is_empty))
        }
        _ => None,
    }
}

/// What was put forward as evidence: a text, or a list of them.
fn evidence(line: Fields<'_>) -> Option<String> {
    if line.value("evidence")?.is_array() {
        line.texts("evidence").map(|texts| texts.join("\n"))
    } else {
        line.text("evidence")
    }
}

fn effect(line: Fields<'_>) -> Option<EffectStated> {
    let lesson = line.words("lesson");
    let effect = line.word("effect", EffectKind::ALL);
    let because = line.text("because").unwrap_or_default();
    let (Some(lesson), Some(effect)) = (lesson, effect) else {
        let reason = "an effect without a \"lesson\" and a known \"effect\" was put aside";
        line.notes.problem(reason);
        return None;
    };
    Some(EffectStated { lesson, effect, because })
}
