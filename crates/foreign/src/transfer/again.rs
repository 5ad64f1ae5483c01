//! What is known here of a folder that is imported again.

use std::collections::BTreeSet;

use hardwon_core::change::Change;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::time::Timestamp;
use hardwon_core::transfer::again::{self, Again, BroughtUp, Decided, Earlier};
use hardwon_engine::{Call, Memory, Result};
use hardwon_render::answer::Imported;
use hardwon_store::{FindingQuery, LessonQuery};

use crate::system::System;

/// The lessons that came from a folder, by the name that its ids have here.
pub(super) fn earlier(
    memory: &Memory,
    call: &Call,
    system: &dyn System,
    folder_name: &str,
) -> Result<Vec<Earlier>> {
    let mut lessons = memory.store.lessons(&call.project, &LessonQuery::default())?;
    let is_named = |alias: &String| alias.rsplit_once('@').is_some_and(|(_, f)| f == folder_name);
    lessons.retain(|lesson| lesson.aliases.iter().any(is_named));
    let with_base = |lesson: Lesson| {
        let base = base_of(system, &lesson)?;
        Ok(Earlier { lesson, base })
    };
    lessons.into_iter().map(with_base).collect()
}

/// A lesson that is here, as its record stated it when it was imported last.
pub(super) fn base_of(system: &dyn System, lesson: &Lesson) -> Result<Option<Lesson>> {
    let extra = lesson.extra.as_ref().and_then(|extra| extra.body());
    let record = extra.and_then(|extra| extra.strip_prefix(system.word())?.strip_prefix(':'));
    record.map_or(Ok(None), |record| system.stated(record))
}

/// In how many runs after that moment a lesson was seen here.
fn n_seen_after(memory: &Memory, call: &Call, lesson: &Lesson, after: Timestamp) -> Result<u32> {
    let query = FindingQuery::OfLesson(lesson.id.clone());
    let findings = memory.store.findings(&call.project, &query)?;
    let sightings = findings.into_iter().filter(|finding| finding.is_sighting);
    let roots: BTreeSet<RunId> = sightings.map(|finding| finding.root).collect();
    let mut n_seen = 0;
    for root in roots {
        let tree = memory.store.tree(&call.project, &root)?;
        let run = tree.runs.into_iter().find(|run| run.id == root);
        let ended = run.and_then(|run| run.finished.or(run.started));
        n_seen += u32::from(ended.is_some_and(|ended| ended > after));
    }
    Ok(n_seen)
}

/// A lesson that is here, brought up to what its folder says now.
pub(super) fn brought_up(
    memory: &Memory,
    call: &Call,
    earlier: &Earlier,
    theirs: &Lesson,
) -> Result<BroughtUp> {
    let n_only_here = n_seen_after(memory, call, &earlier.lesson, theirs.updated_at)?;
    Ok(again::brought_up(&Again { earlier, theirs, n_only_here }))
}

/// The change of a lesson that was imported again, with its reason.
pub(super) fn change(
    earlier: &Earlier,
    now: &BroughtUp,
    system: &str,
    because: &str,
    imported: &mut Imported,
) -> Option<Change> {
    let id = &earlier.lesson.id;
    let because = match now.decided {
        Some(Decided::PutAway(state)) => {
            imported.put_away.push(id.clone().into());
            match state {
                State::Decayed => format!("decayed in {system}; {because}"),
                _ => format!("forgotten in {system}; {because}"),
            }
        }
        Some(Decided::KeptHere) => {
            imported.kept.push(id.clone().into());
            because.to_owned()
        }
        Some(Decided::BroughtBack) => format!("brought back in {system}; {because}"),
        None => because.to_owned(),
    };
    Change::edit_lesson(&earlier.lesson, &now.lesson, &because)
}

/// Lessons of a folder that have no record there any more.
pub(super) fn gone(
    gone: &[&Earlier],
    system: &str,
    because: &str,
    imported: &mut Imported,
) -> Vec<Change> {
    let put_away =
        |earlier: &&Earlier| change(earlier, &again::gone(earlier), system, because, imported);
    gone.iter().filter_map(put_away).collect()
}
