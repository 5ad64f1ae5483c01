//! What comes back of a store that is damaged, emptied or gone, with and without a copy beside it;
//! and the copies themselves.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::conformance::dump::dump;
use crate::conformance::erase_cases::forgotten;
use crate::conformance::sample;
use crate::conformance::sample::{
    add_effect, add_finding, add_injection, add_lesson, add_run, effect, finding, injection,
    lesson, lesson_of, other_project, project, run, run_id, write,
};
use hardwon_core::change::OperationHead;
use hardwon_core::effect::EffectKind;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::Lesson;
use hardwon_core::time::Timestamp;
use hardwon_store::{Access, DailyBackup, LessonQuery, Restored, SqliteStore, Store, StoreError};
use rusqlite::Connection;
use tempfile::TempDir;

use super::place;

const PAGE: usize = 4096;
const DAY: i64 = 86_400_000;
const NOW: Timestamp = Timestamp(1_775_000_000_000);
const N_LESSONS: usize = 32;

/// What can happen to a page, by name.
type Damage = (&'static str, fn(&mut [u8]));

const DAMAGES: &[Damage] = &[
    ("zeros", |page| page.fill(0)),
    ("other bytes", |page| page.fill(0xa5)),
    ("random bytes", |page| {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        for byte in page {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *byte = (state >> 56) as u8;
        }
    }),
    ("flipped bits", |page| page.iter_mut().step_by(517).for_each(|byte| *byte ^= 0x10)),
    ("first half gone", |page| page[..PAGE / 2].fill(0)),
    ("second half gone", |page| page[PAGE / 2..].fill(0)),
];

fn all_lessons() -> Vec<Lesson> {
    let text = |n: usize| format!("always close file number {n} before the archive is written");
    let own = (0..N_LESSONS).map(|n| match n % 8 {
        0 => lesson_of(None, &text(n)),
        1 => lesson_of(Some(other_project()), &text(n)),
        _ => lesson(&text(n)),
    });
    own.collect()
}

/// A folder with a store in it, and its bytes in one file.
fn filled() -> (TempDir, PathBuf, Vec<u8>) {
    let (folder, path) = place();
    let bytes = fill(&path);
    (folder, path, bytes)
}

fn fill(path: &Path) -> Vec<u8> {
    let mut store = SqliteStore::open(path, Access::Write).unwrap();
    for (n, lesson) in all_lessons().iter().enumerate() {
        let id = format!("r{n}");
        let project = lesson.project.clone().unwrap_or_else(project);
        let changes = vec![
            add_lesson(lesson),
            add_run(&run(&id, n as u64 + 1)),
            add_finding(&finding(&id, &format!("file {n} left open"))),
            add_injection(&injection(&id, "", &[lesson])),
            add_effect(&effect(lesson, &id, n as u64 + 1, EffectKind::Helped)),
        ];
        let batch = sample::batch(&project, changes);
        store.apply(&batch, None).unwrap();
    }
    assert_eq!(store.check().unwrap(), []);
    drop(store);
    Connection::open(path).unwrap().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    fs::read(path).unwrap()
}

fn head() -> OperationHead {
    OperationHead { command: "doctor".into(), actor: "ada".into(), at: NOW, undoes: None }
}

fn restore(path: &Path) -> Restored {
    SqliteStore::restore(path, &head()).unwrap()
}

/// Everything that memory says, and its lessons by id.
fn said(path: &Path) -> (String, BTreeMap<LessonId, Option<String>>) {
    let store = SqliteStore::open(path, Access::Read).unwrap();
    let runs: Vec<_> = (0..N_LESSONS).map(|n| run_id(&format!("r{n}"))).collect();
    let projects = [project(), other_project()];
    let mut lessons = BTreeMap::new();
    for project in &projects {
        for lesson in store.lessons(project, &LessonQuery::default()).unwrap() {
            lessons.insert(lesson.id.clone(), lesson.text.body().map(str::to_owned));
        }
    }
    (dump(&store, &projects, &runs), lessons)
}

/// Damages every third page in turn, in one of the ways; `check` hears what was done, and what came
/// of the repair. (`hardwon-sim rescue` looks at each page, and at larger stores.)
fn with_each_page(path: &Path, whole: &[u8], check: impl Fn(&str, Result<Restored, StoreError>)) {
    for page in (0..whole.len() / PAGE).step_by(3) {
        let (name, damage) = DAMAGES[page / 3 % DAMAGES.len()];
        let mut bytes = whole.to_vec();
        damage(&mut bytes[page * PAGE..(page + 1) * PAGE]);
        fs::write(path, &bytes).unwrap();
        let what = format!("{name} on page {}", page + 1);
        let restored = SqliteStore::restore(path, &head());
        if let Ok(restored) = &restored {
            let aside = restored.aside.as_ref().unwrap();
            assert_eq!(fs::read(aside).unwrap(), bytes, "{what}: the original is kept");
            fs::remove_file(aside).unwrap();
            let store = SqliteStore::open(path, Access::Read).unwrap();
            assert_eq!(store.check().unwrap(), [], "{what}");
        } else {
            assert_eq!(fs::read(path).unwrap(), bytes, "{what}: it stays as it is");
        }
        check(&what, restored);
    }
}

/// With a copy beside it nothing at all is lost.
#[test]
fn with_a_copy_any_one_page_can_be_lost() {
    let (_folder, path, whole) = filled();
    let before = said(&path);
    assert!(matches!(SqliteStore::back_up_daily(&path, NOW), Ok(DailyBackup::Made(_))));
    with_each_page(&path, &whole, |what, restored| {
        let restored = restored.unwrap();
        assert_eq!(said(&path), before, "{what}");
        assert_eq!(restored.n_lessons, N_LESSONS, "{what}");
        assert!(restored.missing.is_empty() && restored.rebuilt.lost.is_empty(), "{what}");
        assert!(restored.copy.is_some() && restored.unusable.is_empty(), "{what}");
    });
}

/// Without one the rows that can be read are taken, and what is lost is told.
#[test]
fn without_a_copy_what_can_be_read_comes_back_and_the_rest_is_told() {
    let (_folder, path, whole) = filled();
    let (_, before) = said(&path);
    let n_whole = std::cell::Cell::new(0);
    with_each_page(&path, &whole, |what, restored| {
        let restored = match restored {
            Ok(restored) => restored,
            Err(error) => return assert!(error.to_string().contains("no backup"), "{error}"),
        };
        let (_, after) = said(&path);
        let has_words = after.iter().filter(|(id, body)| body == &&before[*id]).count();
        assert_eq!(restored.n_lessons, has_words, "{what}");
        let told = restored.told().join("\n");
        let is_told = told.contains("lessons lost") || told.contains("cannot be read");
        assert!(has_words == N_LESSONS || is_told, "{what}: {told}");
        n_whole.set(n_whole.get() + usize::from(has_words == N_LESSONS));
    });
    let n_pages = (whole.len() / PAGE).div_ceil(3);
    assert!(n_whole.get() * 2 > n_pages, "{} of {n_pages}", n_whole.get());
}

/// The bytes of a store without the page on which its runs begin.
fn without_runs(path: &Path) -> Vec<u8> {
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'runs'";
    let db = Connection::open(path).unwrap();
    let page = db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() as usize - 1;
    let mut bytes = fs::read(path).unwrap();
    bytes[page * PAGE..(page + 1) * PAGE].fill(0);
    bytes
}

/// The last day is not in the copy: what was written since comes from the damaged file.
#[test]
fn what_is_newer_than_the_copy_comes_from_the_damaged_file() {
    let (_folder, path, _) = filled();
    SqliteStore::back_up_daily(&path, NOW).unwrap();
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    write(&mut store, vec![add_lesson(&lesson("said after the copy was made"))]);
    write(&mut store, vec![add_run(&run("r99", 99))]);
    drop(store);
    let before = said(&path);
    fs::write(&path, without_runs(&path)).unwrap();
    let restored = restore(&path);
    assert_eq!((said(&path), restored.n_lessons), (before, N_LESSONS + 1));
    assert_eq!((restored.n_operations, restored.is_incomplete), (2, false));
}

/// What only the log has is not lost with the first page.
#[test]
fn the_log_is_read_too() {
    let (folder, path, _) = filled();
    // A reader keeps the log from being put into the file.
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM lessons").unwrap();
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    write(&mut store, vec![add_lesson(&lesson("said while somebody was reading"))]);
    let log = fs::read(path.with_file_name("memory.db-wal")).unwrap();
    assert!(!log.is_empty());
    let before = said(&path);
    let copy = folder.path().join("other").join("memory.db");
    fs::create_dir(copy.parent().unwrap()).unwrap();
    fs::write(&copy, without_runs(&path)).unwrap();
    fs::write(copy.with_file_name("memory.db-wal"), log).unwrap();
    let restored = restore(&copy);
    assert!(!copy.with_file_name("memory.db-wal").exists());
    let log = format!("{}-wal", restored.aside.unwrap().display());
    assert!(Path::new(&log).exists(), "the log is kept, too");
    assert_eq!(said(&copy), before);
}

#[test]
fn a_store_that_is_emptied_zeroed_or_gone_is_told_and_comes_back_from_its_copy() {
    let (_folder, path, whole) = filled();
    let before = said(&path);
    SqliteStore::back_up_daily(&path, NOW).unwrap();
    let no_header = [vec![0; 100], whole[100..].to_vec()].concat();
    let cases = [
        ("0 bytes", Some(Vec::new())),
        ("not a database", Some(vec![0; whole.len()])),
        ("not a database", Some(no_header)),
        ("it is gone", None),
    ];
    for (told, bytes) in cases {
        match &bytes {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        for access in [Access::Read, Access::Record, Access::Write] {
            let refused = SqliteStore::open(&path, access);
            let Err(StoreError::Damaged { detail, .. }) = refused else { panic!("{refused:?}") };
            assert!(detail.contains(told), "{detail}");
        }
        let restored = restore(&path);
        assert_eq!((said(&path), restored.n_lessons), (before.clone(), N_LESSONS), "{told}");
        assert_eq!((restored.aside.is_some(), restored.is_incomplete), (bytes.is_some(), true));
    }
}

/// Nothing to begin with: it is said, with the next step, and nothing is changed.
#[test]
fn what_cannot_be_brought_back_is_said() {
    let (folder, path) = place();
    fs::write(&path, vec![0; 9 * PAGE]).unwrap();
    fs::write(folder.path().join("memory.db.backup-2026-04-01.gz"), "half of it").unwrap();
    let refused = SqliteStore::restore(&path, &head()).unwrap_err().to_string();
    assert!(refused.contains("is whole (memory.db.backup-2026-04-01.gz)"), "{refused}");
    assert!(refused.contains("Put a copy of your own in its place"), "{refused}");
    assert_eq!(fs::read(&path).unwrap(), vec![0; 9 * PAGE]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// Rows of a journal with gaps are kept.
#[test]
fn a_journal_with_gaps_costs_no_lesson() {
    let (_folder, path, _) = filled();
    let before = said(&path);
    let sql = "DELETE FROM journal WHERE sequence IN (3, 20, 41)";
    Connection::open(&path).unwrap().execute(sql, []).unwrap();
    let restored = restore(&path);
    assert!(restored.is_incomplete && restored.missing.is_empty());
    assert_eq!(said(&path), before);
}

/// A process that had the damaged file open writes to the one in its place.
#[test]
fn who_had_the_file_open_writes_to_the_new_one() {
    let (_folder, path, _) = filled();
    let mut open = SqliteStore::open(&path, Access::Write).unwrap();
    write(&mut open, vec![add_lesson(&lesson("said before the rescue"))]);
    restore(&path);
    write(&mut open, vec![add_lesson(&lesson("said after the rescue"))]);
    assert_eq!(said(&path).1.len(), N_LESSONS + 2);
}

fn daily(path: &Path) -> Vec<String> {
    let copies = SqliteStore::dated_copies(path).into_iter();
    let mut days: Vec<String> = copies.filter_map(|copy| Some(copy.day?.date())).collect();
    days.sort();
    days
}

fn day(n: i64) -> Timestamp {
    Timestamp(NOW.0 + n * DAY)
}

#[test]
fn one_copy_a_day_is_made_and_three_are_kept() {
    let (_folder, path) = place();
    assert_eq!(SqliteStore::back_up_daily(&path, NOW).unwrap(), DailyBackup::NothingToCopy);
    fill(&path);
    let other = SqliteStore::back_up(&path, "v5").unwrap();
    for n in 0..5 {
        let made = SqliteStore::back_up_daily(&path, day(n)).unwrap();
        let DailyBackup::Made(made) = made else { panic!("{made:?}") };
        assert_eq!(fs::metadata(&made).unwrap().mode() & 0o777, 0o600);
        let again = SqliteStore::back_up_daily(&path, Timestamp(day(n).0 + 1)).unwrap();
        assert_eq!(again, DailyBackup::AlreadyThere);
    }
    assert_eq!(daily(&path), [2, 3, 4].map(|n| day(n).date()));
    assert!(other.exists(), "only those that are made daily are counted");
    assert!(!path.with_file_name("memory.db.backup-unfinished").exists());
    // A clock that was wrong once does not keep the days that follow from being copied.
    SqliteStore::back_up_daily(&path, day(900)).unwrap();
    SqliteStore::back_up_daily(&path, day(5)).unwrap();
    assert_eq!(daily(&path), [3, 4, 5].map(|n| day(n).date()));
}

/// Versions before did not compress the copy of the day.
#[test]
fn a_copy_that_is_not_compressed_is_found_and_used() {
    let (_folder, path, _) = filled();
    let before = said(&path);
    SqliteStore::back_up(&path, &NOW.date()).unwrap();
    assert_eq!(SqliteStore::back_up_daily(&path, NOW).unwrap(), DailyBackup::AlreadyThere);
    assert!(!SqliteStore::lacks_daily(&path, NOW));
    assert_eq!(daily(&path), [NOW.date()]);
    fs::write(&path, "").unwrap();
    restore(&path);
    assert_eq!(said(&path), before);
}

#[test]
fn a_damaged_store_replaces_no_good_copy() {
    let (_folder, path, _) = filled();
    for n in 0..3 {
        SqliteStore::back_up_daily(&path, day(n)).unwrap();
    }
    let good = daily(&path);
    let sql = "UPDATE texts SET body = 'edited' WHERE id = (SELECT min(id) FROM texts)";
    Connection::open(&path).unwrap().execute(sql, []).unwrap();
    let refused = SqliteStore::back_up_daily(&path, day(3));
    assert!(matches!(refused, Err(StoreError::Damaged { .. })), "{refused:?}");
    let mut bytes = fs::read(&path).unwrap();
    bytes[2 * PAGE..].fill(0);
    fs::write(&path, bytes).unwrap();
    assert!(SqliteStore::back_up_daily(&path, day(3)).is_err());
    assert_eq!(daily(&path), good);
    assert!(!path.with_file_name("memory.db.backup-unfinished").exists());
}

#[test]
fn two_workers_at_once_make_one_copy() {
    let (_folder, path, _) = filled();
    let made: Vec<DailyBackup> = std::thread::scope(|scope| {
        let work = || SqliteStore::back_up_daily(&path, NOW).unwrap();
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let n_made = made.iter().filter(|made| matches!(made, DailyBackup::Made(_))).count();
    assert_eq!((n_made, daily(&path).len()), (1, 1), "{made:?}");
}

/// Copies go before the words do, and a new one without them is made.
#[test]
fn an_erasure_leaves_no_copy_that_has_the_words() {
    let (_folder, path, _) = filled();
    SqliteStore::back_up_daily(&path, day(-1)).unwrap();
    SqliteStore::back_up_daily(&path, day(0)).unwrap();
    let doomed = lesson("always close file number 2 before the archive is written");
    let words = b"always close file number 2 before";
    let words = [words.to_vec()];
    let holds = |path: &PathBuf| hardwon_store::remains::look(path, &words).unwrap().is_some();
    assert!(SqliteStore::copies(&path).iter().all(holds));
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    let mut batch = sample::batch(&project(), forgotten(&doomed, &[], &[]));
    batch.head.at = NOW;
    store.apply(&batch, None).unwrap();
    assert!(daily(&path).is_empty(), "they went first");
    let scoured = store.scour(false).unwrap();
    assert_eq!(daily(&path), [NOW.date()]);
    assert_eq!(scoured.backups, SqliteStore::copies(&path));
    assert!(!SqliteStore::copies(&path).iter().any(holds));
}
