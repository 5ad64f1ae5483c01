//! jkz's memory in files, which is also what Claude Code keeps for every project: one topic file
//! a fact, and the index `MEMORY.md`, which the host loads by itself.
//!
//! Because the host loads it, only lessons that may be shown have a file and a line there. All
//! others live in the journal until they may; one that may no longer be shown takes its line
//! along, and its file goes to `archive`. The journal lies in our data folder: the folder is the
//! host's.

mod index;
pub mod notes;
pub mod patterns;
mod translate;

use std::path::{Path, PathBuf};

use hardwon_core::change::{Batch, Tables};
use hardwon_core::digest::{base32, sha256};
use hardwon_core::event::Problem;
use hardwon_core::foreign::{ForeignFile, ForeignLine};
use hardwon_core::gate::Refusal;
use hardwon_core::lesson::Lesson;
use hardwon_engine::layout::Homes;
use hardwon_readers::TopicFile;

use crate::Folder;
use crate::store::layout::entry::{Differing, Entry, Said};
use crate::store::layout::{Layout, Namer, Place, Shelf};
use crate::store::{FileWrite, Files, Rows, Writing};
use notes::INDEX;
use translate::{TopicRecord, adopted_state};

pub(crate) use translate::title_of;

const ENDING: &str = ".md";
/// Numbers of shelves.
pub(crate) const TOPICS: usize = 0;
/// Where what is put away lies.
pub(crate) const ARCHIVE: &str = "archive";
/// More of a topic file is no note.
const MAX_BYTES: usize = 1 << 20;

pub struct JkzLayout;

impl Layout for JkzLayout {
    type Record = TopicRecord;
    /// The index; `None` if it is no text, and then it is left alone.
    type Side = Option<String>;

    const WORD: &'static str = "jkz";
    const POLICY: &'static str = "jkz";
    const SHELVES: &'static [Shelf] = &[
        Shelf { except: &[INDEX], archive: Some(1), ..Shelf::documents("", ENDING) },
        Shelf { except: &[INDEX], is_archive: true, ..Shelf::documents(ARCHIVE, ENDING) },
    ];
    const SIDE: &'static [&'static str] = &[INDEX];
    const JOURNAL: &'static str = "journal.jsonl";
    const JOURNAL_IS_APART: bool = true;
    const LOCK: &'static str = "journal.jsonl";
    const HAS_OTHER_WRITERS: bool = true;
    const TEXT_FIELD: &'static str = "fact";

    fn place(path: &Path, homes: &Homes) -> Place {
        let folder: PathBuf = path.components().collect();
        let real = std::fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone());
        let key = base32(&sha256(&["notes", &real.to_string_lossy()]));
        let journal = homes.data.as_ref().map(|data| data.join("notes").join(&key[..16]));
        let folder = Folder::new(folder);
        let journal = journal.map(Folder::new);
        Place { base: folder.clone(), files: folder, of_user: None, journal }
    }

    /// An index, and beside it a file that is named as topic files are.
    fn is_at(path: &Path) -> bool {
        let files = Self::place(path, &Homes::default()).files;
        let has_topic = || {
            let names = files.list("", ENDING).unwrap_or_default();
            names.iter().any(|name| translate::is_slug(name))
        };
        files.path(INDEX).is_file() && has_topic()
    }

    fn new(_: &Place) -> Self {
        JkzLayout
    }

    fn read(label: &str, bytes: &[u8]) -> (ForeignFile<TopicRecord>, Vec<Problem>) {
        let (record, problem) = match read_topic(label, bytes) {
            Ok(record) => (Some(record), None),
            Err((line, reason)) => {
                let at = line.map_or(label.to_owned(), |line| format!("{label}:{line}"));
                (None, Some(Problem::new(at, reason)))
            }
        };
        let line = ForeignLine { raw: bytes.to_vec(), record };
        (ForeignFile { lines: vec![line], has_end: true }, problem.into_iter().collect())
    }

    fn read_side(files: &Files) -> (Self::Side, Vec<Problem>) {
        match std::str::from_utf8(files.get(INDEX)) {
            Ok(text) => (Some(text.to_owned()), Vec::new()),
            Err(_) => (None, vec![Problem::new(INDEX, "it is not UTF-8; left as it is")]),
        }
    }

    fn read_record(raw: &str) -> Option<TopicRecord> {
        let record = read_topic("", raw.as_bytes()).ok()?;
        (!record.lead.is_empty()).then_some(record)
    }

    fn unknown_fields(raw: &[u8]) -> Vec<String> {
        translate::unknown_fields(raw)
    }

    fn said(record: &TopicRecord) -> Said<'_> {
        Said { id: &record.slug, text: &record.lead, superseded_by: None }
    }

    fn lesson(entry: &Entry<'_, Self>) -> Lesson {
        translate::lesson(entry)
    }

    fn compared(
        entry: &Entry<'_, Self>,
        stated: &Lesson,
        lesson: &Lesson,
    ) -> (TopicRecord, TopicRecord) {
        let of = |lesson| translate::record_of(lesson, &entry.record.slug);
        (of(stated), of(lesson))
    }

    fn differing(theirs: &TopicRecord, ours: &TopicRecord) -> Differing {
        Differing {
            text: theirs.lead != ours.lead,
            kind: (theirs.kind, theirs.own) != (ours.kind, ours.own),
            ..Differing::default()
        }
    }

    fn adopt(
        entry: &Entry<'_, Self>,
        theirs: &TopicRecord,
        ours: &TopicRecord,
        stated: Lesson,
        next: &mut Lesson,
    ) {
        if (&theirs.why, &theirs.how) != (&ours.why, &ours.how) {
            next.guidance.detail = stated.guidance.detail;
            next.guidance.rule = stated.guidance.rule;
        }
        next.state = adopted_state(next, entry.shelf);
    }

    /// A note that commands its reader: whoever can write the folder could put words into
    /// every prompt.
    fn refuses(entry: &Entry<'_, Self>) -> Option<String> {
        let TopicRecord { lead, why, how, .. } = entry.record;
        let mut shown = [Some(lead), why.as_ref(), how.as_ref()].into_iter().flatten();
        let gives_orders = shown.any(|text| entry.context.gate.gives_orders(text));
        gives_orders.then(|| format!("{}; kept in the file, not used", Refusal::GivesOrders))
    }

    fn shelf_of(lesson: &Lesson) -> Option<usize> {
        lesson.is_injectable().then_some(TOPICS)
    }

    fn file_name(lesson: &Lesson) -> String {
        let slug = lesson.aliases.iter().find(|alias| translate::is_slug(alias));
        slug.cloned().unwrap_or_else(|| lesson.id.to_string())
    }

    fn is_id(alias: &str) -> bool {
        translate::is_slug(alias)
    }

    fn namer(_: &Batch, rows: &Rows<Self>, _: &Tables) -> Namer {
        let files = rows.file_names().map(|file| file.to_lowercase()).collect();
        translate::namer(files)
    }

    fn patched(
        writing: &Writing<'_, Self>,
        entry: &Entry<'_, Self>,
        from: &TopicRecord,
        to: TopicRecord,
        _: &Lesson,
    ) -> Vec<u8> {
        translate::patched(entry.raw, from, &to, writing.context.now)
    }

    fn new_record(_: &Writing<'_, Self>, lesson: &Lesson, _: &Shelf) -> Vec<u8> {
        translate::new_file(lesson).into_bytes()
    }

    fn side_writes(writing: &Writing<'_, Self>, planned: &[FileWrite]) -> Vec<FileWrite> {
        index::writes(writing, planned)
    }

    fn left_behind(rows: &Rows<Self>, _: &Tables) -> Vec<(&'static str, usize)> {
        let n_links = rows.records().map(|record| record.n_links).sum();
        vec![("links between notes", n_links)]
    }
}

/// What a topic file says; or why it cannot be one, and in which line.
fn read_topic(file: &str, bytes: &[u8]) -> Result<TopicRecord, (Option<usize>, String)> {
    if bytes.len() > MAX_BYTES {
        return Err((None, "it is larger than 1 MiB; left as it is".to_owned()));
    }
    let no_text = |_| (None, "it is not UTF-8; left as it is".to_owned());
    let text = std::str::from_utf8(bytes).map_err(no_text)?;
    let broken = |it: hardwon_readers::BrokenHead| (Some(it.line), it.reason.to_owned());
    Ok(TopicRecord::of(&TopicFile::parse(text).map_err(broken)?, file))
}
