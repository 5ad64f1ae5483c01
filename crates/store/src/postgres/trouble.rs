//! What stops a read or a batch inside its transaction, where the place of the store is not known.

use hardwon_core::change::Mismatch;
use postgres::Error;
use postgres::error::SqlState;

use crate::StoreError;

/// Why something was not done.
#[derive(Debug)]
pub(super) enum Trouble {
    Sql(Error),
    Conflict,
    Mismatch(Mismatch),
    /// It changes what all projects see, and was begun as if it did not.
    IsShared,
    /// A row is not as this program wrote it. Names no content.
    Strange(&'static str),
    TooNew {
        found: i64,
        known: i64,
    },
    Refused(&'static str),
}

/// What a read or a write inside a transaction gives.
pub(super) type Tried<T> = std::result::Result<T, Trouble>;

impl Trouble {
    /// Whether the transaction lost to another one, and the same may succeed now.
    pub(super) fn is_lost_race(&self) -> bool {
        let races = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
        self.code().is_some_and(|code| races.contains(code))
    }

    /// Whether the connection is gone: then the transaction never came to its end.
    pub(super) fn is_cut(&self) -> bool {
        let ends = [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::CONNECTION_FAILURE,
        ];
        match self {
            Trouble::Sql(error) => {
                let source = std::error::Error::source(error);
                error.is_closed()
                    || source.is_some_and(|source| source.is::<std::io::Error>())
                    || error.code().is_some_and(|code| ends.contains(code))
            }
            _ => false,
        }
    }

    fn code(&self) -> Option<&SqlState> {
        match self {
            Trouble::Sql(error) => error.code(),
            _ => None,
        }
    }

    pub(super) fn into_store_error(self, place: &str) -> StoreError {
        let place = place.to_owned();
        match self {
            Trouble::Sql(error) => of_sql(place, &error),
            Trouble::Conflict => StoreError::Conflict,
            Trouble::Mismatch(mismatch) => StoreError::Mismatch(mismatch),
            Trouble::TooNew { found, known } => StoreError::TooNew { place, found, known },
            Trouble::Strange(detail) => StoreError::Damaged { place, detail: detail.to_owned() },
            Trouble::Refused(detail) => StoreError::Unusable { place, detail: detail.to_owned() },
            // Tried again by whoever began it.
            Trouble::IsShared => StoreError::Conflict,
        }
    }
}

fn of_sql(place: String, error: &Error) -> StoreError {
    let code = error.code();
    let is = |state: SqlState| code == Some(&state);
    if is(SqlState::LOCK_NOT_AVAILABLE) || is(SqlState::QUERY_CANCELED) {
        return StoreError::Busy { place };
    }
    if is(SqlState::UNDEFINED_TABLE) || is(SqlState::INVALID_SCHEMA_NAME) {
        let detail = "the database has no tables of hardwon; as their owner, type: hardwon store \
                      migrate";
        return StoreError::Unusable { place, detail: detail.to_owned() };
    }
    // What the server says in detail may hold values.
    let detail = match (error.as_db_error(), std::error::Error::source(error)) {
        (Some(told), _) => told.message().to_owned(),
        (None, Some(source)) => told_of_source(error, source),
        (None, None) => error.to_string(),
    };
    StoreError::Unusable { place, detail }
}

/// What is wrong with the connection, and what helps.
fn told_of_source(error: &Error, source: &dyn std::error::Error) -> String {
    let told = format!("{error}: {source}");
    if told.contains("invalid peer certificate") {
        return format!("{told}; sslrootcert=FILE in the URL names whom to trust");
    }
    if told.contains("server does not support TLS") {
        return format!("{told}; with sslmode=disable in the URL all goes in the clear");
    }
    told
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Trouble::Sql(error)
    }
}

impl From<Mismatch> for Trouble {
    fn from(mismatch: Mismatch) -> Self {
        Trouble::Mismatch(mismatch)
    }
}
