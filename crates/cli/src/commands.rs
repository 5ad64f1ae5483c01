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
pub mod project;
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

use std::io::IsTerminal;

use hardwon_engine::answer::{self, Answer, OneLesson, Status};
use hardwon_engine::event::Problem;
use hardwon_engine::lesson::Lesson;
use hardwon_engine::{Access, Environment, OpenMemory, Options, lift, projects, without_control};
use hardwon_faces::{Exit, Failure};
use hardwon_render::text;

use crate::printer::Printer;

/// What every command gets.
pub struct Context {
    pub environment: Environment,
    pub options: Options,
    pub printer: Printer,
    /// All that can be typed, for `help` and `completions`.
    pub tree: fn() -> clap::Command,
}

/// How a command ends.
pub type Done = Result<Exit, Failure>;

impl Context {
    /// Opens memory for reading.
    pub fn reader(&self) -> Result<OpenMemory, Failure> {
        self.open(Access::Read)
    }

    /// Opens memory for writing.
    pub fn writer(&self) -> Result<OpenMemory, Failure> {
        let mut open = self.open(Access::Write)?;
        self.offer_kin(&mut open)?;
        Ok(open)
    }

    /// Asks once whether a fresh clone shall use the memory of a project that is known. Without
    /// a terminal nothing is asked and nothing is joined; `doctor` tells.
    fn offer_kin(&self, open: &mut OpenMemory) -> Result<(), Failure> {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        if self.printer.is_json() || !is_terminal {
            return Ok(());
        }
        let Some(kin) = projects::offered_kin(&open.memory, &open.call)? else { return Ok(()) };
        let name = without_control(kin.title());
        let question = format!("This is another clone of {name}. Use the memory of {name} here?");
        if install::is_yes(&question) {
            projects::project_alias(&mut open.memory, &mut open.call, kin.id.as_str(), None)?;
        } else {
            projects::keep_apart(&mut open.memory, &open.call)?;
        }
        Ok(())
    }

    /// Opens memory, and asks nothing.
    pub fn open(&self, access: Access) -> Result<OpenMemory, Failure> {
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
        let told = answer
            .map(|lesson| OneLesson { lesson: answer::Lesson::with_lift(&lesson, lift.as_ref()) });
        self.printer.answer(&told, |told| text::lesson(&told.lesson, self.width()));
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
