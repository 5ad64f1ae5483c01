//! `hardwon edit`

use clap::Args;
use hardwon_engine::lesson::Kind;
use hardwon_engine::scope::Dimension;
use hardwon_engine::{EditRequest, lessons};

use super::forget::restore;
use super::{CommandResult, Context};
use crate::args::{self, StatedArgs};

/// Change a lesson: its words, scope, tags; pin it, merge it into another, bring it back
#[derive(Args)]
pub struct Edit {
    /// The lesson: its id, a unique prefix of it, or an alias
    lesson: String,
    /// Reserve space for it in every block
    #[arg(long, group = "instead", conflicts_with_all = OF_THE_LESSON.split(' '))]
    pin: bool,
    /// Reserve no space for it any more
    #[arg(long, group = "instead", conflicts_with_all = OF_THE_LESSON.split(' '))]
    unpin: bool,
    /// Merge it into this one, which gets the evidence of both and replaces it
    #[arg(long, value_name = "OTHER", group = "instead", conflicts_with_all = OF_THE_LESSON.split(' '))]
    into: Option<String>,
    /// Bring it back if it was forgotten or has decayed; with a number from `hardwon log --versions
    /// LESSON`, what it said then
    #[arg(long, value_name = "VERSION", group = "instead", conflicts_with_all = OF_THE_LESSON.split(' '),
          num_args = 0..=1, require_equals = true)]
    restore: Option<Option<u32>>,
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

/// What is said of the lesson itself, which cannot be said while something else happens to it.
const OF_THE_LESSON: &str = "text kind summary unscope untag unpath category severity importance \
                             tags paths aliases rule detail applies_when repair domain role tool \
                             provider session task repo phase error_class";

impl Edit {
    pub fn run(self, context: &Context) -> CommandResult {
        if self.pin || self.unpin {
            return pin(context, &self.lesson, self.pin);
        }
        if let Some(into) = &self.into {
            let merge = |memory: &mut _, call: &_| lessons::merge(memory, call, &self.lesson, into);
            return context.changes(merge, |_| None);
        }
        if let Some(version) = self.restore {
            return restore(context, &self.lesson, version);
        }
        let request = EditRequest {
            text: self.text.map(super::text_or_stdin).transpose()?,
            kind: self.kind,
            stated: self.stated.stated(),
            unscope: self.unscope,
            untag: self.untag,
            unpath: self.unpath,
            summary: self.summary,
        };
        let edit = |memory: &mut _, call: &_| lessons::edit(memory, call, &self.lesson, &request);
        context.changes(edit, |_| None)
    }
}

fn pin(context: &Context, lesson: &str, is_pinned: bool) -> CommandResult {
    let pin = |memory: &mut _, call: &_| lessons::pin(memory, call, lesson, is_pinned);
    context.changes(pin, |lesson| {
        let is_out = lesson.is_pinned && !lesson.is_injectable();
        is_out.then(|| format!("not shown while it is {}", lesson.state))
    })
}
