//! What was put into the prompts of a run and of all below it, word for word.

use std::collections::BTreeSet;

use hardwon_core::effect::Injection;
use hardwon_core::ids::RunId;
use hardwon_render::answer::{BlockShown, Id, Shown};
use hardwon_store::Tree;

use crate::lookup;
use crate::memory::{Call, Memory, Result};

/// The exact blocks that a run and the runs below it were shown, the oldest first.
pub fn shown_blocks(memory: &Memory, call: &Call, run: &RunId) -> Result<Vec<BlockShown>> {
    let id = lookup::run_called(memory, call, run);
    let tree = memory.store.tree(&call.project, &id)?;
    let mut runs = BTreeSet::from([&id]);
    if let Some(run) = tree.runs.iter().find(|run| run.id == id) {
        runs.extend(tree.below(run).into_iter().map(|run| &run.id));
    }
    Ok(blocks(&tree, &|injection| runs.contains(&injection.run)))
}

/// The same of all runs of a session.
pub fn shown_in_session(memory: &Memory, call: &Call, session: &str) -> Result<Vec<BlockShown>> {
    let mut found = Vec::new();
    for root in lookup::roots_of_session(memory, call, session)? {
        found.extend(blocks(&memory.store.tree(&call.project, &root)?, &|_| true));
    }
    found.sort_by_key(|block| block.shown.at);
    Ok(found)
}

fn blocks(tree: &Tree, is_asked: &dyn Fn(&Injection) -> bool) -> Vec<BlockShown> {
    let asked = tree.injections.iter().filter(|injection| is_asked(injection));
    let block = |injection: &Injection| BlockShown {
        run: Id(injection.run.clone()),
        shown: Shown::from(injection),
        block: injection.block.body().map(str::to_owned),
    };
    asked.map(block).collect()
}
