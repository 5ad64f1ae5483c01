//! What does a JUnit XML report state? A test that failed is a finding, one that passed
//! after failing is a flaky one, and a suite in which any test ran is a detector.

mod panic;

use std::io::{self, BufReader, Read};

use hardwon_core::event::FindingStated;
use hardwon_core::finding::Grade;
use hardwon_core::run::Outcome;
use hardwon_core::signature::of_fingerprint;
use hardwon_core::{fixed, list};

use crate::fields::moment;
use crate::lines::size;
use crate::report::{MAX_PASSED, Report, cut, first_lines, output, path_of_uri, test_text};
use crate::xml::{Piece, Xml};

/// Programs that are known by a word in the name of their suite.
const TOOLS: &[&str] = list!("tools.txt", "test runners");

/// Elements deeper than this belong to no report.
const MAX_DEPTH: usize = 64;

const MAX_FAILURE_BYTES: usize = 8 << 10;

/// What is kept behind it until the text has ended: a cut sees then what it would tear.
const CUT_BYTES: usize = 1 << 10;

pub fn read(reader: &mut dyn Read, report: &mut Report) -> io::Result<()> {
    let max_bytes = report.limits.input_bytes;
    let mut xml = Xml::new(BufReader::with_capacity(64 << 10, reader), max_bytes);
    let mut suites =
        Suites { report, tool: None, open: Vec::new(), test: None, n_run: 0, passed: Vec::new() };
    let reason = loop {
        let line = xml.line();
        suites.report.notes.go_to(line);
        match xml.next_piece()? {
            Piece::Start { name, attributes, is_empty } => {
                suites.start(&name, attributes, line);
                if is_empty {
                    suites.end(&name);
                }
                if suites.open.len() > MAX_DEPTH {
                    break Some("elements are nested too deeply; the rest is not read");
                }
            }
            Piece::End { name } => suites.end(&name),
            Piece::Text(text) => suites.text(&text),
            Piece::Broken(reason) => break Some(reason),
            Piece::Over if xml.is_cut() => {
                suites.report.cut = Some(size(max_bytes));
                break None;
            }
            Piece::Over if suites.open.is_empty() => break None,
            Piece::Over => break Some("the document ends too early; what was whole is used"),
        }
    };
    if let Some(reason) = reason {
        suites.report.is_partial = true;
        suites.report.notes.problem(reason);
    }
    suites.finish();
    Ok(())
}

/// How a test went, worst last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Went {
    #[default]
    Passed,
    Skipped,
    Flaky,
    Failed,
}

/// How a test went in which this element stands.
fn went(element: &str) -> Option<Went> {
    match element {
        "failure" | "error" => Some(Went::Failed),
        "flakyFailure" | "flakyError" | "rerunFailure" | "rerunError" => Some(Went::Flaky),
        "skipped" | "disabled" => Some(Went::Skipped),
        _ => None,
    }
}

#[derive(Default)]
struct Test {
    line: u64,
    name: String,
    class: String,
    path: Option<String>,
    at: Option<u32>,
    went: Went,
    /// Type, message and text of the failure that counts.
    kind: String,
    message: String,
    text: String,
    /// The element whose text is being read describes that failure.
    is_failure_text: bool,
}

struct Suites<'r> {
    report: &'r mut Report,
    tool: Option<String>,
    open: Vec<String>,
    test: Option<Test>,
    n_run: u64,
    passed: Vec<u64>,
}

impl Suites<'_> {
    fn start(&mut self, name: &str, attributes: Vec<(String, String)>, line: u64) {
        self.open.push(name.to_owned());
        let get = |wanted: &str| {
            let found = attributes.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
        };
        match name {
            "testsuites" | "testsuite" => self.suite(get("name"), get("timestamp")),
            "testcase" => {
                let at = get("line").map(str::parse);
                if let Some(Err(_)) = at {
                    self.report.notes.problem("attribute \"line\" is not a number");
                }
                self.test = Some(Test {
                    line,
                    name: get("name").unwrap_or_default().to_owned(),
                    class: get("classname").unwrap_or_default().to_owned(),
                    path: get("file").or(get("filepath")).map(path_of_uri),
                    at: at.and_then(Result::ok),
                    ..Test::default()
                });
            }
            _ => self.detail(name, get("type"), get("message")),
        }
    }

    fn suite(&mut self, name: Option<&str>, timestamp: Option<&str>) {
        let words = name.unwrap_or_default().to_ascii_lowercase();
        let known = TOOLS.iter().find(|tool| words.contains(**tool));
        if let (None, Some(tool)) = (&self.tool, known) {
            self.tool = Some((*tool).to_owned());
        }
        // Many writers leave the time zone out.
        if let Some(at) = timestamp.and_then(moment) {
            let run = self.report.run();
            run.started = run.started.into_iter().chain([at]).min();
        }
    }

    /// What stands in a test. Only the first of its worst failures counts.
    fn detail(&mut self, name: &str, kind: Option<&str>, message: Option<&str>) {
        let Some(test) = &mut self.test else { return };
        let Some(went) = went(name) else {
            test.is_failure_text &= name == "stackTrace";
            return;
        };
        test.is_failure_text = went > test.went;
        if test.is_failure_text {
            test.went = went;
            test.kind = kind.unwrap_or_default().to_owned();
            test.message = message.unwrap_or_default().to_owned();
            test.text.clear();
        }
    }

    fn text(&mut self, text: &str) {
        let innermost = self.open.last().map(String::as_str);
        let is_output = matches!(innermost, Some("system-out" | "system-err"));
        if let Some(test) = self.test.as_mut().filter(|test| test.is_failure_text && !is_output) {
            test.text.push_str(text);
            let most = test.text.floor_char_boundary(MAX_FAILURE_BYTES + CUT_BYTES);
            test.text.truncate(most);
        }
    }

    fn end(&mut self, name: &str) {
        // Everything that is open inside ends with it.
        if let Some(at) = self.open.iter().rposition(|open| open == name) {
            self.open.truncate(at);
        }
        if name == "testcase" {
            self.end_test();
        } else if let Some(test) = self.test.as_mut().filter(|_| went(name).is_some()) {
            test.is_failure_text = false;
        }
    }

    fn end_test(&mut self) {
        let Some(mut test) = self.test.take() else { return };
        test.text.truncate(cut(&test.text, MAX_FAILURE_BYTES).len());
        let name = test.full_name();
        let fingerprint = self.fingerprint(&name);
        self.n_run += u64::from(test.went != Went::Skipped);
        if test.went == Went::Passed && self.passed.len() < MAX_PASSED {
            self.passed.push(fixed::case(&of_fingerprint(&fingerprint)));
        }
        if test.went < Went::Flaky {
            return;
        }
        self.report.notes.go_to(test.line);
        if test.name.is_empty() && test.class.is_empty() {
            return self.report.notes.put_finding_aside("a failed test without a name");
        }
        let is_flaky = test.went == Went::Flaky;
        if !is_flaky {
            self.report.outcome(Outcome::Failed);
        }
        let author = self.author();
        self.report.looked(&author);
        let place = panic::find(&test.text, &test.message).and_then(|panic| panic.place);
        let (path, line) = match place.filter(|_| test.path.is_none()) {
            Some((path, line)) => (Some(path), Some(line)),
            None => (test.path.clone(), test.at),
        };
        self.report.finding(FindingStated {
            severity: Some(if is_flaky { "warning" } else { "error" }.to_owned()),
            category: Some(if is_flaky { "flaky" } else { "test" }.to_owned()),
            text: test.summary(&name),
            rule: Some(name),
            evidence: output(&format!("{}\n{}", test.message, test.text)),
            grade: Some(Grade::Executed),
            fingerprint: Some(fingerprint),
            author: Some(author),
            path,
            line,
            ..FindingStated::default()
        });
    }

    fn author(&self) -> String {
        self.tool.clone().unwrap_or_else(|| "junit".to_owned())
    }

    fn fingerprint(&self, name: &str) -> String {
        format!("{} {name}", self.author())
    }

    fn finish(&mut self) {
        if self.n_run > 0 {
            let author = self.author();
            self.report.reach(&author).passed = std::mem::take(&mut self.passed);
            self.report.notes.go_to(0);
            self.report.looked(&author);
            self.report.outcome(Outcome::Success);
        }
    }
}

impl Test {
    fn full_name(&self) -> String {
        if self.class.is_empty() || self.name.starts_with(&self.class) {
            self.name.clone()
        } else {
            format!("{}::{}", self.class, self.name)
        }
    }

    fn summary(&self, name: &str) -> String {
        let has_message = !self.message.is_empty() && !self.message.contains("panicked at ");
        let panic = panic::find(&self.text, &self.message).filter(|_| !has_message);
        let text = if self.message.is_empty() { &self.text } else { &self.message };
        let message = panic.map_or_else(|| first_lines(text, 2), |panic| panic.message);
        let message = if message.is_empty() { &self.kind } else { &message };
        test_text(name, self.went == Went::Flaky, message)
    }
}
