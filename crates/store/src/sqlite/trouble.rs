//! What stops a batch inside its transaction, where the path of the store is not known.

use std::path::Path;

use hardwon_core::change::Mismatch;

use super::connection::trouble;
use crate::StoreError;

/// Why a batch was not written.
#[derive(Debug)]
pub(super) enum Trouble {
    Sql(rusqlite::Error),
    Conflict,
    Mismatch(Mismatch),
}

impl Trouble {
    pub(super) fn into_store_error(self, path: &Path) -> StoreError {
        match self {
            Trouble::Sql(error) => trouble(path, error),
            Trouble::Conflict => StoreError::Conflict,
            Trouble::Mismatch(mismatch) => StoreError::Mismatch(mismatch),
        }
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Trouble::Sql(error)
    }
}

impl From<Mismatch> for Trouble {
    fn from(mismatch: Mismatch) -> Self {
        Trouble::Mismatch(mismatch)
    }
}
