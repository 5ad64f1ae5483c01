//! geas's tree: `.geas/memory` with one JSON document a lesson, `candidates` beside `entries`;
//! reviews and application logs beside those; and the index of it all, which is made of the
//! documents and never believed.
//!
//! geas itself takes no lock and writes whenever an agent does, so the files are read again
//! before each write. What no document has a place for lives in `memory/hardwon.jsonl`.

mod agents;
mod commands;
mod evidence;
mod index;
mod ledger;
mod logs;
mod names;
mod reviews;
mod side;
mod take;
mod translate;

use std::collections::BTreeMap;
use std::path::Path;

use hardwon_core::change::{Batch, Tables};
use hardwon_core::event::Problem;
use hardwon_core::foreign::{ForeignFile, GeasMemory};
use hardwon_core::gate::Refusal;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::text::Text;
use hardwon_engine::layout::Homes;
use hardwon_readers::{geas_memory, geas_unknown_fields};
use hardwon_render::geas as render;

pub(crate) use commands::told_pages;
pub use commands::{Geas, PacketAsk, Tasks, decision_of};

use crate::Folder;
use crate::store::layout::entry::{Differing, Entry, Said};
use crate::store::layout::{Form, Layout, Namer, Place, Shelf, folder_with_memory};
use crate::store::{FileWrite, Files, News, Rows, Writing};
use side::GeasSide;

const NAME: &str = ".geas";
const CANDIDATES: &str = "memory/candidates";
const ENTRIES: &str = "memory/entries";
const ENDING: &str = ".json";
const REVIEW: &str = "-review.json";
const OF_REVIEWS: Form = Form::Documents { ending: REVIEW };
/// Pages that agents are told, whatever lessons there are.
const NOTEBOOKS: &str = "memory/agents";
const RULES: &str = "rules.md";
const PAGE: &str = ".md";
const INDEX: &str = "state/memory-index.json";
const EVENTS: &str = "ledger/events.jsonl";
/// Numbers of shelves.
const OF_CANDIDATES: usize = 0;
const OF_ENTRIES: usize = 1;
/// Numbers of the shelves beside them.
const REVIEWS: [usize; 2] = [0, 1];
const LOGS: [usize; 2] = [2, 3];

pub struct GeasLayout {
    files: Folder,
    /// The run of each task below `missions`, by the names that documents have for it.
    runs: BTreeMap<String, RunId>,
}

impl Layout for GeasLayout {
    type Record = GeasMemory;
    type Side = GeasSide;

    const WORD: &'static str = "geas";
    const POLICY: &'static str = "geas";
    const SHELVES: &'static [Shelf] = &[
        Shelf { except_ending: Some(REVIEW), ..Shelf::documents(CANDIDATES, ENDING) },
        Shelf { except_ending: Some(REVIEW), ..Shelf::documents(ENTRIES, ENDING) },
    ];
    const SIDE_SHELVES: &'static [Shelf] = &[
        Shelf::documents(CANDIDATES, REVIEW),
        Shelf::documents(ENTRIES, REVIEW),
        Shelf::documents("memory/logs", ENDING),
        Shelf::documents("memory/application-logs", ENDING),
        // Told to agents, so that an approval of the tree is one of these as well.
        Shelf::documents(NOTEBOOKS, PAGE),
        Shelf::documents("", RULES),
    ];
    const SIDE: &'static [&'static str] = &[INDEX];
    const KEEPS_ALL: bool = true;
    const CHANGES_ALONE: bool = true;
    const JOURNAL: &'static str = "memory/hardwon.jsonl";
    const LOCK: &'static str = "memory/hardwon";
    const HAS_OTHER_WRITERS: bool = true;
    const IS_SWEPT_DAILY: bool = true;
    const FOLDERS: &'static [&'static str] = &[
        "memory",
        CANDIDATES,
        ENTRIES,
        "memory/logs",
        "memory/application-logs",
        "state",
        "ledger",
    ];
    const PUT_AWAY: &'static [State] = &[];
    const TEXT_FIELD: &'static str = "summary";

    /// A `.geas` folder, the one in a folder, or whatever folder holds its `memory`.
    fn place(path: &Path, _: &Homes) -> Place {
        let holds_files = |path: &Path| [CANDIDATES, ENTRIES].iter().any(|n| path.join(n).is_dir());
        let folder = Folder::new(folder_with_memory(path, NAME, holds_files));
        Place { base: folder.clone(), files: folder, of_user: None, journal: None }
    }

    fn is_at(path: &Path) -> bool {
        let base = Self::place(path, &Homes::default()).base;
        let is_named = base.base().file_name().is_some_and(|name| name == NAME);
        let has = |name: &&str| base.path(name).is_dir();
        is_named && base.base().is_dir() || [CANDIDATES, ENTRIES].iter().any(has)
    }

    fn new(place: &Place) -> Self {
        GeasLayout { files: place.files.clone(), runs: names::runs_below(&place.files) }
    }

    fn run_names(&self) -> Option<&BTreeMap<String, RunId>> {
        Some(&self.runs)
    }

    /// A name may end as that of a review does and be a lesson's.
    fn is_on(shelf: &Shelf, file: &str, files: &Files) -> bool {
        let is_of_lessons = shelf.except_ending == Some(REVIEW);
        if !file.ends_with(REVIEW) || !(is_of_lessons || shelf.form == OF_REVIEWS) {
            return shelf.has_file(file);
        }
        let all = Shelf { except_ending: None, ..*shelf };
        all.has_file(file) && side::is_review(file, files) != is_of_lessons
    }

    fn read(label: &str, bytes: &[u8]) -> (ForeignFile<GeasMemory>, Vec<Problem>) {
        geas_memory(label, bytes)
    }

    fn read_side(files: &Files) -> (GeasSide, Vec<Problem>) {
        side::read(files)
    }

    fn read_record(raw: &str) -> Option<GeasMemory> {
        record("", raw.as_bytes())
    }

    fn unknown_fields(raw: &[u8]) -> Vec<String> {
        geas_unknown_fields(raw)
    }

    fn said(record: &GeasMemory) -> Said<'_> {
        Said {
            id: &record.id,
            text: &record.summary,
            superseded_by: record.superseded_by.as_deref(),
        }
    }

    fn lesson(entry: &Entry<'_, Self>) -> Lesson {
        translate::lesson(entry)
    }

    fn kept_with(entry: &Entry<'_, Self>) -> Option<Text> {
        translate::extra(entry)
    }

    fn compared(
        entry: &Entry<'_, Self>,
        stated: &Lesson,
        lesson: &Lesson,
    ) -> (GeasMemory, GeasMemory) {
        translate::compared(entry, stated, lesson)
    }

    fn differing(theirs: &GeasMemory, ours: &GeasMemory) -> Differing {
        Differing {
            text: theirs.summary != ours.summary,
            kind: theirs.kind != ours.kind,
            severity: false,
            scope: theirs.scope != ours.scope,
            tags: theirs.tags != ours.tags,
        }
    }

    fn adopt(
        entry: &Entry<'_, Self>,
        theirs: &GeasMemory,
        ours: &GeasMemory,
        stated: Lesson,
        next: &mut Lesson,
    ) {
        translate::adopt(entry, theirs, ours, stated, next);
    }

    /// A document that commands its reader: the tree comes with the repository, so whoever can
    /// change that could put words into every prompt.
    fn refuses(entry: &Entry<'_, Self>) -> Option<String> {
        let GeasMemory { summary, title, body, .. } = entry.record;
        let mut shown = [summary, title].into_iter().chain(body);
        let gives_orders = shown.any(|text| entry.context.gate.gives_orders(text));
        gives_orders.then(|| format!("{}; kept in the file, not used", Refusal::GivesOrders))
    }

    /// What no person approved is not written.
    fn shelf_of(lesson: &Lesson) -> Option<usize> {
        match lesson.state {
            State::Quarantined => None,
            State::Candidate => Some(OF_CANDIDATES),
            _ => Some(OF_ENTRIES),
        }
    }

    /// One that geas left where its state has no place, such as a rejected candidate.
    fn stays(entry: &Entry<'_, Self>, lesson: &Lesson) -> bool {
        translate::state(entry.record, entry.shelf) == lesson.state
    }

    fn settle(rows: &mut Rows<Self>) {
        side::settle(rows);
    }

    fn file_name(lesson: &Lesson) -> String {
        names::file_stem(lesson)
    }

    fn is_id(alias: &str) -> bool {
        names::is_own(alias)
    }

    fn namer(batch: &Batch, _: &Rows<Self>, tables: &Tables) -> Namer {
        names::namer(batch, tables)
    }

    fn patched(
        writing: &Writing<'_, Self>,
        entry: &Entry<'_, Self>,
        from: &GeasMemory,
        to: GeasMemory,
        lesson: &Lesson,
    ) -> Vec<u8> {
        let to = evidence::extended(writing, entry, from, to, lesson);
        render::patched(entry.raw, from, &to)
    }

    fn new_record(writing: &Writing<'_, Self>, lesson: &Lesson, _: &Shelf) -> Vec<u8> {
        render::memory(&evidence::completed(writing, lesson)).into_bytes()
    }

    fn take_rest(news: &mut News<'_, Self>) {
        take::sightings(news);
        take::applications(news);
    }

    fn side_writes(writing: &Writing<'_, Self>, planned: &[FileWrite]) -> Vec<FileWrite> {
        let mut writes = reviews::writes(writing);
        writes.extend(logs::writes(writing));
        writes.extend(index::write(writing, planned));
        writes.extend(ledger::write(writing));
        writes
    }

    fn left_behind(rows: &Rows<Self>, _: &Tables) -> Vec<(&'static str, usize)> {
        vec![("reviews", rows.side.reviews.len())]
    }
}

/// What a document states, if it can be read.
fn record(label: &str, bytes: &[u8]) -> Option<GeasMemory> {
    geas_memory(label, bytes).0.lines.into_iter().find_map(|line| line.record)
}
