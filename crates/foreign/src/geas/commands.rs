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

use hardwon_engine::{Access, Call, EngineError, Environment, Memory, OpenMemory, Options, Result};

use super::GeasLayout;
use crate::opened::OpenFolder;
use crate::store::layout::Layout;

/// One tree of geas (`.geas`), for its own commands.
pub type Geas = OpenFolder<GeasLayout>;

impl Geas {
    /// Opens the tree that this path means: the project, its `.geas`, or what holds `memory/`.
    pub fn open(
        environment: &Environment,
        options: &Options,
        path: &str,
        access: Access,
    ) -> Result<Geas> {
        let at = environment.folder.join(path);
        let folder = GeasLayout::place(&at, &environment.homes()).base;
        folder.check(&[])?;
        if !folder.base().is_dir() {
            return Err(EngineError::NoFolder { path: folder.base().to_owned() });
        }
        let store = Some(format!("{}:{path}", GeasLayout::WORD));
        let options = Options { store, foreign: crate::LAYOUTS, ..options.clone() };
        let OpenMemory { memory, call } = OpenMemory::open(environment, &options, access)?;
        Ok(OpenFolder::new(environment, memory, call, folder))
    }

    /// For whoever prints its lessons.
    pub fn parts(&self) -> (&Memory, &Call) {
        (&self.memory, &self.call)
    }

    /// Who fills the slots of its table of reviewers.
    pub(super) fn profile(&self) -> &str {
        &self.memory.policy.routing.profile
    }

    /// Refuses what a tree that nobody approved may not do.
    pub(super) fn needs_trust(&self) -> Result<()> {
        if self.is_unapproved()?.is_none() {
            return Ok(());
        }
        Err(EngineError::Unapproved { folder: self.folder.base().to_owned() })
    }
}
