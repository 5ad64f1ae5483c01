//! How is a batch written once, however often that has to be tried? A transaction whose COMMIT was
//! not answered may have been committed: the next attempt waits for it by the lock of the project,
//! and looks first whether the journal has what it wrote.
//!
//! The server is not asked by the number of the transaction: one that crashed gives the number to
//! somebody else if nothing of the transaction was on its disk yet, and so does a standby that was
//! promoted.

use std::time::{Duration, Instant};

use hardwon_core::change::{Batch, Change};
use hardwon_core::ids::OperationId;

use super::client::Client;
use super::db::{Db, Purpose, Reach};
use super::trouble::{Tried, Trouble};
use super::write::{self, Attempt};
use super::{PATIENCE, PATIENCE_OF_AN_INJECTION, PostgresStore, schema};
use crate::Revision;

/// How often a batch is tried that lost to others.
const N_TRIES: u32 = 20;

/// Between attempts to reach a server that is gone.
const PAUSE: Duration = Duration::from_millis(50);

impl PostgresStore {
    /// Writes a batch once. A server that goes away meanwhile is waited for as long as another writer
    /// would be.
    pub(super) fn write(&self, batch: &Batch, expected: Option<Revision>) -> Tried<OperationId> {
        let is_quick =
            !batch.changes.is_empty() && !batch.changes.iter().any(Change::touches_memory);
        let patience = if is_quick { PATIENCE_OF_AN_INJECTION } else { PATIENCE };
        let purpose = Purpose::Write { patience, is_quick };
        let is_shared = write::looks_shared(&batch.changes);
        let mut attempt = Attempt { expected, is_shared, unanswered: None };
        let (mut n_tries, mut until) = (0, None);
        loop {
            let write = |client: &mut Client| write_once(client, purpose, batch, &mut attempt);
            let trouble = match self.try_with_client(write) {
                Ok(operation) => return Ok(operation),
                Err(trouble) => trouble,
            };
            let now = Instant::now();
            match trouble {
                Trouble::IsShared => attempt.is_shared = true,
                _ if trouble.is_lost_race() && n_tries < N_TRIES => n_tries += 1,
                _ if trouble.is_cut() && until.is_none_or(|until| now < until) => {
                    // The first time at once: mostly it is only this connection that is gone.
                    until.map_or_else(|| until = Some(now + patience), |_| pause());
                }
                _ if attempt.unanswered.is_some() => return Err(Trouble::Doubt),
                _ => return Err(trouble),
            }
        }
    }
}

fn pause() {
    std::thread::sleep(PAUSE);
}

/// One attempt. What is in `attempt.unanswered` afterwards may have been written.
fn write_once(
    client: &mut Client,
    purpose: Purpose,
    batch: &Batch,
    attempt: &mut Attempt,
) -> Tried<OperationId> {
    // Tables of another version may lack what is called. They may also have got it meanwhile.
    if client.version() != schema::KNOWN {
        let found = schema::version(client)?;
        schema::refuse_other(Some(found))?;
        client.set_version(found, schema::has_routines(found));
    }
    let db = Db::begin(client, purpose, &Reach::Project(&batch.project));
    let written = match write::apply(&db, batch, attempt) {
        Ok(written) => written,
        Err(trouble) => {
            db.roll_back(&trouble);
            return Err(trouble);
        }
    };
    let operation = written.operation;
    match db.commit() {
        Ok(()) => Ok(operation),
        Err(trouble) => {
            attempt.unanswered = trouble.is_cut().then_some(written);
            Err(trouble)
        }
    }
}
