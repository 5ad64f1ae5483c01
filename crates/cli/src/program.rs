//! What can be typed: the list of commands, and who answers each.

use clap::{Parser, Subcommand};

use crate::args::Common;
use crate::commands::*;

/// Cross-run memory for AI agents: lessons your agents paid for once.
#[derive(Parser)]
#[command(name = "hardwon", version, propagate_version = true, max_term_width = 100)]
#[command(disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

/// Every command.
#[derive(Subcommand)]
pub enum Command {
    Tour(tour::Tour),
    Learn(learn::Learn),
    Inject(inject::Inject),
    Hook(hook::Hook),
    Report(report::Report),
    Runs(runs::RunsArgs),
    Reflect(reflect::Reflect),
    Events(events::Events),
    Outcome(outcome::OutcomeArgs),
    Mark(mark::Mark),
    Check(check::Check),
    Regressions(regressions::Regressions),
    Decay(decay::Decay),
    Add(add::Add),
    List(list::List),
    Show(show::Show),
    Why(why::Why),
    Search(search::Search),
    Edit(edit::Edit),
    Pin(pin::Pin),
    Forget(forget::Forget),
    Restore(restore::Restore),
    Merge(merge::Merge),
    Review(review::ReviewArgs),
    Guard(guard::Guard),
    History(history::History),
    Undo(undo::Undo),
    Stats(stats::Stats),
    Trust(trust::Trust),
    Import(import::Import),
    Export(export::Export),
    Archeflow(archeflow::ArcheflowArgs),
    Init(init::Init),
    Install(install::Install),
    Uninstall(uninstall::Uninstall),
    Mcp(mcp::Mcp),
    Doctor(doctor::Doctor),
    Config(config::Config),
    Policy(policy::PolicyArgs),
    Project(project::ProjectArgs),
    Replay(replay::Replay),
    #[command(hide = true)]
    Simulate(moved::Moved),
    #[command(hide = true)]
    Bench(moved::Moved),
    Completions(completions::Completions),
    Help(help::Help),
}

/// Runs a command.
pub fn run(command: Command, context: &Context) -> Done {
    match command {
        Command::Tour(args) => args.run(context),
        Command::Learn(args) => args.run(context),
        Command::Inject(args) => args.run(context),
        Command::Hook(args) => args.run(context),
        Command::Report(args) => args.run(context),
        Command::Runs(args) => args.run(context),
        Command::Reflect(args) => args.run(context),
        Command::Events(args) => args.run(context),
        Command::Outcome(args) => args.run(context),
        Command::Mark(args) => args.run(context),
        Command::Check(args) => args.run(context),
        Command::Regressions(args) => args.run(context),
        Command::Decay(args) => args.run(context),
        Command::Add(args) => args.run(context),
        Command::List(args) => args.run(context),
        Command::Show(args) => args.run(context),
        Command::Why(args) => args.run(context),
        Command::Search(args) => args.run(context),
        Command::Edit(args) => args.run(context),
        Command::Pin(args) => args.run(context),
        Command::Forget(args) => args.run(context),
        Command::Restore(args) => args.run(context),
        Command::Merge(args) => args.run(context),
        Command::Review(args) => args.run(context),
        Command::Guard(args) => args.run(context),
        Command::History(args) => args.run(context),
        Command::Undo(args) => args.run(context),
        Command::Stats(args) => args.run(context),
        Command::Trust(args) => args.run(context),
        Command::Import(args) => args.run(context),
        Command::Export(args) => args.run(context),
        Command::Archeflow(args) => args.run(context),
        Command::Init(args) => args.run(context),
        Command::Install(args) => args.run(context),
        Command::Uninstall(args) => args.run(context),
        Command::Mcp(args) => args.run(context),
        Command::Doctor(args) => args.run(context),
        Command::Config(args) => args.run(context),
        Command::Policy(args) => args.run(context),
        Command::Project(args) => args.run(context),
        Command::Replay(args) => args.run(context),
        Command::Simulate(args) => args.run("simulate"),
        Command::Bench(args) => args.run("bench"),
        Command::Completions(args) => args.run(context),
        Command::Help(args) => args.run(context),
    }
}
