//! What is about to run: who will read the block, on what, and how much room there is.

use crate::digest::{hex, sha256};
use crate::scope::{Bound, Dimension, Scope, Violation};

/// What a coming run needs lessons for. Every field may be left open; an open field
/// excludes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// The part the reading agent plays.
    pub role: Option<String>,
    /// The field of work (`code`, `writing`, …).
    pub domain: Option<String>,
    /// The tool about to be used.
    pub tool: Option<String>,
    /// The program or model that will read the block.
    pub provider: Option<String>,
    /// The longer piece of work that the task is a part of.
    pub session: Option<String>,
    /// The task's name.
    pub task: Option<String>,
    /// The repository, where a project has several.
    pub repo: Option<String>,
    /// The part of the work that is about to begin, such as `check`.
    pub phase: Option<String>,
    /// What went wrong just now, such as `timeout`.
    pub error_class: Option<String>,
    /// Only lessons that are bound to this.
    pub bound: Option<Bound>,
    /// Who will read the block; the person whose memory it is, if nobody is named.
    pub person: Option<String>,
    /// Files about to be touched.
    pub paths: Vec<String>,
    /// Words the caller files the work under.
    pub tags: Vec<String>,
    /// The task in words.
    pub text: Option<String>,
}

impl Need {
    /// What the need says on one dimension of scope.
    pub fn value(&self, dimension: Dimension) -> Option<&str> {
        match dimension {
            Dimension::Domain => self.domain.as_deref(),
            Dimension::Role => self.role.as_deref(),
            Dimension::Tool => self.tool.as_deref(),
            Dimension::Provider => self.provider.as_deref(),
            Dimension::Session => self.session.as_deref(),
            Dimension::Task => self.task.as_deref(),
            Dimension::Repo => self.repo.as_deref(),
            Dimension::Phase => self.phase.as_deref(),
            Dimension::ErrorClass => self.error_class.as_deref(),
            // A wish that was approved holds for everybody; see `eligible`.
            Dimension::Person => None,
        }
    }

    /// Whether anything says what the work is about; without it every lesson is
    /// equally to the point.
    pub fn has_topic(&self) -> bool {
        self.text.is_some() || !self.paths.is_empty() || !self.tags.is_empty()
    }

    /// Digest of the need, the room and the style, by which a block that was already
    /// served is found again.
    pub fn digest(&self, also: &str) -> String {
        let field = |value: &Option<String>| value.clone().unwrap_or_default();
        let parts = [
            field(&self.role),
            field(&self.domain),
            field(&self.tool),
            field(&self.provider),
            field(&self.task),
            self.paths.join("\n"),
            self.tags.join("\n"),
            field(&self.text),
            also.to_owned(),
        ];
        let mut parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        // At the end and only if stated: digests that were stored before it existed hold.
        parts.extend(self.session.as_deref());
        let later = [
            ("repo", &self.repo),
            ("phase", &self.phase),
            ("error", &self.error_class),
            ("person", &self.person),
        ];
        if let Some(bound) = self.bound {
            parts.extend(["bound", bound.word()]);
        }
        for (name, value) in later {
            if let Some(value) = value {
                parts.extend([name, value.as_str()]);
            }
        }
        hex(&sha256(&parts)[..16])
    }
}

impl Scope {
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
        let given = |dimension: &Dimension| need.value(*dimension);
        let is_same = |(dimension, wanted): &(&Dimension, &String)| {
            given(dimension).is_some_and(|given| given.eq_ignore_ascii_case(wanted))
        };
        self.0.iter().filter(is_same).count()
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
