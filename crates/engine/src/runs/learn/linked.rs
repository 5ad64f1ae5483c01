//! Sessions that share messages become one conversation: a copy is learned as part of the session that
//! was there first, and two that were counted apart before anybody knew are counted as one from then
//! on.

use std::collections::BTreeSet;

use hardwon_core::change::Change;
use hardwon_core::conversation::{Join, Known, link};
use hardwon_core::credit;
use hardwon_core::effect::Effect;
use hardwon_core::event::Record;
use hardwon_core::finding::Finding;
use hardwon_core::ids::LessonId;
use hardwon_core::learn::counted_once;
use hardwon_core::lifecycle;
use hardwon_core::run::{Run, RunKind};
use hardwon_core::time::{MS_PER_DAY, Timestamp};
use hardwon_store::{ProjectStatus, RunQuery, Tree};

use crate::lookup;
use crate::memory::{Call, Memory, Result};
use crate::write::{Command, write};

/// Sessions that began longer before are not looked at: a copy has the time of what it copies.
const MAX_DAYS_BETWEEN: i64 = 30;

/// Puts each session into its conversation and takes out of it what others of that showed before.
/// Says which root runs are one by now.
pub(super) fn linked(memory: &Memory, call: &Call, records: &mut [Record]) -> Result<Vec<Join>> {
    if records.iter().all(|record| record.messages.is_empty()) {
        return Ok(Vec::new());
    }
    Ok(link(known(memory, call, records)?, records))
}

/// Makes root runs one.
pub(super) fn join(memory: &mut Memory, call: &Call, joins: &[Join]) -> Result<()> {
    for join in joins {
        write(memory, call, &Command::new("learn"), &mut |memory, status| {
            joined(memory, call, status, join).map(|changes| (changes, ()))
        })?;
    }
    Ok(())
}

/// Sessions of about that time, the first learned first.
fn known(memory: &Memory, call: &Call, records: &[Record]) -> Result<Vec<Known>> {
    let first = records.iter().map(Record::started).min().flatten();
    let since = first.map(|at| Timestamp(at.0 - MAX_DAYS_BETWEEN * MS_PER_DAY));
    let kind = Some(RunKind::Session);
    let mut runs =
        memory.store.runs(&call.project, &RunQuery { kind, since, ..RunQuery::default() })?;
    runs.retain(|run| run.is_learned);
    runs.sort_by(|a, b| (a.number, a.recorded_at, &a.id).cmp(&(b.number, b.recorded_at, &b.id)));
    let known = |run: Run| Known { run: run.id, root: run.root, messages: run.episode.messages };
    Ok(runs.into_iter().map(known).collect())
}

/// What makes two root runs one: the runs of the first below the second, and each lesson that both
/// count, counted once.
fn joined(
    memory: &Memory,
    call: &Call,
    status: &ProjectStatus,
    Join { root, into }: &Join,
) -> Result<Vec<Change>> {
    let (tree, whole) =
        (memory.store.tree(&call.project, root)?, memory.store.tree(&call.project, into)?);
    let Some(top) = whole.runs.iter().find(|run| run.id == *into) else { return Ok(Vec::new()) };
    let mut changes = Vec::new();
    for run in tree.runs.iter().filter(|run| run.root == *root) {
        let parent = if run.id == *root { Some(into.clone()) } else { run.parent.clone() };
        let after = Run { parent, root: into.clone(), number: top.number, ..run.clone() };
        changes.push(Change::EditRun { before: Box::new(run.clone()), after: Box::new(after) });
    }
    for finding in &tree.findings {
        let after = Finding { root: into.clone(), ..finding.clone() };
        let (before, after) = (Box::new(finding.clone()), Box::new(after));
        changes.push(Change::EditFinding { before, after });
    }
    let twice: BTreeSet<LessonId> = seen(&tree).intersection(&seen(&whole)).cloned().collect();
    let is_there =
        |effect: &&Effect| whole.effects.iter().any(|other| other.lesson == effect.lesson);
    for effect in &tree.effects {
        changes.push(Change::RemoveEffect { effect: effect.clone() });
        if !is_there(&effect) {
            let run_number = top.number.unwrap_or(effect.run_number);
            let effect = Effect { root: into.clone(), run_number, ..effect.clone() };
            changes.push(Change::AddEffect { effect });
        }
    }
    let dropped = tree.effects.iter().filter(is_there).map(|effect| effect.lesson.clone());
    let ids: BTreeSet<LessonId> = twice.iter().cloned().chain(dropped).collect();
    let ids: Vec<LessonId> = ids.into_iter().collect();
    let effects = memory.store.effects(&call.project, &ids)?;
    let policy = &memory.policy;
    for lesson in lookup::lessons_with(memory, &call.project, ids)? {
        let because = format!("{root} and {into} are one conversation, counted once");
        let own = effects.iter().filter(|(project, effect)| {
            effect.lesson == lesson.id && !(*project == call.project && effect.root == *root)
        });
        let own: Vec<&Effect> = own.map(|(_, effect)| effect).collect();
        let latest = (into, top.number.unwrap_or(status.run_number));
        let after = credit::credited(&lesson, &own, latest, call.now, &policy.credit);
        let after = if twice.contains(&lesson.id) {
            counted_once(&after, &policy.promotion)
        } else {
            after
        };
        changes.extend(Change::edit_lesson(&lesson, &after, &because));
        let now = lifecycle::Present { at: call.now, run_number: status.run_number };
        if let Some(step) = lifecycle::recounted(&after, &because, &policy.promotion) {
            let fallen = lifecycle::entered(&after, &step, now, &policy.review);
            changes.extend(Change::edit_lesson(&after, &fallen, &step.reason));
        }
    }
    Ok(changes)
}

/// Lessons that were seen in a root run.
fn seen(tree: &Tree) -> BTreeSet<LessonId> {
    let sightings = tree.findings.iter().filter(|finding| finding.is_sighting);
    sightings.filter_map(|finding| finding.lesson.clone()).collect()
}
