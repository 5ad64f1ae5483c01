//! What was wrong with the input so far, and where? Keeps a bounded list of problems;
//! a hostile input must not fill memory with complaints about itself.

use std::fmt::Display;

use hardwon_core::event::{Problem, Source};

/// The problems of one input, and the place that is being read.
pub struct Notes {
    source: Source,
    /// What of the current line is being read, where a line holds many things.
    part: Option<String>,
    kept: Vec<Problem>,
    n_kept_at_most: usize,
    n_more: u64,
    n_put_aside: u64,
}

impl Notes {
    pub fn new(input: &str, n_kept_at_most: usize) -> Self {
        let source = Source { input: input.to_owned(), line: 0 };
        Notes { source, part: None, kept: Vec::new(), n_kept_at_most, n_more: 0, n_put_aside: 0 }
    }

    /// From here on, everything is said about this line.
    pub fn go_to(&mut self, line: u64) {
        self.source.line = line;
    }

    /// From here on, every problem is one of this part: `result 7 of run 1`.
    pub fn within(&mut self, part: String) {
        self.part = Some(part);
    }

    /// The part is read.
    pub fn without(&mut self) {
        self.part = None;
    }

    /// Takes back every problem so far: they were said before it was known what this is.
    pub fn start_over(&mut self) {
        self.kept.clear();
        self.n_more = 0;
    }

    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Notes a problem with the current line. The reason never holds its text.
    pub fn problem(&mut self, reason: impl Display) {
        if self.kept.len() < self.n_kept_at_most {
            self.kept.push(Problem::new(&self.source, self.reason(reason)))
        } else {
            self.n_more += 1
        }
    }

    fn reason(&self, reason: impl Display) -> String {
        match &self.part {
            Some(part) => format!("{part}: {reason}"),
            None => reason.to_string(),
        }
    }

    /// Notes that a finding cannot be used.
    pub fn put_finding_aside(&mut self, reason: impl Display) {
        self.n_put_aside += 1;
        self.problem(reason);
    }

    pub fn n_put_aside(&self) -> u64 {
        self.n_put_aside
    }

    pub fn first(&self) -> Option<&Problem> {
        self.kept.first()
    }

    /// All problems in order; the last one says how many were not kept.
    pub fn into_problems(mut self) -> Vec<Problem> {
        if self.n_more > 0 {
            let reason = format!("{} more problems were found and are not listed", self.n_more);
            self.kept.push(Problem::new(&self.source.input, reason));
        }
        self.kept
    }
}
