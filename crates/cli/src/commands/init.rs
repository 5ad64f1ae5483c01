//! `hardwon init`

mod bar;

use clap::Args;
use hardwon_engine::answer::{Answer, Conversations, Installation, Status};
use hardwon_faces::{Exit, Failure};
use hardwon_hosts::install::{self, InstallRequest};
use hardwon_hosts::{Surroundings, conversations};
use hardwon_render::{json, text};

use super::install::failure;
use super::{Context, Done, is_yes};
use bar::Bar;

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
    pub fn run(self, context: &Context) -> Done {
        let surroundings = Surroundings::of_process();
        let request =
            InstallRequest { surroundings: surroundings.clone(), ..InstallRequest::default() };
        let plan = install::install(&context.environment, &request)?;
        if !context.printer.is_json() {
            context.printer.data(&text::hosts(&plan.said().body.hosts));
        }
        let mut said = if self.only_transcripts {
            Answer::of(
                Installation { hosts: plan.said().body.hosts.clone(), ..Installation::default() },
                Vec::new(),
            )
        } else {
            self.offer_install(context, plan)?
        };
        self.offer_learning(context, &surroundings, &mut said)?;
        if context.printer.is_json() {
            context.printer.json(&json::answer(&said));
        }
        Ok(Exit::Done)
    }

    /// Shows what would be written, and writes it if that is wanted.
    fn offer_install(
        &self,
        context: &Context,
        plan: install::Plan,
    ) -> Result<Answer<Installation>, Failure> {
        let said = plan.said().clone();
        let n_writes = said.body.n_writes();
        if said.body.files.is_empty() {
            context.printer.talk("no agent was found; pipelines need none: see `hardwon tour`");
            return Ok(said);
        }
        if !self.yes || n_writes == 0 {
            show(context, &said);
            if n_writes == 0 || !context.can_ask() || !is_yes("Write this?") {
                if n_writes > 0 {
                    context.printer.talk("nothing was changed; `hardwon install` does it");
                }
                return Ok(said);
            }
        }
        let done = plan.carry_out(&context.environment).map_err(failure)?;
        show(context, &done);
        Ok(done)
    }

    /// Learns from the conversations that are there, if that is wanted.
    fn offer_learning(
        &self,
        context: &Context,
        surroundings: &Surroundings,
        said: &mut Answer<Installation>,
    ) -> Result<(), Failure> {
        if self.no_transcripts {
            return Ok(());
        }
        let mut files = conversations::of_project(&context.environment, surroundings);
        let n_found = files.len();
        files.truncate(self.newest);
        let n_read = files.len();
        let offered = Conversations { n_found, n_read, ..Conversations::default() };
        let meant = text::conversations_offered(&offered);
        said.body.conversations = Some(offered);
        if n_read == 0 {
            return Ok(());
        }
        let is_told = self.yes || self.only_transcripts;
        let asks = || context.can_ask() && is_yes(&format!("Learn from {meant}?"));
        let is_wanted = is_told || asks();
        if !is_wanted {
            context.printer.talk(&format!(
                "nothing was learned from {meant}; `hardwon init --only-transcripts` does it"
            ));
            return Ok(());
        }
        let bar = Bar::new(context);
        let (environment, options) = (&context.environment, &context.options);
        let mut progress = |stage, done, all| bar.show(stage, done, all);
        let learned =
            hardwon_engine::learn_conversations(environment, options, &files, &mut progress);
        bar.clear();
        let learned = learned?;
        let told = Conversations::of(n_found, n_read, &learned.body);
        if !context.printer.is_json() {
            context.printer.data(&text::conversations(&told));
            context.printer.problems(&learned.problems);
        }
        take(said, told, learned.problems);
        Ok(())
    }
}

/// The answer as text; as JSON it is printed once, at the end.
fn show(context: &Context, said: &Answer<Installation>) {
    if !context.printer.is_json() {
        context.printer.data(&text::install(&said.body));
        context.printer.problems(&said.problems);
    }
}

fn take(
    said: &mut Answer<Installation>,
    told: Conversations,
    problems: Vec<hardwon_engine::event::Problem>,
) {
    if told.n_runs > 0 && said.status == Status::Empty {
        said.status = Status::Ok;
    }
    if !problems.is_empty() {
        said.status = Status::Degraded;
    }
    said.problems.extend(problems);
    said.body.conversations = Some(told);
}
