//! `hardwon list runs`

use clap::Args;
use hardwon_engine::run::{Outcome, RunKind};
use hardwon_engine::{RunsRequest, runs};
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

#[derive(Args)]
pub struct Runs {
    /// As a tree: each below the run that contains it
    #[arg(long)]
    tree: bool,
    /// Only runs of this session
    #[arg(long)]
    session: Option<String>,
    /// Only runs of this task
    #[arg(long)]
    task: Option<String>,
    /// orchestrator, subagent, healer, review, ci, session or other
    #[arg(long, value_parser = args::run_kind)]
    kind: Option<RunKind>,
    /// success, partial, failed or aborted
    #[arg(long, value_parser = args::outcome)]
    outcome: Option<Outcome>,
    /// Only runs of this agent
    #[arg(long)]
    agent: Option<String>,
    /// Only runs of the last N days
    #[arg(long, value_name = "N")]
    days: Option<u32>,
    /// At most this many (of a tree: root runs) [default: 20]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only what comes after this place: `next` of the page before, with --json
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
}

impl Runs {
    pub fn run(self, context: &Context) -> CommandResult {
        let request = RunsRequest {
            session: self.session,
            task: self.task,
            kind: self.kind,
            outcome: self.outcome,
            agent: self.agent,
            days: self.days,
            limit: self.limit,
            after: self.after,
        };
        if self.tree {
            let tree = |memory: &_, call: &_| runs::runs_tree(memory, call, None, &request);
            return context.reads(tree, text::run_tree);
        }
        context.reads(|memory, call| runs::runs_list(memory, call, &request), text::runs)
    }
}
