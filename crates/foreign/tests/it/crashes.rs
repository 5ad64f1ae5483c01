//! A process that died, or a journal that was damaged or edited: what was acknowledged is
//! there, and the next write repairs what was left.

use hardwon_engine::{Access, EditRequest, InjectRequest, OpenMemory, blocks, lessons, lookup};

use crate::cuts::{FIRST, SECOND, archeflow_record};
use crate::place::Place;

const THIRD: &str = "Tabs, not spaces in the sources";
const LAST: &str = "Short lines are easier to review";
const NEXT: &str = "Benchmarks state hardware and sample size";

/// A folder after three writes, and its lessons before the last.
fn written() -> (Place, Vec<u8>) {
    let place = Place::archeflow(archeflow_record("m-001", FIRST));
    place.pin("m-001", true);
    place.add(THIRD);
    let before = place.bytes("lessons");
    place.add(LAST);
    (place, before)
}

fn has(place: &Place, text: &str) -> bool {
    place.texts().iter().any(|known| known == text)
}

/// Adds a lesson, which must get this id, once.
#[track_caller]
fn next_write_is(place: &Place, id: &str) {
    assert_eq!(place.add(NEXT).aliases, [id]);
    let text = place.text("lessons");
    assert_eq!(text.matches(NEXT).count(), 1, "{text}");
    assert_eq!(place.texts().len(), text.lines().count(), "{text}");
}

/// Died between the journal and the files: the journal is right.
#[test]
fn a_journal_that_is_ahead_is_right() {
    for ends_line in [true, false] {
        for is_written in [false, true] {
            let (place, before) = written();
            let journal = place.cut_off();
            place.put("hardwon", &journal[..journal.len() - usize::from(!ends_line)]);
            let lessons = if is_written { place.bytes("lessons") } else { before };
            place.put("lessons", &lessons);
            assert!(has(&place, LAST));
            assert_eq!(place.bytes("lessons"), lessons, "a read repaired it");
            next_write_is(&place, "m-004");
            assert_eq!(place.text("lessons").matches(LAST).count(), 1);
        }
    }
}

/// The same for an edit, which rewrites the file.
#[test]
fn an_edit_that_was_cut_off_is_brought_up() {
    let all = archeflow_record("m-001", FIRST) + &archeflow_record("m-002", SECOND);
    let place = Place::archeflow(&all);
    let request = EditRequest { text: Some(THIRD.into()), ..EditRequest::default() };
    place.write(|memory, call| lessons::edit(memory, call, "m-002", &request));
    let after = place.bytes("lessons");
    place.put("hardwon", place.cut_off());
    place.put("lessons", &all);
    place.pin("m-001", true);
    assert_eq!(place.bytes("lessons"), after);
}

#[test]
fn without_the_journal_the_files_are_enough() {
    let (place, _) = written();
    let before = place.bytes("lessons");
    place.remove("hardwon");
    assert_eq!(place.texts().len(), 3);
    next_write_is(&place, "m-004");
    assert!(place.bytes("lessons").starts_with(&before));
}

/// Whoever puts the files back as they were before our last write wrote last.
#[test]
fn files_that_were_put_back_stay_back() {
    let (place, before) = written();
    place.put("lessons", &before);
    assert!(!has(&place, LAST));
    next_write_is(&place, "m-004");
    assert!(!place.text("lessons").contains(LAST), "no id is given twice");
}

/// Damage costs history, not lessons: the file is put aside by the next write, and what
/// stands above the damage is still used.
#[test]
fn a_journal_damaged_in_the_middle_costs_no_lesson() {
    type Damage = fn(&str) -> String;
    let kinds: [(&str, Damage); 3] = [
        ("torn", |line| format!("{}\n", &line[..line.len() / 2])),
        ("merged", |line| format!("<<<<<<< ours\n{line}\n")),
        ("gone", |_| String::new()),
    ];
    for (kind, damage) in kinds {
        let (place, _) = written();
        let journal = String::from_utf8(place.cut_off()).unwrap();
        let lines = journal.lines().zip(1..);
        let lines = lines.map(|(line, n)| if n == 4 { damage(line) } else { format!("{line}\n") });
        let damaged: String = lines.collect();
        place.put("hardwon", &damaged);
        assert_eq!(place.texts().len(), 3, "{kind}");
        let OpenMemory { memory, call } = place.open(Access::Read);
        let answer = blocks::compose(&memory, &call, &InjectRequest::default()).unwrap();
        assert!(answer.block.contains(THIRD), "{kind}: {}", answer.block);
        let problems = &memory.settings.problems;
        assert!(problems[0].at.starts_with("hardwon.jsonl:"), "{kind}: {problems:?}");
        assert_eq!(place.text("hardwon"), damaged, "{kind}: reading wrote");
        next_write_is(&place, "m-004");
        let OpenMemory { memory, call } = place.open(Access::Read);
        assert!(lookup::lesson_named(&memory, &call, "m-001").unwrap().is_pinned, "{kind}");
        assert_eq!(place.text("hardwon.jsonl.damaged-1"), damaged, "{kind}: it was not kept");
    }
}

/// A journal whose text was edited cannot put a placeholder into the file.
#[test]
fn a_text_that_was_edited_in_the_journal_is_taken_from_the_file() {
    let (place, _) = written();
    place.put("hardwon", place.text("hardwon").replace(THIRD, "Tabs, NOT spaces"));
    assert!(has(&place, THIRD));
    place.pin("m-001", false);
    assert!(place.text("lessons").contains(THIRD));
}

/// What a killed process left of a file that was to be replaced is removed.
#[test]
fn temporary_files_that_were_left_over_are_removed() {
    let place = Place::archeflow(archeflow_record("m-001", FIRST));
    for n in [1, 99_999_999] {
        place.put(&format!("lessons.jsonl.hardwon-{n}"), "half a fi");
    }
    place.add(THIRD);
    assert_eq!(place.text("lessons").lines().count(), 2);
    let files = std::fs::read_dir(place.file("lessons").parent().unwrap()).unwrap();
    let names = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!names.into_iter().any(|name| name.contains(".hardwon-")));
}
