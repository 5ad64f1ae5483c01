//! What does a tool's report amount to? Collects findings and detectors of one report in
//! bounded memory, whatever its format, and says once what was too much.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::event::{Event, FindingStated, Record, RunStated, Sourced, VerdictStated};
use hardwon_core::finding::FindingState;
use hardwon_core::fixed::Reach;
use hardwon_core::lesson::Origin;
use hardwon_core::run::Outcome;
use serde_json::Value;

use crate::Limits;
use crate::json::{Fields, Object};
use crate::lines::size;
use crate::notes::Notes;
use crate::stream::End;

/// Most findings that are taken from one report. A run with more says the same things over
/// and over, and each costs memory until the run is written.
pub const MAX_FINDINGS: usize = 2_000;

/// Most tests of one report of which it is kept that they passed: eight bytes each.
pub const MAX_PASSED: usize = 250_000;

/// Most files of one report of which it is kept that they were looked at.
pub const MAX_FILES: usize = 20_000;

/// Most bytes of one text that are kept: what is longer is output, not a finding.
const MAX_TEXT_BYTES: usize = 1500;

/// A report that is being read.
pub struct Report {
    pub notes: Notes,
    events: Vec<Sourced>,
    authors: BTreeSet<String>,
    /// How far each tool looked.
    reach: BTreeMap<String, Reach>,
    is_whole: bool,
    run: RunStated,
    has_run: bool,
    n_findings: usize,
    n_left_out: u64,
    cut: Option<String>,
}

impl Report {
    pub fn new(input: &str, limits: Limits) -> Self {
        Report {
            notes: Notes::new(input, limits.n_problems),
            events: Vec::new(),
            authors: BTreeSet::new(),
            reach: BTreeMap::new(),
            is_whole: true,
            run: RunStated::default(),
            has_run: false,
            n_findings: 0,
            n_left_out: 0,
            cut: None,
        }
    }

    /// What the report says about the run it belongs to.
    pub fn run(&mut self) -> &mut RunStated {
        self.has_run = true;
        &mut self.run
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

    /// Not all that should have been looked at was.
    pub fn is_not_all(&mut self) {
        self.is_whole = false;
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

    /// The limit that was met.
    pub fn cut(&mut self, limit: String) {
        self.cut = Some(limit);
    }

    /// So many more than could be kept were seen.
    pub fn left_out(&mut self, n: u64) {
        self.n_left_out += n;
    }

    pub fn push(&mut self, event: Event) {
        let source = self.notes.source().clone();
        self.events.push(Sourced { source, event });
    }

    /// Says how the reading of a document ended.
    pub fn ended(&mut self, end: End, limits: Limits) {
        match end {
            End::Whole => {}
            End::Limit(_) => self.cut = Some(size(limits.input_bytes)),
            End::Early(line) => {
                self.is_whole = false;
                self.notes.go_to(line);
                self.notes.problem("the document ends too early; what was whole is used");
            }
            End::Broken(line) => {
                self.is_whole = false;
                self.notes.go_to(line);
                self.notes.problem("not valid JSON from here on; what was whole is used");
            }
        }
    }

    /// Lets the tools say how far they looked. What was not read or not understood may be
    /// what seems to be gone; a case that passed has passed all the same.
    fn state_reach(&mut self) {
        let has_missed = self.n_left_out > 0 || self.notes.n_put_aside() > 0;
        let is_whole = self.is_whole && self.cut.is_none() && !has_missed;
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
        if self.n_left_out > 0 {
            self.notes.problem(left_out(self.n_left_out));
        }
        if let Some(limit) = &self.cut {
            let reason = format!("the input is larger than {limit}; the rest was not read");
            self.notes.problem(reason);
        }
        let mut events = Vec::with_capacity(self.events.len() + 1);
        if self.has_run {
            let source = self.notes.source().clone();
            events.push(Sourced { source, event: Event::Run(self.run) });
        }
        events.extend(self.events);
        Record {
            events,
            n_put_aside: self.notes.n_put_aside() + self.n_left_out,
            problems: self.notes.into_problems(),
            is_cut: self.cut.is_some() || self.n_left_out > 0,
            channel: Some(Origin::Reviewer),
            is_run_by_task: false,
            is_report: true,
        }
    }

    /// The fields of a value that has to be an object.
    pub fn fields<'o>(&mut self, value: &'o Value, what: &str) -> Option<&'o Object> {
        let object = value.as_object();
        if object.is_none() {
            self.notes.put_finding_aside(format!("{what} is not an object"));
        }
        object
    }

    pub fn of<'o>(&mut self, object: &'o Object) -> Fields<'o, '_> {
        Fields::new(object, &mut self.notes)
    }
}

/// So many findings were too many.
pub fn left_out(n: u64) -> String {
    format!("{n} more findings were left out: of one report {MAX_FINDINGS} are used")
}

/// Who suppressed or resolved something decides what became of it.
pub fn state_if(is_so: bool, state: FindingState) -> Option<FindingState> {
    is_so.then_some(state)
}

/// A text with its end cut off if it is long, at the end of a line where there is one.
pub fn shortened(text: &str) -> String {
    let text = text.trim();
    if text.len() <= MAX_TEXT_BYTES {
        return text.to_owned();
    }
    let mut end = MAX_TEXT_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = &text[..end];
    let at_line = cut.rfind('\n').filter(|at| *at > MAX_TEXT_BYTES / 2);
    cut[..at_line.unwrap_or(end)].trim_end().to_owned()
}

/// What a program printed, marked as that.
pub fn output(text: &str) -> Option<String> {
    let text = shortened(&text.replace("```", "'''"));
    (!text.is_empty()).then(|| format!("```\n{text}\n```"))
}

/// The first lines of an output that say something.
pub fn first_lines(text: &str, n: usize) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take(n).collect::<Vec<_>>().join(" ")
}

/// A path as it is written in a URI: `file://` off, `%20` decoded.
pub fn path_of_uri(uri: &str) -> String {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let path = path.strip_prefix("localhost/").map_or(path, |_| &path["localhost".len()..]);
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| path.get(at + 1..at + 3)).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    let path = String::from_utf8_lossy(&decoded).into_owned();
    path.strip_prefix("./").map_or(path.clone(), str::to_owned)
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
