//! A lesson in the few words that a model needs.

use hardwon_engine::answer::Lesson;
use hardwon_engine::prompt;
use serde::Serialize;

/// One lesson.
#[derive(Serialize)]
pub struct LessonWire {
    pub id: String,
    kind: &'static str,
    state: &'static str,
    text: String,
    /// Whether runs are shown it now.
    shown: bool,
    /// In how many runs it was seen.
    sightings: u32,
}

impl LessonWire {
    pub fn new(lesson: &Lesson) -> Self {
        LessonWire {
            id: lesson.id.to_string(),
            kind: lesson.kind.word(),
            state: lesson.state.word(),
            text: words(lesson),
            shown: lesson.is_injectable,
            sightings: lesson.n_sightings,
        }
    }
}

/// A lesson in one line.
pub fn line(lesson: &Lesson) -> String {
    format!("{} ({}, {}): {}", lesson.id, lesson.kind, lesson.state, words(lesson))
}

/// Its words as a model may read them, or that it may not.
fn words(lesson: &Lesson) -> String {
    if lesson.is_injectable {
        prompt::printed(&prompt::with_repair(&lesson.text, lesson.repair.as_deref(), usize::MAX))
    } else {
        "(its words are shown to no agent yet; a person reads them with `hardwon show`)".to_owned()
    }
}
