//! What does a SARIF 2.1.0 report state? One run of it is one tool that looked. Results may
//! stand before the rules that they point to, so they are kept small until their run ends.

mod rules;

use std::collections::BTreeSet;
use std::io::{self, Read};

use hardwon_core::event::FindingStated;
use hardwon_core::finding::{FindingState, Grade};
use hardwon_core::list;
use hardwon_core::run::Outcome;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use crate::fields::Fields;
use crate::json::Object;
use crate::report::{MAX_FINDINGS, Report, path_of_uri, shortened};
use crate::stream::{Document, MAX_STRING_BYTES, Part, Shape};
use rules::{broken_rule, filled, repair, rule_of, rules};

const RESULTS: &str = "field \"results\"";

static RUN: Shape = Shape::Fields(
    "a run",
    &["tool", "automationDetails", "invocations", "originalUriBaseIds"],
    &[("results", Shape::Items(RESULTS, &Shape::Whole("result")))],
);

static DOCUMENT: Document = Document {
    shape: &Shape::Fields("the document", &[], &[("runs", Shape::Items("field \"runs\"", &RUN))]),
    fields: list!("fields.txt", "sarif"),
    open: list!("fields.txt", "sarif open"),
    max_string: MAX_STRING_BYTES,
};

pub fn read(reader: &mut dyn Read, report: &mut Report) -> io::Result<()> {
    let (mut run, mut n_runs) = (Run::default(), 0);
    let end = report.walk(reader, &DOCUMENT, |report, part, line| match part {
        Part::Begin("a run") => {
            n_runs += 1;
            run.number = n_runs;
        }
        Part::Begin(RESULTS) => run.has_results = true,
        Part::Whole("tool", value) => {
            run.has_looked = true;
            run.tool = value;
        }
        Part::Whole("originalUriBaseIds", value) => run.bases = value,
        Part::Whole("result", value) => run.result(report, value, line),
        Part::Whole("automationDetails", value) => automation(report, &value),
        Part::Whole("invocations", value) => run.invocations(report, &value),
        Part::End("a run") => std::mem::take(&mut run).finish(report),
        _ => {}
    })?;
    // What a run states before it is cut off counts.
    run.finish(report);
    report.ended(end, 0);
    Ok(())
}

/// One run of the report, until it ends.
#[derive(Default)]
struct Run {
    /// From 1; 0 outside of runs.
    number: u64,
    /// Has a tool or results, so something looked.
    has_looked: bool,
    tool: Value,
    bases: Value,
    n_results: u64,
    results: Vec<(u64, u64, Object)>,
    /// The list is there, though it may be empty.
    has_results: bool,
    /// The tool says that it could not do its work.
    has_failed: bool,
}

/// The id of the whole: `nightly/2026-05-11` names a run, `nightly/` only a sort of run.
fn automation(report: &mut Report, value: &Value) {
    let id = value["id"].as_str().unwrap_or_default();
    if !id.is_empty() && !id.ends_with('/') {
        report.run().id.get_or_insert_with(|| id.replace('/', "-"));
    }
}

impl Run {
    fn result(&mut self, report: &mut Report, value: Value, line: u64) {
        self.has_looked = true;
        self.n_results += 1;
        let number = self.n_results;
        let Value::Object(mut object) = value else {
            let reason = format!("result {number} of run {}: not an object", self.number);
            return report.notes.put_finding_aside(reason);
        };
        if self.results.len() >= MAX_FINDINGS {
            return report.left_out(1);
        }
        // Only the first place is read, and long texts are cut before they wait.
        if let Some(Value::Array(locations)) = object.get_mut("locations") {
            locations.truncate(1);
            locations.shrink_to_fit();
        }
        if let Some(Value::String(text)) = object.get_mut("message").and_then(|m| m.get_mut("text"))
        {
            *text = shortened(text);
        }
        self.results.push((line, number, object));
    }

    fn invocations(&mut self, report: &mut Report, value: &Value) {
        for invocation in value.as_array().into_iter().flatten() {
            let time = |name: &str| invocation[name].as_str().and_then(Timestamp::parse);
            let (started, finished) = (time("startTimeUtc"), time("endTimeUtc"));
            if started.is_some() || finished.is_some() {
                let run = report.run();
                run.started = run.started.into_iter().chain(started).min();
                run.finished = run.finished.into_iter().chain(finished).max();
            }
            if invocation["executionSuccessful"] == false {
                self.has_failed = true;
                report.outcome(Outcome::Failed);
            }
        }
    }

    fn finish(self, report: &mut Report) {
        if self.number == 0 {
            return;
        }
        let name = self.tool.pointer("/driver/name").and_then(Value::as_str).map(str::trim);
        let author = name.filter(|name| !name.is_empty()).unwrap_or("sarif");
        if self.has_looked {
            report.looked(author);
            self.reach(report, author);
        }
        for (line, number, object) in &self.results {
            report.notes.go_to(*line);
            report.notes.enter(Some(format!("result {number} of run {}", self.number)));
            let finding = self.finding(author, report.fields(object), object);
            finding.into_iter().for_each(|finding| report.finding(finding));
        }
        report.notes.enter(None);
    }

    /// How far the tool looked. One that lists rules without a result lists what it looked
    /// for; else it is taken to look for everything each time. One that compares with a
    /// baseline says itself what is gone.
    fn reach(&self, report: &mut Report, author: &str) {
        let is_compared = |(_, _, result): &(_, _, Object)| result.contains_key("baselineState");
        if self.has_failed {
            report.is_partial = true;
        }
        // A tool that states no list of results has not looked.
        if !self.has_results || self.results.iter().any(is_compared) {
            return;
        }
        let broken: BTreeSet<&str> =
            self.results.iter().filter_map(|(_, _, result)| broken_rule(self, result)).collect();
        let rules = rules(self);
        let reach = report.reach(author);
        if rules.iter().any(|rule| !broken.contains(rule)) {
            reach.rules.extend(rules.into_iter().map(str::to_owned))
        } else {
            reach.is_whole = true
        }
    }

    fn finding(&self, author: &str, fields: Fields<'_>, result: &Object) -> Option<FindingStated> {
        let kind = fields.silent("kind").unwrap_or("fail");
        if matches!(kind, "pass" | "notApplicable") {
            return None;
        }
        let rule = rule_of(self, result);
        let Some(text) = self.message(rule, fields) else {
            fields.notes.put_finding_aside("a result without a message");
            return None;
        };
        let (path, line) = self.place(fields);
        let is_gone = fields.text("baselineState").as_deref() == Some("absent");
        let state = if is_suppressed(fields) {
            Some(FindingState::Dismissed)
        } else {
            is_gone.then_some(FindingState::Fixed)
        };
        let within = || result.get("rule")?["id"].as_str();
        let id = || within().or_else(|| rule?["id"].as_str()).map(str::to_owned);
        Some(FindingStated {
            author: Some(author.to_owned()),
            severity: Some(level(rule, fields, kind).to_owned()),
            rule: fields.words("ruleId").or_else(id),
            text,
            grade: path.as_ref().map(|_| Grade::Cited),
            path,
            line,
            state,
            fingerprint: fingerprint(author, fields),
            repair: repair(rule, fields),
            is_gone,
            ..FindingStated::default()
        })
    }

    /// The words of a result, or those of its rule with the result's arguments in them.
    fn message(&self, rule: Option<&Value>, result: Fields<'_>) -> Option<String> {
        let message = result.object("message")?;
        let text = message.words("text").or_else(|| {
            let id = message.words("id")?;
            let of_rule = rule.and_then(|rule| rule.get("messageStrings")?.get(&id));
            let text = of_rule.or_else(|| self.tool.pointer("/driver/messageStrings")?.get(&id));
            text?["text"].as_str().map(str::to_owned)
        })?;
        let arguments = message.value("arguments").and_then(Value::as_array);
        Some(filled(&text, arguments.map(Vec::as_slice).unwrap_or_default()))
    }

    fn place(&self, result: Fields<'_>) -> (Option<String>, Option<u32>) {
        let first = result.list("locations").unwrap_or_default().first();
        let first = first.and_then(Value::as_object).map(|first| Fields::new(first, result.notes));
        let place = first.and_then(|first| {
            let physical = first.object("physicalLocation")?;
            let artifact = physical.object("artifactLocation")?;
            let path = path_of_uri(&artifact.words("uri")?);
            let line = physical.inside("region").number("startLine");
            Some((below_base(self, artifact.silent("uriBaseId"), &path), line))
        });
        place.map_or((None, None), |(path, line)| (Some(path), line))
    }
}

/// The result's own level, or else its rule's, or else what the standard says.
fn level(rule: Option<&Value>, result: Fields<'_>, kind: &str) -> &'static str {
    let stated = result.text("level");
    let is_fail = kind == "fail";
    let default = rule
        .filter(|_| is_fail)
        .and_then(|rule| rule.pointer("/defaultConfiguration/level")?.as_str().map(str::to_owned));
    let none = if is_fail { "warning" } else { "none" };
    match stated.or(default).as_deref().unwrap_or(none) {
        "error" => "error",
        "note" | "none" => "info",
        "warning" => "warning",
        _ => {
            result.notes.problem("field \"level\" is not a known one; taken as warning");
            "warning"
        }
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

/// Suppressed, and the suppression was not refused.
fn is_suppressed(result: Fields<'_>) -> bool {
    let suppressions = result.value("suppressions").and_then(Value::as_array);
    suppressions.into_iter().flatten().any(|suppression| {
        let status = suppression.get("status").or_else(|| suppression.get("state"));
        !matches!(status.and_then(Value::as_str), Some("rejected" | "underReview"))
    })
}

/// What the tool itself recognizes a result by, in an order that does not depend on it.
fn fingerprint(author: &str, result: Fields<'_>) -> Option<String> {
    let named = |name: &str| {
        let all = result.value(name)?.as_object()?;
        let pairs = all.iter().filter_map(|(key, value)| Some((key, value.as_str()?)));
        let mut pairs: Vec<_> = pairs.filter(|(_, value)| !value.trim().is_empty()).collect();
        pairs.sort();
        let texts = pairs.iter().map(|(key, value)| format!(" {key}={value}"));
        (!pairs.is_empty()).then(|| format!("{author}{}", texts.collect::<String>()))
    };
    named("fingerprints").or_else(|| named("partialFingerprints"))
}
