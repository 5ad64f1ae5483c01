//! What does a line of an ArcheFlow event log state? Every line names its run, so one
//! file may hold several. Runs, verdicts and fixes are read; all other event types are
//! progress and are skipped.

use std::collections::BTreeSet;

use hardwon_core::event::{Event, FindingStated, FixStated, RunStated, VerdictStated};
use hardwon_core::run::{Outcome, RunKind};
use serde_json::Value;

use crate::fields::{Fields, repair};

#[derive(Default)]
pub struct Log {
    current_run: Option<String>,
    runs_seen: BTreeSet<String>,
}

impl Log {
    pub fn events(&mut self, line: Fields<'_>) -> Vec<Event> {
        let event_type = line.silent("type").unwrap_or_default();
        let data = line.inside("data");
        let is_readable = line.value("data").is_none_or(Value::is_object);
        let mut events = Vec::new();
        if let Some(mut run) = self.run(event_type, line) {
            match event_type {
                "run.start" => {
                    run.task = data.text("task");
                    run.domain = data.text("domain");
                }
                "run.complete" => run.outcome = outcome(data),
                _ => {}
            }
            events.push(Event::Run(run));
        }
        match event_type {
            "review.verdict" if is_readable => events.extend(verdict(line, data)),
            "fix.applied" if is_readable => events.extend(fix(data)),
            _ => {}
        }
        events
    }

    /// The run of a line, if the line says something new about it: it is another run
    /// than that of the line before, or it starts or ends here.
    fn run(&mut self, event_type: &str, line: Fields<'_>) -> Option<RunStated> {
        let Some(id) = line.id("run_id") else {
            line.notes.problem("no \"run_id\": taken for the run of the line before");
            return None;
        };
        let is_new = self.runs_seen.insert(id.clone());
        let is_other = self.current_run.replace(id.clone()).as_ref() != Some(&id);
        let (starts, ends) = (event_type == "run.start", event_type == "run.complete");
        (is_other || starts || ends).then(|| RunStated {
            id: Some(id),
            kind: Some(RunKind::Orchestrator),
            // A log whose first line was lost still has a place among the runs by time.
            started: (starts || is_new).then(|| line.time("ts")).flatten(),
            finished: ends.then(|| line.time("ts")).flatten(),
            ..RunStated::default()
        })
    }
}

/// ArcheFlow does not close its list of status words. What waits for a person to merge
/// was approved by every reviewer.
fn outcome(data: Fields<'_>) -> Option<Outcome> {
    match data.words("status")?.trim().to_ascii_lowercase().as_str() {
        "completed" | "complete" | "success" | "succeeded" | "passed" | "approved" | "merged"
        | "done" | "awaiting_merge" => Some(Outcome::Success),
        "partial" | "incomplete" | "max_cycles" => Some(Outcome::Partial),
        "failed" | "failure" | "error" | "rejected" | "reverted" => Some(Outcome::Failed),
        "aborted" | "cancelled" | "canceled" | "stopped" | "halted" | "interrupted" => {
            Some(Outcome::Aborted)
        }
        _ => {
            data.notes.problem("field \"status\" is not a known way for a run to end");
            None
        }
    }
}

/// The reviewer's verdict, which says that it looked, and its findings.
fn verdict(line: Fields<'_>, data: Fields<'_>) -> Vec<Event> {
    let author = data.words("archetype").or_else(|| line.words("agent"));
    let items = data.list("findings");
    if items.is_none() && data.has("findings") {
        // Findings that cannot be read are not "looked and found nothing".
        return Vec::new();
    }
    if author.is_none() {
        data.notes.problem("a verdict that names no \"archetype\" and no \"agent\"");
    }
    let stated = |author| VerdictStated { author, ..VerdictStated::default() };
    let verdict = author.clone().map(|author| Event::Verdict(stated(author)));
    let findings = items.unwrap_or_default().iter().filter_map(|item| {
        let Value::Object(item) = item else {
            data.notes.put_finding_aside("a finding that is not a JSON object");
            return None;
        };
        finding(Fields::new(item, data.notes), author.clone()).map(Event::Finding)
    });
    verdict.into_iter().chain(findings).collect()
}

fn finding(item: Fields<'_>, author: Option<String>) -> Option<FindingStated> {
    let text = item.finding_words("description", "a finding without \"description\"")?;
    let location = item.words("location");
    let (path, line) = location.as_deref().map_or((None, None), place);
    Some(FindingStated {
        author,
        severity: item.text("severity"),
        category: item.text("category"),
        text,
        path,
        line,
        repair: repair(item),
        ..FindingStated::default()
    })
}

fn fix(data: Fields<'_>) -> Option<Event> {
    let text = data.needed_words("finding", "a fix without \"finding\" was put aside")?;
    Some(Event::Fix(FixStated {
        author: data.text("source"),
        text,
        path: data.text("file"),
        line: data.number("line"),
    }))
}

/// Path and line of `src/a.rs:48`, `src/a.rs:48:5`, `src/a.rs:48-52` or `src/a.rs#L48`.
/// A location in words ("the login handler") names no path.
pub fn place(location: &str) -> (Option<String>, Option<u32>) {
    let location = location.trim().trim_matches('`');
    let (mut path, mut line) = (location, None);
    // At most twice: what stands last may be a column.
    for _ in 0..2 {
        let Some((before, after)) = path.rsplit_once([':', '#']) else { break };
        let digits = after.trim_start_matches(['L', 'l']);
        let digits = digits.split_once('-').map_or(digits, |(first, _)| first);
        let Ok(number) = digits.trim().parse::<u32>() else { break };
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
