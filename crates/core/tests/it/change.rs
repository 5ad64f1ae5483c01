//! Apply and inverse: any edit can be applied, and taken back to the same value.

use hardwon_core::change::{Change, Tables};
use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::Lesson;
use proptest::prelude::*;

use crate::samples::{any_lesson, lesson};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_edit_and_its_inverse_cancel(before in any_lesson(), wish in any_lesson()) {
        let after = Lesson {
            id: before.id.clone(),
            project: before.project.clone(),
            author: before.author.clone(),
            origin: before.origin,
            created_at: before.created_at,
            ..wish
        };
        let project = ProjectId::new("demo");
        let mut tables = Tables::default();
        let add = Change::AddLesson { lesson: Box::new(before.clone()), because: "test".into() };
        tables.apply(&project, &add).unwrap();
        let start = tables.clone();
        let Some(edit) = Change::edit_lesson(&before, &after, "test") else {
            return Ok(());
        };
        tables.apply(&project, &edit).unwrap();
        prop_assert_eq!(&tables.lessons[&after.id], &after);
        // The edit does not fit what it made: nothing is changed by halves.
        if edit != edit.inverse() {
            let made = tables.clone();
            prop_assert!(tables.apply(&project, &edit).is_err());
            prop_assert_eq!(&tables, &made);
        }
        tables.apply(&project, &edit.inverse()).unwrap();
        prop_assert_eq!(&tables, &start);
        tables.apply(&project, &add.inverse()).unwrap();
        prop_assert_eq!(tables, Tables::default());
    }
}

#[test]
fn touching_only_the_time_is_no_change() {
    let before = lesson("one two three");
    let mut after = before.clone();
    after.updated_at.0 += 1;
    assert_eq!(Change::edit_lesson(&before, &after, "test"), None);
}

#[test]
fn adding_twice_is_refused() {
    let project = ProjectId::new("demo");
    let mut tables = Tables::default();
    let lesson = Box::new(lesson("one two three"));
    let add = Change::AddLesson { lesson, because: "test".into() };
    tables.apply(&project, &add).unwrap();
    assert!(tables.apply(&project, &add).is_err());
}
