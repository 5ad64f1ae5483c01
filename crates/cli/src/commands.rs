//! One file per command: its arguments, one call of the engine, one call of render.

pub mod add;
pub mod archeflow;
pub mod check;
pub mod completions;
pub mod config;
pub mod decay;
pub mod doctor;
pub mod edit;
pub mod events;
pub mod export;
pub mod forget;
pub mod guard;
pub mod help;
pub mod history;
pub mod hook;
pub mod import;
pub mod init;
pub mod inject;
pub mod install;
pub mod learn;
pub mod list;
pub mod mark;
pub mod mcp;
pub mod merge;
pub mod moved;
pub mod outcome;
pub mod pin;
pub mod policy;
pub mod reflect;
pub mod regressions;
pub mod replay;
pub mod report;
pub mod restore;
pub mod review;
pub mod runs;
pub mod search;
pub mod show;
pub mod stats;
pub mod tour;
pub mod trust;
pub mod undo;
pub mod uninstall;
pub mod why;

use hardwon_engine::answer::{Answer, Status};
use hardwon_engine::event::Problem;
use hardwon_engine::lesson::Lesson;
use hardwon_engine::{Access, Environment, OpenMemory, Options, lift};
use hardwon_faces::{Exit, Failure};
use hardwon_render::{json, text};

use crate::args::Command;
use crate::printer::Printer;

/// What every command gets.
pub struct Context {
    pub environment: Environment,
    pub options: Options,
    pub printer: Printer,
}

/// How a command ends.
pub type Done = Result<Exit, Failure>;

/// Runs a command.
pub fn run(command: Command, context: &Context) -> Done {
    match command {
        Command::Tour(args) => args.run(context),
        Command::Learn(args) => args.run(context),
        Command::Inject(args) => args.run(context),
        Command::Hook(args) => args.run(context),
        Command::Report(args) => args.run(context),
        Command::Runs(args) => args.run(context),
        Command::Reflect(args) => args.run(context),
        Command::Events(args) => args.run(context),
        Command::Outcome(args) => args.run(context),
        Command::Mark(args) => args.run(context),
        Command::Check(args) => args.run(context),
        Command::Regressions(args) => args.run(context),
        Command::Decay(args) => args.run(context),
        Command::Add(args) => args.run(context),
        Command::List(args) => args.run(context),
        Command::Show(args) => args.run(context),
        Command::Why(args) => args.run(context),
        Command::Search(args) => args.run(context),
        Command::Edit(args) => args.run(context),
        Command::Pin(args) => args.run(context),
        Command::Forget(args) => args.run(context),
        Command::Restore(args) => args.run(context),
        Command::Merge(args) => args.run(context),
        Command::Review(args) => args.run(context),
        Command::Guard(args) => args.run(context),
        Command::History(args) => args.run(context),
        Command::Undo(args) => args.run(context),
        Command::Stats(args) => args.run(context),
        Command::Trust(args) => args.run(context),
        Command::Import(args) => args.run(context),
        Command::Export(args) => args.run(context),
        Command::Archeflow(args) => args.run(context),
        Command::Init(args) => args.run(context),
        Command::Install(args) => args.run(context),
        Command::Uninstall(args) => args.run(context),
        Command::Mcp(args) => args.run(context),
        Command::Doctor(args) => args.run(context),
        Command::Config(args) => args.run(context),
        Command::Policy(args) => args.run(context),
        Command::Replay(args) => args.run(context),
        Command::Simulate(args) => args.run("simulate"),
        Command::Bench(args) => args.run("bench"),
        Command::Completions(args) => args.run(context),
        Command::Help(args) => args.run(context),
    }
}

impl Context {
    /// Opens memory for reading.
    pub fn reader(&self) -> Result<OpenMemory, Failure> {
        self.open(Access::Read)
    }

    /// Opens memory for writing.
    pub fn writer(&self) -> Result<OpenMemory, Failure> {
        self.open(Access::Write)
    }

    fn open(&self, access: Access) -> Result<OpenMemory, Failure> {
        Ok(OpenMemory::open(&self.environment, &self.options, access)?)
    }

    /// Columns to fill: `COLUMNS`, else those of the terminal, else what fits most windows.
    pub fn width(&self) -> usize {
        let stated = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
        stated.or_else(terminal_columns).unwrap_or(100).clamp(60, 200)
    }

    /// Prints one lesson after it was changed.
    pub fn lesson(&self, engine: &OpenMemory, mut answer: Answer<Lesson>) -> Done {
        take_problems(engine, &mut answer);
        let lift = lift::lift_of(&engine.memory, &engine.call, &answer.body)?;
        let wire = |answer: &Answer<Lesson>| json::lesson(answer, lift.as_ref());
        self.printer.answer(&answer, wire, |lesson| text::lesson(lesson, self.width()));
        Ok(Exit::Done)
    }
}

/// The columns of the terminal that is written to. Shells seldom export `COLUMNS`.
fn terminal_columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    // A terminal that nobody gave a size, as in some build servers, says 0.
    (size.ws_col > 0).then_some(size.ws_col.into())
}

/// Puts problems of the settings in front of an answer's own.
pub fn take_problems<T>(engine: &OpenMemory, answer: &mut Answer<T>) {
    put_before(&engine.memory.settings().problems, answer);
}

/// The answer with a problem of the call itself in front of its own.
pub fn with_problem<T>(mut answer: Answer<T>, problem: Option<Problem>) -> Answer<T> {
    put_before(problem.as_slice(), &mut answer);
    answer
}

fn put_before<T>(problems: &[Problem], answer: &mut Answer<T>) {
    answer.problems.splice(..0, problems.iter().cloned());
    let is_done = matches!(answer.status, Status::Ok | Status::Empty);
    if !answer.problems.is_empty() && is_done {
        answer.status = Status::Degraded;
    }
}

/// A text from the command line, or from standard input when it is `-`: large or
/// awkward text never has to pass a shell's quoting.
pub fn text_or_stdin(text: String) -> Result<String, Failure> {
    use std::io::Read;
    const MAX_BYTES: u64 = 64 * 1024;
    if text != "-" {
        return Ok(text);
    }
    let mut read = Vec::new();
    let outcome = std::io::stdin().take(MAX_BYTES).read_to_end(&mut read);
    outcome
        .map_err(|error| Failure::usage(format!("cannot read standard input: {error}"), None))?;
    String::from_utf8(read).map_err(|_| Failure::usage("standard input is not valid UTF-8", None))
}
