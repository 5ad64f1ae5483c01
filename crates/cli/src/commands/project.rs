//! `hardwon config project`

use clap::{Args, Subcommand};
use hardwon_engine::{Access, projects, transfer};
use hardwon_render::text;

use super::{CommandResult, Context};

/// List, show and rename projects, and choose the project of a checkout
///
/// Memory is kept by project. A git checkout is recognized by its path and by a mark in its git
/// directory, so it keeps its memory when it is moved; a clone starts without memory. Without a
/// subcommand it shows the project of the current folder.
#[derive(Args)]
pub struct ProjectArgs {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// Every project, with its checkouts
    List,
    /// One project, and why the current folder belongs to it
    Show {
        /// Its id, its name, or the path of a checkout [default: that of the current folder]
        // `project` is the common option of that name.
        #[arg(value_name = "PROJECT")]
        name: Option<String>,
    },
    /// Give a project another name; its id stays, and so do the ids of its lessons
    Rename {
        /// Its id, its name, or the path of a checkout; `.` for that of the current folder
        #[arg(value_name = "PROJECT")]
        name: String,
        /// Its new name
        #[arg(value_name = "NAME")]
        to: String,
    },
    /// Use the memory of PROJECT in this checkout
    ///
    /// With --into the checkouts of PROJECT use the memory of another one instead. Lessons stay
    /// where they are: those of PROJECT itself are still there under `--project ID`.
    Alias {
        /// Its id, its name, or the path of a checkout
        #[arg(value_name = "PROJECT")]
        name: String,
        /// The project that takes over the checkouts of PROJECT
        #[arg(long, value_name = "OTHER")]
        into: Option<String>,
    },
    /// Bring all lessons, runs and checkouts of PROJECT to OTHER
    ///
    /// One operation of OTHER, which `hardwon undo --project OTHER` takes back. A run of PROJECT whose
    /// name OTHER has, too, gets the name of PROJECT in front; what both say becomes one lesson with
    /// the evidence of both. PROJECT itself stays as it was, without checkouts.
    Merge {
        /// Its id, its name, or the path of a checkout
        #[arg(value_name = "PROJECT")]
        name: String,
        /// The project that it comes to
        #[arg(value_name = "OTHER")]
        into: String,
    },
}

impl ProjectArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        match self.what {
            Some(What::List) => context.reads(projects::project_list, text::projects),
            None => show(context, None),
            Some(What::Show { name }) => show(context, name.as_deref()),
            Some(What::Rename { name, to }) => {
                let mut open = context.open(Access::Write)?;
                let answer = projects::project_rename(&mut open.memory, &open.call, &name, &to)?;
                context.print(&open, answer, text::project)
            }
            Some(What::Merge { name, into }) => {
                let mut open = context.open(Access::Write)?;
                let id = |name: &str| projects::project_named(&open.memory, &open.call, name);
                let (from, into) = (id(&name)?.id, id(&into)?.id);
                let merged = transfer::merge_projects(&mut open.memory, &open.call, &from, &into)?;
                context.print(&open, merged, text::merged_projects)
            }
            Some(What::Alias { name, into }) => {
                let mut open = context.open(Access::Write)?;
                let (memory, call) = (&mut open.memory, &mut open.call);
                let answer = projects::project_alias(memory, call, &name, into.as_deref())?;
                context.print(&open, answer, text::project)
            }
        }
    }
}

fn show(context: &Context, name: Option<&str>) -> CommandResult {
    context.reads(|memory, call| projects::project_show(memory, call, name), text::project)
}
