//! OpenAgents' own files: `episodes.jsonl`, `lessons.jsonl` and `lessons-archive.jsonl` of
//! the Archivist's specification, one record a line, and the user's
//! `global-lessons.jsonl`.

mod episodes;
mod evidence;
mod project;
mod shipped;
mod translate;

use std::path::Path;

use hardwon_core::change::{Batch, Tables};
use hardwon_core::event::Problem;
use hardwon_core::foreign::{ForeignFile, OpenagentsEpisode, OpenagentsLesson, importance_scale};
use hardwon_core::gate::Refusal;
use hardwon_core::lesson::{Guidance, Lesson};
use hardwon_engine::layout::{ForeignSettings, Homes};
use hardwon_readers::{
    openagents_episodes, openagents_lesson, openagents_lessons, openagents_unknown_fields,
};
use hardwon_render::openagents as render;

use crate::Folder;
use crate::store::layout::entry::{Context, Differing, Entry, Said};
use crate::store::layout::{Layout, Namer, Owner, Place, Shelf, folder_with_memory};
use crate::store::{Beside, FileWrite, Files, Held, News, Rows, Writing};
use translate::{MANUAL, adopted_state, next_status, record_of, scope_of};

const NAME: &str = ".openagents";
const MEMORY: &str = "memory";
const LESSONS: &str = "lessons.jsonl";
const ARCHIVE: &str = "lessons-archive.jsonl";
const EPISODES: &str = "episodes.jsonl";
const GLOBAL_LESSONS: &str = "global-lessons.jsonl";
const GLOBAL_ARCHIVE: &str = "global-lessons-archive.jsonl";
/// Numbers of shelves.
const OWN: usize = 0;
const GLOBAL: usize = 2;

/// An `.openagents` folder.
pub struct OpenagentsLayout {
    /// The folder of the project, as new records name it.
    root: String,
}

impl Layout for OpenagentsLayout {
    type Record = OpenagentsLesson;
    type Side = ForeignFile<OpenagentsEpisode>;

    const WORD: &'static str = "openagents";
    const POLICY: &'static str = "archivist";
    const SHELVES: &'static [Shelf] = &[
        Shelf { archive: Some(1), ..Shelf::lines(LESSONS) },
        Shelf { is_archive: true, ..Shelf::lines(ARCHIVE) },
        Shelf { owner: Owner::User, archive: Some(3), ..Shelf::lines(GLOBAL_LESSONS) },
        Shelf { owner: Owner::User, is_archive: true, ..Shelf::lines(GLOBAL_ARCHIVE) },
    ];
    const SIDE: &'static [&'static str] = &[EPISODES];
    const JOURNAL: &'static str = "hardwon.jsonl";
    const LOCK: &'static str = LESSONS;
    const BESIDE: &'static [&'static str] = &shipped::FILES;
    const TEXT_FIELD: &'static str = "summary";

    /// An `.openagents` folder, the one in a folder, or the folder of the files itself.
    fn place(path: &Path, homes: &Homes) -> Place {
        let holds_files = |path: &Path| [LESSONS, EPISODES].iter().any(|n| path.join(n).is_file());
        let above = folder_with_memory(path, NAME, holds_files);
        let memory = if is_named(&above) { above.join(MEMORY) } else { above.clone() };
        Place {
            base: Folder::new(above),
            files: Folder::new(memory),
            of_user: homes.user.as_ref().map(|home| Folder::new(home.join(NAME).join(MEMORY))),
            journal: None,
        }
    }

    fn is_at(path: &Path) -> bool {
        let Place { base, files, .. } = Self::place(path, &Homes::default());
        (is_named(base.base()) && base.base().exists())
            || [EPISODES, ARCHIVE].iter().any(|name| files.path(name).exists())
            || shipped::FILES.iter().any(|name| base.path(name).exists())
    }

    fn settings(place: &Place) -> Option<ForeignSettings> {
        project::settings(place.base.base())
    }

    fn new(place: &Place) -> Self {
        let above = place.base.base();
        let root = if is_named(above) { above.parent().unwrap_or(above) } else { above };
        let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        OpenagentsLayout { root: root.display().to_string() }
    }

    fn read(label: &str, bytes: &[u8]) -> (ForeignFile<OpenagentsLesson>, Vec<Problem>) {
        openagents_lessons(label, bytes)
    }

    fn read_side(files: &Files) -> (Self::Side, Vec<Problem>) {
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

    fn said(record: &OpenagentsLesson) -> Said<'_> {
        Said {
            id: &record.id,
            text: &record.summary,
            superseded_by: record.superseded_by.as_deref(),
        }
    }

    fn lesson(entry: &Entry<'_, Self>) -> Lesson {
        translate::lesson(entry)
    }

    fn compared(
        entry: &Entry<'_, Self>,
        stated: &Lesson,
        lesson: &Lesson,
    ) -> (OpenagentsLesson, OpenagentsLesson) {
        let record = entry.record;
        let of = |lesson: &Lesson, status| OpenagentsLesson {
            evidence: record.evidence.clone(),
            superseded_by: record.superseded_by.clone(),
            status,
            ..record_of(lesson, importance_scale(record.importance))
        };
        let from = of(stated, record.status.clone());
        // Its first author and time do not change.
        let (id, created_at, source) = (from.id.clone(), from.created_at, from.source.clone());
        let to = of(lesson, next_status(record.status.as_deref(), lesson));
        let to = OpenagentsLesson { id, created_at, source, ..to };
        (from, to)
    }

    fn differing(theirs: &OpenagentsLesson, ours: &OpenagentsLesson) -> Differing {
        Differing {
            text: theirs.summary != ours.summary,
            kind: theirs.category != ours.category,
            severity: theirs.importance != ours.importance,
            scope: scope_of(theirs) != scope_of(ours),
            tags: theirs.tags != ours.tags,
        }
    }

    fn adopt(
        entry: &Entry<'_, Self>,
        theirs: &OpenagentsLesson,
        ours: &OpenagentsLesson,
        stated: Lesson,
        next: &mut Lesson,
    ) {
        if (&theirs.rule, &theirs.detail) != (&ours.rule, &ours.detail) {
            let Guidance { applies_when, repair, wordings, .. } =
                std::mem::take(&mut next.guidance);
            next.guidance = Guidance { applies_when, repair, wordings, ..stated.guidance };
        }
        let n_more = stated.n_sightings.saturating_sub(next.n_sightings);
        next.n_sightings += n_more;
        next.standing = next.standing.saturating_add(n_more);
        next.upkeep.used_at = next.upkeep.used_at.max(stated.upkeep.used_at);
        next.state = adopted_state(next, stated.state, entry.shelf);
    }

    /// A line that commands its reader: the files come with the repository, so whoever can
    /// change that could put words into every prompt. What a person wrote into the global
    /// file comes with no repository.
    fn refuses(entry: &Entry<'_, Self>) -> Option<String> {
        let Entry { context, shelf, record, .. } = entry;
        if shelf.is_of_user() && record.source == MANUAL {
            return None;
        }
        let prose = [&record.rule, &record.detail, &record.applies_when];
        let optional = prose.into_iter().chain(scope_of(record)).flatten();
        let always = [&record.summary, &record.category, &record.source];
        let mut shown = optional.chain(always).chain(&record.tags);
        let gives_orders = shown.any(|text| context.gate.gives_orders(text));
        gives_orders.then(|| format!("{}; kept in the file, not used", Refusal::GivesOrders))
    }

    fn shelf_of(lesson: &Lesson) -> Option<usize> {
        let shelf = if lesson.project.is_none() { GLOBAL } else { OWN };
        lesson.state.is_on_ladder().then_some(shelf)
    }

    fn is_id(alias: &str) -> bool {
        translate::is_own(alias)
    }

    fn namer(batch: &Batch, _: &Rows<Self>, _: &Tables) -> Namer {
        translate::namer(batch)
    }

    fn patched(
        writing: &Writing<'_, Self>,
        entry: &Entry<'_, Self>,
        from: &OpenagentsLesson,
        to: OpenagentsLesson,
        lesson: &Lesson,
    ) -> Vec<u8> {
        let to = evidence::extended(writing, entry.record, to, lesson);
        render::patched_lesson(entry.raw, from, &to)
    }

    fn kept(writing: &Writing<'_, Self>, entry: &Entry<'_, Self>, lesson: &Lesson) -> Vec<u8> {
        let now = writing.updated(entry, lesson);
        match evidence::uses(writing, lesson, entry.record) {
            Some((n_uses, at)) => render::used(&now, entry.record.usage_count + n_uses, at),
            None => now,
        }
    }

    fn new_record(writing: &Writing<'_, Self>, lesson: &Lesson, shelf: &Shelf) -> Vec<u8> {
        let index = if shelf.is_of_user() { GLOBAL } else { OWN };
        let records = writing.rows.shelves[index].lines.iter().filter_map(|l| l.record.as_ref());
        // The factor of the importance is that of the lines that are there.
        let scale = records.map(|r| importance_scale(r.importance)).fold(1.0, f64::max);
        let project_root = lesson.project.is_some().then(|| writing.layout.root.clone());
        let record = OpenagentsLesson { project_root, ..record_of(lesson, scale) };
        render::lesson_line(&evidence::completed(writing, record, lesson)).into_bytes()
    }

    fn take_runs(news: &mut News<'_, Self>) {
        episodes::take(news);
    }

    fn take_rest(news: &mut News<'_, Self>) {
        evidence::witness(news);
    }

    fn side_writes(writing: &Writing<'_, Self>, _: &[FileWrite]) -> Vec<FileWrite> {
        episodes::writes(writing)
    }

    fn hold_beside(&self, context: &Context<'_>, beside: &Beside, held: &mut Held) {
        shipped::hold(beside, context, held);
    }
}

fn is_named(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == NAME)
}
