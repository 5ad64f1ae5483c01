//! `hardwon replay`

use clap::Args;
use hardwon_engine::{Access, OpenMemory, Options, replay};
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};

/// What another policy would have made of this project's history; writes nothing
///
/// `--policy` names it. What was learned is learned again and what was shown is asked for
/// again, in a memory that is thrown away.
#[derive(Args)]
pub struct Replay {}

impl Replay {
    pub fn run(self, context: &Context) -> Done {
        // The policy is for the replay, not for reading what happened.
        let options = Options { policy: None, ..context.options.clone() };
        let engine = OpenMemory::open(&context.environment, &options, Access::Read)?;
        let mut answer =
            replay::replay(&engine.memory, &engine.call, context.options.policy.as_deref())?;
        take_problems(&engine, &mut answer);
        let width = context.width();
        context.printer.answer(&answer, json::replay, |replayed| text::replay(replayed, width));
        Ok(Exit::Done)
    }
}
