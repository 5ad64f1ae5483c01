//! Which exports were written where? Remembered beside the store, so that forgetting for
//! good can look at them. What was printed, copied or moved is not known here.

pub(crate) mod gated;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use hardwon_core::gate::Gate;
use hardwon_core::time::Timestamp;
use hardwon_readers::read_export;
use hardwon_store::files;
use serde::{Deserialize, Serialize};

use crate::error::{EngineError, Result};
use crate::exports::gated::Gated;
use crate::place::Environment;

/// Largest export that is read.
const MAX_BYTES: u64 = 1 << 30;

const FILE: &str = "exports.jsonl";

#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(with = "files::as_text")]
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

/// Remembers one. If that fails, the export is written all the same.
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
    files::append(&folder.join(FILE), &format!("{line}\n")).is_ok()
}

/// Whether a path is a file that begins as our exports do.
pub fn is_export_at(path: &Path) -> bool {
    const MAX_HEADER: u64 = 64 * 1024;
    let mut head = Vec::new();
    files::open_linked(path).is_ok_and(|file| file.take(MAX_HEADER).read_to_end(&mut head).is_ok())
        && hardwon_readers::is_export(&head)
}

/// Refuses what is neither a file nor a folder: a pipe would make us wait for ever, and
/// could not be read twice.
pub fn refuse_odd(path: &Path) -> Result<()> {
    if !path.exists() || path.is_file() || path.is_dir() {
        return Ok(());
    }
    let source = std::io::Error::other("it is a pipe, a socket or a device, not a file");
    Err(EngineError::File { path: path.to_owned(), source })
}

/// Reads an export through the gate.
pub(crate) fn read(path: &Path, gate: &Gate) -> Result<Gated> {
    let unread = |source| EngineError::File { path: path.to_owned(), source };
    let bad = |reason| EngineError::BadExport { path: path.display().to_string(), reason };
    refuse_odd(path)?;
    let bytes = files::read_linked(path, MAX_BYTES).map_err(unread)?;
    Ok(Gated::of(read_export(&bytes).map_err(bad)?, gate))
}
