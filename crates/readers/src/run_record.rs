//! What does a line of a `hardwon.run/1` record state? The contract is described for
//! pipeline builders in `docs/run-record.md`; line types and fields that are not known
//! here are skipped without a problem, so that newer writers can say more.

use hardwon_core::effect::EffectKind;
use hardwon_core::episode::{Episode, StepKind, Usage};
use hardwon_core::event::{
    EffectStated, Event, FindingStated, RunStated, StepStated, VerdictStated,
};
use hardwon_core::finding::{FindingState, Grade};
use hardwon_core::run::{Outcome, RunKind};

use crate::amounts::{self, Names, amount, milliseconds};
use crate::correct::is_chatter;
use crate::json::{Fields, Object};
use crate::notes::Notes;
use crate::steps::{excerpt, kind_of};

/// The line types of the contract that show it by themselves. A `step` is too usual a word.
pub const TYPES: [&str; 4] = ["run", "finding", "verdict", "effect"];

/// The fields of `usage`, but for the duration.
const USAGE: Names = Names {
    tokens_in: "tokens_in",
    tokens_out: "tokens_out",
    tokens_cached: "tokens_cached",
    cost_usd: "cost_usd",
};

/// Whether a line is a step of this contract rather than of another one.
pub fn is_step(object: &Object) -> bool {
    let is_text = |name: &str| object.get(name).is_some_and(|value| value.is_string());
    object.get("type").is_some_and(|word| word == "step")
        && is_text("action")
        && !object.contains_key("run_id")
}

/// The event of one line, if it states one.
pub fn event(object: &Object, notes: &mut Notes) -> Option<Event> {
    match object.get("type")?.as_str()? {
        "run" => {
            let episode = episode(object, notes);
            Some(Event::Run(run(Fields::new(object, notes), episode)))
        }
        "finding" => finding(object, notes).map(Event::Finding),
        "verdict" => verdict(object, notes).map(Event::Verdict),
        "effect" => effect(object, notes).map(Event::Effect),
        "step" => step(object, notes).map(Event::Step),
        _ => None,
    }
}

fn run(mut fields: Fields<'_, '_>, episode: Episode) -> RunStated {
    RunStated {
        id: fields.id("id"),
        parent: fields.id("parent"),
        kind: fields.word("kind", RunKind::ALL),
        role: fields.text("role"),
        agent: fields.text("agent"),
        task: fields.text("task"),
        domain: fields.text("domain"),
        started: fields.time("started"),
        finished: fields.time("finished"),
        outcome: fields.word("outcome", Outcome::ALL),
        detectors: fields.texts("detectors"),
        paths: fields.texts("paths").unwrap_or_default(),
        tools: fields.texts("tools").unwrap_or_default(),
        tags: fields.texts("tags").unwrap_or_default(),
        episode,
    }
}

/// What a run tells about itself.
fn episode(object: &Object, notes: &mut Notes) -> Episode {
    let mut fields = Fields::new(object, notes);
    let extra = fields.object("extra").filter(|extra| !extra.is_empty());
    Episode {
        session: fields.text("session"),
        subtask: fields.text("subtask"),
        phase: fields.text("phase"),
        error_class: fields.text("error_class"),
        summary: fields.text("summary"),
        commit: fields.text("commit"),
        trajectories: fields.texts("trajectories").into_iter().flatten().collect(),
        logs: fields.texts("logs").into_iter().flatten().collect(),
        extra: extra.and_then(|extra| serde_json::to_string(extra).ok()),
        usage: fields.object("usage").map(|usage| used(usage, notes)).unwrap_or_default(),
        ..Episode::default()
    }
}

fn used(usage: &Object, notes: &mut Notes) -> Usage {
    Usage { duration_s: amount(usage, "duration_s", notes), ..amounts::usage(usage, &USAGE, notes) }
}

/// Something that was done. Who tells only the tool has told what sort of step it was.
fn step(object: &Object, notes: &mut Notes) -> Option<StepStated> {
    let mut fields = Fields::new(object, notes);
    let Some(action) = fields.words("action") else {
        notes.problem("a step without \"action\" was put aside");
        return None;
    };
    let tool = fields.words("tool");
    let kind = fields.word("kind", StepKind::ALL);
    if kind == Some(StepKind::Correction) && is_chatter(&action) {
        notes.problem("a correction that only asks or praises was put aside");
        return None;
    }
    let output = fields.words("output").map(|output| excerpt(&output));
    let is_ok = fields.flag("ok");
    let duration = amount(object, "duration_s", notes);
    Some(StepStated {
        kind: kind.unwrap_or_else(|| tool.as_deref().map_or(StepKind::Command, kind_of)),
        tool: tool.unwrap_or_else(|| kind.unwrap_or(StepKind::Command).word().to_owned()),
        action,
        is_ok,
        output,
        duration_ms: duration.map(milliseconds),
    })
}

fn finding(object: &Object, notes: &mut Notes) -> Option<FindingStated> {
    let mut fields = Fields::new(object, notes);
    let Some(text) = fields.words("text") else {
        notes.put_finding_aside("a finding without \"text\"");
        return None;
    };
    Some(FindingStated {
        author: fields.text("author"),
        severity: fields.text("severity"),
        category: fields.text("category"),
        rule: fields.text("rule"),
        text,
        path: fields.text("path"),
        line: fields.number("line"),
        grade: fields.word("grade", Grade::ALL),
        evidence: evidence(&mut fields),
        state: fields.word("state", FindingState::ALL),
        fingerprint: fields.text("fingerprint"),
        prose: None,
        is_gone: false,
        fixed_in: None,
    })
}

fn verdict(object: &Object, notes: &mut Notes) -> Option<VerdictStated> {
    let mut fields = Fields::new(object, notes);
    let Some(author) = fields.words("author") else {
        notes.problem("a verdict without \"author\" was put aside");
        return None;
    };
    Some(VerdictStated {
        author,
        is_pass: is_pass(&mut fields),
        grade: fields.word("grade", Grade::ALL),
        evidence: evidence(&mut fields),
        false_positives: fields.texts("false_positives").unwrap_or_default(),
        ..VerdictStated::default()
    })
}

/// Whether the work passed. Who fails it and then has nothing that must be fixed has
/// passed it; a word that is not known says nothing.
fn is_pass(fields: &mut Fields<'_, '_>) -> Option<bool> {
    let must_fix = fields.list("must_fix");
    let verdict = fields.words("verdict")?;
    match verdict.trim().to_ascii_lowercase().as_str() {
        "pass" | "passed" | "approve" | "approved" | "accept" | "accepted" => Some(true),
        "fail" | "failed" | "reject" | "rejected" | "needs_changes" | "changes_requested" => {
            Some(must_fix.is_some_and(<[_]>::is_empty))
        }
        _ => None,
    }
}

/// What was put forward as evidence: a text, or a list of them.
fn evidence(fields: &mut Fields<'_, '_>) -> Option<String> {
    if fields.is_list("evidence") {
        fields.texts("evidence").map(|texts| texts.join("\n"))
    } else {
        fields.text("evidence")
    }
}

fn effect(object: &Object, notes: &mut Notes) -> Option<EffectStated> {
    let mut fields = Fields::new(object, notes);
    let lesson = fields.words("lesson");
    let effect = fields.word("effect", EffectKind::ALL);
    let because = fields.text("because").unwrap_or_default();
    let (Some(lesson), Some(effect)) = (lesson, effect) else {
        notes.problem("an effect without a \"lesson\" and a known \"effect\" was put aside");
        return None;
    };
    Some(EffectStated { lesson, effect, because })
}
