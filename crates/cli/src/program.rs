//! The command line: every command, and who runs it.

use std::ffi::OsString;

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

/// The two commands that something waits for. That the others are not even described then
/// saves a tenth of the work of a block.
#[derive(Parser)]
#[command(name = "hardwon")]
struct Awaited {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: AwaitedCommand,
}

#[derive(Subcommand)]
enum AwaitedCommand {
    Inject(Box<inject::Inject>),
    Hook(hook::Hook),
}

impl Cli {
    /// Reads the command line. What is wrong with it is told with the whole program in view.
    pub fn read(arguments: &[OsString]) -> Result<Cli, clap::Error> {
        let first = arguments.get(1).map(OsString::as_os_str);
        let is_awaited = first.is_some_and(|word| word == "inject" || word == "hook");
        let awaited = is_awaited.then(|| Awaited::try_parse_from(arguments).ok()).flatten();
        match awaited {
            Some(Awaited { common, command: AwaitedCommand::Inject(args) }) => {
                Ok(Cli { common, command: Command::Inject(*args) })
            }
            Some(Awaited { common, command: AwaitedCommand::Hook(args) }) => {
                Ok(Cli { common, command: Command::Hook(args) })
            }
            None => Cli::try_parse_from(arguments),
        }
    }
}

/// Declares the commands, and who runs each.
macro_rules! commands {
    ($($(#[$meta:meta])* $name:ident($module:ident::$args:ident),)+) => {
        #[derive(Subcommand)]
        pub enum Command {
            $($(#[$meta])* $name($module::$args),)+
        }

        pub fn run(command: Command, context: &Context) -> CommandResult {
            match command {
                $(Command::$name(args) => args.run(context),)+
            }
        }
    };
}

commands! {
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
    Findings(findings::FindingsArgs),
    Tried(tried::TriedArgs),
    Regressions(regressions::Regressions),
    Decay(decay::Decay),
    Add(add::Add),
    List(list::List),
    Show(show::Show),
    Why(why::Why),
    Search(search::Search),
    Ask(ask::Ask),
    Edit(edit::Edit),
    Pin(pin::Pin),
    Forget(forget::Forget),
    Restore(restore::Restore),
    Merge(merge::Merge),
    Audit(audit::Audit),
    Review(review::ReviewArgs),
    Guard(guard::Guard),
    History(history::History),
    Undo(undo::Undo),
    Usage(usage::Usage),
    Stats(stats::Stats),
    Trust(trust::Trust),
    Notes(notes::NotesArgs),
    Import(import::Import),
    Export(export::Export),
    Archeflow(archeflow::ArcheflowArgs),
    Geas(geas::GeasArgs),
    Jkz(jkz::JkzArgs),
    Init(init::Init),
    Install(install::Install),
    Uninstall(uninstall::Uninstall),
    Mcp(mcp::Mcp),
    Serve(serve::Serve),
    Doctor(doctor::Doctor),
    Store(store::StoreArgs),
    Team(team::TeamArgs),
    Share(share::Share),
    Config(config::Config),
    Model(model::ModelArgs),
    Policy(policy::PolicyArgs),
    Project(project::ProjectArgs),
    Backtest(backtest::Backtest),
    Replay(replay::Replay),
    #[command(hide = true)]
    Worker(worker::Worker),
    #[command(hide = true)]
    Simulate(moved::Moved),
    #[command(hide = true)]
    Bench(moved::Moved),
    Completions(completions::Completions),
    Help(help::Help),
}
