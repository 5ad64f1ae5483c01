//! `hardwon undo`

use clap::Args;
use hardwon_engine::history;
use hardwon_engine::ids::OperationId;
use hardwon_faces::Exit;
use hardwon_render::text;

use super::{Context, Done, take_problems};

/// Undo what one command did
///
/// Refused, with their numbers, if later operations touched the same lesson.
#[derive(Args)]
pub struct Undo {
    /// The operation's number from `history` [default: the newest not taken back yet]
    operation: Option<u64>,
}

impl Undo {
    pub fn run(self, context: &Context) -> Done {
        let mut engine = context.writer()?;
        let mut answer =
            history::undo(&mut engine.memory, &engine.call, self.operation.map(OperationId))?;
        take_problems(&engine, &mut answer);
        let width = context.width();
        context.printer.answer(&answer, |undone| text::undo(undone, width));
        Ok(Exit::Done)
    }
}
