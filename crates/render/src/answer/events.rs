//! Messages about changes of memory as JSON objects: for `events`, and, without the texts of
//! lessons, for the file in which messages are kept.

use hardwon_core::gate::without_control;
use hardwon_core::ids::{ProjectId, RunId};
use hardwon_core::lesson::State;
use hardwon_core::reflect::Scenario;
use hardwon_core::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Named;
use super::messages::{Message, MessageBody, MessageKind, MessageWithLessons};
use super::value::{Decimal, Time, Word};

/// Messages, each as one object.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Events {
    /// Oldest first.
    pub events: Vec<Event>,
}

/// One message. Which fields it has follows from its type.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Event {
    #[serde(rename = "type")]
    pub kind: Word<MessageKind>,
    /// Its number in the stream, each greater than the one before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    pub ts: Time,
    pub project: String,
    #[serde(flatten)]
    pub detail: EventDetail,
}

/// The fields of an event that not every type has.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct EventDetail {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<Word<Scenario>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// The lesson's text; `[erased]` if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Word<State>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Word<State>>,
    /// Of many the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lessons: Option<Vec<EventLesson>>,
}

/// A lesson that a message names.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EventLesson {
    pub id: String,
    pub summary: String,
}

/// One message as it is kept: which lessons, not what they say.
pub fn kept_event(message: &Message) -> Value {
    let Message { number, at, project, body } = message;
    let mut kept = serde_json::to_value(body).expect("messages have finite numbers");
    kept["ts"] = at.to_string().into();
    kept["project"] = project.to_string().into();
    if let Some(number) = number {
        kept["seq"] = (*number).into();
    }
    kept
}

/// A message as it was kept.
pub fn parse_event(line: &str) -> Option<Message> {
    let line: Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| line.get(name).and_then(Value::as_str);
    let (at, project) = (Timestamp::parse(text("ts")?)?, ProjectId::new(text("project")?));
    let mut body = MessageBody::deserialize(&line).ok()?;
    if let MessageBody::ReflectionStart { session, run, .. } = &mut body {
        *session = session.as_deref().map(without_control);
        *run = run.take().and_then(|run| RunId::parse(run.as_str()).ok());
    }
    Some(Message { number: line.get("seq").and_then(Value::as_u64), at, project, body })
}

impl From<&MessageWithLessons> for Event {
    fn from(shown: &MessageWithLessons) -> Self {
        Event::new(&shown.message, &shown.lessons)
    }
}

impl Event {
    fn new(message: &Message, lessons: &[Named]) -> Self {
        let Message { number, at, project, body } = message;
        Event {
            kind: Word(body.kind()),
            seq: *number,
            ts: Time(*at),
            project: project.to_string(),
            detail: EventDetail::new(body, lessons),
        }
    }
}

impl EventDetail {
    fn new(body: &MessageBody, lessons: &[Named]) -> Self {
        let summary = lessons.first().map(|named| named.text.clone());
        let none = EventDetail::default();
        match body {
            MessageBody::ReflectionStart { scenario, session, run } => EventDetail {
                scenario: Some(Word(*scenario)),
                session: session.clone(),
                run: run.as_ref().map(ToString::to_string),
                ..none
            },
            MessageBody::ReflectionComplete { scenario, n_created, n_updated } => EventDetail {
                scenario: Some(Word(*scenario)),
                created: Some(*n_created as u64),
                updated: Some(*n_updated as u64),
                ..none
            },
            MessageBody::LessonHighlight { lesson, importance } => EventDetail {
                lesson: Some(lesson.to_string()),
                summary,
                importance: Some(Decimal(*importance)),
                ..none
            },
            MessageBody::LessonsAdded { n, scenario, .. } => EventDetail {
                count: Some(*n as u64),
                scenario: scenario.map(Word),
                lessons: Some(lessons.iter().map(EventLesson::from).collect()),
                ..none
            },
            MessageBody::Promoted { lesson, from, to }
            | MessageBody::Decayed { lesson, from, to } => EventDetail {
                lesson: Some(lesson.to_string()),
                summary,
                from: Some(Word(*from)),
                to: Some(Word(*to)),
                ..none
            },
        }
    }
}

impl From<&Named> for EventLesson {
    fn from(named: &Named) -> Self {
        EventLesson { id: named.id.to_string(), summary: named.text.clone() }
    }
}
