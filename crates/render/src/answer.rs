//! The answers of the use cases. Each is one plain type that is shown as text and as JSON, and
//! from which its published schema is made. It owns every field: how memory stores a thing is
//! not how it is shown. What only the text shows is not serialized.

mod asked;
mod backtest;
mod deliberation;
mod doctor;
mod episodes;
mod events;
mod faces;
pub(crate) mod fields;
mod geas;
mod inject;
mod install;
mod journal;
mod lesson;
pub(crate) mod lift;
mod messages;
mod notes;
mod overview;
mod patterns;
mod project;
mod reflect;
mod report;
mod review;
mod runs;
pub(crate) mod settings;
pub(crate) mod steps;
mod store;
mod story;
mod transfer;
pub(crate) mod value;

use hardwon_core::event::Problem;
use hardwon_core::ids::LessonId;
pub use hardwon_core::lifecycle::Waiting;
use hardwon_core::vocabulary;
use schemars::JsonSchema;
use serde::Serialize;

pub use asked::*;
pub use backtest::*;
pub use deliberation::*;
pub use doctor::*;
pub use episodes::*;
pub use events::*;
pub use faces::*;
pub use geas::*;
pub use inject::*;
pub use install::*;
pub use journal::*;
pub use lesson::*;
pub use lift::Lift;
pub use messages::*;
pub use notes::*;
pub use overview::*;
pub use patterns::*;
pub use project::*;
pub use reflect::*;
pub use report::*;
pub use review::*;
pub use runs::*;
pub use settings::*;
pub use store::*;
pub use story::*;
pub use transfer::*;
pub use value::{Decimal, Id, Time, Word};

vocabulary! {
    /// The four answers, never mixed.
    Status {
        /// Done, all of it.
        Ok = "ok",
        /// Done, and there was nothing.
        Empty = "empty",
        /// Done in part: some of the input or of the store could not be used.
        Degraded = "degraded",
        /// Not done.
        Failed = "failed",
    }
}

/// An answer with what went wrong on the way.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    pub status: Status,
    pub problems: Vec<Problem>,
    pub body: T,
}

impl<T> Answer<T> {
    /// `ok`, or `degraded` if there are problems.
    pub fn of(body: T, problems: Vec<Problem>) -> Self {
        let status = if problems.is_empty() { Status::Ok } else { Status::Degraded };
        Answer { status, problems, body }
    }

    /// The same answer with another body.
    pub fn map<U>(self, body: impl FnOnce(T) -> U) -> Answer<U> {
        Answer { status: self.status, problems: self.problems, body: body(self.body) }
    }

    /// The same answer, `empty` if it was `ok` and this holds.
    pub fn empty_if(self, is_empty: impl FnOnce(&T) -> bool) -> Self {
        let is_empty = is_empty(&self.body);
        self.or_empty(is_empty)
    }

    /// The same answer, `empty` if it was `ok` and there was nothing.
    pub fn or_empty(mut self, is_empty: bool) -> Self {
        if is_empty && self.status == Status::Ok {
            self.status = Status::Empty;
        }
        self
    }
}

/// A lesson by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Named {
    pub id: Id<LessonId>,
    /// Enough to know it by.
    pub text: String,
}

impl Named {
    pub fn new(id: LessonId, text: impl Into<String>) -> Self {
        Named { id: Id(id), text: text.into() }
    }
}
