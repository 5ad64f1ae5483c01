//! Does a line of the files command its reader? The files come with the repository, so
//! whoever can change that could put words into every prompt: such a line stays where it
//! is and becomes no lesson.

use std::cell::RefCell;
use std::collections::HashMap;

use hardwon_core::foreign::OpenagentsLesson;
use hardwon_core::gate::{Gate, Refusal};

use crate::store::layout::Shelf;

/// What a person wrote into the global file, which no repository brings along.
const MANUAL: &str = "manual";

/// The gate's word on orders, asked once for each text.
pub(super) struct Orders {
    gate: Gate,
    known: RefCell<HashMap<String, bool>>,
}

impl Orders {
    pub fn new() -> Self {
        Orders { gate: Gate::standard(), known: RefCell::default() }
    }

    /// Whether any text of a record that is ever shown commands its reader.
    pub fn are_in(&self, record: &OpenagentsLesson, shelf: &Shelf) -> bool {
        if shelf.is_of_user() && record.source == MANUAL {
            return false;
        }
        let prose = [&record.rule, &record.detail, &record.applies_when];
        let scope = [&record.repo_id, &record.task_id, &record.tool, &record.provider];
        let optional = prose.into_iter().chain(scope).flatten();
        let always = [&record.summary, &record.category, &record.source];
        optional.chain(always).chain(&record.tags).any(|text| self.are_given(text))
    }

    fn are_given(&self, text: &str) -> bool {
        if let Some(known) = self.known.borrow().get(text) {
            return *known;
        }
        // How little it says is no matter here, as it is not beside a rule and a place.
        let is_order = self.gate.located_finding(text) == Err(Refusal::GivesOrders);
        self.known.borrow_mut().insert(text.to_owned(), is_order);
        is_order
    }
}

/// What is said of such a line.
pub(super) fn reason() -> String {
    format!("{}; kept in the file, not used", Refusal::GivesOrders)
}
