//! Memory that moves to another store is the same there, however often the move is broken off.

use hardwon_core::change::{Batch, Entry};

use super::Make;
use super::dump::{dump, dump_journal};
use super::random::{Random, projects, runs};
use super::random_cases::fill;
use hardwon_store::copy::{Copied, compare, copy};
use hardwon_store::{MemoryStore, Store};

fn assert_same(left: &dyn Store, right: &dyn Store) {
    let (projects, runs) = (projects(), runs());
    assert_eq!(dump(left, &projects, &runs), dump(right, &projects, &runs));
    assert_eq!(dump_journal(left, &projects), dump_journal(right, &projects));
    assert_eq!(compare(left, right).unwrap(), None);
    assert_eq!(right.check().unwrap(), []);
}

fn copied(from: &dyn Store, to: &mut dyn Store) -> Copied {
    copy(from, to, &mut |_| ()).unwrap().unwrap()
}

pub fn a_copy_tells_the_same(make: Make<'_>) {
    let mut store = make();
    fill(&mut *store, &mut Random::new(5));
    let mut away = MemoryStore::new();
    let first = copied(&*store, &mut away);
    assert_eq!((first.n_projects, first.n_known), (3, 0));
    assert_same(&*store, &away);
    let mut back = make();
    copied(&away, &mut *back);
    assert_same(&*store, &*back);
    let again = copied(&away, &mut *back);
    assert_eq!(again.n_known, again.n_entries, "nothing is written twice");
    assert_same(&*store, &*back);
}

pub fn a_copy_goes_on_where_it_was_broken_off(make: Make<'_>) {
    let mut store = make();
    fill(&mut *store, &mut Random::new(6));
    let mut entries: Vec<Entry> = Vec::new();
    store
        .each_entry(&mut |entry| {
            entries.push(entry);
            Ok(true)
        })
        .unwrap();
    for n in [1, entries.len() / 3, entries.len() * 2 / 3] {
        let mut away = make();
        write_first(&entries, n, &mut *away);
        let done = copied(&*store, &mut *away);
        assert!(done.n_known >= 1 && done.n_known < done.n_entries, "{done:?}");
        assert_same(&*store, &*away);
    }
}

/// Writes the operations of the first entries.
fn write_first(entries: &[Entry], n: usize, to: &mut dyn Store) {
    let is_same = |left: &Entry, right: &Entry| {
        (&left.project, left.operation) == (&right.project, right.operation)
    };
    let mut n_written = 0;
    for part in entries.chunk_by(is_same) {
        if n_written >= n {
            return;
        }
        n_written += part.len();
        let changes = part.iter().map(|entry| entry.change.clone()).collect();
        let (project, head) = (part[0].project.clone(), part[0].head.clone());
        to.apply(&Batch { project, head, continues: None, changes }, None).unwrap();
    }
}

pub fn a_store_of_something_else_is_not_written_over(make: Make<'_>) {
    let (mut store, mut other) = (make(), make());
    fill(&mut *store, &mut Random::new(7));
    fill(&mut *other, &mut Random::new(8));
    let before = dump_journal(&*other, &projects());
    let parted = copy(&*store, &mut *other, &mut |_| ()).unwrap().unwrap_err();
    assert_eq!(parted.at, 1);
    assert_eq!(dump_journal(&*other, &projects()), before);
    assert!(compare(&*store, &*other).unwrap().is_some());
    // What has more than the other is no copy of it, either.
    let mut less = MemoryStore::new();
    let parted = copy(&less, &mut *other, &mut |_| ()).unwrap().unwrap_err();
    assert_eq!(parted.at, 1);
    copied(&*store, &mut less);
    assert_same(&*store, &less);
}
