//! What OpenAgents shipped in place of its Archivist's specification: lessons of a
//! benchmark and a stream of memories. They are read for an import only, never written.

use std::collections::BTreeSet;

use hardwon_core::foreign::OpenagentsLesson;
use hardwon_core::ids::LessonId;
use hardwon_readers::{OpenagentsMemory, openagents_memories, openagents_shipped_lessons};

use super::episodes::Episodes;
use super::{OWN, OpenagentsLayout};
use crate::store::layout::Layout;
use crate::store::layout::entry::{Context, Entry};
use crate::store::{Beside, Held, n_unusable};

const LESSONS: &str = "archivist/lessons.jsonl";
const MEMORIES: &str = "memories.jsonl";
/// Below `.openagents`.
pub(super) const FILES: [&str; 2] = [LESSONS, MEMORIES];

/// Adds the shipped files that lie beside the memory.
pub(super) fn hold(beside: &Beside, context: &Context<'_>, held: &mut Held) {
    let bytes = |name: &str| beside.get(name).map_or(&[][..], Vec::as_slice);
    let (lessons, problems) = openagents_shipped_lessons(LESSONS, bytes(LESSONS));
    let (memories, more) = openagents_memories(MEMORIES, bytes(MEMORIES));
    held.problems.extend(problems.into_iter().chain(more));
    held.n_unusable += n_unusable(&lessons) + n_unusable(&memories);
    let mut taken = held.holdings.lessons.iter().map(|lesson| lesson.id.clone()).collect();
    let episodes = Episodes::without_sessions(context);
    let lessons = lessons.lines.into_iter();
    let lessons = lessons.map(|line| (line.raw, line.record.map(OpenagentsMemory::Lesson)));
    let memories = memories.lines.into_iter().map(|line| (line.raw, line.record));
    for (raw, record) in lessons.chain(memories) {
        match record {
            Some(OpenagentsMemory::Lesson(record)) => {
                hold_lesson(held, context, &mut taken, &record, raw);
            }
            // Episodic memories: what happened, not what was learned.
            Some(OpenagentsMemory::Episode(record)) => {
                let runs = &mut held.holdings.runs;
                let run = episodes.run(&record);
                runs.extend(run.filter(|run| runs.iter().all(|known| known.id != run.id)));
            }
            None => {}
        }
    }
}

/// Never one of the project's own lines, so an id that is taken is another lesson's.
fn hold_lesson(
    held: &mut Held,
    context: &Context<'_>,
    taken: &mut BTreeSet<LessonId>,
    record: &OpenagentsLesson,
    raw: Vec<u8>,
) {
    let shelf = &OpenagentsLayout::SHELVES[OWN];
    let entry = Entry::<OpenagentsLayout> { context, shelf, raw: &raw, record };
    if let Some(lesson) = entry.lesson(|id| taken.contains(id)) {
        taken.insert(lesson.id.clone());
        held.records.insert(lesson.id.clone(), raw);
        held.holdings.lessons.push(lesson);
    }
}
