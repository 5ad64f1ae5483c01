//! What happened to memory, one object a message: for `events`, and, without the words
//! of lessons, for the file in which messages are kept.

use hardwon_core::gate::without_control;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::State;
use hardwon_core::reflect::Scenario;
use hardwon_core::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Named;
use super::messages::{Heard, Message, MessageBody, MessageKind};
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
    pub ts: Time,
    pub project: String,
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
    let event = Event::of(message, &[]);
    let mut kept = serde_json::to_value(event).expect("events have finite numbers");
    if let MessageBody::LessonsAdded { lessons, .. } = &message.said {
        kept["lessons"] = lessons.iter().map(ToString::to_string).collect();
    }
    kept
}

/// A message as it was kept.
pub fn parse_event(line: &str) -> Option<Message> {
    let line: Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| line.get(name).and_then(Value::as_str);
    let count = |name: &str| line.get(name).and_then(Value::as_u64).map(|n| n as usize);
    let scenario = || text("scenario").and_then(Scenario::from_word);
    let state = |name: &str| text(name).and_then(State::from_word);
    let lesson = || text("lesson").map(LessonId::given);
    let said = match text("type").and_then(MessageKind::from_word)? {
        MessageKind::ReflectionStart => MessageBody::ReflectionStart {
            scenario: scenario()?,
            session: text("session").map(without_control),
            run: text("run").and_then(|run| RunId::parse(run).ok()),
        },
        MessageKind::ReflectionComplete => MessageBody::ReflectionComplete {
            scenario: scenario()?,
            n_created: count("created")?,
            n_updated: count("updated")?,
        },
        MessageKind::LessonHighlight => MessageBody::LessonHighlight {
            lesson: lesson()?,
            importance: line.get("importance")?.as_f64()?,
        },
        MessageKind::LessonsAdded => {
            let lessons = line.get("lessons").and_then(Value::as_array)?.iter();
            let lessons = lessons.filter_map(Value::as_str).map(LessonId::given).collect();
            MessageBody::LessonsAdded { n: count("count")?, scenario: scenario(), lessons }
        }
        MessageKind::Promoted => {
            MessageBody::Promoted { lesson: lesson()?, from: state("from")?, to: state("to")? }
        }
        MessageKind::Decayed => {
            MessageBody::Decayed { lesson: lesson()?, from: state("from")?, to: state("to")? }
        }
    };
    let (at, project) = (Timestamp::parse(text("ts")?)?, ProjectId::new(text("project")?));
    Some(Message { at, project, said })
}

impl From<&Heard> for Event {
    fn from(heard: &Heard) -> Self {
        Event::of(&heard.message, &heard.lessons)
    }
}

impl Event {
    /// A message with the lessons that it names.
    fn of(message: &Message, lessons: &[Named]) -> Self {
        let Message { at, project, said } = message;
        let bare = Event {
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
        let summary = || lessons.first().map(|named| named.text.clone());
        match said {
            MessageBody::ReflectionStart { scenario, session, run } => Event {
                scenario: Some(Word(*scenario)),
                session: session.clone(),
                run: run.as_ref().map(ToString::to_string),
                ..bare
            },
            MessageBody::ReflectionComplete { scenario, n_created, n_updated } => Event {
                scenario: Some(Word(*scenario)),
                created: Some(*n_created as u64),
                updated: Some(*n_updated as u64),
                ..bare
            },
            MessageBody::LessonHighlight { lesson, importance } => Event {
                lesson: Some(lesson.to_string()),
                summary: summary(),
                importance: Some(Decimal(*importance)),
                ..bare
            },
            MessageBody::LessonsAdded { n, scenario, .. } => Event {
                count: Some(*n as u64),
                scenario: scenario.map(Word),
                lessons: Some(lessons.iter().map(EventLesson::from).collect()),
                ..bare
            },
            MessageBody::Promoted { lesson, from, to }
            | MessageBody::Decayed { lesson, from, to } => Event {
                lesson: Some(lesson.to_string()),
                summary: summary(),
                from: Some(Word(*from)),
                to: Some(Word(*to)),
                ..bare
            },
        }
    }
}

impl From<&Named> for EventLesson {
    fn from(named: &Named) -> Self {
        EventLesson { id: named.id.to_string(), summary: named.text.clone() }
    }
}
