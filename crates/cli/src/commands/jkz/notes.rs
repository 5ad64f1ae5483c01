//! `hardwon jkz` on memory in files: MEMORY.md and its topic files.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hardwon_engine::{Access, lookup};
use hardwon_faces::{Exit, Failure, has_no_notes, note_places};
use hardwon_foreign::jkz::notes::{self, Bounds, NewNote, NoteKind, Places, Target};
use hardwon_render::text;

use crate::args;
use crate::commands::{CommandResult, Context};

#[derive(Subcommand)]
pub enum Notes {
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
    /// State a fact as a note, if it earns one: recurrent, undocumented, non-obvious, actionable
    ///
    /// Writes a topic file and its line of the index in one step. An agent cannot.
    Add(Box<Add>),
    /// Put a note away: its file into archive/, its line out of the index
    Forget {
        #[command(flatten)]
        at: Where,
        /// Its file without .md, or its name
        slug: String,
    },
    /// Make a note of a lesson
    Lesson {
        #[command(flatten)]
        at: Where,
        /// Its id, the beginning of it, or an alias
        lesson: String,
    },
    /// Does a note belong into the project's rules? Scored, and with --apply written there
    Promote {
        #[command(flatten)]
        at: Where,
        /// Its file without .md, or its name
        slug: String,
        /// The document, and a heading in it [default: CLAUDE.md, else AGENTS.md]
        #[arg(long, value_name = "FILE#SECTION")]
        to: Option<String>,
        /// Write it there, and put the note away
        #[arg(long)]
        apply: bool,
    },
    /// What is wrong with them: lines without files, dead links, limits, broken YAML
    ///
    /// Exit status 1 if something is.
    Check(Where),
    /// One word for them: good, needs_review or critical
    Status(Looked),
    /// What to look at: stale, overlapping, documented, to be rewritten, to be promoted
    Review(Looked),
    /// Which of them name files or scripts that are gone, by the working tree and its history
    ///
    /// Exit status 1 if one does. Each finding names its proof; without one there is none.
    Audit {
        #[command(flatten)]
        at: Where,
        /// Only these notes
        #[arg(value_name = "SLUG")]
        slugs: Vec<String>,
    },
    /// Lessons that would make a note: at most seven, best first, each with its diff
    ///
    /// What neither a note nor a document says: first what a person said, then what came back in
    /// most runs. Nothing is written; `jkz lesson` makes a note of one.
    Learn(Where),
}

#[derive(Args)]
pub struct Where {
    /// The folder of notes [default: HARDWON_NOTES, else that of Claude Code for this project]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// The notebook of this role: .claude/agent-memory/ROLE of the checkout
    #[arg(long, value_name = "ROLE", conflicts_with = "dir")]
    role: Option<String>,
}

#[derive(Args)]
pub struct Add {
    #[command(flatten)]
    at: Where,
    /// The fact, in a sentence or two
    text: String,
    /// user, feedback, project or reference
    #[arg(long = "type", value_name = "TYPE", value_parser = args::note_kind)]
    kind: NoteKind,
    /// [default: the first clause of the text]
    #[arg(long)]
    title: Option<String>,
    /// Why it is so
    #[arg(long)]
    why: Option<String>,
    /// What to do about it
    #[arg(long)]
    how: Option<String>,
    /// A note that it belongs to; may be given several times
    #[arg(long, value_name = "SLUG")]
    link: Vec<String>,
    /// Add it whatever the bar says
    #[arg(long)]
    force: bool,
}

#[derive(Args)]
pub struct Looked {
    #[command(flatten)]
    at: Where,
    /// A note is stale after so many days [default: 30]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(i64).range(0..))]
    stale_days: Option<i64>,
    /// Two notes overlap from this share of common words on, 0 to 1 [default: 0.6]
    #[arg(long, value_name = "SHARE", value_parser = args::share)]
    overlap: Option<f64>,
}

impl Add {
    fn run(self, context: &Context) -> CommandResult {
        let Add { at, text, kind, title, why, how, link, force } = self;
        let note = NewNote { text, kind, title, why, how, links: link, is_forced: force };
        let answer = notes::add(&context.environment, &at.folder(context)?, &note)?;
        context.answer(&answer, text::notes_written)
    }
}

fn checked(at: &Where, context: &Context) -> CommandResult {
    let answer = notes::check(&context.environment, &at.places(), &at.folder(context)?)?;
    let is_sound = answer.body.faults.is_empty();
    context.answer(&answer, text::notes_checked)?;
    Ok(if is_sound { Exit::Done } else { Exit::Negative })
}

impl Looked {
    fn bounds(&self) -> Bounds {
        Bounds { stale_days: self.stale_days, overlap: self.overlap }
    }
}

impl Where {
    fn places(&self) -> Places {
        let places = note_places();
        let stated = self.dir.clone().or(places.stated);
        Places { role: self.role.clone(), stated, ..places }
    }

    fn folder(&self, context: &Context) -> Result<PathBuf, Failure> {
        let folder = self.places().folder(&context.environment)?;
        notes::settle(&context.environment, &folder)?;
        Ok(folder)
    }
}

impl Notes {
    pub fn run(self, context: &Context) -> CommandResult {
        let environment = &context.environment;
        if has_no_notes(&context.options.settings(environment)) {
            let hint = Some("`hardwon config set notes on` turns them on");
            return Err(Failure::usage("notes are off: agents are shown none of them", hint));
        }
        match self {
            Notes::List { at, kind } => {
                context.answer(&notes::list(&at.folder(context)?, kind)?, text::notes)
            }
            Notes::Show { at, slug } => {
                context.answer(&notes::show(&at.folder(context)?, &slug)?, text::note)
            }
            Notes::Add(add) => add.run(context),
            Notes::Forget { at, slug } => {
                let answer = notes::forget(environment, &at.folder(context)?, &slug)?;
                context.answer(&answer, text::notes_written)
            }
            Notes::Lesson { at, lesson } => {
                let open = context.open(Access::Read)?;
                let lesson = lookup::lesson_named(&open.memory, &open.call, &lesson)?;
                let answer = notes::of_lesson(environment, &at.folder(context)?, &lesson)?;
                context.answer(&answer, text::notes_written)
            }
            Notes::Promote { at, slug, to, apply } => {
                let (folder, to) = (at.folder(context)?, to.as_deref().map(Target::parse));
                let answer = notes::promote(environment, &folder, &slug, to.as_ref(), apply)?;
                context.answer(&answer, text::note_promotion)
            }
            Notes::Check(at) => checked(&at, context),
            Notes::Status(looked) => {
                let folder = looked.at.folder(context)?;
                let places = looked.at.places();
                let answer = notes::status(environment, &places, &folder, looked.bounds())?;
                context.answer(&answer, text::notes_status)
            }
            Notes::Review(looked) => {
                let folder = looked.at.folder(context)?;
                let answer = notes::review(environment, &folder, looked.bounds())?;
                context.answer(&answer, text::notes_review)
            }
            Notes::Learn(at) => {
                let answer = notes::learn(environment, &context.options, &at.folder(context)?)?;
                context.answer(&answer, text::notes_proposals)
            }
            Notes::Audit { at, slugs } => {
                let (folder, tree) = (at.folder(context)?, environment.checkout());
                let answer = notes::audit(tree, &folder, &slugs)?;
                let holds = answer.body.findings.is_empty();
                context.answer(&answer, text::notes_audit)?;
                Ok(if holds { Exit::Done } else { Exit::Negative })
            }
        }
    }
}
