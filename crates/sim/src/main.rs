//! `hardwon-sim`: the measurements of Hardwon as a program of their own, so that what people
//! install does not carry them. One subcommand per measurement; each prints one table.
#![forbid(unsafe_code)]

mod args;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use hardwon_engine::backtest::How;
use hardwon_engine::{harmless, harmless_json, without_control};
use hardwon_sim::{
    Table, backtest, durability, matching, poison, redaction, rescue, retrieval, simulate, speed,
};

use args::{Cli, Command};

/// Exit statuses, as those of `hardwon`.
const NEGATIVE: u8 = 1;
const USAGE: u8 = 2;

/// What a measurement found.
struct Outcome {
    table: Table,
    /// Whether everything that was promised held.
    is_good: bool,
}

impl From<Table> for Outcome {
    fn from(table: Table) -> Self {
        Outcome { table, is_good: true }
    }
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match measure(cli.command, cli.program) {
        Ok(outcome) => {
            print(&outcome.table, cli.is_json);
            if outcome.is_good { ExitCode::SUCCESS } else { ExitCode::from(NEGATIVE) }
        }
        Err(message) => {
            talk(&format!("hardwon-sim: {message}"));
            ExitCode::from(USAGE)
        }
    }
}

fn measure(command: Command, named: Option<PathBuf>) -> Result<Outcome, String> {
    let talk = &mut talk;
    Ok(match command {
        Command::Speed(ask) => speed::run(&program(named)?, &ask, talk)?.into(),
        Command::Matching { data } => matching::run(data.as_deref(), talk)?.into(),
        Command::Retrieval { files } => retrieval::run(&files, talk)?.into(),
        Command::Redaction { rules, n, seed, findings } => {
            let (findings, rules) = (findings.as_deref(), rules.as_deref());
            redaction::run(&redaction::Ask { n, seed, findings, rules }, talk)?.into()
        }
        Command::Poison(size) => {
            let outcome = poison::run(size, talk)?;
            Outcome { table: outcome.table(), is_good: outcome.is_kept() }
        }
        Command::Durability(plan) => {
            let outcome = durability::run(&program(named)?, plan, talk)?;
            Outcome { table: outcome.table(), is_good: outcome.is_clean() }
        }
        Command::Rescue(plan) => {
            let outcome = rescue::run(&program(named)?, &plan, talk)?;
            Outcome { table: outcome.table(), is_good: outcome.is_kept() }
        }
        Command::Backtest { files, nothing_recorded, hold_out: holds_out, seed } => {
            let how = How { is_recorded: !nothing_recorded, holds_out, seed };
            backtest::run(&files, how, talk)?.into()
        }
        Command::Simulate { quick, seed, runs, heed } => {
            let size = if quick { simulate::Size::QUICK } else { simulate::Size::WHOLE };
            let n_runs = runs.map_or(size.n_runs, |runs| runs as usize);
            let size = simulate::Size { n_runs, ..size };
            simulate::run(size, seed, &heed).map_err(|error| error.to_string())?.into()
        }
    })
}

/// The `hardwon` that is measured: the one that was named, else the one beside this program.
fn program(named: Option<PathBuf>) -> Result<PathBuf, String> {
    if let Some(named) = named {
        // A bare name would be looked for on PATH when it is started elsewhere.
        let found = named.canonicalize().ok().filter(|path| path.is_file());
        return found.ok_or_else(|| format!("{} is not a program", named.display()));
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let beside = own.parent().unwrap_or(Path::new(".")).join("hardwon");
    if beside.is_file() {
        return Ok(beside);
    }
    let profile = if cfg!(debug_assertions) { "" } else { " --release" };
    Err(format!(
        "no program to measure at {}: build it with `cargo build{profile} -p \
         hardwon-cli`, or name one with --program PATH",
        beside.display()
    ))
}

fn print(table: &Table, is_json: bool) {
    let text = if is_json {
        let mut answer = table.to_json();
        answer["status"] = "ok".into();
        answer["problems"] = Vec::<String>::new().into();
        harmless_json(&format!("{answer:#}\n")).into_owned()
    } else {
        harmless(&table.to_string()).into_owned()
    };
    // A reader that went away has its reasons.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

fn talk(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", harmless(line));
}

/// Help and version are answers; anything else is a usage error.
fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = std::io::stdout().lock().write_all(text.as_bytes());
        return ExitCode::SUCCESS;
    }
    // clap repeats what was typed, which may hold anything.
    text.lines().for_each(|line| talk(&without_control(line)));
    ExitCode::from(USAGE)
}
