//! `hardwon hook`, and the worker that it starts.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use clap::Args;
use hardwon_engine::{Environment, Options};
use hardwon_faces::{Errand, Exit};
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
        let start = |errand, there: &Environment| start(errand, there, options);
        hardwon_faces::hook(&self.host, environment, options, io::stdin(), print, start);
        Ok(Exit::Done)
    }
}

/// Starts a process of ours that nobody waits for. It leaves the host's group of processes by
/// itself; here nothing may take time.
fn start(errand: Errand, environment: &Environment, options: &Options) -> io::Result<()> {
    let store = options.store.iter().flat_map(|url| ["--store", url.as_str()]);
    let mut started = std::process::Command::new(std::env::current_exe()?);
    match errand {
        Errand::Work => started.arg("worker"),
        // That one does not know whether it stands in a terminal.
        Errand::BackUp => started.args(["doctor", "--backup"]).process_group(0),
    };
    // A session's folder may be gone when it ends.
    let folder = &environment.folder;
    let folder = if folder.is_dir() {
        folder.clone()
    } else {
        environment.data_folder().unwrap_or_default()
    };
    started.args(store).current_dir(folder);
    started.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    started.spawn().map(drop)
}

/// Learn what hooks left for later, in the background, and make the backup of the day
///
/// Hooks start it; it prints nothing and ends when nothing waits, or after a minute. `hardwon learn
/// --pending` does the same in the foreground.
#[derive(Args)]
pub struct Worker {}

/// The least there is: whoever works at this machine comes first.
const LOWEST_PRIORITY: i32 = 19;

impl Worker {
    pub fn run(self, context: &Context) -> CommandResult {
        // Not ended with the host, its terminal or its group of processes. That fails only where it
        // is so already.
        let _ = rustix::process::setsid();
        let _ = rustix::process::nice(LOWEST_PRIORITY);
        hardwon_faces::work(&context.environment, &context.options);
        Ok(Exit::Done)
    }
}
