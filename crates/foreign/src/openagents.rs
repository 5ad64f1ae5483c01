//! OpenAgents' own files: `episodes.jsonl`, `lessons.jsonl` and `lessons-archive.jsonl` of
//! the Archivist's specification, one record a line, and the user's
//! `global-lessons.jsonl`.

mod episodes;
mod evidence;
mod names;
mod orders;
mod place;
mod shipped;
mod translate;

use std::path::Path;

use hardwon_core::change::{Batch, Change, Tables};
use hardwon_core::event::Problem;
use hardwon_core::foreign::{
    ForeignFile, ForeignLine, OpenagentsEpisode, OpenagentsLesson, importance_scale,
};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::Lesson;
use hardwon_readers::{
    openagents_episodes, openagents_lesson, openagents_lessons, openagents_unknown_fields,
};
use hardwon_render::openagents as render;

use crate::store::layout::{Beside, Context, Layout, Place, Shelf};
use crate::store::{FileWrite, Files, Known, News, Rows, Writing};
use crate::{Folder, FolderError};
use orders::Orders;

const LESSONS: &str = "lessons.jsonl";
const ARCHIVE: &str = "lessons-archive.jsonl";
const EPISODES: &str = "episodes.jsonl";
/// Numbers of shelves.
const OWN: usize = 0;
const GLOBAL: usize = 2;

/// An `.openagents` folder.
pub struct OpenagentsLayout {
    above: Folder,
    /// The folder of the project, as it is told in new records.
    root: String,
    orders: Orders,
}

impl Layout for OpenagentsLayout {
    type Record = OpenagentsLesson;
    type Side = ForeignFile<OpenagentsEpisode>;

    const WORD: &'static str = "openagents";
    const POLICY: &'static str = "archivist";
    const SHELVES: &'static [Shelf] = &[
        Shelf::lines(LESSONS).archived_in(1),
        Shelf::lines(ARCHIVE).archive(),
        Shelf::lines("global-lessons.jsonl").of_user().archived_in(3),
        Shelf::lines("global-lessons-archive.jsonl").of_user().archive(),
    ];
    const SIDE: &'static [&'static str] = &[EPISODES];
    const JOURNAL: &'static str = "hardwon.jsonl";
    const LOCK: &'static str = LESSONS;
    const BESIDE: &'static [&'static str] = &shipped::FILES;
    const TEXT_FIELD: &'static str = "summary";

    fn place(path: &Path, user_home: Option<&Path>) -> Place {
        place::place(path, user_home)
    }

    fn is_at(path: &Path) -> bool {
        place::is_at(path)
    }

    fn new(place: &Place) -> Self {
        let root = place::root(place);
        OpenagentsLayout { above: place.base.clone(), root, orders: Orders::new() }
    }

    fn read(
        &self,
        _: &Shelf,
        label: &str,
        bytes: &[u8],
    ) -> (ForeignFile<OpenagentsLesson>, Vec<Problem>) {
        openagents_lessons(label, bytes)
    }

    fn read_side(&self, files: &Files) -> (Self::Side, Vec<Problem>) {
        openagents_episodes(EPISODES, files.get(EPISODES))
    }

    /// Only one of the specification: the shapes that were shipped are never written.
    fn read_record(raw: &str) -> Option<OpenagentsLesson> {
        let is_shipped = |name: &String| name == "memoryType" || name == "failurePatterns";
        let is_other = openagents_unknown_fields(raw.as_bytes()).iter().any(is_shipped);
        openagents_lesson(raw).filter(|_| !is_other)
    }

    fn is_record(raw: &str) -> bool {
        openagents_lesson(raw).is_some()
    }

    fn unknown_fields(raw: &[u8]) -> Vec<String> {
        openagents_unknown_fields(raw)
    }

    fn id(record: &OpenagentsLesson) -> &str {
        &record.id
    }

    fn text(record: &OpenagentsLesson) -> &str {
        &record.summary
    }

    fn lesson(
        &self,
        context: &Context<'_>,
        record: &OpenagentsLesson,
        shelf: &Shelf,
        is_taken: &mut dyn FnMut(&LessonId) -> bool,
    ) -> Option<Lesson> {
        translate::stated_lesson(context, record, shelf, is_taken)
    }

    fn compared(
        &self,
        context: &Context<'_>,
        record: &OpenagentsLesson,
        shelf: &Shelf,
        lesson: &Lesson,
    ) -> Option<(OpenagentsLesson, OpenagentsLesson)> {
        translate::compared(context, record, shelf, lesson)
    }

    fn adopted(
        &self,
        context: &Context<'_>,
        record: &OpenagentsLesson,
        shelf: &Shelf,
        lesson: &Lesson,
    ) -> Lesson {
        translate::adopted(context, record, shelf, lesson)
    }

    fn refuses(&self, record: &OpenagentsLesson, shelf: &Shelf) -> Option<String> {
        self.orders.are_in(record, shelf).then(orders::reason)
    }

    fn superseded_by(record: &OpenagentsLesson) -> Option<&str> {
        record.superseded_by.as_deref()
    }

    fn shelf_of(&self, lesson: &Lesson) -> Option<usize> {
        let shelf = if lesson.project.is_none() { GLOBAL } else { OWN };
        lesson.state.is_on_ladder().then_some(shelf)
    }

    fn named(&self, batch: &Batch, rows: &Rows<Self>, tables: &Tables) -> Vec<Change> {
        names::named(batch, rows, tables)
    }

    fn updated(
        &self,
        writing: &Writing<'_, Self>,
        raw: &[u8],
        record: &OpenagentsLesson,
        shelf: &Shelf,
        lesson: &Lesson,
    ) -> Vec<u8> {
        evidence::updated(writing, raw, record, shelf, lesson)
    }

    fn kept(
        &self,
        writing: &Writing<'_, Self>,
        line: &ForeignLine<OpenagentsLesson>,
        record: &OpenagentsLesson,
        shelf: &Shelf,
        lesson: &Lesson,
    ) -> Vec<u8> {
        let now = evidence::updated(writing, &line.raw, record, shelf, lesson);
        match evidence::uses(writing, lesson, record) {
            Some((n_uses, at)) => render::used(&now, record.usage_count + n_uses, at),
            None => now,
        }
    }

    fn new_record(&self, writing: &Writing<'_, Self>, lesson: &Lesson, shelf: &Shelf) -> Vec<u8> {
        let index = if shelf.is_of_user() { GLOBAL } else { OWN };
        let records = writing.rows.shelves[index].lines.iter().filter_map(|l| l.record.as_ref());
        // The factor of the importance is that of the lines that are there.
        let scale = records.map(|r| importance_scale(r.importance)).fold(1.0, f64::max);
        let project_root = lesson.project.is_some().then(|| self.root.clone());
        let record = OpenagentsLesson { project_root, ..translate::record_of(lesson, scale) };
        render::lesson_line(&evidence::completed(writing, record, lesson)).into_bytes()
    }

    fn take_runs(&self, news: &mut News<'_, Self>, rows: &Rows<Self>) {
        episodes::take(news, &rows.side);
    }

    fn take_rest(&self, news: &mut News<'_, Self>, rows: &Rows<Self>, known: &Known) {
        evidence::witness(news, rows, known);
    }

    fn side_writes(&self, writing: &Writing<'_, Self>) -> Vec<FileWrite> {
        episodes::writes(writing, &self.root)
    }

    fn beside(&self, context: &Context<'_>, tables: &Tables) -> Result<Beside, FolderError> {
        shipped::read(&self.above, context, tables)
    }
}
