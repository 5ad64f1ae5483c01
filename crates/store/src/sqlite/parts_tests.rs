//! Is a store that is looked at part by part judged and rebuilt as if all of it were in memory? The
//! yardstick is the whole journal replayed at once, beside all rows.

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::change::Change;
use hardwon_core::effect::EffectKind;
use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::Lesson;
use rusqlite::Connection;
use tempfile::TempDir;

use super::check::{Compared, compare};
use super::doubt;
use super::found::Told;
use super::parts::{Part, Parts, counted};
use super::rebuild::{Given, without_words};
use super::{Access, SqliteStore, connection, replay, tables};
use crate::conformance::dump::dump;
use crate::conformance::erase_cases::forgotten;
use crate::conformance::random::{Random, changes, projects, runs};
use crate::conformance::sample::*;
use crate::{Fault, MemoryStore, Store};

/// A store in which lessons are moved, forgotten and edited by other projects, and its model.
fn random_store(seed: u64) -> (TempDir, PathBuf, MemoryStore) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    let mut model = MemoryStore::new();
    let mut random = Random::new(seed);
    for _ in 0..60 {
        let project = projects()[random.below(3)].clone();
        let changes = match random.below(8) {
            0 => moved(&mut random, &model, &project),
            1 => erased(&mut random, &model, &project),
            _ => changes(&mut random, model.tables(), &project),
        };
        let batch = batch(&project, changes);
        model.apply(&batch, None).unwrap();
        store.apply(&batch, None).unwrap();
    }
    (folder, path, model)
}

fn any_lesson(random: &mut Random, model: &MemoryStore, project: &ProjectId) -> Option<Lesson> {
    let is_visible = |lesson: &&Lesson| lesson.project.as_ref().is_none_or(|own| own == project);
    let lessons: Vec<&Lesson> = model.tables().lessons.values().filter(is_visible).collect();
    random.pick(&lessons).map(|lesson| (*lesson).clone())
}

/// From the project to all of them, or back.
fn moved(random: &mut Random, model: &MemoryStore, project: &ProjectId) -> Vec<Change> {
    let Some(was) = any_lesson(random, model, project) else { return Vec::new() };
    moving(&was, was.project.is_none().then(|| project.clone()))
}

fn moving(was: &Lesson, to: Option<ProjectId>) -> Vec<Change> {
    let is = Lesson { project: to, ..was.clone() };
    let because = "moved".to_owned();
    vec![Change::RemoveLesson { lesson: Box::new(was.clone()), because }, add_lesson(&is)]
}

fn erased(random: &mut Random, model: &MemoryStore, project: &ProjectId) -> Vec<Change> {
    let Some(lesson) = any_lesson(random, model, project) else { return Vec::new() };
    let key = (lesson.project.clone(), lesson.id.clone());
    if model.tables().tombstones.contains_key(&key) {
        return Vec::new();
    }
    forgotten(&lesson, &[], &["src/retry.rs", "src/query.rs"])
}

/// Lets somebody else write to a copy of the file.
fn edited(path: &Path, sql: &str) -> PathBuf {
    let copy = path.with_extension("edited");
    let _ = fs::remove_file(copy.with_extension("edited-wal"));
    fs::copy(path, &copy).unwrap();
    let db = Connection::open(&copy).unwrap();
    db.pragma_update(None, "foreign_keys", false).unwrap();
    db.execute(sql, []).unwrap_or_else(|error| panic!("{sql}: {error}"));
    copy
}

fn told(verdict: rusqlite::Result<Compared>) -> String {
    match verdict {
        Ok(Compared { misfits, differences }) => format!("{misfits:?} {differences:?}"),
        Err(error) => error.to_string(),
    }
}

/// Of which the second half leaves the journal incomplete or unreadable.
const EDITS: &[&str] = &[
    "UPDATE projects SET revision = 7",
    "UPDATE lessons SET body = json_set(body, '$.confidence', 1.5)",
    // Lessons that were moved, or edited by several.
    "UPDATE lessons SET body = json_set(body, '$.confidence', 1.5)
        WHERE id IN (SELECT lesson FROM journal
        GROUP BY lesson HAVING min(is_global) <> max(is_global) OR min(project) <> max(project))",
    "DELETE FROM lessons WHERE id IN (SELECT lesson FROM journal
        GROUP BY lesson HAVING min(is_global) <> max(is_global) OR min(project) <> max(project))",
    "UPDATE lessons SET project = 2 WHERE id = (SELECT min(id) FROM lessons WHERE project = 1)",
    "UPDATE lessons SET project = 0 WHERE project = 1",
    "UPDATE lessons SET project = 3 WHERE project = 0",
    "UPDATE lessons SET project = 99 WHERE project = 2",
    "DELETE FROM lessons WHERE project = 0",
    "UPDATE lessons SET body = json_set(body, '$.state', 'candidate', '$.trust', 'foreign')
        WHERE project <> 1",
    "UPDATE lessons SET state = 'candidate' WHERE project <> 1",
    "UPDATE lessons SET body = json_set(body, '$.text', 't-999') WHERE project = 3",
    "UPDATE OR REPLACE runs SET project = 3 WHERE project = 1",
    "UPDATE runs SET project = 99 WHERE project = 2",
    "DELETE FROM findings WHERE project = 2",
    "UPDATE OR REPLACE effects SET project = 1",
    "DELETE FROM injections WHERE project = 3",
    "DELETE FROM tombstones WHERE project <> 0",
    "UPDATE OR REPLACE tombstones SET project = 1",
    "UPDATE projects SET name = 'another' WHERE key IN (1, 2)",
    "DELETE FROM checkouts",
    "DELETE FROM teams",
    "UPDATE texts SET body = NULL WHERE key % 3 = 0",
    // Words that an erasure of any project took, and takes again when it is replayed.
    "UPDATE journal SET payload = replace(payload, '\"[erased]\"', '\"src/query.rs\"')",
    "UPDATE journal SET is_global = 0",
    "UPDATE journal SET is_global = 1",
    "UPDATE journal SET project = 1",
    "UPDATE journal SET lesson = 'l-another' WHERE sequence % 5 = 0",
    "UPDATE journal SET lesson = NULL",
    "UPDATE lessons SET body = json_set(body, '$.kind', 'no such kind') WHERE project = 1",
    "UPDATE runs SET body = 'no JSON' WHERE project = 3",
    "DELETE FROM journal WHERE sequence = 5",
    "DELETE FROM journal WHERE project = 2 AND sequence % 3 = 0",
    "DELETE FROM journal WHERE is_global = 1 AND sequence % 2 = 0",
    "DELETE FROM journal WHERE project = 3",
    "DELETE FROM journal WHERE payload LIKE '%\"change\":\"erase\"%'",
    "DELETE FROM operations WHERE id % 7 = 0",
    "UPDATE operations SET project = 2 WHERE id % 7 = 0",
    "DELETE FROM projects WHERE key = 2",
    "UPDATE journal SET number = 3 WHERE sequence = 7",
    "UPDATE journal SET number = number + 4 WHERE project = 2",
    "DELETE FROM journal WHERE sequence > 20 AND project <> 1",
    "UPDATE journal SET payload = '{}' WHERE sequence = 9",
    "UPDATE journal SET version = 99 WHERE sequence = 9",
];

#[test]
fn parts_are_judged_like_the_whole() {
    for seed in 0..2 {
        let (_folder, path, _) = random_store(seed);
        let mut n_found = 0;
        let nothing =
            format!("{:?} {:?}", Told::default(), Ok::<_, rusqlite::Error>(Told::default()));
        for sql in EDITS {
            let db = connection::open_existing(&edited(&path, sql)).unwrap();
            let whole = told(compare(&db, &Parts::default()));
            let by_parts = told(Parts::of(&db).and_then(|parts| compare(&db, &parts)));
            assert_eq!(by_parts, whole, "seed {seed}: {sql}");
            n_found += usize::from(whole != nothing);
        }
        assert!(n_found > EDITS.len() * 2 / 3, "{n_found} edits were found at all");
    }
}

#[test]
fn a_journal_is_divided_as_long_as_its_columns_are_right() {
    let (_folder, path, _) = random_store(1);
    let n_parts = |sql: &str| {
        let db = connection::open_existing(&edited(&path, sql)).unwrap();
        let parts = Parts::of(&db).unwrap();
        (parts.each().len(), matches!(parts.each()[0], Part::Whole))
    };
    assert_eq!(n_parts("UPDATE lessons SET state = 'stable'"), (4, false));
    assert_eq!(n_parts("DELETE FROM journal WHERE project = 2 AND sequence % 3 = 0"), (4, false));
    assert_eq!(n_parts("UPDATE journal SET project = 1"), (1, true));
    assert_eq!(n_parts("UPDATE journal SET lesson = NULL"), (1, true));
}

/// Every row is in one part, as the journal gives it and as the tables have it.
#[test]
fn a_part_holds_one_project() {
    let (_folder, path, model) = random_store(2);
    let db = connection::open_existing(&path).unwrap();
    let parts = Parts::of(&db).unwrap();
    let mut n_rows = 0;
    for part in parts.each() {
        let replayed = parts.replay(&db, part, &mut parts.gaps()).unwrap();
        assert_eq!(*replayed, *parts.stored(&db, part).unwrap());
        n_rows += counted::n_rows(&replayed);
        let Part::Of(owner) = part else {
            let is_empty = (replayed.runs.is_empty(), replayed.findings.is_empty());
            assert_eq!(is_empty, (true, true), "the shared part has no runs");
            continue;
        };
        let own = owner.project.as_ref();
        assert!(replayed.runs.keys().all(|(project, _)| Some(project) == own));
        assert!(replayed.findings.keys().all(|(project, ..)| Some(project) == own));
        assert!(replayed.injections.keys().all(|(project, _)| Some(project) == own));
        assert!(replayed.effects.keys().all(|(project, ..)| Some(project) == own));
        assert!(replayed.lessons.values().all(|lesson| lesson.project.as_ref() == own));
    }
    assert_eq!(n_rows, counted::n_rows(model.tables()));
}

#[test]
fn a_rebuild_by_parts_gives_what_the_whole_gives() {
    for seed in 0..2 {
        let (_folder, path, model) = random_store(seed);
        for sql in EDITS {
            let copy = edited(&path, sql);
            let db = connection::open_existing(&copy).unwrap();
            let (whole, by_parts) = (replay::replay(&db), Given::by_journal(&db));
            let is_complete = whole.as_ref().is_ok_and(|whole| whole.faults.is_empty());
            let by_journal = by_parts.as_ref().is_ok_and(|given| given.misfits.is_empty());
            assert_eq!(by_journal, is_complete, "{sql}");
            let expected = match (&whole, by_parts) {
                (Ok(whole), Ok(given)) if is_complete => {
                    let doubted = doubt::doubted(&db, &whole.tables);
                    let mut found = given.doubted.unwrap();
                    found.sort_by(|a, b| a.lesson.id.cmp(&b.lesson.id));
                    assert_eq!(found, doubted.unwrap(), "{sql}");
                    let mut lost = given.lost;
                    lost.sort_by(|a, b| a.id.cmp(&b.id));
                    assert_eq!(lost, without_words(&whole.tables), "{sql}");
                    Ok(whole.tables.clone())
                }
                _ => tables::load(&db),
            };
            drop(db);
            let mut store = SqliteStore::open(&copy, Access::Write).unwrap();
            let rebuilt = store.rebuild();
            let Ok(expected) = expected else {
                assert!(rebuilt.is_err(), "{sql}");
                continue;
            };
            rebuilt.unwrap();
            let db = connection::open_existing(&copy).unwrap();
            assert_eq!(tables::load(&db).unwrap(), expected, "{sql}");
            let is_other = |fault: &Fault| fault.check == "tables" || fault.check == "index";
            let left: Vec<Fault> = store.check().unwrap().into_iter().filter(is_other).collect();
            assert!(left.is_empty() || sql.contains("FROM projects"), "{sql}: {left:?}");
            if expected == *model.tables() {
                let (projects, runs) = (projects(), runs());
                let (is, was) = (dump(&store, &projects, &runs), dump(&model, &projects, &runs));
                assert_eq!(is, was, "{sql}");
            }
        }
    }
}

/// Two projects with a lesson each, a global one, and one that came from the shop.
fn small_store() -> (TempDir, PathBuf, [LessonId; 4]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    let (shop, bakery) = (project(), other_project());
    let fixed = Finding { state: FindingState::Fixed, ..finding("r1", "socket left open") };
    let [own, from_shop] =
        ["quoted query", "moved retry"].map(|text| lesson_of(Some(shop.clone()), text));
    let [own, from_shop] =
        [own, from_shop].map(|l| Lesson { aliases: vec![l.text.as_str().into()], ..l });
    let (other, global) =
        (lesson_of(Some(bakery.clone()), "weigh flour"), lesson_of(None, "nonce"));
    let mut apply = |project: &ProjectId, changes| {
        store.apply(&batch(project, changes), None).unwrap();
    };
    for (project, lesson) in [(&shop, &own), (&bakery, &other)] {
        let shown = injection("r1", "", &[lesson, &global]);
        let helped = effect(lesson, "r1", 1, EffectKind::Helped);
        let rows = [add_run(&run("r1", 1)), add_finding(&fixed), add_lesson(lesson)];
        apply(project, [&rows[..], &[add_injection(&shown), add_effect(&helped)]].concat());
    }
    apply(&shop, vec![add_lesson(&global), add_lesson(&from_shop)]);
    apply(&shop, moving(&from_shop, None));
    let was = Lesson { project: None, ..from_shop.clone() };
    let is = Lesson { confidence: 0.25, ..was.clone() };
    apply(&bakery, vec![Change::edit_lesson(&was, &is, "elsewhere").unwrap()]);
    assert_eq!(store.check().unwrap(), []);
    (folder, path, [own.id, other.id, global.id, from_shop.id])
}

#[test]
fn what_was_edited_in_one_part_is_named_once() {
    let (_folder, path, [own, other, global, moved]) = small_store();
    let differs = |id: &LessonId| format!("tables: lesson {id} is not what the journal gives");
    let indexed = |id: &LessonId| format!("index: lesson {id} is indexed wrongly");
    let faults = |sql: &str| -> Vec<String> {
        let store = SqliteStore::open(edited(&path, sql), Access::Read).unwrap();
        let faults = store.check().unwrap().into_iter();
        faults.map(|fault| format!("{}: {}", fault.check, fault.detail)).collect()
    };
    let edit = |id: &LessonId| {
        let sql = "UPDATE lessons SET body = json_set(body, '$.n_sightings', 1)";
        format!("{sql} WHERE id = '{id}'")
    };
    assert_eq!(faults(&edit(&own)).first(), Some(&differs(&own)));
    assert_eq!(faults(&edit(&global)).first(), Some(&differs(&global)));
    assert_eq!(faults(&edit(&moved)).first(), Some(&differs(&moved)));

    let stolen = faults(&format!("UPDATE lessons SET project = 2 WHERE id = '{own}'"));
    assert_eq!(stolen.iter().filter(|fault| **fault == differs(&own)).count(), 1, "{stolen:?}");
    assert_eq!(stolen.iter().filter(|fault| **fault == indexed(&own)).count(), 1, "{stolen:?}");
    assert!(!stolen.iter().any(|fault| fault.contains(other.as_str())), "{stolen:?}");
    assert!(stolen.contains(&"index: the alias \"quoted query\" points wrongly".to_owned()));

    let posting = format!(
        "DELETE FROM lesson_terms WHERE lesson = '{other}' AND term IN
            (SELECT key FROM terms WHERE term = 'flour')"
    );
    let count = "index: the texts with the term \"flour\" are miscounted".to_owned();
    assert_eq!(faults(&posting), [indexed(&other), count]);
    let stray = format!("UPDATE lesson_terms SET term = term + 9000 WHERE lesson = '{global}'");
    assert_eq!(faults(&stray)[0], indexed(&global));

    // The same run of two projects is one name.
    assert_eq!(
        faults("DELETE FROM finding_terms")
            .iter()
            .filter(|fault| fault.contains("a finding"))
            .collect::<Vec<_>>(),
        ["index: a finding of run r1 is indexed wrongly"]
    );
    assert_eq!(
        faults("DELETE FROM showings WHERE project = 2"),
        vec!["index: what was shown to r1 is listed wrongly"; 2]
    );
    assert_eq!(
        faults("UPDATE showings SET project = 99 WHERE project = 2"),
        vec!["index: what was shown to r1 is listed wrongly"; 4]
    );
    let rate = format!("DELETE FROM rates WHERE lesson = '{other}'");
    assert_eq!(faults(&rate), [format!("index: where lesson {other} came up is miscounted")]);
    let last = "(SELECT max(sequence) FROM journal WHERE project = 1)";
    let cut_off = faults(&format!("DELETE FROM journal WHERE sequence = {last}"));
    let told = "journal: an entry is missing, the last of its project".to_owned();
    assert!(cut_off.contains(&told), "{cut_off:?}");
    let gap = faults("DELETE FROM journal WHERE project = 2 AND number = 2");
    assert_eq!(gap[0], "journal: entry 2 of project bakery is missing");
    let again = faults("UPDATE journal SET number = 1 WHERE project = 2 AND number = 2");
    assert_eq!(
        again[..2],
        [
            "journal: entry 1 of project bakery is not in its place",
            "journal: entry 2 of project bakery is missing"
        ]
    );
}

/// Ten projects with as many rows each, and a few rows of all.
fn wide_store() -> (TempDir, PathBuf, usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    for project in (0..10).map(|n| ProjectId::new(&format!("project-{n}"))) {
        let lessons = (0..20).map(|n| lesson_of(Some(project.clone()), &format!("lesson {n}")));
        let mut changes: Vec<Change> = lessons.map(|lesson| add_lesson(&lesson)).collect();
        changes.extend((0..10).map(|n| add_run(&run(&format!("r{n}"), n))));
        let global = lesson_of(None, &format!("of all, by {project}"));
        changes.push(add_lesson(&global));
        store.apply(&batch(&project, changes), None).unwrap();
    }
    (folder, path, 30)
}

#[test]
fn no_more_than_one_project_is_in_memory() {
    let (_folder, path, n_of_one) = wide_store();
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    let most = counted::most_during(|| assert_eq!(store.check().unwrap(), []));
    assert_eq!(most, 2 * n_of_one, "what the journal gives and what the tables have");
    let most = counted::most_during(|| drop(store.rebuild().unwrap()));
    assert_eq!(most, n_of_one, "from the journal");
    assert_eq!(store.check().unwrap(), []);
    let db = Connection::open(&path).unwrap();
    db.execute("DELETE FROM journal WHERE sequence = 7", []).unwrap();
    let most = counted::most_during(|| drop(store.rebuild().unwrap()));
    assert_eq!(most, n_of_one, "from the tables");
    db.execute("UPDATE journal SET project = 1", []).unwrap();
    let most = counted::most_during(|| drop(store.check().unwrap()));
    assert_eq!(most, 2 * 310 - 1, "a journal that cannot be divided");
}
