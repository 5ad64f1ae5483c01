//! Where does a lesson apply? Dimension = value pairs. A pair excludes only when the
//! need names a *different* value; a dimension that the need leaves open excludes
//! nothing (`need` compares the two). The project is not a dimension here: it is part of the lesson's identity,
//! and no read exists that does not name one.

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
        Task = "task",
    }
}

impl Dimension {
    /// Whether a lesson that was seen often enough outgrows this dimension.
    pub fn yields_to_universal(self) -> bool {
        match self {
            Dimension::Domain | Dimension::Role => true,
            Dimension::Tool | Dimension::Provider | Dimension::Task => false,
        }
    }
}

/// A set of dimension = value pairs, at most one value a dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Scope(pub BTreeMap<Dimension, String>);

/// A pair of a scope that the need contradicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The dimension in question.
    pub dimension: Dimension,
    /// What the lesson asks for.
    pub wanted: String,
    /// What the need says.
    pub given: String,
}

impl Scope {
    /// A scope of one pair, for a start.
    pub fn with(mut self, dimension: Dimension, value: &str) -> Self {
        self.0.insert(dimension, value.to_owned());
        self
    }
}
