//! `hardwon replay`

use clap::Args;
use hardwon_engine::{Access, OpenMemory, Options, replay};
use hardwon_render::text;

use super::{CommandResult, Context};

/// Show what another policy would have done with this project's history; writes nothing
///
/// `--policy` names it. All runs are learned again and all blocks are made again, in a memory
/// that is thrown away.
#[derive(Args)]
pub struct Replay {}

impl Replay {
    pub fn run(self, context: &Context) -> CommandResult {
        // The policy is for the replay, not for reading what happened.
        let options = Options { policy: None, ..context.options.clone() };
        let open = OpenMemory::open(&context.environment, &options, Access::Read)?;
        let answer = replay::replay(&open.memory, &open.call, context.options.policy.as_deref())?;
        context.print(&open, answer, text::replay)
    }
}
