//! The gate, asked once for each text: a record is translated when it is read, and again
//! when it is compared with what its lesson has become.

use std::cell::RefCell;
use std::collections::HashMap;

use hardwon_core::gate::Gate;
use hardwon_core::text::Text;

/// A gate that remembers its answers.
pub struct Remembered {
    gate: Gate,
    lines: RefCell<HashMap<String, Text>>,
    words: RefCell<HashMap<String, Option<String>>>,
    tags: RefCell<HashMap<Vec<String>, Vec<String>>>,
}

impl Remembered {
    pub fn new(gate: Gate) -> Self {
        let (lines, words, tags) = Default::default();
        Remembered { gate, lines, words, tags }
    }

    pub fn line(&self, raw: &str) -> Text {
        answer(&self.lines, raw, || self.gate.line(raw))
    }

    pub fn word(&self, raw: &str) -> Option<String> {
        answer(&self.words, raw, || self.gate.word(raw))
    }

    pub fn tags(&self, raw: &[String]) -> Vec<String> {
        if let Some(known) = self.tags.borrow().get(raw) {
            return known.clone();
        }
        let tags = self.gate.tags(raw.iter().map(String::as_str));
        self.tags.borrow_mut().insert(raw.to_vec(), tags.clone());
        tags
    }

    /// No text at all, for what nobody recorded.
    pub fn nothing(&self) -> Text {
        self.gate.block(String::new())
    }
}

fn answer<T: Clone>(known: &RefCell<HashMap<String, T>>, raw: &str, ask: impl FnOnce() -> T) -> T {
    if let Some(known) = known.borrow().get(raw) {
        return known.clone();
    }
    let answer = ask();
    known.borrow_mut().insert(raw.to_owned(), answer.clone());
    answer
}
