//! `hardwon notes`

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use hardwon_engine::answer::Answer;
use hardwon_faces::{Exit, Failure};
use hardwon_foreign::notes::{self, Bounds, NoteKind, Places};
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

const FOLDER_VARIABLE: &str = "HARDWON_NOTES";
const HOST_VARIABLE: &str = "CLAUDE_CONFIG_DIR";

/// Look after memory in files: MEMORY.md and its topic files, as Claude Code keeps them
///
/// Reads the project's folder of notes and holds it against its index, the documents and the
/// working tree. Nothing is changed.
#[derive(Args)]
pub struct NotesArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Where notes lie, and which files hosts load by themselves
    Where(Where),
    /// The notes of the project
    List {
        #[command(flatten)]
        at: Where,
        /// user, feedback, project or reference
        #[arg(long = "type", value_name = "TYPE", value_parser = args::note_kind)]
        kind: Option<NoteKind>,
    },
    /// One note, with its links both ways
    Show {
        #[command(flatten)]
        at: Where,
        /// Its file without .md, or its name
        slug: String,
    },
    /// What is wrong with them: lines without files, dead links, doubles, limits, broken YAML
    ///
    /// Exit status 1 if something is.
    Check(Where),
    /// One word for them: good, needs_review or critical
    Status(Looked),
    /// What to look at: stale, overlapping, documented, to be rewritten, to be promoted
    Review(Looked),
    /// Which of them do not hold any more, by the working tree and its history
    ///
    /// Exit status 1 if one does not. Each finding names its proof; without one there is none.
    Audit {
        #[command(flatten)]
        at: Where,
        /// Only these notes
        #[arg(value_name = "SLUG")]
        slugs: Vec<String>,
    },
}

#[derive(Args)]
struct Where {
    /// The folder of notes [default: HARDWON_NOTES, else that of Claude Code for this project]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

#[derive(Args)]
struct Looked {
    #[command(flatten)]
    at: Where,
    /// A note is stale after so many days [default: 30]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(i64).range(0..))]
    stale_days: Option<i64>,
    /// Two notes overlap from this share of common words on, 0 to 1 [default: 0.6]
    #[arg(long, value_name = "SHARE", value_parser = args::share)]
    overlap: Option<f64>,
}

impl Looked {
    fn bounds(&self) -> Bounds {
        Bounds { stale_days: self.stale_days, overlap: self.overlap }
    }
}

impl Where {
    fn places(&self) -> Places {
        let variable = |name| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        Places {
            stated: self.dir.clone().or_else(|| variable(FOLDER_VARIABLE)),
            host_home: variable(HOST_VARIABLE),
        }
    }

    fn folder(&self, context: &Context) -> Result<PathBuf, Failure> {
        Ok(self.places().project(&context.environment)?)
    }
}

impl NotesArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        let environment = &context.environment;
        match self.what {
            What::Where(at) => {
                let places = notes::places(environment, &at.places())?;
                context.answer(&Answer::of(places, Vec::new()), text::notes_places)
            }
            What::List { at, kind } => {
                context.answer(&notes::list(&at.folder(context)?, kind)?, text::notes)
            }
            What::Show { at, slug } => {
                context.answer(&notes::show(&at.folder(context)?, &slug)?, text::note)
            }
            What::Check(at) => {
                let answer = notes::check(&at.folder(context)?)?;
                let is_sound = answer.body.faults.is_empty();
                context.answer(&answer, text::notes_checked)?;
                Ok(if is_sound { Exit::Done } else { Exit::Negative })
            }
            What::Status(looked) => {
                let folder = looked.at.folder(context)?;
                let answer = notes::status(environment, &folder, looked.bounds())?;
                context.answer(&answer, text::notes_status)
            }
            What::Review(looked) => {
                let folder = looked.at.folder(context)?;
                let answer = notes::review(environment, &folder, looked.bounds())?;
                context.answer(&answer, text::notes_review)
            }
            What::Audit { at, slugs } => {
                let (folder, tree) = (at.folder(context)?, environment.checkout());
                let shows_progress = io::stderr().is_terminal() && !context.printer.is_json();
                let mut progress = |done: usize, all: usize| {
                    if shows_progress && all > 5_000 && done % 2_000 == 0 {
                        context.printer.talk(&format!("searching: file {} of {all}", done + 1));
                    }
                };
                let answer = notes::audit(tree, &folder, &slugs, &mut progress)?;
                let holds = answer.body.findings.is_empty();
                context.answer(&answer, text::notes_audit)?;
                Ok(if holds { Exit::Done } else { Exit::Negative })
            }
        }
    }
}
