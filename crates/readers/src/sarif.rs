//! What does a SARIF 2.1.0 report state? One run of it is one tool that looked. Results may
//! stand before the rules that they point to, so they are kept small until their run ends.

mod filled;
mod rules;

use std::collections::BTreeSet;
use std::io::{self, Read};

use hardwon_core::event::FindingStated;
use hardwon_core::finding::{FindingState, Grade};
use hardwon_core::run::Outcome;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use crate::Limits;
use crate::json::Object;
use crate::report::{MAX_FINDINGS, Report, path_of_uri, shortened, state_if};
use crate::stream::{Kept, Shape, Take, walk};
use filled::filled;
use rules::{broken_rule, rule_of, rules};

const RESULTS: &str = "field \"results\"";

static RUN: Shape = Shape::Fields(
    "a run",
    &[
        ("tool", Shape::Whole("tool")),
        ("results", Shape::Items(RESULTS, &Shape::Whole("result"))),
        ("automationDetails", Shape::Whole("automation")),
        ("invocations", Shape::Whole("invocations")),
        ("originalUriBaseIds", Shape::Whole("originalUriBaseIds")),
    ],
);
static DOCUMENT: Shape =
    Shape::Fields("the document", &[("runs", Shape::Items("field \"runs\"", &RUN))]);

static KEPT: Kept = Kept {
    fields: &[
        "driver",
        "extensions",
        "name",
        "rules",
        "id",
        "index",
        "defaultConfiguration",
        "level",
        "ruleId",
        "ruleIndex",
        "rule",
        "kind",
        "message",
        "text",
        "locations",
        "toolComponent",
        "physicalLocation",
        "artifactLocation",
        "uri",
        "uriBaseId",
        "region",
        "startLine",
        "baselineState",
        "suppressions",
        "status",
        "state",
        "startTimeUtc",
        "endTimeUtc",
        "executionSuccessful",
        "guid",
    ],
    open: &[
        "messageStrings",
        "arguments",
        "partialFingerprints",
        "fingerprints",
        "originalUriBaseIds",
    ],
};

/// Reads a report.
pub fn read(reader: impl Read, limits: Limits, report: &mut Report) -> io::Result<()> {
    let mut sarif = Sarif { report, run: Run::default(), n_runs: 0 };
    let end = walk(reader, limits.input_bytes, &DOCUMENT, &KEPT, &mut sarif)?;
    // A run that was cut off still said what it said.
    sarif.end_run();
    sarif.report.ended(end, limits);
    Ok(())
}

/// One run of the report, until it ends.
#[derive(Default)]
struct Run {
    is_open: bool,
    /// Has a tool or results, so something looked.
    has_looked: bool,
    tool: Value,
    bases: Value,
    n_results: u64,
    results: Vec<(u64, u64, Object)>,
    n_over: u64,
    /// The list is there, though it may be empty.
    has_results: bool,
    /// The tool said that it could not do its work.
    has_failed: bool,
}

struct Sarif<'r> {
    report: &'r mut Report,
    run: Run,
    n_runs: u64,
}

impl Take for Sarif<'_> {
    fn begin(&mut self, name: &'static str, _line: u64) {
        match name {
            "a run" => {
                self.n_runs += 1;
                self.run.is_open = true;
            }
            RESULTS => self.run.has_results = true,
            _ => {}
        }
    }

    fn value(&mut self, name: &'static str, value: Value, line: u64) {
        self.report.notes.go_to(line);
        match name {
            "tool" => {
                self.run.has_looked = true;
                self.run.tool = value;
            }
            "originalUriBaseIds" => self.run.bases = value,
            "result" => self.result(value, line),
            "automation" => self.automation(&value),
            "invocations" => self.invocations(&value),
            _ => {}
        }
    }

    fn end(&mut self, name: &'static str) {
        if name == "a run" {
            self.end_run();
        }
    }

    fn wrong(&mut self, name: &'static str, why: &'static str, line: u64) {
        self.report.notes.go_to(line);
        self.report.notes.problem(format!("{name} is {why}"));
    }
}

impl Sarif<'_> {
    fn result(&mut self, value: Value, line: u64) {
        self.run.has_looked = true;
        self.run.n_results += 1;
        let number = self.run.n_results;
        let Value::Object(mut object) = value else {
            let reason = format!("result {number} of run {}: not an object", self.n_runs);
            self.report.notes.put_finding_aside(reason);
            return;
        };
        if self.run.results.len() >= MAX_FINDINGS {
            self.run.n_over += 1;
            return;
        }
        // Only the first place is read, and long texts are cut before they wait.
        if let Some(Value::Array(locations)) = object.get_mut("locations") {
            locations.truncate(1);
            locations.shrink_to_fit();
        }
        let text = object.get_mut("message").and_then(|message| message.get_mut("text"));
        if let Some(Value::String(text)) = text {
            *text = shortened(text);
        }
        self.run.results.push((line, number, object));
    }

    /// The id of the whole: `nightly/2026-05-11` names a run, `nightly/` only a sort of run.
    fn automation(&mut self, value: &Value) {
        let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
        if !id.is_empty() && !id.ends_with('/') {
            self.report.run().id.get_or_insert_with(|| id.replace('/', "-"));
        }
    }

    fn invocations(&mut self, value: &Value) {
        for invocation in value.as_array().into_iter().flatten() {
            let time = |name: &str| {
                invocation.get(name).and_then(Value::as_str).and_then(Timestamp::parse)
            };
            let (started, finished) = (time("startTimeUtc"), time("endTimeUtc"));
            if started.is_some() || finished.is_some() {
                let run = self.report.run();
                run.started = run.started.into_iter().chain(started).min();
                run.finished = run.finished.into_iter().chain(finished).max();
            }
            if invocation.get("executionSuccessful").and_then(Value::as_bool) == Some(false) {
                self.run.has_failed = true;
                self.report.outcome(Outcome::Failed);
            }
        }
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        if !run.is_open {
            return;
        }
        let name = run.tool.pointer("/driver/name").and_then(Value::as_str).map(str::trim);
        let author = name.filter(|name| !name.is_empty()).unwrap_or("sarif");
        if run.has_looked {
            self.report.looked(author);
            self.reach(&run, author);
        }
        for (line, number, object) in &run.results {
            self.report.notes.go_to(*line);
            self.report.notes.within(format!("result {number} of run {}", self.n_runs));
            self.finding(&run, author, object);
            self.report.notes.without();
        }
        self.report.left_out(run.n_over);
    }

    /// How far the tool looked. One that lists rules without a result lists what it looked
    /// for; else it is taken to look for everything each time. One that compares with a
    /// baseline says itself what is gone.
    fn reach(&mut self, run: &Run, author: &str) {
        let is_compared = |(_, _, result): &(_, _, Object)| result.contains_key("baselineState");
        if run.has_failed {
            self.report.is_not_all();
        }
        // A tool that states no list of results has not looked.
        if !run.has_results || run.results.iter().any(is_compared) {
            return;
        }
        let broken: BTreeSet<&str> =
            run.results.iter().filter_map(|(_, _, result)| broken_rule(run, result)).collect();
        let rules = rules(run);
        let reach = self.report.reach(author);
        if rules.iter().any(|rule| !broken.contains(rule)) {
            reach.rules.extend(rules.into_iter().map(str::to_owned))
        } else {
            reach.is_whole = true
        }
    }

    fn finding(&mut self, run: &Run, author: &str, result: &Object) {
        let kind = result.get("kind").and_then(Value::as_str).unwrap_or("fail");
        if matches!(kind, "pass" | "notApplicable") {
            return;
        }
        let rule = rule_of(run, result);
        let Some(text) = self.message(run, rule, result) else {
            self.report.notes.put_finding_aside("a result without a message");
            return;
        };
        let (path, line) = self.place(run, result);
        let baseline = self.report.of(result).text("baselineState");
        let is_gone = baseline.as_deref() == Some("absent");
        let state = if is_suppressed(result) {
            Some(FindingState::Dismissed)
        } else {
            state_if(is_gone, FindingState::Fixed)
        };
        let severity = Some(self.level(rule, result, kind).to_owned());
        let rule = self.rule_id(rule, result);
        self.report.finding(FindingStated {
            author: Some(author.to_owned()),
            severity,
            rule,
            text,
            grade: path.as_ref().map(|_| Grade::Cited),
            path,
            line,
            state,
            fingerprint: fingerprint(author, result),
            is_gone,
            ..FindingStated::default()
        });
    }

    fn rule_id(&mut self, rule: Option<&Value>, result: &Object) -> Option<String> {
        let stated = self.report.of(result).words("ruleId");
        let within = || result.get("rule")?.get("id")?.as_str().map(str::to_owned);
        stated.or_else(within).or_else(|| rule?.get("id")?.as_str().map(str::to_owned))
    }

    /// The result's own level, or else its rule's, or else what the standard says.
    fn level(&mut self, rule: Option<&Value>, result: &Object, kind: &str) -> &'static str {
        let stated = self.report.of(result).text("level");
        let default = rule.and_then(|rule| rule.pointer("/defaultConfiguration/level"));
        let default = default.and_then(Value::as_str).map(str::to_owned);
        let default = default.filter(|_| kind == "fail");
        let none = if kind == "fail" { "warning" } else { "none" };
        match stated.or(default).as_deref().unwrap_or(none) {
            "error" => "error",
            "note" | "none" => "info",
            "warning" => "warning",
            _ => {
                self.report.notes.problem("field \"level\" is not a known one; taken as warning");
                "warning"
            }
        }
    }

    /// The words of a result, or those of its rule with the result's arguments in them.
    fn message(&mut self, run: &Run, rule: Option<&Value>, result: &Object) -> Option<String> {
        let message = self.report.of(result).object("message")?;
        let own = self.report.of(message).words("text");
        let text = own.or_else(|| {
            let id = self.report.of(message).words("id")?;
            let of_rule = rule.and_then(|rule| rule.get("messageStrings")?.get(&id));
            let text = of_rule.or_else(|| run.tool.pointer("/driver/messageStrings")?.get(&id));
            text?.get("text")?.as_str().map(str::to_owned)
        })?;
        let arguments = message.get("arguments").and_then(Value::as_array);
        Some(filled(&text, arguments.map(Vec::as_slice).unwrap_or_default()))
    }

    fn place(&mut self, run: &Run, result: &Object) -> (Option<String>, Option<u32>) {
        let locations = self.report.of(result).list("locations").unwrap_or_default();
        let Some(physical) = locations.first().and_then(|first| first.get("physicalLocation"))
        else {
            return (None, None);
        };
        let Some(physical) = physical.as_object() else {
            self.report.notes.problem("field \"physicalLocation\" is not an object");
            return (None, None);
        };
        let Some(artifact) = self.report.of(physical).object("artifactLocation") else {
            return (None, None);
        };
        let Some(uri) = self.report.of(artifact).words("uri") else { return (None, None) };
        let region = self.report.of(physical).object("region");
        let line = region.and_then(|region| self.report.of(region).number("startLine"));
        let base = artifact.get("uriBaseId").and_then(Value::as_str);
        (Some(below_base(run, base, &path_of_uri(&uri))), line)
    }
}

/// A base that is a folder of the project belongs to the path; where the project itself
/// lies does not.
fn below_base(run: &Run, base: Option<&str>, path: &str) -> String {
    let base = base.and_then(|base| run.bases.get(base)?.get("uri")?.as_str());
    match base.map(path_of_uri).filter(|base| !base.is_empty() && !base.contains("://")) {
        Some(base) if !base.starts_with('/') && !path.starts_with('/') => {
            format!("{}/{path}", base.trim_end_matches('/'))
        }
        _ => path.to_owned(),
    }
}

/// Suppressed, and nobody refused that.
fn is_suppressed(result: &Object) -> bool {
    let suppressions = result.get("suppressions").and_then(Value::as_array);
    suppressions.into_iter().flatten().any(|suppression| {
        let status = suppression.get("status").or_else(|| suppression.get("state"));
        !matches!(status.and_then(Value::as_str), Some("rejected" | "underReview"))
    })
}

/// What the tool itself recognizes a result by, in an order that does not depend on it.
fn fingerprint(author: &str, result: &Object) -> Option<String> {
    let named = |name: &str| {
        let all = result.get(name)?.as_object()?;
        let mut pairs: Vec<(&String, &str)> =
            all.iter().filter_map(|(key, value)| Some((key, value.as_str()?))).collect();
        pairs.retain(|(_, value)| !value.trim().is_empty());
        pairs.sort();
        let texts: Vec<String> =
            pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
        (!texts.is_empty()).then(|| format!("{author} {}", texts.join(" ")))
    };
    named("fingerprints").or_else(|| named("partialFingerprints"))
}
