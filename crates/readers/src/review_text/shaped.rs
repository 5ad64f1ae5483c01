//! What does the machine-readable part of a message say? A verdict in an HTML comment, or
//! the review output of Codex as the whole message or in a fence.

use hardwon_core::event::{FindingStated, VerdictStated};
use hardwon_core::finding::Severity;
use serde_json::Value;

use super::{Review, Reviewer, finding, place, severity};
use crate::json::{self, Object};

const MAX_DEPTH: usize = 32;

/// What the first part that can be read says.
pub fn review(message: &str, by: &Reviewer<'_>) -> Option<Review> {
    let verdict = comments(message).find_map(|comment| of_verdict(&object_in(comment)?, by));
    verdict.or_else(|| of_output(&object_in(message)?, by))
}

/// What stands in the HTML comments of a message.
fn comments(message: &str) -> impl Iterator<Item = &str> {
    let starts = message.match_indices("<!--").map(|(at, mark)| &message[at + mark.len()..]);
    starts.filter_map(|rest| rest.split_once("-->").map(|(inside, _)| inside))
}

/// The object between the first brace and the last one.
fn object_in(text: &str) -> Option<Object> {
    let (from, to) = (text.find('{')?, text.rfind('}')?);
    let object = json::parse(text.get(from..=to)?, MAX_DEPTH).ok()?;
    Some(object.object)
}

fn text<'v>(object: &'v Object, names: &[&str]) -> Option<&'v str> {
    let texts = names.iter().filter_map(|name| object.get(*name)?.as_str());
    texts.map(str::trim).find(|text| !text.is_empty())
}

fn list<'v>(object: &'v Object, name: &str) -> Option<&'v Vec<Value>> {
    object.get(name)?.as_array()
}

/// `verdict`, `issues`, `must_fix`, `false_positives`. Who fails the work and names nothing
/// that must be fixed lets it pass.
fn of_verdict(object: &Object, by: &Reviewer<'_>) -> Option<Review> {
    let word = text(object, &["verdict"])?.to_lowercase();
    let must_fix = list(object, "must_fix");
    let is_fail = word.starts_with("fail") || word.starts_with("reject");
    let is_pass = word.starts_with("pass") || word.starts_with("approve");
    let is_pass = match (is_fail, is_pass) {
        (true, _) => Some(must_fix.is_some_and(Vec::is_empty)),
        (false, true) => Some(true),
        (false, false) => None,
    };
    let issues = list(object, "issues").into_iter().flatten().filter_map(Value::as_object);
    let said = list(object, "false_positives").into_iter().flatten();
    let false_positives = said.filter_map(|said| match said {
        Value::String(text) => Some(text.clone()),
        Value::Object(object) => text(object, &["summary", "text", "title"]).map(str::to_owned),
        _ => None,
    });
    let verdict = VerdictStated {
        author: by.name.to_owned(),
        is_pass,
        false_positives: false_positives.collect(),
        ..VerdictStated::default()
    };
    let findings = issues.filter_map(|issue| of_issue(issue, by)).collect();
    Some(Review { findings, verdict: Some(verdict) })
}

fn of_issue(issue: &Object, by: &Reviewer<'_>) -> Option<FindingStated> {
    let said = text(issue, &["summary", "text", "title", "description"])?;
    let worst = text(issue, &["severity"]).and_then(severity).unwrap_or(Severity::Warning);
    let place = text(issue, &["location", "file", "path"]).and_then(place::place);
    let mut finding = finding(by, worst, said, place)?;
    finding.category = text(issue, &["category"]).map(str::to_owned);
    finding.evidence = text(issue, &["evidence", "root_cause"]).map(str::to_owned);
    Some(finding)
}

/// `findings` with `title`, `body`, `priority`, `code_location`; `overall_correctness`.
fn of_output(object: &Object, by: &Reviewer<'_>) -> Option<Review> {
    let findings = list(object, "findings")?;
    let correctness = text(object, &["overall_correctness"]);
    let objects = || findings.iter().filter_map(Value::as_object);
    let is_output = correctness.is_some() || objects().any(|f| f.contains_key("code_location"));
    if !is_output {
        return None;
    }
    let is_pass = correctness.map(|word| !word.to_lowercase().contains("incorrect"));
    let author = by.name.to_owned();
    let verdict = is_pass.map(|pass| VerdictStated {
        author,
        is_pass: Some(pass),
        ..VerdictStated::default()
    });
    let findings = objects().filter_map(|finding| of_codex(finding, by)).collect();
    Some(Review { findings, verdict })
}

fn of_codex(object: &Object, by: &Reviewer<'_>) -> Option<FindingStated> {
    let title = text(object, &["title"])?;
    let (mark, said) = match title.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((mark, said)) => (severity(mark), said),
        None => (None, title),
    };
    let stated = object.get("priority").and_then(Value::as_u64);
    let stated = stated.and_then(|number| severity(&format!("p{number}")));
    let at = object.get("code_location").and_then(Value::as_object);
    let path = at.and_then(|at| text(at, &["absolute_file_path", "file_path", "path"]));
    let lines = at.and_then(|at| at.get("line_range")?.get("start")?.as_u64());
    let line = lines.and_then(|line| u32::try_from(line).ok());
    let place = path.map(|path| (path.to_owned(), line));
    let worst = stated.or(mark).unwrap_or(Severity::Warning);
    let mut finding = finding(by, worst, said, place)?;
    finding.evidence = text(object, &["body"]).map(str::to_owned);
    Some(finding)
}
