//! Where does a lesson apply? Dimension = value pairs. A pair excludes only when the
//! need names a *different* value; a dimension that the need leaves open excludes
//! nothing. The project is not a dimension here: it is part of the lesson's identity,
//! and no read exists that does not name one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::need::Need;
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

    /// The first pair, in the order of the dimensions, that the need contradicts.
    /// `is_universal` lets domain and role pass.
    pub fn violation(&self, need: &Need, is_universal: bool) -> Option<Violation> {
        self.0.iter().find_map(|(&dimension, wanted)| {
            if is_universal && dimension.yields_to_universal() {
                return None;
            }
            let given = need.value(dimension)?;
            let differs = !given.eq_ignore_ascii_case(wanted);
            differs.then(|| Violation {
                dimension,
                wanted: wanted.clone(),
                given: given.to_owned(),
            })
        })
    }

    /// How many pairs the need names with the same value.
    pub fn n_matched(&self, need: &Need) -> usize {
        let is_same = |dimension: Dimension, wanted: &str| {
            let given = need.value(dimension);
            given.is_some_and(|given| given.eq_ignore_ascii_case(wanted))
        };
        let pairs = self.0.iter();
        pairs.filter(|(dimension, wanted)| is_same(**dimension, wanted)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(role: Option<&str>, domain: Option<&str>) -> Need {
        Need { role: role.map(str::to_owned), domain: domain.map(str::to_owned), ..Need::default() }
    }

    #[test]
    fn only_a_different_value_excludes() {
        let scope = Scope::default().with(Dimension::Role, "guardian");
        assert_eq!(scope.violation(&need(None, Some("code")), false), None);
        assert_eq!(scope.violation(&need(Some("Guardian"), None), false), None);
        let violation = scope.violation(&need(Some("sage"), None), false).unwrap();
        assert_eq!((violation.wanted.as_str(), violation.given.as_str()), ("guardian", "sage"));
        assert_eq!(scope.violation(&need(Some("sage"), None), true), None);
    }

    #[test]
    fn tool_and_provider_always_exclude() {
        let scope = Scope::default().with(Dimension::Tool, "bash");
        let need = Need { tool: Some("grep".into()), ..Need::default() };
        assert!(scope.violation(&need, true).is_some());
    }
}
