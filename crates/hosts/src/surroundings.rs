//! What surrounds a call: where hosts' folders are, which programs can be started, and in which
//! checkout the user works. The only place that reads the environment for hosts.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use hardwon_engine::ids::RunId;
use hardwon_engine::session_run;
use hardwon_engine::voice::{MARKED_SHELLS, UNNAMED_AGENT};
use hardwon_engine::{EngineError, Environment};
use serde_json::{Map, Value};

use crate::host::Host;
use crate::hosts::HOSTS;

/// What the environment says about hosts, as plain values.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Variables that move a host's folder, by name.
    pub folders: Vec<(String, PathBuf)>,
    /// `$PATH`.
    pub path: Option<OsString>,
    /// The file of this very program.
    pub own: Option<PathBuf>,
}

impl Surroundings {
    pub fn of_process() -> Self {
        let folder = |host: &Host| {
            let value = std::env::var_os(host.home.variable).filter(|value| !value.is_empty())?;
            Some((host.home.variable.to_owned(), PathBuf::from(value)))
        };
        Surroundings {
            folders: HOSTS.iter().filter_map(folder).collect(),
            path: std::env::var_os("PATH"),
            own: std::env::current_exe().ok(),
        }
    }

    /// The first file of this name on PATH that can be started.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let path = self.path.as_ref()?;
        let mut all = std::env::split_paths(path).map(|folder| folder.join(name));
        all.find(|path| is_program(path))
    }

    pub(crate) fn moved(&self, host: &Host) -> Option<&PathBuf> {
        self.folders.iter().find(|(name, _)| name == host.home.variable).map(|(_, folder)| folder)
    }

    /// The host's folder of this user.
    pub fn folder(&self, environment: &Environment, host: &Host) -> Result<PathBuf, EngineError> {
        if let Some(folder) = self.moved(host) {
            return Ok(environment.folder.join(folder));
        }
        let home = environment.user_home.as_ref().ok_or(EngineError::NoHome)?;
        Ok(home.join(host.home.folder))
    }
}

/// Where the environment says that notes lie: the folder that the user names, and that of the
/// host which keeps them. `HARDWON_NOTES` may be a switch as well.
pub fn notes_folders() -> (Option<PathBuf>, Option<PathBuf>) {
    let folder = |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let is_switch =
        |it: &PathBuf| ["on", "off", "0", "1"].iter().any(|word| it.as_os_str() == *word);
    let keeper = HOSTS.iter().find(|host| host.loads_notes);
    let stated = folder("HARDWON_NOTES").filter(|it| !is_switch(it));
    (stated, keeper.and_then(|host| folder(host.home.variable)))
}

/// The run of the host's session in which this process was started, if the host tells: the
/// same that its hooks name, so that messages here and there count as one witness.
pub fn run_of_process() -> Option<RunId> {
    HOSTS.iter().find_map(|host| {
        let session = host.sessions.variables.iter().find_map(|name| set(name))?;
        RunId::parse(&session_run(host.name, &session, None)).ok()
    })
}

/// The session to which everything belongs that an agent says through this process. In the shell
/// of a model whose host names no session, that is the day: whatever runs and agents are named
/// there, somebody was there once.
pub fn session_of_process(environment: &Environment) -> Option<RunId> {
    let is_shell = || MARKED_SHELLS.iter().any(|(mark, _)| set(mark).is_some());
    run_of_process().or_else(|| {
        let now = environment.now().ok().filter(|_| is_shell())?.to_string();
        let (day, _) = now.split_once('T')?;
        RunId::parse(&format!("shell-{day}")).ok()
    })
}

/// The run of the host's session that a call of our tools belongs to, if the host tells with each
/// call; the agent writes the arguments, the host this.
pub fn run_of_meta(agent: &str, meta: &Map<String, Value>) -> Option<RunId> {
    let is_it = |host: &&Host| host.agent == agent || agent == UNNAMED_AGENT;
    HOSTS.iter().filter(is_it).find_map(|host| {
        let named = host.sessions.meta.iter().find_map(|name| meta.get(*name)?.as_str());
        let session = named.filter(|session| !session.is_empty())?;
        RunId::parse(&session_run(host.name, session, None)).ok()
    })
}

fn set(variable: &str) -> Option<String> {
    std::env::var(variable).ok().filter(|value| !value.is_empty())
}

/// The root of the checkout in which the user works.
pub fn project_root(environment: &Environment) -> PathBuf {
    environment.checkout().to_owned()
}

pub fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
