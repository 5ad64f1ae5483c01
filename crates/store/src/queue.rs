//! Files that wait to be worked off, one job each. A worker holds a lock on its file, so two never
//! work on the same job; the system releases the lock of a worker that dies, and the job waits
//! again. Each worker that begins leaves a line in the file and takes it back when it ends, be it
//! well or not; a job that failed by its own fault keeps a line that says so. What fails again and
//! again is put aside, in a folder below, and never deleted: a host says nothing twice.

mod quiet;

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use hardwon_core::time::Timestamp;

use crate::files::{self, Mode, NewFile, Place};

pub use quiet::{is_due, renew, withdraw};

/// No more jobs than this are queued.
const MAX_WAITING: usize = 4096;

/// A longer file is not a job. A message of the longest kind fits, however it is escaped.
const MAX_BYTES: u64 = 2 << 20;

/// Where jobs lie that were put aside, below the folder of the queue.
const ASIDE: &str = "aside";

/// No more than this is put aside, in files and in bytes; the rest stays where it is.
const MAX_ASIDE: usize = 256;
const MAX_ASIDE_BYTES: u64 = 64 << 20;

/// So many workers may end while they read one file, and so often what it says may fail. A
/// worker that ends while the store is busy is not the job's fault and not counted.
const MAX_BEGUN: usize = 10;
const MAX_FAILED: usize = 3;

/// Part of the file name of a job that belongs to others, before the mark that they share.
const MARK: &str = "-said-";

/// Left in the file by each worker that begins.
const BEGUN: &str = "begun";
/// Left in the file when the job failed by its own fault.
const FAILED: &str = "failed";

/// What an added job has to outlive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// A power cut: when `add` returns the job is on the disk.
    Synced,
    /// The process: the disk is not waited for.
    Unsynced,
}

/// Leaves a job in the folder, complete or not at all, in a file of its own.
pub fn add(
    folder: &Path,
    at: Timestamp,
    line: &str,
    ending: &str,
    keep: Keep,
) -> io::Result<PathBuf> {
    static N_QUEUED: AtomicU32 = AtomicU32::new(0);
    make_folder(folder)?;
    if fs::read_dir(folder)?.count() >= MAX_WAITING {
        return Err(io::Error::other("too much waits to be read: `hardwon learn --pending`"));
    }
    let text = format!("{line}\n");
    loop {
        let n = N_QUEUED.fetch_add(1, Ordering::Relaxed);
        // Names are sorted as texts: of one moment the tenth must not come before the ninth.
        let placed = folder.join(format!("{:015}-{}-{n:010}{ending}", at.0, std::process::id()));
        let written = NewFile::write_unsynced(&placed, text.as_bytes(), Mode::PRIVATE)?;
        let placing = match keep {
            Keep::Synced => written.place_if_new(),
            Keep::Unsynced => written.place_first(),
        };
        match placing {
            // Of a process with the same number, in another container.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            placing => return placing.map(|()| placed),
        }
    }
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

/// What the name of a job ends with that belongs to others with this mark.
pub fn marked_ending(mark: &str) -> String {
    format!("{MARK}{mark}.json")
}

/// The mark of a job, if it has one.
pub fn mark_of(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str().filter(|name| !name.starts_with('.'))?;
    Some(name.strip_suffix(".json")?.split_once(MARK)?.1)
}

/// Whether an earlier job with the same mark waits.
pub fn is_preceded(path: &Path) -> bool {
    let mark = mark_of(path);
    let entries = path.parent().map(fs::read_dir).into_iter().flatten().flatten().flatten();
    let is_earlier = |other: &Path| other < path && mark_of(other) == mark;
    mark.is_some() && entries.map(|entry| entry.path()).any(|other| is_earlier(&other))
}

/// How many jobs wait in these folders, and which folders hold how many that were put aside.
pub fn survey(folders: &[PathBuf]) -> (usize, Vec<(String, usize)>) {
    let aside = folders.iter().map(|folder| aside_folder(folder));
    let aside = aside.map(|folder| (folder.display().to_string(), waiting(&folder).len()));
    let n_waiting = folders.iter().map(|folder| waiting(folder).len()).sum();
    (n_waiting, aside.filter(|(_, n)| *n > 0).collect())
}

/// Where the jobs of a folder lie that were put aside.
pub fn aside_folder(folder: &Path) -> PathBuf {
    folder.join(ASIDE)
}

/// Puts a job aside, where no worker looks. Fails, and leaves it, if too much lies there.
pub fn put_aside(path: &Path, reason: &str) -> io::Result<PathBuf> {
    let folder = aside_folder(path.parent().unwrap_or(Path::new(".")));
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    make_folder(&folder)?;
    let there = waiting(&folder);
    let n_bytes: u64 =
        there.iter().filter_map(|path| fs::metadata(path).ok()).map(|m| m.len()).sum();
    if there.len() >= MAX_ASIDE || n_bytes >= MAX_ASIDE_BYTES {
        return Err(io::Error::other("too much was put aside already"));
    }
    // Says to whoever looks at it why it is here.
    if let Ok(mut file) = files::open_to_add(path) {
        let _ = file.write_all(format!("put aside: {reason}\n").as_bytes());
    }
    let placed = folder.join(name);
    files::rename(path, &placed)?;
    Place::own(&placed).sync_folder()?;
    Place::own(path).sync_folder()?;
    Ok(placed)
}

/// Puts everything back that was put aside below these folders, as if no worker had begun it.
/// Says how many, or what could not be moved.
pub fn put_back(folders: &[PathBuf]) -> Result<usize, (PathBuf, io::Error)> {
    let mut n_put = 0;
    for folder in folders {
        for path in waiting(&aside_folder(folder)) {
            let Some(lease) = Lease::take(&path) else { continue };
            let _ = lease.forget_marks();
            let placed = folder.join(path.file_name().unwrap_or_default());
            files::rename(&path, &placed).map_err(|error| (path, error))?;
            n_put += 1;
        }
    }
    Ok(n_put)
}

/// A new folder's own name has to be on the disk as well.
fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    files::make_private_folder(folder)?;
    Place::own(folder).sync_folder()
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
    /// How many workers began before and did not come to any end.
    pub n_begun: usize,
    /// How often it failed by its own fault.
    pub n_failed: usize,
}

impl Job {
    /// Why no worker should begin it again.
    pub fn reason_to_stop(&self) -> Option<String> {
        if self.n_failed >= MAX_FAILED {
            Some(format!("failed {MAX_FAILED} times"))
        } else if self.n_begun >= MAX_BEGUN {
            Some(format!("{MAX_BEGUN} readers did not come to the end"))
        } else {
            None
        }
    }
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
        let (line, marks) = text.split_once('\n').unwrap_or((&text, ""));
        let count = |mark| marks.lines().filter(|line| *line == mark).count();
        Ok(Job { line: line.to_owned(), n_begun: count(BEGUN), n_failed: count(FAILED) })
    }

    /// Notes that work begins. A file that cannot be written can still be worked off.
    pub fn begin(&self) {
        let _ = (&self.file).write_all(format!("{BEGUN}\n").as_bytes());
    }

    /// Takes the note back: that the work did not succeed was not the job's fault.
    pub fn give_back(&self) {
        let _ = self.file.set_len(self.length);
    }

    /// Takes the note back, and notes that the work failed by the job's own fault.
    pub fn fail(&self) {
        self.give_back();
        let _ = (&self.file).write_all(format!("{FAILED}\n").as_bytes());
    }

    /// Puts it where no worker looks, and says so. Where that cannot be done it stays.
    pub fn put_aside(self, reason: &str) -> String {
        let done = put_aside(&self.path, reason);
        let how = done.map_or_else(|error| error.to_string(), |_| "put aside".to_owned());
        format!("{reason}; {how}")
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

    fn forget_marks(&self) -> io::Result<()> {
        let line = self.read()?.line;
        self.file.set_len(line.len() as u64 + 1)
    }
}

/// A worker that panics over its job: the job's fault, other than a worker that is killed.
impl Drop for Lease {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.fail();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn queue_one(folder: &Path) -> PathBuf {
        add(folder, Timestamp(7), "{}", ".json", Keep::Synced).unwrap()
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

    #[test]
    fn a_failure_is_not_a_worker_that_died() {
        let folder = tempfile::tempdir().unwrap();
        let path = queue_one(folder.path());
        for _ in 0..2 {
            let lease = Lease::take(&path).unwrap();
            lease.begin();
            lease.fail();
        }
        let job = Lease::take(&path).unwrap().read().unwrap();
        assert_eq!((job.line.as_str(), job.n_begun, job.n_failed), ("{}", 0, 2));
    }

    /// After a power cut there is the whole job, or the caller was never told that there is one.
    #[test]
    fn a_job_is_on_the_disk_before_its_caller_hears_of_it() {
        let folder = tempfile::tempdir().unwrap();
        files::steps::take();
        queue_one(folder.path());
        let steps = ["write", "sync file", "place", "sync folder"];
        assert_eq!(files::steps::take(), steps, "the name must not come before the content");
        add(folder.path(), Timestamp(7), "{}", ".json", Keep::Unsynced).unwrap();
        assert_eq!(files::steps::take(), ["write", "place"]);
    }

    #[test]
    fn jobs_of_one_moment_are_done_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let added: Vec<PathBuf> = (0..120).map(|_| queue_one(folder.path())).collect();
        assert_eq!(waiting(folder.path()), added);
    }

    #[test]
    fn no_job_takes_the_place_of_another_and_each_is_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let placed = folder.path().join("a.json");
        let write = |text: &str| NewFile::write(&placed, text.as_bytes(), Mode::PRIVATE).unwrap();
        write("first").place_if_new().unwrap();
        let error = write("second").place_if_new().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&placed).unwrap(), "first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
        assert_eq!(fs::metadata(&placed).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn what_is_put_aside_is_kept_and_comes_back_as_new() {
        let folder = tempfile::tempdir().unwrap();
        let path = queue_one(folder.path());
        let lease = Lease::take(&path).unwrap();
        lease.fail();
        assert_eq!(lease.put_aside("it is not a session"), "it is not a session; put aside");
        let aside = waiting(&aside_folder(folder.path())).remove(0);
        let (n_waiting, put) = survey(&[folder.path().to_owned()]);
        assert_eq!((n_waiting, put[0].1), (0, 1));
        let kept = fs::read_to_string(&aside).unwrap();
        assert_eq!(kept, "{}\nfailed\nput aside: it is not a session\n");
        assert_eq!(put_back(&[folder.path().to_owned()]).unwrap(), 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}\n");
        assert!(waiting(&aside_folder(folder.path())).is_empty());
    }

    #[test]
    fn when_too_much_was_put_aside_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..MAX_ASIDE {
            let aside = aside_folder(folder.path());
            make_folder(&aside).unwrap();
            fs::write(aside.join(format!("{n}.json")), "").unwrap();
        }
        let path = queue_one(folder.path());
        assert!(put_aside(&path, "it failed").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}\n");
    }
}
