//! `hardwon restore`

use clap::Args;
use hardwon_engine::lessons;

use super::{CommandResult, Context};

/// Bring back a lesson that was forgotten or has decayed, or what it said before
#[derive(Args)]
// Its own `--version` is the number of one.
#[command(disable_version_flag = true)]
pub struct Restore {
    /// The lesson: its id, a unique prefix of it, or an alias
    lesson: String,
    /// Let it say again what it said in this version; see `hardwon log --versions LESSON`
    #[arg(long, value_name = "N")]
    version: Option<u32>,
}

impl Restore {
    pub fn run(self, context: &Context) -> CommandResult {
        restore(context, &self.lesson, self.version)
    }
}

/// Brings a lesson back, or what it said in a version.
pub fn restore(context: &Context, lesson: &str, version: Option<u32>) -> CommandResult {
    let restore = |memory: &mut _, call: &_| match version {
        Some(number) => lessons::restore_version(memory, call, lesson, number),
        None => lessons::restore(memory, call, lesson),
    };
    context.changes(restore, |_| None)
}
