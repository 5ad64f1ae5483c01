//! What stops a read or a batch inside its transaction, where the place of the store is not known.

use hardwon_core::change::Mismatch;
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, SqlState};

use crate::StoreError;

const NO_TABLES: &str =
    "the database has no tables of hardwon; as their owner, type: hardwon config store migrate";
const SILENT: &str = "the server was reached and does not answer";
const IN_DOUBT: &str = "the server went away before it said whether this was written; when it is \
                        back, `hardwon log` shows it";

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
    /// The server does not answer.
    Silent,
    /// Another writer has been at it for too long.
    Busy,
    /// COMMIT was not answered, and what became of it cannot be found out.
    Doubt,
}

/// What a read or a write inside a transaction gives.
pub(super) type Tried<T> = std::result::Result<T, Trouble>;

impl Trouble {
    /// What stopped a statement that waits for other writers: that a server gives no statement as
    /// long as they take is not the statement's fault.
    pub(super) fn of_waiting(self) -> Self {
        match self.code() {
            Some(code) if *code == SqlState::QUERY_CANCELED => Trouble::Busy,
            _ => self,
        }
    }

    /// Whether a server takes no connection at the moment, and will soon.
    pub(super) fn is_passing(&self) -> bool {
        let states = [SqlState::CANNOT_CONNECT_NOW, SqlState::TOO_MANY_CONNECTIONS];
        self.code().is_some_and(|code| states.contains(code))
    }

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
            Trouble::Silent => true,
            _ => false,
        }
    }

    pub(super) fn code(&self) -> Option<&SqlState> {
        match self {
            Trouble::Sql(error) => error.code(),
            _ => None,
        }
    }

    pub(super) fn into_store_error(self, place: &str) -> StoreError {
        let is_away = self.is_cut() || self.is_passing();
        let place = place.to_owned();
        match self {
            Trouble::Sql(error) => of_sql(place, &error, is_away),
            Trouble::Conflict => StoreError::Conflict,
            Trouble::Mismatch(mismatch) => StoreError::Mismatch(mismatch),
            Trouble::TooNew { found, known } => StoreError::TooNew { place, found, known },
            Trouble::Strange(detail) => StoreError::Damaged { place, detail: detail.to_owned() },
            Trouble::Refused(detail) => StoreError::Unusable { place, detail: detail.to_owned() },
            Trouble::Silent => StoreError::Away { place, detail: SILENT.to_owned() },
            Trouble::Busy => StoreError::Busy { place },
            Trouble::Doubt => StoreError::Unusable { place, detail: IN_DOUBT.to_owned() },
            // Tried again by whoever began it.
            Trouble::IsShared => StoreError::Conflict,
        }
    }
}

fn of_sql(place: String, error: &Error, is_away: bool) -> StoreError {
    if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) {
        return StoreError::Busy { place };
    }
    let detail = match (error.as_db_error(), std::error::Error::source(error)) {
        (Some(told), _) => told_of_server(told),
        (None, Some(source)) => told_of_source(error, source),
        (None, None) => error.to_string(),
    };
    match is_away {
        true => StoreError::Away { place, detail },
        false => StoreError::Unusable { place, detail },
    }
}

/// What the server says, and what helps. What it says in detail may hold values.
fn told_of_server(told: &DbError) -> String {
    let message = told.message();
    let next = [
        (SqlState::UNDEFINED_TABLE, NO_TABLES),
        (SqlState::INVALID_SCHEMA_NAME, NO_TABLES),
        (SqlState::INVALID_PASSWORD, "check the password in the URL"),
        (
            SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
            "check the role in the URL; who runs the server lets it in",
        ),
        (SqlState::INVALID_CATALOG_NAME, "check the name of the database in the URL"),
        (
            SqlState::INSUFFICIENT_PRIVILEGE,
            "as the owner of the tables, type: hardwon config store migrate --role NAME",
        ),
        (
            SqlState::TOO_MANY_CONNECTIONS,
            "try again when others are done, or raise max_connections of the server",
        ),
        (SqlState::DISK_FULL, "the disk of the server is full, and nothing of this was written"),
        (SqlState::QUERY_CANCELED, "the server stops statements of this role too early"),
        (
            SqlState::READ_ONLY_SQL_TRANSACTION,
            "a standby is only read; name the server that is written, or all of them and \
             target_session_attrs=read-write",
        ),
    ];
    match next.iter().find(|(state, _)| state == told.code()) {
        Some((_, next)) => format!("{message}; {next}"),
        None => message.to_owned(),
    }
}

/// What is wrong with the connection, and what helps.
fn told_of_source(error: &Error, source: &dyn std::error::Error) -> String {
    let told = format!("{error}: {source}");
    if told.contains("invalid peer certificate") {
        return format!("{told}; sslrootcert=FILE in the URL names whom to trust");
    }
    if told.contains("password missing") {
        return "the server wants a password; it belongs in the URL, after the role: NAME:PASSWORD@"
            .to_owned();
    }
    if told.contains("database does not allow writes") {
        return "no server of the URL can be written: those that answer are standbys".to_owned();
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
