//! What can stop a use case, one variant per thing that a face treats differently.

use std::path::PathBuf;

use hardwon_core::gate::Refusal;
use hardwon_core::ids::OperationId;
use hardwon_core::run::Outcome;
use hardwon_core::scope::TooWide;
use hardwon_readers::{InputError, ReadError};
use hardwon_store::StoreError;

/// What a use case comes to.
pub type Result<T, E = EngineError> = std::result::Result<T, E>;

/// Why a use case did nothing.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("no lesson is called {name}")]
    UnknownLesson { name: String },
    #[error("{name} could be any of {}", candidates.join(", "))]
    AmbiguousLesson { name: String, candidates: Vec<String> },
    #[error("{cursor} is no place in this list")]
    BadCursor { cursor: String },
    #[error("{lesson} was changed by somebody else meanwhile")]
    Changed { lesson: String },
    #[error("no version {version} of {lesson} is kept")]
    UnknownVersion { lesson: String, version: u32 },
    #[error("no run is called {name}")]
    UnknownRun { name: String },
    #[error("no {what} is called {name}")]
    NotFound { what: &'static str, name: String },
    #[error("no project is called {name}")]
    UnknownProject { name: String },
    #[error("{name} could be any of the projects {}", candidates.join(", "))]
    AmbiguousProject { name: String, candidates: Vec<String> },
    #[error("the project was named, so there is no checkout to be joined to another one")]
    NoCheckout,
    #[error("{run} ended as {stated} already")]
    OutcomeStated { run: String, stated: Outcome },
    #[error("{lesson}: {leap}")]
    TooWide { lesson: String, leap: TooWide },
    #[error("no policy is called {name}; there are {known}")]
    UnknownPolicy { name: String, known: String },
    #[error("refused: {0}")]
    Refused(Refusal),
    #[error("{source}")]
    Input { input: String, source: ReadError },
    #[error("cannot read {}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{}", .0)]
    NoUsableInput(String),
    #[error("setting {key}: {reason}")]
    Setting { key: String, reason: String },
    #[error("settings file {}: {reason}", path.display())]
    SettingsFile { path: PathBuf, reason: String },
    #[error("HARDWON_NOW is not an RFC 3339 time such as 2026-04-03T14:00:00Z")]
    BadClock,
    #[error("store {url}: {reason}")]
    StoreUrl { url: String, reason: String },
    #[error(
        "{what} is for a person, and {}an agent is calling",
        sign.map_or(String::new(), |sign| format!("{sign} says that "))
    )]
    NeedsPerson { what: &'static str, sign: Option<&'static str> },
    #[error("{what} is for a person, and a script is calling: no terminal and no --as-user")]
    NeedsFlag { what: &'static str },
    #[error("{0}")]
    NotAllowed(hardwon_core::team::Refusal),
    #[error("there is no folder {}", path.display())]
    NoFolder { path: PathBuf },
    /// Another system's folder that cannot be used.
    #[error("{0}")]
    Folder(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("the folder that this was called in was deleted, so the project is not known")]
    NoCurrentFolder,
    #[error("no home folder is known")]
    NoHome,
    #[error("there is no operation {0}")]
    UnknownOperation(OperationId),
    #[error("there is nothing to undo")]
    NothingToUndo,
    #[error("operation {operation} cannot be undone: {reason}")]
    UndoRefused { operation: OperationId, reason: String },
    #[error("{lesson} is {state}: {reason}")]
    WrongState { lesson: String, state: &'static str, reason: &'static str },
    #[error("{lesson}: {reason}")]
    DecisionRefused { lesson: String, reason: String },
    #[error("{alias} is an alias of {lesson} already")]
    AliasTaken { alias: String, lesson: String },
    #[error("{lesson} was forgotten for good on {on} by {by}: its words are gone")]
    Erased { lesson: String, on: String, by: String },
    #[error("forgetting for good cannot rewrite another system's files")]
    ForeignErasure,
    #[error("{path} is not a usable export: {reason}")]
    BadExport { path: String, reason: String },
    #[error("{}: {reason}", path.display())]
    NotExport { path: PathBuf, reason: &'static str },
    #[error("cannot write {}: {source}", path.display())]
    NotWritten { path: PathBuf, source: std::io::Error },
    #[error("{} exists and is not an export of hardwon", path.display())]
    NoOverwrite { path: PathBuf },
    #[error("{} came with the checkout, and no person approved it as it is", folder.display())]
    Unapproved { folder: PathBuf },
    #[error("{reason}")]
    NoteRefused { reason: String, hint: &'static str },
    #[error("lesson {lesson} exists already with this text")]
    Duplicate { lesson: String },
}

impl EngineError {
    /// Whether what was handed in is the cause, so that trying again gives the same.
    pub fn is_of_input(&self) -> bool {
        use EngineError::{Input, NoUsableInput, Refused, Store, UnknownProject, UnknownRun};
        matches!(self, Input { .. } | NoUsableInput(_) | Refused(_) | UnknownProject { .. })
            || matches!(self, UnknownRun { .. } | Store(StoreError::Mismatch(_)))
    }
}

impl From<InputError> for EngineError {
    fn from(error: InputError) -> Self {
        match error {
            InputError::File { path, source } => EngineError::File { path, source },
            InputError::Input { input, source } => EngineError::Input { input, source },
            InputError::Nothing(reason) => EngineError::NoUsableInput(reason),
        }
    }
}
