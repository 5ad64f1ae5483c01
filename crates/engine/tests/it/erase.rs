//! Forgetting for good: nothing of the words is left in any file, nothing brings them
//! back, and what cannot be shown is said. The files are looked through here by a plain
//! search that shares nothing with the program's own.

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_engine::answer::Erased;
use hardwon_engine::ids::{LessonId, OperationId, RunId};
use hardwon_engine::lesson::Kind;
use hardwon_engine::transfer::look_into;
use hardwon_engine::{
    Access, AddRequest, EditRequest, EngineError, Environment, InjectRequest, Input, LearnRequest,
    OpenMemory, Stated, blocks, history, lessons, lookup, runs, transfer, trust,
};
use hardwon_store::JournalQuery;

use crate::bench::{run, warning};

const W: &str = "Query built by string concatenation in the user search";

/// A home with one store in it.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Home(tempfile::tempdir().unwrap())
    }

    fn environment(&self) -> Environment {
        Environment {
            home: Some(self.0.path().join("home")),
            project: Some("demo".into()),
            user: Some("ada".into()),
            now: Some("2026-04-03T14:00:00Z".into()),
            folder: self.0.path().to_owned(),
            ..Environment::default()
        }
    }

    fn open(&self) -> OpenMemory {
        OpenMemory::open(&self.environment(), &Default::default(), Access::Write).unwrap()
    }

    fn forget(&self, engine: &mut OpenMemory, id: &LessonId) -> Erased {
        lessons::forget_for_good(&mut engine.memory, &engine.call, &self.environment(), id.as_str())
            .unwrap()
            .body
            .erased
            .unwrap()
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        below(self.0.path(), &mut files);
        files
    }
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { below(&path, files) } else { files.push(path) }
    }
}

/// Split-mix: a seed means the same for ever.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    /// A text that nobody else says, with what is awkward to store, escape and cut.
    fn text(&mut self) -> String {
        const ENDS: &[&str] =
            &["", "", "\"quoted\"", "\\", "ü", "日本語", "🦀", "\n", "\t", "'", "<b>"];
        const PARTS: &[&str] =
            &["ba", "ko", "ri", "mu", "ten", "sol", "ver", "lan", "dix", "pu", "gro", "hem"];
        let most = if self.below(8) == 0 { 80 } else { 12 };
        let n_words = 5 + self.below(most);
        let words: Vec<String> = (0..n_words)
            .map(|_| {
                let n_parts = 2 + self.below(3);
                let word: String = (0..n_parts).map(|_| PARTS[self.below(PARTS.len())]).collect();
                word + ENDS[self.below(ENDS.len())]
            })
            .collect();
        format!("Never {}", words.join(" "))
    }
}

/// The text, as it stands and as JSON writes it, and every piece of 24 characters that
/// begins with a word.
fn forms(text: &str) -> Vec<String> {
    let mut pieces = vec![text.to_owned()];
    let chars: Vec<char> = text.chars().collect();
    for at in 0..chars.len().saturating_sub(24) {
        if at == 0 || chars[at - 1] == ' ' {
            pieces.push(chars[at..at + 24].iter().collect());
        }
    }
    let json = |text: &String| serde_json::to_string(text).unwrap().trim_matches('"').to_owned();
    let escaped: Vec<String> = pieces.iter().map(json).collect();
    pieces.into_iter().chain(escaped).collect()
}

fn residues(home: &Home, texts: &[String]) -> Vec<String> {
    let forms: Vec<String> = texts.iter().flat_map(|text| forms(text)).collect();
    let mut found = Vec::new();
    for file in home.files() {
        let bytes = fs::read(&file).unwrap();
        let content = String::from_utf8_lossy(&bytes);
        let left = forms.iter().filter(|form| content.contains(form.as_str()));
        found.extend(left.map(|form| format!("{}: {form}", file.display())));
    }
    found
}

/// The same question, answered by the first that is found.
fn is_there(home: &Home, texts: &[String]) -> bool {
    let forms: Vec<String> = texts.iter().flat_map(|text| forms(text)).collect();
    home.files().iter().any(|file| {
        let bytes = fs::read(file).unwrap();
        let content = String::from_utf8_lossy(&bytes);
        forms.iter().any(|form| content.contains(form.as_str()))
    })
}

fn add(engine: &mut OpenMemory, text: &str) -> LessonId {
    let kind = Some(Kind::Preference);
    let request = AddRequest { text: text.into(), kind, ..AddRequest::default() };
    lessons::add(&mut engine.memory, &engine.call, &request).unwrap().body.id
}

fn learn(engine: &mut OpenMemory, record: &str) -> u64 {
    let request = LearnRequest::of(Input::text("record.jsonl", record));
    runs::learn(&mut engine.memory, &engine.call, request).unwrap().body.runs[0].findings.n_rejected
}

fn show(engine: &mut OpenMemory, run: &str) -> String {
    let run = Some(RunId::parse(run).unwrap());
    blocks::inject(
        &mut engine.memory,
        &engine.call,
        &InjectRequest { run, ..InjectRequest::default() },
    )
    .unwrap()
    .body
    .block
}

/// A lesson by one of three ways, shown once and reworded once; every wording it had.
fn live(engine: &mut OpenMemory, random: &mut Random, n: usize) -> (LessonId, Vec<String>) {
    let text = random.text();
    let mut said = Vec::new();
    let id = match n % 3 {
        0 => add(engine, &text),
        _ => {
            for part in ["a", "b"] {
                learn(engine, &(run(&format!("r{n}{part}"), &["guardian"]) + &warning(&text)));
            }
            let lessons = lessons::list(&engine.memory, &engine.call, &Default::default())
                .unwrap()
                .body
                .lessons;
            let newest = lessons.iter().find(|l| {
                l.last_seen_run.as_ref().is_some_and(|run| run.as_str() == format!("r{n}b"))
            });
            newest.unwrap_or_else(|| panic!("{text:?} was learned")).id.0.clone()
        }
    };
    said.push(
        lookup::lesson_named(&engine.memory, &engine.call, id.as_str())
            .unwrap()
            .text
            .as_str()
            .to_owned(),
    );
    show(engine, &format!("s{n}"));
    if n.is_multiple_of(2) {
        let text = Some(random.text());
        lessons::edit(
            &mut engine.memory,
            &engine.call,
            id.as_str(),
            &EditRequest { text, ..EditRequest::default() },
        )
        .unwrap();
        said.push(
            lookup::lesson_named(&engine.memory, &engine.call, id.as_str())
                .unwrap()
                .text
                .as_str()
                .to_owned(),
        );
        show(engine, &format!("t{n}"));
    }
    (id, said)
}

#[test]
fn a_hundred_random_erasures_leave_nothing() {
    let home = Home::new();
    let mut random = Random(7);
    let mut engine = home.open();
    let mut left = Vec::new();
    for n in 0..100usize {
        if n.is_multiple_of(10) {
            engine = home.open();
        }
        let (id, said) = live(&mut engine, &mut random, n);
        if n.is_multiple_of(10) {
            live(&mut engine, &mut random, 1000 + n);
        }
        assert!(n % 10 > 0 || is_there(&home, &said), "it was there");
        let erased = home.forget(&mut engine, &id);
        assert!(erased.is_proved(), "{n}: {erased:?}");
        assert!(erased.n_rows >= 2 && erased.n_files_scanned >= 1, "{erased:?}");
        if n.is_multiple_of(5) {
            add(&mut engine, &random.text());
        }
        left.extend(residues(&home, &said));
    }
    assert_eq!(left, Vec::<String>::new(), "{} residues", left.len());
    assert_eq!(engine.memory.store().check().unwrap(), []);
}

#[test]
fn what_was_forgotten_is_not_learned_again() {
    let home = Home::new();
    let mut engine = home.open();
    for id in ["r1", "r2"] {
        learn(&mut engine, &(run(id, &["guardian"]) + &warning(W)));
    }
    let lesson = lessons::list(&engine.memory, &engine.call, &Default::default())
        .unwrap()
        .body
        .lessons
        .remove(0);
    assert!(home.forget(&mut engine, &lesson.id).is_proved());
    let record = run("r3", &["guardian"]) + &warning(W) + &warning("Socket left open on error");
    let answer = runs::learn(
        &mut engine.memory,
        &engine.call,
        LearnRequest::of(Input::text("record", &record)),
    )
    .unwrap();
    assert_eq!(
        (answer.body.runs[0].findings.n_used, answer.body.runs[0].findings.n_rejected),
        (1, 1)
    );
    let reason = &answer.problems[0].reason;
    assert_eq!(reason, "finding not used: forgotten for good on 2026-04-03");
    assert_eq!(residues(&home, &[W.to_owned()]), Vec::<String>::new());

    let again = AddRequest { text: W.to_uppercase(), ..AddRequest::default() };
    let said = lessons::add(&mut engine.memory, &engine.call, &again).unwrap();
    assert!(said.problems[0].reason.contains("may come back"), "{:?}", said.problems);
    let record = run("r4", &["guardian"]) + &warning(W);
    assert_eq!(learn(&mut engine, &record), 0, "a person said it again");
}

#[test]
fn an_agent_neither_forgets_for_good_nor_brings_back() {
    let home = Home::new();
    const W: &str = "Never build a query by string concatenation";
    let mut engine = home.open();
    let id = add(&mut engine, W);
    let environment = Environment { agent: Some("bot".into()), ..home.environment() };
    let mut bot = OpenMemory::open(&environment, &Default::default(), Access::Write).unwrap();
    let refused = lessons::forget_for_good(&mut bot.memory, &bot.call, &environment, id.as_str());
    assert!(matches!(refused, Err(EngineError::NeedsPerson { .. })));
    home.forget(&mut engine, &id);
    let again = AddRequest { text: W.into(), ..AddRequest::default() };
    let refused = lessons::add(&mut bot.memory, &bot.call, &again).unwrap_err().to_string();
    assert_eq!(refused, "refused: forgotten for good on 2026-04-03");
}

#[test]
fn history_tells_and_nothing_takes_it_back() {
    let home = Home::new();
    let mut engine = home.open();
    let id = add(&mut engine, W);
    home.forget(&mut engine, &id);
    let told = "was forgotten for good on 2026-04-03 by ada";
    for refused in [
        lessons::show(&engine.memory, &engine.call, id.as_str()).unwrap_err(),
        lessons::restore(&mut engine.memory, &engine.call, id.as_str()).unwrap_err(),
        lessons::forget(&mut engine.memory, &engine.call, &id.as_str()[..5]).unwrap_err(),
    ] {
        assert!(refused.to_string().contains(told), "{refused}");
    }
    let entries = history::history(&engine.memory, &engine.call, Some(id.as_str()), None)
        .unwrap()
        .body
        .entries;
    let commands: Vec<&str> = entries.iter().map(|entry| entry.command.as_str()).collect();
    assert_eq!(commands, ["forget", "forget", "forget", "add"]);
    for operation in [entries[0].operation, entries[3].operation] {
        let refused = history::undo(&mut engine.memory, &engine.call, Some(OperationId(operation)));
        assert!(matches!(refused, Err(EngineError::UndoRefused { .. })), "{refused:?}");
    }
}

#[test]
fn the_same_words_elsewhere_are_said_to_be_there() {
    let home = Home::new();
    let mut engine = home.open();
    let id = add(&mut engine, W);
    let other = Environment { project: Some("other".into()), ..home.environment() };
    let mut other = OpenMemory::open(&other, &Default::default(), Access::Write).unwrap();
    let kept = add(&mut other, W);
    let erased = home.forget(&mut engine, &id);
    assert!(!erased.is_proved());
    assert_eq!(erased.residues[0].place, format!("lesson {kept}"));
    assert_eq!(
        lookup::lesson_named(&other.memory, &other.call, kept.as_str()).unwrap().text.as_str(),
        W
    );
}

#[test]
fn backups_and_exports_are_looked_at() {
    let home = Home::new();
    let mut engine = home.open();
    let id = add(&mut engine, W);
    drop(engine);
    let database = home.0.path().join("home/memory.db");
    fs::copy(&database, database.with_file_name("memory.db.backup-v1")).unwrap();
    let mut engine = home.open();
    transfer::export_to_file(
        &engine.memory,
        &engine.call,
        &home.environment(),
        "mine.jsonl",
        false,
    )
    .unwrap();
    let erased = home.forget(&mut engine, &id);
    assert_eq!(erased.residues.len(), 2, "{erased:?}");
    assert!(erased.backups[0].path.ends_with("backup-v1") && erased.backups[0].has_text);
    assert!(erased.exports[0].path.ends_with("mine.jsonl") && erased.exports[0].has_text);
}

#[test]
fn a_served_block_with_it_is_served_no_more() {
    let home = Home::new();
    let mut engine = home.open();
    let id = add(&mut engine, W);
    assert!(show(&mut engine, "r1").contains(W));
    home.forget(&mut engine, &id);
    assert_eq!(show(&mut engine, "r1"), "");
}

#[test]
fn no_earlier_wording_comes_back() {
    let home = Home::new();
    let (mut engine, environment) = (home.open(), home.environment());
    let id = add(&mut engine, W);
    transfer::export_to_file(&engine.memory, &engine.call, &environment, "old.jsonl", false)
        .unwrap();
    let text = Some("Bind every value that reaches the user search".to_owned());
    lessons::edit(
        &mut engine.memory,
        &engine.call,
        id.as_str(),
        &EditRequest { text, ..EditRequest::default() },
    )
    .unwrap();
    home.forget(&mut engine, &id);
    // The same lesson in words that were never said here.
    let old = fs::read_to_string(home.0.path().join("old.jsonl")).unwrap();
    let other = old.replace(W, "Searches of users are put together from strings");
    let (body, _) = other.trim_end().rsplit_once('\n').unwrap();
    let digest = hardwon_core::digest::sha256_of_bytes(format!("{body}\n").as_bytes());
    let other = format!("{body}\n{{\"digest\":\"{digest}\"}}\n");
    fs::write(home.0.path().join("other.jsonl"), other).unwrap();
    for file in ["old.jsonl", "other.jsonl"] {
        let path = home.0.path().join(file);
        let (found, _) = look_into(&environment, &path).unwrap();
        trust::pin(&environment, &path, &found.digest).unwrap();
        let imported = transfer::import_file(&mut engine.memory, &engine.call, &environment, file)
            .unwrap()
            .body;
        assert_eq!((imported.n_forgotten, imported.added.len()), (1, 0), "{file}: {imported:?}");
    }
    let again = AddRequest { text: W.into(), ..AddRequest::default() };
    let said = lessons::add(&mut engine.memory, &engine.call, &again).unwrap();
    assert!(said.problems[0].reason.contains("may come back"), "{:?}", said.problems);
}

#[test]
fn what_was_said_about_it_goes_as_well() {
    let home = Home::new();
    let mut engine = home.open();
    let found = warning(W).replace("src/api.rs", "src/quillfeather/one.rs");
    let found = found.replace("\"line\"", "\"rule\":\"quillfeather-rule\",\"line\"");
    for id in ["r1", "r2"] {
        learn(&mut engine, &(run(id, &["guardian"]) + &found + &warning("Socket left open")));
    }
    let lesson = lessons::search(&engine.memory, &engine.call, "concatenation", 1, false)
        .unwrap()
        .body
        .lessons
        .remove(0);
    let name = |n: u32| format!("quillfeather-{n}");
    let stated = Stated {
        category: Some(name(1)),
        tags: vec![name(2)],
        paths: vec![name(3)],
        aliases: vec![name(4)],
        ..Stated::default()
    };
    let id = lesson.id.as_str();
    lessons::edit(
        &mut engine.memory,
        &engine.call,
        id,
        &EditRequest { stated, ..EditRequest::default() },
    )
    .unwrap();
    lessons::doubt(&mut engine.memory, &engine.call, id, "Quillfeather says that it is not so")
        .unwrap();
    let needles = ["quillfeather".to_owned(), "Quillfeather".to_owned()];
    assert!(is_there(&home, &needles));
    let erased = home.forget(&mut engine, &lesson.id);
    assert!(erased.is_proved() && !erased.kept.is_empty(), "{erased:?}");
    let journal = engine.memory.store().journal(&engine.call.project, &JournalQuery::default());
    let history = format!("{:?}", journal.unwrap());
    assert!(!history.to_lowercase().contains("quillfeather"), "{history}");
    assert!(history.contains("forgotten for good by ada") && history.contains("src/api.rs"));
    assert_eq!(residues(&home, &needles), Vec::<String>::new());
    assert_eq!(engine.memory.store().check().unwrap(), []);
}

#[test]
fn the_second_call_looks_again() {
    let home = Home::new();
    let mut engine = home.open();
    let id = add(&mut engine, W);
    transfer::export_to_file(
        &engine.memory,
        &engine.call,
        &home.environment(),
        "mine.jsonl",
        false,
    )
    .unwrap();
    let database = home.0.path().join("home/memory.db");
    let backup = database.with_file_name("memory.db.backup-v1");
    fs::copy(&database, &backup).unwrap();
    let answer = lessons::forget_for_good(
        &mut engine.memory,
        &engine.call,
        &home.environment(),
        id.as_str(),
    )
    .unwrap();
    let told = &answer.problems[0].reason;
    assert!(told.contains(&format!("hardwon forget {id} --hard")), "{told}");
    let again = home.forget(&mut engine, &id);
    assert!(again.is_again && again.residues[0].place.ends_with("mine.jsonl"), "{again:?}");
    assert!(again.not_proved[0].contains("memory.db.backup-v1"), "{again:?}");
    fs::remove_file(home.0.path().join("mine.jsonl")).unwrap();
    fs::remove_file(backup).unwrap();
    let again = home.forget(&mut engine, &id);
    assert!(again.is_again && again.is_proved(), "{again:?}");
    transfer::export_to_file(&engine.memory, &engine.call, &home.environment(), "new.jsonl", false)
        .unwrap();
    let again = home.forget(&mut engine, &id);
    assert!(again.is_proved() && !again.exports[0].has_text, "{again:?}");
}
