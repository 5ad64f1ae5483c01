//! What do GitHub's answers about a pull request state? Review comments (a list, or one),
//! review threads with what became of them, and the annotations of check runs. Anyone can
//! comment: only who belongs to the repository, or is an app that it installed, is a reviewer.
//! A comment that talks, on no line, is a finding only as far as it states some; one that holds a
//! verdict for programs is that verdict.

mod requests;

use std::io::{self, Read};

use hardwon_core::event::{Event, FindingStated};
use hardwon_core::finding::{FindingState, Grade};
use hardwon_core::list;
use serde_json::Value;

use crate::fields::Fields;
use crate::jkz::{Who, has_signal, told};
use crate::json::Object;
use crate::report::{Report, path_of_uri};
use crate::stream::{Document, Part, Shape};
use requests::{Requests, is_request};

const ONE: Shape = Shape::Whole("answer");

static DOCUMENT: Document = Document {
    shape: &Shape::Either(&Shape::Items("the document", &ONE), &ONE),
    fields: list!("fields.txt", "github"),
    open: &[],
    // As long as a comment can be: a verdict stands at its end.
    max_string: 4 * (64 << 10),
};

/// Deeper answers hold no threads.
const MAX_DEPTH: usize = 8;

pub fn read(reader: &mut dyn Read, report: &mut Report) -> io::Result<()> {
    let (mut n, mut requests) = (0, Requests::default());
    let end = report.walk(reader, &DOCUMENT, |report, part, _| {
        let Part::Whole(_, value) = part else { return };
        n += 1;
        report.notes.enter(Some(format!("item {n}")));
        if report.object(&value, "it").is_some() {
            Answers { report, requests: &mut requests }.each(&value, At::default());
        }
    })?;
    report.ended(end, 0);
    Ok(())
}

struct Answers<'r> {
    report: &'r mut Report,
    requests: &'r mut Requests,
}

#[derive(Clone, Copy, Default)]
struct At {
    depth: usize,
    /// On a pull request from a fork: all of it is a stranger's.
    is_fork: bool,
    /// Among the comments below a pull request, on no line of it.
    is_talk: bool,
}

impl Answers<'_> {
    fn each(&mut self, value: &Value, at: At) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.each(item, at)),
            Value::Object(object) => self.any(object, at),
            Value::Null => {}
            _ => self.report.notes.put_finding_aside("neither a list nor an object"),
        }
    }

    fn any(&mut self, object: &Object, at: At) {
        let at = At { is_fork: at.is_fork || is_fork(object), ..at };
        let fields = self.report.fields(object);
        if fields.has("annotation_level") {
            return self.annotation(object, at);
        }
        if fields.has("isResolved") {
            return self.thread(object, object["isResolved"] == true, at);
        }
        if let Some(thread) = object.get("thread").and_then(Value::as_object) {
            // The event of a thread that was resolved.
            return self.thread(thread, fields.silent("action") == Some("resolved"), at);
        }
        if is_request(fields) {
            self.requests.request(self.report, object);
        } else if fields.has("body") {
            return self.comment(object, None, at);
        }
        const INNER: &[&str] = list!("fields.txt", "github inner");
        let inner = INNER.iter().filter_map(|name| Some((*name, object.get(*name)?)));
        let inner: Vec<(&str, &Value)> = inner.collect();
        if inner.is_empty() || at.depth >= MAX_DEPTH {
            self.report.notes.put_finding_aside("neither a comment, a thread nor an annotation");
        }
        if at.depth < MAX_DEPTH {
            for (name, value) in inner {
                let is_talk = at.is_talk || name == "comments";
                self.each(value, At { depth: at.depth + 1, is_talk, ..at });
            }
        }
    }

    /// The first comment is the finding; the others discuss it.
    fn thread(&mut self, thread: &Object, is_resolved: bool, at: At) {
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
        self.comment(&first, is_resolved.then_some(FindingState::Fixed), at);
    }

    fn comment(&mut self, comment: &Object, state: Option<FindingState>, at: At) {
        let fields = self.report.fields(comment);
        let holds_signal = fields.silent("body").is_some_and(has_signal);
        if fields.has("in_reply_to_id") && !holds_signal {
            return;
        }
        self.requests.comment(self.report, comment);
        let fields = self.report.fields(comment);
        let Some(text) = fields.finding_words("body", "a comment without \"body\"") else { return };
        let login = |name: &str| fields.inside(name).words("login");
        let author = login("user").or_else(|| login("author"));
        let author = author.unwrap_or_else(|| "github".to_owned());
        let is_foreign = at.is_fork || !is_reviewer(fields);
        if holds_signal || at.is_talk || is_talk(fields) {
            let is_persons = !holds_signal && is_a(fields, "User");
            return self.statement(&text, author, state, is_foreign, is_persons);
        }
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
            is_foreign,
            is_persons: is_a(fields, "User"),
            ..FindingStated::default()
        });
        if !is_foreign {
            self.report.looked(&author);
        }
        finding.into_iter().for_each(|finding| self.report.finding(finding));
    }

    /// A comment that states a verdict, or findings among other words. What a stranger says under
    /// another name is the stranger's.
    fn statement(
        &mut self,
        text: &str,
        login: String,
        state: Option<FindingState>,
        is_foreign: bool,
        is_persons: bool,
    ) {
        let given = (is_foreign || is_persons).then(|| login.clone());
        let who = Who { given, fallback: login, ..Who::default() };
        let told = told(text, &who, &self.report.notes);
        for finding in told.findings.into_iter().chain(told.patterns) {
            let state = state.or(finding.state);
            self.report.finding(FindingStated { is_foreign, is_persons, state, ..finding });
        }
        if is_foreign {
            if !told.verdicts.is_empty() || !told.attempts.is_empty() {
                let reason = "a verdict by somebody outside the repository does not count";
                self.report.notes.problem(reason);
            }
            return;
        }
        told.verdicts.into_iter().for_each(|it| self.report.push(Event::Verdict(it)));
        told.attempts.into_iter().for_each(|it| self.report.push(Event::Attempt(it)));
    }

    fn annotation(&mut self, annotation: &Object, at: At) {
        const AUTHOR: &str = "github-checks";
        let Some(finding) = annotated(self.report.fields(annotation), AUTHOR) else { return };
        let finding = FindingStated { is_foreign: at.is_fork, ..finding };
        if !at.is_fork {
            self.report.looked(AUTHOR);
        }
        if !is_only_failed(&finding.text) {
            self.report.finding(finding);
        }
    }
}

fn is_fork(object: &Object) -> bool {
    let request = object.get("pull_request").and_then(Value::as_object).unwrap_or(object);
    let repo = |side: &str| request.get(side).and_then(|side| side.get("repo"));
    let name = |side: &str| repo(side).and_then(|repo| repo.get("full_name"));
    let says = |value: Option<&Value>| value == Some(&Value::Bool(true));
    let differs = name("head").zip(name("base")).is_some_and(|(head, base)| head != base);
    // A fork that was deleted since is null.
    let is_gone = repo("head").is_some_and(Value::is_null);
    says(request.get("isCrossRepository")) || differs || is_gone
}

/// Whether the author of a comment belongs to the repository, or is an app. Who contributed
/// before is a stranger all the same, and so is one of whom nothing is said.
fn is_reviewer(comment: Fields<'_>) -> bool {
    let standing = ["author_association", "authorAssociation"];
    let standing = standing.iter().find_map(|name| comment.silent(name)).unwrap_or_default();
    matches!(standing, "OWNER" | "MEMBER" | "COLLABORATOR") || is_a(comment, "Bot")
}

/// Whether a comment stands below an issue or a pull request, on no line of it.
fn is_talk(comment: Fields<'_>) -> bool {
    let is_below =
        |name: &str| comment.silent(name).is_some_and(|url| url.contains("#issuecomment-"));
    let is_on_line = ["path", "diff_hunk", "pull_request_url"].iter().any(|name| comment.has(name));
    !is_on_line && (comment.has("issue_url") || is_below("html_url") || is_below("url"))
}

/// Whether the author of a comment is of this kind, in either interface's words.
fn is_a(comment: Fields<'_>, kind: &str) -> bool {
    let says = |who: &str, name: &str| comment.inside(who).silent(name) == Some(kind);
    says("user", "type") || says("author", "__typename")
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
