//! What would another policy have made of the same history? The recorded operations are
//! followed one by one in a memory that is thrown away. Nothing is called, nothing is
//! written, and what an agent would have done with another block is not known.

mod follow;

use std::collections::BTreeSet;

use hardwon_core::change::{Change, Operation, standing};
use hardwon_core::ids::LessonId;
use hardwon_core::policy::Policy;
use hardwon_render::answer::{Answer, Replayed, Story};
use hardwon_store::JournalQuery;

use crate::blocks::inject::is_whole_need;
use crate::call::Call;
use crate::error::EngineError;
use crate::memory::Memory;
use crate::{lookup, open, policy};
use follow::Follower;

/// Recorded history under another policy, beside what happened; under the policy in
/// force if none is named.
pub fn replay(
    memory: &Memory,
    call: &Call,
    name: Option<&str>,
) -> Result<Answer<Replayed>, EngineError> {
    let policy = policy_for_replay(memory, name)?;
    let operations = read_standing(memory, call)?;
    let mut follower = Follower::new(memory, call, policy.clone());
    for operation in &operations {
        follower.follow(operation)?;
    }
    let there = follower.engine();
    let again = read_standing(&there.memory, &there.call)?;
    let (was, would) = (Story::of(own_changes(&operations)), Story::of(own_changes(&again)));
    let (was_shown, would_be) =
        (texts(memory, call, &was.shown)?, texts(&there.memory, &there.call, &would.shown)?);
    let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect();
    let replayed = Replayed {
        policy: policy.name,
        n_runs: follower.n_runs(),
        happened: was.counts,
        replayed: would.counts,
        only_happened: only(&was_shown, &would_be),
        only_replayed: only(&would_be, &was_shown),
        notes: vec![Replayed::NOTE.to_owned()],
    };
    let is_empty = operations.is_empty();
    let problems = Replayed::problems(n_unlike(memory, &operations), follower.n_erased());
    Ok(Answer::of(replayed, problems).or_empty(is_empty))
}

fn own_changes(operations: &[Operation]) -> impl Iterator<Item = &Change> {
    operations.iter().filter(|operation| operation.is_own).flat_map(|operation| &operation.changes)
}

/// Blocks that were asked for with more than is recorded of their need.
fn n_unlike(memory: &Memory, operations: &[Operation]) -> usize {
    let injections = own_changes(operations).filter_map(|change| {
        let Change::AddInjection { injection } = change else { return None };
        Some(injection)
    });
    injections.filter(|injection| !is_whole_need(memory, injection)).count()
}

fn policy_for_replay(memory: &Memory, name: Option<&str>) -> Result<Policy, EngineError> {
    let Some(name) = name else { return Ok(memory.policy.clone()) };
    let mut policy = policy::load(name)?;
    // A budget that is set holds under every policy.
    open::apply_to_policy(&memory.settings, &mut policy);
    Ok(policy)
}

/// Operations that were not undone, in order.
fn read_standing(memory: &Memory, call: &Call) -> Result<Vec<Operation>, EngineError> {
    let entries = memory.store.journal(&call.project, &JournalQuery::default())?;
    Ok(standing(entries, &call.project))
}

/// The texts of these lessons, as far as they are still known.
fn texts(
    memory: &Memory,
    call: &Call,
    ids: &BTreeSet<LessonId>,
) -> Result<BTreeSet<String>, EngineError> {
    let lessons = lookup::lessons_with(memory, &call.project, ids.iter().cloned().collect())?;
    Ok(lessons.iter().filter_map(|lesson| lesson.text.body().map(str::to_owned)).collect())
}
