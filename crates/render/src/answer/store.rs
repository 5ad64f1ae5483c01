//! What became of the tables of a store on a server.

use schemars::JsonSchema;
use serde::Serialize;

use super::lesson::Lesson;
use super::value::clean;

/// Tables that were made or brought up to date.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Migrated {
    /// Where they are, without a password.
    pub store: String,
    /// The version they had; 0 if there were none.
    pub from: i64,
    /// The version they have.
    pub to: i64,
}

/// What was brought from one store to another.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct CopiedStore {
    /// Both without a password.
    pub from: String,
    pub to: String,
    pub n_projects: u64,
    /// Entries of the journal, of all projects.
    pub n_entries: u64,
    /// How many of them were there already.
    pub n_known: u64,
}

/// A copy of a project that is on a server, for times when that is away.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct KeptCopy {
    pub path: String,
    /// Entries of the journal that were new.
    #[serde(rename = "new")]
    pub n_new: u64,
}

/// A lesson that was forgotten, and what was proved about it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Forgotten {
    pub lesson: Lesson,
    /// Only with `--hard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erased: Option<Erased>,
}

/// What was erased, and where something of it was looked for afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Erased {
    /// Rows and journal entries that held something of it.
    #[serde(rename = "rows")]
    pub n_rows: u64,
    #[serde(rename = "files_scanned")]
    pub n_files_scanned: u64,
    /// Where something of it was found.
    pub residues: Vec<Residue>,
    /// What could not be shown, one sentence each.
    #[serde(serialize_with = "clean")]
    pub not_proved: Vec<String>,
    /// Copies of the store that stand beside it.
    pub backups: Vec<KnownCopy>,
    /// Exports that this program remembers and that are still there.
    pub exports: Vec<KnownCopy>,
    /// What an erasure leaves.
    pub kept: Vec<&'static str>,
    /// It had been erased before: files were written anew, but could not be searched.
    pub is_again: bool,
}

impl Erased {
    /// Whether nothing of it is left, as far as anybody can look.
    pub fn is_proved(&self) -> bool {
        self.residues.is_empty() && self.not_proved.is_empty()
    }
}

/// Something that is left of an erased text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Residue {
    /// A file, or a row that is somebody else's.
    #[serde(rename = "where", serialize_with = "clean")]
    pub place: String,
    /// `the text`, or `a piece of it`.
    pub what: &'static str,
}

/// A copy of memory that we know of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KnownCopy {
    #[serde(serialize_with = "clean")]
    pub path: String,
    /// Whether something of the text is in it.
    pub has_text: bool,
}
