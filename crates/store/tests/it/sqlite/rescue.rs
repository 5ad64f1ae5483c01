//! What comes back of a store of which one page is damaged, whichever it is, with and without a
//! copy beside it; and the copies themselves.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::conformance::dump::{dump, dump_journal};
use crate::conformance::sample;
use crate::conformance::sample::{
    add_effect, add_finding, add_injection, add_lesson, add_run, effect, finding, injection,
    lesson, lesson_of, other_project, project, run, run_id, write,
};
use hardwon_core::change::{Erasure, OperationHead};
use hardwon_core::effect::EffectKind;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::Lesson;
use hardwon_core::time::Timestamp;
use hardwon_store::{
    Access, DailyBackup, JournalQuery, LessonQuery, Rescued, SqliteStore, Store, StoreError,
};
use rusqlite::Connection;

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

/// A store, and its bytes in one file.
fn filled(path: &Path) -> Vec<u8> {
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

fn rescue(path: &Path) -> Rescued {
    SqliteStore::rescue(path, &head()).unwrap()
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

/// Damages each page in turn, in one of the ways; `check` hears what was done, and looks at the
/// store as it is after its rescue. (`hardwon-sim rescue` tries all ways on each page.)
fn with_each_page(path: &Path, whole: &[u8], check: impl Fn(&str, &Rescued)) {
    for page in 0..whole.len() / PAGE {
        for (name, damage) in &DAMAGES[page % DAMAGES.len()..][..1] {
            let mut bytes = whole.to_vec();
            damage(&mut bytes[page * PAGE..(page + 1) * PAGE]);
            fs::write(path, &bytes).unwrap();
            let what = format!("{name} on page {}", page + 1);
            let rescued = rescue(path);
            assert_eq!(fs::read(&rescued.aside).unwrap(), bytes, "{what}: the original is kept");
            fs::remove_file(&rescued.aside).unwrap();
            let store = SqliteStore::open(path, Access::Read).unwrap();
            assert_eq!(store.check().unwrap(), [], "{what}");
            drop(store);
            check(&what, &rescued);
        }
    }
}

/// Issue 14, number 14: at least 95 % of the lessons after damage to any one page. With a copy
/// beside it nothing at all is lost but, at worst, the history.
#[test]
fn with_a_copy_any_one_page_can_be_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let whole = filled(&path);
    let before = said(&path);
    assert!(matches!(SqliteStore::back_up_daily(&path, NOW), Ok(DailyBackup::Made(_))));
    with_each_page(&path, &whole, |what, rescued| {
        assert_eq!(said(&path), before, "{what}");
        assert_eq!(rescued.n_lessons, N_LESSONS, "{what}");
        assert!(rescued.missing.is_empty() && rescued.rebuilt.lost.is_empty(), "{what}");
        assert!(!rescued.has_lost_history, "{what}");
    });
}

/// Without one only words are lost that stood on that very page, and those are named.
#[test]
fn without_a_copy_only_the_words_of_one_page_are_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let whole = filled(&path);
    let (_, before) = said(&path);
    let lossy = std::cell::RefCell::new(Vec::new());
    with_each_page(&path, &whole, |what, rescued| {
        let (_, after) = said(&path);
        let has_words = after.iter().filter(|(id, body)| body == &&before[*id]).count();
        assert_eq!(rescued.n_lessons, has_words, "{what}");
        assert!(rescued.missing.is_empty(), "{what}");
        assert_eq!(rescued.rebuilt.lost.len(), N_LESSONS - has_words, "{what}");
        if has_words < N_LESSONS {
            lossy.borrow_mut().push(what.to_owned());
        }
    });
    // So many pages have words on them; more than half of them are never lost with one.
    assert!(lossy.borrow().len() <= 4, "{:?}", lossy.borrow());
}

/// The last day is not in the copy: what was written since comes from the damaged file.
#[test]
fn what_is_newer_than_the_copy_comes_from_the_damaged_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path);
    SqliteStore::back_up_daily(&path, NOW).unwrap();
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    write(&mut store, vec![add_lesson(&lesson("said after the copy was made"))]);
    drop(store);
    let before = said(&path);
    let whole = fs::read(&path).unwrap();
    let mut bytes = whole.clone();
    bytes[..PAGE].fill(0);
    fs::write(&path, &bytes).unwrap();
    let rescued = rescue(&path);
    assert_eq!((said(&path), rescued.n_lessons), (before, N_LESSONS + 1));
}

/// What only the log has is not lost with the first page.
#[test]
fn the_log_is_read_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path);
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
    let mut bytes = fs::read(&path).unwrap();
    bytes[..PAGE].fill(0);
    fs::write(&copy, bytes).unwrap();
    fs::write(copy.with_file_name("memory.db-wal"), log).unwrap();
    let rescued = rescue(&copy);
    assert!(!copy.with_file_name("memory.db-wal").exists());
    let log = format!("{}-wal", rescued.aside.display());
    assert!(Path::new(&log).exists(), "the log is kept, too");
    assert_eq!(said(&copy), before);
}

#[test]
fn an_emptied_store_is_told_and_comes_back_from_its_copy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path);
    let before = said(&path);
    SqliteStore::back_up_daily(&path, NOW).unwrap();
    fs::write(&path, "").unwrap();
    for access in [Access::Read, Access::Record, Access::Write] {
        let refused = SqliteStore::open(&path, access);
        let Err(StoreError::Damaged { detail, .. }) = refused else { panic!("{refused:?}") };
        assert!(detail.contains("0 bytes"), "{detail}");
    }
    let rescued = rescue(&path);
    assert_eq!((said(&path), rescued.n_lessons), (before, N_LESSONS));
    assert_eq!(rescued.n_in_backups.values().sum::<usize>(), N_LESSONS);
}

/// Rows of a journal with gaps are kept, and history begins anew.
#[test]
fn a_journal_with_gaps_costs_its_history_and_no_lesson() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path);
    let before = said(&path);
    let sql = "DELETE FROM journal WHERE sequence IN (3, 20, 41)";
    Connection::open(&path).unwrap().execute(sql, []).unwrap();
    let rescued = rescue(&path);
    assert!(rescued.has_lost_history && rescued.missing.is_empty());
    assert_eq!(said(&path), before);
    let store = SqliteStore::open(&path, Access::Read).unwrap();
    let entries = store.journal(&project(), &JournalQuery::default()).unwrap();
    assert!(entries.iter().all(|entry| entry.head.command == "doctor"), "{entries:?}");
}

/// What version 13 wrote is brought back with the numbers that each project gives; so is what a copy
/// of that version has.
#[test]
fn a_damaged_store_without_numbers_of_its_projects_gets_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path);
    let history = |path: &Path| {
        let store = SqliteStore::open(path, Access::Read).unwrap();
        dump_journal(&store, &[project(), other_project()])
    };
    let before = (said(&path), history(&path));
    let sql = "
        DROP INDEX operations_by_number;
        ALTER TABLE operations DROP COLUMN number;
        ALTER TABLE journal DROP COLUMN number;
        PRAGMA user_version = 13;
        VACUUM;
        PRAGMA wal_checkpoint(TRUNCATE);";
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let whole = fs::read(&path).unwrap();
    fs::write(path.with_file_name("memory.db.backup-v13"), &whole).unwrap();
    for damaged in [&whole[..whole.len() / 2], &[]] {
        fs::write(&path, damaged).unwrap();
        let rescued = rescue(&path);
        assert!(!rescued.has_lost_history, "{rescued:?}");
        assert_eq!(said(&path), before.0);
        let (now, then) = (history(&path), before.1.clone());
        let entries = |text: &str| text.lines().filter(|l| l.contains("Entry")).count();
        assert_eq!(entries(&now), entries(&then));
        let first = now.lines().zip(then.lines()).find(|(a, b)| a != b && a.contains("Entry"));
        assert_eq!(first, None);
    }
}

/// A process that had the damaged file open writes to the one in its place.
#[test]
fn who_had_the_file_open_writes_to_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path);
    let mut open = SqliteStore::open(&path, Access::Write).unwrap();
    write(&mut open, vec![add_lesson(&lesson("said before the rescue"))]);
    rescue(&path);
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
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    assert_eq!(SqliteStore::back_up_daily(&path, NOW).unwrap(), DailyBackup::NothingToCopy);
    filled(&path);
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

#[test]
fn a_damaged_store_replaces_no_good_copy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path);
    for n in 0..3 {
        SqliteStore::back_up_daily(&path, day(n)).unwrap();
    }
    let good = daily(&path);
    let sql = "UPDATE texts SET body = 'edited' WHERE key = 3";
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
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path);
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
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path);
    SqliteStore::back_up_daily(&path, day(-1)).unwrap();
    SqliteStore::back_up_daily(&path, day(0)).unwrap();
    let doomed = lesson("always close file number 2 before the archive is written");
    let words = b"always close file number 2 before";
    let holds = |path: &PathBuf| fs::read(path).unwrap().windows(words.len()).any(|w| w == words);
    assert!(SqliteStore::copies(&path).iter().all(holds));
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    let erasure = Erasure {
        lesson: doomed.id.clone(),
        is_global: false,
        texts: [doomed.text.id().clone()].into(),
        words: Default::default(),
        takes_remarks: true,
    };
    let changes = vec![
        hardwon_core::change::Change::RemoveLesson {
            lesson: Box::new(doomed),
            because: "forgotten".into(),
        },
        hardwon_core::change::Change::Erase { erasure },
    ];
    let mut batch = sample::batch(&project(), changes);
    batch.head.at = NOW;
    store.apply(&batch, None).unwrap();
    assert!(daily(&path).is_empty(), "they went first");
    let scoured = store.scour(false).unwrap();
    assert_eq!(daily(&path), [NOW.date()]);
    assert_eq!(scoured.backups, SqliteStore::copies(&path));
    assert!(!SqliteStore::copies(&path).iter().any(holds));
}
