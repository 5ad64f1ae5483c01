//! What do other systems call this sort of lesson? Tables between our (kind, category)
//! and their words. A foreign word that comes in goes out again as the same word, to the
//! system it came from; lessons that came from elsewhere get the nearest word.

use hardwon_core::lesson::Kind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// The 4 lesson types of ArcheFlow.
    Archeflow,
    /// The 8 memory categories of the Archivist for OpenAgents.
    Archivist,
    /// The 12 memory types of geas.
    Geas,
    /// The 3 categories of jkz's pattern store.
    JkzPatterns,
    /// The 4 types of jkz's memory files.
    JkzFiles,
}

type Row = (&'static str, Kind, Option<&'static str>);

// A category is left out where the kind alone says as much as the foreign word.
const ARCHEFLOW: &[Row] = &[
    ("pattern", Kind::Pattern, None),
    ("preference", Kind::Preference, None),
    ("archetype_hint", Kind::Hint, None),
    ("anti_pattern", Kind::AntiPattern, None),
];

const ARCHIVIST: &[Row] = &[
    ("heuristic", Kind::Hint, None),
    ("anti_pattern", Kind::AntiPattern, None),
    ("tool_usage", Kind::Hint, Some("tool_usage")),
    ("provider_quirk", Kind::Fact, Some("provider_quirk")),
    ("test_strategy", Kind::Pattern, Some("test_strategy")),
    ("infra", Kind::Fact, Some("infra")),
    ("prompting", Kind::Hint, Some("prompting")),
    ("bugfix_pattern", Kind::Pattern, Some("bugfix_pattern")),
];

const GEAS: &[Row] = &[
    ("project_rule", Kind::Rule, Some("project_rule")),
    ("agent_rule", Kind::Rule, Some("agent_rule")),
    ("decision_precedent", Kind::Precedent, Some("decision_precedent")),
    ("failure_lesson", Kind::AntiPattern, Some("failure_lesson")),
    ("security_pattern", Kind::Pattern, Some("security_pattern")),
    ("performance_tip", Kind::Hint, Some("performance_tip")),
    ("test_strategy", Kind::Pattern, Some("test_strategy")),
    ("integration_pattern", Kind::Pattern, Some("integration_pattern")),
    ("ux_pattern", Kind::Pattern, Some("ux_pattern")),
    ("architecture_precedent", Kind::Precedent, Some("architecture_precedent")),
    ("process_improvement", Kind::Hint, Some("process_improvement")),
    ("risk_pattern", Kind::Pattern, Some("risk_pattern")),
];

const JKZ_PATTERNS: &[Row] = &[
    ("observation", Kind::Pattern, Some("observation")),
    ("causal", Kind::Pattern, Some("causal")),
    ("rule", Kind::Rule, None),
];

const JKZ_FILES: &[Row] = &[
    ("user", Kind::Fact, Some("user")),
    ("feedback", Kind::Preference, Some("feedback")),
    ("project", Kind::Fact, Some("project")),
    ("reference", Kind::Fact, Some("reference")),
];

impl System {
    /// The system's own words, in its own order.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        self.rows().iter().map(|row| row.0)
    }

    fn rows(self) -> &'static [Row] {
        match self {
            System::Archeflow => ARCHEFLOW,
            System::Archivist => ARCHIVIST,
            System::Geas => GEAS,
            System::JkzPatterns => JKZ_PATTERNS,
            System::JkzFiles => JKZ_FILES,
        }
    }

    /// The nearest word for a kind of which nothing finer is known.
    fn nearest(self, kind: Kind) -> &'static str {
        use Kind::{AntiPattern, Fact, Hint, Pattern, Precedent, Preference, Rule};
        match (self, kind) {
            (System::Archeflow, Preference | Rule) => "preference",
            (System::Archeflow, Pattern | Precedent | Fact) => "pattern",
            (System::Archeflow, AntiPattern) => "anti_pattern",
            (System::Archeflow, Hint) => "archetype_hint",
            (System::Archivist, AntiPattern) => "anti_pattern",
            (System::Archivist, Fact) => "infra",
            (System::Archivist, _) => "heuristic",
            (System::Geas, Preference | Rule) => "project_rule",
            (System::Geas, Pattern) => "risk_pattern",
            (System::Geas, AntiPattern) => "failure_lesson",
            (System::Geas, Hint) => "process_improvement",
            (System::Geas, Precedent) => "decision_precedent",
            (System::Geas, Fact) => "integration_pattern",
            (System::JkzPatterns, Preference | Rule) => "rule",
            (System::JkzPatterns, AntiPattern) => "causal",
            (System::JkzPatterns, _) => "observation",
            (System::JkzFiles, Precedent | Fact) => "project",
            (System::JkzFiles, _) => "feedback",
        }
    }
}

/// Our kind and category for a foreign word; `None` if the system has no such word.
pub fn from_foreign(system: System, word: &str) -> Option<(Kind, Option<&'static str>)> {
    let row = system.rows().iter().find(|row| row.0 == word)?;
    Some((row.1, row.2))
}

/// The foreign word for a kind and category; the nearest one for lessons that did not
/// come from that system.
pub fn to_foreign(system: System, kind: Kind, category: Option<&str>) -> &'static str {
    let rows = system.rows();
    let exact = rows.iter().find(|row| (row.1, row.2) == (kind, category));
    // A category that is a word of the system says more than the kind.
    let named = || rows.iter().find(|row| category == Some(row.0));
    exact.or_else(named).map_or_else(|| system.nearest(kind), |row| row.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    use System::{Archeflow, Archivist, Geas, JkzFiles, JkzPatterns};
    const ALL: &[System] = &[Archeflow, Archivist, Geas, JkzPatterns, JkzFiles];

    #[test]
    fn every_foreign_word_comes_back_as_itself() {
        for (&system, n_words) in ALL.iter().zip([4, 8, 12, 3, 4]) {
            assert_eq!(system.words().count(), n_words, "{system:?}");
            for word in system.words() {
                let (kind, category) = from_foreign(system, word).unwrap();
                assert_eq!(to_foreign(system, kind, category), word, "{system:?}");
            }
            assert_eq!(from_foreign(system, "no such word"), None);
        }
    }

    #[test]
    fn every_kind_has_a_word_everywhere() {
        for &system in ALL {
            for &kind in Kind::ALL {
                for category in [None, Some("security"), Some("")] {
                    let word = to_foreign(system, kind, category);
                    assert!(from_foreign(system, word).is_some(), "{system:?} {kind} {word}");
                }
            }
        }
    }

    #[test]
    fn a_category_that_two_systems_share_crosses_over() {
        let (kind, category) = from_foreign(System::Geas, "test_strategy").unwrap();
        assert_eq!(to_foreign(System::Archivist, kind, category), "test_strategy");
        assert_eq!(to_foreign(System::Archeflow, kind, category), "pattern");
        assert_eq!(to_foreign(System::Archivist, Kind::Rule, Some("prompting")), "prompting");
    }
}
