//! What went wrong with a request: the status, the same kinds as on the command line, and the
//! next step. As problem+json for programs, as a page for people.

use axum::http::StatusCode;
use hardwon_engine::people::Refusal;
use hardwon_engine::{EngineError, StoreError};
use serde_json::{Value, json};

use crate::failure::{Exit, Failure};
use crate::fault;

/// A request that was not done.
#[derive(Clone, Debug)]
pub struct Trouble {
    pub status: StatusCode,
    pub kind: &'static str,
    pub message: String,
    /// A command to type, or another next step.
    pub hint: Option<String>,
    /// The methods that a path takes, where another one was used.
    pub allow: Option<String>,
}

impl Trouble {
    pub fn new(status: StatusCode, message: impl Into<String>, hint: &str) -> Trouble {
        let hint = (!hint.is_empty()).then(|| hint.to_owned());
        Trouble { status, kind: "usage", message: message.into(), hint, allow: None }
    }

    pub fn wrong(message: impl Into<String>) -> Trouble {
        Trouble::new(StatusCode::BAD_REQUEST, message, "/api/v1/openapi.json describes every call")
    }

    pub fn not_found() -> Trouble {
        Trouble::new(StatusCode::NOT_FOUND, "there is nothing here", "")
    }

    /// What HTTP may never do.
    pub fn only_typed(what: &str, command: &str) -> Trouble {
        let message = format!("{what} is done on the command line only");
        Trouble::new(StatusCode::FORBIDDEN, message, command)
    }

    /// The store was there and is gone.
    pub fn gone(message: String) -> Trouble {
        let hint =
            "bring the file back, or stop and start `hardwon serve`; `hardwon doctor` says more";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Trouble { kind: "store", ..Trouble::new(status, message, hint) }
    }

    pub fn fault() -> Trouble {
        let message = fault::TOLD;
        Trouble { kind: "fault", ..Trouble::new(StatusCode::INTERNAL_SERVER_ERROR, message, "") }
    }

    /// With the command that a person would type.
    pub fn or_type(mut self, command: &str) -> Trouble {
        if self.status == StatusCode::FORBIDDEN {
            self.hint = Some(format!("a person types: {command}"));
        }
        self
    }

    /// As RFC 9457 has it.
    pub fn json(&self) -> Value {
        json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or("error"),
            "status": self.status.as_u16(),
            "detail": self.message,
            "kind": self.kind,
            "hint": self.hint,
        })
    }
}

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Self {
        let status = status(&error);
        let failure = Failure::from(error);
        let kind = if failure.exit == Exit::Store { "store" } else { "usage" };
        Trouble { kind, ..Trouble::new(status, failure.message, failure.hint.unwrap_or_default()) }
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Trouble::from(EngineError::from(error))
    }
}

/// What an error of the engine is in HTTP.
fn status(error: &EngineError) -> StatusCode {
    use EngineError::*;
    match error {
        Store(_) | NoHome | Folder(_) => StatusCode::SERVICE_UNAVAILABLE,
        UnknownLesson { .. }
        | UnknownVersion { .. }
        | UnknownRun { .. }
        | NotFound { .. }
        | UnknownProject { .. }
        | UnknownOperation(_)
        | NothingToUndo => StatusCode::NOT_FOUND,
        Erased { .. } => StatusCode::GONE,
        NotAllowed(Refusal::UnknownToken | Refusal::Expired { .. } | Refusal::NoTeam) => {
            StatusCode::UNAUTHORIZED
        }
        NotAllowed(_) | NeedsPerson { .. } | NeedsFlag { .. } | Unapproved { .. } => {
            StatusCode::FORBIDDEN
        }
        Changed { .. } => StatusCode::PRECONDITION_FAILED,
        AmbiguousLesson { .. }
        | AmbiguousProject { .. }
        | OutcomeStated { .. }
        | UndoRefused { .. }
        | AliasTaken { .. }
        | DecisionRefused { .. }
        | WrongState { .. }
        | Duplicate { .. } => StatusCode::CONFLICT,
        _ => StatusCode::BAD_REQUEST,
    }
}
