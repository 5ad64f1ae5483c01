//! `hardwon runs`

use clap::{Args, Subcommand};
use hardwon_engine::ids::RunId;
use hardwon_engine::run::{Outcome, RunKind};
use hardwon_engine::{DeliberationsRequest, RunsRequest, runs};
use hardwon_faces::Exit;
use hardwon_render::atif::atif;
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

/// List runs, show them as a tree, show everything about one, or what agents answered
///
/// Without a subcommand it lists them.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct RunsArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    which: Which,
}

#[derive(Subcommand)]
enum What {
    /// Runs, the newest first
    List(Which),
    /// Everything about one run: steps, findings, lessons, cost, related runs
    Show {
        #[arg(value_parser = args::run_id)]
        run: RunId,
        /// `hardwon`, or `atif`: its steps as an ATIF trajectory
        #[arg(long, value_parser = ["hardwon", "atif"], default_value = "hardwon")]
        style: String,
    },
    /// Runs as a tree: each below the run that contains it
    Tree {
        /// The tree of this run [default: those of the newest runs]
        #[arg(value_parser = args::run_id)]
        run: Option<RunId>,
        #[command(flatten)]
        which: Which,
    },
    /// What agents answered, with their verdicts
    ///
    /// Without a subcommand it lists them.
    #[command(args_conflicts_with_subcommands = true)]
    Deliberations {
        #[command(subcommand)]
        what: Option<Answers>,
        #[command(flatten)]
        which: WhichAnswers,
    },
}

#[derive(Subcommand)]
enum Answers {
    /// Answers, the newest first
    List(WhichAnswers),
    /// One answer in full
    Show {
        /// Its id, or a unique prefix
        id: String,
    },
    /// Answers that say about this, best first
    Search {
        #[arg(required = true, num_args = 1..)]
        words: Vec<String>,
        #[command(flatten)]
        which: WhichAnswers,
    },
}

#[derive(Args)]
struct WhichAnswers {
    /// Only those of this role
    #[arg(long)]
    role: Option<String>,
    /// Only those of this run
    #[arg(long, value_parser = args::run_id)]
    run: Option<RunId>,
    /// pass, fail, fixed, partial, blocked or another word of theirs
    #[arg(long)]
    verdict: Option<String>,
    /// Only those of the last N days
    #[arg(long, value_name = "N")]
    days: Option<u32>,
    /// At most this many [default: 20]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

#[derive(Args)]
struct Which {
    /// Only runs of this session
    #[arg(long)]
    session: Option<String>,
    /// Only runs of this task
    #[arg(long)]
    task: Option<String>,
    /// orchestrator, subagent, healer, review, ci, session or other
    #[arg(long, value_parser = args::run_kind)]
    kind: Option<RunKind>,
    /// success, partial, failed or aborted
    #[arg(long, value_parser = args::outcome)]
    outcome: Option<Outcome>,
    /// Only runs of this agent
    #[arg(long)]
    agent: Option<String>,
    /// Only runs of the last N days
    #[arg(long, value_name = "N")]
    days: Option<u32>,
    /// At most this many (of a tree: root runs) [default: 20]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only what comes after this place: `next` of the page before, with --json
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
}

impl Which {
    fn request(self) -> RunsRequest {
        RunsRequest {
            session: self.session,
            task: self.task,
            kind: self.kind,
            outcome: self.outcome,
            agent: self.agent,
            days: self.days,
            limit: self.limit,
            after: self.after,
        }
    }
}

impl RunsArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        match self.what {
            None => list(context, self.which),
            Some(What::List(which)) => list(context, which),
            Some(What::Show { run, style }) => show(context, &run, style == "atif"),
            Some(What::Tree { run, which }) => tree(context, run.as_ref(), which),
            Some(What::Deliberations { what, which }) => match what {
                None => answers(context, None, which),
                Some(Answers::List(which)) => answers(context, None, which),
                Some(Answers::Search { words, which }) => {
                    answers(context, Some(words.join(" ")), which)
                }
                Some(Answers::Show { id }) => answer(context, &id),
            },
        }
    }
}

fn list(context: &Context, which: Which) -> CommandResult {
    let open = context.reader()?;
    let answer = runs::runs_list(&open.memory, &open.call, &which.request())?;
    context.print(&open, answer, text::runs)
}

fn tree(context: &Context, run: Option<&RunId>, which: Which) -> CommandResult {
    let open = context.reader()?;
    let answer = runs::runs_tree(&open.memory, &open.call, run, &which.request())?;
    context.print(&open, answer, text::run_tree)
}

fn answers(context: &Context, text: Option<String>, which: WhichAnswers) -> CommandResult {
    let WhichAnswers { role, run, verdict, days, limit } = which;
    let request = DeliberationsRequest { text, role, run, verdict, days, limit };
    let open = context.reader()?;
    let answer = runs::deliberations(&open.memory, &open.call, &request)?;
    context.print(&open, answer, text::deliberations)
}

fn answer(context: &Context, id: &str) -> CommandResult {
    let open = context.reader()?;
    let answer = runs::deliberation(&open.memory, &open.call, id)?;
    context.print(&open, answer, text::deliberation)
}

fn show(context: &Context, run: &RunId, is_atif: bool) -> CommandResult {
    let open = context.reader()?;
    if is_atif {
        context.printer.document(&atif(&runs::run_named(&open.memory, &open.call, run)?));
        return Ok(Exit::Done);
    }
    let answer = runs::runs_show(&open.memory, &open.call, run)?;
    context.print(&open, answer, text::run_story)
}
