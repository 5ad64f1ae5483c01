//! `hardwon search`

use clap::Args;
use hardwon_engine::lessons;
use hardwon_render::text;

use super::{CommandResult, Context};

/// Find lessons by their words, best first, and say by which
#[derive(Args)]
pub struct Search {
    /// Words; identifiers are split, so `userId` finds `user id`
    #[arg(required = true, num_args = 1..)]
    words: Vec<String>,
    /// Also archived, superseded and rejected lessons
    #[arg(long)]
    all: bool,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

impl Search {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let answer =
            lessons::search(&open.memory, &open.call, &self.words.join(" "), self.limit, self.all)?;
        context.print(&open, answer, text::hits)
    }
}
