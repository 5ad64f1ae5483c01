//! What does a JUnit XML report state? A test that failed is a finding, one that passed
//! after failing is a flaky one, and a suite in which any test ran is a detector.

mod panic;

use std::io::{self, BufReader, Read};

use hardwon_core::event::FindingStated;
use hardwon_core::finding::Grade;
use hardwon_core::fixed;
use hardwon_core::list;
use hardwon_core::run::Outcome;
use hardwon_core::signature::of_fingerprint;
use hardwon_core::time::Timestamp;

use crate::Limits;
use crate::lines::size;
use crate::report::{MAX_PASSED, Report, first_lines, output, path_of_uri};
use crate::xml::{Piece, Xml};

/// Programs that are known by a word in the name of their suite.
const TOOLS: &[&str] = list!("tools.txt", "test runners");

/// Elements deeper than this belong to no report.
const MAX_DEPTH: usize = 64;

/// Reads a report.
pub fn read(reader: impl Read, limits: Limits, report: &mut Report) -> io::Result<()> {
    let mut xml = Xml::new(BufReader::with_capacity(64 << 10, reader), limits.input_bytes);
    let mut suites =
        Suites { report, tool: None, open: Vec::new(), test: None, n_run: 0, passed: Vec::new() };
    loop {
        let line = xml.line();
        suites.report.notes.go_to(line);
        match xml.next_piece()? {
            Piece::Start { name, attributes, is_empty } => {
                suites.start(&name, attributes, line);
                if is_empty {
                    suites.end(&name);
                }
                if suites.open.len() > MAX_DEPTH {
                    suites
                        .report
                        .notes
                        .problem("elements are nested too deeply; the rest is not read");
                    break;
                }
            }
            Piece::End { name } => suites.end(&name),
            Piece::Text(text) => suites.text(&text),
            Piece::Broken(why) => {
                suites.report.notes.problem(why);
                break;
            }
            Piece::Over if xml.is_cut() => {
                suites.report.cut(size(limits.input_bytes));
                break;
            }
            Piece::Over => {
                if !suites.open.is_empty() {
                    let reason = "the document ends too early; what was whole is used";
                    suites.report.notes.problem(reason);
                }
                break;
            }
        }
    }
    suites.finish();
    Ok(())
}

/// How a test went, worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Went {
    Passed,
    Skipped,
    Flaky,
    Failed,
}

/// A test that is being read.
struct Test {
    line: u64,
    name: String,
    class: String,
    path: Option<String>,
    at: Option<u32>,
    went: Went,
    /// Type, message and text of the failure that is told.
    kind: String,
    message: String,
    text: String,
    /// The element whose text is being read tells of the failure.
    is_telling: bool,
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
                let at = get("line").and_then(|line| match line.parse::<u32>() {
                    Ok(line) => Some(line),
                    Err(_) => {
                        self.report.notes.problem("attribute \"line\" is not a number");
                        None
                    }
                });
                self.test = Some(Test {
                    line,
                    name: get("name").unwrap_or_default().to_owned(),
                    class: get("classname").unwrap_or_default().to_owned(),
                    path: get("file").or(get("filepath")).map(path_of_uri),
                    at,
                    went: Went::Passed,
                    kind: String::new(),
                    message: String::new(),
                    text: String::new(),
                    is_telling: false,
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
        let at = timestamp.and_then(|text| {
            Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}Z")))
        });
        if let Some(at) = at {
            let run = self.report.run();
            run.started = run.started.into_iter().chain([at]).min();
        }
    }

    /// What stands in a test. Only the first of its worst failures is told.
    fn detail(&mut self, name: &str, kind: Option<&str>, message: Option<&str>) {
        let Some(test) = &mut self.test else { return };
        let went = match name {
            "failure" | "error" => Went::Failed,
            "flakyFailure" | "flakyError" | "rerunFailure" | "rerunError" => Went::Flaky,
            "skipped" | "disabled" => Went::Skipped,
            _ => {
                test.is_telling &= matches!(name, "stackTrace");
                return;
            }
        };
        test.is_telling = went > test.went;
        if test.is_telling {
            test.went = went;
            test.kind = kind.unwrap_or_default().to_owned();
            test.message = message.unwrap_or_default().to_owned();
            test.text.clear();
        }
    }

    fn text(&mut self, text: &str) {
        let innermost = self.open.last().map(String::as_str);
        let is_output = matches!(innermost, Some("system-out" | "system-err"));
        if let Some(test) = self.test.as_mut().filter(|test| test.is_telling && !is_output) {
            test.text.push_str(text);
            test.text.truncate(floor(&test.text, 8 << 10));
        }
    }

    fn end(&mut self, name: &str) {
        // Everything that is open inside ends with it; an end of nothing is nothing.
        if let Some(at) = self.open.iter().rposition(|open| open == name) {
            self.open.truncate(at);
        }
        match name {
            "testcase" => self.end_test(),
            "failure" | "error" | "flakyFailure" | "flakyError" | "rerunFailure" | "rerunError"
            | "skipped" => {
                if let Some(test) = &mut self.test {
                    test.is_telling = false;
                }
            }
            _ => {}
        }
    }

    fn end_test(&mut self) {
        let Some(test) = self.test.take() else { return };
        if test.went != Went::Skipped {
            self.n_run += 1;
        }
        if test.went == Went::Passed && self.passed.len() < MAX_PASSED {
            let signature = of_fingerprint(&self.fingerprint(&test.full_name()));
            self.passed.push(fixed::case(&signature));
        }
        if test.went < Went::Flaky {
            return;
        }
        self.report.notes.go_to(test.line);
        if test.name.is_empty() && test.class.is_empty() {
            self.report.notes.put_finding_aside("a failed test without a name");
            return;
        }
        let is_failure = test.went == Went::Failed;
        if is_failure {
            self.report.outcome(Outcome::Failed);
        }
        let author = self.author();
        self.report.looked(&author);
        let name = test.full_name();
        let place = panic::of(&test.text, &test.message).and_then(|panic| panic.place);
        let place = place.filter(|_| test.path.is_none());
        let (path, line) = match place {
            Some((path, line)) => (Some(path), Some(line)),
            None => (test.path.clone(), test.at),
        };
        self.report.finding(FindingStated {
            severity: Some(if is_failure { "error" } else { "warning" }.to_owned()),
            category: Some(if is_failure { "test" } else { "flaky" }.to_owned()),
            rule: Some(name.clone()),
            text: test.telling(&name),
            evidence: output(&format!("{}\n{}", test.message, test.text)),
            grade: Some(Grade::Executed),
            fingerprint: Some(self.fingerprint(&name)),
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

    /// What went wrong, in one sentence.
    fn telling(&self, name: &str) -> String {
        let is_told = !self.message.is_empty() && !self.message.contains("panicked at ");
        let panic = panic::of(&self.text, &self.message).filter(|_| !is_told);
        let said = panic.map(|panic| panic.said);
        let said = said.unwrap_or_else(|| {
            if self.message.is_empty() {
                first_lines(&self.text, 2)
            } else {
                first_lines(&self.message, 2)
            }
        });
        let said = if said.is_empty() { self.kind.clone() } else { said };
        let verb = if self.went == Went::Failed { "fails" } else { "is flaky" };
        if said.is_empty() {
            format!("Test {name} {verb}")
        } else {
            format!("Test {name} {verb}: {said}")
        }
    }
}

/// The last place at or before this at which a text may be cut.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
