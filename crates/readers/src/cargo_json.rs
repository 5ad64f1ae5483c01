//! What do the JSON lines of cargo, rustc and clippy state? Diagnostics with a level are
//! findings at their primary place; the last line says whether the build went through.

use hardwon_core::event::{Event, FindingStated, RunStated, VerdictStated};
use hardwon_core::finding::Grade;
use hardwon_core::run::Outcome;
use serde_json::Value;

use crate::json::{Fields, Object};
use crate::notes::Notes;
use crate::report::shortened;

/// How clippy names its rules.
const CLIPPY: &str = "clippy::";

/// Whether a line is one of cargo's.
pub fn is_line(object: &Object) -> bool {
    let reason = object.get("reason").and_then(Value::as_str).unwrap_or_default();
    reason.starts_with("compiler-") || reason.starts_with("build-")
}

/// What one line states. `is_first` is the first line of the input that is cargo's.
pub fn events(object: &Object, is_first: bool, notes: &mut Notes) -> Vec<Event> {
    let mut events = Vec::new();
    if is_first {
        events.push(looked("cargo"));
    }
    let mut fields = Fields::new(object, notes);
    match fields.text("reason").as_deref() {
        Some("compiler-message") => match fields.object("message") {
            Some(message) => events.extend(finding(message, notes)),
            None => notes.put_finding_aside("a compiler message without \"message\""),
        },
        Some("build-finished") => match object.get("success") {
            Some(Value::Bool(is_success)) => {
                let outcome = if *is_success { Outcome::Success } else { Outcome::Failed };
                let outcome = Some(outcome);
                events.push(Event::Run(RunStated { outcome, ..RunStated::default() }));
            }
            _ => notes.problem("field \"success\" is not true or false"),
        },
        // What was built, or a line that newer versions write.
        _ => {}
    }
    events
}

pub fn looked(author: &str) -> Event {
    Event::Verdict(VerdictStated { author: author.to_owned(), ..VerdictStated::default() })
}

fn finding(message: &Object, notes: &mut Notes) -> Option<Event> {
    let level = Fields::new(message, notes).text("level").unwrap_or_default();
    let severity = match level.as_str() {
        "error" | "error: internal compiler error" => "error",
        "warning" => "warning",
        // Notes and help belong to what they follow; "3 warnings emitted" has none.
        _ => return None,
    };
    let Some(text) = Fields::new(message, notes).words("message") else {
        notes.put_finding_aside("a compiler message without words");
        return None;
    };
    let code = Fields::new(message, notes).object("code");
    let rule = code.and_then(|code| Fields::new(code, notes).words("code"));
    let place = primary(message, notes);
    if rule.is_none() && place.is_none() {
        // "aborting due to 2 previous errors", "3 warnings emitted": a count, no finding.
        return None;
    }
    let is_clippy = rule.as_deref().is_some_and(|rule| rule.starts_with(CLIPPY));
    let place = place.map(|span| {
        let mut fields = Fields::new(span, notes);
        (fields.words("file_name"), fields.number("line_start"))
    });
    let (path, line) = place.unwrap_or_default();
    Some(Event::Finding(FindingStated {
        author: Some(if is_clippy { "clippy" } else { "cargo" }.to_owned()),
        severity: Some(severity.to_owned()),
        rule,
        text: shortened(&text),
        path,
        line,
        grade: Some(Grade::Executed),
        ..FindingStated::default()
    }))
}

/// The span that the message is about.
fn primary<'o>(message: &'o Object, notes: &mut Notes) -> Option<&'o Object> {
    let spans = Fields::new(message, notes).list("spans").unwrap_or_default();
    let is_primary =
        |span: &&Value| span.get("is_primary").and_then(Value::as_bool).unwrap_or(false);
    spans.iter().find(is_primary).or(spans.first())?.as_object()
}
