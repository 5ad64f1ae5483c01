//! The one binary: arguments in, one use case, one rendering out, one exit status.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod help;
mod printer;
mod program;
mod spellings;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::CommandFactory;
use clap::error::ErrorKind;
use hardwon_engine::answer::Status;
use hardwon_engine::voice::Voice;
use hardwon_engine::{Environment, problems, without_control};
use hardwon_faces::{Exit, Failure, fault};

use printer::Printer;
use program::{Cli, Command};

fn main() -> ExitCode {
    let is_limit_met = survive_file_limits();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let (arguments, notice) = match spellings::respelled(&arguments) {
        Some(respelled) => (respelled.arguments.clone(), Some(respelled.notice())),
        None => (arguments, None),
    };
    // To a host nothing is wrong that is ours.
    let spares = ["hook", "inject"].iter().any(|name| is_command(&arguments, name));
    fault::ends_the_process(if spares { 0 } else { fault::STATUS });
    let cli = match Cli::read(&arguments) {
        Ok(cli) => cli,
        // To a host, exit status 2 means that it must stop its agent.
        Err(error) if is_command(&arguments, "hook") => {
            let _ = usage(&arguments, &error);
            return ExitCode::SUCCESS;
        }
        Err(error) => return usage(&arguments, &error),
    };
    let printer = Printer::new(cli.common.is_json);
    if let Some(notice) = notice {
        printer.talk(&notice);
    }
    let mut environment = Environment::of_process(cli.common.is_as_user);
    if environment.speaker.voice == Voice::Agent {
        environment.speaker.session = hardwon_hosts::session_of_process(&environment);
    }
    let context = commands::Context {
        environment,
        options: cli.common.options(),
        printer,
        tree: Cli::command,
    };
    let is_inject = matches!(cli.command, Command::Inject(_));
    let exit = program::run(cli.command, &context).unwrap_or_else(|failure| {
        context.printer.failure(&failure);
        if is_limit_met.load(Ordering::Relaxed) {
            context.printer.talk("  a file reached the size that is allowed here (`ulimit -f`)");
        }
        if failure.exit == Exit::Store {
            note(&context.environment, &arguments, &failure);
        }
        failure.exit
    });
    match context.printer.trouble() {
        // Memory never stops a run, not even when its prompt cannot be written.
        Some(trouble) if !is_inject => {
            context.printer.talk(&format!("hardwon: the answer could not be written: {trouble}"));
            ExitCode::from(Exit::Store.code())
        }
        Some(_) | None => ExitCode::from(exit.code()),
    }
}

/// Where files may only grow to a limit (`ulimit -f`), a write beyond it would end the process by a
/// signal. With a handler it is a failed write like any other. Children get no handler. Gives
/// whether the limit was met.
fn survive_file_limits() -> Arc<AtomicBool> {
    let is_met = Arc::new(AtomicBool::new(false));
    // Without a handler everything works as long as the limit is not met.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::clone(&is_met));
    is_met
}

fn is_command(arguments: &[OsString], name: &str) -> bool {
    let mut words = arguments.iter().skip(1).map(|argument| argument.to_string_lossy());
    words.find(|word| !word.starts_with('-')).is_some_and(|word| word == name)
}

/// Records for `doctor` that the store could not be used. The command's name is determined only
/// now: it costs parsing the arguments again.
fn note(environment: &Environment, arguments: &[OsString], failure: &Failure) {
    let matches = Cli::command().try_get_matches_from(arguments).ok();
    let name = matches.as_ref().and_then(|matches| matches.subcommand_name()).unwrap_or_default();
    problems::note(environment, name, Status::Failed, &failure.message);
}

/// Help and version are answers; anything else is a usage error, also printed as JSON if JSON
/// was asked for.
fn usage(arguments: &[OsString], error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp => {
            Printer::new(false).data(&help::grouped(error, Cli::command));
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayVersion => {
            Printer::new(false).data(&error.render().to_string());
            ExitCode::SUCCESS
        }
        _ => {
            let wants_json = arguments.iter().any(|argument| argument == "--json");
            let printer = Printer::new(wants_json);
            // clap repeats what was typed, which may hold anything.
            let text = help::grouped(error, Cli::command);
            let lines: Vec<String> = text.lines().map(without_control).collect();
            for line in &lines {
                printer.talk(line);
            }
            if wants_json {
                printer.json_failure(&Failure::usage(first_paragraph(&lines), None));
            }
            ExitCode::from(Exit::Usage.code())
        }
    }
}

/// What is wrong, without the usage that follows it.
fn first_paragraph(lines: &[String]) -> String {
    let is_over = |line: &&String| !line.starts_with("Usage:") && !line.starts_with("For more");
    let text: Vec<&str> = lines.iter().take_while(is_over).map(|line| line.trim()).collect();
    let text = text.join(" ");
    text.trim().trim_start_matches("error: ").to_owned()
}
