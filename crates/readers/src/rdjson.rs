//! What do reviewdog's diagnostics state? One document with a list of them (rdjson), or one
//! a line (rdjsonl).

use std::io::{self, Read};

use hardwon_core::event::FindingStated;
use hardwon_core::finding::Grade;
use serde_json::Value;

use crate::Limits;
use crate::json::{Fields, Object};
use crate::notes::Notes;
use crate::report::{Report, path_of_uri, shortened};
use crate::stream::{Kept, Shape, Take, walk};

/// Who it is if nobody says.
const UNNAMED: &str = "reviewdog";

static DOCUMENT: Shape = Shape::Fields(
    "the document",
    &[
        ("source", Shape::Whole("source")),
        ("severity", Shape::Whole("severity")),
        ("diagnostics", Shape::Items("field \"diagnostics\"", &Shape::Whole("diagnostic"))),
    ],
);

static KEPT: Kept = Kept {
    fields: &[
        "name", "message", "location", "path", "range", "start", "line", "severity", "source",
        "code", "value",
    ],
    open: &[],
};

/// Whether an object is one diagnostic.
pub fn is_line(object: &Object) -> bool {
    let has_path =
        object.get("location").and_then(|at| at.get("path")).is_some_and(Value::is_string);
    object.get("message").is_some_and(Value::is_string) && has_path
}

/// Reads a document.
pub fn read(reader: impl Read, limits: Limits, report: &mut Report) -> io::Result<()> {
    let mut document =
        Document { report, author: None, severity: None, waiting: Vec::new(), n: 0, is_one: false };
    let end = walk(reader, limits.input_bytes, &DOCUMENT, &KEPT, &mut document)?;
    document.finish();
    document.report.ended(end, limits);
    Ok(())
}

struct Document<'r> {
    report: &'r mut Report,
    author: Option<String>,
    severity: Option<String>,
    /// Those that name no author of their own, until it is known who speaks.
    waiting: Vec<(u64, FindingStated)>,
    n: u64,
    is_one: bool,
}

impl Take for Document<'_> {
    fn begin(&mut self, _name: &'static str, _line: u64) {
        self.is_one = true;
    }

    fn value(&mut self, name: &'static str, value: Value, line: u64) {
        self.report.notes.go_to(line);
        match name {
            "source" => self.author = value.get("name").and_then(Value::as_str).map(str::to_owned),
            "severity" => self.severity = value.as_str().map(str::to_owned),
            _ => self.diagnostic(&value, line),
        }
    }

    fn wrong(&mut self, name: &'static str, why: &'static str, line: u64) {
        self.report.notes.go_to(line);
        self.report.notes.problem(format!("{name} is {why}"));
    }
}

impl Document<'_> {
    fn diagnostic(&mut self, value: &Value, line: u64) {
        self.n += 1;
        self.report.notes.within(format!("diagnostic {}", self.n));
        if let Some(object) = self.report.fields(value, "a diagnostic") {
            let stated = finding(object, &mut self.report.notes);
            if stated.is_some() && self.waiting.len() < crate::report::MAX_FINDINGS {
                self.waiting.extend(stated.map(|stated| (line, stated)))
            } else {
                self.report.left_out(u64::from(stated.is_some()))
            }
        }
        self.report.notes.without();
    }

    fn finish(&mut self) {
        let author = self.author.take().unwrap_or_else(|| UNNAMED.to_owned());
        if self.is_one {
            self.report.looked(&author);
        }
        for (line, mut stated) in std::mem::take(&mut self.waiting) {
            self.report.notes.go_to(line);
            stated.author.get_or_insert_with(|| author.clone());
            let severity = || self.severity.as_deref().map_or("warning", severity);
            stated.severity.get_or_insert_with(|| severity().to_owned());
            self.report.finding(stated);
        }
    }
}

/// One diagnostic; who said it and how bad it is only where it says so itself.
pub fn finding(object: &Object, notes: &mut Notes) -> Option<FindingStated> {
    let Some(text) = Fields::new(object, notes).words("message") else {
        notes.put_finding_aside("a diagnostic without \"message\"");
        return None;
    };
    let mut stated = FindingStated { text: shortened(&text), ..FindingStated::default() };
    stated.severity =
        Fields::new(object, notes).words("severity").map(|word| severity(&word).to_owned());
    let source = Fields::new(object, notes).object("source");
    stated.author = source.and_then(|source| Fields::new(source, notes).words("name"));
    let code = Fields::new(object, notes).object("code");
    stated.rule = code.and_then(|code| Fields::new(code, notes).words("value"));
    let location = Fields::new(object, notes).object("location");
    if let Some(location) = location {
        stated.path = Fields::new(location, notes).words("path").map(|path| path_of_uri(&path));
        let range = Fields::new(location, notes).object("range");
        let start = range.and_then(|range| Fields::new(range, notes).object("start"));
        stated.line = start.and_then(|start| Fields::new(start, notes).number("line"));
    }
    stated.grade = stated.path.as_ref().map(|_| Grade::Cited);
    Some(stated)
}

/// One line; it always has an author and a severity.
pub fn line(object: &Object, notes: &mut Notes) -> Option<FindingStated> {
    let mut stated = finding(object, notes)?;
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
