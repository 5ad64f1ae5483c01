//! How a model gets an answer, and how an error. An error is an answer too: the model reads it
//! and does better, so it says what to do next in words that a model can use.

use std::fmt;
use std::time::Duration;

use hardwon_engine::answer::Answer;
use hardwon_engine::{EngineError, harmless, without_control};
use hardwon_render::json;
use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;

/// What a tool answers: for a model to read, and for a program.
pub struct Reply {
    pub text: String,
    pub data: Value,
}

impl Reply {
    /// The text with the problems of the answer below it, and the answer as JSON.
    pub fn new<T: Serialize>(mut text: String, answer: &Answer<T>) -> Reply {
        for problem in &answer.problems {
            text += &format!("\nproblem: {}: {}", problem.at, problem.reason);
        }
        Reply { text: harmless(&text).into_owned(), data: json::answer(answer) }
    }
}

/// Why a tool did not do what it was asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    message: String,
    hint: Option<String>,
}

impl Trouble {
    /// The caller's mistake.
    pub fn wrong(message: impl Into<String>, hint: impl Into<String>) -> Trouble {
        Trouble { message: message.into(), hint: Some(hint.into()) }
    }

    pub fn late(limit: Duration) -> Trouble {
        let message = format!("memory did not answer within {} s", limit.as_secs());
        Trouble::wrong(message, "go on without it; `hardwon doctor` tells the person why")
    }

    pub fn cancelled() -> Trouble {
        Trouble { message: "cancelled".to_owned(), hint: None }
    }

    pub fn fault() -> Trouble {
        Trouble::wrong("a fault in hardwon itself", "go on without it, and tell the person")
    }

    pub fn with_hint(self, hint: impl Into<String>) -> Trouble {
        Trouble { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_control(&self.message))?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {}", without_control(hint)),
            None => Ok(()),
        }
    }
}

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Trouble {
        let hint = hint(&error);
        let message = match &error {
            EngineError::NeedsPerson { what, .. } => format!("NeedsPerson: {what} is for a person"),
            other => other.to_string(),
        };
        let usual = Failure::from(error).hint;
        Trouble { message, hint: hint.or(usual).map(str::to_owned) }
    }
}

/// The next step for a model, where it differs from the one for a person at a terminal.
fn hint(error: &EngineError) -> Option<&'static str> {
    use EngineError::*;
    match error {
        UnknownLesson { .. } => Some("lessons_for and review give the ids of lessons"),
        UnknownRun { .. } => Some(
            "a run is known once lessons_for showed it a lesson or something was reported in it; \
             leave `run` out to mean this session",
        ),
        OutcomeStated { .. } => {
            Some("it stays; the person can type `hardwon outcome RUN OUTCOME --correct`")
        }
        NeedsPerson { .. } => Some("tell the person what you would decide and why"),
        Refused(_) => Some("state it again so that the reason does not hold"),
        DecisionRefused { .. } => Some("nothing was changed"),
        Duplicate { .. } => Some("it is known already; there is nothing to do"),
        NoUsableInput(_) | Input { .. } => Some("nothing of it could be used; say it shorter"),
        Store(_) => Some("go on without memory; `hardwon doctor` tells the person why"),
        _ => None,
    }
}
