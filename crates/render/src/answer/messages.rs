//! Messages about changes of memory. They name lessons and never contain their texts, which
//! are looked up when a message is shown: a lesson that was erased leaves no text here.

use hardwon_core::change::{Change, LessonField, Swap};
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::State;
use hardwon_core::reflect::Scenario;
use hardwon_core::time::Timestamp;
use hardwon_core::vocabulary;

use serde::{Deserialize, Serialize, Serializer};

use super::{Decimal, Named};

vocabulary! {
    /// What sort of message it is.
    MessageKind {
        ReflectionStart = "reflection_start",
        ReflectionComplete = "reflection_complete",
        LessonHighlight = "lesson_highlight",
        LessonsAdded = "lessons_added",
        Promoted = "promoted",
        Decayed = "decayed",
    }
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its number in the stream, by which a reader goes on where it was. None before it is
    /// written, and where its writer could not have the stream for itself.
    pub number: Option<u64>,
    pub at: Timestamp,
    pub project: ProjectId,
    pub body: MessageBody,
}

/// As it is kept, beside what all messages have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MessageBody {
    /// A reflection on a session or on one run begins.
    ReflectionStart {
        scenario: Scenario,
        #[serde(skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<RunId>,
    },
    ReflectionComplete {
        scenario: Scenario,
        #[serde(rename = "created")]
        n_created: usize,
        #[serde(rename = "updated")]
        n_updated: usize,
    },
    /// A lesson that is worth a look.
    LessonHighlight {
        lesson: LessonId,
        #[serde(serialize_with = "rounded")]
        importance: f64,
    },
    /// Lessons were started; by hand or by an import if there is no scenario.
    LessonsAdded {
        #[serde(rename = "count")]
        n: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        scenario: Option<Scenario>,
        lessons: Vec<LessonId>,
    },
    /// A lesson may be shown from now on, or rose further.
    Promoted { lesson: LessonId, from: State, to: State },
    /// A lesson lost its standing.
    Decayed { lesson: LessonId, from: State, to: State },
}

fn rounded<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Decimal(*value).serialize(serializer)
}

/// A message with the lessons that it names.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageWithLessons {
    pub message: Message,
    /// In the order of the message. The text of an erased lesson is `[erased]`.
    pub lessons: Vec<Named>,
    /// The id of the first in the file of lessons that it stands in, if there is one.
    pub id_in_file: Option<String>,
}

impl MessageBody {
    pub fn kind(&self) -> MessageKind {
        match self {
            MessageBody::ReflectionStart { .. } => MessageKind::ReflectionStart,
            MessageBody::ReflectionComplete { .. } => MessageKind::ReflectionComplete,
            MessageBody::LessonHighlight { .. } => MessageKind::LessonHighlight,
            MessageBody::LessonsAdded { .. } => MessageKind::LessonsAdded,
            MessageBody::Promoted { .. } => MessageKind::Promoted,
            MessageBody::Decayed { .. } => MessageKind::Decayed,
        }
    }

    /// The lessons that it names.
    pub fn lessons(&self) -> &[LessonId] {
        match self {
            MessageBody::ReflectionStart { .. } | MessageBody::ReflectionComplete { .. } => &[],
            MessageBody::LessonsAdded { lessons, .. } => lessons,
            MessageBody::LessonHighlight { lesson, .. }
            | MessageBody::Promoted { lesson, .. }
            | MessageBody::Decayed { lesson, .. } => std::slice::from_ref(lesson),
        }
    }

    /// The message about a move, if it is worth one: a rise or a decay.
    fn for_move(lesson: &LessonId, from: State, to: State) -> Option<MessageBody> {
        let lesson = lesson.clone();
        if to == State::Decayed {
            return Some(MessageBody::Decayed { lesson, from, to });
        }
        let is_rise = height(to) > height(from);
        is_rise.then_some(MessageBody::Promoted { lesson, from, to })
    }

    /// The messages about a batch of changes, for a reflection or a run of this scenario.
    pub fn for_changes(changes: &[Change], scenario: Option<Scenario>) -> Vec<MessageBody> {
        let mut lessons = Vec::new();
        let mut moves = Vec::new();
        for change in changes {
            if let Change::AddLesson { lesson, .. } = change {
                lessons.push(lesson.id.clone());
            }
            if let Change::EditLesson { lesson, fields, .. } = change {
                moves.extend(fields.iter().filter_map(|field| {
                    let LessonField::State(Swap { from, to }) = field else { return None };
                    MessageBody::for_move(lesson, *from, *to)
                }));
            }
        }
        let n = lessons.len();
        let added = (n > 0).then_some(MessageBody::LessonsAdded { n, scenario, lessons });
        added.into_iter().chain(moves).collect()
    }
}

/// How far a lesson in this state has come; 0 for one that is not shown.
fn height(state: State) -> u8 {
    match state {
        State::Provisional => 1,
        State::Stable => 2,
        State::Canonical => 3,
        State::Candidate | State::UnderReview | State::Decayed | State::Quarantined => 0,
        State::Superseded | State::Archived | State::Rejected => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_rise_and_a_decay_get_a_message() {
        use State::*;
        let cases = [
            (Candidate, Provisional, Some(MessageKind::Promoted)),
            (Stable, Canonical, Some(MessageKind::Promoted)),
            (UnderReview, Stable, Some(MessageKind::Promoted)),
            (Provisional, Decayed, Some(MessageKind::Decayed)),
            (Stable, Provisional, None),
            (Candidate, Archived, None),
            (Decayed, Candidate, None),
        ];
        for (from, to, expected) in cases {
            let message = MessageBody::for_move(&LessonId::given("l-1"), from, to);
            assert_eq!(message.map(|body| body.kind()), expected, "{from} to {to}");
        }
    }
}
