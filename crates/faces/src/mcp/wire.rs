//! A lesson in the few words that a model needs.

use hardwon_engine::answer::Lesson;
use hardwon_engine::prompt;
use serde_json::{Value, json};

/// One lesson; `shown` is whether runs are shown it now, `sightings` in how many it was seen.
pub fn wire(lesson: &Lesson) -> Value {
    json!({
        "id": lesson.id.to_string(),
        "kind": lesson.kind.word(),
        "state": lesson.state.word(),
        "text": words(lesson),
        "shown": lesson.is_injectable,
        "sightings": lesson.n_sightings,
    })
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
