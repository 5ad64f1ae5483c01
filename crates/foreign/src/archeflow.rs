//! ArcheFlow's own files: `lessons.jsonl`, `archive.jsonl` and `audit.jsonl`, one record a
//! line.

mod audit;
pub mod commands;
mod translate;

use std::path::Path;

use hardwon_core::change::{Batch, Tables};
use hardwon_core::event::Problem;
use hardwon_core::foreign::{ArcheflowAudit, ArcheflowLesson, ForeignFile};
use hardwon_core::gate::Gate;
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::time::Timestamp;
use hardwon_engine::layout::Homes;
use hardwon_readers::{
    archeflow_audit, archeflow_lesson, archeflow_lessons, archeflow_number,
    archeflow_unknown_fields,
};
use hardwon_render::archeflow as render;

use crate::Folder;
use crate::store::layout::entry::{Context, Differing, Entry, Said};
use crate::store::layout::{Layout, Namer, Place, Shelf, folder_named};
use crate::store::{Beside, FileWrite, Files, Held, News, Rows, Writing};
use translate::{adopted_state, foreign_id, record_of};

pub(crate) const LESSONS: &str = "memory/lessons.jsonl";
const ARCHIVE: &str = "memory/archive.jsonl";
const AUDIT: &str = "memory/audit.jsonl";
const NAME: &str = ".archeflow";

pub struct ArcheflowLayout {
    folder: Folder,
}

/// The `.archeflow` folder that is meant by a path: itself, the one in it, or, under another
/// name, the one that holds `memory`.
pub(crate) fn archeflow_folder(path: &Path) -> Folder {
    Folder::new(folder_named(path, NAME, |path| path.join(LESSONS).exists()))
}

impl Layout for ArcheflowLayout {
    type Record = ArcheflowLesson;
    type Side = ForeignFile<ArcheflowAudit>;

    const WORD: &'static str = "archeflow";
    const POLICY: &'static str = "archeflow";
    const SHELVES: &'static [Shelf] = &[
        Shelf { archive: Some(1), ..Shelf::lines(LESSONS) },
        Shelf { is_archive: true, ..Shelf::lines(ARCHIVE) },
    ];
    const SIDE: &'static [&'static str] = &[AUDIT];
    const JOURNAL: &'static str = "memory/hardwon.jsonl";
    const LOCK: &'static str = LESSONS;
    const KEEPS_LINE_ENDS: bool = false;
    /// ArcheFlow keeps its state in them.
    const FOLDERS: &'static [&'static str] = &[
        "events",
        "artifacts",
        "runs",
        "worktrees",
        "memory",
        "locks",
        "merge-queue",
        "templates",
        "lenses",
        "progress",
    ];
    const PUT_AWAY: &'static [State] = &[State::Archived, State::Decayed];
    const TEXT_FIELD: &'static str = "description";

    fn place(path: &Path, _: &Homes) -> Place {
        let folder = archeflow_folder(path);
        Place { base: folder.clone(), files: folder, of_user: None, journal: None }
    }

    fn is_at(path: &Path) -> bool {
        path.file_name().is_some_and(|name| name == NAME) || path.join(NAME).exists()
    }

    fn gate() -> Gate {
        Gate::foreign()
    }

    fn new(place: &Place) -> Self {
        ArcheflowLayout { folder: place.base.clone() }
    }

    fn read(label: &str, bytes: &[u8]) -> (ForeignFile<ArcheflowLesson>, Vec<Problem>) {
        archeflow_lessons(label, bytes)
    }

    fn read_side(files: &Files) -> (Self::Side, Vec<Problem>) {
        archeflow_audit("audit.jsonl", files.get(AUDIT))
    }

    fn read_record(raw: &str) -> Option<ArcheflowLesson> {
        archeflow_lesson(raw)
    }

    fn unknown_fields(raw: &[u8]) -> Vec<String> {
        archeflow_unknown_fields(raw)
    }

    fn said(record: &ArcheflowLesson) -> Said<'_> {
        Said { id: &record.id, text: &record.description, superseded_by: None }
    }

    fn alias(context: &Context<'_>, id: &str) -> Option<String> {
        if Self::is_id(id) { Some(id.to_owned()) } else { context.gate.word(id) }
    }

    fn lesson(entry: &Entry<'_, Self>) -> Lesson {
        translate::lesson(entry)
    }

    fn compared(
        entry: &Entry<'_, Self>,
        stated: &Lesson,
        lesson: &Lesson,
    ) -> (ArcheflowLesson, ArcheflowLesson) {
        let mut from = record_of(entry.context, stated);
        // The first author stays the author.
        let source = from.source.clone();
        let mut to = ArcheflowLesson { source, ..record_of(entry.context, lesson) };
        if entry.record.ts.is_none() {
            // A record without a time gets one only when something else changes.
            let now = std::mem::replace(&mut to.ts, from.ts);
            if from != to {
                to.ts = now;
                from.ts = None;
            }
        }
        (from, to)
    }

    fn differing(theirs: &ArcheflowLesson, ours: &ArcheflowLesson) -> Differing {
        Differing {
            text: theirs.description != ours.description,
            kind: theirs.kind != ours.kind,
            severity: theirs.severity != ours.severity,
            scope: (&theirs.domain, &theirs.archetype) != (&ours.domain, &ours.archetype),
            tags: theirs.tags != ours.tags,
        }
    }

    fn adopt(
        entry: &Entry<'_, Self>,
        theirs: &ArcheflowLesson,
        ours: &ArcheflowLesson,
        stated: Lesson,
        next: &mut Lesson,
    ) {
        if theirs.last_seen_run != ours.last_seen_run {
            next.last_seen_run = stated.last_seen_run;
        }
        if theirs.frequency != ours.frequency {
            let n_more = theirs.frequency.saturating_sub(ours.frequency);
            next.n_sightings = next.n_sightings.saturating_add(n_more);
            next.standing = theirs.frequency;
            next.upkeep.inherited = stated.upkeep.inherited;
        }
        if theirs.runs_since_last_seen != ours.runs_since_last_seen {
            next.unseen = stated.unseen;
        }
        if theirs.ts != ours.ts {
            next.updated_at = stated.updated_at;
        }
        next.state = adopted_state(next, stated.state, entry.shelf);
    }

    /// Its script writes new tags and a new time with new words.
    fn is_reworded(entry: &Entry<'_, Self>, lesson: &Lesson) -> bool {
        let (theirs, ours) = (entry.record, record_of(entry.context, lesson));
        let has_tags = !ours.tags.is_empty() && ours.tags == theirs.tags;
        has_tags || theirs.ts.is_some() && theirs.ts.map(whole_seconds) == ours.ts
    }

    /// What must not be shown must not be where ArcheFlow's own script finds it.
    fn shelf_of(lesson: &Lesson) -> Option<usize> {
        lesson.state.is_on_ladder().then_some(0)
    }

    fn position(lesson: &Lesson) -> (u64, String) {
        let id = foreign_id(lesson).unwrap_or_default();
        (archeflow_number(id).map_or(id.len() as u64, u64::from), id.to_owned())
    }

    fn is_id(alias: &str) -> bool {
        archeflow_number(alias).is_some()
    }

    fn namer(batch: &Batch, rows: &Rows<Self>, tables: &Tables) -> Namer {
        translate::namer(batch, rows, tables)
    }

    fn patched(
        _: &Writing<'_, Self>,
        entry: &Entry<'_, Self>,
        from: &ArcheflowLesson,
        to: ArcheflowLesson,
        _: &Lesson,
    ) -> Vec<u8> {
        render::patched(entry.raw, from, &to)
    }

    /// As ArcheFlow archives what wore out: the frequency is 0, the time is now, and how long
    /// it went unseen stays as it last was. Everything else goes as it stands.
    fn archived(writing: &Writing<'_, Self>, entry: &Entry<'_, Self>, lesson: &Lesson) -> Vec<u8> {
        if lesson.state != State::Decayed {
            return entry.raw.to_vec();
        }
        let ts = Some(whole_seconds(writing.context.now));
        let to = ArcheflowLesson { frequency: 0, ts, ..entry.record.clone() };
        render::patched(entry.raw, entry.record, &to)
    }

    fn new_record(writing: &Writing<'_, Self>, lesson: &Lesson, _: &Shelf) -> Vec<u8> {
        render::line(&record_of(writing.context, lesson)).into_bytes()
    }

    fn take_rest(news: &mut News<'_, Self>) {
        audit::take_injections(news);
    }

    fn side_writes(writing: &Writing<'_, Self>, _: &[FileWrite]) -> Vec<FileWrite> {
        audit::writes(writing)
    }

    fn hold_beside(&self, _: &Context<'_>, _: &Beside, held: &mut Held) {
        audit::take_domains(&mut held.holdings);
    }

    fn left_behind(rows: &Rows<Self>, tables: &Tables) -> Vec<(&'static str, usize)> {
        let n_foreign = audit::n_foreign_checks(&rows.side, tables);
        vec![("checks of the released script in audit.jsonl", n_foreign)]
    }
}

/// ArcheFlow's times have no fractions.
fn whole_seconds(at: Timestamp) -> Timestamp {
    Timestamp(at.0.div_euclid(1000) * 1000)
}
