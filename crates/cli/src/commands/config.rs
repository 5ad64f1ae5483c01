//! `hardwon config`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hardwon_engine::answer::{Answer, Policy, PolicyDiff, Setting, Settings};
use hardwon_engine::event::Problem;
use hardwon_engine::files::Place;
use hardwon_engine::settings::{self, SetBy, proposed};
use hardwon_engine::voice::Voice;
use hardwon_engine::{EngineError, PostgresStore, needs_person, policy};
use hardwon_faces::{Exit, Failure};
use hardwon_render::text;

use super::{CommandResult, Context, model, project, store, team};

/// Show and change settings, policies, projects, stores, people and models
///
/// Order of precedence: flags, HARDWON_* variables, the project's .hardwon/config.toml, your
/// own file, defaults. A project file can never set where memory is stored.
#[derive(Args)]
pub struct Config {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Every setting with its value
    List {
        /// Also where each value comes from
        #[arg(long)]
        show_origin: bool,
    },
    /// The value of one setting
    Get { key: String },
    /// Set a value in your own file
    Set {
        key: String,
        value: String,
        /// In the project's .hardwon/config.toml instead
        #[arg(long = "in-project")]
        in_project: bool,
    },
    /// Remove a value from your own file
    Unset {
        key: String,
        /// From the project's .hardwon/config.toml instead
        #[arg(long = "in-project")]
        in_project: bool,
    },
    /// Every setting that exists, with its meaning
    Keys,
    /// Where the settings files are
    Path,
    /// Policies: the numbers by which everything is decided
    Policy(PolicyArgs),
    /// Projects: list, show, rename, choose that of a checkout
    Project(project::ProjectArgs),
    /// A store on a PostgreSQL server, and memory that moves between stores
    Store(store::StoreArgs),
    /// The people who work on a project, what each may do, and their tokens
    Team(team::TeamArgs),
    /// The language model that looks back on runs
    #[command(subcommand)]
    Model(model::Model),
}

impl Config {
    pub fn run(self, context: &Context) -> CommandResult {
        match self.action {
            Action::List { show_origin } => list(context, show_origin),
            Action::Get { key } => get(context, &key),
            Action::Set { key, value, in_project } => {
                write(context, &key, Some(&value), in_project)
            }
            Action::Unset { key, in_project } => write(context, &key, None, in_project),
            Action::Keys => keys(context),
            Action::Path => paths(context),
            Action::Policy(args) => args.run(context),
            Action::Project(args) => args.run(context),
            Action::Store(args) => args.run(context),
            Action::Team(args) => args.run(context),
            Action::Model(args) => args.run(context),
        }
    }
}

fn resolved(context: &Context) -> Answer<Settings> {
    let settings = context.options.settings(&context.environment);
    // The URL of a server may hold a password.
    let row = |one: &settings::Setting| {
        setting(&one.key, &PostgresStore::told(&one.value), &one.origin.to_string())
    };
    let all = settings.all().iter().map(row);
    let unknown = settings.unknown.iter();
    let unknown = unknown.map(|name| Problem::new(name, "no setting has this name"));
    let problems = settings.problems.iter().cloned().chain(unknown);
    Answer::of(Settings { settings: all.collect() }, problems.collect())
}

fn list(context: &Context, show_origin: bool) -> CommandResult {
    context.answer(&resolved(context), |settings, width| {
        if show_origin {
            text::config(settings, width)
        } else {
            settings.settings.iter().map(|s| format!("{} = {}\n", s.name, s.value)).collect()
        }
    })
}

fn get(context: &Context, key: &str) -> CommandResult {
    described(key)?;
    let mut answer = resolved(context);
    answer.body.settings.retain(|setting| setting.name == key);
    let is_unset = answer.body.settings.is_empty();
    context.answer(&answer.or_empty(is_unset), |settings, _| {
        settings.settings.iter().map(|setting| format!("{}\n", setting.value)).collect()
    })?;
    if is_unset && !context.printer.is_json() {
        context.printer.talk("not set: the policy decides");
    }
    Ok(Exit::Done)
}

fn described(key: &str) -> Result<&'static settings::Key, Failure> {
    settings::key(key)
        .ok_or_else(|| refused(&hardwon_engine::without_control(key), "there is no such setting"))
}

fn refused(key: &str, reason: &str) -> Failure {
    EngineError::Setting { key: key.to_owned(), reason: reason.to_owned() }.into()
}

fn write(context: &Context, key: &str, value: Option<&str>, in_project: bool) -> CommandResult {
    let described = described(key)?;
    // A value that must not be in the project file can still be removed from it.
    if in_project && value.is_some() && described.set_by != SetBy::Anybody {
        return Err(refused(key, "a project file cannot set this"));
    }
    let environment = &context.environment;
    if environment.speaker.voice == Voice::Agent {
        return propose(context, key, value.unwrap_or_default());
    }
    needs_person(&environment.speaker, "changing a setting")?;
    let place = if in_project {
        Place::below(environment.checkout(), &environment.project_settings_file())
    } else {
        Place::own(environment.settings_file()?)
    };
    settings::write(&place, key, value)?;
    proposed::answer(environment, key)?;
    if !context.printer.is_json() {
        context.printer.talk(&format!("written to {}", place.path().display()));
        return Ok(Exit::Done);
    }
    get(context, key)
}

/// An agent may say what it would set; it is not set.
fn propose(context: &Context, key: &str, value: &str) -> CommandResult {
    proposed::propose(&context.environment, key, value)?;
    let reason = "not set: an agent is calling; the proposal waits in `hardwon review list`";
    let body = Settings { settings: vec![setting(key, value, "proposed")] };
    let answer = Answer::of(body, vec![Problem::new(key, reason)]);
    context.answer(&answer, |_, _| String::new())
}

fn keys(context: &Context) -> CommandResult {
    let row = |key: &settings::Key| {
        let set_by = match key.set_by {
            SetBy::Anybody => "you or the project",
            SetBy::User => "only you",
            SetBy::UserFile => "only your file",
        };
        setting(key.name, key.help, set_by)
    };
    print_table(context, settings::KEYS.iter().map(row).collect())
}

fn paths(context: &Context) -> CommandResult {
    let row = |name: &str, path: PathBuf| {
        let state = if path.exists() { "exists" } else { "not there yet" };
        setting(name, &path.display().to_string(), state)
    };
    let environment = &context.environment;
    let rows = vec![
        row("user file", environment.settings_file()?),
        row("project file", environment.project_settings_file()),
        row("data folder", environment.data_folder()?),
    ];
    print_table(context, rows)
}

fn print_table(context: &Context, settings: Vec<Setting>) -> CommandResult {
    context.answer(&Answer::of(Settings { settings }, Vec::new()), text::config)
}

fn setting(name: &str, value: &str, set_by: &str) -> Setting {
    Setting { name: name.to_owned(), value: value.to_owned(), set_by: set_by.to_owned() }
}

/// List, show and compare policies: the numbers by which everything is decided
#[derive(Args)]
pub struct PolicyArgs {
    #[command(subcommand)]
    action: PolicyAction,
}

#[derive(Subcommand)]
enum PolicyAction {
    /// Every policy
    List,
    /// The numbers of one policy
    Show { name: String },
    /// The numbers in which two policies differ
    Diff { left: String, right: String },
}

impl PolicyArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        match self.action {
            PolicyAction::List => policies(context),
            PolicyAction::Show { name } => {
                let answer = Answer::of(Policy::from(&policy::load(&name)?), Vec::new());
                context.answer(&answer, text::policy)
            }
            PolicyAction::Diff { left, right } => {
                let diff = PolicyDiff::of(&policy::load(&left)?, &policy::load(&right)?);
                context.answer(&Answer::of(diff, Vec::new()), text::policy_diff)
            }
        }
    }
}

fn policies(context: &Context) -> CommandResult {
    let mut settings = Vec::new();
    for name in policy::names() {
        let policy = policy::load(name)?;
        let set_by = "preset".to_owned();
        settings.push(Setting { name: policy.name, value: policy.note, set_by });
    }
    context.answer(&Answer::of(Settings { settings }, Vec::new()), |all, width| {
        all.settings.iter().map(|one| text::paragraph(&one.name, &one.value, width)).collect()
    })
}
