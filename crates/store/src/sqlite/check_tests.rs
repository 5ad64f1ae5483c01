//! What is told of a store that somebody else wrote to: each row once, and none that is in order.

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::change::Change;
use hardwon_core::effect::EffectKind;
use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::Lesson;
use rusqlite::Connection;
use tempfile::TempDir;

use super::{Access, SqliteStore};
use crate::Store;
use crate::conformance::sample::*;

fn moving(was: &Lesson, to: Option<ProjectId>) -> Vec<Change> {
    let is = Lesson { project: to, ..was.clone() };
    let because = "moved".to_owned();
    vec![Change::RemoveLesson { lesson: Box::new(was.clone()), because }, add_lesson(&is)]
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
fn what_was_edited_is_named_once() {
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
    assert_eq!(faults(&posting), [indexed(&other)]);
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
        ["index: what was shown to r1 is listed wrongly"]
    );
    assert_eq!(
        faults("UPDATE showings SET project = 99 WHERE project = 2"),
        ["index: what was shown to r1 is listed wrongly"]
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
