//! `hardwon doctor`

use std::io::{IsTerminal, Write};

use clap::Args;
use hardwon_engine::DoctorRequest;
use hardwon_engine::answer::Status;
use hardwon_faces::Exit;
use hardwon_hosts::Surroundings;
use hardwon_render::text;

use super::{Context, Done};

/// Is memory well? Each check with how to fix it; exit status 1 if one fails
///
/// Looks at the store, its journal and index, who may read it, the settings and what
/// failed lately. Changes nothing unless told to.
#[derive(Args)]
pub struct Doctor {
    /// Repair what is safe to repair, after a backup
    #[arg(long)]
    fix: bool,
    /// Also look through all stored texts for secrets; exit status 1 if there is one
    #[arg(long)]
    scan: bool,
    /// Look at the agents' side instead: hooks, servers, and how fast a hook answers
    #[arg(long, conflicts_with_all = ["fix", "scan"])]
    agents: bool,
}

impl Doctor {
    pub fn run(self, context: &Context) -> Done {
        if self.agents {
            return Ok(look_at_agents(context));
        }
        let request = DoctorRequest { is_mending: self.fix, is_scanning: self.scan };
        let is_watched = std::io::stderr().is_terminal();
        let answer =
            hardwon_engine::doctor(&context.environment, &context.options, request, &mut |part| {
                if is_watched {
                    show_progress(&format!("looking at: {part}"));
                }
            });
        if is_watched {
            show_progress("");
        }
        let width = context.width();
        context.printer.answer(&answer, |health| text::doctor(health, width));
        Ok(if answer.status == Status::Failed { Exit::Negative } else { Exit::Done })
    }
}

/// Whether memory reaches the agents.
fn look_at_agents(context: &Context) -> Exit {
    let surroundings = Surroundings::of_process();
    let answer = hardwon_hosts::doctor_agents(&context.environment, &surroundings);
    let width = context.width();
    context.printer.answer(&answer, |health| text::doctor(health, width));
    if answer.status == Status::Failed { Exit::Negative } else { Exit::Done }
}

/// One line that the next one writes over; an empty one takes it away.
fn show_progress(line: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "\r\u{1b}[K{line}").and_then(|()| stderr.flush());
}
