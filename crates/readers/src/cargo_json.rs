//! What do the JSON lines of cargo, rustc and clippy state? Diagnostics with a level are
//! findings at their primary place; the last line says whether the build went through.

use hardwon_core::event::{Event, FindingStated, RunStated, VerdictStated};
use hardwon_core::finding::Grade;
use hardwon_core::fixed::Reach;
use hardwon_core::run::Outcome;
use serde_json::Value;

use crate::fields::Fields;
use crate::json::Object;
use crate::report::shortened;

const CLIPPY: &str = "clippy::";

/// How cargo names packages that are not downloaded.
const OWN_PACKAGE: &str = "path+file:";

/// What was built: how far the compiler, and clippy where it ran, looked.
#[derive(Default)]
pub struct Built {
    reach: Reach,
    is_finished: bool,
    /// One of its lines was there; the last of them was.
    has_begun: bool,
    pub has_end: bool,
    /// Clippy ran: one of its rules was broken, or the caller says so. The lines of a clean
    /// run are those of `cargo check`.
    is_clippy: bool,
}

impl Built {
    /// Nothing yet. `is_clippy` if the caller says that clippy ran.
    pub fn new(is_clippy: bool) -> Self {
        Built { is_clippy, ..Built::default() }
    }

    pub fn see(&mut self, line: Fields<'_>, events: &[Event]) {
        self.is_clippy |= events.iter().any(|event| match event {
            Event::Finding(finding) => finding.author.as_deref() == Some("clippy"),
            _ => false,
        });
        let reason = line.silent("reason");
        self.has_begun |= reason.is_some_and(is_reason);
        match reason {
            Some("compiler-artifact") => self.artifact(line),
            Some("build-finished") => {
                self.has_end = true;
                self.is_finished = line.value("success").is_some_and(|it| *it == true)
            }
            _ => {}
        }
    }

    /// A target that was compiled with its tests, or has none. Of one that was compiled
    /// without them, half was not looked at.
    fn artifact(&mut self, line: Fields<'_>) {
        let target = line.value("target").unwrap_or(&Value::Null);
        let profile = line.value("profile").unwrap_or(&Value::Null);
        let package = line.silent("package_id").unwrap_or_default();
        let kind = target["kind"][0].as_str().unwrap_or_default();
        let has_tests = !matches!(kind, "example" | "bench") && target["test"] == true;
        let is_missing_tests = has_tests && profile["test"] != true;
        let is_own = package.contains(OWN_PACKAGE) && kind != "custom-build";
        let path = target["src_path"].as_str().filter(|_| is_own && !is_missing_tests);
        let Some(path) = path else { return };
        match path.rsplit_once('/') {
            Some((folder, "lib.rs" | "main.rs")) => self.reach.folders.insert(folder.to_owned()),
            _ => self.reach.files.insert(path.to_owned()),
        };
    }

    /// Which tools looked, and how far: unknown for a build that did not go through, or was
    /// not read to its end.
    pub fn looked(self, is_whole: bool) -> Vec<Event> {
        let is_known = is_whole && self.is_finished;
        let reach = if is_known { self.reach } else { Reach::default() };
        let tools: &[&str] = match (self.has_begun, self.is_clippy) {
            (false, _) => &[],
            (true, true) => &["cargo", "clippy"],
            (true, false) => &["cargo"],
        };
        tools.iter().map(|tool| looked(tool, reach.clone())).collect()
    }
}

pub fn is_line(object: &Object) -> bool {
    let reason = object.get("reason").and_then(Value::as_str);
    reason.is_some_and(is_reason)
}

fn is_reason(word: &str) -> bool {
    word.starts_with("compiler-") || word.starts_with("build-")
}

/// What one line states. Lines about what was built, and those of newer versions, state
/// nothing.
pub fn events(line: Fields<'_>) -> Option<Event> {
    match line.text("reason").as_deref() {
        Some("compiler-message") => {
            let message = line.object("message");
            if message.is_none() {
                line.notes.put_finding_aside("a compiler message without \"message\"");
            }
            finding(message?).map(Event::Finding)
        }
        Some("build-finished") => {
            let Some(Value::Bool(is_success)) = line.value("success") else {
                line.notes.problem("field \"success\" is not true or false");
                return None;
            };
            let outcome = Some(if *is_success { Outcome::Success } else { Outcome::Failed });
            Some(Event::Run(RunStated { outcome, ..RunStated::default() }))
        }
        _ => None,
    }
}

pub fn looked(author: &str, reach: Reach) -> Event {
    let author = author.to_owned();
    Event::Verdict(VerdictStated { author, reach, ..VerdictStated::default() })
}

fn finding(message: Fields<'_>) -> Option<FindingStated> {
    let severity = match message.text("level").as_deref() {
        Some("error" | "error: internal compiler error") => "error",
        Some("warning") => "warning",
        // Notes and help belong to what they follow; "3 warnings emitted" has none.
        _ => return None,
    };
    let text = message.finding_words("message", "a compiler message without words")?;
    let rule = message.inside("code").words("code");
    let spans = message.list("spans").unwrap_or_default();
    let primary = spans.iter().find(|span| span["is_primary"] == true).or(spans.first());
    let place = primary.and_then(Value::as_object);
    if rule.is_none() && place.is_none() {
        // "aborting due to 2 previous errors", "3 warnings emitted": a count, no finding.
        return None;
    }
    let is_clippy = rule.as_deref().is_some_and(|rule| rule.starts_with(CLIPPY));
    let place = place.map(|place| Fields::new(place, message.notes));
    Some(FindingStated {
        author: Some(if is_clippy { "clippy" } else { "cargo" }.to_owned()),
        severity: Some(severity.to_owned()),
        rule,
        text: shortened(&text),
        path: place.and_then(|place| place.words("file_name")),
        line: place.and_then(|place| place.number("line_start")),
        grade: Some(Grade::Executed),
        repair: help(message),
        ..FindingStated::default()
    })
}

/// What the compiler proposes, if it does so in words.
fn help(message: Fields<'_>) -> Option<String> {
    let children = message.value("children")?.as_array()?.iter();
    let mut help = children.filter(|child| child["level"] == "help");
    let said =
        help.find_map(|child| child["message"].as_str().filter(|text| !text.contains("://")));
    said.map(shortened)
}
