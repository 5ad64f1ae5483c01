//! What does ESLint's JSON state? A list of files, each with its messages.

use std::io::{self, Read};

use hardwon_core::event::FindingStated;
use hardwon_core::finding::{FindingState, Grade};
use hardwon_core::list;
use serde_json::Value;

use crate::fields::Fields;
use crate::report::{MAX_FILES, Report, path_of_uri};
use crate::stream::{Document, MAX_STRING_BYTES, Part, Shape};

const AUTHOR: &str = "eslint";

static DOCUMENT: Document = Document {
    shape: &Shape::Items("the document", &Shape::Whole("file")),
    fields: list!("fields.txt", "eslint"),
    open: &[],
    max_string: MAX_STRING_BYTES,
};

pub fn read(reader: &mut dyn Read, report: &mut Report) -> io::Result<()> {
    let (mut n, mut n_files, mut is_list) = (0, 0, false);
    let end = report.walk(reader, &DOCUMENT, |report, part, _| match part {
        Part::Whole(_, value) => {
            n += 1;
            n_files += u64::from(value["filePath"].is_string());
            report.notes.enter(Some(format!("file {n}")));
            file(report, &value);
        }
        _ => is_list = true,
    })?;
    report.notes.go_to(0);
    // A list of other things says nothing of what was looked at.
    if is_list && (n == 0 || n_files > 0) {
        report.looked(AUTHOR);
    }
    report.ended(end, 0);
    Ok(())
}

fn file(report: &mut Report, value: &Value) {
    let Some(file) = report.object(value, "a file") else { return };
    let path = file.words("filePath").map(|path| path_of_uri(&path));
    let mut findings = messages(file, "messages", &path, None);
    findings.extend(messages(file, "suppressedMessages", &path, Some(FindingState::Dismissed)));
    // A file that could not be parsed was not looked into.
    let is_fatal = |message: &Value| message["fatal"] == true;
    let messages = file.value("messages").and_then(Value::as_array);
    let has_looked = messages.is_some_and(|messages| !messages.iter().any(is_fatal));
    findings.into_iter().for_each(|finding| report.finding(finding));
    let files = &mut report.reach(AUTHOR).files;
    files.extend(path.filter(|_| has_looked && files.len() < MAX_FILES));
}

fn messages(
    file: Fields<'_>,
    name: &str,
    path: &Option<String>,
    state: Option<FindingState>,
) -> Vec<FindingStated> {
    let finding = |message: &Value| {
        let Some(message) = message.as_object() else {
            file.notes.put_finding_aside("a message is not an object");
            return None;
        };
        let message = Fields::new(message, file.notes);
        let text = message.finding_words("message", "a message without words")?;
        let severity = match message.number("severity") {
            Some(2) => "error",
            Some(0) => "info",
            _ => "warning",
        };
        Some(FindingStated {
            author: Some(AUTHOR.to_owned()),
            severity: Some(severity.to_owned()),
            rule: message.words("ruleId"),
            text,
            path: path.clone(),
            line: message.number("line").filter(|line| *line > 0),
            grade: path.as_ref().map(|_| Grade::Cited),
            state,
            repair: suggestion(message),
            ..FindingStated::default()
        })
    };
    file.list(name).unwrap_or_default().iter().filter_map(finding).collect()
}

/// The first of the changes that the rule offers, in words.
fn suggestion(message: Fields<'_>) -> Option<String> {
    let first = message.value("suggestions")?.get(0)?;
    first["desc"].as_str().map(str::to_owned)
}
