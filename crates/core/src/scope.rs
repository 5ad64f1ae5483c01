//! Where does a lesson apply? Dimension = value pairs. A pair excludes only when the
//! need names a *different* value; a dimension that the need leaves open excludes
//! nothing (`need` compares the two). The project is not a dimension here: it is part of the
//! lesson's identity.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::vocabulary::vocabulary;

vocabulary! {
    /// One side of a scope.
    Dimension {
        Domain = "domain",
        Role = "role",
        Tool = "tool",
        Provider = "provider",
        Session = "session",
        Task = "task",
        Repo = "repo",
        Phase = "phase",
        ErrorClass = "error_class",
        /// Whose wish it is, until it is approved for everybody.
        Person = "person",
    }
}

impl Dimension {
    /// Whether a lesson that was seen often enough outgrows this dimension.
    pub fn yields_to_universal(self) -> bool {
        matches!(self, Dimension::Domain | Dimension::Role)
    }
}

/// Most characters of a role's name.
const MAX_ROLE_CHARS: usize = 64;

/// Checks the name of a role: it stands in headings and names files.
///
/// ```
/// use hardwon_core::scope::role_name;
///
/// assert!(role_name("code-reviewer_2").is_ok() && role_name("../x").is_err());
/// ```
pub fn role_name(text: &str) -> Result<String, &'static str> {
    let is_sign = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let is_short = text.chars().count() <= MAX_ROLE_CHARS;
    if !text.is_empty() && is_short && text.chars().all(is_sign) {
        return Ok(text.to_owned());
    }
    Err("a role's name is letters, digits, - and _, at most 64 of them")
}

/// The person whose memory it is, where no record names another.
pub const OWN_PERSON: &str = "user";

/// A set of dimension = value pairs, at most one value a dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Scope(pub BTreeMap<Dimension, String>);

vocabulary! {
    /// How far a lesson reaches, narrowest first. Each is a step of the next.
    Reach {
        Task = "task",
        Session = "session",
        Project = "project",
    }
}

vocabulary! {
    /// What a lesson is bound to, in the Archivist's words.
    Bound {
        Global = "global",
        Project = "project",
        Repo = "repo",
        Task = "task",
        Tool = "tool",
        Provider = "provider",
    }
}

impl Bound {
    /// The narrowest word for a lesson with this scope.
    pub fn of(is_global: bool, scope: &Scope) -> Bound {
        let has = |dimension| scope.0.contains_key(&dimension);
        if is_global {
            return Bound::Global;
        }
        let by_dimension = [
            (Dimension::Task, Bound::Task),
            (Dimension::Repo, Bound::Repo),
            (Dimension::Provider, Bound::Provider),
            (Dimension::Tool, Bound::Tool),
        ];
        let narrowest = by_dimension.into_iter().find(|(dimension, _)| has(*dimension));
        narrowest.map_or(Bound::Project, |(_, bound)| bound)
    }
}

/// Why a lesson cannot reach that far at once: what was learned in one task is first
/// tried in the session around it, and only then in the whole project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it holds for one {from} and cannot be made {to}-wide in one step")]
pub struct TooWide {
    pub from: Reach,
    pub to: Reach,
}

impl Reach {
    /// How far a lesson with this scope reaches in its project.
    pub fn of(scope: &Scope) -> Reach {
        let has = |dimension| scope.0.contains_key(&dimension);
        if has(Dimension::Task) {
            Reach::Task
        } else if has(Dimension::Session) {
            Reach::Session
        } else {
            Reach::Project
        }
    }

    /// Narrowing is always allowed, widening by one step at a time.
    ///
    /// ```
    /// use hardwon_core::scope::Reach;
    ///
    /// assert!(Reach::Task.may_become(Reach::Session).is_ok());
    /// assert!(Reach::Task.may_become(Reach::Project).is_err());
    /// assert!(Reach::Project.may_become(Reach::Task).is_ok());
    /// ```
    pub fn may_become(self, next: Reach) -> Result<(), TooWide> {
        let n_steps = (next as i8) - (self as i8);
        if n_steps > 1 { Err(TooWide { from: self, to: next }) } else { Ok(()) }
    }
}

/// A pair of a scope that the need contradicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub dimension: Dimension,
    /// What the lesson asks for.
    pub wanted: String,
    /// What the need says.
    pub given: String,
}

impl Scope {
    pub fn with(mut self, dimension: Dimension, value: &str) -> Self {
        self.0.insert(dimension, value.to_owned());
        self
    }

    /// Whether what has one and what has the other can apply to the same need.
    pub fn overlaps(&self, other: &Scope) -> bool {
        let differs = |(dimension, value): (&_, &String)| {
            other.0.get(dimension).is_some_and(|other| !other.eq_ignore_ascii_case(value))
        };
        !self.0.iter().any(differs)
    }

    /// Whether it is bound to this value, however that is capitalized.
    pub fn has(&self, dimension: Dimension, value: &str) -> bool {
        self.0.get(&dimension).is_some_and(|own| own.eq_ignore_ascii_case(value))
    }
}
