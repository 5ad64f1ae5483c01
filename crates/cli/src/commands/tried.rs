//! `hardwon list attempts`

use clap::Args;
use hardwon_engine::runs;
use hardwon_faces::Exit;
use hardwon_render::text;

use super::{CommandResult, Context, text_or_stdin};

#[derive(Args)]
pub struct TriedArgs {
    /// The issue: 12, #12, issue-12, its address or another name
    issue: String,
    /// A text or a diff that somebody is about to try; `-` reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    is: Option<String>,
}

impl TriedArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        let is = self.is.map(text_or_stdin).transpose()?;
        let open = context.reader()?;
        let answer = runs::tried(&open.memory, &open.call, &self.issue, is.as_deref())?;
        let exit = if answer.body.repeats.is_empty() { Exit::Done } else { Exit::Negative };
        context.print(&open, answer, text::tried)?;
        Ok(exit)
    }
}
