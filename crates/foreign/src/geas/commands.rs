//! geas's memory skill by command, on its own tree: each step of the document is one call of the
//! use cases that every store has, plus the files that only geas knows.

mod evolve;
mod extract;
mod files;
mod notebook;
mod packet;
mod pages;
mod rules;

pub use evolve::decision_of;
pub use extract::Tasks;
pub use packet::PacketAsk;
pub(crate) use pages::told_pages;

use hardwon_core::event::Problem;
use hardwon_engine::{Access, Call, EngineError, Environment, Memory, OpenMemory, Options, trust};
use hardwon_render::answer::TrustStanding;
use hardwon_store::checkout::is_tracked;

use super::GeasLayout;
use crate::store::layout::Layout;
use crate::{Folder, unusable};

/// One tree of geas, for its own commands.
pub struct Geas {
    pub(super) environment: Environment,
    pub(super) memory: Memory,
    pub(super) call: Call,
    /// `.geas`
    pub(super) folder: Folder,
}

/// What only we changed stays approved.
impl Drop for Geas {
    fn drop(&mut self) {
        let step = || self.memory.store.own_step();
        // Without the approval the next call says what to type.
        let _ = trust::follow(&self.environment, self.folder.base(), step);
    }
}

impl Geas {
    /// Opens the tree that this path means: the project, its `.geas`, or what holds `memory/`.
    pub fn open(
        environment: &Environment,
        options: &Options,
        path: &str,
        access: Access,
    ) -> Result<Geas, EngineError> {
        let at = environment.folder.join(path);
        let folder = GeasLayout::place(&at, &environment.homes()).base;
        folder.check(&[]).map_err(unusable)?;
        if !folder.base().is_dir() {
            return Err(EngineError::NoFolder { path: folder.base().to_owned() });
        }
        let store = Some(format!("{}:{path}", GeasLayout::WORD));
        let options = Options { store, foreign: crate::LAYOUTS, ..options.clone() };
        let OpenMemory { memory, call } = OpenMemory::open(environment, &options, access)?;
        Ok(Geas { environment: environment.clone(), memory, call, folder })
    }

    /// For whoever prints its lessons.
    pub fn parts(&self) -> (&Memory, &Call) {
        (&self.memory, &self.call)
    }

    /// Who fills the slots of its table of reviewers.
    pub(super) fn profile(&self) -> &str {
        &self.memory.policy.routing.profile
    }

    /// What in the files or settings could not be used.
    pub fn problems(&self) -> &[Problem] {
        &self.memory.settings.problems
    }

    /// Why the tree is told to no agent and changes by nothing that it says itself: git tracks it,
    /// so it may have come with the checkout, and no person approved it as it is.
    pub fn is_unapproved(&self) -> Result<Option<TrustStanding>, EngineError> {
        let base = self.folder.base();
        if !is_tracked(base) {
            return Ok(None);
        }
        let digest = self.memory.store.own_step().map_or_else(String::new, |(opened, _)| opened);
        let standing = trust::standing_of(&self.environment, base, &digest)?;
        Ok(Some(standing).filter(|standing| *standing != TrustStanding::Trusted))
    }

    /// Refuses what a tree that nobody approved may not do.
    pub(super) fn needs_trust(&self) -> Result<(), EngineError> {
        if self.is_unapproved()?.is_none() {
            return Ok(());
        }
        Err(EngineError::Unapproved { folder: self.folder.base().to_owned() })
    }
}
