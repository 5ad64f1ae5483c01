//! `hardwon show` and `why`.

use clap::Args;
use hardwon_engine::answer::{Step, Time};
use hardwon_engine::ids::RunId;
use hardwon_engine::{EngineError, OpenMemory, RunsRequest, lessons, runs, without_control};
use hardwon_faces::{Exit, Failure};
use hardwon_foreign::ask::merge;
use hardwon_render::atif::atif;
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

/// Everything about one lesson, run, finding or answer of an agent
#[derive(Args)]
pub struct Show {
    /// Its id, a unique prefix of it, or an alias; or the name of a run
    #[arg(value_name = "ID")]
    name: String,
    /// Of a run: the runs below it, as a tree
    #[arg(long, conflicts_with = "style")]
    tree: bool,
    /// Of a run: `atif`, its steps as an ATIF trajectory
    #[arg(long, value_parser = ["atif"])]
    style: Option<String>,
}

/// How ids of findings and of agents' answers begin: who names one means nothing else.
const FINDING: &str = "f-";
const ANSWER: &str = "d-";

impl Show {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let (memory, call, name) = (&open.memory, &open.call, &self.name);
        if self.tree || self.style.is_some() {
            return self.show_run(context, &open);
        }
        if let Some(answer) = found(lessons::show(memory, call, name))? {
            return context.print(&open, answer.map(|story| story.page), |page, width| {
                text::show(page, call.now, width)
            });
        }
        if let Some(run) = RunId::named(name)
            && let Some(answer) = found(runs::runs_show(memory, call, &run))?
        {
            return context.print(&open, answer, text::run_story);
        }
        let finding = runs::findings_show(memory, call, name);
        if name.starts_with(FINDING) || finding.is_ok() {
            return context.print(&open, finding?, text::finding_story);
        }
        let answer = runs::deliberation(memory, call, name);
        if name.starts_with(ANSWER) || answer.is_ok() {
            return context.print(&open, answer?, text::deliberation);
        }
        Err(EngineError::UnknownLesson { name: without_control(name) }.into())
    }

    /// The runs below a run, or its steps.
    fn show_run(&self, context: &Context, open: &OpenMemory) -> CommandResult {
        let run = args::run_id(&self.name).map_err(|flaw| Failure::usage(flaw, None))?;
        if self.tree {
            let which = RunsRequest::default();
            let answer = runs::runs_tree(&open.memory, &open.call, Some(&run), &which)?;
            return context.print(open, answer, text::run_tree);
        }
        context.printer.document(&atif(&runs::run_named(&open.memory, &open.call, &run)?));
        Ok(Exit::Done)
    }
}

/// What was asked for, if something has that name.
fn found<T>(answer: Result<T, EngineError>) -> Result<Option<T>, EngineError> {
    use EngineError::{UnknownLesson, UnknownRun};
    match answer {
        Err(UnknownLesson { .. } | UnknownRun { .. }) => Ok(None),
        answer => answer.map(Some),
    }
}

/// Explain a lesson: its runs, findings, transitions and effects, in order
#[derive(Args)]
pub struct Why {
    /// The lesson: its id, a unique prefix of it, or an alias
    lesson: String,
}

impl Why {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let mut answer = lessons::show(&open.memory, &open.call, &self.lesson)?;
        let id = &answer.body.page.lesson.id.0;
        let said = merge::remarks(&open.memory, &open.call, id)?;
        let said = said.into_iter().map(|(at, text)| Step { at: Time(at), run: None, text });
        answer.body.story.extend(said);
        context.print(&open, answer, text::why)
    }
}
