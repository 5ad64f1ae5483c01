//! Forgetting for good: nothing of the words is left in any file, nothing brings them
//! back, and what cannot be shown is said. The files are looked through here by a plain
//! search that shares nothing with the program's own.

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_engine::answer::Erased;
use hardwon_engine::lesson::Lesson;
use hardwon_engine::{EditRequest, EngineError, Environment, Stated};
use hardwon_store::JournalQuery;
use serde_json::json;

use crate::harness::{
    Home, Pipeline, Random, W, reworded, run, warning, warning_with, wish, with_digest,
};

impl Home {
    fn forget(&self, p: &mut Pipeline, lesson: &Lesson) -> Erased {
        let forgotten = p.forget_for_good(&self.environment("home"), lesson.id.as_str());
        forgotten.unwrap().body.erased.unwrap()
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
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

/// A text that nobody else says, with what is awkward to store, escape and cut.
fn made_up(random: &mut Random) -> String {
    const ENDS: &[&str] =
        &["", "", "\"quoted\"", "\\", "ü", "日本語", "🦀", "\n", "\t", "'", "<b>"];
    const PARTS: &[&str] =
        &["ba", "ko", "ri", "mu", "ten", "sol", "ver", "lan", "dix", "pu", "gro", "hem"];
    let most = if random.below(8) == 0 { 80 } else { 12 };
    let words: Vec<String> = (0..5 + random.below(most))
        .map(|_| {
            let n_parts = 2 + random.below(3);
            let word: String = (0..n_parts).map(|_| PARTS[random.below(PARTS.len())]).collect();
            word + ENDS[random.below(ENDS.len())]
        })
        .collect();
    format!("Never {}", words.join(" "))
}

fn residues(home: &Home, texts: &[String]) -> Vec<String> {
    let forms: Vec<String> = texts.iter().flat_map(|text| forms(text)).collect();
    let mut found = Vec::new();
    for file in files_below(&home.path("")) {
        let bytes = fs::read(&file).unwrap();
        let content = String::from_utf8_lossy(&bytes);
        let left = forms.iter().filter(|form| content.contains(form.as_str()));
        found.extend(left.map(|form| format!("{}: {form}", file.display())));
    }
    found
}

/// A lesson by one of three ways, shown once and reworded once; every wording it had.
fn live(p: &mut Pipeline, random: &mut Random, n: usize) -> (Lesson, Vec<String>) {
    let text = made_up(random);
    let lesson = if n.is_multiple_of(3) {
        p.wish(&text)
    } else {
        for part in ["a", "b"] {
            p.learn(&(run(&format!("r{n}{part}"), &["guardian"]) + &warning(&text)));
        }
        let is_newest = |lesson: &Lesson| {
            lesson.last_seen_run.as_ref().is_some_and(|run| run.as_str() == format!("r{n}b"))
        };
        let newest = p.lessons().into_iter().find(is_newest);
        newest.unwrap_or_else(|| panic!("{text:?} was learned"))
    };
    let mut said = vec![lesson.text.as_str().to_owned()];
    p.inject(&format!("s{n}"));
    if n.is_multiple_of(2) {
        p.edit(lesson.id.as_str(), &reworded(&made_up(random))).unwrap();
        said.push(p.again(&lesson).text.as_str().to_owned());
        p.inject(&format!("t{n}"));
    }
    (lesson, said)
}

#[test]
fn forty_random_erasures_leave_nothing() {
    let home = Home::new();
    let mut random = Random(7);
    let mut p = home.open("home");
    let mut left = Vec::new();
    for n in 0..40usize {
        if n.is_multiple_of(10) {
            p = home.open("home");
        }
        let (lesson, said) = live(&mut p, &mut random, n);
        if n.is_multiple_of(10) {
            live(&mut p, &mut random, 1000 + n);
            assert!(!residues(&home, &said).is_empty(), "it was there");
        }
        let erased = home.forget(&mut p, &lesson);
        assert!(erased.is_proved(), "{n}: {erased:?}");
        assert!(erased.n_rows >= 2 && erased.n_files_scanned >= 1, "{erased:?}");
        if n.is_multiple_of(5) {
            p.wish(&made_up(&mut random));
        }
        left.extend(residues(&home, &said));
    }
    assert_eq!(left, Vec::<String>::new(), "{} residues", left.len());
    p.assert_sound();
}

#[test]
fn what_was_forgotten_is_not_learned_again() {
    let home = Home::new();
    let mut p = home.open("home");
    p.confirm(&[W]);
    let lesson = p.only_lesson();
    p.inject("r9");
    assert!(home.forget(&mut p, &lesson).is_proved());
    assert_eq!(p.inject("r9").block, "", "it is served no more");
    let record = run("r3", &["guardian"]) + &warning(W) + &warning("Socket left open on error");
    let answer = p.learn(&record);
    let findings = &answer.body.runs[0].findings;
    assert_eq!((findings.n_used, findings.n_rejected), (1, 1));
    let reason = &answer.problems[0].reason;
    assert_eq!(reason, "finding not used: forgotten for good on 2026-04-03");
    assert_eq!(residues(&home, &[W.to_owned()]), [""; 0]);

    let said = p.add(&wish(&W.to_uppercase())).unwrap();
    assert!(said.problems[0].reason.contains("may come back"), "{:?}", said.problems);
    let answer = p.learn(&(run("r4", &["guardian"]) + &warning(W)));
    assert_eq!(answer.body.runs[0].findings.n_rejected, 0, "a person said it again");
}

#[test]
fn an_agent_neither_forgets_for_good_nor_brings_back() {
    const NEVER: &str = "Never build a query by string concatenation";
    let home = Home::new();
    let mut p = home.open("home");
    let lesson = p.wish(NEVER);
    let mut bot = home.open_as("bot");
    let refused = bot.forget_for_good(&home.environment("home"), lesson.id.as_str());
    assert!(matches!(refused, Err(EngineError::NeedsPerson { .. })));
    home.forget(&mut p, &lesson);
    let refused = bot.add(&wish(NEVER)).unwrap_err().to_string();
    assert_eq!(refused, "refused: forgotten for good on 2026-04-03");
}

#[test]
fn the_same_words_elsewhere_are_said_to_be_there() {
    let home = Home::new();
    let mut p = home.open("home");
    let lesson = p.wish(W);
    let environment = Environment { project: Some("other".into()), ..home.environment("home") };
    let mut other = Pipeline::open(&environment);
    let kept = other.wish(W);
    let erased = home.forget(&mut p, &lesson);
    assert!(!erased.is_proved());
    assert_eq!(erased.residues[0].place, format!("lesson {}", kept.id));
    assert_eq!(other.again(&kept).text.as_str(), W);
}

#[test]
fn no_earlier_wording_comes_back() {
    let home = Home::new();
    let (mut p, environment) = (home.open("home"), home.environment("home"));
    let lesson = p.wish(W);
    p.export_to_file(&environment, "old.jsonl", false).unwrap();
    let bind = "Bind every value that reaches the user search";
    p.edit(lesson.id.as_str(), &reworded(bind)).unwrap();
    home.forget(&mut p, &lesson);
    // The same lesson in words that were never said here.
    let old = fs::read_to_string(home.path("old.jsonl")).unwrap();
    let other = old.replace(W, "Searches of users are put together from strings");
    home.write("other.jsonl", &with_digest(&other));
    for file in ["old.jsonl", "other.jsonl"] {
        home.trust("home", file);
        let imported = p.import_file(&environment, file).unwrap().body;
        assert_eq!((imported.n_forgotten, imported.added.len()), (1, 0), "{file}: {imported:?}");
    }
    let said = p.add(&wish(W)).unwrap();
    assert!(said.problems[0].reason.contains("may come back"), "{:?}", said.problems);
}

#[test]
fn what_was_said_about_it_goes_as_well() {
    let home = Home::new();
    let mut p = home.open("home");
    let place = json!({"path": "src/quillfeather/one.rs", "rule": "quillfeather-rule"});
    for id in ["r1", "r2"] {
        let findings = warning_with(W, place.clone()) + &warning("Socket left open");
        p.learn(&(run(id, &["guardian"]) + &findings));
    }
    let lesson = p.lesson_saying(W);
    let name = |n: u32| format!("quillfeather-{n}");
    let stated = Stated {
        category: Some(name(1)),
        tags: vec![name(2)],
        paths: vec![name(3)],
        aliases: vec![name(4)],
        ..Stated::default()
    };
    let id = lesson.id.as_str();
    p.edit(id, &EditRequest { stated, ..EditRequest::default() }).unwrap();
    p.doubt(id, "Quillfeather says that it is not so").unwrap();
    let needles = ["quillfeather".to_owned(), "Quillfeather".to_owned()];
    assert!(!residues(&home, &needles).is_empty());
    let erased = home.forget(&mut p, &lesson);
    assert!(erased.is_proved() && !erased.kept.is_empty(), "{erased:?}");
    let journal = p.memory.store.journal(&p.call.project, &JournalQuery::default());
    let history = format!("{:?}", journal.unwrap());
    assert!(!history.to_lowercase().contains("quillfeather"), "{history}");
    assert!(history.contains("forgotten for good by ada") && history.contains("src/api.rs"));
    assert_eq!(residues(&home, &needles), [""; 0]);
    p.assert_sound();
}

#[test]
fn backups_and_exports_are_looked_at_and_the_second_call_looks_again() {
    let home = Home::new();
    let environment = home.environment("home");
    let lesson = home.open("home").wish(W);
    let mut p = home.open("home");
    p.export_to_file(&environment, "mine.jsonl", false).unwrap();
    let backup = home.path("home/memory.db.backup-v1");
    fs::copy(home.path("home/memory.db"), &backup).unwrap();
    let answer = p.forget_for_good(&environment, lesson.id.as_str()).unwrap();
    let told = &answer.problems[0].reason;
    assert!(told.contains(&format!("hardwon forget {} --hard", lesson.id)), "{told}");
    let erased = answer.body.erased.unwrap();
    assert_eq!(erased.residues.len(), 2, "{erased:?}");
    assert!(erased.backups[0].path.ends_with("backup-v1") && erased.backups[0].has_text);
    assert!(erased.exports[0].path.ends_with("mine.jsonl") && erased.exports[0].has_text);

    let again = home.forget(&mut p, &lesson);
    assert!(again.is_again && again.residues[0].place.ends_with("mine.jsonl"), "{again:?}");
    assert!(again.not_proved[0].contains("memory.db.backup-v1"), "{again:?}");
    fs::remove_file(home.path("mine.jsonl")).unwrap();
    fs::remove_file(backup).unwrap();
    let again = home.forget(&mut p, &lesson);
    assert!(again.is_again && again.is_proved(), "{again:?}");
    p.export_to_file(&environment, "new.jsonl", false).unwrap();
    let again = home.forget(&mut p, &lesson);
    assert!(again.is_proved() && !again.exports[0].has_text, "{again:?}");
}
