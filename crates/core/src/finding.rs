//! One problem or observation that a reviewer or tool named in a run.

pub mod life;

use serde::{Deserialize, Serialize};

use crate::digest::{base32, sha256};
use crate::ids::{LessonId, RunId};
use crate::text::Text;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// How bad a finding is, worst first.
    Severity {
        Critical = "critical",
        Bug = "bug",
        Warning = "warning",
        Info = "info",
        Recommendation = "recommendation",
    }
}

impl Severity {
    /// Folds the words that reviewers and tools use, in any case. `None` for an
    /// unknown word: the caller takes `Warning` and notes a problem.
    pub fn fold(word: &str) -> Option<Self> {
        Some(match word.trim().to_ascii_lowercase().as_str() {
            "critical" | "blocker" => Severity::Critical,
            "bug" | "error" | "high" | "major" => Severity::Bug,
            "warning" | "medium" => Severity::Warning,
            "info" | "low" | "minor" | "note" => Severity::Info,
            "recommendation" | "nit" | "style" => Severity::Recommendation,
            _ => return None,
        })
    }

    /// Whether a finding of this severity may start a lesson. The rest may only be
    /// recognized as one.
    pub fn creates_lessons(self) -> bool {
        self <= Severity::Warning
    }

    /// How much a lesson of this severity matters if it is true, 0..1.
    pub fn importance(self) -> f64 {
        match self {
            Severity::Critical => 1.0,
            Severity::Bug => 0.8,
            Severity::Warning => 0.6,
            Severity::Info => 0.4,
            Severity::Recommendation => 0.3,
        }
    }
}

vocabulary! {
    /// How strong the evidence for a finding is, strongest first.
    Grade {
        Executed = "executed",
        Cited = "cited",
        Reasoned = "reasoned",
    }
}

impl Grade {
    /// The stronger of two.
    pub(crate) fn best(a: Option<Grade>, b: Option<Grade>) -> Option<Grade> {
        a.into_iter().chain(b).min()
    }
}

vocabulary! {
    /// What became of a finding.
    FindingState {
        Open = "open",
        Fixed = "fixed",
        Regressed = "regressed",
        Dismissed = "dismissed",
    }
}

/// Categories of tests that failed, or that fail at times.
const TESTS: &[&str] = &["test", "flaky"];

/// Whether a finding of this category is a test that failed, or fails at times.
pub fn is_test(category: Option<&str>) -> bool {
    category.is_some_and(|category| TESTS.contains(&category))
}

/// Whether a finding under this rule is something that a session showed: then only its
/// fingerprint tells which.
pub fn is_of_session(rule: &str) -> bool {
    rule.starts_with("session:")
}

/// Where a finding points.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    pub path: String,
    pub line: Option<u32>,
}

/// Recognizes a finding within its run: digest of author, signature, text and place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FindingKey(pub String);

impl FindingKey {
    /// Two findings of a run with the same key are one finding, reported twice.
    pub fn of(author: &str, signature: &str, text: &str, place: Option<&Place>) -> Self {
        let place = place
            .map_or(String::new(), |place| format!("{}:{}", place.path, place.line.unwrap_or(0)));
        let hash = sha256(&[author, signature, text, &place]);
        FindingKey(format!("f-{}", &base32(&hash)[..16]))
    }
}

/// A finding as memory keeps it. Together, the findings of a lesson are its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub key: FindingKey,
    pub run: RunId,
    /// Root of the run's tree: sightings count these.
    pub root: RunId,
    /// The role or tool that named it.
    pub author: String,
    pub severity: Severity,
    pub category: Option<String>,
    /// The tool's or reviewer's own name for the rule that was broken.
    pub rule: Option<String>,
    pub text: Text,
    pub place: Option<Place>,
    pub grade: Option<Grade>,
    pub signature: String,
    pub state: FindingState,
    /// False for a fix that was reported without the finding itself: it shows what was
    /// once wrong, not that it was seen in this run.
    pub is_sighting: bool,
    /// The lesson it was recognized as, or started.
    pub lesson: Option<LessonId>,
    /// How similar finding and lesson were, 0..1.
    pub likeness: f64,
    /// For a regression: the earlier run in which it had been fixed. For a fixed one: the
    /// later run whose report no longer had it; none if a record stated that it is fixed.
    pub fixed_in: Option<RunId>,
    /// What its author says to do about it. No part of what it is recognized by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<String>,
    /// For a dismissed one: the reviewer who ruled it false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruled_by: Option<String>,
    /// Of what a model read in a session: the words that show it, with the number of their entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

impl Finding {
    /// Whether it repeats a lesson that had been shown, but names a line where it is so: no sighting,
    /// since its author knew the words, and no success of the lesson either. An echo is compared
    /// with nothing, so it has no likeness; what a stranger says has one.
    pub fn is_placed_echo(&self) -> bool {
        let is_echo = !self.is_sighting && self.lesson.is_some() && self.likeness == 0.0;
        let has_line = self.place.as_ref().is_some_and(|place| place.line.is_some());
        is_echo && has_line && self.grade != Some(Grade::Reasoned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severity_folds_in_any_case() {
        let cases = [
            ("CRITICAL", Severity::Critical),
            ("Blocker", Severity::Critical),
            ("high", Severity::Bug),
            ("Medium", Severity::Warning),
            ("INFO", Severity::Info),
            ("note", Severity::Info),
            ("nit", Severity::Recommendation),
        ];
        for (word, severity) in cases {
            assert_eq!(Severity::fold(word), Some(severity), "{word}");
        }
        assert_eq!(Severity::fold("purple"), None);
    }
}
