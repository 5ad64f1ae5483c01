//! `hardwon list`

use clap::Args;
use hardwon_engine::lesson::{Kind, State};
use hardwon_engine::{ListRequest, lessons};
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args::{self, ScopeArgs};

/// List lessons, the most valuable first
///
/// Archived, superseded and rejected lessons are listed only with --all or --state.
#[derive(Args)]
pub struct List {
    /// Also archived, superseded and rejected lessons
    #[arg(long)]
    all: bool,
    /// candidate, provisional, stable, canonical, under_review, decayed, superseded,
    /// archived, rejected or quarantined (repeatable)
    #[arg(long = "state", value_parser = args::state)]
    states: Vec<State>,
    /// preference, pattern, anti_pattern, hint, rule, precedent or fact (repeatable)
    #[arg(long = "kind", value_parser = args::kind)]
    kinds: Vec<Kind>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Only lessons with this tag (repeatable)
    #[arg(long = "tag")]
    tags: Vec<String>,
    /// Only lessons that contain all these words
    #[arg(long)]
    text: Option<String>,
    /// At most this many
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only what comes after this place: `next` of the page before, with --json
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
}

impl List {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let answer = lessons::list(
            &open.memory,
            &open.call,
            &ListRequest {
                is_all: self.all,
                states: self.states,
                kinds: self.kinds,
                scope: self.scope.pairs(),
                tags: self.tags,
                text: self.text,
                limit: self.limit,
                after: self.after,
            },
        )?;
        context.print(&open, answer, text::lessons)
    }
}
