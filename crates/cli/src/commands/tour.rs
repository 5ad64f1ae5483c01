//! `hardwon tour`: the whole loop on five recorded runs, in a store that is thrown away.

use clap::Args;
use hardwon_engine::answer::Injected;
use hardwon_engine::ids::RunId;
use hardwon_engine::need::Need;
use hardwon_engine::time::Timestamp;
use hardwon_engine::{
    EngineError, InjectRequest, Input, LearnRequest, OpenMemory, blocks, history, lessons, runs,
};
use hardwon_faces::{Exit, Failure};
use hardwon_render::{json, text};

use super::{Context, Done};

/// See the whole loop in one minute, on five recorded runs of an example pipeline
///
/// Uses a store that is thrown away: nothing of yours is read or written.
#[derive(Args)]
pub struct Tour {}

/// A recorded run: id, when it begins, its record, and what to look at.
struct Recorded {
    id: &'static str,
    at: &'static str,
    record: &'static str,
    story: &'static str,
}

const RUNS: &[Recorded] = &[
    Recorded {
        id: "r1",
        at: "2026-03-02T09:30:00Z",
        record: include_str!("../../../../examples/tour/1-search.jsonl"),
        story: "The first run. Reviewers find three things; each becomes a candidate.\n\
                Seen once may be chance, so none of them is shown to anybody yet.",
    },
    Recorded {
        id: "r2",
        at: "2026-03-03T09:30:00Z",
        record: include_str!("../../../../examples/tour/2-orders.jsonl"),
        story: "The second run. Two findings are back, in other words. They are recognized,\n\
                and now that two runs have seen them they are lessons. A new finding is fixed\n\
                on the spot; memory keeps that in mind.",
    },
    Recorded {
        id: "r3",
        at: "2026-03-04T09:30:00Z",
        record: include_str!("../../../../examples/tour/3-export.jsonl"),
        story: "The third run had both lessons in its prompt. The SQL finding did not come\n\
                back although guardian looked: it helped. The timeout did come back: no help.",
    },
    Recorded {
        id: "r4",
        at: "2026-03-05T09:30:00Z",
        record: include_str!("../../../../examples/tour/4-login.jsonl"),
        story: "The fourth run. What had been fixed in r2 is broken again: a regression.",
    },
    Recorded {
        id: "r5",
        at: "2026-03-06T09:30:00Z",
        record: include_str!("../../../../examples/tour/5-refund.jsonl"),
        story: "The fifth run. The cookie lesson holds. The timeout lesson has now been shown\n\
                three times and never helped.",
    },
];

impl Tour {
    pub fn run(self, context: &Context) -> Done {
        let tour = Playing { context, open: OpenMemory::throwaway("shop", RUNS[0].at)? };
        tour.play().map_err(Failure::from)?;
        Ok(Exit::Done)
    }
}

struct Playing<'a> {
    context: &'a Context,
    open: OpenMemory,
}

impl Playing<'_> {
    fn play(mut self) -> Result<(), EngineError> {
        self.say(INTRODUCTION);
        for recorded in RUNS {
            self.before(recorded)?;
            self.after(recorded)?;
        }
        self.next_run()?;
        self.why()?;
        self.worth()?;
        self.say(CLOSING);
        if self.context.printer.is_json() {
            let report = history::report(&self.open.memory, &self.open.call)?;
            self.context.printer.json(&json::answer(&report));
        }
        Ok(())
    }

    /// Before a run: the block that goes into its prompt.
    fn before(&mut self, recorded: &Recorded) -> Result<(), EngineError> {
        self.open.call.now = Timestamp::parse(recorded.at).ok_or(EngineError::BadClock)?;
        let injected = self.inject(Some(recorded.id))?;
        if injected.block.is_empty() {
            return Ok(());
        }
        self.heading(&format!("Before {}: this goes into the prompt", recorded.id));
        self.command(&format!("hardwon inject --run {} --role maker --domain code", recorded.id));
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

    /// After a run: what its record taught.
    fn after(&mut self, recorded: &Recorded) -> Result<(), EngineError> {
        self.heading(&format!("{} ended", recorded.id));
        self.say(recorded.story);
        self.say("");
        self.command(&format!("hardwon learn {}.jsonl", recorded.id));
        let input = Input::text(&format!("{}.jsonl", recorded.id), recorded.record);
        let answer = runs::learn(&mut self.open.memory, &self.open.call, LearnRequest::of(input))?;
        self.say(&text::learn(&answer.body, self.context.width()));
        Ok(())
    }

    /// The block after five runs, and why each lesson is in or out.
    fn next_run(&mut self) -> Result<(), EngineError> {
        self.heading("Before the next run: what helps goes in, what does not stays out");
        self.command("hardwon inject --role maker --domain code --explain");
        let injected = self.inject(None)?;
        self.say(&injected.block);
        self.say(&text::explain(&injected, self.context.width()));
        Ok(())
    }

    /// The story of the lesson that worked best.
    fn why(&mut self) -> Result<(), EngineError> {
        let report = history::report(&self.open.memory, &self.open.call)?.body;
        let Some(best) = report.proven.first() else { return Ok(()) };
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

    /// Prose and output alike; with `--json` only the closing report is data.
    fn say(&self, text: &str) {
        let text = text.trim_end_matches('\n');
        match self.context.printer.is_json() {
            true => {}
            false if text.is_empty() => self.context.printer.data("\n"),
            false => self.context.printer.data(&format!("{text}\n")),
        }
    }
}

const INTRODUCTION: &str = "\
hardwon: lessons your agents paid for once

An example pipeline: an agent (the maker) changes a web shop, two reviewers (guardian
and tester) look at its work. Five recorded runs follow, in a store that is thrown away.
";

const CLOSING: &str = "
── In your own project ──

  hardwon inject --run RUN --role ROLE     before a run: put the output into the prompt
  hardwon learn RECORD.jsonl               after it: what the reviewers and tools found
  hardwon report                           what is being learned, and what it is worth

A record is a few lines of JSON; docs/run-record.md shows them.
";
