//! What can go wrong with a store, one variant per thing a caller treats differently.

use std::path::PathBuf;

use hardwon_core::change::Mismatch;

/// What a store answers, or why it cannot.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process wrote first: read again and decide again.
    #[error("the store changed while this was being decided")]
    Conflict,
    /// Another process held the store for longer than we may wait.
    #[error("the store at {path} is busy: another process has been writing for too long")]
    Busy { path: PathBuf },
    /// Written by a newer program.
    #[error(
        "the store at {path} has schema {found}, this program knows {known}: it can be read, \
         not written; update hardwon"
    )]
    TooNew { path: PathBuf, found: i64, known: i64 },
    /// Written by a program from before the oldest schema that can be taken over.
    #[error(
        "the store at {path} has schema {found}; this program takes over schema {oldest} and \
         later: let a program that knows {oldest} write to it once"
    )]
    TooOld { path: PathBuf, found: i64, oldest: i64 },
    /// Not a store, or damaged.
    #[error("the store at {path} cannot be read: {detail}")]
    Damaged { path: PathBuf, detail: String },
    /// A change that does not fit what is stored; nothing was written.
    #[error("refused a change that does not fit: {0}")]
    Mismatch(Mismatch),
    /// The disk or the file system refused.
    #[error("the store at {path} cannot be used: {detail}")]
    Unusable { path: PathBuf, detail: String },
}
