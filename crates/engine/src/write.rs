//! The one way from a decision to the store: wait for one's turn, read, decide, write what was
//! expected to be there still; if another process wrote in between, decide again.

use hardwon_core::change::{Batch, Change, OperationHead};
use hardwon_core::ids::OperationId;
use hardwon_core::lifecycle::Present;
use hardwon_core::project::Reason;
use hardwon_core::reflect::Scenario;
use hardwon_store::checkout::Repository;
use hardwon_store::{ProjectStatus, StoreError};

use crate::described::{described, edit};
use crate::events;
use crate::identity::Identity;
use crate::memory::{Call, Memory, Result};
use crate::seat;

/// How often a decision is made anew before giving up. Only where processes cannot take turns;
/// each time another one has made progress.
const MAX_TRIES: u32 = 1000;

/// A command that writes: its name in the journal, and the operation it goes on with.
#[derive(Clone, Debug)]
pub struct Command<'a> {
    pub name: &'a str,
    pub continues: Option<OperationId>,
    pub undoes: Option<OperationId>,
    /// What caused it, for listeners.
    pub scenario: Option<Scenario>,
}

/// What is to be written, and what else was decided.
pub type Decision<T> = Result<(Vec<Change>, T)>;

/// The operation it became, if anything was written, and what was decided.
pub type Written<T> = (Option<OperationId>, T);

impl<'a> Command<'a> {
    pub fn new(name: &'a str) -> Self {
        Command { name, continues: None, undoes: None, scenario: None }
    }
}

/// Decides and writes. `decide` sees a consistent store and may be called again
/// if that store changed before the write; it must have no effect of its own.
pub fn write<T>(
    memory: &mut Memory,
    call: &Call,
    command: &Command<'_>,
    decide: &mut dyn FnMut(&Memory, &ProjectStatus) -> Decision<T>,
) -> Result<Written<T>> {
    for _ in 0..MAX_TRIES {
        let turn = memory.store.take_turn()?;
        let status = memory.store.status(&call.project)?;
        seat::recheck(memory, call)?;
        let (changes, decided) = decide(memory, &status)?;
        if changes.is_empty() {
            return Ok((command.continues, decided));
        }
        if is_pending(memory, call) {
            // An operation of its own: undoing this one must not part the checkout.
            join(memory, call)?;
            continue;
        }
        let batch = batch(call, command, changes);
        match memory.store.apply(&batch, Some(status.revision)) {
            Ok(operation) => {
                drop(turn);
                // What is undone was announced already.
                if command.undoes.is_none() {
                    events::tell_changes(memory, call, &batch.changes, command.scenario);
                }
                return Ok((Some(operation), decided));
            }
            Err(StoreError::Conflict) => continue,
            Err(error) => return Err(error.into()),
        }
    }
    Err(StoreError::Conflict.into())
}

pub fn batch(call: &Call, command: &Command<'_>, changes: Vec<Change>) -> Batch {
    Batch {
        project: call.project.clone(),
        head: OperationHead {
            command: command.name.to_owned(),
            actor: call.actor.clone(),
            at: call.now,
            undoes: command.undoes,
        },
        continues: command.continues,
        changes,
    }
}

pub fn present(call: &Call, status: &ProjectStatus) -> Present {
    Present { at: call.now, run_number: status.run_number }
}

/// Whether the next write has to note something about the checkout first.
pub(crate) fn is_pending(memory: &Memory, call: &Call) -> bool {
    call.identity.is_pending && !memory.joined.contains(&call.project)
}

/// Joins the checkout to its project.
pub(crate) fn join(memory: &mut Memory, call: &Call) -> Result<()> {
    memory.joined.insert(call.project.clone());
    let Identity { reason, seen, .. } = &call.identity;
    let Some(seen) = seen else { return Ok(()) };
    let checkout = seen.marked(&call.project, reason);
    let lineage = seen.repository.as_ref().and_then(Repository::lineage);
    write(memory, call, &Command::new("join"), &mut |memory, _| {
        let before = described(memory, &call.project)?;
        let mut after = before.clone().with(checkout.clone());
        if let Reason::Moved { from } = reason {
            after = after.without(from);
        }
        after.lineage = after.lineage.or_else(|| lineage.clone());
        after.name = after.name.or_else(|| seen.name.clone());
        Ok((edit(before, after).into_iter().collect(), ()))
    })?;
    Ok(())
}
