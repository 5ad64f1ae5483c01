//! What is about to run: who will read the block, on what, and how much room there is.

use crate::digest::{hex, sha256};
use crate::scope::Dimension;

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
    /// The task's name.
    pub task: Option<String>,
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
            Dimension::Task => self.task.as_deref(),
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
        let open = String::new();
        let field = |value: &Option<String>| value.clone().unwrap_or(open.clone());
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
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        hex(&sha256(&parts)[..16])
    }
}
