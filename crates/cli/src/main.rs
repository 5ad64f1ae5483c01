//! The one binary: arguments in, one use case, one rendering out, one exit status.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod printer;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use hardwon_engine::Environment;
use hardwon_faces::{Exit, Failure, Kind};

use args::Cli;
use printer::Printer;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&arguments, &error),
    };
    let printer = Printer::new(cli.common.is_json);
    let context = commands::Context {
        environment: Environment::of_process(),
        options: cli.common.options(),
        printer,
    };
    let exit = commands::run(cli.command, &context).unwrap_or_else(|failure| {
        context.printer.failure(&failure);
        failure.exit()
    });
    ExitCode::from(exit as u8)
}

/// Help and version are answers; anything else is a usage error, told as JSON when
/// JSON was asked for.
fn usage(arguments: &[OsString], error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            Printer::new(false).data(&error.render().to_string());
            ExitCode::SUCCESS
        }
        _ => {
            let wants_json = arguments.iter().any(|argument| argument == "--json");
            let printer = Printer::new(wants_json);
            let text = error.render().to_string();
            printer.talk(text.trim_end());
            if wants_json {
                let message = text.lines().next().unwrap_or_default();
                let message = message.trim_start_matches("error: ").to_owned();
                printer.json_failure(&Failure { kind: Kind::Usage, message, hint: None });
            }
            ExitCode::from(Exit::Usage as u8)
        }
    }
}
