//! What does ESLint's JSON state? A list of files, each with its messages.

use std::io::{self, Read};

use hardwon_core::event::FindingStated;
use hardwon_core::finding::{FindingState, Grade};
use serde_json::Value;

use crate::Limits;
use crate::json::Object;
use crate::report::{MAX_FILES, Report, path_of_uri};
use crate::stream::{Kept, Shape, Take, walk};

const AUTHOR: &str = "eslint";

static FILES: Shape = Shape::Items("the document", &Shape::Whole("file"));

static KEPT: Kept = Kept {
    fields: &[
        "filePath",
        "messages",
        "suppressedMessages",
        "ruleId",
        "severity",
        "message",
        "line",
        "fatal",
    ],
    open: &[],
};

/// Reads a report.
pub fn read(reader: impl Read, limits: Limits, report: &mut Report) -> io::Result<()> {
    let mut files = Files { report, n: 0, is_list: false };
    let end = walk(reader, limits.input_bytes, &FILES, &KEPT, &mut files)?;
    files.report.notes.go_to(0);
    if files.is_list {
        files.report.looked(AUTHOR);
    }
    files.report.ended(end, limits);
    Ok(())
}

struct Files<'r> {
    report: &'r mut Report,
    n: u64,
    is_list: bool,
}

impl Take for Files<'_> {
    fn begin(&mut self, _name: &'static str, _line: u64) {
        self.is_list = true;
    }

    fn value(&mut self, _name: &'static str, value: Value, line: u64) {
        self.n += 1;
        self.report.notes.go_to(line);
        self.report.notes.within(format!("file {}", self.n));
        if let Some(file) = self.report.fields(&value, "a file") {
            let path = self.report.of(file).words("filePath").map(|path| path_of_uri(&path));
            self.messages(file, "messages", path.as_ref(), None);
            let dismissed = Some(FindingState::Dismissed);
            self.messages(file, "suppressedMessages", path.as_ref(), dismissed);
            self.looked_into(file, path);
        }
        self.report.notes.without();
    }

    fn wrong(&mut self, name: &'static str, why: &'static str, line: u64) {
        self.report.notes.go_to(line);
        self.report.notes.problem(format!("{name} is {why}"));
    }
}

impl Files<'_> {
    /// A file that could not be parsed was not looked into.
    fn looked_into(&mut self, file: &Object, path: Option<String>) {
        let messages = file.get("messages").and_then(Value::as_array);
        let is_fatal = |message: &Value| message.get("fatal") == Some(&Value::Bool(true));
        let has_looked = messages.is_some_and(|messages| !messages.iter().any(is_fatal));
        let files = &mut self.report.reach(AUTHOR).files;
        if let Some(path) = path.filter(|_| has_looked && files.len() < MAX_FILES) {
            files.insert(path);
        }
    }

    fn messages(
        &mut self,
        file: &Object,
        name: &'static str,
        path: Option<&String>,
        state: Option<FindingState>,
    ) {
        for message in self.report.of(file).list(name).unwrap_or_default() {
            let Some(message) = self.report.fields(message, "a message") else { continue };
            let Some(text) = self.report.of(message).words("message") else {
                self.report.notes.put_finding_aside("a message without words");
                continue;
            };
            let severity = match self.report.of(message).number("severity") {
                Some(2) => "error",
                Some(0) => "info",
                _ => "warning",
            };
            let rule = self.report.of(message).words("ruleId");
            let line = self.report.of(message).number("line").filter(|line| *line > 0);
            self.report.finding(FindingStated {
                author: Some(AUTHOR.to_owned()),
                severity: Some(severity.to_owned()),
                rule,
                text,
                path: path.cloned(),
                line,
                grade: path.map(|_| Grade::Cited),
                state,
                ..FindingStated::default()
            });
        }
    }
}
