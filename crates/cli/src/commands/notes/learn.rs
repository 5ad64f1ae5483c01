//! `hardwon notes discover` and `hardwon notes learn`

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use hardwon_engine::EngineError;
use hardwon_engine::answer::NotesProposal;
use hardwon_engine::voice::Voice;
use hardwon_faces::Exit;
use hardwon_foreign::notes::{self, Sessions};
use hardwon_hosts::{Surroundings, conversations};
use hardwon_render::text;

use super::Where;
use crate::commands::{CommandResult, Context};

/// Which sessions are listened to.
#[derive(Args)]
struct Listened {
    /// How far back, where notes were never consolidated
    #[arg(long, value_name = "DAYS", default_value_t = 14, value_parser = clap::value_parser!(i64).range(0..))]
    days: i64,
    /// All sessions, not only those since the last consolidation
    #[arg(long)]
    all: bool,
}

impl Listened {
    fn sessions<'a>(&self, files: &'a [PathBuf]) -> Sessions<'a> {
        Sessions { files, days: self.days, are_all: self.all }
    }
}

#[derive(Args)]
pub(super) struct DiscoverArgs {
    #[command(flatten)]
    at: Where,
    #[command(flatten)]
    listened: Listened,
    /// Also list what is not proposed, and why
    #[arg(long)]
    explain: bool,
}

impl DiscoverArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        let (folder, files) = (self.at.folder(context)?, files(context));
        let sessions = self.listened.sessions(&files);
        let (environment, options) = (&context.environment, &context.options);
        let mut progress = progress(context, "conversation", 20);
        let answer = notes::discover(environment, options, &folder, &sessions, &mut progress)?;
        context.answer(&answer, |it, width| text::notes_discovered(it, self.explain, width))
    }
}

#[derive(Args)]
pub(super) struct LearnArgs {
    #[command(flatten)]
    at: Where,
    #[command(flatten)]
    listened: Listened,
    /// Carry these out: ids, or numbers together with --list
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    accept: Vec<String>,
    /// The list that numbers are of, by the name that it was printed with
    #[arg(long, value_name = "NAME", requires = "accept")]
    list: Option<String>,
}

impl LearnArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        let (folder, files) = (self.at.folder(context)?, files(context));
        let sessions = self.listened.sessions(&files);
        let (environment, options) = (&context.environment, &context.options);
        let mut progress = progress(context, "file", 5_000);
        let all = notes::consolidation(environment, options, &folder, &sessions, &mut progress)?;
        if !self.accept.is_empty() {
            let chosen =
                all.chosen(&self.accept, self.list.as_deref()).map_err(EngineError::from)?;
            return context.answer(&all.accept(environment, &chosen)?, text::notes_written);
        }
        let answer = all.answer();
        let is_person = environment.speaker.voice == Voice::Person;
        if !context.can_ask() || !io::stderr().is_terminal() || !is_person {
            return context.answer(&answer, text::notes_proposals);
        }
        let accepted = ask(context, &answer.body.proposals);
        let waiting = text::notes_waiting(&answer.body.waiting, context.width());
        context.printer.data(&waiting);
        if accepted.is_empty() {
            context.printer.problems(&answer.problems);
            context.printer.talk("nothing was written");
            return Ok(Exit::Done);
        }
        let chosen = all.chosen(&accepted, None).map_err(EngineError::from)?;
        context.answer(&all.accept(environment, &chosen)?, text::notes_written)
    }
}

/// Goes through the proposals with the person; the ids of those that are accepted.
fn ask(context: &Context, proposals: &[NotesProposal]) -> Vec<String> {
    let mut accepted = Vec::new();
    for proposal in proposals {
        context.printer.data(&text::notes_proposal(proposal, context.width()));
        let _ = write!(io::stderr().lock(), "Accept? [y/N/q] ");
        let mut line = String::new();
        let is_read = io::stdin().lock().read_line(&mut line).is_ok_and(|n_bytes| n_bytes > 0);
        match line.trim() {
            "y" | "Y" | "yes" => accepted.push(proposal.id.clone()),
            "q" | "Q" | "quit" => break,
            _ if is_read => {}
            _ => break,
        }
    }
    accepted
}

/// The conversations that hosts kept of this project.
fn files(context: &Context) -> Vec<PathBuf> {
    conversations::of_project(&context.environment, &Surroundings::of_process())
}

/// Says how far it is where that takes long and somebody looks.
fn progress<'a>(
    context: &'a Context,
    what: &'static str,
    n_long: usize,
) -> impl FnMut(usize, usize) + 'a {
    let shows = io::stderr().is_terminal() && !context.printer.is_json();
    move |done, all| {
        if shows && all > n_long && done.is_multiple_of(n_long) {
            context.printer.talk(&format!("reading: {what} {} of {all}", done + 1));
        }
    }
}
