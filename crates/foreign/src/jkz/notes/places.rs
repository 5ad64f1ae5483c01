//! Where do notes lie?

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::notes::names::{self, project_key};
use hardwon_engine::files::Place;
use hardwon_engine::{EngineError, Environment, Result};
use hardwon_readers::lean_object;
use hardwon_store::files::read_linked;

/// Notebooks that go with the checkout.
const NOTEBOOKS: &str = ".claude/agent-memory";

/// A host's settings are smaller.
const MAX_SETTINGS_BYTES: u64 = 1 << 20;

/// What the caller and the host say about where notes lie.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// `--role`: its notebook is meant.
    pub role: Option<String>,
    /// `--dir`, else `HARDWON_NOTES`.
    pub stated: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`.
    pub host_home: Option<PathBuf>,
}

impl Places {
    /// The folder that is meant: the notebook of the role that is named, or the project's notes.
    pub fn folder(&self, environment: &Environment) -> Result<PathBuf> {
        let path = self.named_folder(environment)?;
        // A checkout must not lead us out of itself.
        Place::check_named_in(environment.checkout(), &path)
            .map_err(|source| EngineError::NotWritten { path: path.clone(), source })?;
        Ok(path)
    }

    fn named_folder(&self, environment: &Environment) -> Result<PathBuf> {
        let Some(role) = &self.role else { return self.project(environment) };
        let odd = |it: names::BadName| EngineError::NoteRefused {
            reason: format!("{role:?} is no role: {it}"),
            hint: "a role is letters, digits, - and _",
        };
        let role = names::role(role).map_err(odd)?;
        Ok(environment.checkout().join(NOTEBOOKS).join(role))
    }

    /// The folder of the project's notes.
    pub fn project(&self, environment: &Environment) -> Result<PathBuf> {
        if let Some(stated) = &self.stated {
            let path = environment.folder.join(stated);
            // One that somebody names is meant; the host's own may still be missing.
            return if path.exists() { Ok(path) } else { Err(EngineError::NoFolder { path }) };
        }
        let home = self.host(environment)?;
        if let Some(moved) = moved(&home, environment) {
            return Ok(moved);
        }
        let key = project_key(&environment.owner().to_string_lossy());
        Ok(home.join("projects").join(key).join("memory"))
    }

    /// The roles that have a notebook, each with it.
    pub(super) fn notebooks(&self, environment: &Environment) -> Vec<(String, PathBuf)> {
        let of_user = self.host(environment).ok().map(|home| home.join("agent-memory"));
        shelves(environment.checkout()).into_iter().chain(of_user).flat_map(notebooks_in).collect()
    }

    /// The host's own folder.
    pub(super) fn host(&self, environment: &Environment) -> Result<PathBuf> {
        let usual = environment.user_home.as_ref().map(|home| home.join(".claude"));
        self.host_home.clone().or(usual).ok_or(EngineError::NoHome)
    }
}

/// `autoMemoryDirectory` of the host's settings. A project's own settings cannot move memory:
/// they came with a checkout.
fn moved(home: &Path, environment: &Environment) -> Option<PathBuf> {
    let text = read_linked(&home.join("settings.json"), MAX_SETTINGS_BYTES).ok()?;
    let settings = lean_object(&text).ok()?;
    let stated = settings.get("autoMemoryDirectory")?.as_str()?.trim().to_owned();
    let path = match (stated.strip_prefix("~/"), &environment.user_home) {
        (Some(rest), Some(user)) => user.join(rest),
        _ => PathBuf::from(stated),
    };
    path.is_absolute().then_some(path)
}

/// The notebooks of a checkout, in the order of their folders and roles.
pub(super) fn of_tree(tree: &Path) -> Vec<PathBuf> {
    shelves(tree).into_iter().flat_map(notebooks_in).map(|(_, path)| path).collect()
}

fn shelves(tree: &Path) -> [PathBuf; 2] {
    [NOTEBOOKS, ".claude/agent-memory-local"].map(|name| tree.join(name))
}

/// The roles that have a notebook here, in order.
fn notebooks_in(folder: PathBuf) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|sort| sort.is_dir()));
    let named = folders.map(|it| (it.file_name().to_string_lossy().into_owned(), it.path()));
    let mut notebooks: Vec<_> = named.filter(|(name, _)| names::role(name).is_ok()).collect();
    notebooks.sort();
    notebooks
}
