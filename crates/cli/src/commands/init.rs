//! `hardwon init`

use std::io::IsTerminal;

use clap::Args;
use hardwon_engine::install::{self, InstallRequest, Surroundings};
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::install::{failure, is_yes};
use super::{Context, Done};

/// Begin here: which agents are on this machine, and shall memory be plugged into them?
///
/// Says what was found, then offers to `install`. Without a terminal it only looks, unless
/// told to go on with --yes.
#[derive(Args)]
pub struct Init {
    /// Do not ask: install
    #[arg(long)]
    yes: bool,
}

impl Init {
    pub fn run(self, context: &Context) -> Done {
        let surroundings = Surroundings::of_process();
        let request = InstallRequest { surroundings, ..InstallRequest::default() };
        let plan = install::install(&context.environment, &request)?;
        let said = plan.said().body.clone();
        let is_json = context.printer.is_json();
        if !is_json {
            context.printer.data(&text::hosts(&said.hosts));
        }
        let can_ask = !is_json && std::io::stdin().is_terminal();
        if said.files.is_empty() {
            context.printer.answer(plan.said(), json::install, |_| String::new());
            context.printer.talk("no agent was found; pipelines need none: see `hardwon tour`");
            return Ok(Exit::Done);
        }
        if !self.yes || said.n_writes() == 0 {
            context.printer.answer(plan.said(), json::install, text::install);
            if said.n_writes() == 0 || !can_ask || !is_yes("Write this?") {
                if said.n_writes() > 0 {
                    context.printer.talk("nothing was changed; `hardwon install` does it");
                }
                return Ok(Exit::Done);
            }
        }
        let done = plan.carry_out(&context.environment).map_err(failure)?;
        context.printer.answer(&done, json::install, text::install);
        Ok(Exit::Done)
    }
}
