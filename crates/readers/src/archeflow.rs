//! What does a line of an ArcheFlow event log state? Every line names its run, so one
//! file may hold several. Runs, verdicts and fixes are read; all other event types are
//! progress and are skipped.

use std::collections::BTreeSet;

use hardwon_core::event::{Event, FindingStated, FixStated, RunStated, VerdictStated};
use hardwon_core::run::{Outcome, RunKind};
use serde_json::Value;

use crate::json::{Fields, Object};
use crate::notes::Notes;

/// A log that is being read.
#[derive(Default)]
pub struct Log {
    current_run: Option<String>,
    runs_seen: BTreeSet<String>,
}

impl Log {
    /// The events of one line, in order.
    pub fn events(&mut self, object: &Object, notes: &mut Notes) -> Vec<Event> {
        let event_type = object.get("type").and_then(Value::as_str).unwrap_or_default();
        let mut fields = Fields::new(object, notes);
        let is_readable = !fields.has("data") || fields.object("data").is_some();
        let empty = Object::new();
        let data = object.get("data").and_then(Value::as_object).unwrap_or(&empty);
        let mut events = Vec::new();
        if let Some(mut run) = self.run(event_type, object, notes) {
            describe(&mut run, event_type, data, notes);
            events.push(Event::Run(run));
        }
        match event_type {
            "review.verdict" if is_readable => events.extend(verdict(object, data, notes)),
            "fix.applied" if is_readable => events.extend(fix(data, notes)),
            _ => {}
        }
        events
    }

    /// The run of a line, if the line says something new about it: it is another run
    /// than that of the line before, or it starts or ends here.
    fn run(&mut self, event_type: &str, object: &Object, notes: &mut Notes) -> Option<RunStated> {
        let mut fields = Fields::new(object, notes);
        let Some(id) = fields.id("run_id") else {
            notes.problem("no \"run_id\": taken for the run of the line before");
            return None;
        };
        let is_new = self.runs_seen.insert(id.clone());
        let is_other = self.current_run.as_ref() != Some(&id);
        self.current_run = Some(id.clone());
        let (starts, ends) = (event_type == "run.start", event_type == "run.complete");
        let is_worth_telling = is_other || starts || ends;
        is_worth_telling.then(|| RunStated {
            id: Some(id),
            kind: Some(RunKind::Orchestrator),
            // A log whose first line was lost still has a place among the runs by time.
            started: (starts || is_new).then(|| fields.time("ts")).flatten(),
            finished: ends.then(|| fields.time("ts")).flatten(),
            ..Default::default()
        })
    }
}

/// Adds what the start and the end of a run say about it.
fn describe(run: &mut RunStated, event_type: &str, data: &Object, notes: &mut Notes) {
    let mut fields = Fields::new(data, notes);
    match event_type {
        "run.start" => {
            run.task = fields.text("task");
            run.domain = fields.text("domain");
        }
        "run.complete" => run.outcome = outcome(data, notes),
        _ => {}
    }
}

/// ArcheFlow does not close its list of status words. What waits for a person to merge
/// was approved by every reviewer.
fn outcome(data: &Object, notes: &mut Notes) -> Option<Outcome> {
    let status = Fields::new(data, notes).words("status")?;
    let outcome = match status.trim().to_ascii_lowercase().as_str() {
        "completed" | "complete" | "success" | "succeeded" | "passed" | "approved" | "merged"
        | "done" | "awaiting_merge" => Outcome::Success,
        "partial" | "incomplete" | "max_cycles" => Outcome::Partial,
        "failed" | "failure" | "error" | "rejected" | "reverted" => Outcome::Failed,
        "aborted" | "cancelled" | "canceled" | "stopped" | "halted" | "interrupted" => {
            Outcome::Aborted
        }
        _ => {
            notes.problem("field \"status\" is not a known way for a run to end");
            return None;
        }
    };
    Some(outcome)
}

/// The reviewer's verdict, which says that it looked, and its findings.
fn verdict(object: &Object, data: &Object, notes: &mut Notes) -> Vec<Event> {
    let archetype = Fields::new(data, notes).words("archetype");
    let author = archetype.or_else(|| Fields::new(object, notes).words("agent"));
    let mut fields = Fields::new(data, notes);
    let is_stated = fields.has("findings");
    let items = fields.list("findings");
    if is_stated && items.is_none() {
        // Findings that cannot be read are not "looked and found nothing".
        return Vec::new();
    }
    let mut events = Vec::new();
    match &author {
        Some(author) => events
            .push(Event::Verdict(VerdictStated { author: author.clone(), ..Default::default() })),
        None => notes.problem("a verdict that names no \"archetype\" and no \"agent\""),
    }
    for item in items.unwrap_or_default() {
        events.extend(finding(item, author.as_deref(), notes).map(Event::Finding));
    }
    events
}

fn finding(item: &Value, author: Option<&str>, notes: &mut Notes) -> Option<FindingStated> {
    let Value::Object(object) = item else {
        notes.put_finding_aside("a finding that is not a JSON object");
        return None;
    };
    let mut fields = Fields::new(object, notes);
    let Some(text) = fields.words("description") else {
        notes.put_finding_aside("a finding without \"description\"");
        return None;
    };
    let location = fields.words("location");
    let (path, line) = location.as_deref().map_or((None, None), place);
    Some(FindingStated {
        author: author.map(str::to_owned),
        severity: fields.text("severity"),
        category: fields.text("category"),
        text,
        path,
        line,
        ..Default::default()
    })
}

fn fix(data: &Object, notes: &mut Notes) -> Option<Event> {
    let mut fields = Fields::new(data, notes);
    let Some(text) = fields.words("finding") else {
        notes.problem("a fix without \"finding\" was put aside");
        return None;
    };
    Some(Event::Fix(FixStated {
        author: fields.text("source"),
        text,
        path: fields.text("file"),
        line: fields.number("line"),
    }))
}

/// Path and line of `src/a.rs:48`, `src/a.rs:48:5`, `src/a.rs:48-52` or `src/a.rs#L48`.
/// A location in words ("the login handler") names no path.
fn place(location: &str) -> (Option<String>, Option<u32>) {
    let location = location.trim().trim_matches('`');
    let (mut path, mut line) = (location, None);
    // At most twice: what stands last may be a column.
    for _ in 0..2 {
        let Some((before, after)) = path.rsplit_once([':', '#']) else {
            break;
        };
        let digits = after.trim_start_matches(['L', 'l']);
        let digits = digits.split_once('-').map_or(digits, |(first, _)| first);
        let Ok(number) = digits.trim().parse::<u32>() else {
            break;
        };
        (path, line) = (before, Some(number));
    }
    let is_path = line.is_some() || path.contains(['/', '.']) || !path.contains(' ');
    let path = (is_path && !path.is_empty()).then(|| path.to_owned());
    let line = line.filter(|_| path.is_some());
    (path, line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_name_a_path_and_a_line() {
        let cases = [
            ("src/a.rs:48", Some("src/a.rs"), Some(48)),
            ("src/a.rs:48:5", Some("src/a.rs"), Some(48)),
            ("src/a.rs:48-52", Some("src/a.rs"), Some(48)),
            ("src/a.rs#L48", Some("src/a.rs"), Some(48)),
            ("src/a.rs#L48-L52", Some("src/a.rs"), Some(48)),
            (" `src/a.rs:48` ", Some("src/a.rs"), Some(48)),
            ("src/a.rs", Some("src/a.rs"), None),
            ("C:\\src\\a.rs:48", Some("C:\\src\\a.rs"), Some(48)),
            ("My Story/chapter 1.md:12", Some("My Story/chapter 1.md"), Some(12)),
            ("Makefile", Some("Makefile"), None),
            ("src/a.rs:login", Some("src/a.rs:login"), None),
            ("src/a.rs:99999999999", Some("src/a.rs:99999999999"), None),
            ("the login handler", None, None),
            (":48", None, None),
        ];
        for (location, path, line) in cases {
            assert_eq!(place(location), (path.map(str::to_owned), line), "{location}");
        }
    }
}
