//! ArcheFlow's own files: `lessons.jsonl`, `archive.jsonl` and `audit.jsonl`, one record a
//! line.

mod audit;
pub mod commands;
mod names;
mod translate;

use std::path::{Path, PathBuf};

use hardwon_core::change::{Batch, Change, Tables};
use hardwon_core::event::Problem;
use hardwon_core::foreign::{ArcheflowAudit, ArcheflowLesson, ForeignFile, ForeignLine};
use hardwon_core::gate::Gate;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::time::Timestamp;
use hardwon_readers::{
    archeflow_audit, archeflow_lesson, archeflow_lessons, archeflow_number,
    archeflow_unknown_fields,
};
use hardwon_render::archeflow as render;

use crate::Folder;
use crate::store::layout::{Context, Layout, Place, Shelf};
use crate::store::{FileWrite, Files, Known, News, Rows, Writing};
use translate::foreign_id;

pub(crate) const LESSONS: &str = "memory/lessons.jsonl";
const ARCHIVE: &str = "memory/archive.jsonl";
const AUDIT: &str = "memory/audit.jsonl";
const NAME: &str = ".archeflow";

/// An `.archeflow` folder.
pub struct ArcheflowLayout {
    folder: Folder,
}

/// The `.archeflow` folder that is meant by a path: itself, the one in it, or, for who
/// names the folder that holds `memory`, that one.
pub(crate) fn archeflow_folder(path: &Path) -> Folder {
    // Without the dots that were typed: the path is shown, and pinned by `trust`.
    let path: &Path = &path.components().collect::<PathBuf>();
    let is_it = path.file_name().is_some_and(|name| name == NAME);
    let has_one = std::fs::symlink_metadata(path.join(NAME)).is_ok();
    let is_renamed = || path.join(LESSONS).exists();
    if is_it || (!has_one && is_renamed()) {
        Folder::new(path.to_owned())
    } else {
        Folder::new(path.join(NAME))
    }
}

impl Layout for ArcheflowLayout {
    type Record = ArcheflowLesson;
    type Side = ForeignFile<ArcheflowAudit>;

    const WORD: &'static str = "archeflow";
    const POLICY: &'static str = "archeflow";
    const SHELVES: &'static [Shelf] =
        &[Shelf::lines(LESSONS).archived_in(1), Shelf::lines(ARCHIVE).archive()];
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

    fn place(path: &Path, _: Option<&Path>) -> Place {
        let folder = archeflow_folder(path);
        Place { base: folder.clone(), files: folder, of_user: None }
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

    fn read(
        &self,
        _: &Shelf,
        label: &str,
        bytes: &[u8],
    ) -> (ForeignFile<ArcheflowLesson>, Vec<Problem>) {
        archeflow_lessons(label, bytes)
    }

    fn read_side(&self, files: &Files) -> (Self::Side, Vec<Problem>) {
        archeflow_audit("audit.jsonl", files.get(AUDIT))
    }

    fn read_record(raw: &str) -> Option<ArcheflowLesson> {
        archeflow_lesson(raw)
    }

    fn unknown_fields(raw: &[u8]) -> Vec<String> {
        archeflow_unknown_fields(raw)
    }

    fn id(record: &ArcheflowLesson) -> &str {
        &record.id
    }

    fn text(record: &ArcheflowLesson) -> &str {
        &record.description
    }

    fn alias(&self, context: &Context<'_>, id: &str) -> Option<String> {
        translate::alias(context, id)
    }

    fn lesson(
        &self,
        context: &Context<'_>,
        record: &ArcheflowLesson,
        shelf: &Shelf,
        is_taken: &mut dyn FnMut(&LessonId) -> bool,
    ) -> Option<Lesson> {
        translate::stated_lesson(context, record, shelf, is_taken)
    }

    fn compared(
        &self,
        context: &Context<'_>,
        record: &ArcheflowLesson,
        shelf: &Shelf,
        lesson: &Lesson,
    ) -> Option<(ArcheflowLesson, ArcheflowLesson)> {
        translate::compared(context, record, shelf, lesson)
    }

    fn adopted(
        &self,
        context: &Context<'_>,
        record: &ArcheflowLesson,
        shelf: &Shelf,
        lesson: &Lesson,
    ) -> Lesson {
        translate::adopted(context, record, shelf, lesson)
    }

    /// What must not be shown must not be where ArcheFlow's own script finds it.
    fn shelf_of(&self, lesson: &Lesson) -> Option<usize> {
        lesson.state.is_on_ladder().then_some(0)
    }

    fn position(&self, lesson: &Lesson) -> (u64, String) {
        let id = foreign_id(lesson).unwrap_or_default();
        (archeflow_number(id).map_or(id.len() as u64, u64::from), id.to_owned())
    }

    fn named(&self, batch: &Batch, rows: &Rows<Self>, tables: &Tables) -> Vec<Change> {
        names::named(batch, rows, tables)
    }

    fn updated(
        &self,
        writing: &Writing<'_, Self>,
        raw: &[u8],
        record: &ArcheflowLesson,
        shelf: &Shelf,
        lesson: &Lesson,
    ) -> Vec<u8> {
        match translate::compared(writing.context, record, shelf, lesson) {
            Some((from, to)) => render::patched(raw, &from, &to),
            None => raw.to_vec(),
        }
    }

    /// As ArcheFlow archives what wore out: the number is 0, the time is now, and how long
    /// it went unseen stays as it last was. Everything else goes as it stands.
    fn archived(
        &self,
        writing: &Writing<'_, Self>,
        line: &ForeignLine<ArcheflowLesson>,
        record: &ArcheflowLesson,
        _: &Shelf,
        lesson: &Lesson,
    ) -> Vec<u8> {
        if lesson.state != State::Decayed {
            return line.raw.clone();
        }
        let now = Timestamp(writing.context.now.0.div_euclid(1000) * 1000);
        let to = ArcheflowLesson { frequency: 0, ts: Some(now), ..record.clone() };
        render::patched(&line.raw, record, &to)
    }

    fn new_record(&self, writing: &Writing<'_, Self>, lesson: &Lesson, _: &Shelf) -> Vec<u8> {
        render::line(&translate::record_of(writing.context, lesson)).into_bytes()
    }

    fn take_rest(&self, news: &mut News<'_, Self>, rows: &Rows<Self>, _: &Known) {
        audit::take_injections(news, &rows.side);
    }

    fn side_writes(&self, writing: &Writing<'_, Self>) -> Vec<FileWrite> {
        audit::writes(writing, &self.folder)
    }

    fn left_behind(&self, rows: &Rows<Self>, tables: &Tables) -> Vec<(&'static str, usize)> {
        let n_foreign = audit::n_foreign_checks(&rows.side, tables);
        vec![("checks of the released script in audit.jsonl", n_foreign)]
    }
}
