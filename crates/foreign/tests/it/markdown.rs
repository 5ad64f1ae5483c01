//! The smallest layout: one Markdown file a lesson (its first line is the text), and an
//! index that is made of them. It shows what a layout has to say, and that documents are
//! taken over, written, moved, removed and repaired as lines are.

use std::path::Path;

use hardwon_core::event::Problem;
use hardwon_core::foreign::{ForeignFile, ForeignLine};
use hardwon_core::lesson::{Kind, Lesson, State};
use hardwon_engine::history;
use hardwon_engine::layout::{ForeignLayout, Homes};
use hardwon_foreign::layout::{self, Layout, Shelf};
use hardwon_foreign::store::layout::entry::{Differing, Entry};
use hardwon_foreign::store::{FileWrite, Files, Write, Writing};
use hardwon_foreign::{Folder, Registered};

use crate::place::Place;

struct Notes;

impl Layout for Notes {
    /// The first line.
    type Record = String;
    type Side = ();

    const WORD: &'static str = "notes";
    const POLICY: &'static str = "hardwon";
    const SHELVES: &'static [Shelf] =
        &[Shelf::documents("topics", ".md").archived_in(1), Shelf::lines("gone.txt").archive()];
    const SIDE: &'static [&'static str] = &["INDEX.md"];
    const JOURNAL: &'static str = "hardwon.jsonl";
    const LOCK: &'static str = "INDEX.md";
    const TEXT_FIELD: &'static str = "first line";

    fn place(path: &Path, _: &Homes) -> layout::Place {
        let folder = Folder::new(path.join("notes"));
        layout::Place { base: folder.clone(), files: folder, of_user: None, journal: None }
    }

    fn is_at(path: &Path) -> bool {
        path.join("notes").is_dir()
    }

    fn new(_: &layout::Place) -> Self {
        Notes
    }

    fn read(_: &str, bytes: &[u8]) -> (ForeignFile<String>, Vec<Problem>) {
        let text = String::from_utf8_lossy(bytes);
        let lines = text.lines().map(|line| ForeignLine {
            raw: line.as_bytes().to_vec(),
            record: Some(line.to_owned()).filter(|line| !line.is_empty()),
        });
        (ForeignFile { lines: lines.collect(), has_end: text.ends_with('\n') }, Vec::new())
    }

    fn read_side(_: &Files) -> ((), Vec<Problem>) {
        ((), Vec::new())
    }

    fn read_record(raw: &str) -> Option<String> {
        raw.lines().next().map(str::to_owned)
    }

    fn unknown_fields(_: &[u8]) -> Vec<String> {
        Vec::new()
    }

    fn id(_: &String) -> &str {
        ""
    }

    fn text(record: &String) -> &str {
        record
    }

    fn lesson(entry: &Entry<'_, Self>) -> Lesson {
        let state = if entry.shelf.is_archive { State::Archived } else { State::Provisional };
        let text = entry.context.gate.line(entry.record);
        Lesson { state, ..entry.bare_lesson(Kind::Pattern, text) }
    }

    fn compared(_: &Entry<'_, Self>, stated: &Lesson, lesson: &Lesson) -> (String, String) {
        (stated.text.as_str().to_owned(), lesson.text.as_str().to_owned())
    }

    /// A document with another first line is another lesson.
    fn differing(_: &String, _: &String) -> Differing {
        Differing { text: false, kind: false, severity: false, scope: false, tags: false }
    }

    fn shelf_of(lesson: &Lesson) -> Option<usize> {
        lesson.state.is_on_ladder().then_some(0)
    }

    fn patched(
        _: &Writing<'_, Self>,
        entry: &Entry<'_, Self>,
        from: &String,
        to: String,
        _: &Lesson,
    ) -> Vec<u8> {
        let text = String::from_utf8_lossy(entry.raw);
        if *from == to { text.into() } else { text.replacen(entry.record, &to, 1) }.into_bytes()
    }

    fn archived(_: &Writing<'_, Self>, entry: &Entry<'_, Self>, _: &Lesson) -> Vec<u8> {
        entry.record.clone().into_bytes()
    }

    fn new_record(_: &Writing<'_, Self>, lesson: &Lesson, _: &Shelf) -> Vec<u8> {
        format!("{}\n", lesson.text.as_str()).into_bytes()
    }

    fn side_writes(writing: &Writing<'_, Self>, _: &[FileWrite]) -> Vec<FileWrite> {
        let shown = writing.tables.lessons.values().filter(|l| l.state.is_on_ladder());
        let index: String = shown.map(|l| format!("- {}\n", l.text.as_str())).collect();
        vec![FileWrite::of_project("INDEX.md", Write::Replace(index.into_bytes()))]
    }
}

const TOPIC: &str = "Retries need an upper bound\n\nWhy: the registry was down for a day.\n";

const NEW: &str = "Error messages name the next step";
const OLD: &str = "Retries need an upper bound";
const THIRD: &str = "Logins are limited to five a minute";

fn desk() -> Place {
    const LAYOUTS: &[&dyn ForeignLayout] = &[&Registered::<Notes>::ENTRY];
    let place = Place::new("notes:.", "notes", LAYOUTS);
    place.put("topics/retries.md", TOPIC);
    place
}

#[test]
fn documents_are_taken_over_and_written_one_by_one() {
    let desk = desk();
    let id = desk.add(NEW).id;
    assert_eq!(desk.text("topics/retries.md"), TOPIC, "it was not touched");
    assert_eq!(desk.text(&format!("topics/{id}.md")), format!("{NEW}\n"));
    assert_eq!(desk.text("INDEX.md").lines().count(), 2);
    assert_eq!(desk.texts(), [NEW, OLD]);
}

#[test]
fn a_document_that_is_put_away_leaves_and_comes_back() {
    let desk = desk();
    let id = desk.add(NEW).id;
    desk.forget(id.as_str());
    assert_eq!(desk.text(&format!("topics/{id}.md")), "");
    assert_eq!(desk.text("gone.txt"), format!("{NEW}\n"));
    desk.write(|memory, call| history::undo(memory, call, None));
    assert!(desk.text(&format!("topics/{id}.md")).starts_with(NEW));
}

#[test]
fn what_others_do_to_documents_is_seen() {
    let desk = desk();
    desk.add(NEW);
    desk.put("topics/third.md", format!("{THIRD}\n"));
    desk.remove("topics/retries.md");
    assert_eq!(desk.texts(), [NEW, THIRD]);
}

/// The journal is right after a writer died between two files.
#[test]
fn a_write_that_was_cut_off_is_brought_up() {
    let desk = desk();
    let id = desk.add(NEW).id;
    desk.put("hardwon", desk.cut_off());
    desk.remove(&format!("topics/{id}.md"));
    assert_eq!(desk.texts(), [NEW, OLD], "taken for removed by others");
    desk.add(THIRD);
    assert_eq!(desk.text(&format!("topics/{id}.md")), format!("{NEW}\n"));
}
