//! `hardwon doctor`

use clap::Args;
use hardwon_engine::DoctorRequest;
use hardwon_engine::answer::{Answer, Health, Status};
use hardwon_faces::{Exit, doctor};
use hardwon_hosts::Surroundings;
use hardwon_render::text;

use super::{CommandResult, Context, watched};

/// Check the health of memory, with fixes; exit status 1 if a check fails
///
/// Checks the store, its journal and index, its permissions, the settings and recent failures.
/// Changes nothing without --fix.
#[derive(Args)]
pub struct Doctor {
    /// Repair what is safe to repair, after a backup
    #[arg(long)]
    fix: bool,
    /// Also search all stored texts for secrets; exit status 1 if there is one
    #[arg(long)]
    scan: bool,
    /// Check the agents instead: hooks, servers, and how fast a hook answers
    #[arg(long, conflicts_with_all = ["fix", "scan"])]
    agents: bool,
    /// Check nothing; make the backup of this day, unless it is there
    #[arg(long, conflicts_with_all = ["fix", "scan", "agents"])]
    backup: bool,
}

impl Doctor {
    pub fn run(self, context: &Context) -> CommandResult {
        if self.backup {
            let made = hardwon_engine::back_up(&context.environment, &context.options)?;
            let health = Health { mended: vec![made.to_string()], ..Health::default() };
            return context.answer(&Answer::of(health, Vec::new()), text::doctor);
        }
        let answer = if self.agents {
            hardwon_hosts::doctor_agents(&context.environment, &Surroundings::of_process())
        } else {
            self.look_at_store(context)
        };
        context.answer(&answer, text::doctor)?;
        Ok(if answer.status == Status::Failed { Exit::Negative } else { Exit::Done })
    }

    fn look_at_store(&self, context: &Context) -> Answer<Health> {
        let request = DoctorRequest { is_repairing: self.fix, is_scanning: self.scan };
        let (environment, options) = (&context.environment, &context.options);
        watched(true, |progress| {
            let mut on_part = |part: &str| progress(&format!("checking: {part}"));
            doctor(environment, options, request, &mut on_part)
        })
    }
}
