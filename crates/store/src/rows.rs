//! How rows are kept in a database: whole, as the JSON that the journal has, beside the columns that
//! queries ask for. The same for a file and a server. A server keeps the bodies of texts in the row,
//! a file in a table of their own.

use std::collections::BTreeSet;

use hardwon_core::attempt::Attempt;
use hardwon_core::change::{Row, Worded};
use hardwon_core::consult::Consultation;
use hardwon_core::deliberation::Deliberation;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::run::Run;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cell::{Cell, cells};
use crate::query::{decay_base, is_kept, may_wait, time_of};

/// Tables of which every row follows from the journal.
pub(crate) const TABLES: &[&str] = &[
    "tombstones",
    "consultations",
    "attempts",
    "deliberations",
    "effects",
    "injections",
    "findings",
    "lessons",
    "runs",
];

/// A table: its name, its columns in their order, and how many of them are its key. The first is the
/// project.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub name: &'static str,
    pub n_key: usize,
    pub columns: &'static [&'static str],
}

/// A row of one of the tables.
pub(crate) trait Kept: Row + Serialize + DeserializeOwned + Worded {
    const TABLE: Table;

    /// The columns before its body, after the project.
    fn columns(&self) -> Vec<Cell>;

    /// What a file adds up over all rows, by the names of more columns.
    fn summed(&self) -> Vec<(&'static str, Cell)> {
        Vec::new()
    }
}

pub(crate) fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("rows can be written as JSON")
}

/// The columns of a table: those of its own between project and body.
macro_rules! table {
    ($name:literal, $n_key:literal, $($column:literal),+) => {
        const TABLE: Table = Table {
            name: $name,
            n_key: $n_key,
            columns: &["project", $($column,)+ "body", "bodies", "texts"],
        };
    };
}

impl Kept for Run {
    table!(
        "runs", 2, "id", "root", "number", "finished", "at", "session", "task", "agent", "kind",
        "outcome"
    );

    fn columns(&self) -> Vec<Cell> {
        let number = self.number.filter(|_| self.is_learned).map(|number| number as i64);
        let finished = self.finished.filter(|_| self.is_learned).map(|time| time.0);
        cells![
            self.id.as_str(),
            self.root.as_str(),
            number,
            finished,
            time_of(self),
            self.episode.session.as_deref(),
            self.task.as_deref(),
            self.agent.as_deref(),
            self.kind.word(),
            self.outcome.map(|outcome| outcome.word()),
        ]
    }
}

impl Kept for Finding {
    table!("findings", 3, "run", "key", "root", "author", "state", "signature", "lesson");

    fn columns(&self) -> Vec<Cell> {
        cells![
            self.run.as_str(),
            self.key.0.as_str(),
            self.root.as_str(),
            self.author.as_str(),
            self.state.word(),
            self.signature.as_str(),
            self.lesson.as_ref().map(LessonId::as_str),
        ]
    }
}

impl Kept for Lesson {
    table!(
        "lessons",
        2,
        "id",
        "kind",
        "state",
        "prior",
        "is_injectable",
        "is_kept",
        "is_shown",
        "waits",
        "n_helped",
        "decay_base",
        "aliases",
        "scope"
    );

    fn columns(&self) -> Vec<Cell> {
        let n_helped = if self.state == State::Stable { self.effects.n_helped } else { 0 };
        cells![
            self.id.as_str(),
            self.kind.word(),
            self.state.word(),
            self.prior(),
            self.is_injectable(),
            is_kept(self),
            self.effects.n_shown() > 0,
            may_wait(self, u32::MAX),
            i64::from(n_helped),
            decay_base(self),
            self.aliases.clone(),
            to_json(&self.scope),
        ]
    }

    fn summed(&self) -> Vec<(&'static str, Cell)> {
        let effects = &self.effects;
        let counts = [
            ("helped", effects.n_helped),
            ("no_help", effects.n_no_help),
            ("hurt", effects.n_hurt),
            ("contradicted", effects.n_contradicted),
            ("neutral", effects.n_neutral),
            ("no_opportunity", effects.n_no_opportunity),
            // Earlier versions summed up more in it.
            ("expected", 0),
        ];
        let words = [
            ("severity", Cell::from(self.severity.word())),
            ("is_pinned", Cell::from(self.is_pinned)),
            ("arms", Cell::from(to_json(&self.arms))),
        ];
        let counts = counts.map(|(name, n)| (name, Cell::from(i64::from(n))));
        counts.into_iter().chain(words).collect()
    }
}

impl Kept for Injection {
    table!("injections", 4, "run", "role", "need", "at", "n_tokens", "lessons");

    fn columns(&self) -> Vec<Cell> {
        let lessons: BTreeSet<&str> = self.shown.iter().map(|it| it.lesson.as_str()).collect();
        cells![
            self.run.as_str(),
            self.role.as_str(),
            self.need.as_str(),
            self.at,
            i64::from(self.n_tokens),
            lessons.into_iter().collect::<Vec<&str>>(),
        ]
    }
}

impl Kept for Effect {
    table!("effects", 3, "root", "lesson", "run_number");

    fn columns(&self) -> Vec<Cell> {
        cells![self.root.as_str(), self.lesson.as_str(), self.run_number]
    }
}

impl Kept for Deliberation {
    table!("deliberations", 2, "id", "at", "run", "role", "verdict", "is_kept", "n_bytes");

    fn columns(&self) -> Vec<Cell> {
        cells![
            self.id.as_str(),
            self.at,
            self.run.as_str(),
            self.role.as_str(),
            self.verdict.as_deref(),
            self.response.body().is_some(),
            self.n_bytes(),
        ]
    }
}

impl Kept for Attempt {
    table!("attempts", 2, "id", "issue", "at");

    fn columns(&self) -> Vec<Cell> {
        cells![self.id.as_str(), self.issue.as_str(), self.at]
    }
}

impl Kept for Consultation {
    table!("consultations", 2, "id", "at", "evidence");

    fn columns(&self) -> Vec<Cell> {
        cells![self.id.as_str(), self.at, self.evidence.as_str()]
    }
}
