//! The numbers by which a finding is recognized as a lesson.

use serde::{Deserialize, Serialize};

/// How likeness is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Rare words, spellings, identifiers and character grams, in both directions.
    Weighted,
    /// ArcheFlow's share of the finding's tokens that the lesson (with its tags) has.
    Overlap,
}

/// The numbers of matching. [`Default`] holds the measured ones.
///
/// Tuned on 27 pull requests of the public code-review-benchmark (`hardwon-sim matching`). The
/// weights were chosen on all of them, so only the threshold is cross-validated. The optimum is flat:
/// spelling .5 to 1.5, identifier 1 to 2, notion .5 to 1 and grams .3 to .5 stay within .006 of pair F1.
/// `same` and `unsaid` lie on a flat optimum, too (F1 with the labelled findings alone, and with all in one store:
/// .898 and .868 at .18 and 2, .899 and .863 at .16 and 4, .896 and .858 at .14 and 6). What is taken to be unsaid
/// decides between short and long texts: with 2, 8 of 24 short pairs that have only a topic in common are one, with
/// 4 six, with 6 four, but then long ones are joined that are two. Not measured: `similar`, category and place.
/// `rule` lies between messages of one lint rule (likeness .14 and more in 17 pairs from compilers and linters) and what
/// people say under one rule of their own making (.014 and less), both without it and with two words unsaid; with
/// four it is three quarters of that.
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
    /// Share of the words in the likeness, against `grams`.
    pub words: f64,
    /// Share of the character grams in the likeness, against `words`.
    pub grams: f64,
    /// Extra weight of a word in the same spelling, as a fraction of the word's own.
    pub spelling: f64,
    /// Extra weight of a whole identifier.
    pub identifier: f64,
    /// Extra weight of a synonym's notion.
    pub notion: f64,
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
    /// Added when both are about the same rule of a tool. Two rules of one tool are never the
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
            words: 0.5,
            grams: 0.5,
            spelling: 1.0,
            identifier: 1.5,
            notion: 0.7,
            prior_texts: 1000.0,
            unseen_rate: 0.002,
            unsaid: 4.0,
            category: 0.01,
            rule: 0.12,
            place: 0.02,
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
