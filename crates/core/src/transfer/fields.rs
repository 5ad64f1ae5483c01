//! Which fields of a lesson has another layout no place for? The lesson is compared with what its
//! record alone says of it: where they differ, the record could not say it.

use crate::lesson::{Guidance, Lesson};

/// How far two numbers of a record may differ because its digits ended.
const ROUNDING: f64 = 0.005;

/// A field by its place in the order in which they are told, and its name.
pub type Field = (usize, &'static str);

/// The fields that a record says otherwise, or not at all.
pub fn unsaid(a: &Lesson, recorded: &Lesson) -> Vec<Field> {
    let b = recorded;
    let is_near = |a: f64, b: f64| (a - b).abs() <= ROUNDING;
    // Wordings are ours, for matching: nobody else is expected to say them.
    let said = |it: &Lesson| Guidance { wordings: Vec::new(), ..it.guidance.clone() };
    let are_same = [
        ("text", a.text == b.text),
        ("kind", a.kind == b.kind),
        ("category", a.category == b.category),
        ("scope", a.scope == b.scope),
        ("tags", a.tags == b.tags),
        ("state", a.state == b.state),
        ("severity", a.severity == b.severity),
        ("importance", is_near(a.importance, b.importance)),
        ("confidence", is_near(a.confidence, b.confidence)),
        ("sightings", a.n_sightings == b.n_sightings),
        ("effects", a.effects == b.effects),
        ("files", a.paths == b.paths),
        ("pinned", a.is_pinned == b.is_pinned),
        ("guidance", said(a) == said(b)),
        ("reviews", a.reviews.len() == b.reviews.len()),
        ("global", a.project.is_none() == b.project.is_none()),
    ];
    let unsaid = are_same.into_iter().enumerate().filter(|(_, (_, is_same))| !is_same);
    unsaid.map(|(place, (name, _))| (place, name)).collect()
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
        assert_eq!(unsaid(&lesson(), &lesson()), []);
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
        let named: Vec<&str> = unsaid(&ours, &lesson()).iter().map(|(_, name)| *name).collect();
        assert_eq!(named, ["category", "state", "sightings", "pinned", "global"]);
    }
}
