//! `hardwon outcome`, and the hidden `mark`, `check` and `guard` of a run.

use clap::{Args, Subcommand};
use hardwon_engine::effect::EffectKind;
use hardwon_engine::ids::RunId;
use hardwon_engine::run::Outcome;
use hardwon_engine::{Call, MarkRequest, Memory, runs};
use hardwon_faces::Exit;
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

/// State how a run ended: success, partial, failed or aborted
#[derive(Args)]
pub struct OutcomeArgs {
    #[arg(value_parser = args::run_id)]
    run: RunId,
    #[arg(value_parser = args::outcome)]
    outcome: Outcome,
    /// Replace what was stated before
    #[arg(long)]
    correct: bool,
}

impl OutcomeArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        let OutcomeArgs { run, outcome, correct } = &self;
        let state = |memory: &mut Memory, call: &Call| {
            let answer = runs::outcome(memory, call, run, *outcome, *correct)?;
            runs::reflect_later(memory, call, &context.environment, run);
            Ok(answer)
        };
        context.writes(state, |body, _| text::outcome(body))
    }
}

/// Show what the lessons shown in a run did (ArcheFlow: audit-check)
///
/// Compares each lesson that was shown with the findings of the run. `learn` does this
/// automatically; doing it again gives the same answer.
#[derive(Args)]
pub struct Check {
    #[arg(value_parser = args::run_id)]
    run: RunId,
}

impl Check {
    pub fn run(self, context: &Context) -> CommandResult {
        context.writes(|memory, call| runs::check(memory, call, &self.run), text::check)
    }
}

/// State what a lesson did in a run in which it was shown
///
/// What is stated here stays when the effects of the run are computed again. A lesson that
/// hurt twice goes under review and is not shown until it is reviewed.
#[derive(Args)]
pub struct Mark {
    /// The lesson: its id, a unique prefix of it, or an alias
    lesson: String,
    /// helped, no_help, hurt, contradicted, neutral or no_opportunity
    #[arg(value_parser = args::effect)]
    effect: EffectKind,
    /// The run in which it was shown
    #[arg(long, value_parser = args::run_id)]
    run: RunId,
    /// Why, in a few words
    #[arg(long)]
    because: String,
}

impl Mark {
    pub fn run(self, context: &Context) -> CommandResult {
        let Mark { lesson, effect, run, because } = self;
        let request = MarkRequest { lesson, effect, run, because };
        context.changes(|memory, call| runs::mark(memory, call, &request), |_| None)
    }
}

/// Exit with 1 until a condition is met: for pipelines that enforce a step
#[derive(Args)]
pub struct Guard {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The run was learned, has an outcome, and every lesson shown to it was judged
    RunClosed {
        #[arg(value_parser = args::run_id)]
        run: RunId,
    },
    /// The lesson does not wait for a decision
    Reviewed {
        /// The lesson: its id, a unique prefix of it, or an alias
        lesson: String,
    },
}

impl Guard {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let answer = match self.what {
            What::RunClosed { run } => runs::guard_run_closed(&open.memory, &open.call, &run)?,
            What::Reviewed { lesson } => runs::guard_reviewed(&open.memory, &open.call, &lesson)?,
        };
        context.answer(&answer, |guarded, _| text::guard(guarded))?;
        Ok(if answer.body.is_met { Exit::Done } else { Exit::Negative })
    }
}
