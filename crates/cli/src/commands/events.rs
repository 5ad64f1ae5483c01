//! `hardwon log --events`

use std::io;
use std::thread;
use std::time::Duration;

use clap::Args;
use hardwon_engine::answer::{Answer, Event, Message, MessageWithLessons};
use hardwon_engine::history;
use hardwon_engine::listen::{Listener, Wanted};
use hardwon_engine::time::Timestamp;
use hardwon_faces::{Exit, Failure};
use hardwon_render::{archivist, json};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

use super::{CommandResult, Context, with_settings_problems};
use crate::args;

/// How many messages are printed without --limit.
const N_SHOWN: usize = 50;

/// How often the stream is checked for new messages.
const PAUSE: Duration = Duration::from_millis(100);

/// What happened to memory: reflections, new lessons, promotions, decay. One JSON object a line,
/// oldest first; with --json all of them in one object. They are read from a file, so no reader
/// ever slows down a run.
#[derive(Args)]
pub struct Events {
    /// What happened lately instead: reflections, new lessons, promotions, decay; one JSON object a
    /// line, oldest first
    #[arg(long, conflicts_with_all = ["name", "regressions"])]
    events: bool,
    /// Keep printing new events, until Ctrl-C or until the output is closed; earlier ones only with
    /// --since or --limit
    #[arg(long, conflicts_with_all = ["name", "regressions"])]
    follow: bool,
    /// Only events at this time or later, RFC 3339
    #[arg(long, value_name = "TIME", value_parser = args::moment)]
    since: Option<Timestamp>,
    /// `hardwon`, or `archivist`: the messages that OpenAgents' display takes
    #[arg(long, value_parser = ["hardwon", "archivist"], default_value = "hardwon")]
    style: String,
    /// Events of every project
    #[arg(long)]
    all_projects: bool,
}

impl Events {
    pub fn is_wanted(&self) -> bool {
        self.events || self.follow || self.since.is_some() || self.all_projects
    }

    pub fn run(self, context: &Context, limit: Option<usize>) -> CommandResult {
        let open = context.reader()?;
        let project = (!self.all_projects).then(|| open.call.project.clone());
        let wanted = Wanted { project, since: self.since };
        let mut listener = Listener::new(&context.environment, wanted)?;
        let mut messages = listener.next_messages();
        messages.drain(..messages.len().saturating_sub(self.limit(limit)));
        if !self.follow {
            let answer = Answer::of(history::with_lessons(&open.memory, messages)?, Vec::new());
            let is_empty = answer.body.is_empty();
            self.print_all(context, with_settings_problems(&open, answer.or_empty(is_empty)));
            return Ok(Exit::Done);
        }
        drop(open);
        loop {
            self.print_lines(context, messages)?;
            if context.printer.is_closed() || !waited() {
                return Ok(Exit::Done);
            }
            messages = listener.next_messages();
        }
    }

    fn limit(&self, limit: Option<usize>) -> usize {
        match (limit, self.since, self.follow) {
            (Some(limit), _, _) => limit,
            (None, Some(_), _) => usize::MAX,
            (None, None, true) => 0,
            (None, None, false) => N_SHOWN,
        }
    }

    fn print_all(&self, context: &Context, answer: Answer<Vec<MessageWithLessons>>) {
        let printer = &context.printer;
        let events: Vec<Value> = answer.body.iter().filter_map(|one| self.event(one)).collect();
        if printer.is_json() {
            printer.json(&json::answer(&answer.map(|_| json!({"events": events}))));
            return;
        }
        events.iter().for_each(|event| printer.json_line(event));
        if events.is_empty() {
            printer.talk("no events yet: they come with learn, reflect, review and decay");
        }
        printer.problems(&answer.problems);
    }

    /// Opens memory again each time: it may not have existed before.
    fn print_lines(&self, context: &Context, messages: Vec<Message>) -> Result<(), Failure> {
        if messages.is_empty() {
            return Ok(());
        }
        let open = context.reader()?;
        let shown = history::with_lessons(&open.memory, messages)?;
        let events = shown.iter().filter_map(|one| self.event(one));
        events.for_each(|event| context.printer.json_line(&event));
        Ok(())
    }

    fn event(&self, shown: &MessageWithLessons) -> Option<Value> {
        match self.style.as_str() {
            "archivist" => archivist::message(shown),
            _ => Some(json::value(&Event::from(shown))),
        }
    }
}

/// Waits a little; false if the reader of our output is gone.
fn waited() -> bool {
    let stdout = io::stdout();
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    let pause = Timespec { tv_sec: 0, tv_nsec: PAUSE.subsec_nanos().into() };
    match poll(&mut watched, Some(&pause)) {
        Ok(0) => true,
        Ok(_) => {
            let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
            !watched[0].revents().intersects(gone)
        }
        Err(_) => {
            thread::sleep(PAUSE);
            true
        }
    }
}
