//! Runs in their trees, with how many lessons concern what each of them works with.

use std::collections::BTreeMap;

use hardwon_core::ids::RunId;
use hardwon_core::run::Run;
use hardwon_core::scope::{Dimension, Scope};
use hardwon_render::answer::{Concern, TreeNode};
use hardwon_store::Tree;

use crate::lookup;
use crate::memory::{Call, Memory, Result};
use crate::runs::episodes::line_of;

/// The whole tree that a run belongs to, each run behind the one that contains it.
pub fn tree_nodes(memory: &Memory, call: &Call, run: &RunId) -> Result<Vec<TreeNode>> {
    let id = lookup::run_called(memory, call, run);
    let tree = memory.store.tree(&call.project, &id)?;
    nodes(memory, call, &[tree])
}

/// The trees of all runs of a session, the newest root first.
pub fn session_nodes(memory: &Memory, call: &Call, session: &str) -> Result<Vec<TreeNode>> {
    let roots = lookup::roots_of_session(memory, call, session)?.into_iter();
    let trees: Result<Vec<Tree>, _> =
        roots.map(|root| memory.store.tree(&call.project, &root)).collect();
    nodes(memory, call, &trees?)
}

fn nodes(memory: &Memory, call: &Call, trees: &[Tree]) -> Result<Vec<TreeNode>> {
    let scopes = Scoped::of(memory.store.scopes(&call.project)?);
    let mut nodes = Vec::new();
    for tree in trees {
        let counts = tree.counts();
        let node = |(depth, run): (usize, &Run)| TreeNode {
            line: line_of(run, depth, &counts),
            concerns: scopes.concerns(run),
        };
        nodes.extend(tree.in_order().into_iter().map(node));
    }
    Ok(nodes)
}

/// How many lessons have a pair in their scope; values are the same in any case.
struct Scoped(BTreeMap<(Dimension, String), u64>);

impl Scoped {
    fn of(scopes: Vec<(Scope, u64)>) -> Self {
        let mut counted = BTreeMap::new();
        for (scope, n) in scopes {
            for (dimension, value) in scope.0 {
                *counted.entry((dimension, value.to_ascii_lowercase())).or_default() += n;
            }
        }
        Scoped(counted)
    }

    fn concerns(&self, run: &Run) -> Vec<Concern> {
        let tools = run.tools.iter().map(|tool| (Dimension::Tool, tool));
        let pairs = tools.chain(run.agent.iter().map(|agent| (Dimension::Provider, agent)));
        let concern = |(dimension, value): (Dimension, &String)| Concern {
            dimension: dimension.to_string(),
            value: value.clone(),
            n_lessons: self.0.get(&(dimension, value.to_ascii_lowercase())).copied().unwrap_or(0),
        };
        pairs.map(concern).collect()
    }
}
