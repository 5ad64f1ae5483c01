//! What do the artifacts of a geas task state? Each is one JSON document, and its published
//! shapes contradict each other: header in an envelope or beside the fields, fields that
//! others rely on left out, roles that are in no list. So a document is told by what is in
//! it, and everything but that may be missing.

use hardwon_core::event::{
    Event, FindingStated, RunStated, SuggestionKind, SuggestionStated, VerdictStated,
};
use hardwon_core::finding::{FindingState, Grade};
use hardwon_core::gate::as_name;
use hardwon_core::trigger::Trigger;
use serde_json::Value;

use crate::json::{Fields, Object};
use crate::notes::Notes;

/// Up to here, of 1 to 5, a worker doubts its own work: geas's own number, part of the format.
const LOW_CONFIDENCE: f64 = 2.0;

/// Where a suggestion or concern that is an object keeps its words.
const TEXT_FIELDS: [&str; 5] = ["concern", "text", "summary", "title", "description"];

/// Fields that stand beside `confidence` in a self-check, and nowhere else.
const CHECKED: [&str; 3] = ["untested_paths", "possible_stubs", "what_to_test_next"];

/// Most concerns or suggestions that one document is believed to be about.
const MAX_ITEMS: usize = 1000;

/// Whether an object is one of the documents that are read here.
pub fn is_artifact(object: &Object) -> bool {
    let has = |name: &str| has(object, name);
    has("memory_candidates")
        || is_failure(object)
        || has("recovery_class")
        || is_review(object)
        || is_self_check(object)
}

/// What one document states.
pub fn events(object: &Object, notes: &mut Notes) -> Vec<Event> {
    if !is_artifact(object) {
        notes.problem("none of the geas documents that are read: it is skipped");
        return Vec::new();
    }
    let mut document = Document { object, notes, events: Vec::new() };
    document.run();
    if is_failure(object) {
        document.failure();
    }
    document.recovery();
    if is_review(object) {
        document.review();
    }
    if is_self_check(object) {
        document.self_check();
    }
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

/// A document that is being read.
struct Document<'o, 'n> {
    object: &'o Object,
    notes: &'n mut Notes,
    events: Vec<Event>,
}

impl<'o> Document<'o, '_> {
    /// A word of the header or the body: beside the other fields, or in the envelope.
    fn word(&mut self, name: &'static str) -> Option<String> {
        let mut fields = Fields::new(self.object, self.notes);
        let stated = if fields.has(name) {
            fields.id(name)
        } else {
            let meta = self.object.get("meta").and_then(Value::as_object)?;
            Fields::new(meta, self.notes).id(name)
        };
        stated.map(|word| word.trim().to_owned()).filter(|word| !word.is_empty())
    }

    /// The first items of a list: one document must not fill memory with its wishes.
    fn items(&mut self, name: &'static str) -> &'o [Value] {
        let items = Fields::new(self.object, self.notes).list(name).unwrap_or_default();
        if items.len() > MAX_ITEMS {
            self.notes.problem(format!("field \"{name}\" has more than {MAX_ITEMS} items"));
        }
        &items[..items.len().min(MAX_ITEMS)]
    }

    /// A class as it is counted: geas writes the same one in more than one case.
    fn class(&mut self, name: &'static str) -> Option<String> {
        let class = self.word(name)?.to_lowercase();
        if as_name(&class).is_none() {
            // It would stand in a lesson's fixed words, which nobody reads twice.
            self.notes.problem(format!("field \"{name}\" is no name; it is not counted"));
            return None;
        }
        Some(class)
    }

    /// A document that names no task says more about the run that is being told.
    fn run(&mut self) {
        let task = self.word("task_id");
        // Only a task's last document says when it ended; the others would take that back.
        let is_last = has(self.object, "memory_candidates");
        let finished = if is_last && has(self.object, "created_at") {
            Fields::new(self.object, self.notes).time("created_at")
        } else {
            let meta = self.object.get("meta").and_then(Value::as_object);
            let meta = meta.filter(|_| is_last);
            meta.and_then(|meta| Fields::new(meta, self.notes).time("created_at"))
        };
        if task.is_some() || finished.is_some() {
            self.events.push(Event::Run(RunStated { task, finished, ..RunStated::default() }));
        }
    }

    fn failure(&mut self) {
        let class = self.class("failure_class");
        let class = class.or_else(|| self.class("failure_source"));
        let class = class.or_else(|| self.class("failed_at_state"));
        match Fields::new(self.object, self.notes).words("failure_reason") {
            Some(text) => self.finding(FindingStated {
                author: Some("failure-record".to_owned()),
                severity: Some("bug".to_owned()),
                category: class.clone(),
                text,
                ..FindingStated::default()
            }),
            None => self.notes.put_finding_aside("a failure without \"failure_reason\""),
        }
        if let Some(class) = class {
            self.count(Trigger::FailureClass, "failure-record", "bug", &class);
        }
    }

    fn recovery(&mut self) {
        if let Some(class) = self.class("recovery_class") {
            self.count(Trigger::RecoveryClass, "recovery", "info", &class);
        }
    }

    fn review(&mut self) {
        let reviewer = self.word("reviewer_type").unwrap_or_else(|| "reviewer".to_owned());
        self.events.push(Event::Verdict(VerdictStated {
            author: reviewer.clone(),
            ..VerdictStated::default()
        }));
        let concerns = self.items("blocking_concerns");
        let mut categories: Vec<String> = Vec::new();
        for concern in concerns {
            let category = self.concern(concern, &reviewer);
            categories.extend(category.filter(|category| !categories.contains(category)));
        }
        for category in categories.iter().filter(|category| as_name(category).is_some()) {
            self.count(Trigger::ReviewCategory, &reviewer, "warning", category);
        }
    }

    /// States one concern, and gives its category.
    fn concern(&mut self, concern: &Value, reviewer: &str) -> Option<String> {
        let Some(text) = text_of(concern) else {
            self.notes.put_finding_aside("a concern without words");
            return None;
        };
        let mut stated = FindingStated {
            author: Some(reviewer.to_owned()),
            severity: Some("warning".to_owned()),
            text,
            ..FindingStated::default()
        };
        if let Value::Object(concern) = concern {
            let mut fields = Fields::new(concern, self.notes);
            stated.category = fields.words("category").map(|word| word.trim().to_lowercase());
            stated.severity = fields.words("severity").map(severity).or(stated.severity);
        }
        let is_resolved = concern.get("resolved").and_then(Value::as_bool) == Some(true);
        if is_resolved {
            stated.state = Some(FindingState::Fixed);
        }
        let category = stated.category.clone();
        self.finding(stated);
        category
    }

    fn self_check(&mut self) {
        // A worker's word about its own work is reasoning.
        self.events.push(Event::Verdict(VerdictStated {
            author: "self-check".to_owned(),
            grade: Some(Grade::Reasoned),
            ..VerdictStated::default()
        }));
        let Some(confidence) = self.confidence() else { return };
        if confidence > LOW_CONFIDENCE {
            return;
        }
        // Not in every self-check; then who did the work tells what sort of work it was.
        let kind = self.class("task_kind").or_else(|| self.class("producer_type"));
        match kind {
            Some(kind) => self.count(Trigger::LowConfidence, "self-check", "info", &kind),
            None => self.notes.problem("low confidence without a \"task_kind\" is not counted"),
        }
    }

    /// 1 to 5, as a number, in words ("2", "2/5"), or left out.
    fn confidence(&mut self) -> Option<f64> {
        let stated = self.object.get("confidence").filter(|value| !value.is_null())?;
        let number = match stated {
            Value::String(text) => text.split('/').next().and_then(|text| text.trim().parse().ok()),
            other => other.as_f64(),
        };
        let number = number.filter(|number| (1.0..=5.0).contains(number));
        if number.is_none() {
            self.notes.problem("field \"confidence\" is not a number from 1 to 5");
        }
        number
    }

    fn suggestions(&mut self, name: &'static str, kind: SuggestionKind) {
        let items = self.items(name);
        let author = self.suggests(kind);
        for item in items {
            match text_of(item) {
                Some(text) => {
                    let stated = SuggestionStated { author: author.clone(), text, kind };
                    self.events.push(Event::Suggestion(stated));
                }
                None => self.notes.problem(format!("field \"{name}\" has an item without words")),
            }
        }
    }

    fn suggests(&mut self, kind: SuggestionKind) -> String {
        match kind {
            SuggestionKind::MemoryCandidate => "retrospective".to_owned(),
            SuggestionKind::MemorySuggestion => {
                let author = self.word("reviewer_type").or_else(|| self.word("producer_type"));
                author.unwrap_or_else(|| "self-check".to_owned())
            }
        }
    }

    /// One more of a class: the same words each time, so that it is recognized.
    fn count(&mut self, trigger: Trigger, author: &str, severity: &str, class: &str) {
        let category = match trigger {
            Trigger::FailureClass | Trigger::ReviewCategory | Trigger::RecoveryClass => class,
            Trigger::LowConfidence => "low_confidence",
        };
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
fn text_of(item: &Value) -> Option<String> {
    let in_fields = || TEXT_FIELDS.iter().find_map(|name| item.get(*name)?.as_str());
    let text = item.as_str().or_else(in_fields)?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// A concern that blocks is never a mere note.
fn severity(word: String) -> String {
    match word.trim().to_lowercase().as_str() {
        "minor" => "warning".to_owned(),
        _ => word,
    }
}
