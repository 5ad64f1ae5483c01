//! Our own export: what goes out comes back as it was, what nobody vouched for waits,
//! and a file that is not whole is not read at all.

use std::fs;

use hardwon_core::change::{Batch, OperationHead};
use hardwon_core::gate::Gate;
use hardwon_core::ids::ProjectId;
use hardwon_core::time::Timestamp;
use hardwon_engine::answer::{Imported, Status};
use hardwon_engine::ids::RunId;
use hardwon_engine::lesson::{Origin, State, Trust};
use hardwon_engine::transfer::look_into;
use hardwon_engine::{
    Access, AddRequest, EngineError, Environment, InjectRequest, Input, LearnRequest, OpenMemory,
    blocks, history, lessons, lookup, policy, runs, transfer, trust,
};
use hardwon_store::conformance::random::{Random, changes};
use hardwon_store::{MemoryStore, Store};
use serde_json::Value;

use crate::bench::{run, warning};

const W: &str = "Query built by string concatenation in the user search";
const OTHER: &str = "Response lacks a content type header";

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Home(tempfile::tempdir().unwrap())
    }

    fn environment(&self, store: &str) -> Environment {
        Environment {
            home: Some(self.0.path().join(store)),
            project: Some("demo".into()),
            user: Some("ada".into()),
            now: Some("2026-04-03T14:00:00Z".into()),
            folder: self.0.path().to_owned(),
            ..Environment::default()
        }
    }

    /// All that a store remembers, in our own format.
    fn exported(&self, store: &str) -> String {
        let open = self.open(store);
        transfer::export_own(&open.memory, &open.call).unwrap().0
    }

    fn open(&self, store: &str) -> OpenMemory {
        OpenMemory::open(&self.environment(store), &Default::default(), Access::Write).unwrap()
    }

    fn import(&self, store: &str, file: &str) -> Imported {
        let mut open = self.open(store);
        transfer::import_file(&mut open.memory, &open.call, &self.environment(store), file)
            .unwrap()
            .body
    }

    fn vouch(&self, store: &str, file: &str) {
        let (environment, path) = (self.environment(store), self.0.path().join(file));
        let (found, _) = look_into(&environment, &path).unwrap();
        trust::pin(&environment, &path, &found.digest).unwrap();
    }
}

/// A memory with a bit of everything, written to `mine.jsonl`.
fn lived_in(home: &Home) -> String {
    let mut engine = home.open("one");
    for id in ["r1", "r2"] {
        let record = run(id, &["guardian"]) + &warning(W) + &warning("Socket left open on error");
        runs::learn(
            &mut engine.memory,
            &engine.call,
            LearnRequest::of(Input::text("record", &record)),
        )
        .unwrap();
    }
    let served = Some(RunId::parse("r3").unwrap());
    blocks::inject(
        &mut engine.memory,
        &engine.call,
        &InjectRequest { run: served, ..InjectRequest::default() },
    )
    .unwrap();
    let record = run("r3", &["guardian"]) + &warning(OTHER);
    runs::learn(&mut engine.memory, &engine.call, LearnRequest::of(Input::text("record", &record)))
        .unwrap();
    let wish = AddRequest {
        text: "Bundle related changes into one pull request".into(),
        is_global: true,
        ..AddRequest::default()
    };
    lessons::add(&mut engine.memory, &engine.call, &wish).unwrap();
    let lesson = lessons::search(&engine.memory, &engine.call, "socket", 1, false)
        .unwrap()
        .body
        .lessons
        .remove(0);
    lessons::forget_for_good(
        &mut engine.memory,
        &engine.call,
        &home.environment("one"),
        lesson.id.as_str(),
    )
    .unwrap();
    transfer::export_to_file(
        &engine.memory,
        &engine.call,
        &home.environment("one"),
        "mine.jsonl",
        false,
    )
    .unwrap();
    transfer::export_own(&engine.memory, &engine.call).unwrap().0
}

#[test]
fn what_was_vouched_for_comes_back_as_it_was() {
    let home = Home::new();
    let text = lived_in(&home);
    assert_eq!(fs::read_to_string(home.0.path().join("mine.jsonl")).unwrap(), text);
    assert!(!text.contains("Socket left open"), "{text}");
    home.vouch("two", "mine.jsonl");
    let imported = home.import("two", "mine.jsonl");
    assert_eq!((imported.n_cleaned, imported.n_rejected), (0, 0), "{imported:?}");
    assert_eq!((imported.added.len(), imported.n_runs, imported.n_tombstones), (3, 3, 1));
    assert_eq!(home.exported("two"), text);
    assert_eq!(home.open("two").memory.store().check().unwrap(), []);

    let again = home.import("two", "mine.jsonl");
    assert_eq!((again.n_known, again.added.len(), again.n_runs), (3, 0, 0));
    assert_eq!(home.exported("two"), text);
    let open = home.open("two");
    let entries = history::history(&open.memory, &open.call, None, None).unwrap().body.entries;
    assert!(entries.iter().all(|e| e.operation == entries[0].operation), "one operation");
}

#[test]
fn what_nobody_vouched_for_waits() {
    let home = Home::new();
    lived_in(&home);
    let mut engine = home.open("two");
    let answer = transfer::import_file(
        &mut engine.memory,
        &engine.call,
        &home.environment("two"),
        "mine.jsonl",
    )
    .unwrap();
    assert_eq!(answer.status, Status::Degraded);
    let imported = answer.body;
    assert_eq!((imported.n_read, imported.quarantined.len(), imported.n_runs), (3, 3, 0));
    assert_eq!(imported.n_tombstones, 0, "a stranger cannot forbid what is learned");
    let lessons =
        lessons::list(&engine.memory, &engine.call, &Default::default()).unwrap().body.lessons;
    for lesson in &lessons {
        let standing = (lesson.state, lesson.origin, lesson.trust, lesson.effects.n_shown());
        assert_eq!(standing, (State::Quarantined, Origin::Import, Trust::Foreign, 0));
    }
    let block =
        blocks::compose(&engine.memory, &engine.call, &InjectRequest::default()).unwrap().block;
    assert_eq!(block, "");
    home.vouch("two", "mine.jsonl");
    let released = home.import("two", "mine.jsonl");
    assert_eq!((released.released.len(), released.n_runs), (3, 3));
    let open = home.open("two");
    let block = blocks::compose(&open.memory, &open.call, &InjectRequest::default()).unwrap().block;
    assert!(block.contains(W), "{block}");
}

#[test]
fn a_file_that_is_not_whole_is_not_read() {
    let home = Home::new();
    let text = lived_in(&home);
    let changed = text.replace("concatenation", "interpolation");
    let lines: Vec<&str> = text.lines().collect();
    let cut = lines[..lines.len() - 1].join("\n") + "\n";
    let newer = text.replace("hardwon.export/1", "hardwon.export/9");
    let cases = [
        (changed, "changed"),
        (cut, "cut off"),
        (text[..text.len() / 2].to_owned(), "cut off"),
        (text.trim_end().to_owned(), "cut off"),
        (newer, "newer"),
    ];
    for (content, reason) in cases {
        fs::write(home.0.path().join("bad.jsonl"), content).unwrap();
        let mut engine = home.open("two");
        let refused = transfer::import_file(
            &mut engine.memory,
            &engine.call,
            &home.environment("two"),
            "bad.jsonl",
        )
        .unwrap_err();
        assert!(matches!(&refused, EngineError::BadExport { .. }), "{refused}");
        assert!(refused.to_string().contains(reason), "{refused}");
        assert!(
            lessons::list(&engine.memory, &engine.call, &Default::default())
                .unwrap()
                .body
                .lessons
                .is_empty()
        );
    }
}

#[test]
fn what_was_forgotten_here_stays_forgotten() {
    let home = Home::new();
    lived_in(&home);
    home.vouch("one", "mine.jsonl");
    let mut engine = home.open("one");
    let gone = lessons::search(&engine.memory, &engine.call, "concatenation", 1, false)
        .unwrap()
        .body
        .lessons
        .remove(0);
    let away = lessons::search(&engine.memory, &engine.call, "content type", 1, false)
        .unwrap()
        .body
        .lessons
        .remove(0);
    lessons::forget_for_good(
        &mut engine.memory,
        &engine.call,
        &home.environment("one"),
        gone.id.as_str(),
    )
    .unwrap();
    lessons::forget(&mut engine.memory, &engine.call, away.id.as_str()).unwrap();
    let imported = home.import("one", "mine.jsonl");
    assert_eq!((imported.n_forgotten, imported.added.len(), imported.n_known), (1, 0, 2));
    let engine = home.open("one");
    assert!(lookup::lesson_named(&engine.memory, &engine.call, gone.id.as_str()).is_err());
    assert_eq!(
        lookup::lesson_named(&engine.memory, &engine.call, away.id.as_str()).unwrap().state,
        State::Archived
    );
}

#[test]
fn marks_that_were_vouched_for_are_heeded() {
    let home = Home::new();
    lived_in(&home);
    home.vouch("two", "mine.jsonl");
    home.import("two", "mine.jsonl");
    let mut engine = home.open("two");
    let record = run("r9", &["guardian"]) + &warning("Socket left open on error");
    let answer = runs::learn(
        &mut engine.memory,
        &engine.call,
        LearnRequest::of(Input::text("record", &record)),
    )
    .unwrap();
    assert_eq!(answer.body.runs[0].n_rejected, 1, "{:?}", answer.problems);
}

#[test]
fn secrets_and_steering_do_not_come_in() {
    let home = Home::new();
    let text = lived_in(&home);
    let key = format!("AK{}{}", "IA", "IOSFODNN7QWERTYU");
    rewrite(&home, &text.replace(OTHER, &format!("Use {key}\\u202e for uploads\\u0007")));
    home.vouch("two", "bad.jsonl");
    let imported = home.import("two", "bad.jsonl");
    assert!(imported.n_cleaned >= 2, "{imported:?}");
    let open = home.open("two");
    let (again, _) = transfer::export_own(&open.memory, &open.call).unwrap();
    assert!(!again.contains(&key) && again.contains("[redacted:"), "{again}");
    assert!(
        !again.contains("\\u202e") && !again.contains('\u{202e}') && !again.contains("\\u0007")
    );
}

/// Writes an edited export to `bad.jsonl`, with the digest that it has now.
fn rewrite(home: &Home, text: &str) {
    let (body, _) = text.trim_end().rsplit_once('\n').unwrap();
    let digest = hardwon_core::digest::sha256_of_bytes(format!("{body}\n").as_bytes());
    let text = format!("{body}\n{{\"digest\":\"{digest}\"}}\n");
    fs::write(home.0.path().join("bad.jsonl"), text).unwrap();
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
    let key = format!("AK{}{}", "IA", "IOSFODNN7QWERTYU");
    rewrite(&home, &text.replace("\"r2\"", &format!("\"{key}\"")));
    home.vouch("two", "bad.jsonl");
    let imported = home.import("two", "bad.jsonl");
    assert_eq!((imported.n_runs, imported.n_rejected), (3, 0), "{imported:?}");
    let open = home.open("two");
    let (again, _) = transfer::export_own(&open.memory, &open.call).unwrap();
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
        rewrite(&home, &text.replacen(&value, &format!("\"{key}\""), 1));
        let store = format!("store{n}");
        home.vouch(&store, "bad.jsonl");
        let imported = home.import(&store, "bad.jsonl");
        assert!(imported.n_rejected == 1, "{sort}{field}: {imported:?}");
        let open = home.open(&store);
        let (again, _) = transfer::export_own(&open.memory, &open.call).unwrap();
        assert!(!again.contains(&key), "{sort}{field}: {again}");
    }
}

#[test]
fn what_waits_and_is_seen_again_is_told() {
    let home = Home::new();
    lived_in(&home);
    let mut engine = home.open("two");
    transfer::import_file(&mut engine.memory, &engine.call, &home.environment("two"), "mine.jsonl")
        .unwrap();
    let record = run("r9", &["guardian"]) + &warning(W);
    let answer = runs::learn(
        &mut engine.memory,
        &engine.call,
        LearnRequest::of(Input::text("record", &record)),
    )
    .unwrap();
    let told = answer.problems.iter().filter(|p| p.reason.contains("hardwon review list"));
    let waiting = lessons::search(&engine.memory, &engine.call, "concatenation", 1, true)
        .unwrap()
        .body
        .lessons
        .remove(0);
    let told: Vec<&str> = told.map(|problem| problem.at.as_str()).collect();
    assert_eq!(told, [waiting.id.as_str()], "{:?}", answer.problems);
    assert_eq!(waiting.state, State::Quarantined);
}

#[test]
fn what_is_no_export_is_said_to_be_none() {
    let home = Home::new();
    let mut engine = home.open("one");
    fs::write(home.0.path().join("empty.jsonl"), "").unwrap();
    fs::write(home.0.path().join("record.jsonl"), run("r1", &["guardian"])).unwrap();
    let cases = [
        ("none.jsonl", "no such file or folder"),
        ("empty.jsonl", "not an export of hardwon"),
        ("record.jsonl", "not an export of hardwon"),
    ];
    for (file, told) in cases {
        let refused =
            transfer::import_file(&mut engine.memory, &engine.call, &home.environment("one"), file)
                .unwrap_err();
        assert!(refused.to_string().ends_with(told), "{refused}");
    }
    for (file, told) in [("none/x.jsonl", "cannot write"), (".", "it is a folder")] {
        let refused = transfer::export_to_file(
            &engine.memory,
            &engine.call,
            &home.environment("one"),
            file,
            true,
        )
        .unwrap_err();
        assert!(refused.to_string().contains(told), "{refused}");
    }
}

#[test]
fn another_file_is_not_overwritten() {
    let home = Home::new();
    let engine = home.open("one");
    let (environment, path) = (home.environment("one"), home.0.path().join("notes.txt"));
    fs::write(&path, "my notes").unwrap();
    let refused =
        transfer::export_to_file(&engine.memory, &engine.call, &environment, "notes.txt", false);
    assert!(matches!(refused, Err(EngineError::NoOverwrite { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "my notes");
    transfer::export_to_file(&engine.memory, &engine.call, &environment, "notes.txt", true)
        .unwrap();
    transfer::export_to_file(&engine.memory, &engine.call, &environment, "notes.txt", false)
        .unwrap();
}

/// Random memories of the store's own tests, through a file and back.
#[test]
fn random_memories_come_back_as_they_were() {
    let home = Home::new();
    let project = ProjectId::new("demo");
    for seed in 0..12 {
        let mut store = MemoryStore::new();
        let mut random = Random::new(seed);
        for _ in 0..40 {
            let head = OperationHead {
                command: "learn".into(),
                actor: "somebody".into(),
                at: Timestamp(0),
                undoes: None,
            };
            let changes = changes(&mut random, store.tables(), &project);
            let batch = Batch { project: project.clone(), head, continues: None, changes };
            store.apply(&batch, None).unwrap();
        }
        let policy = policy::load("hardwon").unwrap();
        let engine = OpenMemory::with_store(Box::new(store), project.clone(), policy, Timestamp(0));
        let (text, _) = transfer::export_own(&engine.memory, &engine.call).unwrap();
        let file = format!("{seed}.jsonl");
        fs::write(home.0.path().join(&file), &text).unwrap();
        let store = format!("store{seed}");
        home.vouch(&store, &file);
        let imported = home.import(&store, &file);
        assert_eq!((imported.n_rejected, imported.n_cleaned), (0, 0), "{seed}: {imported:?}");
        let open = home.open(&store);
        let (again, _) = transfer::export_own(&open.memory, &open.call).unwrap();
        assert!(again == text, "seed {seed}");
        home.import(&store, &file);
        assert!(home.exported(&store) == text, "twice, seed {seed}");
        assert_eq!(home.open(&store).memory.store().check().unwrap(), []);
    }
    // The gate leaves what it let in: without that no round trip could be equal.
    assert_eq!(Gate::standard().line(W).as_str(), W);
}
