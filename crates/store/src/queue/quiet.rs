//! A session that goes on, and may never say that it is over, has one job that each of its turns
//! renews. It is due when nobody has renewed it for a while. The name follows from the session,
//! so there is never more than one; only while a worker reads it, the next turn makes a second.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{Lease, make_folder};
use crate::files::{self, Mode, NewFile};

/// So long nothing may have been said. Hosts and people pause within a session, too.
const QUIET: Duration = Duration::from_secs(5 * 60);

/// How the name of such a job begins. Behind those that begin with a time.
const START: &str = "quiet-";

/// So many workers may read one session at the same time.
const MAX_READERS: usize = 4;

/// Leaves the job under this mark, or a newer one in the place of the old. The disk is not waited
/// for: the next turn says it again.
pub fn renew(folder: &Path, mark: &str, line: &str) -> io::Result<()> {
    make_folder(folder)?;
    let text = format!("{line}\n");
    for path in names(folder, mark) {
        let written = NewFile::write_unsynced(&path, text.as_bytes(), Mode::PRIVATE)?;
        match written.place_first() {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            placed => return placed,
        }
        // A worker that has it would remove the new one when it is done with the old.
        if let Some(_lease) = Lease::take(&path) {
            return files::replace_unsynced(&path, text.as_bytes(), Mode::PRIVATE);
        }
    }
    Err(io::Error::other("too many read this session"))
}

/// Removes the job under this mark: the session was left to be read as a whole. One that a worker
/// has is removed by that worker.
pub fn withdraw(folder: &Path, mark: &str) {
    for lease in names(folder, mark).iter().filter_map(|path| Lease::take(path)) {
        let _ = lease.finish();
    }
}

/// Whether a job may be begun: at once, or when it has been quiet.
pub fn is_due(path: &Path, now: SystemTime) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !name.starts_with(START) {
        return true;
    }
    let changed = path.metadata().and_then(|about| about.modified()).unwrap_or(now);
    // A time that lies ahead is that of a clock that was set back since.
    let apart = now.duration_since(changed).unwrap_or_else(|ahead| ahead.duration());
    apart >= QUIET
}

fn names(folder: &Path, mark: &str) -> [PathBuf; MAX_READERS] {
    std::array::from_fn(|n| folder.join(format!("{START}{mark}-{n}.json")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::waiting;
    use super::*;

    fn later(seconds: u64) -> SystemTime {
        SystemTime::now() + Duration::from_secs(seconds)
    }

    #[test]
    fn a_session_has_one_job_that_is_due_when_it_was_quiet() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..3 {
            renew(folder.path(), "s1", &format!("{{\"n\":{n}}}")).unwrap();
        }
        renew(folder.path(), "s2", "{}").unwrap();
        let paths = waiting(folder.path());
        assert_eq!(paths.len(), 2);
        assert_eq!(fs::read_to_string(&paths[0]).unwrap(), "{\"n\":2}\n");
        let due = |now| paths.iter().filter(|path| is_due(path, now)).count();
        assert_eq!((due(later(0)), due(later(280)), due(later(301))), (0, 0, 2));
        let file = fs::File::options().write(true).open(&paths[0]).unwrap();
        file.set_modified(later(9000)).unwrap();
        assert!(is_due(&paths[0], later(0)), "the clock was set back");
        assert!(is_due(&folder.path().join("000-1-0.json"), later(0)), "others are due at once");
        withdraw(folder.path(), "s1");
        assert_eq!(waiting(folder.path()), paths[1..]);
    }

    /// What is said while a worker reads is not lost when that worker is done.
    #[test]
    fn what_is_renewed_while_it_is_read_stays() {
        let folder = tempfile::tempdir().unwrap();
        renew(folder.path(), "s1", "{\"n\":1}").unwrap();
        let reader = Lease::take(&waiting(folder.path())[0]).unwrap();
        renew(folder.path(), "s1", "{\"n\":2}").unwrap();
        withdraw(folder.path(), "s2");
        reader.finish().unwrap();
        let left = waiting(folder.path());
        assert_eq!(left.len(), 1);
        assert_eq!(fs::read_to_string(&left[0]).unwrap(), "{\"n\":2}\n");
    }
}
