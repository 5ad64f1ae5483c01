//! Which fields of a lesson has another layout no place for? The lesson is compared with what its
//! record alone says of it: where they differ, the record could not say it.

use crate::lesson::{Guidance, Lesson};

/// How far two numbers of a record may differ because its digits ended.
const ROUNDING: f64 = 0.005;

/// The fields of a lesson, in the order in which they are told.
pub const FIELDS: &[&str] = &[
    "text",
    "kind",
    "category",
    "scope",
    "tags",
    "state",
    "severity",
    "importance",
    "confidence",
    "sightings",
    "effects",
    "files",
    "pinned",
    "guidance",
    "reviews",
    "global",
];

/// The fields that a record says otherwise, or not at all; all that say something if there is no
/// record.
pub fn unsaid(lesson: &Lesson, recorded: Option<&Lesson>) -> Vec<&'static str> {
    let is_unsaid = |field: &&str| match recorded {
        Some(recorded) => !is_same(field, lesson, recorded),
        None => says(field, lesson),
    };
    FIELDS.iter().copied().filter(is_unsaid).collect()
}

/// Whether the record says what the lesson says.
fn is_same(field: &str, a: &Lesson, b: &Lesson) -> bool {
    let is_near = |a: f64, b: f64| (a - b).abs() <= ROUNDING;
    match field {
        "text" => a.text == b.text,
        "kind" => a.kind == b.kind,
        "category" => a.category == b.category,
        "scope" => a.scope == b.scope,
        "tags" => a.tags == b.tags,
        "state" => a.state == b.state,
        "severity" => a.severity == b.severity,
        "importance" => is_near(a.importance, b.importance),
        "confidence" => is_near(a.confidence, b.confidence),
        "sightings" => a.n_sightings == b.n_sightings,
        "effects" => a.effects == b.effects,
        "files" => a.paths == b.paths,
        "pinned" => a.is_pinned == b.is_pinned,
        "guidance" => said_beyond(a) == said_beyond(b),
        "reviews" => a.reviews.len() == b.reviews.len(),
        _ => a.project.is_none() == b.project.is_none(),
    }
}

/// Whether a field holds more than every lesson has.
fn says(field: &str, lesson: &Lesson) -> bool {
    match field {
        "category" => lesson.category.is_some(),
        "scope" => !lesson.scope.0.is_empty(),
        "tags" => !lesson.tags.is_empty(),
        "sightings" => lesson.n_sightings > 0,
        "effects" => lesson.effects != Default::default(),
        "files" => !lesson.paths.is_empty(),
        "pinned" => lesson.is_pinned,
        "guidance" => said_beyond(lesson).is_some(),
        "reviews" => !lesson.reviews.is_empty(),
        "global" => lesson.project.is_none(),
        _ => true,
    }
}

/// Wordings are ours, for matching: nobody else is expected to say them.
fn said_beyond(lesson: &Lesson) -> Option<Guidance> {
    let said = Guidance { wordings: Vec::new(), ..lesson.guidance.clone() };
    (said != Guidance::default()).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;
    use crate::ids::{LessonId, ProjectId};
    use crate::lesson::{Kind, State};
    use crate::time::Timestamp;

    fn lesson() -> Lesson {
        let project = ProjectId::new("demo");
        let text = Gate::standard().line("Close database handles before the worker exits");
        let id = LessonId::derive(Some(&project), "pattern", text.as_str(), |_| false);
        Lesson::stub(id, Some(project), Kind::Pattern, text, Timestamp(0))
    }

    #[test]
    fn a_record_that_says_all_leaves_nothing_unsaid() {
        assert_eq!(unsaid(&lesson(), Some(&lesson())), [""; 0]);
    }

    #[test]
    fn each_field_that_differs_is_named() {
        let ours = Lesson {
            category: Some("sql".into()),
            state: State::Stable,
            is_pinned: true,
            n_sightings: 4,
            project: None,
            importance: lesson().importance + 0.001,
            ..lesson()
        };
        let named = unsaid(&ours, Some(&lesson()));
        assert_eq!(named, ["category", "state", "sightings", "pinned", "global"]);
    }

    #[test]
    fn without_a_record_what_says_something_is_unsaid() {
        let ours = Lesson { tags: vec!["a".into()], ..lesson() };
        let named = unsaid(&ours, None);
        let wanted = ["text", "kind", "tags", "state", "severity", "importance", "confidence"];
        assert_eq!(named, wanted);
    }
}
