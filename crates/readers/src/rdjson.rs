//! What do reviewdog's diagnostics state? One document with a list of them (rdjson), or one
//! a line (rdjsonl).

use std::io::{self, Read};

use hardwon_core::event::FindingStated;
use hardwon_core::finding::Grade;
use hardwon_core::list;
use serde_json::Value;

use crate::fields::Fields;
use crate::json::Object;
use crate::notes::Notes;
use crate::report::{MAX_FINDINGS, Report, path_of_uri, shortened};
use crate::stream::{Document, MAX_STRING_BYTES, Shape, Take, walk};

/// The author of diagnostics that name none.
const UNNAMED: &str = "reviewdog";

const LIST: Shape = Shape::Items("field \"diagnostics\"", &Shape::Whole("diagnostic"));

static DOCUMENT: Document = Document {
    shape: &Shape::Fields("the document", &["source", "severity"], &[("diagnostics", LIST)]),
    fields: list!("fields.txt", "rdjson"),
    open: &[],
    max_string: MAX_STRING_BYTES,
};

/// Whether an object is one diagnostic.
pub fn is_line(object: &Object) -> bool {
    let has_path = object.get("location").is_some_and(|at| at["path"].is_string());
    object.get("message").is_some_and(Value::is_string) && has_path
}

pub fn read(reader: &mut dyn Read, report: &mut Report) -> io::Result<()> {
    let max_bytes = report.limits.input_bytes;
    let (waiting, n) = (Vec::new(), 0);
    let mut all = Diagnostics { report, author: None, severity: None, waiting, n, is_one: false };
    let end = walk(reader, max_bytes, &DOCUMENT, &mut all)?;
    all.finish();
    report.ended(end, 0);
    Ok(())
}

struct Diagnostics<'r> {
    report: &'r mut Report,
    author: Option<String>,
    severity: Option<String>,
    /// Findings with their lines, until author and severity of the document are known.
    waiting: Vec<(u64, FindingStated)>,
    n: u64,
    is_one: bool,
}

impl Take for Diagnostics<'_> {
    fn notes(&self) -> &Notes {
        &self.report.notes
    }

    fn begin(&mut self, _name: &str, _line: u64) {
        self.is_one = true;
    }

    fn value(&mut self, name: &str, value: Value, line: u64) {
        self.report.notes.go_to(line);
        match name {
            "source" => self.author = value["name"].as_str().map(str::to_owned),
            "severity" => self.severity = value.as_str().map(str::to_owned),
            _ => self.diagnostic(&value, line),
        }
    }
}

impl Diagnostics<'_> {
    fn diagnostic(&mut self, value: &Value, line: u64) {
        self.n += 1;
        self.report.notes.enter(Some(format!("diagnostic {}", self.n)));
        let stated = self.report.object(value, "a diagnostic").and_then(finding);
        self.report.notes.enter(None);
        if self.waiting.len() < MAX_FINDINGS {
            self.waiting.extend(stated.map(|stated| (line, stated)));
        } else {
            self.report.left_out(u64::from(stated.is_some()));
        }
    }

    fn finish(self) {
        let author = self.author.unwrap_or_else(|| UNNAMED.to_owned());
        if self.is_one {
            self.report.looked(&author);
        }
        let severity = self.severity.as_deref().map_or("warning", severity);
        for (line, mut stated) in self.waiting {
            self.report.notes.go_to(line);
            stated.author.get_or_insert_with(|| author.clone());
            stated.severity.get_or_insert_with(|| severity.to_owned());
            self.report.finding(stated);
        }
    }
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
