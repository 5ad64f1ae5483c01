//! `hardwon reflect`

use std::path::PathBuf;

use clap::Args;
use hardwon_engine::answer::{Answer, Asked, Learned, Reflected, ReflectionContext};
use hardwon_engine::event::Problem;
use hardwon_engine::ids::RunId;
use hardwon_engine::reflection::Scenario;
use hardwon_engine::waiting;
use hardwon_engine::{About, OpenMemory, ReflectRequest, reflect_pending, runs};
use hardwon_faces::{Exit, Failure};
use hardwon_foreign::ask::{self, OnPaper, Whom};
use hardwon_foreign::backend::{Backend, Setup};
use hardwon_render::reflect::context_json;
use hardwon_render::{json, text};

use super::{CommandResult, Context, with_problems, with_settings_problems};
use crate::args;

/// Analyze how runs went: what worked, what failed, and which lessons follow
///
/// Fixed patterns find what fails again, what repaired it and what you corrected; `learn` does this
/// automatically at the end of a run, and doing it again changes nothing. If you set a backend
/// (`hardwon config model use`), a language model is asked as well, below the caps that you set. Without a
/// flag it analyzes the newest run.
#[derive(Args)]
pub struct Reflect {
    /// The run to analyze
    #[arg(long, value_parser = args::run_id, conflicts_with_all = ["session", "days"])]
    run: Option<RunId>,
    /// All runs of a session
    #[arg(long, conflicts_with = "days")]
    session: Option<String>,
    /// All runs of the last N days
    #[arg(long, value_name = "N")]
    days: Option<u32>,
    /// What ended and was not analyzed yet: sessions that hooks recorded, and runs whose outcome
    /// was stated
    #[arg(long, conflicts_with_all = ["run", "session", "days", "print_context", "append"])]
    pending: bool,
    /// Why: session_complete, session_failed, healer_invocation or pattern_detected
    /// [default: by how the run ended]
    #[arg(long, value_parser = args::scenario)]
    scenario: Option<Scenario>,
    /// The project's progress file [default: reflect.progress_file]
    #[arg(long, value_name = "FILE")]
    progress: Option<PathBuf>,
    /// Write the lessons to that file, between marks [default: reflect.append_lessons]
    #[arg(long)]
    append: bool,
    /// Print what would be analyzed, as JSON, and do nothing
    #[arg(long, conflicts_with = "append")]
    print_context: bool,
    /// Ask this backend, once: heuristic, anthropic, openai, claude-cli or codex-cli
    /// [default: reflect.backend]
    #[arg(long, value_name = "NAME", conflicts_with = "pending")]
    backend: Option<String>,
    /// Print what a model would be told about the newest of these runs, and ask nothing
    #[arg(long, conflicts_with_all = ["append", "pending", "print_context", "dry_run"])]
    print_prompt: bool,
    /// Print what a model would cost at most, in tokens and dollars, and ask nothing
    #[arg(long, conflicts_with_all = ["append", "pending", "print_context"])]
    dry_run: bool,
}

impl Reflect {
    pub fn run(self, context: &Context) -> CommandResult {
        if self.pending {
            return context.answer(&pending(context)?, text::reflect);
        }
        let is_context = self.print_context;
        let (is_prompt, is_dry) = (self.print_prompt, self.dry_run);
        let backend = self.backend.clone();
        let folder = &context.environment.folder;
        let progress = self.progress.as_ref().map(|path| folder.join(path));
        let request = ReflectRequest {
            scenario: self.scenario,
            progress,
            folder: Some(folder.clone()),
            appends: self.append,
            ..ReflectRequest::of(self.about())
        };
        if is_context {
            return print_context(context, &request);
        }
        if is_prompt || is_dry {
            return on_paper(context, &request, backend.as_deref(), is_prompt);
        }
        let mut open = context.writer()?;
        has_file(&open, &request)?;
        let appends = open.memory.settings.switch("reflect.append_lessons").unwrap_or_default();
        let request = ReflectRequest { appends: request.appends || appends, ..request };
        let answer = reflected(context, &mut open, &request, backend.as_deref())?;
        context.print(&open, answer, text::reflect)
    }

    fn about(self) -> About {
        match (self.run, self.session, self.days) {
            (Some(run), _, _) => About::Run(run),
            (None, Some(session), _) => About::Session(session),
            (None, None, Some(days)) => About::Days(days),
            (None, None, None) => About::Newest,
        }
    }
}

/// Works off what waits: first what hooks left, then sessions that wait for a reader.
fn pending(context: &Context) -> Result<Answer<Reflected>, Failure> {
    let environment = &context.environment;
    let then =
        |open: &mut OpenMemory, learned: &Learned| ask::afterwards(environment, open, learned);
    let mut answer = reflect_pending(environment, &context.options, &then)?;
    let mut open = context.writer()?;
    match ask::named(&open) {
        Ok(Some(model)) => {
            let read = ask::read::read_waiting(environment, &mut open, None, &*model)?;
            answer.problems.extend(read.problems);
            answer.body.add_read(read.body);
        }
        Ok(None) => {}
        Err(problem) => answer.problems.push(problem),
    }
    let n = waiting::n_waiting(environment, &open.call.project);
    if n > 0 && answer.body.skipped.is_some() {
        answer.body.skipped = Some(format!("{n} waiting for a model to read"));
    }
    Ok(answer)
}

/// Looks back by the fixed patterns, and asks a model if one is set.
fn reflected(
    context: &Context,
    open: &mut OpenMemory,
    request: &ReflectRequest,
    backend: Option<&str>,
) -> Result<Answer<Reflected>, Failure> {
    let OpenMemory { memory, call } = open;
    let setup = match ask::whom(&memory.settings, backend)? {
        Whom::Backend(setup) => setup,
        Whom::Nobody | Whom::Host => return Ok(runs::reflect(memory, call, request)?),
    };
    let name = setup.backend.word();
    let mut tell = |run: &RunId, asked: Option<&Asked>| {
        if asked.is_none() && context.can_ask() {
            context.printer.talk(&format!("asking {name} about {run} …"));
        }
    };
    match ask::open(&setup) {
        Ok(model) => Ok(ask::reflect(memory, call, request, &*model, &mut tell)?),
        // What is found without a model is there all the same.
        Err(no_answer) => {
            let problem = Problem::new(name, format!("not asked: {}", no_answer.reason));
            let answer = runs::reflect(memory, call, request)?;
            Ok(with_problems(answer, &[problem]))
        }
    }
}

/// What would be asked, of the backend that is named or set, else of one that could be.
fn on_paper(
    context: &Context,
    request: &ReflectRequest,
    backend: Option<&str>,
    is_prompt: bool,
) -> CommandResult {
    let open = context.reader()?;
    let OpenMemory { memory, call } = &open;
    let setup = match ask::whom(&memory.settings, backend)? {
        Whom::Backend(setup) => setup,
        Whom::Nobody | Whom::Host => Setup::of(Backend::Anthropic),
    };
    let model = OnPaper::of(&setup);
    let roots = runs::reflected_roots(memory, call, &request.about)?;
    let newest = roots.last();
    let waits = newest.and_then(|run| waiting::look(&context.environment, &call.project, run));
    if let Some(waiting) = waits.filter(|_| is_prompt) {
        let prompt = ask::read::prompt(memory, call, &waiting, &model)?;
        return context.print(&open, Answer::of(prompt, Vec::new()), text::prompt);
    }
    if is_prompt {
        let prompt = ask::prompt(memory, call, request, &model)?;
        return context.print(&open, Answer::of(prompt, Vec::new()), text::prompt);
    }
    let would = ask::would_ask(memory, call, &roots, &model)?;
    let answer = Answer::of(would, Vec::new()).empty_if(|would| would.runs.is_empty());
    context.print(&open, answer, text::would_ask)
}

/// Appending lessons needs a file.
fn has_file(open: &OpenMemory, request: &ReflectRequest) -> Result<(), Failure> {
    let set = open.memory.settings.get("reflect.progress_file");
    let is_set = set.is_some_and(|set| !set.value.is_empty());
    if request.appends && request.progress.is_none() && !is_set {
        let hint = Some("add --progress FILE, or `hardwon config set reflect.progress_file`");
        Err(Failure::usage("no progress file is known to append to", hint))
    } else {
        Ok(())
    }
}

fn print_context(context: &Context, request: &ReflectRequest) -> CommandResult {
    let open = context.reader()?;
    let answer = runs::reflection_context(&open.memory, &open.call, request)?;
    let answer = with_settings_problems(&open, answer);
    let (project, policy) = (open.call.project.as_str(), &open.memory.policy.reflection);
    if context.printer.is_json() {
        let context_answer = answer
            .map(|looked| ReflectionContext { context: context_json(&looked, project, policy) });
        context.printer.json(&json::answer(&context_answer));
    } else {
        context.printer.json(&context_json(&answer.body, project, policy));
        context.printer.problems(&answer.problems);
    }
    Ok(Exit::Done)
}
