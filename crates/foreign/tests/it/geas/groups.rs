//! What one command writes goes to the disk together: a kill at any point loses nothing that was
//! acknowledged, and whoever writes at the same time loses nothing either.

use std::path::PathBuf;

use hardwon_engine::{Access, InjectRequest, OpenMemory, Options, blocks, lessons};
use hardwon_foreign::geas::{Geas, Tasks};
use hardwon_render::answer::{Answer, Learned, Status};
use hardwon_store::StoreError;
use serde_json::json;

use super::schemas::validate;
use super::{CANDIDATE, named, problems, tree};
use crate::place::{Place, environment};

const JOURNAL: &str = "memory/hardwon.jsonl";
const EVENTS: &str = "ledger/events.jsonl";
const NEW: &str = "Error messages name the next step.";
/// Two a task, no two alike.
const TEXTS: [&str; 12] = [
    "Flush write buffers before the parser hands them over",
    "Rotate signing certificates while nobody listens",
    "Sort migration scripts by number, never by date",
    "Bound the retry queue so that a flood cannot fill it",
    "Escape shell arguments that come from a form",
    "Pin compiler versions in every container image",
    "Compress nightly backups after they were verified",
    "Quote column names in generated reports",
    "Close idle sockets once their peer went silent",
    "Split long transactions at the invoice boundary",
    "Trim trailing blanks from imported postcodes",
    "Mask customer emails inside debug traces",
];

fn retrospective(place: &Place, task: usize) {
    let candidates = &TEXTS[2 * task - 2..2 * task];
    let document = json!({"version": "1.0", "artifact_type": "retrospective",
        "artifact_id": format!("retro-task-{task}"), "producer_type": "orchestration_authority",
        "created_at": "2026-04-01T10:00:00Z", "task_id": format!("task-{task}"),
        "what_went_well": [], "what_broke": [], "what_was_surprising": [], "rule_candidates": [],
        "memory_candidates": candidates, "next_time_guidance": []});
    place.put(&format!("missions/m1/tasks/task-{task}/retrospective.json"), document.to_string());
}

fn with_tasks(n: usize) -> Place {
    let place = tree();
    (1..=n).for_each(|task| retrospective(&place, task));
    place
}

fn extract(place: &Place) -> Answer<Learned> {
    let environment = environment(place.folder.path());
    let mut geas = Geas::open(&environment, &Options::default(), ".", Access::Write).unwrap();
    geas.extract(&Tasks::default(), false, &mut |_, _| {}).expect("no error")
}

/// Every file but ours, and the ledger as a set of lines.
fn files(place: &Place) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![place.folder.path().join(".geas")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.to_string_lossy().contains("hardwon") {
                let own = path.strip_prefix(place.folder.path()).unwrap().to_owned();
                let mut text = std::fs::read_to_string(&path).unwrap();
                if own.ends_with(EVENTS) {
                    let mut lines: Vec<&str> = text.lines().collect();
                    lines.sort_unstable();
                    text = lines.join("\n");
                }
                found.push((own, text));
            }
        }
    }
    found.sort();
    found
}

fn without_memory(place: &Place) {
    for folder in ["memory", "state", "ledger"] {
        let _ = std::fs::remove_dir_all(place.folder.path().join(".geas").join(folder));
    }
}

#[test]
fn what_a_command_writes_goes_out_together() {
    let place = with_tasks(5);
    extract(&place);
    let journal = place.text(JOURNAL);
    assert_eq!(journal.matches("{\"done\":").count(), 1, "{journal}");
    assert_eq!(place.lessons().len(), 10);
    assert_eq!(place.text(EVENTS).matches("memory_extraction").count(), 5);
    validate(&place);
    assert_eq!(problems(&place), [""; 0]);
    let before = files(&place);
    extract(&place);
    assert_eq!((files(&place), place.text(JOURNAL)), (before, journal), "nothing is new");
}

/// Its writer may have died anywhere in the journal, before any file was written.
#[test]
fn a_group_cut_anywhere_in_the_journal_is_taken_up() {
    let place = with_tasks(4);
    extract(&place);
    let (after, journal) = (files(&place), place.text(JOURNAL));
    let end = journal.rfind("{\"done\":").unwrap();
    let ends = journal[..end].match_indices('\n').map(|(at, _)| at + 1);
    for (n_whole, from) in std::iter::once(0).chain(ends).enumerate() {
        for cut in [from, from + 40] {
            without_memory(&place);
            place.put(JOURNAL, &journal[..cut.min(end)]);
            assert_eq!(place.lessons().len(), 2 * n_whole, "cut at {cut}");
            extract(&place);
            // What is known is not written again: another write is.
            place.pin("mem-task-1-1", true);
            assert_eq!(files(&place), after, "cut at {cut}");
            assert_eq!(place.lessons().len(), 8, "cut at {cut}");
        }
    }
}

/// Or anywhere in the files, the ledger among them.
#[test]
fn a_group_cut_anywhere_in_the_files_is_taken_up() {
    let place = with_tasks(2);
    extract(&place);
    let (after, journal) = (files(&place), place.text(JOURNAL));
    let end = journal.rfind("{\"done\":").unwrap();
    let written: Vec<&PathBuf> = after
        .iter()
        .map(|(path, _)| path)
        .filter(|path| !path.starts_with(".geas/missions"))
        .collect();
    assert_eq!(written.len(), 6, "{written:?}");
    let events = place.text(EVENTS);
    for lost in 0..1_usize << written.len() {
        for (n, path) in written.iter().enumerate() {
            if lost & (1 << n) != 0 {
                std::fs::remove_file(place.folder.path().join(path)).unwrap();
            }
        }
        if lost % 3 == 1 && place.file(EVENTS).exists() {
            place.put(EVENTS, &events[..events.len() / 2]);
        }
        place.put(JOURNAL, &journal[..end]);
        assert_eq!(place.lessons().len(), 4, "{lost:b}");
        place.pin("mem-task-1-1", true);
        let mut now = files(&place);
        if lost % 3 == 1 {
            // Half a line of somebody who died stays where it is.
            let ledger = |it: &(PathBuf, String)| it.0.ends_with(EVENTS);
            let told = now.iter().find(|it| ledger(it)).unwrap().1.clone();
            assert_eq!(told.lines().filter(|line| line.ends_with('}')).count(), 2, "{told}");
            now.retain(|it| !ledger(it));
            let others = after.iter().filter(|it| !ledger(it));
            assert!(others.eq(&now), "{lost:b}");
            place.put(EVENTS, &events);
        } else {
            assert_eq!(now, after, "{lost:b}");
        }
    }
}

/// geas takes no lock: what it writes in our place meanwhile stays, and nothing of ours is half
/// there.
#[test]
fn somebody_without_a_lock_may_be_faster() {
    let place = tree();
    let OpenMemory { mut memory, call } = place.open(Access::Write);
    memory.store.begin_group();
    let add = |memory: &mut _, text: &str| {
        let request = hardwon_engine::AddRequest { text: text.into(), ..Default::default() };
        lessons::add(memory, &call, &request).map(drop).expect("a lesson")
    };
    add(&mut memory, NEW);
    add(&mut memory, "Retries need an upper bound");
    let theirs = CANDIDATE.replace("mem-task-001-1", "mem-stated-2");
    place.put("memory/candidates/mem-stated-2.json", &theirs);
    place.put("memory/entries/mem-stated-2.json", &theirs);
    let ended = memory.store.end_group();
    assert!(matches!(ended, Err(StoreError::Conflict)), "{ended:?}");
    assert_eq!(place.text("memory/candidates/mem-stated-2.json"), theirs);
    assert!(!place.text(JOURNAL).contains(NEW), "taken out again");
    add(&mut memory, NEW);
    drop(memory);
    assert!(place.texts().contains(&NEW.to_owned()));
}

#[test]
fn two_writers_at_once_lose_nothing() {
    let place = with_tasks(6);
    std::thread::scope(|scope| {
        for writer in ["importer", "exporter"] {
            let place = &place;
            scope.spawn(move || {
                for n in 0..6 {
                    place.add(&format!("The {writer} closes handle h{n} before it returns"));
                }
            });
        }
        scope.spawn(|| extract(&place));
    });
    let lessons = place.lessons();
    assert_eq!(lessons.len(), 12 + 12);
    let mut names: Vec<&String> = lessons.iter().filter_map(|it| it.aliases.first()).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 24, "no id is given twice");
    for name in names {
        let at = |folder: &str| place.text(&format!("memory/{folder}/{name}.json"));
        assert!(at("candidates").len() + at("entries").len() > 0, "{name} has no document");
    }
    assert_eq!(problems(&place), [""; 0]);
}

/// Short ones, so that this does not take long without optimization.
#[test]
fn ten_thousand_entries_are_used() {
    let place = tree();
    let folder = place.folder.path().join(".geas/memory/entries");
    std::fs::create_dir_all(&folder).unwrap();
    for n in 0..10_000 {
        let entry = json!({"memory_id": format!("mem-t-{n}"), "memory_type": "test_strategy",
            "state": "stable", "summary": format!("Pin v{n}"), "scope": "project"});
        std::fs::write(folder.join(format!("mem-t-{n}.json")), entry.to_string()).unwrap();
    }
    let OpenMemory { memory, call } = place.open(Access::Read);
    assert_eq!(memory.settings.problems, []);
    let answer = blocks::compose(&memory, &call, &InjectRequest::default()).unwrap();
    assert!(!answer.lessons.is_empty() && answer.block.len() < 20_000, "{}", answer.block.len());
}

/// A retrospective that nobody can read is a problem of that file, also if there is no other.
#[test]
fn a_torn_retrospective_is_named() {
    let place = tree();
    place.put("missions/m1/tasks/task-1/retrospective.json", "{\"version\":\"1.0\",\"artif\n");
    for n_readable in 0..2 {
        let answer = extract(&place);
        assert_eq!(answer.status, Status::Degraded);
        assert_eq!(answer.body.runs.len(), n_readable);
        let [problem] = answer.problems.as_slice() else { panic!("{:?}", answer.problems) };
        assert!(problem.at.ends_with("task-1/retrospective.json"), "{problem:?}");
        assert!(problem.reason.contains("ends too early"), "{problem:?}");
        assert!(!problem.reason.contains("--format"), "{problem:?}");
        retrospective(&place, 2);
    }
}

/// `X-review.json` is a review only where there is an `X`.
#[test]
fn a_lesson_may_be_called_like_a_review() {
    let place = tree();
    let file = "memory/candidates/mem-code-review.json";
    place.put(file, CANDIDATE.replace("mem-task-001-1", "mem-code-review"));
    assert_eq!(problems(&place), [""; 0]);
    assert_eq!(named(&place, "mem-code-review").aliases, ["mem-code-review"]);
    place.pin("mem-code-review", true);
    place.add(NEW);
    assert!(place.text("state/memory-index.json").contains("mem-code-review"));
    assert_eq!(place.lessons().len(), 2);
    let other = tree();
    other.put("memory/candidates/mem-code.json", CANDIDATE.replace("mem-task-001-1", "mem-code"));
    other.put(file, CANDIDATE.replace("mem-task-001-1", "mem-code-review"));
    assert_eq!(other.lessons().len(), 1);
}
