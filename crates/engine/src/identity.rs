//! Which project does this call belong to, and how does a checkout become one of it? Resolving
//! only reads. The first write joins the checkout: an operation of its own, so that undoing
//! what was learned does not undo where.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hardwon_core::gate::Gate;
use hardwon_core::ids::ProjectId;
use hardwon_core::project::{self, Checkout, KnownProjects, Mark, Reason, Resolution, Sighting};
use hardwon_store::checkout::{Repository, may_carry};
use hardwon_store::{ProjectQuery, Store, StoreError};

use crate::error::{EngineError, Result};
use crate::place::Environment;

/// How a call found its project.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub reason: Reason,
    /// What the folder shows; `None` if the project was named.
    pub seen: Option<FolderSeen>,
    /// Whether the next write has to note something about the checkout.
    pub is_pending: bool,
}

/// What a folder shows.
#[derive(Clone, Debug)]
pub(crate) struct FolderSeen {
    pub sighting: Sighting,
    pub repository: Option<Repository>,
    /// The last part of the path.
    pub name: Option<String>,
    /// The working tree in which the command was called.
    pub tree: Option<PathBuf>,
}

impl Identity {
    /// Of a project that was named.
    pub fn named() -> Self {
        Identity { reason: Reason::Named, seen: None, is_pending: false }
    }

    /// The working tree of the project, if one is at hand.
    pub fn tree(&self) -> Option<&Path> {
        self.seen.as_ref()?.tree.as_deref()
    }
}

impl FolderSeen {
    /// Looks at the folder that a command was called in.
    pub fn look(environment: &Environment, gate: &Gate) -> Result<Self> {
        if environment.folder.as_os_str().is_empty() {
            return Err(EngineError::NoCurrentFolder);
        }
        let (root, repository) = environment.root();
        let path = gate.identity_of_bytes(root.as_os_str().as_bytes());
        let mark = repository.as_ref().and_then(|repository| repository.mark().ok().flatten());
        let name = root.file_name().and_then(|name| gate.word(&name.to_string_lossy()));
        let sighting = Sighting { path, is_git: repository.is_some(), mark };
        let tree = repository.as_ref().and(environment.working_tree());
        Ok(FolderSeen { sighting, repository, name, tree })
    }

    /// The project that it belongs to, as the store knows it.
    pub fn resolve(&self, store: &dyn Store) -> Result<Resolution, StoreError> {
        let sighting = &self.sighting;
        let mut known = KnownProjects {
            projects: store.projects(&ProjectQuery::Near {
                path: sighting.path.clone(),
                mark: sighting.mark.clone(),
                ids: [sighting.path_id(), sighting.new_id()],
            })?,
            still_marked: Vec::new(),
        };
        if let (None, Some(mark)) = (project::joined(sighting, &known.projects), &sighting.mark) {
            let checkouts = known.projects.iter().flat_map(|project| &project.checkouts);
            let is_other = |known: &&Checkout| {
                known.path != sighting.path && known.mark.as_ref() == Some(mark)
            };
            let others = checkouts.filter(is_other).map(|known| known.path.clone());
            known.still_marked = others
                .filter(|path| !project::is_faithful(path) || may_carry(path, mark))
                .collect();
        }
        Ok(project::resolve(sighting, &known))
    }

    /// Whether a write has something to note about it.
    pub fn needs_joining(&self, reason: &Reason) -> bool {
        match reason {
            Reason::Named | Reason::Folder | Reason::Same => false,
            // Nothing but a mark could be added.
            Reason::SamePath => self.sighting.is_git,
            Reason::Moved { .. }
            | Reason::Unknown
            | Reason::Copy { .. }
            | Reason::Replaced { .. }
            | Reason::Ambiguous => true,
        }
    }

    /// The checkout as it is to be joined: with the mark that its git directory keeps. One
    /// that came with a copy is replaced, so that the two can be distinguished.
    pub fn marked(&self, project: &ProjectId, reason: &Reason) -> Checkout {
        let Sighting { path, mark, .. } = &self.sighting;
        let is_copy = matches!(reason, Reason::Copy { .. } | Reason::Ambiguous);
        let wanted = match mark {
            // Not by chance: of two processes that replace it at once, both put the same.
            Some(mark) if is_copy => Mark::derive(&["copy", path, mark.as_str(), project.as_str()]),
            // Clones of one second have the same line in their reflogs. By chance: the hash keys that
            // the system gives to each process.
            Some(_) | None => {
                let number = || RandomState::new().build_hasher().finish();
                let chance = format!("{:x} {:x} {:x}", number(), number(), std::process::id());
                Mark::derive(&["own", path, &chance])
            }
        };
        let repository = self.repository.as_ref();
        let kept = repository.and_then(|repository| repository.keep_mark(&wanted, is_copy));
        Checkout { path: path.clone(), mark: kept.or_else(|| mark.clone()) }
    }
}
