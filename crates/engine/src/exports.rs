//! Which exports were written where? Remembered beside the store, so that forgetting for
//! good can look at them. What was printed, copied or moved is not known here.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use hardwon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::place::Environment;

const FILE: &str = "exports.jsonl";

#[derive(Serialize, Deserialize)]
struct Line {
    path: PathBuf,
    at: String,
    digest: String,
}

/// Exports that are still where they were written.
pub(crate) fn known_exports(environment: &Environment) -> Vec<PathBuf> {
    let Ok(folder) = environment.data_folder() else { return Vec::new() };
    let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    let mut paths: Vec<PathBuf> =
        lines.map(|line| line.path).filter(|path| path.is_file()).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Remembers one. That it could not be remembered is no reason to call it not written.
pub(super) fn remember(
    environment: &Environment,
    path: &Path,
    at: Timestamp,
    digest: &str,
) -> bool {
    let Ok(folder) = environment.data_folder() else { return false };
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let line = Line { path, at: at.to_string(), digest: digest.to_owned() };
    let line = serde_json::to_string(&line).expect("a path and texts can be written as JSON");
    let written = crate::place::make_folder(&folder).and_then(|()| {
        let mut options = fs::OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(folder.join(FILE))?.write_all(format!("{line}\n").as_bytes())
    });
    written.is_ok()
}
