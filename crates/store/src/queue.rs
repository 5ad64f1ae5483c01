//! Files that wait to be worked off, one job each. A worker holds a lock on its file, so two never
//! work on the same job; the system releases the lock of a worker that dies, and the job waits
//! again. Each worker that begins leaves a line in the file, so that a job that kills its workers
//! can be given up.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use hardwon_core::time::Timestamp;

use crate::files::{self, Mode};

/// No more jobs than this are queued.
const MAX_WAITING: usize = 4096;

/// A longer file is not a job. A message of the longest kind fits, however it is escaped.
const MAX_BYTES: u64 = 2 << 20;

/// Left in the file by each worker that begins.
const BEGUN: &[u8] = b"begun\n";

/// Leaves a job in the folder, complete or not at all. The disk is not waited for: an agent waits
/// for this call.
pub fn add(folder: &Path, at: Timestamp, line: &str, ending: &str) -> io::Result<PathBuf> {
    static N_QUEUED: AtomicU32 = AtomicU32::new(0);
    files::make_private_folder(folder)?;
    if fs::read_dir(folder)?.count() >= MAX_WAITING {
        let reason = "too many sessions wait to be read: `hardwon learn --pending`";
        return Err(io::Error::other(reason));
    }
    let n = N_QUEUED.fetch_add(1, Ordering::Relaxed);
    let placed = folder.join(format!("{:015}-{}-{n}{ending}", at.0, std::process::id()));
    files::replace_unsynced(&placed, format!("{line}\n").as_bytes(), Mode::PRIVATE)?;
    Ok(placed)
}

/// The jobs of a folder, oldest first.
pub fn waiting(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_job = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    let paths = entries.flatten().map(|entry| entry.path()).filter(is_job);
    let mut paths: Vec<PathBuf> = paths.take(2 * MAX_WAITING).collect();
    paths.sort();
    paths
}

/// A job that this process works on, as long as the value lives.
pub struct Lease {
    path: PathBuf,
    file: fs::File,
    /// As it was found, in bytes.
    length: u64,
}

/// What a job's file holds.
pub struct Job {
    pub line: String,
    /// How many workers began before.
    pub n_begun: usize,
}

impl Lease {
    /// None if another process works on it, or has finished it.
    pub fn take(path: &Path) -> Option<Lease> {
        let file = files::open_to_add(path).ok()?;
        file.try_lock().ok()?;
        let about = file.metadata().ok().filter(|about| about.nlink() > 0)?;
        Some(Lease { path: path.to_owned(), file, length: about.len() })
    }

    pub fn read(&self) -> io::Result<Job> {
        let mut text = String::new();
        (&self.file).take(MAX_BYTES).read_to_string(&mut text)?;
        let (line, begun) = text.split_once('\n').unwrap_or((&text, ""));
        Ok(Job { line: line.to_owned(), n_begun: begun.lines().count() })
    }

    /// Notes that work begins. A file that cannot be written can still be worked off.
    pub fn begin(&self) {
        let _ = (&self.file).write_all(BEGUN);
    }

    /// Takes the note back: that the work did not succeed was not the job's fault.
    pub fn give_back(&self) {
        let _ = self.file.set_len(self.length);
    }

    /// The job is done.
    pub fn finish(self) -> io::Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue_one(folder: &Path) -> PathBuf {
        add(folder, Timestamp(7), "{}", ".json").unwrap()
    }

    #[test]
    fn a_job_has_one_worker_and_waits_again_when_that_one_dies() {
        let folder = tempfile::tempdir().unwrap();
        let path = queue_one(folder.path());
        assert_eq!(waiting(folder.path()), std::slice::from_ref(&path));
        let lease = Lease::take(&path).unwrap();
        assert!(Lease::take(&path).is_none(), "two have it");
        drop(lease);
        assert!(Lease::take(&path).is_some());
    }

    #[test]
    fn a_worker_that_waited_for_the_lock_does_not_do_the_job_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = queue_one(folder.path());
        let late = files::open_to_add(&path).unwrap();
        Lease::take(&path).unwrap().finish().unwrap();
        late.try_lock().unwrap();
        assert_eq!(late.metadata().unwrap().nlink(), 0);
        assert!(Lease::take(&path).is_none());
    }

    #[test]
    fn a_job_that_is_given_back_was_not_begun() {
        let folder = tempfile::tempdir().unwrap();
        let path = queue_one(folder.path());
        let before = fs::read(&path).unwrap();
        for _ in 0..6 {
            let lease = Lease::take(&path).unwrap();
            assert_eq!(lease.read().unwrap().n_begun, 0);
            lease.begin();
            lease.give_back();
        }
        assert_eq!(fs::read(&path).unwrap(), before);
        Lease::take(&path).unwrap().begin();
        assert_eq!(Lease::take(&path).unwrap().read().unwrap().n_begun, 1);
    }
}
