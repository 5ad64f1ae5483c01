//! What do the artifacts of a geas task state? Each is one JSON document, and its published
//! shapes contradict each other: header in an envelope or beside the fields, fields that
//! others rely on left out, roles that are in no list. So a document is recognized by what
//! is in it, and everything but that may be missing. What the task was, and how it ended, is
//! in `geas::task`.

mod place;
mod task;

pub use place::{OF_TASKS, place_of, place_order};
pub use task::scope_of;

use hardwon_core::episode::Episode;
use hardwon_core::event::{
    Event, FindingStated, RunStated, SuggestionKind, SuggestionStated, VerdictStated,
};
use hardwon_core::finding::{FindingState, Grade};
use hardwon_core::gate::as_name;
use hardwon_core::trigger::Trigger;
use serde_json::Value;

use crate::fields::Fields;
use crate::json::Object;
use crate::notes::Notes;

/// Up to here, of 1 to 5, a worker doubts its own work: geas's own number, part of the format.
const LOW_CONFIDENCE: f64 = 2.0;

/// Where a suggestion or concern that is an object keeps its words.
const TEXT_FIELDS: [&str; 5] = ["concern", "text", "summary", "title", "description"];

/// Fields that stand beside `confidence` in a self-check, and nowhere else.
const CHECKED: [&str; 3] = ["untested_paths", "possible_stubs", "what_to_test_next"];

const MAX_ITEMS: usize = 1000;

pub fn is_artifact(object: &Object) -> bool {
    states_something(object) || is_silent(object)
}

fn states_something(object: &Object) -> bool {
    let has = |name: &str| has(object, name);
    has("memory_candidates")
        || is_failure(object)
        || has("recovery_class")
        || is_review(object)
        || is_self_check(object)
        || task::is_about_task(object)
}

/// Whether it is a document of geas, by its header, in which nothing of this may stand.
fn is_silent(object: &Object) -> bool {
    let meta = object.get("meta").and_then(Value::as_object).unwrap_or(object);
    ["artifact_type", "artifact_id", "producer_type"].iter().all(|name| has(meta, name))
}

pub fn events(object: &Object, notes: &Notes) -> Vec<Event> {
    if !is_artifact(object) {
        notes.problem("none of the geas documents that are read: it is skipped");
        return Vec::new();
    }
    if !states_something(object) {
        return Vec::new();
    }
    let fields = Fields::new(object, notes);
    let meta = fields.silent_object("meta");
    let place = place::place_of(&notes.source().input);
    let mut document = Document { fields, meta, place, events: Vec::new() };
    document.run(object);
    if is_failure(object) {
        document.failure();
    }
    if let Some(class) = document.class("recovery_class") {
        document.count(Trigger::RecoveryClass, "recovery", "info", &class);
    }
    if is_review(object) {
        document.review();
    }
    if is_self_check(object) {
        document.self_check();
    }
    document.count_of_task(object);
    document.suggestions("memory_candidates", SuggestionKind::MemoryCandidate);
    document.suggestions("memory_suggestions", SuggestionKind::MemorySuggestion);
    document.events
}

fn has(object: &Object, name: &str) -> bool {
    object.get(name).is_some_and(|value| !value.is_null())
}

fn is_failure(object: &Object) -> bool {
    ["failed_at_state", "failure_reason", "failure_class"].iter().any(|name| has(object, name))
}

fn is_review(object: &Object) -> bool {
    has(object, "reviewer_type") && (has(object, "status") || has(object, "blocking_concerns"))
}

fn is_self_check(object: &Object) -> bool {
    let is_rated = has(object, "confidence") && CHECKED.iter().any(|name| has(object, name));
    has(object, "known_risks") || is_rated
}

struct Document<'a> {
    fields: Fields<'a>,
    /// The header, where it stands in an envelope.
    meta: Option<Fields<'a>>,
    /// Mission and task, as its path tells them.
    place: place::Place,
    events: Vec<Event>,
}

impl<'a> Document<'a> {
    /// The fields among which this one stands: beside the others, or in the envelope.
    fn holder(&self, name: &str) -> Option<Fields<'a>> {
        if self.fields.has(name) { Some(self.fields) } else { self.meta }
    }

    fn word(&self, name: &str) -> Option<String> {
        let word = self.holder(name)?.id(name)?.trim().to_owned();
        Some(word).filter(|word| !word.is_empty())
    }

    /// The first items of a list: one document must not fill memory.
    fn items(&self, name: &str) -> &'a [Value] {
        let items = self.fields.list(name).unwrap_or_default();
        if items.len() > MAX_ITEMS {
            self.fields.notes.problem(format!("field \"{name}\" has more than {MAX_ITEMS} items"));
        }
        &items[..items.len().min(MAX_ITEMS)]
    }

    /// A class as it is counted: geas writes the same one in more than one case.
    fn class(&self, name: &str) -> Option<String> {
        let class = self.word(name)?.to_lowercase();
        if as_name(&class).is_none() {
            // It would stand in a lesson's fixed words, which are not read twice.
            self.fields.notes.problem(format!("field \"{name}\" is no name; it is not counted"));
            return None;
        }
        Some(class)
    }

    /// A document that names no task says more about the run before it.
    fn run(&mut self, object: &Object) {
        let task = self.word("task_id").or_else(|| self.word("focus_task_id"));
        let task = task.or_else(|| self.place.task.clone());
        let session = self.place.mission.clone().or_else(|| self.word("mission_id"));
        // Only a task's last document says when it ended; the others would undo that.
        let last = self.holder("created_at").filter(|_| self.fields.has("memory_candidates"));
        let finished = last.and_then(|last| last.time("created_at"));
        if task.is_some() || finished.is_some() {
            let episode = Episode { session, ..Episode::default() };
            let stated = RunStated { task, finished, episode, ..RunStated::default() };
            self.events.push(Event::Run(self.told_of_task(object, stated)));
        }
    }

    fn failure(&mut self) {
        let names = ["failure_class", "failure_source", "failed_at_state"];
        let class = names.iter().find_map(|name| self.class(name));
        let reason = "a failure without \"failure_reason\"";
        if let Some(text) = self.fields.finding_words("failure_reason", reason) {
            self.finding(FindingStated {
                author: Some("failure-record".to_owned()),
                severity: Some("bug".to_owned()),
                category: class.clone(),
                text,
                ..FindingStated::default()
            });
        }
        if let Some(class) = class {
            self.count(Trigger::FailureClass, "failure-record", "bug", &class);
        }
    }

    fn review(&mut self) {
        let reviewer = self.word("reviewer_type").unwrap_or_else(|| "reviewer".to_owned());
        self.verdict(&reviewer, None);
        let mut categories: Vec<String> = Vec::new();
        for concern in self.items("blocking_concerns") {
            let category = self.concern(concern, &reviewer);
            categories.extend(category.filter(|category| !categories.contains(category)));
        }
        for category in categories.iter().filter(|category| as_name(category).is_some()) {
            self.count(Trigger::ReviewCategory, &reviewer, "warning", category);
        }
    }

    fn verdict(&mut self, author: &str, grade: Option<Grade>) {
        let author = author.to_owned();
        let verdict = VerdictStated { author, grade, ..VerdictStated::default() };
        self.events.push(Event::Verdict(verdict));
    }

    fn concern(&mut self, concern: &Value, reviewer: &str) -> Option<String> {
        let notes = self.fields.notes;
        let Some(text) = text_of(concern) else {
            notes.put_finding_aside("a concern without words");
            return None;
        };
        let fields = concern.as_object().map(|concern| Fields::new(concern, notes));
        let word = |name: &str| fields.and_then(|fields| fields.words(name));
        let category = word("category").map(|word| word.trim().to_lowercase());
        // A concern that blocks is never a mere note.
        let severity = word("severity").filter(|word| word.trim().to_lowercase() != "minor");
        self.finding(FindingStated {
            author: Some(reviewer.to_owned()),
            severity: severity.or(Some("warning".to_owned())),
            category: category.clone(),
            text,
            state: (concern["resolved"] == true).then_some(FindingState::Fixed),
            ..FindingStated::default()
        });
        category
    }

    fn self_check(&mut self) {
        // A worker's word about its own work is reasoning.
        self.verdict("self-check", Some(Grade::Reasoned));
        if self.confidence().is_none_or(|confidence| confidence > LOW_CONFIDENCE) {
            return;
        }
        // Not in every self-check; then the producer shows what sort of work it was.
        match self.class("task_kind").or_else(|| self.class("producer_type")) {
            Some(kind) => self.count(Trigger::LowConfidence, "self-check", "info", &kind),
            None => {
                let reason = "low confidence without a \"task_kind\" is not counted";
                self.fields.notes.problem(reason);
            }
        }
    }

    /// 1 to 5, as a number, in words ("2", "2/5"), or left out.
    fn confidence(&self) -> Option<f64> {
        let number = match self.fields.value("confidence")? {
            Value::String(text) => text.split('/').next().and_then(|text| text.trim().parse().ok()),
            other => other.as_f64(),
        };
        let number = number.filter(|number| (1.0..=5.0).contains(number));
        if number.is_none() {
            self.fields.notes.problem("field \"confidence\" is not a number from 1 to 5");
        }
        number
    }

    fn suggestions(&mut self, name: &str, kind: SuggestionKind) {
        let items = self.items(name);
        let author = match kind {
            SuggestionKind::MemoryCandidate => Some("retrospective".to_owned()),
            SuggestionKind::MemorySuggestion => {
                self.word("reviewer_type").or_else(|| self.word("producer_type"))
            }
        };
        let author = author.unwrap_or_else(|| "self-check".to_owned());
        for (index, item) in items.iter().enumerate() {
            let position = format!("{name}[{index}]");
            let Some(text) = text_of(item) else {
                self.fields.notes.problem(format!("{position} has no words"));
                continue;
            };
            let stated = SuggestionStated { author: author.clone(), text, kind, position };
            self.events.push(Event::Suggestion(stated));
        }
    }

    /// One more of a class: the same words each time, so that it is recognized.
    fn count(&mut self, trigger: Trigger, author: &str, severity: &str, class: &str) {
        let category = if trigger == Trigger::LowConfidence { "low_confidence" } else { class };
        self.finding(FindingStated {
            author: Some(author.to_owned()),
            severity: Some(severity.to_owned()),
            category: Some(category.to_owned()),
            rule: Some(trigger.rule()),
            text: trigger.text(class),
            ..FindingStated::default()
        });
    }

    fn finding(&mut self, stated: FindingStated) {
        let state = stated.state.or(Some(FindingState::Open));
        self.events.push(Event::Finding(FindingStated { state, ..stated }));
    }
}

/// The words of an item that is a text, or an object with one.
pub fn text_of(item: &Value) -> Option<String> {
    let in_fields = || TEXT_FIELDS.iter().find_map(|name| item.get(*name)?.as_str());
    let text = item.as_str().or_else(in_fields)?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}
