//! Other systems' own files as a live store: the memory store, filled by `readers`
//! under that system's lock, run by the same engine with that system's policy, and
//! written back by `render`.

mod archeflow;
mod folder;
mod shipped;

pub use archeflow::{ArcheflowStore, archeflow_folder};
pub(crate) use archeflow::{FOLDERS, TAKEN_OVER, has_row};
pub use folder::{Folder, FolderError, Lock, Mode};
pub use shipped::{Said, Shipped};

use hardwon_core::gate::Gate;
use hardwon_core::time::Timestamp;

use crate::Environment;
use crate::settings::Settings;

/// Runs ArcheFlow's released script as it is in the folder that this path means.
pub fn as_shipped(environment: &Environment, path: &str, name: &str, args: &[String]) -> Said {
    let Ok(now) = environment.now() else {
        let talk = vec!["Error: HARDWON_NOW is not an RFC 3339 time".to_owned()];
        return Said { talk, code: 1, ..Said::default() };
    };
    let folder = archeflow_folder(&environment.folder.join(path));
    let now = Timestamp(now.0.div_euclid(1000) * 1000);
    let wishes = Settings::resolve(environment, &[]).wishes();
    let (gate, cwd) = (Gate::foreign().redacting(wishes), environment.folder.as_path());
    Shipped { folder: &folder, gate: &gate, now, name, cwd }.run(args)
}
