//! Cases about the journal: what an entry carries, and who sees it.

use hardwon_core::change::{Change, Entry};
use hardwon_core::effect::EffectKind;
use hardwon_core::finding::Finding;
use hardwon_core::ids::{OperationId, ProjectId};
use hardwon_core::lesson::{Lesson, State};

use super::Make;
use super::sample::*;
use hardwon_store::{JournalQuery, Store};

fn journal(store: &dyn Store, query: JournalQuery) -> Vec<Entry> {
    store.journal(&project(), &query).unwrap()
}

fn sequences(store: &dyn Store, query: JournalQuery) -> Vec<u64> {
    journal(store, query).iter().map(|entry| entry.sequence).collect()
}

pub fn entries_carry_their_operation(make: Make<'_>) {
    let mut store = make();
    let first = batch(&project(), vec![add_lesson(&lesson("one")), add_run(&run("r1", 1))]);
    let mut second = batch(&project(), vec![add_finding(&finding("r1", "seen"))]);
    second.head.command = "undo".into();
    let one = store.apply(&first, None).unwrap();
    second.head.undoes = Some(one);
    let two = store.apply(&second, None).unwrap();
    assert!(two > one);
    let entries = journal(&*store, JournalQuery::default());
    let (changes, heads) = (
        first.changes.iter().chain(&second.changes),
        [(one, &first.head), (one, &first.head), (two, &second.head)],
    );
    assert_eq!(entries.len(), 3);
    for ((n, entry), (change, (operation, head))) in (1..).zip(&entries).zip(changes.zip(heads)) {
        assert_eq!(entry.sequence, n);
        assert_eq!(entry.operation, operation);
        assert_eq!(entry.project, project());
        assert_eq!(&entry.head, head);
        assert_eq!(&entry.change, change, "texts have their bodies");
    }
}

pub fn an_operation_goes_on(make: Make<'_>) {
    let mut store = make();
    let first = store.apply(&batch(&project(), vec![add_run(&run("r1", 1))]), None).unwrap();
    let between = store.apply(&batch(&project(), vec![add_run(&run("r2", 2))]), None).unwrap();
    let mut more = batch(&project(), vec![add_run(&run("r3", 3))]);
    more.continues = Some(first);
    more.head.command = "is not looked at".into();
    assert_eq!(store.apply(&more, None).unwrap(), first);
    let query = JournalQuery { operation: Some(first), ..JournalQuery::default() };
    let entries = journal(&*store, query);
    assert_eq!(entries.iter().map(|entry| entry.sequence).collect::<Vec<_>>(), [1, 3]);
    assert!(entries.iter().all(|entry| entry.head.command == "learn"));
    let after = JournalQuery { after: Some(first), ..JournalQuery::default() };
    assert_eq!(sequences(&*store, after), [2]);

    more.changes = vec![add_run(&run("r4", 4))];
    more.continues = Some(OperationId(between.0 + 7));
    assert_eq!(mismatch(store.apply(&more, None)), "existence");
    more.continues = Some(first);
    more.project = other_project();
    assert_eq!(mismatch(store.apply(&more, None)), "existence", "another project's operation");
    assert_eq!(sequences(&*store, JournalQuery::default()), [1, 2, 3]);
}

pub fn the_journal_is_filtered(make: Make<'_>) {
    let mut store = make();
    let (one, two) = (lesson("one"), lesson("two"));
    let seen = Finding { lesson: Some(one.id.clone()), ..finding("r1", "seen") };
    write(&mut *store, vec![add_lesson(&one), add_lesson(&two)]);
    write(&mut *store, vec![add_injection(&injection("r1", "", &[&one]))]);
    let helped = effect(&one, "r1", 1, EffectKind::Helped);
    write(&mut *store, vec![add_finding(&seen), add_effect(&helped), add_run(&run("r1", 1))]);
    let all = JournalQuery::default;
    assert_eq!(sequences(&*store, all()), [1, 2, 3, 4, 5, 6]);
    let of_one = JournalQuery { lesson: Some(one.id.clone()), ..all() };
    assert_eq!(sequences(&*store, of_one.clone()), [1, 4, 5]);
    let newest_of_one = JournalQuery { newest_first: true, limit: Some(1), ..of_one };
    assert_eq!(sequences(&*store, newest_of_one), [5]);
    let memory = JournalQuery { only_memory: true, ..all() };
    assert_eq!(sequences(&*store, memory), [1, 2, 4, 5, 6]);
    let newest = JournalQuery { newest_first: true, limit: Some(2), ..all() };
    assert_eq!(sequences(&*store, newest), [6, 5]);
    let after = JournalQuery { after: Some(OperationId(2)), ..all() };
    assert_eq!(sequences(&*store, after), [4, 5, 6]);
    let after_none = JournalQuery { after: Some(OperationId(0)), limit: Some(1), ..all() };
    assert_eq!(sequences(&*store, after_none), [1]);
    let second = JournalQuery { operation: Some(OperationId(2)), ..all() };
    assert_eq!(sequences(&*store, second), [3]);
    let none = JournalQuery { operation: Some(OperationId(9)), ..all() };
    assert_eq!(sequences(&*store, none), [0u64; 0]);
}

pub fn the_journal_keeps_projects_apart(make: Make<'_>) {
    let mut store = make();
    let global = lesson_of(None, "for everybody");
    let own = [add_lesson(&global), add_run(&run("r1", 1))];
    let first = store.apply(&batch(&project(), own.to_vec()), None).unwrap();
    let stable = Lesson { state: State::Stable, ..global.clone() };
    let edit = Change::edit_lesson(&global, &stable, "worked").unwrap();
    let theirs = vec![
        add_run(&run("r9", 9)),
        edit,
        add_effect(&effect(&global, "r9", 9, EffectKind::Helped)),
        add_lesson(&lesson_of(Some(other_project()), "foreign")),
    ];
    store.apply(&batch(&other_project(), theirs.clone()), None).unwrap();

    // The change of the global lesson is seen; what led to it stays theirs.
    let seen = |project: &ProjectId, query: &JournalQuery| -> Vec<Change> {
        let entries = store.journal(project, query).unwrap();
        entries.into_iter().map(|entry| entry.change).collect()
    };
    let all = JournalQuery::default();
    let shown = [&own[..], &theirs[1..2]].concat();
    assert_eq!(seen(&project(), &all), shown);
    let of_global = JournalQuery { lesson: Some(global.id), ..JournalQuery::default() };
    assert_eq!(seen(&project(), &of_global), [own[0].clone(), theirs[1].clone()]);
    let with_effect = [own[0].clone(), theirs[1].clone(), theirs[2].clone()];
    assert_eq!(seen(&other_project(), &of_global), with_effect);
    let third = ProjectId::new("third");
    assert_eq!(seen(&third, &all), [own[0].clone(), theirs[1].clone()]);

    // Numbers are the project's own: its first operation, and what came after that began.
    let first = JournalQuery { operation: Some(first), ..JournalQuery::default() };
    assert_eq!(seen(&project(), &first), own);
    assert_eq!(seen(&third, &first), []);
    let later = JournalQuery { after: first.operation, ..JournalQuery::default() };
    assert_eq!(seen(&project(), &later), theirs[1..2]);
    write(&mut *store, vec![add_run(&run("r2", 2))]);
    let newest = JournalQuery { newest_first: true, limit: Some(2), ..JournalQuery::default() };
    let entries = store.journal(&project(), &newest).unwrap();
    let changes: Vec<_> = entries.into_iter().map(|entry| entry.change).collect();
    assert_eq!(changes, [add_run(&run("r2", 2)), theirs[1].clone()]);
}

pub fn each_project_counts_its_own(make: Make<'_>) {
    let mut store = make();
    let (shop, bakery) = (project(), other_project());
    let mut apply = |project: &ProjectId, undoes: Option<u64>, changes: Vec<Change>| {
        let mut batch = batch(project, changes);
        batch.head.undoes = undoes.map(OperationId);
        store.apply(&batch, None).unwrap().0
    };
    let added = add_run(&run("r2", 2));
    assert_eq!(apply(&shop, None, vec![add_run(&run("r1", 1)), added.clone()]), 1);
    assert_eq!(apply(&bakery, None, vec![add_run(&run("r1", 1))]), 1);
    assert_eq!(apply(&bakery, None, vec![add_lesson(&lesson_of(None, "for everybody"))]), 2);
    assert_eq!(apply(&shop, None, vec![add_run(&run("r3", 3))]), 2);
    assert_eq!(apply(&shop, Some(1), vec![added.inverse()]), 3);
    assert_eq!(apply(&bakery, Some(1), vec![add_run(&run("r2", 2))]), 3);

    let seen = |project: &ProjectId, query: JournalQuery| -> Vec<(bool, u64, u64, Option<u64>)> {
        let entries = store.journal(project, &query).unwrap().into_iter();
        let told = |entry: Entry| {
            let undoes = entry.head.undoes.map(|id| id.0);
            (entry.project == *project, entry.sequence, entry.operation.0, undoes)
        };
        entries.map(told).collect()
    };
    let all = JournalQuery::default;
    let (first, second) = ((true, 1, 1, None), (true, 2, 1, None));
    let (global, later) = ((false, 2, 2, None), [(true, 3, 2, None), (true, 4, 3, Some(1))]);
    assert_eq!(seen(&shop, all()), [first, second, global, later[0], later[1]]);
    let of_bakery = [first, (true, 2, 2, None), (true, 3, 3, Some(1))];
    assert_eq!(seen(&bakery, all()), of_bakery);
    let numbered = |n| JournalQuery { operation: Some(OperationId(n)), ..all() };
    assert_eq!(seen(&shop, numbered(1)), [first, second]);
    assert_eq!(seen(&bakery, numbered(2)), of_bakery[1..2]);
    let since = |n| JournalQuery { after: Some(OperationId(n)), ..all() };
    assert_eq!(seen(&shop, since(1)), [global, later[0], later[1]]);
    assert_eq!(seen(&shop, since(2)), later[1..]);
    assert_eq!(seen(&shop, since(9)), [global], "none of its own is later");
    assert_eq!(store.check().unwrap(), []);
}
