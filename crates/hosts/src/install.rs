//! How does memory get into the programs that people use already, and out again without a
//! trace? Finds the hosts, plans what is to be written and shows it, then writes all of it
//! or nothing. What was written is remembered in a manifest.

pub mod entries;
mod files;
pub mod hosts;
mod jsonc;
pub mod launch;
pub mod manifest;
mod plan;
mod splice;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use hardwon_engine::answer::HostSeen;
use hardwon_engine::{EngineError, Environment};

use hosts::{Elsewhere, HOSTS, Host, Shape, Target};
pub use plan::{InstallError, Plan, install, uninstall};

/// Folders below which conversations are looked for, and how many are counted at most.
const MAX_TRANSCRIPT_DEPTH: usize = 5;
const MAX_TRANSCRIPTS: usize = 10_000;

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
    /// Reads the process's environment.
    pub fn of_process() -> Self {
        let folder = |host: &Host| {
            let value = std::env::var_os(host.variable).filter(|value| !value.is_empty())?;
            Some((host.variable.to_owned(), PathBuf::from(value)))
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
        all.find(|path| launch::is_program(path))
    }

    fn moved(&self, host: &Host) -> Option<&PathBuf> {
        self.folders.iter().find(|(name, _)| name == host.variable).map(|(_, folder)| folder)
    }

    /// The host's folder of this user.
    pub fn folder(&self, environment: &Environment, host: &Host) -> Result<PathBuf, EngineError> {
        if let Some(folder) = self.moved(host) {
            return Ok(environment.folder.join(folder));
        }
        let home = environment.user_home.as_ref().ok_or(EngineError::NoHome)?;
        Ok(home.join(host.folder))
    }
}

/// What is to be installed or taken out.
#[derive(Clone, Debug, Default)]
pub struct InstallRequest {
    /// By name; empty for all that are here.
    pub hosts: Vec<String>,
    /// Into the files that everybody in the project shares.
    pub is_project: bool,
    pub surroundings: Surroundings,
}

/// Every host with what shows that it is here.
pub fn survey(environment: &Environment, surroundings: &Surroundings) -> Vec<HostSeen> {
    HOSTS.iter().map(|host| seen(environment, surroundings, host)).collect()
}

fn seen(environment: &Environment, surroundings: &Surroundings, host: &'static Host) -> HostSeen {
    let folder = surroundings.folder(environment, host).ok();
    let by_folder = folder.as_ref().filter(|folder| folder.is_dir());
    let sign = match (by_folder, surroundings.program(host.program)) {
        (Some(folder), _) => Some(format!("{} is there", folder.display())),
        (None, Some(program)) => Some(format!("{} is on PATH", program.display())),
        (None, None) => None,
    };
    let mut transcripts = Vec::new();
    if let Some(folder) = by_folder {
        collect(&folder.join(host.transcripts), 0, &mut transcripts);
    }
    HostSeen { name: host.name, title: host.title, sign, n_transcripts: transcripts.len() }
}

/// The conversations that a host kept, in the order of their paths.
pub fn transcripts(
    environment: &Environment,
    surroundings: &Surroundings,
    host: &Host,
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let Ok(folder) = surroundings.folder(environment, host) {
        collect(&folder.join(host.transcripts), 0, &mut found);
    }
    found.sort();
    found
}

/// Links are not followed.
pub(crate) fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if found.len() >= MAX_TRANSCRIPTS {
            return;
        }
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < MAX_TRANSCRIPT_DEPTH => {
                collect(&path, depth + 1, found);
            }
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|e| e == "jsonl") => {
                found.push(path);
            }
            Ok(_) | Err(_) => {}
        }
    }
}

/// The root of the checkout that somebody stands in.
pub fn project_root(environment: &Environment) -> PathBuf {
    let mut folders = environment.folder.ancestors();
    let root = folders.find(|folder| folder.join(".git").exists());
    root.unwrap_or(&environment.folder).to_owned()
}

/// A file that an entry of ours may stand in.
pub struct Place {
    pub host: &'static Host,
    pub target: Target,
    pub path: PathBuf,
    /// Out of these no link may lead.
    roots: Vec<PathBuf>,
    pub is_shared: bool,
}

/// The files of a host, the user's or the project's.
pub fn places(
    environment: &Environment,
    surroundings: &Surroundings,
    host: &'static Host,
    is_project: bool,
) -> Result<Vec<Place>, EngineError> {
    let canonical = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (targets, folder, roots) = match is_project {
        true => {
            let root = project_root(environment);
            (host.project, root.clone(), vec![canonical(&root)])
        }
        false => {
            let folder = surroundings.folder(environment, host)?;
            let named = surroundings.moved(host).map(|_| folder.clone());
            let roots = environment.user_home.iter().chain(&named).map(|p| canonical(p)).collect();
            (host.user, folder, roots)
        }
    };
    let place = |target: &Target| Place {
        host,
        target: *target,
        path: folder.join(target.file),
        roots: roots.clone(),
        is_shared: is_project,
    };
    Ok(targets.iter().map(place).collect())
}

/// Files of the project that we never write and that somebody put an entry of ours into.
fn also_ours(environment: &Environment, host: &'static Host) -> Vec<Place> {
    let root = project_root(environment);
    let canonical = fs::canonicalize(&root).unwrap_or_else(|_| root.clone());
    let place = |elsewhere: &Elsewhere| match elsewhere {
        Elsewhere::Managed(_) => None,
        Elsewhere::Project(file) => Some(Place {
            host,
            target: Target { file, shape: Shape::JsonHooks },
            path: root.join(file),
            roots: vec![canonical.clone()],
            is_shared: true,
        }),
    };
    let is_ours = |place: &Place| {
        let text = place.text().unwrap_or_default();
        entries::our_commands(host, &text).is_ok_and(|ours| !ours.is_empty())
    };
    host.also_read.iter().filter_map(place).filter(is_ours).collect()
}

/// The file in which all hooks of a host are switched off, and by which switch.
pub fn switched_off(
    environment: &Environment,
    surroundings: &Surroundings,
    host: &'static Host,
) -> Option<(PathBuf, &'static str)> {
    let own = [false, true].map(|is_project| places(environment, surroundings, host, is_project));
    let own = own.into_iter().flatten().flatten();
    let hooks = own.filter(|place| place.target.shape == Shape::JsonHooks).map(|place| place.path);
    let root = project_root(environment);
    let others = host.also_read.iter().map(|elsewhere| match elsewhere {
        Elsewhere::Project(file) => root.join(file),
        Elsewhere::Managed(file) => PathBuf::from(file),
    });
    hooks.chain(others).find_map(|path| {
        let switch = switches(&fs::read_to_string(&path).ok()?).off()?;
        Some((path, switch))
    })
}

impl Place {
    fn read(&self) -> Result<files::Found, String> {
        files::read(&self.path, &self.roots)
    }

    /// What stands in the file; empty if it is not there.
    pub fn text(&self) -> Result<String, String> {
        Ok(self.read()?.text.unwrap_or_default())
    }
}

/// What a settings file of a host says about whether hooks run at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    pub has_all_off: bool,
    pub has_managed_only: bool,
    /// The plugin is switched on, which brings hooks of its own.
    pub has_plugin: bool,
}

impl Switches {
    /// By what hooks of ours are kept from running.
    pub fn off(&self) -> Option<&'static str> {
        match (self.has_all_off, self.has_managed_only) {
            (true, _) => Some("disableAllHooks"),
            (false, true) => Some("allowManagedHooksOnly"),
            (false, false) => None,
        }
    }
}

/// Reads the switches; a file that does not parse has none.
pub fn switches(text: &str) -> Switches {
    let Ok(Some(root)) = entries::json_root(text) else { return Switches::default() };
    let is_on =
        |node: Option<&jsonc::Node>| node.is_some_and(|node| node.kind == jsonc::Kind::Bool(true));
    let plugins = root.get("enabledPlugins").map_or(&[][..], jsonc::Node::items);
    let is_ours = |name: &str| name.split('@').next() == Some(hosts::SERVER);
    Switches {
        has_all_off: is_on(root.get("disableAllHooks")),
        has_managed_only: is_on(root.get("allowManagedHooksOnly")),
        has_plugin: plugins.iter().any(|item| is_ours(&item.key) && is_on(Some(&item.value))),
    }
}
