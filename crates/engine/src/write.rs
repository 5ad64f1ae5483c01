//! The one way from a decision to the store: read, decide, write what was expected to
//! be there still; if somebody else wrote in between, decide again.

use hardwon_core::change::{Batch, Change, OperationHead};
use hardwon_core::ids::OperationId;
use hardwon_core::lifecycle::Present;
use hardwon_core::reflect::Scenario;
use hardwon_store::{ProjectStatus, StoreError};

use crate::call::Call;
use crate::error::EngineError;
use crate::events;
use crate::memory::Memory;

/// How often a decision is made anew before giving up. Each time somebody else has
/// made progress, so this is only met when very many write at once.
const MAX_TRIES: u32 = 1000;

/// A command that writes: its name in the journal, and the operation it goes on with.
#[derive(Clone, Debug)]
pub struct Command<'a> {
    pub name: &'a str,
    pub continues: Option<OperationId>,
    pub undoes: Option<OperationId>,
    /// What brought it about, for who listens.
    pub scenario: Option<Scenario>,
}

/// What is to be written, and what else was decided.
pub type Decision<T> = Result<(Vec<Change>, T), EngineError>;

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
) -> Result<Written<T>, EngineError> {
    for _ in 0..MAX_TRIES {
        let status = memory.store.status(&call.project)?;
        let (changes, decided) = decide(memory, &status)?;
        if changes.is_empty() {
            return Ok((command.continues, decided));
        }
        let batch = batch(call, command, changes);
        match memory.store.apply(&batch, Some(status.revision)) {
            Ok(operation) => {
                // What is taken back was told already.
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
