//! The line of those that wait. Every page says how long it is, so it is kept, and brought up to
//! date by what the journal says was touched since: reading all that wait takes a while.

use std::collections::BTreeSet;
use std::sync::Arc;

use hardwon_core::ids::{LessonId, OperationId};
use hardwon_core::lesson::Lesson;
use hardwon_core::lifecycle::{self, Waiting};
use hardwon_render::answer::Named;
use hardwon_store::{JournalQuery, LessonQuery, Pick, each_page};

use crate::kept::{Line, Waits};
use crate::lookup;
use crate::memory::{Call, EngineError, Memory, Result};

/// Among how many of the newest entries one of the project itself is looked for.
const N_LOOKED_AT: usize = 20;

/// How many entries of the journal are looked at, before reading all that wait is less work.
const N_NEWS: usize = 500;

/// All that wait, the most urgent first. Every page says how many they are.
pub(super) fn in_line(memory: &Memory, call: &Call, is_team: bool) -> Result<Arc<[Waits]>> {
    let now = memory.store.revision(&call.project)?;
    let key = (call.project.clone(), is_team);
    let before = memory.kept.line.last(&key);
    let line = memory.kept.line.get(key, now, || {
        // Before anything else is read: what comes meanwhile is looked at again.
        let until = newest_operation(memory, call)?;
        let changed = match &before {
            Some(line) => changed_since(memory, call, line.until)?,
            None => None,
        };
        let mut waits: Vec<Waits> = match (&before, changed) {
            (Some(line), Some(changed)) => {
                brought_up_to_date(memory, call, is_team, line, changed)?
            }
            _ => read_line(memory, call, is_team)?,
        };
        waits.sort_by(|a, b| {
            (a.waits, a.deadline, &a.lesson.id).cmp(&(b.waits, b.deadline, &b.lesson.id))
        });
        Ok::<_, EngineError>(Line { until, waits: waits.into() })
    })?;
    Ok(line.waits)
}

fn newest_operation(memory: &Memory, call: &Call) -> Result<Option<OperationId>> {
    let query = JournalQuery {
        only_memory: true,
        newest_first: true,
        limit: Some(N_LOOKED_AT),
        ..JournalQuery::default()
    };
    let newest = memory.store.journal(&call.project, &query)?;
    let own = newest.iter().find(|entry| entry.project == call.project);
    Ok(own.map(|entry| entry.operation))
}

/// The lessons that were touched since; nothing if there is too much to look at, or if the journal
/// does not say what happened: a store that was rebuilt or put back.
fn changed_since(
    memory: &Memory,
    call: &Call,
    after: Option<OperationId>,
) -> Result<Option<BTreeSet<LessonId>>> {
    if after.is_none() {
        return Ok(None);
    }
    let limit = Some(N_NEWS);
    let query = JournalQuery { after, only_memory: true, limit, ..JournalQuery::default() };
    let entries = memory.store.journal(&call.project, &query)?;
    let is_all = !entries.is_empty() && entries.len() < N_NEWS;
    let touched = entries.iter().filter_map(|entry| entry.change.lesson().cloned());
    Ok(is_all.then(|| touched.collect()))
}

/// The line as it was, with the lessons that were touched looked at anew.
fn brought_up_to_date(
    memory: &Memory,
    call: &Call,
    is_team: bool,
    line: &Line,
    changed: BTreeSet<LessonId>,
) -> Result<Vec<Waits>> {
    let is_left = |waits: &&Waits| !changed.contains(&waits.lesson.id.0);
    let mut waits: Vec<Waits> = line.waits.iter().filter(is_left).cloned().collect();
    let ids = changed.iter().cloned().collect();
    for lesson in lookup::lessons_with(memory, &call.project, ids)? {
        let reason = lifecycle::waiting(&lesson, &memory.policy, is_team);
        waits.extend(reason.map(|reason| in_place(memory, lesson, reason)));
    }
    Ok(waits)
}

fn read_line(memory: &Memory, call: &Call, is_team: bool) -> Result<Vec<Waits>> {
    // A team is asked about every new one.
    let n_helped = memory.policy.review.canonical_at_helped;
    let waits_anyway = is_team || n_helped == 0;
    let pick = if waits_anyway { Pick::All } else { Pick::Waiting { n_helped } };
    let query = LessonQuery { pick, ..LessonQuery::not_put_away() };
    let mut line = Vec::new();
    each_page(&*memory.store, &call.project, query, &mut |page| -> Result<bool> {
        for lesson in page {
            let reason = lifecycle::waiting(&lesson, &memory.policy, is_team);
            line.extend(reason.map(|reason| in_place(memory, lesson, reason)));
        }
        Ok(true)
    })?;
    Ok(line)
}

fn in_place(memory: &Memory, lesson: Lesson, waits: Waiting) -> Waits {
    let deadline = lifecycle::deadline(&lesson, &memory.policy);
    Waits { waits, deadline, lesson: Named::new(lesson.id, lesson.text.as_str()) }
}
