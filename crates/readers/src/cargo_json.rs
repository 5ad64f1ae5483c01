//! What do the JSON lines of cargo, rustc and clippy state? Diagnostics with a level are
//! findings at their primary place; the last line says whether the build went through.

use hardwon_core::event::{Event, FindingStated, RunStated, VerdictStated};
use hardwon_core::finding::Grade;
use hardwon_core::fixed::Reach;
use hardwon_core::run::Outcome;
use serde_json::Value;

use crate::json::{Fields, Object};
use crate::notes::Notes;
use crate::report::shortened;

/// How clippy names its rules.
const CLIPPY: &str = "clippy::";

/// How cargo names packages that are not downloaded.
const OWN_PACKAGE: &str = "path+file:";

/// What was built: how far the compiler, and clippy where it ran, looked.
#[derive(Default)]
pub struct Built {
    reach: Reach,
    is_finished: bool,
    /// Clippy ran: one of its rules was broken, or somebody says so. The lines of a clean
    /// run are those of `cargo check`.
    is_clippy: bool,
}

impl Built {
    /// Nothing yet. `is_clippy` if somebody says that clippy ran.
    pub fn new(is_clippy: bool) -> Self {
        Built { is_clippy, ..Built::default() }
    }

    /// Takes note of one line.
    pub fn see(&mut self, object: &Object, events: &[Event]) {
        let is_clippy = |event: &Event| match event {
            Event::Finding(finding) => finding.author.as_deref() == Some("clippy"),
            _ => false,
        };
        self.is_clippy |= events.iter().any(is_clippy);
        match object.get("reason").and_then(Value::as_str) {
            Some("compiler-artifact") => self.artifact(object),
            Some("build-finished") => {
                self.is_finished = object.get("success") == Some(&Value::Bool(true));
            }
            _ => {}
        }
    }

    /// A target that was compiled with its tests, or has none. Of one that was compiled
    /// without them, half was not looked at.
    fn artifact(&mut self, object: &Object) {
        let text = |path: &str| object.get("target")?.pointer(path)?.as_str();
        let is_true = |field: &str, name: &str| {
            object.get(field).and_then(|field| field.get(name)) == Some(&Value::Bool(true))
        };
        let package = object.get("package_id").and_then(Value::as_str).unwrap_or_default();
        let kind = text("/kind/0").unwrap_or_default();
        let has_tests = !matches!(kind, "example" | "bench") && is_true("target", "test");
        let is_missing_tests = has_tests && !is_true("profile", "test");
        let is_own = package.contains(OWN_PACKAGE) && kind != "custom-build";
        let Some(path) = text("/src_path").filter(|_| is_own && !is_missing_tests) else { return };
        match path.rsplit_once('/') {
            Some((folder, "lib.rs" | "main.rs")) => self.reach.folders.insert(folder.to_owned()),
            _ => self.reach.files.insert(path.to_owned()),
        };
    }

    /// Who looked, and how far: nobody knows of a build that did not go through, or was
    /// not read to its end.
    pub fn looked(self, is_whole: bool) -> Vec<Event> {
        let is_known = is_whole && self.is_finished;
        let reach = if is_known { self.reach } else { Reach::default() };
        let tools: &[&str] = if self.is_clippy { &["cargo", "clippy"] } else { &["cargo"] };
        let verdict = |tool: &&str| {
            let (author, reach) = ((*tool).to_owned(), reach.clone());
            Event::Verdict(VerdictStated { author, reach, ..VerdictStated::default() })
        };
        tools.iter().map(verdict).collect()
    }
}

/// Whether a line is one of cargo's.
pub fn is_line(object: &Object) -> bool {
    let reason = object.get("reason").and_then(Value::as_str).unwrap_or_default();
    reason.starts_with("compiler-") || reason.starts_with("build-")
}

/// What one line states.
pub fn events(object: &Object, notes: &mut Notes) -> Vec<Event> {
    let mut events = Vec::new();
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
