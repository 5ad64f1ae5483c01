//! Sessions that wait for a model to read them: the digest of each, in a folder of the data folder. A
//! longer version of a session replaces it; who reads one holds it, so that no two do; what nobody
//! read in 30 days goes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hardwon_core::digest::{hex, sha256};
use hardwon_core::ids::{ProjectId, RunId};
use hardwon_core::session::Digest;
use hardwon_store::files::{self, Mode, Place, path_text};
use hardwon_store::queue::{Lease, waiting};
use serde::{Deserialize, Serialize};

use crate::memory::{Call, EngineError, Result};
use crate::place::Environment;

/// The folder, in the data folder.
const FOLDER: &str = "digests";
/// For so long a session waits, and so many of one project do.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const N_KEPT: usize = 200;

/// One session that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waiting {
    pub project: String,
    pub run: String,
    /// Where the session worked, with the rules files of its project.
    pub folder: String,
    pub digest: Digest,
}

/// A session that this process reads, and nobody else.
pub struct Held {
    pub waiting: Waiting,
    lease: Lease,
}

impl Held {
    /// It was read.
    pub fn finish(self) -> Result<()> {
        let path = self.lease.path().to_owned();
        self.lease.finish().map_err(|source| EngineError::File { path, source })
    }
}

/// Leaves digests to be read; a longer version of a session takes the place of its earlier one.
pub fn keep(
    environment: &Environment,
    folder: &Path,
    call: &Call,
    digests: &[(RunId, Digest)],
) -> Result<()> {
    for (run, digest) in digests {
        let waiting = Waiting {
            project: call.project.to_string(),
            run: run.to_string(),
            folder: path_text(folder),
            digest: digest.clone(),
        };
        let line = serde_json::to_string(&waiting).expect("texts can be written as JSON");
        let path = path_of(environment, &call.project, run)?;
        let made = files::make_private_folder(path.parent().unwrap_or(&path));
        let text = format!("{line}\n");
        let left =
            made.and_then(|()| files::replace(Place::own(&path), text.as_bytes(), Mode::PRIVATE));
        left.map_err(|source| EngineError::NotWritten { path, source })?;
    }
    if !digests.is_empty() {
        tidy(environment, &call.project);
    }
    Ok(())
}

/// How many sessions of a project wait.
pub fn n_waiting(environment: &Environment, project: &ProjectId) -> usize {
    of_project(environment, project).len()
}

/// How many wait in all; no store is opened for that.
pub fn n_waiting_in_all(environment: &Environment) -> usize {
    environment.data_folder().map_or(0, |data| waiting(&data.join(FOLDER)).len())
}

/// Holds the session of this run, or the one that waits longest; none if nothing waits or others
/// read it.
pub fn hold(environment: &Environment, project: &ProjectId, run: Option<&RunId>) -> Option<Held> {
    let paths = match run {
        Some(run) => vec![path_of(environment, project, run).ok()?],
        None => of_project(environment, project),
    };
    paths.iter().find_map(|path| {
        let lease = Lease::take(path)?;
        let waiting = serde_json::from_str(&lease.read().ok()?.line).ok()?;
        Some(Held { waiting, lease })
    })
}

/// What waits of a run, without holding it.
pub fn look(environment: &Environment, project: &ProjectId, run: &RunId) -> Option<Waiting> {
    let text = fs::read_to_string(path_of(environment, project, run).ok()?).ok()?;
    serde_json::from_str(text.lines().next()?).ok()
}

/// Removes all: what is forgotten for good must not come back by one.
pub fn remove_all(environment: &Environment) {
    let Ok(data) = environment.data_folder() else { return };
    waiting(&data.join(FOLDER)).iter().for_each(|path| drop(fs::remove_file(path)));
}

fn tidy(environment: &Environment, project: &ProjectId) {
    let oldest = SystemTime::now().checked_sub(KEPT).unwrap_or(SystemTime::UNIX_EPOCH);
    let changed = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok();
    let mut paths = of_project(environment, project);
    paths.sort_by_key(|path| std::cmp::Reverse(changed(path)));
    for (n, path) in paths.iter().enumerate() {
        if n >= N_KEPT || changed(path).is_some_and(|at| at < oldest) {
            let _ = fs::remove_file(path);
        }
    }
}

/// The files of a project, the oldest first.
fn of_project(environment: &Environment, project: &ProjectId) -> Vec<PathBuf> {
    let Ok(data) = environment.data_folder() else { return Vec::new() };
    let begins = format!("{}-", mark(project.as_str()));
    let mut paths = waiting(&data.join(FOLDER));
    paths.retain(|path| {
        path.file_name().is_some_and(|it| it.to_string_lossy().starts_with(&begins))
    });
    paths.sort_by_key(|path| fs::metadata(path).and_then(|about| about.modified()).ok());
    paths
}

fn path_of(environment: &Environment, project: &ProjectId, run: &RunId) -> Result<PathBuf> {
    let name = format!("{}-{}.json", mark(project.as_str()), mark(run.as_str()));
    Ok(environment.data_folder()?.join(FOLDER).join(name))
}

fn mark(name: &str) -> String {
    hex(&sha256(&[name])[..8])
}
