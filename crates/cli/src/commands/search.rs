//! `hardwon search`

use clap::Args;
use hardwon_engine::lessons;
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};

/// Find lessons by their words, best first
#[derive(Args)]
pub struct Search {
    /// Words; code names are split, so `userId` finds `user id`
    #[arg(required = true, num_args = 1..)]
    words: Vec<String>,
    /// Also what was put away
    #[arg(long)]
    all: bool,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

impl Search {
    pub fn run(self, context: &Context) -> Done {
        let engine = context.reader()?;
        let mut answer = lessons::search(
            &engine.memory,
            &engine.call,
            &self.words.join(" "),
            self.limit,
            self.all,
        )?;
        take_problems(&engine, &mut answer);
        let width = context.width();
        context.printer.answer(&answer, json::lessons, |lessons| text::lessons(lessons, width));
        Ok(Exit::Done)
    }
}
