//! Which pull request is it about? An answer about several of them is a run for each; about one, the
//! caller names the run.

use std::collections::BTreeMap;

use hardwon_core::event::{Event, RunStated, Sourced};
use hardwon_core::time::Timestamp;
use serde_json::Value;

use crate::fields::Fields;
use crate::json::Object;
use crate::report::Report;

/// When a pull request began, and when the last was said about it.
type Times = (Option<Timestamp>, Option<Timestamp>);

/// The pull requests, and the issues, that were met so far, by the names of their runs.
#[derive(Default)]
pub struct Requests {
    known: BTreeMap<String, Times>,
    current: Option<String>,
    /// The first one and where it begins: it says nothing until there is a second.
    first: Option<(usize, RunStated)>,
}

impl Requests {
    /// A comment that says on which pull request it stands, and when it was written.
    pub fn comment(&mut self, report: &mut Report, comment: &Object) {
        let fields = report.fields(comment);
        let at = fields.silent("created_at").and_then(Timestamp::parse);
        let at = at.or_else(|| fields.silent("createdAt").and_then(Timestamp::parse));
        if let Some(name) = named(fields).or_else(|| self.current.clone()) {
            self.enter(report, name, RunStated { started: at, ..RunStated::default() });
        }
    }

    /// A pull request with its threads: its title and its files say what was to be done.
    pub fn request(&mut self, report: &mut Report, request: &Object) {
        let fields = report.fields(request);
        let Some(number) = request.get("number").and_then(Value::as_u64) else { return };
        let at = fields.silent("createdAt").and_then(Timestamp::parse);
        let files = request.get("files").map(|files| files.get("nodes").unwrap_or(files));
        let files = files.and_then(Value::as_array).into_iter().flatten();
        let path = |file: &Value| Some(file.get("path")?.as_str()?.to_owned());
        let run = RunStated {
            task: fields.silent("title").map(str::to_owned),
            started: at,
            paths: files.filter_map(path).collect(),
            ..RunStated::default()
        };
        self.enter(report, format!("pr-{number}"), run);
    }

    /// What follows belongs to this pull request.
    fn enter(&mut self, report: &mut Report, name: String, more: RunStated) {
        let known = self.known.get(&name).copied().unwrap_or_default();
        let times = [known.0, known.1, more.started];
        let times = (times.into_iter().flatten().min(), times.into_iter().flatten().max());
        let is_news = self.current.as_ref() != Some(&name) || known != times;
        self.current = Some(name.clone());
        self.known.insert(name.clone(), times);
        let id = Some(name);
        let mut run = RunStated { id, started: times.0, finished: times.1, ..more };
        if self.known.len() == 1 {
            let begin = || (report.events.len(), RunStated::default());
            let (_, first) = self.first.get_or_insert_with(begin);
            run.task = run.task.or(first.task.take());
            run.paths.append(&mut first.paths);
            *first = run;
            return;
        }
        if let Some((at, first)) = self.first.take() {
            let source = report.notes.source();
            report.events.insert(at, Sourced { source, event: Event::Run(first) });
        }
        if is_news {
            report.next_run(run);
        }
    }
}

/// The run of a comment: that of the pull request, or of the issue, on which it stands. GitHub
/// gives both numbers of one row, and calls either an issue where people only talk.
fn named(fields: Fields<'_>) -> Option<String> {
    let number = |url: &str, part: &str| {
        let rest = url.rsplit_once(part)?.1;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().ok()
    };
    let silent = |name: &str| fields.silent(name).unwrap_or_default();
    let pull = number(silent("pull_request_url"), "/pulls/");
    let pages = [silent("html_url"), silent("url")];
    let pull = pull.or_else(|| pages.iter().find_map(|page| number(page, "/pull/")));
    let issue = || {
        pages
            .iter()
            .find_map(|page| number(page, "/issues/").filter(|_| page.contains("#issuecomment")))
    };
    let talk = || number(silent("issue_url"), "/issues/");
    match (pull, issue()) {
        (Some(number), _) => Some(format!("pr-{number}")),
        (None, Some(number)) => Some(format!("issue-{number}")),
        (None, None) => talk().map(|number| format!("pr-{number}")),
    }
}

pub fn is_request(fields: Fields<'_>) -> bool {
    fields.has("reviewThreads") && fields.has("number")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{Format, read};

    /// Each run with its title, its files, its times and how many findings it has.
    fn runs(answer: &Value) -> Vec<String> {
        let text = answer.to_string();
        let record = read("export.json", text.as_bytes(), Some(Format::Github)).unwrap();
        let found = hardwon_core::find::find(&[record], None, &|_, _| None);
        let time = |at: Option<Timestamp>| at.map_or("-".to_owned(), |at| at.date());
        let told = found.runs.iter().map(|run| {
            let about = &run.stated;
            let id = about.id.as_deref().unwrap_or("unnamed");
            let (task, paths) = (about.task.as_deref().unwrap_or("-"), about.paths.join(","));
            let (from, to) = (time(about.started), time(about.finished));
            format!("{id} {task} [{paths}] {from} {to} {}", run.findings.len())
        });
        told.collect()
    }

    fn comment(number: u64, day: u64) -> Value {
        json!({
            "pull_request_url": format!("https://api.github.com/repos/o/r/pulls/{number}"),
            "created_at": format!("2026-05-{day:02}T10:00:00Z"), "diff_hunk": "@@",
            "body": format!("Close file {day} again"), "path": "a.py",
            "user": { "login": "ann", "type": "User" }, "author_association": "MEMBER",
        })
    }

    #[test]
    fn comments_on_several_pull_requests_are_runs() {
        let answer = json!([comment(7, 2), comment(8, 3), comment(7, 1), comment(7, 4)]);
        assert_eq!(
            runs(&answer),
            ["pr-7 - [] 2026-05-01 2026-05-04 3", "pr-8 - [] 2026-05-03 2026-05-03 1"]
        );
    }

    #[test]
    fn comments_on_one_pull_request_leave_the_name_to_the_caller() {
        assert_eq!(runs(&json!([comment(7, 2), comment(7, 3)])), ["unnamed - [] - - 2"]);
    }

    #[test]
    fn pull_requests_say_what_they_are_about() {
        let thread = |day: u64| {
            let said = json!({
                "body": "Close the file again", "createdAt": format!("2026-05-{day:02}T10:00:00Z"),
                "author": { "login": "bot", "__typename": "Bot" }, "path": "a.py",
            });
            json!({ "isResolved": false, "comments": { "nodes": [said] } })
        };
        let request = |number: u64, threads: Vec<Value>| {
            json!({
                "number": number, "title": format!("Title {number}"), "body": "not a finding",
                "createdAt": "2026-05-01T10:00:00Z",
                "files": { "nodes": [{ "path": "a.py" }, { "path": "b.py" }] },
                "reviewThreads": { "nodes": threads },
            })
        };
        let nodes = [request(1, vec![thread(2), thread(5)]), request(2, vec![])];
        let page = json!({ "data": { "repository": { "pullRequests": { "nodes": nodes } } } });
        let expected = [
            "pr-1 Title 1 [a.py,b.py] 2026-05-01 2026-05-05 2",
            "pr-2 Title 2 [a.py,b.py] 2026-05-01 2026-05-01 0",
        ];
        assert_eq!(runs(&page), expected);
        assert_eq!(runs(&json!([page])), expected, "pages in a list");
    }
}
