//! A folder of another system that is worked on by that system's own commands.

use std::marker::PhantomData;

use hardwon_core::event::Problem;
use hardwon_engine::{Call, Environment, Memory, Result, trust};
use hardwon_render::answer::TrustStanding;
use hardwon_store::checkout::is_tracked;

use crate::Folder;

/// One folder of a layout with its memory.
pub struct OpenFolder<L> {
    pub(crate) environment: Environment,
    pub(crate) memory: Memory,
    pub(crate) call: Call,
    pub(crate) folder: Folder,
    layout: PhantomData<fn() -> L>,
}

/// What only we changed stays approved.
impl<L> Drop for OpenFolder<L> {
    fn drop(&mut self) {
        let step = || self.memory.store.own_step();
        // Without the approval the next call says what to type.
        let _ = trust::follow(&self.environment, self.folder.base(), step);
    }
}

impl<L> OpenFolder<L> {
    pub(crate) fn new(
        environment: &Environment,
        memory: Memory,
        call: Call,
        folder: Folder,
    ) -> Self {
        let environment = environment.clone();
        OpenFolder { environment, memory, call, folder, layout: PhantomData }
    }

    /// A file, if it is there; that it cannot be read is told.
    pub(crate) fn read_or_tell(&self, name: &str, problems: &mut Vec<Problem>) -> Option<Vec<u8>> {
        self.folder.read(name).unwrap_or_else(|error| {
            problems.push(Problem::new(name, error.to_string()));
            None
        })
    }

    /// What in the files or settings could not be used.
    pub fn problems(&self) -> &[Problem] {
        &self.memory.settings.problems
    }

    /// Why the folder is told to no agent and changes by nothing that it says itself: git tracks
    /// it, so it may have come with the checkout, and no person approved it as it is.
    pub fn is_unapproved(&self) -> Result<Option<TrustStanding>> {
        let base = self.folder.base();
        if !is_tracked(base) {
            return Ok(None);
        }
        let digest = self.memory.store.own_step().map_or_else(String::new, |(opened, _)| opened);
        let standing = trust::standing_of(&self.environment, base, &digest)?;
        Ok(Some(standing).filter(|standing| *standing != TrustStanding::Trusted))
    }
}
