//! `hardwon edit`

use clap::Args;
use hardwon_engine::lesson::Kind;
use hardwon_engine::scope::Dimension;
use hardwon_engine::{EditRequest, lessons};

use super::{CommandResult, Context};
use crate::args::{self, StatedArgs};

/// Reword, rescope or retag a lesson
#[derive(Args)]
pub struct Edit {
    /// The lesson: its id, a unique prefix of it, or an alias
    lesson: String,
    /// The new text; `-` reads it from standard input
    #[arg(long)]
    text: Option<String>,
    /// preference, pattern, anti_pattern, hint, rule, precedent or fact
    #[arg(long, value_parser = args::kind)]
    kind: Option<Kind>,
    #[command(flatten)]
    stated: StatedArgs,
    /// What it comes to in a few words, for blocks without room; empty removes it
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// Remove a dimension from the scope: domain, role, tool, provider, session or task. A
    /// task's lesson first becomes its session's, then the project's
    #[arg(long, value_name = "DIMENSION", value_parser = args::dimension)]
    unscope: Vec<Dimension>,
    /// Remove a tag (repeatable)
    #[arg(long, value_name = "TAG")]
    untag: Vec<String>,
    /// Remove a path (repeatable)
    #[arg(long, value_name = "PATH")]
    unpath: Vec<String>,
}

impl Edit {
    pub fn run(self, context: &Context) -> CommandResult {
        let request = EditRequest {
            text: self.text.map(super::text_or_stdin).transpose()?,
            kind: self.kind,
            stated: self.stated.stated(),
            unscope: self.unscope,
            untag: self.untag,
            unpath: self.unpath,
            summary: self.summary,
            keeps_wording: false,
        };
        let mut open = context.writer()?;
        let answer = lessons::edit(&mut open.memory, &open.call, &self.lesson, &request)?;
        context.lesson(&open, answer)
    }
}
