//! `hardwon inject`

use clap::Args;
use hardwon_engine::answer::{Answer, Injected, Status};
use hardwon_engine::effect::Surface;
use hardwon_engine::need::Need;
use hardwon_engine::scope::Bound;
use hardwon_engine::{InjectRequest, Style};
use hardwon_faces::{Exit, serve_block};
use hardwon_render::{packet, text};

use super::{CommandResult, Context, with_problems};
use crate::args::{self, PipelineRun, ScopeArgs};
use crate::printer::Printer;

/// Print the block of lessons for a run that is about to start
///
/// Prints nothing if there is nothing to show. Any failure except a wrong call gives an empty
/// block and exit status 0: memory never stops a run.
#[derive(Args)]
pub struct Inject {
    /// Record the injection for this run, so that `learn` can see whether it helped
    #[arg(long, value_parser = PipelineRun::parse)]
    run: Option<PipelineRun>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Only lessons with this scope: global, project, repo, task, tool or provider
    #[arg(long, value_name = "SCOPE", value_parser = args::bound)]
    only: Option<Bound>,
    /// A file about to be touched (repeatable)
    #[arg(long = "path")]
    paths: Vec<String>,
    /// A tag of the work (repeatable)
    #[arg(long = "tag")]
    tags: Vec<String>,
    /// The task in words
    #[arg(long)]
    text: Option<String>,
    /// At most this many tokens in the block [default: by role]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u32>,
    /// At most this many lessons in the block [default: 10]
    #[arg(long, value_name = "N")]
    max: Option<u32>,
    /// hardwon, archeflow, archivist, jkz or packet (a JSON document that also lists what was left
    /// out)
    #[arg(long, value_parser = args::style)]
    style: Option<Style>,
    /// Where the block is put: task_packet, session_summary, review_context,
    /// gate_context, recovery_context or decision_context
    #[arg(long, value_parser = args::surface)]
    surface: Option<Surface>,
    /// Explain on stderr why each lesson is in the block or not
    #[arg(long)]
    explain: bool,
}

impl Inject {
    pub fn run(self, context: &Context) -> CommandResult {
        let is_json = context.printer.is_json();
        let flaw = self.run.as_ref().and_then(PipelineRun::problem);
        let request = InjectRequest {
            run: self.run.and_then(|run| run.id),
            need: Need {
                role: self.scope.role,
                domain: self.scope.domain,
                tool: self.scope.tool,
                provider: self.scope.provider,
                session: self.scope.session,
                task: self.scope.task,
                repo: self.scope.repo,
                phase: self.scope.phase,
                error_class: self.scope.error_class,
                // The user of this machine.
                person: None,
                bound: self.only,
                paths: self.paths,
                tags: self.tags,
                text: self.text,
            },
            budget: self.budget,
            max_lessons: self.max,
            style: self.style,
            surface: self.surface,
            is_explained: self.explain || is_json,
            ..InjectRequest::default()
        };
        let late_flaw = flaw.clone();
        let late = move |answer: &Answer<Injected>| {
            print(&Printer::new(is_json), &with_problems(answer.clone(), late_flaw.as_slice()));
        };
        let answer = serve_block(&context.environment, &context.options, &request, late)?;
        let answer = with_problems(answer, flaw.as_slice());
        print(&context.printer, &answer);
        if self.explain && !is_json && answer.status != Status::Failed {
            let _named = context.reader();
            context.printer.talk(text::explain(&answer.body, context.width()).trim_end());
        }
        Ok(Exit::Done)
    }
}

fn print(printer: &Printer, answer: &Answer<Injected>) {
    printer.answer(answer, |injected| packet::memory_packet(&injected.block));
}
