//! Our own export: what goes out comes back as it was, what no person trusts waits, and a
//! file that is not complete is not read at all.

use std::fs;

use hardwon_core::gate::Gate;
use hardwon_engine::answer::{Effects, Imported, Status};
use hardwon_engine::lesson::{Origin, State, Trust};
use hardwon_engine::{AddRequest, EngineError, InjectRequest};
use serde_json::{Value, json};

use crate::harness::{Home, W, WISH, reworded, run, warning, wish, with_digest};

const OTHER: &str = "Response lacks a content type header";
const SOCKET: &str = "Socket left open on error";

impl Home {
    /// All that a store remembers, in our own format.
    fn exported(&self, store: &str) -> String {
        self.open(store).export_own().unwrap().0
    }

    fn try_import(&self, store: &str, file: &str) -> Result<Imported, EngineError> {
        let imported = self.open(store).import_file(&self.environment(store), file)?;
        Ok(imported.body)
    }

    fn import(&self, store: &str, file: &str) -> Imported {
        self.try_import(store, file).unwrap()
    }

    /// An edited export, which a person trusts; what is exported after it was imported.
    fn import_edited(&self, store: &str, text: &str) -> (Imported, String) {
        self.write("bad.jsonl", &with_digest(text));
        self.trust(store, "bad.jsonl");
        (self.import(store, "bad.jsonl"), self.exported(store))
    }
}

/// A memory with a bit of everything, written to `mine.jsonl`.
fn lived_in(home: &Home) -> String {
    let mut p = home.open("one");
    p.confirm(&[W, SOCKET]);
    p.inject("r3");
    p.learn_finding("r3", OTHER);
    p.add(&AddRequest { is_global: true, ..wish(WISH) }).unwrap();
    let environment = home.environment("one");
    let socket = p.lesson_saying(SOCKET);
    p.forget_for_good(&environment, socket.id.as_str()).unwrap();
    p.export_to_file(&environment, "mine.jsonl", false).unwrap();
    p.export_own().unwrap().0
}

fn key() -> String {
    format!("AK{}{}", "IA", "IOSFODNN7QWERTYU")
}

#[test]
fn what_is_trusted_comes_back_as_it_was() {
    let home = Home::new();
    let text = lived_in(&home);
    assert_eq!(fs::read_to_string(home.path("mine.jsonl")).unwrap(), text);
    assert!(!text.contains("Socket left open"), "{text}");
    home.trust("two", "mine.jsonl");
    let imported = home.import("two", "mine.jsonl");
    assert_eq!((imported.n_cleaned, imported.n_rejected), (0, 0), "{imported:?}");
    assert_eq!((imported.added.len(), imported.n_runs, imported.n_tombstones), (3, 3, 1));
    assert_eq!(home.exported("two"), text);
    home.open("two").assert_sound();

    let again = home.import("two", "mine.jsonl");
    assert_eq!((again.n_known, again.added.len(), again.n_runs), (3, 0, 0));
    assert_eq!(home.exported("two"), text);
    let entries = home.open("two").history(None, None).unwrap().body.entries;
    assert!(entries.iter().all(|e| e.operation == entries[0].operation), "one operation");
}

#[test]
fn what_no_person_trusts_waits() {
    let home = Home::new();
    lived_in(&home);
    let mut p = home.open("two");
    let answer = p.import_file(&home.environment("two"), "mine.jsonl").unwrap();
    assert_eq!(answer.status, Status::Degraded);
    let imported = answer.body;
    assert_eq!((imported.n_read, imported.quarantined.len(), imported.n_runs), (3, 3, 0));
    assert_eq!(imported.n_tombstones, 0, "a stranger cannot forbid what is learned");
    for lesson in &p.list(&Default::default()).unwrap().body.lessons {
        let standing = (lesson.state.0, lesson.origin.0, lesson.trust.0, lesson.effects);
        let waiting = (State::Quarantined, Origin::Import, Trust::Foreign, Effects::default());
        assert_eq!(standing, waiting);
    }
    assert_eq!(p.compose(&InjectRequest::default()).unwrap().block, "");
    // Seen again, it is named to whoever learns.
    let answer = p.learn(&(run("r9", &["guardian"]) + &warning(W)));
    let told = answer.problems.iter().filter(|p| p.reason.contains("hardwon review list"));
    let told: Vec<&str> = told.map(|problem| problem.at.as_str()).collect();
    let waiting = p.lesson_saying(W);
    assert_eq!(told, [waiting.id.as_str()], "{:?}", answer.problems);
    assert_eq!(waiting.state, State::Quarantined);

    home.import("three", "mine.jsonl");
    home.trust("three", "mine.jsonl");
    let released = home.import("three", "mine.jsonl");
    assert_eq!((released.released.len(), released.n_runs), (3, 3));
    let block = home.open("three").compose(&InjectRequest::default()).unwrap().block;
    assert!(block.contains(W), "{block}");
}

#[test]
fn a_file_that_is_not_complete_is_not_read() {
    let home = Home::new();
    let text = lived_in(&home);
    let (body, _) = text.trim_end().rsplit_once('\n').unwrap();
    let cases = [
        (text.replace("concatenation", "interpolation"), "changed"),
        (format!("{body}\n"), "cut off"),
        (text[..text.len() / 2].to_owned(), "cut off"),
        (text.trim_end().to_owned(), "cut off"),
        (text.replace("hardwon.export/1", "hardwon.export/9"), "newer"),
    ];
    for (content, reason) in cases {
        home.write("bad.jsonl", &content);
        let refused = home.try_import("two", "bad.jsonl").unwrap_err();
        assert!(matches!(&refused, EngineError::BadExport { .. }), "{refused}");
        assert!(refused.to_string().contains(reason), "{refused}");
        assert_eq!(home.open("two").lessons(), []);
    }
}

#[test]
fn what_was_forgotten_here_stays_forgotten() {
    let home = Home::new();
    lived_in(&home);
    home.trust("one", "mine.jsonl");
    let mut p = home.open("one");
    let (gone, away) = (p.lesson_saying(W), p.lesson_saying(OTHER));
    p.forget_for_good(&home.environment("one"), gone.id.as_str()).unwrap();
    p.forget(away.id.as_str()).unwrap();
    let imported = home.import("one", "mine.jsonl");
    assert_eq!((imported.n_forgotten, imported.added.len(), imported.n_known), (1, 0, 2));
    let mut p = home.open("one");
    assert!(p.lesson_named(gone.id.as_str()).is_err());
    assert_eq!(p.again(&away).state, State::Archived);
}

#[test]
fn what_a_trusted_file_forgot_is_not_learned() {
    let home = Home::new();
    lived_in(&home);
    home.trust("two", "mine.jsonl");
    home.import("two", "mine.jsonl");
    let answer = home.open("two").learn(&(run("r9", &["guardian"]) + &warning(SOCKET)));
    assert_eq!(answer.body.runs[0].findings.n_rejected, 1, "{:?}", answer.problems);
}

#[test]
fn secrets_and_steering_do_not_come_in() {
    let home = Home::new();
    let text = lived_in(&home).replace(OTHER, &format!("Use {}\\u202e for uploads\\u0007", key()));
    let (imported, again) = home.import_edited("two", &text);
    assert!(imported.n_cleaned >= 2, "{imported:?}");
    assert!(again.contains("[redacted:"), "{again}");
    for unwanted in [&key(), "\\u202e", "\u{202e}", "\\u0007"] {
        assert!(!again.contains(unwanted), "{again}");
    }
}

/// The first value of that field among the rows of that sort.
fn first(text: &str, sort: &str, field: &str) -> String {
    let mut rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let row = rows.find_map(|row| row.get(sort).cloned()).unwrap();
    row.pointer(field).unwrap().as_str().unwrap().to_owned()
}

#[test]
fn names_and_digests_hold_no_secrets() {
    let home = Home::new();
    let text = lived_in(&home);
    let key = key();
    let (imported, again) =
        home.import_edited("two", &text.replace("\"r2\"", &format!("\"{key}\"")));
    assert_eq!((imported.n_runs, imported.n_rejected), (3, 0), "{imported:?}");
    assert!(!again.contains(&key) && again.contains("\"root\":\"run-"), "{again}");
    let fields = [
        ("finding", "/key"),
        ("injection", "/shown/0/digest"),
        ("injection", "/digest"),
        ("injection", "/need"),
        ("lesson", "/id"),
        ("tombstone", "/texts/0"),
    ];
    for (n, (sort, field)) in fields.into_iter().enumerate() {
        let value = format!("\"{}\"", first(&text, sort, field));
        let edited = text.replacen(&value, &format!("\"{key}\""), 1);
        let (imported, again) = home.import_edited(&format!("store{n}"), &edited);
        assert!(imported.n_rejected == 1, "{sort}{field}: {imported:?}");
        assert!(!again.contains(&key), "{sort}{field}: {again}");
    }
}

/// One of many memories that were used in another order each.
fn used(home: &Home, store: &str, seed: usize) -> String {
    let mut p = home.open(store);
    for n in 0..30 {
        let (pick, id) = (seed + 7 * n + n * n, format!("r{}", n / 2));
        let text = [W, OTHER, SOCKET, "Ünïcode ロック is cut"][pick % 4];
        let about = json!({"type": "deliberation", "role": "judge", "verdict": "FAIL",
            "response": format!("{text}. Close it."), "issue": 12});
        let tried = json!({"type": "attempt", "issue": 12, "role": "doctor", "approach": text,
            "result": "failed", "why": "it is still red"});
        let lesson = p.lessons().into_iter().nth(pick % 3);
        match (pick % 10, lesson) {
            (0, Some(lesson)) => drop(p.pin(lesson.id.as_str(), pick % 4 > 0)),
            (1, Some(lesson)) => drop(p.edit(lesson.id.as_str(), &reworded("Say it anew"))),
            (2, Some(lesson)) => drop(p.forget(lesson.id.as_str())),
            (3, Some(lesson)) => drop(p.doubt(lesson.id.as_str(), "it is no longer so")),
            (4, _) => drop(p.undo()),
            (5, _) => drop(p.add(&AddRequest { is_global: pick % 4 > 1, ..wish(text) })),
            (6, _) => drop(p.inject(&id)),
            (7, _) => drop(p.learn(&(run(&id, &["guardian"]) + &format!("{about}\n{tried}\n")))),
            _ => drop(p.learn(&(run(&id, &["guardian", "sage"]) + &warning(text)))),
        }
    }
    p.export_own().unwrap().0
}

#[test]
fn any_memory_comes_back_as_it_was() {
    let home = Home::new();
    for seed in 0..12 {
        let text = used(&home, &format!("from{seed}"), seed);
        let (file, store) = (format!("{seed}.jsonl"), format!("store{seed}"));
        home.write(&file, &text);
        home.trust(&store, &file);
        let imported = home.import(&store, &file);
        assert_eq!((imported.n_rejected, imported.n_cleaned), (0, 0), "{seed}: {imported:?}");
        assert!(home.exported(&store) == text, "seed {seed}");
        home.import(&store, &file);
        assert!(home.exported(&store) == text, "twice, seed {seed}");
        home.open(&store).assert_sound();
    }
    // The gate leaves what it let in: without that no round trip could be equal.
    assert_eq!(Gate::standard().line(W).as_str(), W);
}
