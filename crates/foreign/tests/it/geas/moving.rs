//! A tree into a store of ours, and out again.

use hardwon_engine::lesson::{Lesson, State};
use hardwon_engine::{Access, EngineError, OpenMemory, Options};
use hardwon_foreign::{LAYOUTS, LayoutName, Reach, export, import, trust};
use hardwon_store::LessonQuery;

use super::schemas::validate;
use super::{CANDIDATE, ENTRY, full, tree};
use crate::place::{Place, environment};

/// A store of ours in the folder of a tree.
fn own(place: &Place) -> OpenMemory {
    let options = Options { foreign: LAYOUTS, ..Options::default() };
    OpenMemory::open(&environment(place.folder.path()), &options, Access::Write).unwrap()
}

fn geas() -> Option<LayoutName> {
    LayoutName::from_word("geas")
}

fn lessons(open: &OpenMemory) -> Vec<Lesson> {
    let query = LessonQuery::default();
    let mut lessons = open.memory.store.lessons(&open.call.project, &query).unwrap();
    lessons.sort_by(|a, b| a.text.as_str().cmp(b.text.as_str()));
    lessons
}

fn taken(place: &Place) -> Result<Vec<Lesson>, EngineError> {
    let mut open = own(place);
    let environment = environment(place.folder.path());
    import(&mut open.memory, &open.call, &environment, ".geas", geas(), Reach::Project)?;
    Ok(lessons(&open))
}

#[test]
fn without_approval_all_waits() {
    let place = full();
    let lessons = taken(&place).unwrap();
    assert!(lessons.iter().all(|lesson| lesson.state == State::Quarantined), "{lessons:?}");
    let told = |lesson: &Lesson| lesson.upkeep.inherited.unwrap().state;
    assert_eq!(
        lessons.iter().map(told).collect::<Vec<_>>(),
        [State::Provisional, State::Candidate]
    );
}

#[test]
fn a_tree_goes_in_and_comes_out() {
    let place = full();
    trust::pin(&environment(place.folder.path()), ".geas").unwrap();
    let lessons = taken(&place).unwrap();
    let [entry, candidate] = &lessons[..] else { panic!("{lessons:?}") };
    assert_eq!((entry.state, candidate.state), (State::Provisional, State::Candidate));
    assert_eq!((entry.effects.n_helped, entry.n_sightings, entry.confidence), (2, 2, 0.7));
    let there = tree();
    let open = own(&place);
    let environment = environment(place.folder.path());
    let path = there.folder.path().to_str().unwrap();
    export(&open.memory, &open.call, &environment, path, geas().unwrap(), Reach::Project).unwrap();
    validate(&there);
    // What has no place in a lesson was kept with it.
    assert_eq!(there.text("memory/candidates/mem-task-001-1.json"), CANDIDATE);
    assert_eq!(there.text("memory/entries/mem-task-002-1.json"), ENTRY);
    let mut back = there.lessons();
    back.sort_by(|a, b| a.text.as_str().cmp(b.text.as_str()));
    for (was, now) in lessons.iter().zip(&back) {
        assert_eq!((was.kind, &was.category, was.state), (now.kind, &now.category, now.state));
        assert_eq!(
            (was.effects, was.n_sightings, &was.tags),
            (now.effects, now.n_sightings, &now.tags)
        );
    }
}
