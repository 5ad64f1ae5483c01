//! What was wrong with the input so far, and where? Keeps a bounded list of problems;
//! a hostile input must not fill memory with complaints about itself.

use std::cell::{Cell, RefCell};
use std::fmt::Display;

use hardwon_core::event::{Problem, Source};

/// The problems of one input, and the place that is being read. Everything that reads from
/// the input shares it.
#[derive(Default)]
pub struct Notes {
    input: String,
    line: Cell<u64>,
    /// What of the current line is being read, where a line holds many things.
    part: RefCell<Option<String>>,
    kept: RefCell<Vec<Problem>>,
    max_kept: usize,
    n_more: Cell<u64>,
    n_put_aside: Cell<u64>,
}

impl Notes {
    pub fn new(input: &str, max_kept: usize) -> Self {
        Notes { input: input.to_owned(), max_kept, ..Notes::default() }
    }

    /// Later problems and events belong to this line.
    pub fn go_to(&self, line: u64) {
        self.line.set(line);
    }

    /// Later problems belong to this part of the line: `result 7 of run 1`.
    pub fn enter(&self, part: Option<String>) {
        self.part.replace(part);
    }

    /// Forgets every problem so far: they were noted before the format was known.
    pub fn start_over(&self) {
        self.kept.borrow_mut().clear();
        self.n_more.set(0);
    }

    pub fn source(&self) -> Source {
        Source { input: self.input.clone(), line: self.line.get() }
    }

    /// Notes a problem with the current line. The reason never holds its text.
    pub fn problem(&self, reason: impl Display) {
        let mut kept = self.kept.borrow_mut();
        if kept.len() >= self.max_kept {
            return self.n_more.set(self.n_more.get() + 1);
        }
        let reason = match &*self.part.borrow() {
            Some(part) => format!("{part}: {reason}"),
            None => reason.to_string(),
        };
        kept.push(Problem::new(self.source(), reason));
    }

    pub fn put_finding_aside(&self, reason: impl Display) {
        self.n_put_aside.set(self.n_put_aside.get() + 1);
        self.problem(reason);
    }

    pub fn n_put_aside(&self) -> u64 {
        self.n_put_aside.get()
    }

    pub fn first(&self) -> Option<Problem> {
        self.kept.borrow().first().cloned()
    }

    /// All problems in order; the last one says how many were not kept.
    pub fn into_problems(self) -> Vec<Problem> {
        let mut kept = self.kept.into_inner();
        if self.n_more.get() > 0 {
            let reason =
                format!("{} more problems were found and are not listed", self.n_more.get());
            kept.push(Problem::new(self.input, reason));
        }
        kept
    }
}
