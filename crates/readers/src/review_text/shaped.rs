//! The machine-readable part of a message: a verdict in an HTML comment, or a verdict with a list
//! or the review output of Codex as the whole message, bare or in a fence.

use hardwon_core::event::{FindingStated, VerdictStated};
use hardwon_core::finding::{FindingState, Severity};
use serde_json::Value;

use super::graded::graded;
use super::layouts::led;
use super::table::status;
use super::verdict::is_pass;
use super::{Review, Reviewer, finding, place, severity};
use crate::fields::REPAIRS;
use crate::json::{self, Object};

const MAX_DEPTH: usize = 32;

const MAX_TRIED: usize = 16;

/// What the first part that can be read says.
pub fn review(message: &str, by: &Reviewer<'_>) -> Option<Review> {
    let verdict = comments(message).find_map(|comment| read_verdict(&object_in(comment)?, by));
    verdict.or_else(|| objects(message).iter().find_map(|object| read_object(object, message, by)))
}

/// The objects that begin at the start of a line, fenced or bare, or the one between the
/// first brace and the last.
fn objects(message: &str) -> Vec<Object> {
    let mut found: Vec<Object> = Vec::new();
    let (mut at, mut done) = (0, 0);
    for line in message.split_inclusive('\n') {
        if at >= done && line.trim_start().starts_with(['{', '[']) && found.len() < MAX_TRIED {
            let values = serde_json::Deserializer::from_str(&message[at..]);
            let mut values = values.into_iter::<Value>();
            let object = match values.next() {
                Some(Ok(Value::Object(object))) => Some(object),
                Some(Ok(list @ Value::Array(_))) if are_objects(&list) => {
                    Some(Object::from_iter([("findings".to_owned(), list)]))
                }
                _ => None,
            };
            if let Some(object) = object {
                done = at + values.byte_offset();
                found.push(object);
            }
        }
        at += line.len();
    }
    found.extend(object_in(message).filter(|_| found.is_empty()));
    found
}

/// Whether a list holds objects and nothing else: a bare list of findings.
fn are_objects(list: &Value) -> bool {
    list.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(Value::is_object))
}

/// The output of a review program, or a verdict with a list. A verdict somewhere in a message
/// counts if its author is there to give one; else it has to be the whole message.
fn read_object(object: &Object, message: &str, by: &Reviewer<'_>) -> Option<Review> {
    let is_around = |c: char| c.is_whitespace() || c == '`';
    let bare = message.trim_matches(is_around);
    let bare = bare.strip_prefix("json").unwrap_or(bare).trim_start();
    let is_whole = bare.starts_with(['{', '[']) && bare.ends_with(['}', ']']);
    let has_list = LISTS.iter().any(|name| list(object, name).is_some());
    let verdict = || read_verdict(object, by).filter(|_| has_list && (is_whole || by.is_reviewer));
    let listed = || read_list(object, by).filter(|_| is_whole || by.is_reviewer);
    read_codex_output(object, by).or_else(verdict).or_else(listed)
}

/// A list without a verdict, if everything in it has a place, and a severity or what else only a
/// review has. A reviewer's list that is empty says that nothing was found.
fn read_list(object: &Object, by: &Reviewer<'_>) -> Option<Review> {
    let names = if by.is_reviewer { LISTS } else { &["issues", "findings"] };
    let issues = names.iter().find_map(|name| list(object, name))?;
    let is_graded = |issue: &Object| {
        let grades = ["severity", "level", "priority", "failure_scenario"];
        by.is_reviewer || grades.iter().any(|name| issue.contains_key(*name))
    };
    let is_issue = |issue: &Value| {
        let issue = issue.as_object();
        issue.is_some_and(|issue| is_graded(issue) && place_of(issue).is_some())
    };
    if issues.is_empty() {
        let author = by.name.to_owned();
        let verdict = VerdictStated { author, is_pass: Some(true), ..VerdictStated::default() };
        return by.is_reviewer.then_some(Review { findings: Vec::new(), verdict: Some(verdict) });
    }
    let findings = || issues.iter().filter_map(|issue| read_issue(issue, by)).collect();
    issues.iter().all(is_issue).then(|| Review { findings: findings(), verdict: None })
}

/// What the list of what was found is called.
const LISTS: &[&str] = &["issues", "findings", "must_fix", "problems", "comments"];

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

/// A verdict for programs, and how many issues are listed in it.
pub fn verdict_in(object: &Object, by: &Reviewer<'_>) -> Option<(Review, usize)> {
    let issues = ["issues", "findings", "problems", "comments"];
    let n_issues = issues.iter().find_map(|name| list(object, name)).map_or(0, Vec::len);
    read_verdict(object, by).map(|review| (review, n_issues))
}

/// `verdict` or `decision`; `issues` or `findings`, `must_fix`, `false_positives`. Work that
/// failed with nothing that must be fixed has passed.
fn read_verdict(object: &Object, by: &Reviewer<'_>) -> Option<Review> {
    let word = text(object, &["verdict", "decision", "approval"])?.to_lowercase();
    let must_fix = list(object, "must_fix");
    let is_pass = is_pass(&word).map(|pass| pass || must_fix.is_some_and(Vec::is_empty));
    let issues = ["issues", "findings", "problems", "comments"];
    let issues = issues.iter().find_map(|name| list(object, name)).into_iter().flatten();
    let false_positives = list(object, "false_positives").into_iter().flatten();
    let false_positives = false_positives.filter_map(|one| match one {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(object) => match (id(object), text(object, &["summary", "text", "title"])) {
            (Some(id), Some(words)) => Some(format!("{id}: {words}")),
            (id, words) => id.or_else(|| words.map(str::to_owned)),
        },
        _ => None,
    });
    let verdict = VerdictStated {
        author: by.name.to_owned(),
        is_pass,
        false_positives: false_positives.collect(),
        ..VerdictStated::default()
    };
    let findings = issues.filter_map(|issue| read_issue(issue, by)).collect();
    Some(Review { findings, verdict: Some(verdict) })
}

/// One issue: words with a place in them, or fields by the names that are in use.
fn read_issue(issue: &Value, by: &Reviewer<'_>) -> Option<FindingStated> {
    let Value::Object(issue) = issue else {
        let words = issue.as_str()?;
        let grade = graded(words).filter(|grade| grade.is_apart);
        let worst = grade.map_or(Severity::Warning, |grade| grade.severity);
        let (place, text) = led(grade.map_or(words, |grade| grade.rest));
        return finding(by, worst, text, place.or_else(|| place::first_place(text)));
    };
    let is_codex = issue.contains_key("code_location");
    let words = text(issue, if is_codex { &["title"] } else { &WORDS })?;
    // Codex puts a mark before its titles: `[P1] …`.
    let mark = graded(words).filter(|_| is_codex && words.starts_with('['));
    let worst = text(issue, &["severity", "level", "priority"]).and_then(severity);
    let number = || severity(&format!("p{}", issue.get("priority")?.as_u64()?));
    let worst = worst.or_else(number).or(mark.map(|mark| mark.severity));
    let words = mark.map_or(words, |mark| mark.rest);
    let mut finding = finding(by, worst.unwrap_or(Severity::Warning), words, place_of(issue))?;
    finding.id = id(issue);
    // A cause is a word of a list, or a sentence that argues for the finding.
    let cause = text(issue, &["root_cause"]);
    let named = cause.filter(|cause| !cause.contains(' '));
    finding.category = text(issue, &["category"]).or(named).map(str::to_owned);
    let argued = cause.filter(|_| named.is_none());
    let body = text(issue, &["body"]).filter(|_| is_codex);
    finding.evidence = text(issue, &["evidence"]).or(argued).or(body).map(str::to_owned);
    finding.repair = text(issue, &REPAIRS).map(str::to_owned);
    if let Some(state) = text(issue, &["status", "state", "outcome", "verdict"]).and_then(status) {
        (finding.state, finding.is_gone) = (Some(state), state == FindingState::Fixed);
    }
    Some(finding)
}

/// What the source calls a finding: a text or a number.
fn id(object: &Object) -> Option<String> {
    match object.get("id")? {
        Value::Number(number) => Some(number.to_string()),
        other => other.as_str().map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned),
    }
}

/// Fields that describe an issue, the shortest first.
const WORDS: [&str; 10] = [
    "summary",
    "text",
    "title",
    "message",
    "issue",
    "problem",
    "finding",
    "comment",
    "description",
    "body",
];

/// `location: "src/a.rs:3"`, `file` and `line`, or an object of them.
fn place_of(issue: &Object) -> Option<(String, Option<u32>)> {
    let inner = ["location", "place", "code_location"];
    let at = inner.iter().find_map(|name| issue.get(*name)?.as_object()).unwrap_or(issue);
    let number = |value: &Value| match value {
        Value::Number(number) => u32::try_from(number.as_u64()?).ok(),
        Value::String(text) => text.split(['-', '–', ':']).next()?.trim().parse().ok(),
        _ => None,
    };
    let line = ["line", "line_start", "start_line", "startLine", "lines", "line_number"];
    let line = line.iter().find_map(|name| number(at.get(*name)?));
    let names = ["location", "file", "path", "file_path", "filename", "place", "where"];
    let Some(words) = text(at, &names) else {
        // Codex names the whole path, and a range.
        let path = text(at, &["absolute_file_path"])?.to_owned();
        return Some((path, line.or_else(|| number(at.get("line_range")?.get("start")?))));
    };
    let is_location = text(at, &["location", "where"]) == Some(words);
    let found = place::place(words).or_else(|| place::first_place(words));
    // A field of that name holds a path, also one without an ending; a location may be the name
    // of a section.
    let is_path = !words.contains(' ') && (!is_location || words.contains(['/', '.', ':']));
    let found = found.or_else(|| is_path.then(|| (words.to_owned(), None)));
    found.map(|(path, stated)| (path, stated.or(line)))
}

/// `findings` with `title`, `body`, `priority`, `code_location`; `overall_correctness`.
fn read_codex_output(object: &Object, by: &Reviewer<'_>) -> Option<Review> {
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
    let findings = findings.iter().filter_map(|finding| read_issue(finding, by)).collect();
    Some(Review { findings, verdict })
}
