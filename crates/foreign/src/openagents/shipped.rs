//! What OpenAgents shipped in place of its Archivist's specification: lessons of a
//! benchmark and a stream of memories. They are read for an import only; nothing writes
//! them.

use std::collections::BTreeMap;

use hardwon_core::event::Problem;
use hardwon_core::foreign::{ForeignFile, OpenagentsEpisode, OpenagentsLesson};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;
use hardwon_readers::{OpenagentsMemory, openagents_memories, openagents_shipped_lessons};
use hardwon_store::StoreError;

use super::OpenagentsStore;
use super::episodes::Sessions;
use super::files::Shelf;

const LESSONS: &str = "archivist/lessons.jsonl";
const MEMORIES: &str = "memories.jsonl";
/// Below `.openagents`.
pub(super) const FILES: [&str; 2] = [LESSONS, MEMORIES];

/// What the shipped files say, as ours.
#[derive(Debug, Default)]
pub struct Shipped {
    pub lessons: Vec<Lesson>,
    /// The line of each lesson.
    pub records: BTreeMap<LessonId, Vec<u8>>,
    /// Episodic memories: what happened, not what was learned.
    pub runs: Vec<Run>,
    pub problems: Vec<Problem>,
    /// Lines that could not be used.
    pub n_unusable: usize,
}

impl OpenagentsStore {
    /// Reads the shipped files that lie beside the memory.
    pub fn shipped(&self) -> Result<Shipped, StoreError> {
        let bytes = |name: &str| {
            let read = self.place.above.read(name);
            read.map(Option::unwrap_or_default).map_err(|error| self.trouble(error))
        };
        let mut shipped = Shipped::default();
        let (lessons, problems) = openagents_shipped_lessons(LESSONS, &bytes(LESSONS)?);
        shipped.problems.extend(problems);
        shipped.n_unusable += n_unusable(&lessons);
        for line in lessons.lines {
            if let Some(record) = line.record {
                self.take(&mut shipped, &record, line.raw);
            }
        }
        let (memories, problems) = openagents_memories(MEMORIES, &bytes(MEMORIES)?);
        shipped.problems.extend(problems);
        shipped.n_unusable += n_unusable(&memories);
        for line in memories.lines {
            match line.record {
                Some(OpenagentsMemory::Lesson(record)) => {
                    self.take(&mut shipped, &record, line.raw);
                }
                Some(OpenagentsMemory::Episode(record)) => self.take_run(&mut shipped, &record),
                None => {}
            }
        }
        Ok(shipped)
    }

    fn take(&self, shipped: &mut Shipped, record: &OpenagentsLesson, raw: Vec<u8>) {
        let is_taken =
            |id: &LessonId| self.lesson(id).is_some() || shipped.records.contains_key(id);
        // Never one of the project's own lines, so an id that is taken is another lesson's.
        if let Some(lesson) = self.translator().lesson(record, Shelf::Lessons, is_taken) {
            shipped.records.insert(lesson.id.clone(), raw);
            shipped.lessons.push(lesson);
        }
    }

    fn take_run(&self, shipped: &mut Shipped, record: &OpenagentsEpisode) {
        let run = self.translator().episode_run(record, &Sessions::new());
        let is_known = |run: &Run| shipped.runs.iter().any(|known| known.id == run.id);
        shipped.runs.extend(run.filter(|run| !is_known(run)));
    }
}

fn n_unusable<T>(file: &ForeignFile<T>) -> usize {
    let is_lost = |line: &&hardwon_core::foreign::ForeignLine<T>| {
        line.record.is_none() && !line.raw.trim_ascii().is_empty()
    };
    file.lines.iter().filter(is_lost).count()
}
