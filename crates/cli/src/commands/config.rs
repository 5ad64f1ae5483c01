//! `hardwon config`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hardwon_engine::EngineError;
use hardwon_engine::answer::{Answer, Setting, Settings};
use hardwon_engine::event::Problem;
use hardwon_engine::settings;
use hardwon_faces::{Exit, Failure};
use hardwon_render::text;

use super::{Context, Done};

/// Show and change settings
///
/// Flags beat HARDWON_* variables beat the project's .hardwon/config.toml beat your own
/// file beat the defaults. A project file can never say where memory lives.
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
    /// What can be set
    Keys,
    /// Where the settings files are
    Path,
}

impl Config {
    pub fn run(self, context: &Context) -> Done {
        match self.action {
            Action::List { show_origin } => list(context, show_origin),
            Action::Get { key } => get(context, &key),
            Action::Set { key, value, in_project } => {
                write(context, &key, Some(&value), in_project)
            }
            Action::Unset { key, in_project } => write(context, &key, None, in_project),
            Action::Keys => keys(context),
            Action::Path => paths(context),
        }
    }
}

fn resolved(context: &Context) -> Answer<Settings> {
    let settings = context.options.settings(&context.environment);
    let all = settings.all().iter().map(|setting| Setting {
        name: setting.key.clone(),
        value: setting.value.clone(),
        set_by: setting.origin.to_string(),
    });
    let unknown = settings.unknown.iter();
    let unknown = unknown.map(|name| Problem::new(name, "no setting has this name"));
    let problems = settings.problems.iter().cloned().chain(unknown);
    Answer::of(Settings { settings: all.collect() }, problems.collect())
}

fn list(context: &Context, show_origin: bool) -> Done {
    let answer = resolved(context);
    let width = context.width();
    context.printer.answer(&answer, |settings| {
        if show_origin {
            text::config(settings, width)
        } else {
            settings.settings.iter().map(|s| format!("{} = {}\n", s.name, s.value)).collect()
        }
    });
    Ok(Exit::Done)
}

fn get(context: &Context, key: &str) -> Done {
    let mut answer = resolved(context);
    answer.body.settings.retain(|setting| setting.name == key);
    if settings::key(key).is_none() {
        return Err(unknown(key));
    }
    let is_unset = answer.body.settings.is_empty();
    let answer = answer.or_empty(is_unset);
    context.printer.answer(&answer, |settings| {
        settings.settings.iter().map(|setting| format!("{}\n", setting.value)).collect()
    });
    if is_unset && !context.printer.is_json() {
        context.printer.talk("not set: the policy decides");
    }
    Ok(Exit::Done)
}

fn unknown(key: &str) -> Failure {
    Failure::from(EngineError::Setting {
        key: hardwon_engine::without_control(key),
        reason: "there is no such setting".to_owned(),
    })
}

fn write(context: &Context, key: &str, value: Option<&str>, in_project: bool) -> Done {
    let described = settings::key(key).ok_or_else(|| unknown(key))?;
    if !described.project_may_set && context.environment.agent.is_some() {
        return Err(Failure::from(EngineError::NeedsPerson { what: "changing this setting" }));
    }
    // What may not stand there can be taken away.
    if in_project && value.is_some() && !described.project_may_set {
        return Err(Failure::from(EngineError::Setting {
            key: key.to_owned(),
            reason: "a project file cannot set this".to_owned(),
        }));
    }
    let path: PathBuf = if in_project {
        context.environment.project_settings_file()
    } else {
        context.environment.settings_file()?
    };
    settings::write(&path, key, value)?;
    if !context.printer.is_json() {
        context.printer.talk(&format!("written to {}", path.display()));
        return Ok(Exit::Done);
    }
    get(context, key)
}

fn keys(context: &Context) -> Done {
    let all = settings::KEYS.iter().map(|key| Setting {
        name: key.name.to_owned(),
        value: key.help.to_owned(),
        set_by: if key.project_may_set {
            "you or the project".to_owned()
        } else {
            "only you".to_owned()
        },
    });
    let answer = Answer::of(Settings { settings: all.collect() }, Vec::new());
    let width = context.width();
    context.printer.answer(&answer, |settings| text::config(settings, width));
    Ok(Exit::Done)
}

fn paths(context: &Context) -> Done {
    let entry = |name: &str, path: PathBuf| Setting {
        name: name.to_owned(),
        value: path.display().to_string(),
        set_by: if path.exists() { "exists".to_owned() } else { "not there yet".to_owned() },
    };
    let settings = vec![
        entry("user file", context.environment.settings_file()?),
        entry("project file", context.environment.project_settings_file()),
        entry("data folder", context.environment.data_folder()?),
    ];
    let width = context.width();
    context.printer.answer(&Answer::of(Settings { settings }, Vec::new()), |settings| {
        text::config(settings, width)
    });
    Ok(Exit::Done)
}
