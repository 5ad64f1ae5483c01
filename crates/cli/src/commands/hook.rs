//! `hardwon hook`

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use clap::Args;
use hardwon_engine::{Environment, Options};
use hardwon_faces::Exit;
use hardwon_hosts::hosts;

use super::{CommandResult, Context};

/// Answer an event of an agent's host, given as JSON on standard input
///
/// The host calls this; `hardwon install` writes the entry into its settings. Prints an answer
/// in the host's own form or nothing, and always exits with 0; `hardwon doctor` shows what went
/// wrong. docs/agents.md describes what is read and printed when.
#[derive(Args)]
pub struct Hook {
    // Any word is taken: exit status 2 would make a host stop its agent.
    #[arg(value_name = "HOST", help = hosts::names().join(" or "))]
    host: String,
}

impl Hook {
    pub fn run(self, context: &Context) -> CommandResult {
        let print = |answer: &str| {
            let mut stdout = io::stdout().lock();
            // A host that does not read the answer any more is not an error.
            let _ = stdout.write_all(answer.as_bytes()).and_then(|()| stdout.flush());
        };
        let (environment, options) = (&context.environment, &context.options);
        let at_end = |there: &Environment| start_backup(there, options);
        hardwon_faces::hook(&self.host, environment, options, io::stdin(), print, at_end);
        Ok(Exit::Done)
    }
}

/// Lets a process of its own make the backup of this day, if it is missing: a session is over, and
/// its host waits only for this one. Nothing is lost if that cannot be started.
fn start_backup(environment: &Environment, options: &Options) {
    if !hardwon_engine::lacks_backup(environment, options) {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let store = options.store.iter().flat_map(|url| ["--store", url.as_str()]);
    let mut worker = std::process::Command::new(program);
    worker.args(["doctor", "--backup"]).args(store).current_dir(&environment.folder);
    worker.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Not ended with the host's group of processes.
    let _ = worker.process_group(0).spawn();
}
