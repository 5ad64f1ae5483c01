//! What does an input amount to? Collects the events and problems of one input in bounded
//! memory, whatever its format, and says once what was too much.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};

use hardwon_core::digest::sha256;
use hardwon_core::event::{
    Asked, Event, FindingStated, Problem, Record, RunStated, Sourced, VerdictStated,
};
use hardwon_core::fixed::Reach;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Origin;
use hardwon_core::percent;
use hardwon_core::run::Outcome;
use serde_json::Value;

use crate::Limits;
use crate::fields::Fields;
use crate::json::Object;
use crate::lines::size;
use crate::notes::Notes;
use crate::stream::{Document, End, Part, walk};

/// Most findings that are taken from one report. A run with more says the same things over
/// and over, and each costs memory until the run is written.
pub const MAX_FINDINGS: usize = 2_000;

/// Most tests of one report of which it is kept that they passed: eight bytes each.
pub const MAX_PASSED: usize = 250_000;

/// Most files of one report of which it is kept that they were looked at.
pub const MAX_FILES: usize = 20_000;

/// Most bytes of one text that are kept: what is longer is output, not a finding.
const MAX_TEXT_BYTES: usize = 1500;

/// Longest line of a prompt or an error that is kept, in bytes.
const MAX_FIRST_BYTES: usize = 400;

/// An input that is being read, with what was found in it so far.
#[derive(Default)]
pub struct Report {
    pub notes: Notes,
    pub limits: Limits,
    pub events: Vec<Sourced>,
    authors: BTreeSet<String>,
    reach: BTreeMap<String, Reach>,
    /// Something that should be there, or have been looked at, is known to be missing.
    pub is_partial: bool,
    run: RunStated,
    has_run: bool,
    n_findings: usize,
    n_left_out: u64,
    /// The limit that was met.
    pub cut: Option<String>,
}

impl Report {
    pub fn new(input: &str, limits: Limits) -> Self {
        let notes = Notes::new(input, limits.n_problems);
        Report { notes, limits, ..Report::default() }
    }

    pub fn run(&mut self) -> &mut RunStated {
        self.has_run = true;
        &mut self.run
    }

    /// What follows belongs to this run: each has room for its findings.
    pub fn next_run(&mut self, run: RunStated) {
        self.n_findings = 0;
        self.push(Event::Run(run));
    }

    /// A failure anywhere is the outcome, whatever else went well.
    pub fn outcome(&mut self, outcome: Outcome) {
        if self.run.outcome != Some(Outcome::Failed) {
            self.run().outcome = Some(outcome);
        }
    }

    /// This tool ran, whatever it found.
    pub fn looked(&mut self, author: &str) {
        if self.authors.insert(author.to_owned()) {
            let verdict = VerdictStated { author: author.to_owned(), ..VerdictStated::default() };
            self.push(Event::Verdict(verdict));
        }
    }

    /// How far this tool looked; for one that looked.
    pub fn reach(&mut self, author: &str) -> &mut Reach {
        self.reach.entry(author.to_owned()).or_default()
    }

    pub fn finding(&mut self, mut stated: FindingStated) {
        if self.n_findings >= MAX_FINDINGS {
            self.n_left_out += 1;
            return;
        }
        self.n_findings += 1;
        stated.text = shortened(&stated.text);
        stated.evidence = stated.evidence.as_deref().map(shortened);
        stated.text.shrink_to_fit();
        self.push(Event::Finding(stated));
    }

    pub fn left_out(&mut self, n: u64) {
        self.n_left_out += n;
    }

    pub fn push(&mut self, event: Event) {
        let source = self.notes.source();
        self.events.push(Sourced { source, event });
    }

    pub fn push_at(&mut self, line: u64, event: Event) {
        self.notes.go_to(line);
        self.push(event);
    }

    /// Whether no more events may be kept; the limit is noted.
    pub fn is_full(&mut self) -> bool {
        let is_full = self.events.len() >= self.limits.n_events;
        if is_full {
            self.cut = Some(format!("{} events", self.limits.n_events));
        }
        is_full
    }

    /// Walks a document. What stands where something else was expected is a problem; the
    /// problems of each part belong to its line.
    pub fn walk(
        &mut self,
        reader: &mut dyn Read,
        document: &'static Document,
        mut take: impl FnMut(&mut Report, Part<'_>, u64),
    ) -> io::Result<End> {
        let max_bytes = self.limits.input_bytes;
        let end = walk(reader, max_bytes, document, &mut |part, line| {
            if matches!(part, Part::Whole(..) | Part::Wrong(..)) {
                self.notes.go_to(line);
                self.notes.enter(None);
            }
            match part {
                Part::Wrong(name, fault) => self.notes.problem(format!("{name} is {fault}")),
                part => take(self, part, line),
            }
        });
        self.notes.enter(None);
        end
    }

    /// Notes how the reading of a document ended, of which so many lines stood before.
    pub fn ended(&mut self, end: End, n_lines_before: u64) {
        let (line, reason) = match end {
            End::Whole => return,
            End::Limit(_) => return self.cut = Some(size(self.limits.input_bytes)),
            End::Early(line) => (line, "the document ends too early; what was whole is used"),
            End::Broken(line) => (line, "not valid JSON from here on; what was whole is used"),
        };
        self.is_partial = true;
        self.notes.go_to(n_lines_before + line);
        self.notes.problem(reason);
    }

    pub fn has_missed(&self) -> bool {
        self.cut.is_some() || self.n_left_out > 0 || self.notes.n_put_aside() > 0
    }

    /// Lets the tools say how far they looked. What was not read or not understood may be
    /// what seems to be gone; a case that passed has passed all the same.
    fn state_reach(&mut self) {
        let is_whole = !self.is_partial && !self.has_missed();
        for sourced in &mut self.events {
            let Event::Verdict(verdict) = &mut sourced.event else { continue };
            let Some(reach) = self.reach.remove(&verdict.author) else { continue };
            let passed = Reach { passed: reach.passed.clone(), ..Reach::default() };
            verdict.reach = if is_whole { reach } else { passed };
        }
    }

    pub fn finish(mut self) -> Record {
        self.state_reach();
        self.notes.go_to(0);
        let is_found = |it: &Sourced| matches!(it.event, Event::Finding(_));
        // Where not one of its findings could be read, nothing is known of what it looked for.
        let is_unread = self.notes.n_put_aside() > 0 && !self.events.iter().any(is_found);
        let is_cut = self.is_partial || self.cut.is_some() || self.n_left_out > 0 || is_unread;
        if self.n_left_out > 0 {
            self.notes.problem(left_out(self.n_left_out));
        }
        let source = self.notes.source();
        let run = Sourced { source: source.clone(), event: Event::Run(self.run) };
        let n_put_aside = self.notes.n_put_aside() + self.n_left_out;
        let mut problems = self.notes.into_problems();
        problems.extend(self.cut.map(|limit| {
            let reason = format!("the input is larger than {limit}; the rest was not read");
            Problem::new(source, reason)
        }));
        Record {
            events: Some(run).filter(|_| self.has_run).into_iter().chain(self.events).collect(),
            problems,
            n_put_aside,
            is_cut,
            channel: Some(Origin::Reviewer),
            is_run_by_task: false,
            is_report: true,
            is_review: false,
            asked: Asked::default(),
            messages: Vec::new(),
            heard: Vec::new(),
        }
    }

    pub fn object<'a>(&'a self, value: &'a Value, what: &str) -> Option<Fields<'a>> {
        let object = value.as_object().map(|object| self.fields(object));
        if object.is_none() {
            self.notes.put_finding_aside(format!("{what} is not an object"));
        }
        object
    }

    pub fn fields<'a>(&'a self, object: &'a Object) -> Fields<'a> {
        Fields::new(object, &self.notes)
    }
}

pub fn left_out(n: u64) -> String {
    format!("{n} more findings were left out: of one report {MAX_FINDINGS} are used")
}

/// The start of a text, at most so many bytes; never the first half of a secret.
pub use hardwon_core::gate::start_of as cut;

/// A text with its end cut off if it is long, at the end of a line where there is one.
pub fn shortened(text: &str) -> String {
    let text = text.trim();
    if text.len() <= MAX_TEXT_BYTES {
        return text.to_owned();
    }
    let start = cut(text, MAX_TEXT_BYTES);
    let at_line = start.rfind('\n').filter(|at| *at > MAX_TEXT_BYTES / 2);
    start[..at_line.unwrap_or(start.len())].trim_end().to_owned()
}

pub fn test_text(name: &str, is_flaky: bool, message: &str) -> String {
    let verb = if is_flaky { "is flaky" } else { "fails" };
    let text = format!("Test {name} {verb}: {message}");
    text.trim_end_matches(": ").to_owned()
}

/// What a program printed, marked as that.
pub fn output(text: &str) -> Option<String> {
    let text = shortened(&text.replace("```", "'''"));
    (!text.is_empty()).then(|| format!("```\n{text}\n```"))
}

/// The first line of a text that says something, not too long.
pub fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(cut(line, MAX_FIRST_BYTES).to_owned())
}

pub fn first_lines(text: &str, n: usize) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take(n).collect::<Vec<_>>().join(" ")
}

/// A path as it is written in a URI: `file://` off, `%20` decoded.
pub fn path_of_uri(uri: &str) -> String {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let path = path.strip_prefix("localhost/").map_or(path, |_| &path["localhost".len()..]);
    let decoded = percent::decoded(path);
    let path = String::from_utf8_lossy(&decoded);
    path.strip_prefix("./").unwrap_or(&path).to_owned()
}

/// An id that names a run, whatever a foreign format calls it: the text itself where it can name a
/// run, else a name derived from it.
pub fn run_name(text: &str) -> String {
    match RunId::parse(text) {
        Ok(_) => text.to_owned(),
        Err(_) => RunId::derived(&sha256(&[text])).as_str().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_become_paths() {
        let cases = [
            ("src/a.rs", "src/a.rs"),
            ("./src/a.rs", "src/a.rs"),
            ("file:///home/x/my%20file.c", "/home/x/my file.c"),
            ("file://localhost/home/x", "/home/x"),
            ("gr%C3%B6%C3%9Fe.rs", "größe.rs"),
            ("100%", "100%"),
            ("%zz%2", "%zz%2"),
            ("%é1", "%é1"),
        ];
        for (uri, path) in cases {
            assert_eq!(path_of_uri(uri), path, "{uri}");
        }
    }

    #[test]
    fn long_texts_are_cut_at_a_line_or_a_letter() {
        assert_eq!(shortened("  a \n"), "a");
        assert!(shortened(&"é".repeat(2000)).len() <= MAX_TEXT_BYTES);
        let lines = format!("{}\n{}", "a".repeat(1400), "b".repeat(1400));
        assert_eq!(shortened(&lines).len(), 1400);
    }
}
