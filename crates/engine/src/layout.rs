//! Another system's files as a store: what opening, `doctor` and `trust` have to know of
//! it. Which systems there are is known to the crate that opens a store, never here.

use std::fmt;
use std::path::{Path, PathBuf};

use hardwon_core::event::Problem;
use hardwon_core::gate::Gate;
use hardwon_core::ids::ProjectId;
use hardwon_core::policy::Policy;
use hardwon_core::time::Timestamp;
use hardwon_store::{Access, Store, StoreError};

use crate::error::Result;

/// How one system keeps its memory in files.
pub trait ForeignLayout: Sync {
    /// The word for it: `WORD:FOLDER` is such a store, and what others did to its files
    /// stands in the journal under this command.
    fn word(&self) -> &'static str;
    /// The policy by which it is run unless another one is set.
    fn policy(&self) -> &'static str;
    /// What passes texts that are stated to memory.
    fn gate(&self) -> Gate;
    /// What the project is called: a folder is one project, wherever it lies.
    fn project(&self) -> ProjectId {
        ProjectId::new(self.word())
    }
    /// Whether what went unused is to fade without being asked to, once a day.
    fn is_swept_daily(&self) -> bool {
        false
    }
    /// The folder that a path means.
    fn place(&self, path: &Path, homes: &Homes) -> Box<dyn ForeignPlace>;
    /// Whether a path is one of its folders or holds one.
    fn is_at(&self, path: &Path) -> bool;
}

/// Folders outside a store that may hold a part of it.
#[derive(Clone, Debug, Default)]
pub struct Homes {
    /// The user's own; `None` where lessons that hold everywhere are not asked for.
    pub user: Option<PathBuf>,
    /// Ours, for journals that do not lie beside the files.
    pub data: Option<PathBuf>,
}

impl fmt::Debug for dyn ForeignLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl PartialEq for dyn ForeignLayout {
    fn eq(&self, other: &Self) -> bool {
        self.word() == other.word()
    }
}

impl Eq for dyn ForeignLayout {}

/// One folder of such files.
pub trait ForeignPlace {
    /// The folder that is named in messages, and pinned by `trust`.
    fn base(&self) -> &Path;
    /// The folder that holds the files.
    fn files(&self) -> &Path;
    /// What a file of the system sets for this project. Read like a project's settings file.
    fn settings(&self) -> Option<ForeignSettings> {
        None
    }
    /// Digest of all the files that an import would read, with their names.
    fn digest(&self) -> Result<String>;
    /// Opens it. Opening writes nothing; a folder that is not there reads as empty.
    fn open(&self, request: OpenRequest) -> Result<Box<dyn ForeignStore>, StoreError>;
}

/// Settings by a file of another system, as it spells them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignSettings {
    pub path: PathBuf,
    /// Our keys, and values that may not fit.
    pub values: Vec<(&'static str, String)>,
    pub problems: Vec<String>,
}

impl ForeignSettings {
    /// A file of which nothing can be used.
    pub fn unusable(path: PathBuf, reason: String) -> Self {
        ForeignSettings { path, values: Vec::new(), problems: vec![reason] }
    }
}

/// How a folder is opened.
pub struct OpenRequest {
    /// What others wrote passes this one.
    pub gate: Gate,
    pub access: Access,
    pub policy: Policy,
    pub now: Timestamp,
}

/// What every such store can say of its files.
pub trait ForeignStore: Store {
    /// What in the files could not be used.
    fn problems(&self) -> &[Problem];
    /// Whether our journal has an end, or more, that is of no use.
    fn is_journal_cut(&self) -> bool;
    fn n_lessons(&self) -> usize;
}
