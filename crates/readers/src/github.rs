//! What do GitHub's answers about a pull request state? Review comments (a list, or one),
//! review threads with what became of them, and the annotations of check runs.

use std::io::{self, Read};

use hardwon_core::event::FindingStated;
use hardwon_core::finding::{FindingState, Grade};
use serde_json::Value;

use crate::Limits;
use crate::json::Object;
use crate::report::{Report, path_of_uri, state_if};
use crate::stream::{Kept, Shape, Take, walk};

static ONE: Shape = Shape::Whole("answer");
static ANSWER: Shape = Shape::Either(&Shape::Items("the document", &ONE), &ONE);

static KEPT: Kept = Kept {
    fields: &[
        // A comment.
        "body",
        "path",
        "line",
        "original_line",
        "originalLine",
        "user",
        "author",
        "login",
        "in_reply_to_id",
        "commit_id",
        "diff_hunk",
        "isMinimized",
        // A thread.
        "data",
        "repository",
        "pullRequest",
        "reviewThreads",
        "nodes",
        "edges",
        "node",
        "comments",
        "isResolved",
        "thread",
        "action",
        // An annotation.
        "annotation_level",
        "start_line",
        "title",
        "message",
        "annotations",
    ],
    open: &[],
};

/// Deeper answers hold no threads.
const MAX_DEPTH: usize = 8;

/// Reads an answer.
pub fn read(reader: impl Read, limits: Limits, report: &mut Report) -> io::Result<()> {
    let mut answers = Answers { report, n: 0 };
    let end = walk(reader, limits.input_bytes, &ANSWER, &KEPT, &mut answers)?;
    answers.report.ended(end, limits);
    Ok(())
}

struct Answers<'r> {
    report: &'r mut Report,
    n: u64,
}

impl Take for Answers<'_> {
    fn value(&mut self, _name: &'static str, value: Value, line: u64) {
        self.n += 1;
        self.report.notes.go_to(line);
        self.report.notes.within(format!("item {}", self.n));
        if let Some(object) = self.report.fields(&value, "it") {
            self.any(object, 0);
        }
        self.report.notes.without();
    }

    fn wrong(&mut self, name: &'static str, why: &'static str, line: u64) {
        self.report.notes.go_to(line);
        self.report.notes.problem(format!("{name} is {why}"));
    }
}

impl Answers<'_> {
    fn any(&mut self, object: &Object, depth: usize) {
        let has = |name: &str| object.get(name).is_some_and(|value| !value.is_null());
        if has("annotation_level") {
            return self.annotation(object);
        }
        if has("isResolved") {
            return self.thread(object, object.get("isResolved") == Some(&Value::Bool(true)));
        }
        if let Some(thread) = object.get("thread").and_then(Value::as_object) {
            // The event that tells that a thread was resolved.
            let action = object.get("action").and_then(Value::as_str);
            return self.thread(thread, action == Some("resolved"));
        }
        if has("body") {
            return self.comment(object, None);
        }
        let inner: Vec<&Value> = [
            "data",
            "repository",
            "pullRequest",
            "reviewThreads",
            "nodes",
            "edges",
            "node",
            "annotations",
        ]
        .iter()
        .filter_map(|name| object.get(*name))
        .collect();
        if inner.is_empty() || depth >= MAX_DEPTH {
            self.report.notes.put_finding_aside("neither a comment, a thread nor an annotation");
        }
        if depth < MAX_DEPTH {
            inner.into_iter().for_each(|value| self.each(value, depth + 1));
        }
    }

    fn each(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.each(item, depth)),
            Value::Object(object) => self.any(object, depth),
            Value::Null => {}
            _ => self.report.notes.put_finding_aside("neither a list nor an object"),
        }
    }

    /// What the first comment says is the finding; the others talk about it.
    fn thread(&mut self, thread: &Object, is_resolved: bool) {
        let comments = match thread.get("comments") {
            Some(Value::Object(page)) => page.get("nodes"),
            other => other,
        };
        let first = comments.and_then(Value::as_array).and_then(|comments| comments.first());
        let Some(first) = first.and_then(Value::as_object) else {
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
        self.comment(&first, state_if(is_resolved, FindingState::Fixed));
    }

    fn comment(&mut self, comment: &Object, state: Option<FindingState>) {
        let is_reply = comment.get("in_reply_to_id").is_some_and(|id| !id.is_null());
        if is_reply {
            return;
        }
        let Some(text) = self.report.of(comment).words("body") else {
            self.report.notes.put_finding_aside("a comment without \"body\"");
            return;
        };
        let login = |name: &'static str, report: &mut Report| {
            let user = report.of(comment).object(name)?;
            report.of(user).words("login")
        };
        let author = login("user", self.report).or_else(|| login("author", self.report));
        let author = author.unwrap_or_else(|| "github".to_owned());
        self.report.looked(&author);
        let text = without_suggestions(&text);
        if text.is_empty() {
            return;
        }
        let mut fields = self.report.of(comment);
        let path = fields.words("path").map(|path| path_of_uri(&path));
        let line = fields.number("line").or_else(|| fields.number("original_line"));
        let line = line.or_else(|| fields.number("originalLine"));
        self.report.finding(FindingStated {
            author: Some(author),
            // Nobody grades comments; one that was worth writing warns.
            severity: Some("warning".to_owned()),
            text,
            path,
            line,
            state,
            ..FindingStated::default()
        });
    }

    fn annotation(&mut self, annotation: &Object) {
        let mut fields = self.report.of(annotation);
        let Some(text) = fields.words("message") else {
            self.report.notes.put_finding_aside("an annotation without \"message\"");
            return;
        };
        let severity = match fields.words("annotation_level").as_deref() {
            Some("failure") => "error",
            Some("notice") => "info",
            _ => "warning",
        };
        let path = fields.words("path").filter(|path| path != ".github");
        let line = fields.number("start_line");
        let rule = fields.words("title");
        self.report.looked("github-checks");
        if is_only_failed(&text) {
            return;
        }
        self.report.finding(FindingStated {
            author: Some("github-checks".to_owned()),
            severity: Some(severity.to_owned()),
            rule,
            text,
            grade: path.as_ref().map(|_| Grade::Cited),
            path,
            line,
            ..FindingStated::default()
        });
    }
}

/// A comment without the changes that it offers: code to put there says not what is wrong.
fn without_suggestions(body: &str) -> String {
    let mut kept = Vec::new();
    let mut is_inside = false;
    for line in body.lines() {
        let fence = line.trim_start();
        match is_inside {
            true => is_inside = !fence.starts_with("```"),
            false if fence.starts_with("```suggestion") => is_inside = true,
            false => kept.push(line),
        }
    }
    kept.join("\n").trim().to_owned()
}

/// Whether an annotation only says that a step ended badly, as the runner adds to every one.
fn is_only_failed(message: &str) -> bool {
    let message = message.trim();
    let is_process = message.starts_with("The process '") && message.contains("failed with exit");
    is_process
        || message.starts_with("Process completed with exit code")
        || message.starts_with("The operation was cancel")
        || message.starts_with("The job was cancel")
}
