//! What lies beside a store: its log, its lock, what waits, and the copies of it, newest first.

use std::cmp::Reverse;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use hardwon_core::time::Timestamp;

use super::SqliteStore;

/// At the end of the name of a compressed copy.
pub(super) const COMPRESSED: &str = ".gz";

/// A copy beside a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    pub path: PathBuf,
    /// The day it was made on, for one of those that are made daily.
    pub day: Option<Timestamp>,
}

impl SqliteStore {
    /// What a file is called after that was made or put aside at this time.
    pub fn label(at: Timestamp) -> String {
        at.to_string().chars().filter(char::is_ascii_alphanumeric).collect()
    }

    /// Copies of the file that lie beside it, newest first.
    pub fn copies(path: impl AsRef<Path>) -> Vec<PathBuf> {
        SqliteStore::dated_copies(path).into_iter().map(|copy| copy.path).collect()
    }

    /// The same, each with its day.
    pub fn dated_copies(path: impl AsRef<Path>) -> Vec<Copy> {
        let path = path.as_ref();
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Vec::new();
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let prefix = format!("{}.backup-", name.to_string_lossy());
        let copy = |path: PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let label = name.strip_prefix(&prefix)?;
            let is_copy =
                label != "unfinished" && !label.ends_with("-wal") && !label.ends_with("-shm");
            let day = day_of(label);
            is_copy.then_some(Copy { path: path.clone(), day })
        };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut copies: Vec<Copy> = entries.filter_map(|entry| copy(entry.path())).collect();
        let written = |path: &PathBuf| fs::metadata(path).and_then(|about| about.modified()).ok();
        copies
            .sort_by_cached_key(|copy| (Reverse(written(&copy.path)), Reverse(copy.path.clone())));
        copies
    }
}

/// Which file the log of a database is.
pub(super) fn log_path(path: &Path) -> PathBuf {
    with_suffix(path, "-wal")
}

/// The file by which processes take turns.
pub(super) fn lock_path(path: &Path) -> PathBuf {
    with_suffix(path, "-lock")
}

/// The folder in which injections wait that a busy store could not take.
pub(super) fn queue_path(path: &Path) -> PathBuf {
    with_suffix(path, "-queue")
}

/// The path with something after its last component.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The content of a copy, compressed or not; also of any other file.
pub(crate) fn read_copy(path: &Path) -> io::Result<Box<dyn Read>> {
    let file = fs::File::open(path)?;
    Ok(if is_compressed(path) { Box::new(GzDecoder::new(file)) } else { Box::new(file) })
}

pub(super) fn is_compressed(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains(".backup-") && name.ends_with(COMPRESSED)
}

/// The day that a label names, if it is one that is made daily.
fn day_of(label: &str) -> Option<Timestamp> {
    let label = label.strip_suffix(COMPRESSED).unwrap_or(label);
    let day = Timestamp::parse(&format!("{label}T00:00:00Z"))?;
    (day.date() == label).then_some(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_a_day_only_as_it_is_written() {
        assert!(day_of("2026-11-16").is_some() && day_of("2026-11-16.gz").is_some());
        for label in ["v5", "20261116T120000Z", "2026-11-16T00", "2026-13-01", "unfinished", ""] {
            assert_eq!(day_of(label), None, "{label}");
        }
    }
}
