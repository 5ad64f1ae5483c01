//! Where output goes: data to stdout, messages to stderr; text or JSON, decided once.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};

use hardwon_engine::answer::{Answer, Status};
use hardwon_engine::event::Problem;
use hardwon_engine::{harmless, harmless_json, without_control};
use hardwon_faces::Failure;
use hardwon_render::{json, text};
use serde::Serialize;
use serde_json::Value;

/// Problems shown on a terminal before the rest is only counted.
const MAX_PROBLEMS: usize = 20;

pub struct Printer {
    is_json: bool,
    /// What lessons are called in the files that are worked on.
    names: RefCell<text::Names>,
    /// Set when the answer could not be written: scripts must not assume that it was.
    trouble: Cell<Option<io::ErrorKind>>,
    /// Set when the reader of the answer is gone.
    is_closed: Cell<bool>,
}

impl Printer {
    pub fn new(is_json: bool) -> Self {
        let (names, trouble, is_closed) = Default::default();
        Printer { is_json, names, trouble, is_closed }
    }

    /// From now on calls lessons by these names, except in JSON and in blocks.
    pub fn call_lessons(&self, names: text::Names) {
        self.names.replace(names);
    }

    pub fn is_json(&self) -> bool {
        self.is_json
    }

    /// An answer: as JSON, or as text with its problems on stderr.
    pub fn answer<T: Serialize>(&self, answer: &Answer<T>, text: impl FnOnce(&T) -> String) {
        if self.is_json {
            self.json(&json::answer(answer));
            return;
        }
        self.data(&self.names.borrow().put_into(&text(&answer.body)));
        self.problems(&answer.problems);
        debug_assert!(answer.status != Status::Ok || answer.problems.is_empty());
    }

    /// One JSON document on stdout.
    pub fn json(&self, value: &Value) {
        let mut line = serde_json::to_string_pretty(value).expect("a JSON value is writable");
        line.push('\n');
        self.bytes(&harmless_json(&line));
    }

    /// One JSON document on one line of stdout.
    pub fn json_line(&self, value: &Value) {
        self.bytes(&harmless_json(&format!("{value}\n")));
    }

    /// A JSON document that is written already, as it is.
    pub fn document(&self, document: &str) {
        self.bytes(&harmless_json(&format!("{}\n", document.trim_end())));
    }

    /// Problems on stderr, the first few.
    pub fn problems(&self, problems: &[Problem]) {
        let (shown, rest) = problems.split_at(problems.len().min(MAX_PROBLEMS));
        if !shown.is_empty() {
            self.talk(text::problems(shown).trim_end());
        }
        if !rest.is_empty() {
            self.talk(&format!("… and {} more problems (--json lists all)", rest.len()));
        }
    }

    /// A failure, with the next step.
    pub fn failure(&self, failure: &Failure) {
        let message = without_control(&failure.message);
        self.talk(&format!("hardwon: {message}"));
        if let Some(hint) = failure.hint {
            self.talk(&format!("  hint: {hint}"));
        }
        if self.is_json {
            self.json_failure(failure);
        }
    }

    /// A failure as JSON on stdout.
    pub fn json_failure(&self, failure: &Failure) {
        let mut reason = without_control(&failure.message);
        if let Some(hint) = failure.hint {
            reason.push_str("; ");
            reason.push_str(hint);
        }
        self.json(&json::failed(&[Problem::new(&failure.place, reason)]));
    }

    /// Text to stdout.
    pub fn data(&self, data: &str) {
        self.bytes(&harmless(data));
    }

    /// Bytes to stdout. A reader that went away is not an error.
    fn bytes(&self, data: &str) {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(data.as_bytes()).and_then(|()| stdout.flush());
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.trouble.set(Some(error.kind()));
            }
            Ok(()) => {}
            Err(_) => self.is_closed.set(true),
        }
    }

    pub fn is_closed(&self) -> bool {
        self.is_closed.get()
    }

    /// Why the answer did not arrive, if it did not.
    pub fn trouble(&self) -> Option<io::ErrorKind> {
        self.trouble.get()
    }

    /// A line to stderr.
    pub fn talk(&self, line: &str) {
        let line = self.names.borrow().put_into(line);
        let _ = writeln!(io::stderr().lock(), "{}", harmless(&line));
    }
}
