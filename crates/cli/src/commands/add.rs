//! `hardwon add`

use clap::Args;
use hardwon_engine::lesson::Kind;
use hardwon_engine::{AddRequest, lessons};
use hardwon_foreign::jkz::notes::said_already;

use super::{CommandResult, Context};
use crate::args::{self, StatedArgs};

/// State a lesson by hand
///
/// Without --kind it is a preference of this project, shown from the next run on;
/// other kinds start as candidates.
#[derive(Args)]
pub struct Add {
    /// One or two sentences; `-` reads them from standard input
    text: String,
    /// preference, pattern, anti_pattern, hint, rule, precedent or fact
    #[arg(long, value_parser = args::kind)]
    kind: Option<Kind>,
    /// Use it in all your projects
    #[arg(long)]
    global: bool,
    /// The lesson whose place it takes, such as one that says the opposite
    #[arg(long, value_name = "ID")]
    supersedes: Option<String>,
    #[command(flatten)]
    stated: StatedArgs,
}

impl Add {
    pub fn run(self, context: &Context) -> CommandResult {
        let request = AddRequest {
            text: super::text_or_stdin(self.text)?,
            kind: self.kind,
            is_global: self.global,
            supersedes: self.supersedes,
            stated: self.stated.stated(),
        };
        let mut open = context.writer()?;
        let answer = lessons::add(&mut open.memory, &open.call, &request)?;
        let is_told = !context.printer.is_json();
        if is_told && !answer.body.is_injectable() {
            context.printer.talk(
                "not shown yet: a candidate is shown once runs report it, or after \
                 `hardwon review approve`",
            );
        }
        let place = said_already(&context.environment, answer.body.text.as_str());
        if let Some(place) = place.filter(|_| is_told && !self.global) {
            context.printer.talk(&format!("notice: {place} says this already"));
        }
        context.lesson(&open, answer)
    }
}
