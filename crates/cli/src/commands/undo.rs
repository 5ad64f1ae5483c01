//! `hardwon undo`

use clap::Args;
use hardwon_engine::history;
use hardwon_engine::ids::OperationId;
use hardwon_render::text;

use super::{CommandResult, Context};

/// Undo what one command did
///
/// Refused, with their numbers, if later operations touched the same lesson.
#[derive(Args)]
pub struct Undo {
    /// The operation's number from `hardwon log` [default: the newest that is not undone]
    operation: Option<u64>,
}

impl Undo {
    pub fn run(self, context: &Context) -> CommandResult {
        let operation = self.operation.map(OperationId);
        context.writes(|memory, call| history::undo(memory, call, operation), text::undo)
    }
}
