//! The same writes give the same answers here and in SQLite.

use crate::conformance::dump::{dump, dump_journal};
use crate::conformance::erase_cases::forgotten;
use crate::conformance::random::{Random, changes, projects, runs};
use crate::conformance::sample::batch;
use hardwon_core::change::Change;
use hardwon_core::propose::terms_of_text;
use hardwon_store::{
    Access, LessonQuery, MemoryStore, Pick, PostgresStore, Revision, RunQuery, Search, SqliteStore,
    Store,
};

use crate::server;

const N_SEQUENCES: u64 = 20;
const N_STEPS: usize = 30;

/// Everything that both answer, as one text.
fn answers(store: &dyn Store, random: &mut Random) -> String {
    let mut out = dump(store, &projects(), &runs()) + &dump_journal(store, &projects());
    for project in projects() {
        let search = Search {
            terms: terms_of_text(&random.words(), &["src/retry.rs"]),
            limit: 8,
            ..Search::default()
        };
        let found = store.search(&project, &search).unwrap();
        out += &format!("{:?} {:?}\n", found.lessons, found.corpus);
        for pick in [Pick::All, Pick::Injectable, Pick::Kept, Pick::Shown] {
            let query = LessonQuery { pick, limit: Some(5), ..LessonQuery::default() };
            out += &format!("{:?}\n", store.lessons(&project, &query).unwrap());
        }
        let newest = RunQuery { limit: Some(3), ..RunQuery::default() };
        out += &format!("{:?}\n", store.runs(&project, &newest).unwrap());
        out += &format!("{:?}\n", store.added(&project).unwrap());
        out += &format!("{:?}\n", store.totals(&project).unwrap());
        out += &format!("{:?}\n", store.block_totals(&project).unwrap());
        out += &format!("{:?}\n", store.tombstones(&project).unwrap());
    }
    out
}

/// What is written next: something random, its undo, or the erasure of a lesson.
fn next(
    random: &mut Random,
    model: &MemoryStore,
    project: &hardwon_core::ids::ProjectId,
    last: &[Change],
) -> Vec<Change> {
    // Nobody can undo an erasure.
    let is_final = last.iter().any(|change| matches!(change, Change::Erase { .. }));
    match random.below(8) {
        0 if !is_final => last.iter().rev().map(Change::inverse).collect(),
        1 => {
            let lessons = model.lessons(project, &LessonQuery::default()).unwrap();
            let marked = model.tombstones(project).unwrap();
            let is_new = |id| !marked.iter().any(|mark| mark.lesson == id);
            let lesson = random.pick(&lessons).filter(|lesson| is_new(lesson.id.clone()));
            lesson.map(|lesson| forgotten(lesson, &[], &[])).unwrap_or_default()
        }
        _ => changes(random, model.tables(), project),
    }
}

#[test]
fn random_sequences_give_the_same_answers_as_in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..N_SEQUENCES {
        let mut random = Random::new(1000 + seed);
        let path = folder.path().join(format!("{seed}.db"));
        let mut file = SqliteStore::open(path, Access::Write).unwrap();
        let url = server::url_of(&server::database());
        let mut on_server = PostgresStore::open(&url, Access::Write).unwrap();
        let mut model = MemoryStore::new();
        let mut last: Vec<Change> = Vec::new();
        for _ in 0..N_STEPS {
            let project = projects()[random.below(3)].clone();
            let changes = next(&mut random, &model, &project, &last);
            let batch = batch(&project, changes.clone());
            // Now and then somebody else was there before.
            let stale = Revision { project: 99, global: 0 };
            let expected = (random.below(10) == 0).then_some(stale);
            let told =
                |result: hardwon_store::Result<_>| result.map(drop).map_err(|e| e.to_string());
            let in_file = told(file.apply(&batch, expected));
            assert_eq!(told(on_server.apply(&batch, expected)), in_file, "seed {seed}");
            assert_eq!(told(model.apply(&batch, expected)), in_file, "seed {seed}");
            last = if in_file.is_ok() { changes } else { Vec::new() };
        }
        let mut again = random.clone();
        assert_eq!(answers(&on_server, &mut random), answers(&file, &mut again), "seed {seed}");
        assert_eq!(on_server.check().unwrap(), [], "seed {seed}");
    }
}
