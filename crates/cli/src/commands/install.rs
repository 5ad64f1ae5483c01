//! `hardwon install` and `uninstall`.

use clap::Args;
use clap_complete::{Shell, generate};
use hardwon_engine::answer::{FileStep, Installation};
use hardwon_faces::{Exit, Failure};
use hardwon_hosts::install::{self, InstallError, InstallRequest, Plan};
use hardwon_hosts::{Surroundings, hosts};
use hardwon_render::text;
use serde_json::json;

use super::{CommandResult, Context, is_yes};

/// Connect memory to the agents on this machine: hooks and the MCP server
///
/// Writes into the agents' own settings, keeps comments and order, and remembers what it wrote:
/// `uninstall` restores the files. On a terminal it shows the changes and asks first. A second
/// call changes nothing.
#[derive(Args)]
pub struct Install {
    #[command(flatten)]
    which: Which,
    /// Print completions for this shell instead
    #[arg(long, value_name = "SHELL", value_enum, conflicts_with_all = ["hosts", "project", "dry_run", "yes"])]
    completions: Option<Shell>,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// The value of `--project` without a value.
const SHARED: &str = "the project's shared files";

/// Which hosts, and whose files.
#[derive(Args)]
pub struct Which {
    #[arg(value_name = "HOST", value_parser = host, help = host_help())]
    hosts: Vec<String>,
    /// Change the project's shared files instead of your own
    // Takes the place of the common option of this name, which makes no sense here.
    #[arg(id = "project", long, num_args = 0, default_missing_value = SHARED)]
    project: Option<String>,
}

impl Which {
    pub fn request(&self) -> InstallRequest {
        InstallRequest {
            hosts: self.hosts.clone(),
            is_project: self.project.as_deref() == Some(SHARED),
            surroundings: Surroundings::of_process(),
        }
    }
}

impl Install {
    pub fn run(self, context: &Context) -> CommandResult {
        if let Some(shell) = self.completions {
            return print(context, shell);
        }
        let request = self.which.request();
        let plan = install::install(&context.environment, &request)?;
        if plan.answer().body.files.is_empty() {
            let hint = Some("name one; `hardwon install --help` lists them");
            return Err(Failure::usage("no agent was found that memory can be connected to", hint));
        }
        carry_out(context, plan, self.dry_run, self.yes, Context::mark_checkout)
    }
}

/// Shows a plan, asks on a terminal, does it, and then what follows from it.
pub fn carry_out(
    context: &Context,
    plan: Plan,
    is_dry_run: bool,
    is_agreed: bool,
    and_then: fn(&Context),
) -> CommandResult {
    if let Some(failure) = all_left_alone(&plan.answer().body) {
        return Err(failure);
    }
    let has_writes = plan.answer().body.n_writes() > 0;
    let asks = !is_agreed && context.can_ask();
    if is_dry_run || (asks && has_writes) {
        context.printer.answer(plan.answer(), text::install);
        if is_dry_run {
            return Ok(Exit::Done);
        }
        if !is_yes("Write this?") {
            context.printer.talk("nothing was changed");
            return Ok(Exit::Done);
        }
    }
    let answer = plan.carry_out(&context.environment).map_err(failure)?;
    and_then(context);
    context.answer(&answer, |done, _| text::install(done))
}

/// If no file could be used, nothing was done.
fn all_left_alone(planned: &Installation) -> Option<Failure> {
    let first = planned.files.first()?;
    if planned.files.iter().any(|file| file.step != FileStep::Leave) {
        return None;
    }
    let reason = first.reason.as_deref().unwrap_or("it cannot be used");
    let hint = match reason {
        reason if reason.starts_with("it is a link to") => "nothing was changed",
        "it is read-only" => "make it writable (chmod u+w) and call it again; nothing was changed",
        _ => "correct the file by hand; nothing was changed",
    };
    let message = format!("{} was left alone: {reason}", first.path);
    Some(Failure::at(&first.path, message, Some(hint)))
}

pub fn failure(error: InstallError) -> Failure {
    let message = error.to_string();
    let (path, hint) = match error {
        InstallError::OpenMemory(error) => return error.into(),
        InstallError::Write { path, .. } | InstallError::Half { path, .. } => {
            (path, "check who may write there, and whether the disk is full")
        }
        InstallError::Changed { path } => (path, "call it again"),
    };
    Failure::at(path.display().to_string(), message, Some(hint))
}

fn host_help() -> String {
    format!("{} [default: all that are found]", hosts::names().join(" or "))
}

/// A host by the name that is typed.
fn host(name: &str) -> Result<String, String> {
    match hosts::named(name) {
        Some(host) => Ok(host.name.to_owned()),
        None => Err(format!("not one of {}", hosts::names().join(", "))),
    }
}

/// Prints completions for a shell, for example
/// `hardwon install --completions bash > ~/.local/share/bash-completion/completions/hardwon`.
pub fn print(context: &Context, shell: Shell) -> CommandResult {
    let mut written = Vec::new();
    generate(shell, &mut (context.tree)(), "hardwon", &mut written);
    let text = String::from_utf8(written)
        .map_err(|error| Failure::usage(format!("cannot be printed: {error}"), None))?;
    if context.printer.is_json() {
        context.printer.json(&json!({ "status": "ok", "text": text, "problems": [] }));
    } else {
        context.printer.data(&text);
    }
    Ok(Exit::Done)
}

/// Disconnect memory from the agents
///
/// A file that is as `install` left it gets its previous bytes back. From a file that was changed
/// since, only our entries are removed. Files that `install` created are deleted. Memory itself
/// stays.
#[derive(Args)]
pub struct Uninstall {
    #[command(flatten)]
    which: Which,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl Uninstall {
    pub fn run(self, context: &Context) -> CommandResult {
        let plan = install::uninstall(&context.environment, &self.which.request())?;
        carry_out(context, plan, self.dry_run, self.yes, |_| {})
    }
}
