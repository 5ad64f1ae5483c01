//! Cases about writing: complete or not at all, on the expected revision, and undone.

use hardwon_core::change::Change;
use hardwon_core::effect::EffectKind;
use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::text::Text;

use super::Make;
use super::dump::{dump, dump_journal};
use super::sample::*;
use hardwon_store::{LessonQuery, Revision, Store, StoreError};

fn state_of(store: &dyn Store) -> String {
    let projects = [project(), other_project()];
    let runs = ["r1", "r2"].map(run_id);
    dump(store, &projects, &runs) + &dump_journal(store, &projects)
}

fn archive(lesson: &Lesson) -> Change {
    let archived = Lesson { state: State::Archived, ..lesson.clone() };
    Change::edit_lesson(lesson, &archived, "by hand").expect("the state differs")
}

pub fn a_batch_is_all_or_nothing(make: Make<'_>) {
    let mut store = make();
    let (one, two) = (lesson("one"), lesson("two"));
    write(&mut *store, vec![add_lesson(&one), add_run(&run("r1", 1))]);
    let before = state_of(&*store);
    let stale = Lesson { n_sightings: 99, ..one.clone() };
    let misfits = [
        (add_run(&run("r1", 1)), "absence"),
        (add_lesson(&one), "absence"),
        (archive(&two.clone()), "existence"),
        (Change::RemoveLesson { lesson: Box::new(stale), because: String::new() }, "content"),
        (add_effect(&effect(&one, "r1", 1, EffectKind::Helped)).inverse(), "content"),
    ];
    for (misfit, part) in misfits {
        let good = vec![
            archive(&one),
            add_run(&run("r2", 2)),
            add_finding(&finding("r2", "seen again")),
            add_effect(&effect(&one, "r2", 2, EffectKind::Helped)),
            add_injection(&injection("r2", "", &[&one])),
        ];
        let changes = good.into_iter().chain([misfit]).collect();
        assert_eq!(mismatch(store.apply(&batch(&project(), changes), None)), part);
        assert_eq!(state_of(&*store), before);
    }
    assert_eq!(store.check().unwrap(), []);
}

pub fn a_stale_revision_is_refused(make: Make<'_>) {
    let mut store = make();
    let read = store.status(&project()).unwrap().revision;
    assert_eq!(read, Revision::default());
    store.apply(&batch(&project(), vec![add_lesson(&lesson("one"))]), Some(read)).unwrap();
    let before = state_of(&*store);
    let second = batch(&project(), vec![add_lesson(&lesson("two"))]);
    assert!(matches!(store.apply(&second, Some(read)), Err(StoreError::Conflict)));
    assert_eq!(state_of(&*store), before);
    let read = store.status(&project()).unwrap().revision;
    assert_eq!(read, Revision { project: 1, global: 0 });
    store.apply(&second, Some(read)).unwrap();
}

pub fn injections_disturb_no_revision(make: Make<'_>) {
    let mut store = make();
    let shown = lesson("shown");
    write(&mut *store, vec![add_lesson(&shown)]);
    let read = store.status(&project()).unwrap().revision;
    let add = add_injection(&injection("r1", "", &[&shown]));
    write(&mut *store, vec![add.clone()]);
    write(&mut *store, vec![add.inverse()]);
    assert_eq!(store.status(&project()).unwrap().revision, read);
    let others = batch(&other_project(), vec![add_run(&run("r1", 1))]);
    store.apply(&others, None).unwrap();
    assert_eq!(store.status(&project()).unwrap().revision, read);
}

pub fn global_changes_count_everywhere(make: Make<'_>) {
    let mut store = make();
    let read = store.status(&project()).unwrap().revision;
    let global = lesson_of(None, "for everybody");
    store.apply(&batch(&other_project(), vec![add_lesson(&global)]), None).unwrap();
    let late = batch(&project(), vec![add_lesson(&lesson("late"))]);
    assert!(matches!(store.apply(&late, Some(read)), Err(StoreError::Conflict)));
    let read = store.status(&project()).unwrap().revision;
    assert_eq!(read, Revision { project: 0, global: 1 });
    let edit = batch(&project(), vec![archive(&global)]);
    store.apply(&edit, Some(read)).unwrap();
    let read = store.status(&other_project()).unwrap().revision;
    assert_eq!(read, Revision { project: 1, global: 2 });
}

pub fn writing_twice_is_refused(make: Make<'_>) {
    let mut store = make();
    let shown = lesson("shown");
    let changes = vec![
        add_lesson(&shown),
        add_run(&run("r1", 1)),
        add_finding(&finding("r1", "seen")),
        add_injection(&injection("r1", "", &[&shown])),
        add_effect(&effect(&shown, "r1", 1, EffectKind::Helped)),
    ];
    write(&mut *store, changes.clone());
    let before = state_of(&*store);
    for change in changes {
        assert_eq!(mismatch(store.apply(&batch(&project(), vec![change]), None)), "absence");
    }
    assert_eq!(state_of(&*store), before);
}

pub fn another_projects_lesson_is_refused(make: Make<'_>) {
    let mut store = make();
    let foreign = lesson_of(Some(other_project()), "foreign");
    let add = add_lesson(&foreign);
    assert_eq!(mismatch(store.apply(&batch(&project(), vec![add.clone()]), None)), "project");
    store.apply(&batch(&other_project(), vec![add.clone()]), None).unwrap();
    let before = state_of(&*store);
    for change in [archive(&foreign), add.inverse()] {
        assert_eq!(mismatch(store.apply(&batch(&project(), vec![change]), None)), "project");
    }
    assert_eq!(state_of(&*store), before);
}

pub fn an_edit_cannot_move_a_row(make: Make<'_>) {
    let mut store = make();
    let (r1, r2) = (run("r1", 1), run("r2", 1));
    let (f1, f2) = (finding("r1", "seen"), finding("r2", "seen"));
    write(&mut *store, vec![add_run(&r1), add_finding(&f1)]);
    let moves = [
        Change::EditRun { before: Box::new(r1), after: Box::new(r2) },
        Change::EditFinding { before: Box::new(f1), after: Box::new(f2) },
    ];
    for change in moves {
        assert_eq!(mismatch(store.apply(&batch(&project(), vec![change]), None)), "key");
    }
}

pub fn undo_restores_everything(make: Make<'_>) {
    let mut store = make();
    let known = lesson("known");
    write(&mut *store, vec![add_lesson(&known), add_run(&run("r1", 1))]);
    let (projects, runs) = ([project()], ["r1", "r2"].map(run_id));
    let before = dump(&*store, &projects, &runs);
    let reworded = Lesson {
        text: text("known, in other words"),
        state: State::Stable,
        tags: vec!["other".into()],
        aliases: vec!["AF-1".into()],
        ..known.clone()
    };
    let first = finding("r1", "seen");
    let linked =
        Finding { lesson: Some(known.id.clone()), state: FindingState::Fixed, ..first.clone() };
    let changes = vec![
        add_finding(&first),
        Change::EditFinding { before: Box::new(first), after: Box::new(linked) },
        Change::edit_lesson(&known, &reworded, "said better").unwrap(),
        add_lesson(&lesson("new")),
        add_effect(&effect(&known, "r1", 1, EffectKind::Helped)),
        add_injection(&injection("r2", "", &[&known])),
    ];
    let operation = store.apply(&batch(&project(), changes), None).unwrap();
    assert_ne!(dump(&*store, &projects, &runs), before);

    let query = hardwon_store::JournalQuery { operation: Some(operation), ..Default::default() };
    let entries = store.journal(&project(), &query).unwrap();
    let mut undo = batch(&project(), entries.iter().rev().map(|e| e.change.inverse()).collect());
    undo.head.undoes = Some(operation);
    store.apply(&undo, None).unwrap();
    assert_eq!(dump(&*store, &projects, &runs), before);
    assert_eq!(store.check().unwrap(), []);
}

pub fn texts_are_filled_from_the_store(make: Make<'_>) {
    let mut store = make();
    let known = lesson("the body is known");
    write(&mut *store, vec![add_lesson(&known)]);
    // As a change looks that was read from somewhere without its bodies.
    let bodiless = Lesson { text: Text::unfilled(known.text.id().as_str()), ..known.clone() };
    let remove = Change::RemoveLesson { lesson: Box::new(bodiless.clone()), because: "x".into() };
    write(&mut *store, vec![remove, add_lesson(&bodiless)]);
    assert_eq!(store.lessons(&project(), &LessonQuery::default()).unwrap(), [known]);
    assert_eq!(store.check().unwrap(), []);
}
