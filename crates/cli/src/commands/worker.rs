//! `hardwon worker`

use clap::Args;
use hardwon_faces::Exit;

use super::{CommandResult, Context};

/// Learn what hooks left for later, in the background, and make the backup of the day
///
/// Hooks start it; it prints nothing and ends when nothing waits, or after a minute. `hardwon learn
/// --pending` does the same in the foreground.
#[derive(Args)]
pub struct Worker {}

/// The least there is: whoever works at this machine comes first.
const LOWEST_PRIORITY: i32 = 19;

impl Worker {
    pub fn run(self, context: &Context) -> CommandResult {
        // Not ended with the host, its terminal or its group of processes. That fails only where it
        // is so already.
        let _ = rustix::process::setsid();
        let _ = rustix::process::nice(LOWEST_PRIORITY);
        hardwon_faces::work(&context.environment, &context.options);
        Ok(Exit::Done)
    }
}
