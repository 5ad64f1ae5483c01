//! Each command, with what is close to it: its arguments, one call of the engine, one of render.

pub mod add;
pub mod archeflow;
pub mod backtest;
pub mod config;
pub mod doctor;
pub mod edit;
pub mod events;
pub mod export;
pub mod forget;
pub mod geas;
pub mod help;
pub mod hook;
pub mod init;
pub mod inject;
pub mod install;
pub mod jkz;
pub mod learn;
pub mod list;
pub mod log;
pub mod mcp;
pub mod model;
pub mod outcome;
pub mod project;
pub mod reflect;
pub mod report;
pub mod review;
pub mod serve;
pub mod share;
pub mod show;
pub mod store;
pub mod team;
pub mod tour;

use std::io::{self, BufRead, IsTerminal, Read, Write};

use hardwon_engine::answer::{Answer, OneLesson, Status};
use hardwon_engine::event::Problem;
use hardwon_engine::lesson::Lesson;
use hardwon_engine::{
    Access, Call, EngineError, Environment, Memory, OpenMemory, Options, projects, without_control,
};
use hardwon_faces::{Exit, Failure};
use hardwon_foreign::backend::embed::vectors;
use hardwon_render::text;
use serde::Serialize;

use crate::printer::Printer;

pub struct Context {
    pub environment: Environment,
    pub options: Options,
    pub printer: Printer,
    /// The command line as clap knows it, for `help` and `completions`.
    pub tree: fn() -> clap::Command,
}

pub type CommandResult = Result<Exit, Failure>;

impl Context {
    pub fn reader(&self) -> Result<OpenMemory, EngineError> {
        self.open(Access::Read)
    }

    /// Who makes embeddings: the command of the user's settings. If it fails, words decide.
    pub fn embed(&self, memory: &Memory) -> impl FnMut(&[String]) -> Option<Vec<Vec<f64>>> {
        let command = memory.settings.get("embed_command").map(|set| set.value.clone());
        move |texts| match vectors(command.as_ref()?, texts) {
            Ok(vectors) => Some(vectors),
            Err(reason) => {
                self.printer.talk(&format!("searched by words only: `embed_command`: {reason}"));
                None
            }
        }
    }

    /// Opens memory for writing. Asks first if this is a fresh clone of a known project.
    pub fn writer(&self) -> Result<OpenMemory, Failure> {
        let mut open = self.open(Access::Write)?;
        self.offer_known_project(&mut open)?;
        Ok(open)
    }

    /// Opens memory without asking anything.
    pub fn open(&self, access: Access) -> Result<OpenMemory, EngineError> {
        let open = OpenMemory::open(&self.environment, &self.options, access)?;
        self.name_lessons(&open);
        Ok(open)
    }

    /// Calls lessons as the files call them that are worked on.
    pub fn name_lessons(&self, open: &OpenMemory) {
        if !self.printer.is_json() {
            self.printer.call_lessons(hardwon_foreign::names(&open.memory, &open.call));
        }
    }

    /// Asks once whether a fresh clone should use the memory of the project that it is a clone
    /// of. Without a terminal nothing is asked and nothing is joined; `doctor` reports it.
    pub fn offer_known_project(&self, open: &mut OpenMemory) -> Result<(), Failure> {
        if !self.can_ask() || !io::stderr().is_terminal() {
            return Ok(());
        }
        let Some(kin) = projects::offered_kin(&open.memory, &open.call)? else { return Ok(()) };
        let name = without_control(kin.title());
        if is_yes(&format!("This is another clone of {name}. Use the memory of {name} here?")) {
            projects::project_alias(&mut open.memory, &mut open.call, kin.id.as_str(), None)?;
        } else {
            projects::keep_apart(&mut open.memory, &open.call)?;
        }
        Ok(())
    }

    /// Marks a checkout that is new, so that it is found again after a move. That memory cannot
    /// be opened is reported by the first command that needs it.
    pub fn mark_checkout(&self) {
        // `install --project` names files, not a project.
        let options = Options { project: None, ..self.options.clone() };
        if let Ok(open) = OpenMemory::open(&self.environment, &options, Access::Read) {
            projects::mark_checkout(&open.call);
        }
    }

    /// Whether there is a person to ask.
    pub fn can_ask(&self) -> bool {
        !self.printer.is_json() && io::stdin().is_terminal()
    }

    /// Tells a person at a terminal how far long work is, every so many steps.
    pub fn progress(&self, doing: &'static str, every: usize) -> impl FnMut(usize, usize) {
        let shows = io::stderr().is_terminal() && !self.printer.is_json();
        move |done, all| {
            if shows && all > every && done.is_multiple_of(every) {
                self.printer.talk(&format!("{doing} {} of {all}", done + 1));
            }
        }
    }

    /// Columns to fill: `COLUMNS`, else those of the terminal, else what fits most windows.
    pub fn width(&self) -> usize {
        let stated = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
        stated.or_else(terminal_columns).unwrap_or(100).clamp(60, 200)
    }

    /// Prints an answer; `text` gets the width to fill.
    pub fn answer<T: Serialize>(
        &self,
        answer: &Answer<T>,
        text: impl FnOnce(&T, usize) -> String,
    ) -> CommandResult {
        self.printer.answer(answer, |body| text(body, self.width()));
        Ok(Exit::Done)
    }

    /// Prints an answer, the problems of the settings before its own.
    pub fn print<T: Serialize>(
        &self,
        open: &OpenMemory,
        answer: Answer<T>,
        text: impl FnOnce(&T, usize) -> String,
    ) -> CommandResult {
        self.name_lessons(open);
        self.answer(&with_settings_problems(open, answer), text)
    }

    /// Prints what a use case answers that only looks.
    pub fn reads<T: Serialize>(
        &self,
        case: impl FnOnce(&Memory, &Call) -> Result<Answer<T>, EngineError>,
        text: impl FnOnce(&T, usize) -> String,
    ) -> CommandResult {
        let open = self.reader()?;
        let answer = case(&open.memory, &open.call)?;
        self.print(&open, answer, text)
    }

    /// Prints what a use case answers that may write.
    pub fn writes<T: Serialize>(
        &self,
        case: impl FnOnce(&mut Memory, &Call) -> Result<Answer<T>, EngineError>,
        text: impl FnOnce(&T, usize) -> String,
    ) -> CommandResult {
        let mut open = self.writer()?;
        let answer = case(&mut open.memory, &open.call)?;
        self.print(&open, answer, text)
    }

    /// Changes one lesson, and prints it. `tell` may say more about it first.
    pub fn changes(
        &self,
        case: impl FnOnce(&mut Memory, &Call) -> Result<Answer<Lesson>, EngineError>,
        tell: impl FnOnce(&Lesson) -> Option<String>,
    ) -> CommandResult {
        let mut open = self.writer()?;
        let answer = case(&mut open.memory, &open.call)?;
        if !self.printer.is_json()
            && let Some(told) = tell(&answer.body)
        {
            self.printer.talk(&told);
        }
        self.lesson(&open, answer)
    }

    /// Prints one lesson after it was changed.
    pub fn lesson(&self, open: &OpenMemory, answer: Answer<Lesson>) -> CommandResult {
        self.print(open, answer.map(OneLesson::from), |one, width| text::lesson(&one.lesson, width))
    }
}

/// The columns of the terminal. Shells seldom export `COLUMNS`.
fn terminal_columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    // A terminal without a size, as on some build servers, reports 0.
    (size.ws_col > 0).then_some(size.ws_col.into())
}

/// Does long work whose parts a person at a terminal sees, where that is wanted: one line that the
/// next one overwrites.
pub fn watched<T>(is_wanted: bool, work: impl FnOnce(&mut dyn FnMut(&str)) -> T) -> T {
    let is_watched = is_wanted && io::stderr().is_terminal();
    let mut show = |line: &str| {
        if is_watched {
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r\u{1b}[K{line}").and_then(|()| stderr.flush());
        }
    };
    let done = work(&mut show);
    show("");
    done
}

/// The answer with the problems of the settings before its own.
pub fn with_settings_problems<T>(open: &OpenMemory, answer: Answer<T>) -> Answer<T> {
    with_problems(answer, &open.memory.settings.problems)
}

/// The answer with these problems before its own.
pub fn with_problems<T>(mut answer: Answer<T>, problems: &[Problem]) -> Answer<T> {
    answer.problems.splice(..0, problems.iter().cloned());
    let is_done = matches!(answer.status, Status::Ok | Status::Empty);
    if !answer.problems.is_empty() && is_done {
        answer.status = Status::Degraded;
    }
    answer
}

/// Asks a question; anything but yes means no.
pub fn is_yes(question: &str) -> bool {
    let _ = write!(io::stderr().lock(), "{question} [y/N] ");
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    read.is_ok() && matches!(line.trim(), "y" | "Y" | "yes")
}

/// A text from the command line, or from standard input if it is `-`, so that a long or
/// awkward text needs no shell quoting.
pub fn text_or_stdin(text: String) -> Result<String, Failure> {
    const MAX_BYTES: u64 = 64 * 1024;
    if text != "-" {
        return Ok(text);
    }
    let mut read = Vec::new();
    let outcome = io::stdin().take(MAX_BYTES).read_to_end(&mut read);
    outcome
        .map_err(|error| Failure::usage(format!("cannot read standard input: {error}"), None))?;
    String::from_utf8(read).map_err(|_| Failure::usage("standard input is not valid UTF-8", None))
}
