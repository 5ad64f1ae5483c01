//! `hardwon tour`: the complete loop on five recorded runs, in a store that is thrown away.

use clap::Args;
use hardwon_engine::answer::Injected;
use hardwon_engine::ids::RunId;
use hardwon_engine::need::Need;
use hardwon_engine::time::Timestamp;
use hardwon_engine::{
    EngineError, InjectRequest, Input, LearnRequest, OpenMemory, blocks, history, lessons, runs,
};
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{CommandResult, Context};

/// See the complete loop in one minute, on five recorded runs of an example pipeline
///
/// Uses a store that is thrown away: nothing of yours is read or written.
#[derive(Args)]
pub struct Tour {}

/// What is printed: the introduction, a story for each run, and the closing.
const TEXTS: &str = include_str!("../../data/tour.txt");
const SEPARATOR: &str = "\n%%\n";

/// The records of the runs r1 to r5.
const RECORDS: [&str; 5] = [
    include_str!("../../../../examples/tour/1-search.jsonl"),
    include_str!("../../../../examples/tour/2-orders.jsonl"),
    include_str!("../../../../examples/tour/3-export.jsonl"),
    include_str!("../../../../examples/tour/4-login.jsonl"),
    include_str!("../../../../examples/tour/5-refund.jsonl"),
];

/// When the n-th run begins.
fn begins(n: usize) -> String {
    format!("2026-03-0{}T09:30:00Z", n + 1)
}

impl Tour {
    pub fn run(self, context: &Context) -> CommandResult {
        let tour = Playing { context, open: OpenMemory::throwaway("shop", &begins(1))? };
        tour.play()?;
        Ok(Exit::Done)
    }
}

struct Playing<'a> {
    context: &'a Context,
    open: OpenMemory,
}

impl Playing<'_> {
    fn play(mut self) -> Result<(), EngineError> {
        let mut texts = TEXTS.split(SEPARATOR);
        let mut next_text = || texts.next().expect("there is a text for each part of the tour");
        self.say(next_text());
        for (n, record) in (1..).zip(RECORDS) {
            self.before(n)?;
            self.after(n, record, next_text())?;
        }
        self.next_run()?;
        self.why()?;
        self.worth()?;
        self.say(next_text());
        if self.context.printer.is_json() {
            let report = history::report(&self.open.memory, &self.open.call)?;
            self.context.printer.json(&json::answer(&report));
        }
        Ok(())
    }

    /// Before a run: the block that goes into its prompt.
    fn before(&mut self, n: usize) -> Result<(), EngineError> {
        self.open.call.now = Timestamp::parse(&begins(n)).ok_or(EngineError::BadClock)?;
        let injected = self.inject(Some(&format!("r{n}")))?;
        if injected.block.is_empty() {
            return Ok(());
        }
        self.heading(&format!("Before r{n}: this goes into the prompt"));
        self.command(&format!("hardwon inject --run r{n} --role maker --domain code"));
        self.say(&injected.block);
        Ok(())
    }

    fn inject(&mut self, run: Option<&str>) -> Result<Injected, EngineError> {
        let run = run.map(|id| RunId::parse(id).expect("the tour's run ids are well-formed"));
        let need = Need {
            role: Some("maker".to_owned()),
            domain: Some("code".to_owned()),
            ..Need::default()
        };
        let request = InjectRequest { run, need, is_explained: true, ..InjectRequest::default() };
        Ok(blocks::inject(&mut self.open.memory, &self.open.call, &request)?.body)
    }

    /// After a run: what was learned from its record.
    fn after(&mut self, n: usize, record: &str, story: &str) -> Result<(), EngineError> {
        self.heading(&format!("r{n} ended"));
        self.say(story);
        self.say("");
        self.command(&format!("hardwon learn r{n}.jsonl"));
        let request = LearnRequest::of(Input::text(&format!("r{n}.jsonl"), record));
        let answer = runs::learn(&mut self.open.memory, &self.open.call, request)?;
        self.say(&text::learn(&answer.body, self.context.width()));
        Ok(())
    }

    /// The block after five runs, and why each lesson is in or out.
    fn next_run(&mut self) -> Result<(), EngineError> {
        self.heading("Before the next run: what was never heeded is given up, the rest goes in");
        self.command("hardwon inject --role maker --domain code --explain");
        let injected = self.inject(None)?;
        self.say(&injected.block);
        self.say(&text::explain(&injected, self.context.width()));
        Ok(())
    }

    /// The story of the lesson that stood the most tests.
    fn why(&mut self) -> Result<(), EngineError> {
        let report = history::report(&self.open.memory, &self.open.call)?.body;
        let Some(best) = report.survived.first() else { return Ok(()) };
        self.heading("Why is that a lesson? Every lesson can tell its story");
        self.command(&format!("hardwon why {}", best.id));
        let story = lessons::show(&self.open.memory, &self.open.call, best.id.as_str())?;
        self.say(&text::why(&story.body, self.context.width()));
        Ok(())
    }

    fn worth(&mut self) -> Result<(), EngineError> {
        self.heading("What is it worth?");
        self.command("hardwon report");
        let report = history::report(&self.open.memory, &self.open.call)?;
        self.say(&text::report(&report.body, self.context.width()));
        Ok(())
    }

    fn heading(&self, text: &str) {
        self.say("");
        self.say(&format!("── {text} ──"));
        self.say("");
    }

    fn command(&self, line: &str) {
        self.say(&format!("$ {line}"));
    }

    /// Prints a paragraph; with `--json` only the closing report is printed.
    fn say(&self, text: &str) {
        let text = text.trim_end_matches('\n');
        if !self.context.printer.is_json() {
            self.context.printer.data(&format!("{text}\n"));
        }
    }
}
