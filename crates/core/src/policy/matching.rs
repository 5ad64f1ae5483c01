//! The numbers by which a finding is recognized as a lesson.

use serde::{Deserialize, Serialize};

/// How likeness is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Rare words, in both directions.
    Weighted,
    /// ArcheFlow's share of the finding's tokens that the lesson (with its tags) has.
    Overlap,
}

/// The numbers of matching. [`Default`] holds the measured ones: `hardwon-sim matching`, and the
/// pairs of `fresh.txt` of the tests. Not measured: `similar`, category
/// and place. Messages of one lint rule are .14 alike and more, what people say under one rule of
/// their own making .014 and less.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchPolicy {
    /// How likeness is measured.
    pub method: Method,
    /// Likeness from which a finding is the lesson.
    pub same: f64,
    /// The same for what a tool says under no rule; [`same`](Self::same) where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_of_tools: Option<f64>,
    /// The same where a person said either side: people use fewer words, and other ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_of_people: Option<f64>,
    /// Likeness from which a merge is proposed; moves with the bar of the author.
    pub similar: f64,
    /// With how many findings of a lesson a finding is compared, its own text included; the
    /// mean counts.
    #[serde(default = "one")]
    pub n_findings: usize,
    /// Whether a finding is compared with lessons in every state: what was rejected or has
    /// decayed is recognized by its likeness, too. (The index of [`Method::Weighted`] proposes
    /// all of them anyway.)
    #[serde(default)]
    pub in_all_states: bool,
    /// Whether a finding can only be a lesson of its own category.
    #[serde(default)]
    pub within_category: bool,
    /// What both thresholds rise by each time the store grows e-fold beyond the 500 lessons on which they were tuned: the best
    /// of many strangers is more similar than the best of few.
    pub crowd: f64,
    /// How much the words count with which two texts begin alike: they are what both speak of, and
    /// what follows is what they say about it.
    pub opening: f64,
    /// How many stored lessons the general knowledge of word frequencies is worth.
    pub prior_texts: f64,
    /// Share of findings assumed for a word that is in no list.
    pub unseen_rate: f64,
    /// How many unseen words each side is taken to leave unsaid, so that one word in common between
    /// two short texts proves little.
    pub unsaid: f64,
    /// Added when both categories are equal, taken off when they differ.
    /// Of two that state different categories under [`Method::Overlap`]: what has to agree more.
    pub category: f64,
    /// Added when both are about the same rule of a tool, as the next is, up to what the words
    /// say. Two rules of one tool are never the
    /// same by their words alone, whatever the numbers.
    pub rule: f64,
    /// Added when a path is shared (half for a shared folder), taken off when both have paths and share none.
    pub place: f64,
}

/// The sources of the presets compare with a lesson's own text.
fn one() -> usize {
    1
}

impl Default for MatchPolicy {
    fn default() -> Self {
        MatchPolicy {
            method: Method::Weighted,
            same: 0.16,
            same_of_tools: Some(0.17),
            same_of_people: Some(0.24),
            similar: 0.13,
            n_findings: 5,
            in_all_states: false,
            within_category: false,
            crowd: 0.02,
            opening: 0.3,
            prior_texts: 1000.0,
            unseen_rate: 0.002,
            unsaid: 4.0,
            category: 0.002,
            rule: 0.12,
            place: 0.003,
        }
    }
}

impl MatchPolicy {
    /// ArcheFlow's documented rule: half of the finding's tokens. Here the best match wins, not the first.
    pub fn overlap() -> Self {
        MatchPolicy {
            method: Method::Overlap,
            same: 0.5,
            same_of_tools: None,
            same_of_people: None,
            similar: 0.5,
            n_findings: 1,
            ..MatchPolicy::default()
        }
    }
}
