//! `hardwon init`

use clap::Args;
use hardwon_engine::ConversationStage as Stage;
use hardwon_engine::answer::{Answer, Conversations, Installation, Status};
use hardwon_faces::{Exit, Failure};
use hardwon_hosts::install::{self, InstallRequest};
use hardwon_hosts::{Surroundings, conversations};
use hardwon_render::{json, text};

use super::install::failure;
use super::{CommandResult, Context, is_yes, watched};

/// How many steps the progress bar has.
const N_CELLS: usize = 24;

/// Find the agents on this machine and connect memory to them
///
/// Prints what was found, then offers to `install`, and to learn from the conversations of this
/// project that the agents kept. Without a terminal it changes nothing, except with --yes.
#[derive(Args)]
pub struct Init {
    /// Do not ask: install, and learn from the conversations
    #[arg(long)]
    yes: bool,
    /// Do not learn from conversations
    #[arg(long)]
    no_transcripts: bool,
    /// Only learn from conversations, without asking, and install nothing
    #[arg(long, conflicts_with = "no_transcripts")]
    only_transcripts: bool,
    /// Read at most this many conversations, the newest first
    #[arg(long, value_name = "N", default_value_t = conversations::NEWEST)]
    newest: usize,
}

impl Init {
    pub fn run(self, context: &Context) -> CommandResult {
        let surroundings = Surroundings::of_process();
        let request =
            InstallRequest { surroundings: surroundings.clone(), ..InstallRequest::default() };
        let plan = install::install(&context.environment, &request)?;
        if !context.printer.is_json() {
            context.printer.data(&text::hosts(&plan.answer().body.hosts));
        }
        let mut answer = if self.only_transcripts {
            Answer::of(
                Installation { hosts: plan.answer().body.hosts.clone(), ..Installation::default() },
                Vec::new(),
            )
        } else {
            self.offer_install(context, plan)?
        };
        self.offer_learning(context, &surroundings, &mut answer)?;
        if context.printer.is_json() {
            context.printer.json(&json::answer(&answer));
        }
        Ok(Exit::Done)
    }

    /// Shows what would be written, and writes it if that is wanted.
    fn offer_install(
        &self,
        context: &Context,
        plan: install::Plan,
    ) -> Result<Answer<Installation>, Failure> {
        let planned = plan.answer().clone();
        let n_writes = planned.body.n_writes();
        if planned.body.files.is_empty() {
            context.printer.talk("no agent was found; pipelines need none: see `hardwon tour`");
            return Ok(planned);
        }
        if !self.yes || n_writes == 0 {
            show(context, &planned);
            if n_writes == 0 || !context.can_ask() || !is_yes("Write this?") {
                if n_writes > 0 {
                    context.printer.talk("nothing was changed; `hardwon install` does it");
                }
                return Ok(planned);
            }
        }
        let done = plan.carry_out(&context.environment).map_err(failure)?;
        context.mark_checkout();
        show(context, &done);
        Ok(done)
    }

    /// Learns from the conversations that are there, if that is wanted.
    fn offer_learning(
        &self,
        context: &Context,
        surroundings: &Surroundings,
        answer: &mut Answer<Installation>,
    ) -> Result<(), Failure> {
        if self.no_transcripts {
            return Ok(());
        }
        let mut files = conversations::of_project(&context.environment, surroundings);
        let n_found = files.len() as u64;
        files.truncate(self.newest);
        let n_read = files.len() as u64;
        let offered = Conversations { n_found, n_read, ..Conversations::default() };
        let offer = text::conversations_offered(&offered);
        answer.body.conversations = Some(offered);
        if n_read == 0 {
            return Ok(());
        }
        let asks = || context.can_ask() && is_yes(&format!("Learn from {offer}?"));
        if !(self.yes || self.only_transcripts || asks()) {
            context.printer.talk(&format!(
                "nothing was learned from {offer}; `hardwon init --only-transcripts` does it"
            ));
            return Ok(());
        }
        let (environment, options) = (&context.environment, &context.options);
        let learned = watched(!context.printer.is_json(), |show| {
            let mut progress = |stage, done, all| show(&bar(stage, done, all));
            hardwon_engine::learn_conversations(environment, options, &files, &mut progress)
        })?;
        let taught = Conversations::new(n_found, n_read, &learned.body);
        if !context.printer.is_json() {
            context.printer.data(&text::conversations(&taught));
            context.printer.problems(&learned.problems);
        }
        if taught.n_runs > 0 && answer.status == Status::Empty {
            answer.status = Status::Ok;
        }
        if !learned.problems.is_empty() {
            answer.status = Status::Degraded;
        }
        answer.problems.extend(learned.problems);
        answer.body.conversations = Some(taught);
        Ok(())
    }
}

/// The answer as text; as JSON it is printed once, at the end.
fn show(context: &Context, answer: &Answer<Installation>) {
    if !context.printer.is_json() {
        context.printer.data(&text::install(&answer.body));
        context.printer.problems(&answer.problems);
    }
}

/// `reading  [######------------------] 12 of 50 conversations`
fn bar(stage: Stage, done: usize, all: usize) -> String {
    let (doing, what) = match stage {
        Stage::Reading => ("reading ", "conversations"),
        Stage::Learning => ("learning", "runs"),
    };
    let n_full = (done * N_CELLS).checked_div(all).unwrap_or(N_CELLS).min(N_CELLS);
    let (full, empty) = ("#".repeat(n_full), "-".repeat(N_CELLS - n_full));
    format!("{doing} [{full}{empty}] {done} of {all} {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills() {
        let half = bar(Stage::Reading, 25, 50);
        assert_eq!(half, "reading  [############------------] 25 of 50 conversations");
        assert!(bar(Stage::Learning, 0, 3).contains("[------------------------] 0 of 3 runs"));
        assert!(bar(Stage::Learning, 9, 3).contains("[########################]"));
        assert!(bar(Stage::Reading, 0, 0).contains("[########################]"));
    }
}
