//! The gate, asked once for each text: a record is translated when it is read, and again
//! when it is compared with what its lesson has become.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;

use hardwon_core::gate::Gate;
use hardwon_core::text::Text;

/// A gate that remembers its answers.
pub struct Remembered {
    gate: Gate,
    /// Judges orders: what the user wants redacted changes nothing in them.
    standard: Gate,
    lines: Answers<String, Text>,
    words: Answers<String, Option<String>>,
    tags: Answers<Vec<String>, Vec<String>>,
    orders: Answers<String, bool>,
}

type Answers<Q, A> = RefCell<HashMap<Q, A>>;

impl Remembered {
    pub fn new(gate: Gate) -> Self {
        let (lines, words, tags, orders) = Default::default();
        Remembered { gate, standard: Gate::standard(), lines, words, tags, orders }
    }

    pub fn line(&self, raw: &str) -> Text {
        answer(&self.lines, raw, || self.gate.line(raw))
    }

    pub fn word(&self, raw: &str) -> Option<String> {
        answer(&self.words, raw, || self.gate.word(raw))
    }

    pub fn tags(&self, raw: &[String]) -> Vec<String> {
        answer(&self.tags, raw, || self.gate.tags(raw.iter().map(String::as_str)))
    }

    /// Whether a text commands its reader, however little it says.
    pub fn gives_orders(&self, raw: &str) -> bool {
        answer(&self.orders, raw, || self.standard.gives_orders(raw))
    }

    /// A record that is kept with its lesson.
    pub fn record(&self, system: &str, raw: &str) -> Text {
        self.gate.record(system, raw)
    }

    /// An empty text, for a block that was not recorded.
    pub fn nothing(&self) -> Text {
        self.gate.block(String::new())
    }
}

fn answer<Q, A>(known: &Answers<Q::Owned, A>, question: &Q, ask: impl FnOnce() -> A) -> A
where
    Q: ToOwned + Hash + Eq + ?Sized,
    Q::Owned: Hash + Eq,
    A: Clone,
{
    if let Some(known) = known.borrow().get(question) {
        return known.clone();
    }
    let answer = ask();
    known.borrow_mut().insert(question.to_owned(), answer.clone());
    answer
}
