//! `hardwon learn`

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use hardwon_engine::answer::{Answer, Learned};
use hardwon_engine::event::Problem;
use hardwon_engine::runs::queue;
use hardwon_engine::waiting;
use hardwon_engine::{
    Access, EngineError, Format, Input, LearnRequest, OpenMemory, Options, StoreError, care, runs,
};
use hardwon_faces::{Exit, Failure};
use hardwon_foreign::ask;
use hardwon_render::text;

use super::{CommandResult, Context, with_problems, with_settings_problems};
use crate::args::{self, PipelineRun};

/// Learn from the records of runs: findings become lessons, effects, regressions
///
/// Reads hardwon.run/1 (docs/run-record.md), ArcheFlow event logs, the documents of a geas
/// task, what tools report (docs/findings.md): SARIF, JUnit, cargo, reviewdog, GitHub,
/// ESLint, `path:line: message`; reviews in Markdown with or without a verdict for
/// programs; and what agents did: ATIF trajectories, results of Harbor trials, trajectories of
/// OpenAgents, conversations of Claude Code and Codex, logs of commands with their output, calls
/// of agents with their answers. The format is detected from the content. Learning the same
/// record again changes nothing.
#[derive(Args)]
pub struct Learn {
    /// Files or folders; `-` or nothing for standard input
    #[arg(value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// The run of records and reports that do not name one
    #[arg(long, value_parser = PipelineRun::parse)]
    run: Option<PipelineRun>,
    /// Read the input as this instead of detecting its format: `run`, `archeflow`, `geas`, `sarif`,
    /// `junit`, `cargo`, `clippy`, `rdjson`, `rdjsonl`, `github`, `eslint`,
    /// `transcript`, `lines`, `atif`, `openagents`, `run-log`, `review` or `deliberation`
    #[arg(long, value_parser = args::format)]
    format: Option<Format>,
    /// The role that wrote a review in Markdown [default: the one that the file is named after, or
    /// that its ids show]
    #[arg(long, value_name = "ROLE", value_parser = args::role)]
    author: Option<String>,
    /// Learn what hooks left for later: ended sessions and messages of reviewers, each in its own
    /// project
    #[arg(long, conflicts_with_all = ["inputs", "run", "format", "author"])]
    pending: bool,
    /// Read nothing: check every active lesson for what has lost its standing or proved wrong. This
    /// happens after every run that is learned
    #[arg(long, conflicts_with_all = ["inputs", "run", "format", "author", "pending"])]
    decay: bool,
    /// Ask no model about sessions, whatever the settings say: they wait
    #[arg(long)]
    no_model: bool,
    /// Also try again what was put aside because it failed (`hardwon doctor` names it)
    #[arg(long, requires = "pending")]
    retry: bool,
}

impl Learn {
    pub fn run(self, context: &Context) -> CommandResult {
        if self.pending {
            let (environment, options) = (&context.environment, &context.options);
            if self.retry {
                queue::retry(environment, options)?;
            }
            care::record_shown(environment, options)?;
            let answer = queue::learn_pending(environment, options)?;
            // Injections that a busy store could not take.
            context.writer()?.memory.store.take_turn().map_err(EngineError::from)?;
            return context.answer(&answer, text::learn);
        }
        if self.decay {
            return context.writes(runs::decay, text::decay);
        }
        let no_model = self.no_model;
        let inputs = inputs(self.inputs)?;
        let flaw = self.run.as_ref().and_then(PipelineRun::problem);
        let request = LearnRequest {
            inputs,
            run: self.run.and_then(|run| run.id),
            format: self.format,
            author: self.author,
            folder: Some(context.environment.folder.clone()),
            ..LearnRequest::default()
        };
        let mut open = match context.open(Access::Write) {
            Ok(open) => open,
            Err(EngineError::Store(away @ StoreError::Away { .. })) => {
                return later(context, request, &away);
            }
            Err(error) => return Err(error.into()),
        };
        context.offer_known_project(&mut open)?;
        let progress = &mut context.progress("learning: run", 20);
        let answer = runs::learn_with(&mut open.memory, &open.call, request, progress)?;
        let (environment, learned) = (&context.environment, &answer.body);
        waiting::keep(environment, &environment.folder, &open.call, &learned.digests)?;
        let read = if no_model { Vec::new() } else { read(context, &mut open, learned) };
        let answer = with_problems(with_settings_problems(&open, answer), flaw.as_slice());
        let answer = with_problems(answer, &read);
        context.name_lessons(&open);
        context.answer(&answer, text::learn)?;
        drop(open);
        // Hooks had no time for these; this command has.
        queue::backlog::work_off_all(&context.environment, &Options::default());
        Ok(Exit::Done)
    }
}

/// Has the model read that is set, if there is a session.
fn read(context: &Context, open: &mut OpenMemory, learned: &Learned) -> Vec<Problem> {
    if learned.digests.is_empty() {
        return Vec::new();
    }
    let model = match ask::named(open) {
        Ok(Some(model)) => model,
        Ok(None) => return Vec::new(),
        Err(problem) => return vec![problem],
    };
    if context.can_ask() {
        context.printer.talk(&format!("{} reads {} …", model.model(), learned.digests.len()));
    }
    ask::read_learned(&context.environment, open, learned, &*model)
}

/// The server is away: what was to be learned waits in the queue of hooks.
fn later(context: &Context, request: LearnRequest, away: &StoreError) -> CommandResult {
    let n = queue::keep::keep_record(&context.environment, &context.options, request)?;
    let waits = if n == 1 { "it waits and is" } else { "they wait and are" };
    let told =
        format!("{away}; {waits} learned by the next worker, or by: hardwon learn --pending");
    let answer = Answer::of(Learned::default(), vec![Problem::new("store", told)]);
    context.answer(&answer, text::learn)?;
    Ok(Exit::Done)
}

pub(super) fn inputs(paths: Vec<PathBuf>) -> Result<Vec<Input>, Failure> {
    let standard_input = || Input::Stream("standard input".to_owned(), Box::new(io::stdin()));
    if paths.is_empty() {
        if io::stdin().is_terminal() {
            let hint = Some("name a file or a folder, or pipe a record in");
            return Err(Failure::usage("nothing to learn from", hint));
        }
        return Ok(vec![standard_input()]);
    }
    let input =
        |path: PathBuf| if path.as_os_str() == "-" { standard_input() } else { Input::Path(path) };
    Ok(paths.into_iter().map(input).collect())
}
