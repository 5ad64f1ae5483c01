//! Cases about erasing: gone from every answer and from the journal, and nothing else.

use std::collections::BTreeSet;

use hardwon_core::change::{Change, Erasure, Tombstone};
use hardwon_core::effect::EffectKind;
use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::Lesson;
use hardwon_core::text::Text;
use hardwon_core::time::Timestamp;

use super::Make;
use super::dump::{dump, dump_journal};
use super::random::{Random, changes, projects, runs};
use super::sample::*;
use hardwon_store::{LessonQuery, MemoryStore, Store};

const SECRET: &str = "the merger with Quillfeather is off";
const WORD: &str = "path/of/quillfeather.md";

fn everything(store: &dyn Store) -> String {
    let projects = [project(), other_project()];
    let runs = ["r1", "r2"].map(run_id);
    dump(store, &projects, &runs) + &dump_journal(store, &projects)
}

/// The three changes by which a lesson is forgotten for good.
pub fn forgotten(lesson: &Lesson, texts: &[&Text], words: &[&str]) -> Vec<Change> {
    let mut texts: BTreeSet<_> = texts.iter().map(|text| text.id().clone()).collect();
    texts.insert(lesson.text.id().clone());
    let because = "forgotten for good".to_owned();
    vec![
        Change::RemoveLesson { lesson: Box::new(lesson.clone()), because },
        Change::AddTombstone { tombstone: tombstone(lesson) },
        Change::Erase {
            erasure: Erasure {
                lesson: lesson.id.clone(),
                is_global: lesson.project.is_none(),
                texts,
                words: words.iter().map(|word| Erasure::digest_of(word)).collect(),
                takes_remarks: true,
            },
        },
    ]
}

fn tombstone(lesson: &Lesson) -> Tombstone {
    Tombstone {
        lesson: lesson.id.clone(),
        project: lesson.project.clone(),
        kind: lesson.kind,
        texts: BTreeSet::from([Tombstone::digest_of(lesson.text.as_str())]),
        signatures: BTreeSet::from([Tombstone::digest_of_signature("s")]),
        at: Timestamp(1_775_000_300_000),
        by: "somebody".into(),
    }
}

/// A lesson with everything about it: a finding in other words, a block and an effect.
fn known(store: &mut dyn Store, owner: Option<ProjectId>) -> Lesson {
    let mut lesson = lesson_of(owner, SECRET);
    lesson.paths.push(WORD.into());
    let found = Finding {
        lesson: Some(lesson.id.clone()),
        state: FindingState::Fixed,
        signature: "s-1".into(),
        ..finding("r1", "somebody wrote that Quillfeather was bought")
    };
    let other = self::lesson("Socket left open");
    write(
        store,
        vec![
            add_run(&run("r1", 1)),
            add_finding(&found),
            add_lesson(&lesson),
            add_lesson(&other),
            add_injection(&injection("r2", "judge", &[&lesson, &other])),
            add_effect(&effect(&lesson, "r1", 1, EffectKind::Helped)),
        ],
    );
    lesson
}

pub fn what_is_erased_is_gone(make: Make<'_>) {
    let mut store = make();
    let lesson = known(&mut *store, Some(project()));
    let before = everything(&*store);
    assert!(before.to_lowercase().contains("quillfeather"));
    write(&mut *store, forgotten(&lesson, &[], &[WORD]));
    let after = everything(&*store);
    assert!(!after.to_lowercase().contains("quillfeather"), "{after}");
    assert!(after.contains("[erased]") && after.contains("Socket left open"));
    assert_eq!(store.check().unwrap(), []);
    assert_eq!(store.tombstones(&project()).unwrap(), [tombstone(&lesson)]);
    assert_eq!(store.tombstones(&other_project()).unwrap(), []);
}

pub fn what_another_lesson_says_stays(make: Make<'_>) {
    let mut store = make();
    let lesson = known(&mut *store, Some(project()));
    let same = lesson_of(Some(other_project()), SECRET);
    store.apply(&batch(&other_project(), vec![add_lesson(&same)]), None).unwrap();
    write(&mut *store, forgotten(&lesson, &[], &[]));
    let found = store.lessons(&other_project(), &LessonQuery::default()).unwrap();
    assert_eq!(found[0].text.as_str(), SECRET);
    assert_eq!(store.check().unwrap(), []);
}

pub fn a_global_lesson_is_erased_everywhere(make: Make<'_>) {
    let mut store = make();
    let lesson = known(&mut *store, None);
    let shown = injection("r9", "", &[&lesson]);
    store.apply(&batch(&other_project(), vec![add_injection(&shown)]), None).unwrap();
    write(&mut *store, forgotten(&lesson, &[], &[WORD]));
    let after = everything(&*store);
    assert!(!after.to_lowercase().contains("quillfeather"), "{after}");
    let tree = store.tree(&other_project(), &run_id("r9")).unwrap();
    assert_eq!(tree.injections[0].block.as_str(), "[erased]");
    assert_eq!(store.tombstones(&other_project()).unwrap(), [tombstone(&lesson)]);
    assert_eq!(store.check().unwrap(), []);
}

pub fn a_text_can_be_said_again(make: Make<'_>) {
    let mut store = make();
    let lesson = known(&mut *store, Some(project()));
    write(&mut *store, forgotten(&lesson, &[], &[WORD]));
    let lift = Change::RemoveTombstone { tombstone: tombstone(&lesson) };
    write(&mut *store, vec![lift, add_lesson(&lesson)]);
    assert!(store.tombstones(&project()).unwrap().is_empty());
    let tree = store.tree(&project(), &run_id("r2")).unwrap();
    assert_eq!(tree.injections[0].block.as_str(), "[erased]", "old rows stay erased");
    assert_eq!(store.check().unwrap(), []);
}

/// Erasures among random writes: the same answers as the memory store's, and the
/// journal still gives the tables.
pub fn random_erasures_answer_like_memory(make: Make<'_>) {
    for seed in 0..3 {
        let (mut store, mut model) = (make(), MemoryStore::new());
        let mut random = Random::new(seed);
        for step in 0..40 {
            let project = projects()[random.below(3)].clone();
            let changes = match step % 4 {
                3 => erasure_of_any(&mut random, &model, &project),
                _ => changes(&mut random, model.tables(), &project),
            };
            let batch = batch(&project, changes);
            model.apply(&batch, None).unwrap();
            store.apply(&batch, None).unwrap();
        }
        let (projects, runs) = (projects(), runs());
        assert_eq!(dump(&*store, &projects, &runs), dump(&model, &projects, &runs));
        assert_eq!(dump_journal(&*store, &projects), dump_journal(&model, &projects));
        assert_eq!((store.check().unwrap(), model.check().unwrap()), (vec![], vec![]));
    }
}

fn erasure_of_any(random: &mut Random, model: &MemoryStore, project: &ProjectId) -> Vec<Change> {
    let lessons = model.lessons(project, &LessonQuery::default()).unwrap();
    let Some(lesson) = random.pick(&lessons) else { return Vec::new() };
    let known = model.tombstones(project).unwrap();
    let lifted = known.into_iter().filter(|mark| mark.lesson == lesson.id);
    let mut changes: Vec<Change> =
        lifted.map(|tombstone| Change::RemoveTombstone { tombstone }).collect();
    let words: Vec<&str> = lesson.tags.iter().chain(&lesson.paths).map(String::as_str).collect();
    changes.extend(forgotten(lesson, &[], &words));
    changes
}
