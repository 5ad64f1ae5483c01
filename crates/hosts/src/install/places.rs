//! Which files of a host may hold an entry of ours?

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_engine::{EngineError, Environment};

use super::{entries, files};
use crate::host::{Host, Shape, Target};
use crate::surroundings::{Surroundings, project_root};

/// A file that an entry of ours may stand in.
pub struct Place {
    pub host: &'static Host,
    pub shape: Shape,
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
    let (targets, folder, roots) = if is_project {
        let root = project_root(environment);
        (host.files.project, root.clone(), vec![canonical(&root)])
    } else {
        let folder = surroundings.folder(environment, host)?;
        let named = surroundings.moved(host).map(|_| folder.clone());
        let roots = environment.user_home.iter().chain(&named).map(|p| canonical(p)).collect();
        (host.files.user, folder, roots)
    };
    let place = |target: &Target| Place {
        host,
        shape: target.shape,
        path: folder.join(target.file),
        roots: roots.clone(),
        is_shared: is_project,
    };
    Ok(targets.iter().map(place).collect())
}

fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Files of the project that we never write and that hold an entry of ours all the same.
pub(super) fn also_ours(environment: &Environment, host: &'static Host) -> Vec<Place> {
    let root = project_root(environment);
    let place = |(path, is_shared)| Place {
        host,
        shape: Shape::JsonHooks,
        path,
        roots: vec![canonical(&root)],
        is_shared,
    };
    let is_ours = |place: &Place| {
        let text = place.text().unwrap_or_default();
        entries::our_commands(host, &text).is_ok_and(|ours| !ours.is_empty())
    };
    let of_project = host.also_read(&root).filter(|(_, is_shared)| *is_shared);
    of_project.map(place).filter(is_ours).collect()
}

impl Place {
    pub(super) fn read(&self) -> Result<files::ExistingFile, String> {
        files::read(&self.path, &self.roots)
    }

    /// What stands in the file; empty if it is not there.
    pub fn text(&self) -> Result<String, String> {
        Ok(self.read()?.text.unwrap_or_default())
    }
}
