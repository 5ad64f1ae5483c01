//! What can go wrong with a store, one variant per thing a caller treats differently.

use std::path::Path;

use hardwon_core::change::Mismatch;

/// What a store answers, or why it cannot.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Why a store did not do what it was asked. A place is told in words: a store need not be a file,
/// and how to reach a server may hold a password.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process wrote first: read again and decide again.
    #[error("the store changed while this was being decided")]
    Conflict,
    /// Another process held the store for longer than we may wait.
    #[error("the store at {place} is busy: another process has been writing for too long")]
    Busy { place: String },
    /// Written by a newer program.
    #[error(
        "the store at {place} has schema {found}, this program knows {known}: it can be read, \
         not written; update hardwon"
    )]
    TooNew { place: String, found: i64, known: i64 },
    /// Written by a program from before the oldest schema that can be taken over.
    #[error(
        "the store at {place} has schema {found}; this program takes over schema {oldest} and \
         later: let a program that knows {oldest} write to it once"
    )]
    TooOld { place: String, found: i64, oldest: i64 },
    /// On a server that does not answer: what it has is there all the same.
    #[error("the store at {place} cannot be reached: {detail}")]
    Away { place: String, detail: String },
    /// Not a store, or damaged.
    #[error("the store at {place} cannot be read: {detail}")]
    Damaged { place: String, detail: String },
    /// A change that does not fit what is stored; nothing was written.
    #[error("refused a change that does not fit: {0}")]
    Mismatch(Mismatch),
    /// The disk or the file system refused.
    #[error("the store at {place} cannot be used: {detail}")]
    Unusable { place: String, detail: String },
}

/// A file, as the place of an error.
pub(crate) fn place_of(path: &Path) -> String {
    path.display().to_string()
}

pub(crate) fn unusable(path: &Path, detail: impl ToString) -> StoreError {
    StoreError::Unusable { place: place_of(path), detail: detail.to_string() }
}

pub(crate) fn damaged(path: &Path, detail: impl ToString) -> StoreError {
    StoreError::Damaged { place: place_of(path), detail: detail.to_string() }
}
