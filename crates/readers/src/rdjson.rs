//! What do reviewdog's diagnostics state? One document with a list of them (rdjson), or one
//! a line (rdjsonl).

use std::io::{self, Read};

use hardwon_core::event::FindingStated;
use hardwon_core::finding::Grade;
use hardwon_core::list;
use serde_json::Value;

use crate::fields::Fields;
use crate::json::Object;
use crate::report::{MAX_FINDINGS, Report, path_of_uri, shortened};
use crate::stream::{Document, MAX_STRING_BYTES, Part, Shape};

/// The author of diagnostics that name none.
const UNNAMED: &str = "reviewdog";

const DIAGNOSTICS: &str = "field \"diagnostics\"";

const LIST: Shape = Shape::Items(DIAGNOSTICS, &Shape::Whole("diagnostic"));

static DOCUMENT: Document = Document {
    shape: &Shape::Fields("the document", &["source", "severity"], &[("diagnostics", LIST)]),
    fields: list!("fields.txt", "rdjson"),
    open: &[],
    max_string: MAX_STRING_BYTES,
};

pub fn is_line(object: &Object) -> bool {
    let has_path = object.get("location").is_some_and(|at| at["path"].is_string());
    object.get("message").is_some_and(Value::is_string) && has_path
}

pub fn read(reader: &mut dyn Read, report: &mut Report) -> io::Result<()> {
    let (mut author, mut level) = (None, None);
    // Findings with their lines, until author and severity of the document are known.
    let mut waiting: Vec<(u64, FindingStated)> = Vec::new();
    let (mut n, mut has_list) = (0, false);
    let end = report.walk(reader, &DOCUMENT, |report, part, line| match part {
        Part::Whole("source", value) => author = value["name"].as_str().map(str::to_owned),
        Part::Whole("severity", value) => level = value.as_str().map(severity),
        Part::Whole(_, value) => {
            n += 1;
            report.notes.enter(Some(format!("diagnostic {n}")));
            let stated = report.object(&value, "a diagnostic").and_then(finding);
            if waiting.len() < MAX_FINDINGS {
                waiting.extend(stated.map(|stated| (line, stated)));
            } else {
                report.left_out(u64::from(stated.is_some()));
            }
        }
        Part::Begin(name) => has_list |= name == DIAGNOSTICS,
        _ => {}
    })?;
    let author = author.unwrap_or_else(|| UNNAMED.to_owned());
    if has_list {
        report.looked(&author);
    }
    for (line, mut stated) in waiting {
        report.notes.go_to(line);
        stated.author.get_or_insert_with(|| author.clone());
        stated.severity.get_or_insert_with(|| level.unwrap_or("warning").to_owned());
        report.finding(stated);
    }
    report.ended(end, 0);
    Ok(())
}

/// One diagnostic; author and severity only where it has its own.
fn finding(fields: Fields<'_>) -> Option<FindingStated> {
    let text = fields.finding_words("message", "a diagnostic without \"message\"")?;
    let severity = fields.words("severity").map(|word| severity(&word).to_owned());
    let author = fields.inside("source").words("name");
    let rule = fields.inside("code").words("value");
    let location = fields.inside("location");
    let path = location.words("path").map(|path| path_of_uri(&path));
    Some(FindingStated {
        author,
        severity,
        rule,
        text: shortened(&text),
        line: location.inside("range").inside("start").number("line"),
        grade: path.as_ref().map(|_| Grade::Cited),
        path,
        ..FindingStated::default()
    })
}

/// One line; it always has an author and a severity.
pub fn line(fields: Fields<'_>) -> Option<FindingStated> {
    let mut stated = finding(fields)?;
    stated.author.get_or_insert_with(|| UNNAMED.to_owned());
    stated.severity.get_or_insert_with(|| "warning".to_owned());
    Some(stated)
}

fn severity(word: &str) -> &'static str {
    match word.trim().to_ascii_uppercase().as_str() {
        "ERROR" => "error",
        "INFO" => "info",
        _ => "warning",
    }
}
