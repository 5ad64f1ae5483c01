//! What `import`, `export` and `trust` answer.

use std::collections::BTreeMap;

use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Kind, State};
use hardwon_core::vocabulary;
use schemars::JsonSchema;
use serde::Serialize;

use super::lesson::Lesson;
use super::value::{Decimal, Id, Word, clean};

vocabulary! {
    /// Whether a folder is vouched for.
    TrustStanding {
        /// Somebody vouched for exactly this content.
        Trusted = "trusted",
        /// Somebody vouched for it, and it is another content now.
        Changed = "changed",
        /// Nobody did.
        Unknown = "unknown",
    }
}

/// What `import` did.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Imported {
    /// The system whose files were read.
    pub from: String,
    /// Lessons that were there to read.
    #[serde(rename = "read")]
    pub n_read: u64,
    /// Lessons that are new here.
    pub added: Vec<Id<LessonId>>,
    /// Of those, the ones that wait until somebody vouches for them.
    pub quarantined: Vec<Id<LessonId>>,
    /// Lessons that had waited and that were vouched for since.
    pub released: Vec<Id<LessonId>>,
    /// Lessons that were here and whose record says something else now.
    pub updated: Vec<Id<LessonId>>,
    /// Lessons that their system put away, and that are put away here too.
    pub put_away: Vec<Id<LessonId>>,
    /// Lessons that their system put away, and that stay because a person decided so here.
    pub kept: Vec<Id<LessonId>>,
    /// Lessons that were here already.
    #[serde(rename = "known")]
    pub n_known: u64,
    /// Records that could not be used; `problems` says why.
    #[serde(rename = "rejected")]
    pub n_rejected: u64,
    #[serde(rename = "runs")]
    pub n_runs: u64,
    pub unplaced: Vec<Unplaced>,
    /// How many were there to read, by kind and by state; empty for another system's.
    #[serde(rename = "kinds")]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub by_kind: BTreeMap<Word<Kind>, u64>,
    #[serde(rename = "states")]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub by_state: BTreeMap<Word<State>, u64>,
    /// New lessons that are much like one that is here.
    pub similar: Vec<SimilarLesson>,
    /// New lessons that say the opposite of one that is here.
    pub opposed: Vec<OpposedLesson>,
    /// Texts and words that were cleaned or redacted.
    #[serde(rename = "cleaned")]
    pub n_cleaned: u64,
    /// Of `rejected`, those that had been forgotten for good here.
    #[serde(rename = "forgotten")]
    pub n_forgotten: u64,
    /// Marks of forgotten lessons that were taken over.
    #[serde(rename = "tombstones")]
    pub n_tombstones: u64,
}

/// A new lesson and a known one that is much like it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SimilarLesson {
    pub lesson: Id<LessonId>,
    pub known: Id<LessonId>,
    pub likeness: Decimal,
}

/// A new lesson and a known one that says the opposite.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OpposedLesson {
    pub lesson: Id<LessonId>,
    pub known: Id<LessonId>,
}

/// Something that the other layout has no place for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unplaced {
    #[serde(serialize_with = "clean")]
    pub what: String,
    pub n: u64,
    /// Where it is kept instead, or that it stays behind.
    #[serde(serialize_with = "clean")]
    pub kept: String,
}

impl Unplaced {
    pub fn new(what: impl Into<String>, n: u64, kept: impl Into<String>) -> Self {
        Unplaced { what: what.into(), n, kept: kept.into() }
    }
}

/// What `export` wrote.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Exported {
    /// The system whose layout was written.
    pub to: String,
    #[serde(serialize_with = "clean")]
    pub folder: String,
    /// Lessons that are in use there.
    #[serde(rename = "active")]
    pub n_active: u64,
    /// Lessons that were put away.
    #[serde(rename = "archived")]
    pub n_archived: u64,
    /// Lessons that were there and were brought up to date.
    #[serde(rename = "updated")]
    pub n_updated: u64,
    #[serde(rename = "runs")]
    pub n_runs: u64,
    pub unplaced: Vec<Unplaced>,
    /// `sha256:` at the end of a file of ours; null for another system's layout.
    pub digest: Option<String>,
}

/// A foreign folder, and whether somebody vouched for what is in it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ForeignFolder {
    pub system: String,
    #[serde(serialize_with = "clean")]
    pub folder: String,
    /// `sha256:` of everything in it that would be used.
    pub digest: String,
    /// Whether somebody vouched for exactly this content.
    #[serde(rename = "trust")]
    pub standing: Word<TrustStanding>,
    pub lessons: Vec<Lesson>,
    /// Of a folder of notes, what agents would be told.
    pub notes: Vec<String>,
}
