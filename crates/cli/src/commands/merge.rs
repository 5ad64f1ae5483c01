//! `hardwon merge`

use clap::Args;
use hardwon_engine::lessons;
use hardwon_faces::Failure;
use hardwon_render::text;

use super::{CommandResult, Context};

/// Merge a lesson into another that says the same
///
/// The second replaces the first and gets the evidence of both. Without arguments it lists
/// pairs that may say the same; nothing is ever merged automatically.
#[derive(Args)]
pub struct Merge {
    /// The lesson that goes
    lesson: Option<String>,
    /// The lesson that stays
    into: Option<String>,
    /// List at most this many pairs
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

impl Merge {
    pub fn run(self, context: &Context) -> CommandResult {
        match (self.lesson, self.into) {
            (Some(lesson), Some(into)) => {
                let mut open = context.writer()?;
                let answer = lessons::merge(&mut open.memory, &open.call, &lesson, &into)?;
                context.lesson(&open, answer)
            }
            (Some(_), None) | (None, Some(_)) => {
                let hint = Some("hardwon merge LESSON INTO");
                Err(Failure::usage("name the lesson that goes and the one that stays", hint))
            }
            (None, None) => {
                let open = context.reader()?;
                let answer = lessons::near_pairs(&open.memory, &open.call, self.limit)?;
                context.answer(&answer, text::near_pairs)
            }
        }
    }
}
