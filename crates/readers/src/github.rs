//! What do GitHub's answers about a pull request state? Review comments (a list, or one),
//! review threads with what became of them, and the annotations of check runs.

use std::io::{self, Read};

use hardwon_core::event::FindingStated;
use hardwon_core::finding::{FindingState, Grade};
use hardwon_core::list;
use serde_json::Value;

use crate::fields::Fields;
use crate::json::Object;
use crate::notes::Notes;
use crate::report::{Report, path_of_uri};
use crate::stream::{Document, MAX_STRING_BYTES, Shape, Take, walk};

const ONE: Shape = Shape::Whole("answer");

static DOCUMENT: Document = Document {
    shape: &Shape::Either(&Shape::Items("the document", &ONE), &ONE),
    fields: list!("fields.txt", "github"),
    open: &[],
    max_string: MAX_STRING_BYTES,
};

/// Deeper answers hold no threads.
const MAX_DEPTH: usize = 8;

pub fn read(reader: &mut dyn Read, report: &mut Report) -> io::Result<()> {
    let max_bytes = report.limits.input_bytes;
    let end = walk(reader, max_bytes, &DOCUMENT, &mut Answers { report, n: 0 })?;
    report.ended(end, 0);
    Ok(())
}

struct Answers<'r> {
    report: &'r mut Report,
    n: u64,
}

impl Take for Answers<'_> {
    fn notes(&self) -> &Notes {
        &self.report.notes
    }

    fn value(&mut self, _name: &str, value: Value, line: u64) {
        self.n += 1;
        self.report.notes.go_to(line);
        self.report.notes.enter(Some(format!("item {}", self.n)));
        if self.report.object(&value, "it").is_some() {
            self.each(&value, 0);
        }
        self.report.notes.enter(None);
    }
}

impl Answers<'_> {
    fn each(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.each(item, depth)),
            Value::Object(object) => self.any(object, depth),
            Value::Null => {}
            _ => self.report.notes.put_finding_aside("neither a list nor an object"),
        }
    }

    fn any(&mut self, object: &Object, depth: usize) {
        let fields = self.report.fields(object);
        if fields.has("annotation_level") {
            return self.annotation(object);
        }
        if fields.has("isResolved") {
            return self.thread(object, object["isResolved"] == true);
        }
        if let Some(thread) = object.get("thread").and_then(Value::as_object) {
            // The event of a thread that was resolved.
            return self.thread(thread, fields.silent("action") == Some("resolved"));
        }
        if fields.has("body") {
            return self.comment(object, None);
        }
        const INNER: &[&str] = list!("fields.txt", "github inner");
        let inner: Vec<&Value> = INNER.iter().filter_map(|name| object.get(*name)).collect();
        if inner.is_empty() || depth >= MAX_DEPTH {
            self.report.notes.put_finding_aside("neither a comment, a thread nor an annotation");
        }
        if depth < MAX_DEPTH {
            inner.into_iter().for_each(|value| self.each(value, depth + 1));
        }
    }

    /// The first comment is the finding; the others discuss it.
    fn thread(&mut self, thread: &Object, is_resolved: bool) {
        let comments = match thread.get("comments") {
            Some(Value::Object(page)) => page.get("nodes"),
            other => other,
        };
        let Some(Value::Object(first)) = comments.and_then(|comments| comments.get(0)) else {
            self.report.notes.put_finding_aside("a thread without a comment");
            return;
        };
        let mut first = first.clone();
        for name in ["path", "line"] {
            // Asked for on the thread as often as on its comments.
            if let (None, Some(value)) = (first.get(name), thread.get(name)) {
                first.insert(name.to_owned(), value.clone());
            }
        }
        self.comment(&first, is_resolved.then_some(FindingState::Fixed));
    }

    fn comment(&mut self, comment: &Object, state: Option<FindingState>) {
        let fields = self.report.fields(comment);
        if fields.has("in_reply_to_id") {
            return;
        }
        let Some(text) = fields.finding_words("body", "a comment without \"body\"") else { return };
        let login = |name: &str| fields.inside(name).words("login");
        let author = login("user").or_else(|| login("author"));
        let author = author.unwrap_or_else(|| "github".to_owned());
        let text = without_suggestions(&text);
        let finding = (!text.is_empty()).then(|| FindingStated {
            author: Some(author.clone()),
            // Comments have no grade; one that was worth writing warns.
            severity: Some("warning".to_owned()),
            text,
            path: fields.words("path").map(|path| path_of_uri(&path)),
            line: ["line", "original_line", "originalLine"]
                .iter()
                .find_map(|name| fields.number(name)),
            state,
            ..FindingStated::default()
        });
        self.report.looked(&author);
        finding.into_iter().for_each(|finding| self.report.finding(finding));
    }

    fn annotation(&mut self, annotation: &Object) {
        const AUTHOR: &str = "github-checks";
        let Some(finding) = annotated(self.report.fields(annotation), AUTHOR) else { return };
        self.report.looked(AUTHOR);
        if !is_only_failed(&finding.text) {
            self.report.finding(finding);
        }
    }
}

fn annotated(fields: Fields<'_>, author: &str) -> Option<FindingStated> {
    let text = fields.finding_words("message", "an annotation without \"message\"")?;
    let severity = match fields.words("annotation_level").as_deref() {
        Some("failure") => "error",
        Some("notice") => "info",
        _ => "warning",
    };
    let path = fields.words("path").filter(|path| path != ".github");
    Some(FindingStated {
        author: Some(author.to_owned()),
        severity: Some(severity.to_owned()),
        line: fields.number("start_line"),
        rule: fields.words("title"),
        text,
        grade: path.as_ref().map(|_| Grade::Cited),
        path,
        ..FindingStated::default()
    })
}

/// A comment without the changes that it offers: that code does not say what is wrong.
fn without_suggestions(body: &str) -> String {
    let mut kept = Vec::new();
    let mut is_inside = false;
    for line in body.lines() {
        let fence = line.trim_start();
        if is_inside {
            is_inside = !fence.starts_with("```");
        } else if fence.starts_with("```suggestion") {
            is_inside = true;
        } else {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

/// Whether an annotation only says that a step ended badly, as the runner adds to every one.
fn is_only_failed(message: &str) -> bool {
    let begins = |start: &str| message.trim().starts_with(start);
    begins("The process '") && message.contains("failed with exit")
        || begins("Process completed with exit code")
        || begins("The operation was cancel")
        || begins("The job was cancel")
}
