//! What did one call of an agent bring? One object for each: who was asked, about what, and all
//! that was answered. The verdict is read out of the answer.

use std::collections::BTreeMap;
use std::io::{self, Read};

use hardwon_core::episode::Episode;
use hardwon_core::event::{
    DeliberationStated, Event, MAX_RESPONSE_BYTES, Record, RunStated, issue_name,
};
use hardwon_core::list;
use hardwon_core::run::RunKind;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use super::role::{is_known, issue_in, issue_of_file, of_file, role_name};
use super::told::{Told, Who, told, verdict_word};
use super::{MAX_BYTES, push};
use crate::fields::{Fields, count, moment};
use crate::json::Object;
use crate::notes::Notes;
use crate::report::{Report, cut};
use crate::stream::{Document, Part, Shape};

const ONE: Shape = Shape::Whole("deliberation");

static DOCUMENT: Document = Document {
    shape: &Shape::Either(&Shape::Items("the document", &ONE), &ONE),
    fields: list!("fields.txt", "deliberation"),
    open: &["tokens"],
    // A verdict stands at the end of an answer.
    max_string: MAX_BYTES as usize,
};

pub fn read(reader: &mut dyn Read, report: &mut Report) -> io::Result<()> {
    let end = report.walk(reader, &DOCUMENT, |report, part, _| {
        let Part::Whole(_, value) = part else { return };
        let Value::Object(object) = value else {
            return report.notes.problem("a deliberation that is not an object was put aside");
        };
        if let Some((run, told, stated)) = deliberation(report.fields(&object), &object) {
            report.next_run(run);
            push(report, told);
            report.push(Event::Deliberation(stated));
        }
    })?;
    report.ended(end, 0);
    Ok(())
}

/// The run of one call, what its answer says, and the call itself.
fn deliberation(
    fields: Fields<'_>,
    object: &Object,
) -> Option<(RunStated, Told, DeliberationStated)> {
    let notes = fields.notes;
    let input = notes.source().input;
    let (file_issue, iteration) = issue_of_file(&input);
    let role = role(fields, &input)?;
    let issue = issue_in(object, &["issue", "issue_number"]).or(file_issue);
    let pr = issue_in(object, &["pr", "pr_number"]);
    let at = at(fields);
    let response = fields.words("response");
    let who = Who { given: Some(role.clone()), issue: issue.clone(), iteration, ..Who::default() };
    let mut told = response.as_deref().map(|text| told(text, &who, notes)).unwrap_or_default();
    told.attempts.iter_mut().for_each(|attempt| attempt.at = at);
    let verdict = told.word.clone().or_else(|| fields.words("verdict").map(|word| folded(&word)));
    let stated = DeliberationStated {
        at,
        verdict,
        summary: fields.words("summary"),
        response: response.map(|text| within(text, notes)),
        status: fields.words("status"),
        model: fields.words("model"),
        endpoint: fields.words("endpoint"),
        phase: fields.words("phase"),
        command: fields.words("command"),
        tokens: fields.value("tokens").and_then(tokens),
        duration_ms: fields.amount("duration_ms").map(|ms| ms as u64),
        issue,
        pr,
        role,
        ..DeliberationStated::default()
    };
    Some((run(fields, &stated), told, stated))
}

/// Who was asked. A role that a pipeline of this sort does not have is taken as it is.
fn role(fields: Fields<'_>, input: &str) -> Option<String> {
    let stated = fields.words("role").or_else(|| of_file(input).map(str::to_owned));
    let Some(stated) = stated else {
        fields.notes.problem("a deliberation without a \"role\" was put aside");
        return None;
    };
    let Some(role) = role_name(&stated) else {
        fields
            .notes
            .problem("a deliberation whose \"role\" cannot be the name of one was put aside");
        return None;
    };
    if !is_known(&role) {
        fields.notes.problem("an unknown role; the deliberation is kept under that name");
    }
    Some(role)
}

/// When, as a time or as milliseconds.
fn at(fields: Fields<'_>) -> Option<Timestamp> {
    match fields.value("timestamp")? {
        Value::Number(number) => Some(Timestamp(number.as_i64()?)),
        Value::String(text) if moment(text).is_some() => moment(text),
        _ => fields.time("timestamp"),
    }
}

/// `pass` and `fail` in any of their spellings; any other word as it is.
fn folded(word: &str) -> String {
    let is_pass = crate::review_text::is_pass(&word.to_lowercase());
    verdict_word(word, is_pass)
}

/// Tokens as a number, or as an account of what was read and written.
fn tokens(value: &Value) -> Option<u64> {
    let Value::Object(account) = value else { return count(value) };
    let named = |names: &[&str]| names.iter().find_map(|name| count(account.get(*name)?));
    let total = named(&["total", "total_tokens", "totalTokens"]);
    let input = named(&["input", "in", "prompt", "input_tokens", "prompt_tokens"]);
    let output = named(&["output", "out", "completion", "output_tokens", "completion_tokens"]);
    total.or_else(|| match (input, output) {
        (None, None) => None,
        (input, output) => Some(input.unwrap_or(0) + output.unwrap_or(0)),
    })
}

pub fn within(response: String, notes: &Notes) -> String {
    if response.len() <= MAX_RESPONSE_BYTES {
        return response;
    }
    notes.problem("a response is longer than 64 KiB; the rest of it is not kept");
    cut(&response, MAX_RESPONSE_BYTES).to_owned()
}

/// The pipeline's own run; or a run for this call, below that of its issue.
fn run(fields: Fields<'_>, stated: &DeliberationStated) -> RunStated {
    let about = |kind: &str, number: &Option<String>| {
        number.as_ref().map(|number| format!("{kind}-{number}"))
    };
    let above = about("issue", &stated.issue).or_else(|| about("pr", &stated.pr));
    let when = match fields.value("timestamp") {
        Some(Value::String(text)) => Some(text.trim().to_owned()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let own = above.clone().map(|above| {
        let last = when.unwrap_or_else(|| stated.role.clone());
        let parts = [Some(above), stated.phase.clone(), Some(last)];
        parts.into_iter().flatten().collect::<Vec<_>>().join("/").replace(' ', "-")
    });
    let pipeline = fields.id("pipeline_run_id").filter(|id| !id.trim().is_empty());
    let phase = stated.phase.clone();
    RunStated {
        parent: above.clone().filter(|_| pipeline.is_none()),
        kind: pipeline.is_none().then_some(RunKind::Subagent),
        role: pipeline.is_none().then(|| stated.role.clone()),
        agent: stated.model.clone().filter(|_| pipeline.is_none()),
        task: above,
        started: stated.at,
        finished: stated.at,
        episode: Episode { phase: phase.filter(|_| pipeline.is_none()), ..Episode::default() },
        id: pipeline.or(own),
        ..RunStated::default()
    }
}

/// A pipeline's run lasts from its first call to its last, in whatever order they were read.
pub fn in_time(records: &mut [Record]) {
    let mut times: BTreeMap<String, (Timestamp, Timestamp)> = BTreeMap::new();
    for run in runs_of_calls(records) {
        let (Some(id), Some(at)) = (&run.id, run.started) else { continue };
        let known = times.entry(id.clone()).or_insert((at, at));
        *known = (known.0.min(at), known.1.max(at));
    }
    for run in runs_of_calls(records) {
        let Some(known) = run.id.as_ref().and_then(|id| times.get(id)) else { continue };
        (run.started, run.finished) = (Some(known.0), Some(known.1));
    }
}

fn runs_of_calls(records: &mut [Record]) -> impl Iterator<Item = &mut RunStated> {
    let is_calls = |record: &&mut Record| {
        record.events.iter().any(|it| matches!(it.event, Event::Deliberation(_)))
            && !record.is_report
    };
    let events = records.iter_mut().filter(is_calls).flat_map(|record| &mut record.events);
    events.filter_map(|sourced| match &mut sourced.event {
        // Lines of a run record say themselves when they ended.
        Event::Run(run) if run.started.is_some() && run.started == run.finished => Some(run),
        _ => None,
    })
}

/// The line of a run record about one call of an agent.
pub fn line(line: Fields<'_>) -> Option<DeliberationStated> {
    let role = line.needed_words("role", "a deliberation without a \"role\" was put aside")?;
    let Some(role) = role_name(&role) else {
        line.notes.problem("a deliberation whose \"role\" cannot be the name of one was put aside");
        return None;
    };
    let response = line.words("response");
    let who = Who { given: Some(role.clone()), ..Who::default() };
    // What is wrong in the answer is its writer's business: findings have lines of their own.
    let silent = Notes::default();
    let said = || told(response.as_deref()?, &who, &silent).word;
    let seconds = line.amount("duration_s").map(crate::fields::milliseconds);
    let issue = line.id("issue").map(|issue| issue_name(&issue));
    Some(DeliberationStated {
        at: line.time("at"),
        verdict: line.words("verdict").map(|word| folded(&word)).or_else(said),
        summary: line.words("summary"),
        status: line.text("status"),
        model: line.text("model"),
        endpoint: line.text("endpoint"),
        issue: issue.filter(|issue| !issue.is_empty()),
        pr: line.id("pr"),
        phase: line.text("phase"),
        command: line.text("command"),
        tokens: line.value("tokens").and_then(|_| line.count("tokens")),
        duration_ms: seconds,
        response: response.map(|text| within(text, line.notes)),
        grade: None,
        role,
    })
}
