//! `hardwon help`

use clap::Args;
use clap::error::ErrorKind;
use hardwon_faces::{Exit, Failure};

use super::{CommandResult, Context};
use crate::help::{self, Screen};

/// Explain a command; `help all` lists more of them, `help systems` those of other systems
#[derive(Args)]
pub struct Help {
    /// A command, followed by its subcommand if it has one; or `all`, or `systems`
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

impl Help {
    pub fn run(self, context: &Context) -> CommandResult {
        let screen = match self.command.as_slice() {
            [word] if word == "all" => Some(Screen::All),
            [word] if word == "systems" => Some(Screen::Systems),
            _ => None,
        };
        if let Some(screen) = screen {
            context.printer.data(&help::top(context.tree, screen));
            return Ok(Exit::Done);
        }
        let mut tree = (context.tree)();
        tree.build();
        // Takes `--help` for itself.
        if let [name] = self.command.as_slice()
            && let Some(command) = tree.find_subcommand_mut(name)
            && command.is_disable_help_flag_set()
        {
            context.printer.data(&command.render_long_help().to_string());
            return Ok(Exit::Done);
        }
        let typed = ["hardwon"].into_iter().chain(self.command.iter().map(String::as_str));
        match (context.tree)().try_get_matches_from(typed.chain(["--help"])) {
            Err(error) if error.kind() == ErrorKind::DisplayHelp => {
                context.printer.data(&help::grouped(&error, context.tree));
                Ok(Exit::Done)
            }
            Ok(_) | Err(_) => {
                let message = format!("there is no command {}", self.command.join(" "));
                Err(Failure::usage(message, Some("`hardwon help all` lists the commands")))
            }
        }
    }
}
