//! Where am I? The folders and the clock, read once from the world and
//! then passed on as values. Nothing here starts a process: it is on the hot path.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use hardwon_core::team::Seat;
use hardwon_core::time::Timestamp;
use hardwon_core::voice::{Speaker, Voice, who_speaks};
use hardwon_store::checkout::{Repository, root_of};

use crate::error::{EngineError, Result};
use crate::layout::Homes;

/// Set for the programs that we start to ask a model: our own hooks do nothing in them.
pub const REFLECTING: &str = "HARDWON_REFLECTING";

/// What the environment says, as plain values, so that a test can say something else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// `HARDWON_HOME`: data and settings in one folder.
    pub home: Option<PathBuf>,
    /// `HARDWON_STORE`.
    pub store: Option<String>,
    /// `HARDWON_NOW`.
    pub now: Option<String>,
    /// `HARDWON_PROJECT`.
    pub project: Option<String>,
    /// Whether a program calls that we started to ask a model: what it does is no run.
    pub is_reflecting: bool,
    /// Who is calling.
    pub speaker: Speaker,
    /// As which member of a team, where a server speaks for somebody.
    pub seat: Option<Seat>,
    /// Every other `HARDWON_*` variable, by setting: `HARDWON_BUDGET` is `budget`.
    pub settings: Vec<(String, String)>,
    /// The user's name, for the journal.
    pub user: Option<String>,
    /// `$HOME`.
    pub user_home: Option<PathBuf>,
    /// `$XDG_DATA_HOME`.
    pub data_home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`.
    pub config_home: Option<PathBuf>,
    /// The folder the command was called in; empty if that was deleted.
    pub folder: PathBuf,
}

impl Environment {
    /// Reads the process's environment; `is_as_user` is the flag.
    pub fn of_process(is_as_user: bool) -> Self {
        let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
        let text = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let path = |name: &str| text(name).map(PathBuf::from);
        Environment {
            home: path("HARDWON_HOME"),
            store: text("HARDWON_STORE"),
            now: text("HARDWON_NOW"),
            project: text("HARDWON_PROJECT"),
            is_reflecting: text(REFLECTING).is_some(),
            speaker: who_speaks(&text, is_as_user, is_terminal),
            seat: None,
            settings: setting_variables(),
            user: text("USER"),
            user_home: path("HOME"),
            data_home: path("XDG_DATA_HOME"),
            config_home: path("XDG_CONFIG_HOME"),
            folder: std::env::current_dir().unwrap_or_default(),
        }
    }

    /// Where data lives: below `HARDWON_HOME`, or in the user's data folder.
    pub fn data_folder(&self) -> Result<PathBuf> {
        self.folder_of(&self.data_home, ".local/share")
    }

    /// Folders that may hold a part of another system's store.
    pub fn homes(&self) -> Homes {
        Homes { user: self.user_home.clone(), data: self.data_folder().ok() }
    }

    /// The user's settings file.
    pub fn settings_file(&self) -> Result<PathBuf> {
        Ok(self.folder_of(&self.config_home, ".config")?.join("config.toml"))
    }

    fn folder_of(&self, base: &Option<PathBuf>, below: &str) -> Result<PathBuf> {
        if let Some(home) = &self.home {
            return Ok(home.clone());
        }
        let fallback = || self.user_home.as_ref().map(|home| home.join(below));
        let base = base.clone().or_else(fallback).ok_or(EngineError::NoHome)?;
        Ok(base.join("hardwon"))
    }

    /// The present: `HARDWON_NOW` if it is set, else the clock.
    pub fn now(&self) -> Result<Timestamp> {
        match &self.now {
            Some(text) => Timestamp::parse(text).ok_or(EngineError::BadClock),
            None => Ok(wall_clock()),
        }
    }

    /// Who is calling, for the journal.
    pub fn actor(&self) -> String {
        let user = self.user.clone().unwrap_or_else(|| "user".to_owned());
        match (&self.speaker.agent, self.speaker.voice) {
            (Some(agent), _) => format!("agent {agent}"),
            (None, Voice::Agent) => "agent".to_owned(),
            (None, Voice::Script) => format!("script of {user}"),
            (None, Voice::Person) => user,
        }
    }

    /// The folder that owns the git repository (worktrees share it), or the folder the command
    /// was called in.
    pub(crate) fn root(&self) -> (PathBuf, Option<Repository>) {
        let folder = fs::canonicalize(&self.folder).unwrap_or_else(|_| self.folder.clone());
        let repository = Repository::of(&folder);
        let owner = repository.as_ref().map(|repository| repository.owner.clone());
        (owner.unwrap_or(folder), repository)
    }

    /// The folder that owns the checkout: the same for all its worktrees.
    pub fn owner(&self) -> PathBuf {
        self.root().0
    }

    /// The working tree in which the command was called: the nearest folder with a `.git`.
    pub(crate) fn working_tree(&self) -> Option<PathBuf> {
        let folder = fs::canonicalize(&self.folder).ok()?;
        let mut folders = folder.ancestors();
        folders.find(|folder| folder.join(".git").exists()).map(Path::to_owned)
    }

    /// The project's settings file, if the checkout has one.
    pub fn project_settings_file(&self) -> PathBuf {
        self.checkout().join(".hardwon").join("config.toml")
    }

    /// The root of the checkout in which the user works.
    pub fn checkout(&self) -> &Path {
        root_of(&self.folder)
    }
}

/// The time of this machine's clock, also where `HARDWON_NOW` names another.
pub fn wall_clock() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Variables that set a setting; those with a meaning of their own are left out.
fn setting_variables() -> Vec<(String, String)> {
    const OWN: &[&str] =
        &["home", "store", "now", "project", "agent", "archeflow_name", "reflecting"];
    let mut found: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| {
            let name = name.to_str()?.strip_prefix("HARDWON_")?.to_ascii_lowercase();
            let value = value.to_str()?.to_owned();
            (!OWN.contains(&name.as_str())).then_some((name, value))
        })
        .map(switched)
        // Any other value names the folder of notes.
        .filter(|(name, value)| name != "notes" || matches!(value.as_str(), "on" | "off"))
        .collect();
    found.sort();
    found
}

/// `HARDWON_HOLDOUT`, `HARDWON_NOTES` and `HARDWON_WORKER` are switches: 0 or 1.
fn switched((name, value): (String, String)) -> (String, String) {
    let value = match (name.as_str(), value.as_str()) {
        ("holdout" | "notes" | "worker", "0") => "off".to_owned(),
        ("holdout" | "notes" | "worker", "1") => "on".to_owned(),
        _ => value,
    };
    (name, value)
}
