//! What did somebody try to repair an issue? Read leniently: which names the fields of a diagnosis
//! have is not published, so that all usual ones are understood, in any spelling.

use hardwon_core::event::{AttemptResult, AttemptStated};
use serde_json::Value;

use super::role::issue_in;
use crate::json::Object;
use crate::report::{first_lines, shortened};

const MAX_FILES: usize = 200;

/// What is known beside the diagnosis itself.
#[derive(Clone, Debug, Default)]
pub struct Known {
    pub role: String,
    pub issue: Option<String>,
    pub iteration: Option<u32>,
}

/// The attempt of a diagnosis, of the verdict beside it, or of both, with the report around them.
pub fn attempt(
    diagnosis: Option<&Object>,
    verdict: Option<&Object>,
    report: &str,
    known: &Known,
) -> Result<AttemptStated, &'static str> {
    let both: Vec<&Object> = diagnosis.into_iter().chain(verdict).collect();
    let named = |names: &str| both.iter().find_map(|object| words(object, names));
    let issue = both.iter().find_map(|object| issue_in(object, ISSUES));
    let issue = issue.or_else(|| known.issue.clone());
    let issue = issue.ok_or("an attempt that names no issue was put aside")?;
    let cause = named("rootcause rootcauseconfirmed confirmedrootcause cause diagnosis");
    let approach = named("approach approachtaken strategy fix fixapplied solution change summary");
    let guess = || named("hypotheses hypothesesexplored hypothesis");
    let said =
        || Some(first_lines(report.trim_start_matches('#'), 1)).filter(|line| !line.is_empty());
    let approach = approach.or_else(guess).or_else(|| cause.clone()).or_else(said);
    let approach = approach.ok_or("an attempt that does not say what was tried was put aside")?;
    let failed = named("whatfailed failed failures why reason error");
    let why = match (failed, cause) {
        (Some(failed), Some(cause)) => Some(format!("{failed}; cause: {cause}")),
        (Some(failed), None) => Some(failed),
        (None, cause) => cause,
    };
    let result = "result verdict status outcome";
    let result = both.iter().find_map(|object| attempt_result(&words(object, result)?));
    let iteration = both.iter().find_map(|object| {
        let number = field(object, "iteration iter attempt attemptnumber")?;
        let number = number.as_u64().or_else(|| number.as_str()?.trim().parse().ok());
        u32::try_from(number?).ok()
    });
    Ok(AttemptStated {
        role: Some(known.role.clone()),
        issue,
        iteration: iteration.or(known.iteration),
        approach: shortened(&approach),
        files: both.iter().find_map(|object| files(object)).unwrap_or_default(),
        result,
        why: why.as_deref().map(shortened),
        next: named("next nextstep nextsteps nextiteration whattotrynext trynext recommendation")
            .as_deref()
            .map(shortened),
        at: None,
    })
}

const ISSUES: &[&str] = &["issue", "issue_number", "issue_id", "issueNumber", "ticket"];

/// What came of an attempt, by the words that are in use.
pub fn attempt_result(word: &str) -> Option<AttemptResult> {
    let word = word.trim().to_lowercase();
    let begins = |all: &str| all.split(' ').any(|known| word.starts_with(known));
    if begins("partial some mostly") {
        Some(AttemptResult::Partial)
    } else if begins("fail block no unfix unresolved reject revert worse abandon") {
        Some(AttemptResult::Failed)
    } else if begins("fixed work success succe pass resolved done complete") {
        Some(AttemptResult::Worked)
    } else {
        None
    }
}

/// The first field of one of these names, which are compared without case and marks.
fn field<'v>(object: &'v Object, names: &str) -> Option<&'v Value> {
    let plain = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
    };
    names.split(' ').find_map(|name| {
        let is_it = |(key, value): &(&String, &Value)| plain(key) == name && !value.is_null();
        object.iter().find(is_it).map(|(_, value)| value)
    })
}

/// What a field says: a text, a list of them, or an object of them.
fn words(object: &Object, names: &str) -> Option<String> {
    let said = |name: &str| Some(spoken(field(object, name)?)).filter(|text| !text.is_empty());
    names.split(' ').find_map(said)
}

fn spoken(value: &Value) -> String {
    let texts = |values: &mut dyn Iterator<Item = &Value>| {
        let texts: Vec<String> = values.take(20).map(spoken_shallow).collect();
        texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
    };
    match value {
        Value::Array(items) => texts(&mut items.iter()),
        Value::Object(object) => texts(&mut object.values()),
        other => spoken_shallow(other),
    }
}

/// A text, or the texts of an object in a list.
fn spoken_shallow(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Object(object) => {
            let texts: Vec<&str> =
                object.values().filter_map(Value::as_str).map(str::trim).collect();
            texts.join(" - ")
        }
        _ => String::new(),
    }
}

fn files(object: &Object) -> Option<Vec<String>> {
    let names = "files fileschanged filesmodified changedfiles modifiedfiles";
    let files = field(object, names)?.as_array()?.iter();
    let path =
        |file: &Value| file.as_str().or_else(|| file.get("path")?.as_str()).map(str::to_owned);
    Some(files.filter_map(path).take(MAX_FILES).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn told(diagnosis: &str, verdict: &str, report: &str) -> String {
        let object = |text: &str| parse(text, 16).ok().map(|parsed| parsed.object);
        let known = Known { role: "doctor".to_owned(), issue: None, iteration: Some(3) };
        let (diagnosis, verdict) = (object(diagnosis), object(verdict));
        match attempt(diagnosis.as_ref(), verdict.as_ref(), report, &known) {
            Ok(it) => {
                let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
                let result = it.result.map_or("-", AttemptResult::word);
                let n = it.iteration.unwrap_or(0);
                let files = it.files.join(",");
                let (why, next) = (or(&it.why), or(&it.next));
                format!("{} {n} {result} [{files}] {} | {why} | {next}", it.issue, it.approach)
            }
            Err(reason) => reason.to_owned(),
        }
    }

    #[test]
    fn a_diagnosis_is_read_by_any_usual_names() {
        let cases = [
            (
                r##"{"issue":"#12","iteration":2,"root_cause":"stale cache","approach":"flush on write","what_failed":"races with readers","next":"lock the page"}"##,
                r#"{"verdict":"BLOCKED","files_changed":["a.rs","b.rs"]}"#,
                "",
                "12 2 failed [a.rs,b.rs] flush on write | races with readers; cause: stale cache | lock the page",
            ),
            (
                r#"{"Issue":7,"issue":7,"rootCauseConfirmed":true,"hypotheses":[{"hypothesis":"a","status":"refuted"},"b"],"nextSteps":["x","y"]}"#,
                r#"{"verdict":"PARTIAL"}"#,
                "",
                "7 3 partial [] a - refuted; b | - | x; y",
            ),
            (
                "",
                r#"{"issue":"issue-9","verdict":"FIXED"}"#,
                "## Bound the queue\nand more",
                "9 3 worked [] Bound the queue | - | -",
            ),
            (r#"{"approach":"x"}"#, "", "", "an attempt that names no issue was put aside"),
            (r#"{"issue":3}"#, "", "", "an attempt that does not say what was tried was put aside"),
            (
                r#"{"issue":3,"approach":["a","b"],"result":"odd","iteration":"4"}"#,
                "",
                "",
                "3 4 - [] a; b | - | -",
            ),
        ];
        for (diagnosis, verdict, report, expected) in cases {
            assert_eq!(told(diagnosis, verdict, report), expected, "{diagnosis}");
        }
    }
}
