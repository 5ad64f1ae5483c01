//! Cases on random data: the store answers as the memory store does, whatever was
//! written, and undoing everything leaves nothing.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Change;
use hardwon_core::ids::{OperationId, ProjectId};
use hardwon_core::propose::terms_of_text;

use super::Make;
use super::dump::{dump, dump_journal};
use super::random::{Random, changes, projects, runs};
use super::sample::batch;
use hardwon_store::{FindingQuery, JournalQuery, LessonQuery, MemoryStore, Pick, Search, Store};

const N_SEEDS: u64 = 4;
const N_BATCHES: usize = 60;

/// Fills a store and its model with the same random batches.
pub(super) fn fill(
    store: &mut dyn Store,
    random: &mut Random,
) -> (MemoryStore, Vec<(ProjectId, Vec<Change>)>) {
    let mut model = MemoryStore::new();
    let mut written = Vec::new();
    let mut newest: BTreeMap<ProjectId, OperationId> = BTreeMap::new();
    for _ in 0..N_BATCHES {
        let project = projects()[random.below(3)].clone();
        let changes = changes(random, model.tables(), &project);
        // An operation without entries is not copied, so that numbers would differ.
        if changes.is_empty() {
            continue;
        }
        let batch = batch(&project, changes.clone());
        let expected = model.status(&project).unwrap().revision;
        let known = model.apply(&batch, Some(expected)).unwrap();
        let operation = store.apply(&batch, Some(expected)).unwrap();
        let newest = newest.entry(project.clone()).or_insert(OperationId(0));
        newest.0 += 1;
        assert_eq!([known, operation], [*newest; 2], "a project counts its own operations");
        written.push((project, changes));
    }
    (model, written)
}

fn for_each_seed(make: Make<'_>, mut check: impl FnMut(Make<'_>, Random)) {
    for seed in 0..N_SEEDS {
        check(make, Random::new(seed));
    }
}

pub fn random_writes_answer_like_memory(make: Make<'_>) {
    for_each_seed(make, |make, mut random| {
        let mut store = make();
        let (model, _) = fill(&mut *store, &mut random);
        let (projects, runs) = (projects(), runs());
        assert_eq!(dump(&*store, &projects, &runs), dump(&model, &projects, &runs));
        assert_eq!(dump_journal(&*store, &projects), dump_journal(&model, &projects));
        for project in &projects {
            for pick in picks() {
                let query =
                    LessonQuery { pick, limit: Some(random.below(9)), ..Default::default() };
                let found = store.lessons(project, &query).unwrap();
                assert_eq!(found, model.lessons(project, &query).unwrap(), "{query:?}");
            }
        }
        assert_eq!(store.check().unwrap(), []);
        assert_eq!(model.check().unwrap(), []);
    });
}

fn picks() -> Vec<Pick> {
    let mut picks = vec![Pick::All, Pick::Injectable, Pick::Kept, Pick::Named("AF-1".into())];
    picks.extend(["l-", "l-5", "l-z"].map(|name| Pick::Named(name.into())));
    picks.extend([2, 5, 9].map(|run_number| Pick::DecayDue { run_number, window: 3 }));
    picks
}

pub fn searches_answer_like_memory(make: Make<'_>) {
    for_each_seed(make, |make, mut random| {
        let mut store = make();
        let (model, _) = fill(&mut *store, &mut random);
        for _ in 0..40 {
            let project = &projects()[random.below(3)];
            let terms = terms_of_text(&random.words(), &["src/retry.rs"]);
            let search = Search {
                terms: terms.clone(),
                only_injectable: random.below(2) == 0,
                limit: random.below(12),
                ..Search::default()
            };
            let (found, expected) =
                (store.search(project, &search).unwrap(), model.search(project, &search).unwrap());
            assert_eq!(found.lessons, expected.lessons, "{search:?}");
            assert_eq!(found.corpus, expected.corpus, "{search:?}");
            let signature = format!("signature of {}", random.words());
            let query = FindingQuery::FixedLike { signature, terms, limit: random.below(6) };
            let found = store.findings(project, &query).unwrap();
            assert_eq!(found, model.findings(project, &query).unwrap(), "{query:?}");
        }
    });
}

pub fn random_undo_restores_everything(make: Make<'_>) {
    for_each_seed(make, |make, mut random| {
        let (mut store, empty) = (make(), make());
        let (_, written) = fill(&mut *store, &mut random);
        for (project, changes) in written.iter().rev() {
            let inverse = changes.iter().rev().map(Change::inverse).collect();
            store.apply(&batch(project, inverse), None).unwrap();
        }
        let (projects, runs) = (projects(), runs());
        assert_eq!(dump(&*store, &projects, &runs), dump(&*empty, &projects, &runs));
        assert_eq!(store.check().unwrap(), []);
        let search = Search {
            terms: vec!["retry".into()],
            only_injectable: false,
            limit: 9,
            ..Search::default()
        };
        let left = store.search(&projects[0], &search).unwrap();
        assert_eq!((left.corpus.n_texts, left.corpus.df.len()), (0, 0));
    });
}

/// What a project sees of the others' changes comes in its order, so the journals of all are
/// played as one: an entry comes when all that its project had seen before it have come.
pub fn the_journal_replays_to_the_same(make: Make<'_>) {
    let (mut store, mut copy) = (make(), make());
    fill(&mut *store, &mut Random::new(77));
    let journal = |project| store.journal(project, &JournalQuery::default()).unwrap();
    let mut left: Vec<_> = projects().iter().map(|p| (p.clone(), journal(p))).collect();
    left.iter_mut().for_each(|(_, entries)| entries.reverse());
    let mut played: BTreeSet<(ProjectId, u64)> = BTreeSet::new();
    loop {
        let was = played.len();
        for (project, entries) in &mut left {
            while let Some(entry) = entries.last() {
                let key = (entry.project.clone(), entry.sequence);
                if entry.project == *project {
                    let change = entry.change.clone();
                    copy.apply(&batch(project, vec![change]), None).unwrap();
                    played.insert(key);
                } else if !played.contains(&key) {
                    break;
                }
                entries.pop();
            }
        }
        if played.len() == was {
            break;
        }
    }
    assert!(left.iter().all(|(_, entries)| entries.is_empty()), "the views fit together");
    let (projects, runs) = (projects(), runs());
    assert_eq!(dump(&*copy, &projects, &runs), dump(&*store, &projects, &runs));
    assert_eq!(copy.check().unwrap(), []);
}
