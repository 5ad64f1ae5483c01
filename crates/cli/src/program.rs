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
    Install(install::Install),
    Inject(inject::Inject),
    Learn(learn::Learn),
    Report(report::Report),
    List(list::List),
    Show(show::Show),
    Add(add::Add),
    Edit(edit::Edit),
    Forget(forget::Forget),
    Review(review::ReviewArgs),
    Undo(log::Undo),
    Log(log::Log),
    Serve(serve::Serve),
    Doctor(doctor::Doctor),
    Why(show::Why),
    Reflect(reflect::Reflect),
    Share(share::Share),
    Import(export::Import),
    Export(export::Export),
    #[command(alias = "replay")]
    Backtest(backtest::Backtest),
    Config(config::Config),
    Mcp(mcp::Mcp),
    Tour(tour::Tour),
    Uninstall(install::Uninstall),
    Help(help::Help),
    Archeflow(archeflow::ArcheflowArgs),
    Geas(geas::GeasArgs),
    Jkz(jkz::JkzArgs),
    #[command(hide = true)]
    Hook(hook::Hook),
    #[command(hide = true)]
    Worker(hook::Worker),
    #[command(hide = true)]
    Init(init::Init),
    #[command(hide = true)]
    Outcome(outcome::OutcomeArgs),
    #[command(hide = true)]
    Mark(outcome::Mark),
    #[command(hide = true)]
    Check(outcome::Check),
    #[command(hide = true)]
    Restore(forget::Restore),
    #[command(hide = true)]
    Guard(outcome::Guard),
    #[command(hide = true)]
    Policy(config::PolicyArgs),
}
