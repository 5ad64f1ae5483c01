//! What happened to memory, one object a message: for `events`, and, without the words
//! of lessons, for the file in which messages are kept.

use crate::answer::{Answer, Heard, Message, MessageKind, Said};
use hardwon_core::lesson::State;
use hardwon_core::reflect::Scenario;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer;
use super::value::{Decimal, Time, Word, round};

#[derive(Serialize, JsonSchema)]
pub(super) struct EventsWire {
    /// Oldest first.
    events: Vec<EventWire>,
}

/// One message. Which fields it has follows from its type.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Event")]
struct EventWire {
    #[serde(rename = "type")]
    kind: Word<MessageKind>,
    ts: Time,
    project: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario: Option<Word<Scenario>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson: Option<String>,
    /// The lesson's text; `[erased]` if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    importance: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Word<State>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Word<State>>,
    /// Of many the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    lessons: Option<Vec<EventLessonWire>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventLesson")]
struct EventLessonWire {
    id: String,
    summary: String,
}

/// `events --json`: all of them in one object.
pub fn events(said: &Answer<Vec<Heard>>) -> Value {
    answer(said, EventsWire { events: said.body.iter().map(wire).collect() })
}

/// The same in another system's words.
pub fn told_events(said: &Answer<Vec<Heard>>, events: Vec<Value>) -> Value {
    answer(said, json!({"events": events}))
}

/// One message as one object, with the words of its lessons.
pub fn event(heard: &Heard) -> Value {
    serde_json::to_value(wire(heard)).expect("wire structs have string keys and finite numbers")
}

/// One message as it is kept: which lessons, not what they say.
pub fn kept_event(message: &Message) -> Value {
    let mut kept = Map::new();
    kept.insert("type".to_owned(), json!(message.said.kind()));
    kept.insert("ts".to_owned(), json!(message.at.to_string()));
    kept.insert("project".to_owned(), json!(message.project.as_str()));
    let fields: Vec<(&str, Value)> = match &message.said {
        Said::ReflectionStart { scenario, session, run } => {
            let run = run.as_ref().map(|run| run.as_str());
            vec![("scenario", json!(scenario)), ("session", json!(session)), ("run", json!(run))]
        }
        Said::ReflectionComplete { scenario, n_created, n_updated } => vec![
            ("scenario", json!(scenario)),
            ("created", json!(n_created)),
            ("updated", json!(n_updated)),
        ],
        Said::LessonHighlight { lesson, importance } => {
            vec![("lesson", json!(lesson.as_str())), ("importance", json!(round(*importance)))]
        }
        Said::LessonsAdded { n, scenario, lessons } => {
            let ids: Vec<&str> = lessons.iter().map(|lesson| lesson.as_str()).collect();
            vec![("count", json!(n)), ("scenario", json!(scenario)), ("lessons", json!(ids))]
        }
        Said::Promoted { lesson, from, to } | Said::Decayed { lesson, from, to } => {
            vec![("lesson", json!(lesson.as_str())), ("from", json!(from)), ("to", json!(to))]
        }
    };
    let is_said = |(_, value): &(&str, Value)| !value.is_null();
    let fields = fields.into_iter().filter(is_said);
    kept.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    Value::Object(kept)
}

fn wire(heard: &Heard) -> EventWire {
    let Message { at, project, said } = &heard.message;
    let bare = EventWire {
        kind: Word(said.kind()),
        ts: Time(*at),
        project: project.to_string(),
        scenario: None,
        session: None,
        run: None,
        created: None,
        updated: None,
        count: None,
        lesson: None,
        summary: None,
        importance: None,
        from: None,
        to: None,
        lessons: None,
    };
    let summary = || heard.lessons.first().map(|named| named.text.clone());
    match said {
        Said::ReflectionStart { scenario, session, run } => EventWire {
            scenario: Some(Word(*scenario)),
            session: session.clone(),
            run: run.as_ref().map(ToString::to_string),
            ..bare
        },
        Said::ReflectionComplete { scenario, n_created, n_updated } => EventWire {
            scenario: Some(Word(*scenario)),
            created: Some(*n_created as u64),
            updated: Some(*n_updated as u64),
            ..bare
        },
        Said::LessonHighlight { lesson, importance } => EventWire {
            lesson: Some(lesson.to_string()),
            summary: summary(),
            importance: Some(Decimal(*importance)),
            ..bare
        },
        Said::LessonsAdded { n, scenario, .. } => EventWire {
            count: Some(*n as u64),
            scenario: scenario.map(Word),
            lessons: Some(heard.lessons.iter().map(lesson).collect()),
            ..bare
        },
        Said::Promoted { lesson, from, to } | Said::Decayed { lesson, from, to } => EventWire {
            lesson: Some(lesson.to_string()),
            summary: summary(),
            from: Some(Word(*from)),
            to: Some(Word(*to)),
            ..bare
        },
    }
}

fn lesson(named: &crate::answer::Named) -> EventLessonWire {
    EventLessonWire { id: named.id.to_string(), summary: named.text.clone() }
}
