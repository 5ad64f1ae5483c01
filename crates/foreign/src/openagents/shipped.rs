//! What OpenAgents shipped in place of its Archivist's specification: lessons of a
//! benchmark and a stream of memories. They are read for an import only; nothing writes
//! them.

use hardwon_core::change::Tables;
use hardwon_core::foreign::OpenagentsLesson;
use hardwon_core::ids::LessonId;
use hardwon_core::run::Run;
use hardwon_readers::{OpenagentsMemory, openagents_memories, openagents_shipped_lessons};

use super::episodes::{Sessions, episode_run};
use super::{OWN, OpenagentsLayout, translate};
use crate::store::layout::{Beside, Context, Layout};
use crate::store::n_unusable;
use crate::{Folder, FolderError};

const LESSONS: &str = "archivist/lessons.jsonl";
const MEMORIES: &str = "memories.jsonl";
/// Below `.openagents`.
pub(super) const FILES: [&str; 2] = [LESSONS, MEMORIES];

/// Reads the shipped files that lie beside the memory.
pub(super) fn read(
    above: &Folder,
    context: &Context<'_>,
    tables: &Tables,
) -> Result<Beside, FolderError> {
    let bytes = |name: &str| above.read(name).map(Option::unwrap_or_default);
    let (lessons, problems) = openagents_shipped_lessons(LESSONS, &bytes(LESSONS)?);
    let (memories, more) = openagents_memories(MEMORIES, &bytes(MEMORIES)?);
    let mut beside = Beside {
        problems: problems.into_iter().chain(more).collect(),
        n_unusable: n_unusable(&lessons) + n_unusable(&memories),
        ..Beside::default()
    };
    for line in lessons.lines {
        if let Some(record) = line.record {
            take(&mut beside, context, tables, &record, line.raw);
        }
    }
    for line in memories.lines {
        match line.record {
            Some(OpenagentsMemory::Lesson(record)) => {
                take(&mut beside, context, tables, &record, line.raw);
            }
            Some(OpenagentsMemory::Episode(record)) => {
                // Episodic memories: what happened, not what was learned.
                let run = episode_run(context, &record, &Sessions::new());
                let is_known = |run: &Run| beside.runs.iter().any(|known| known.id == run.id);
                let new = run.filter(|run| !is_known(run));
                beside.runs.extend(new);
            }
            None => {}
        }
    }
    Ok(beside)
}

fn take(
    beside: &mut Beside,
    context: &Context<'_>,
    tables: &Tables,
    record: &OpenagentsLesson,
    raw: Vec<u8>,
) {
    let is_taken =
        |id: &LessonId| tables.lessons.contains_key(id) || beside.records.contains_key(id);
    // Never one of the project's own lines, so an id that is taken is another lesson's.
    let shelf = &OpenagentsLayout::SHELVES[OWN];
    if let Some(lesson) = translate::stated_lesson(context, record, shelf, is_taken) {
        beside.records.insert(lesson.id.clone(), raw);
        beside.lessons.push(lesson);
    }
}
