//! Can the files be read and written by their owner alone? Is there room on the disk, and are
//! there leftovers of processes that died?

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hardwon_render::answer::HealthCheck;
use hardwon_render::check::{self, days_old, failed, few, ok, quoted, size, warning};
use hardwon_store::files::is_unplaced;
use hardwon_store::system::{Caller, existing, mount_of, room_at};
use hardwon_store::{Copy, SqliteStore, queue};

use super::Patient;
use crate::open::StorePlace;
use crate::problems;

/// The mode bit by which anybody may write.
pub(super) const ANYBODY_WRITES: u32 = 0o002;

/// Below this much room the next backup or migration may not fit.
const LITTLE_ROOM: u64 = 64 << 20;

/// A temporary file of this age was left by a process that died.
const STALE_AFTER: Duration = Duration::from_secs(10 * 60);

/// File systems on which locks and shared memory cannot be relied on.
const NETWORK: &[&str] =
    &["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "fuse.sshfs", "vboxsf", "drvfs"];

impl Patient<'_> {
    pub(super) fn file_checks(&self) -> Vec<HealthCheck> {
        let mut checks = Vec::new();
        if let Some(base) = self.base() {
            checks.push(self.permissions(&base));
            checks.push(disk(&base));
        }
        checks.push(self.leftovers());
        checks.push(self.queue());
        checks
    }

    fn queue(&self) -> HealthCheck {
        let (n_waiting, aside) = queue::survey(&self.options.queue_folders(self.environment));
        check::queue(n_waiting, &aside, self.command("learn --pending --retry"))
    }

    /// The folder that memory lives in.
    fn base(&self) -> Option<PathBuf> {
        match &self.place {
            Ok(StorePlace::Sqlite(path)) => Some(path.parent()?.to_owned()),
            Ok(StorePlace::Foreign(_, place)) => Some(place.base().to_owned()),
            Ok(StorePlace::Postgres(_) | StorePlace::Memory) | Err(_) => {
                self.environment.data_folder().ok()
            }
        }
    }

    fn permissions(&self, base: &Path) -> HealthCheck {
        let caller = Caller::of_process();
        let files = self.own_files();
        let places = files.iter().map(PathBuf::as_path).chain([base]).filter_map(existing);
        let unwritable = places.into_iter().find(|(_, about)| !caller.may_write(about));
        if let Some((at, about)) = unwritable {
            let name = quoted(at.display());
            let fix = if caller.owns(&about) {
                format!("chmod u+rwX {name}")
            } else {
                format!("sudo chown -R {} {}", caller.user, quoted(base.display()))
            };
            return failed(
                "permissions",
                format!("{} cannot be written by you", at.display()),
                fix,
            );
        }
        let open: Vec<String> = self.open_to_others().iter().map(|p| told_mode(p)).collect();
        let foreign =
            files.iter().find(|file| fs::metadata(file).is_ok_and(|about| !caller.owns(&about)));
        match (open.is_empty(), foreign) {
            (false, _) => warning("permissions", few(&open), self.doctor_with("--fix")),
            (true, Some(file)) => {
                let owner = fs::metadata(file).map_or(0, |about| about.uid());
                let detail = format!("{} belongs to user {owner}, not to you", file.display());
                let fix = format!("sudo chown -R {} {}", caller.user, quoted(base.display()));
                warning("permissions", detail, fix)
            }
            (true, None) => ok("permissions", format!("{} is yours alone", base.display())),
        }
    }

    /// The files that are ours alone to read and write.
    fn own_files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        if let Ok(StorePlace::Sqlite(path)) = &self.place {
            files.push(path.clone());
            files.push(with_suffix(path, "-wal"));
            files.push(with_suffix(path, "-shm"));
            files.extend(SqliteStore::copies(path));
        }
        if let Ok(StorePlace::Foreign(_, place)) = &self.place {
            files.extend(lines_in(place.files()));
        }
        if let Ok(folder) = self.environment.data_folder() {
            files.push(folder.join(problems::FILE));
        }
        files.retain(|file| file.is_file());
        files
    }

    /// Files and folders of ours that others may read.
    pub(super) fn open_to_others(&self) -> Vec<PathBuf> {
        if let Ok(StorePlace::Foreign(_, place)) = &self.place {
            return open_to_writers(&[place.base(), place.files()]);
        }
        let folder = self.environment.data_folder().ok();
        // A store elsewhere lies in a folder of the user's own.
        let is_used = |folder: &PathBuf| self.base().as_ref() == Some(folder) && folder.is_dir();
        let mut all: Vec<PathBuf> = folder.into_iter().filter(is_used).collect();
        all.extend(self.own_files());
        all.retain(|path| fs::metadata(path).is_ok_and(|about| about.mode() & 0o077 != 0));
        all
    }

    fn leftovers(&self) -> HealthCheck {
        let stale = self.stale();
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().display().to_string();
        let now = self.environment.now().unwrap_or_default();
        let aged = |copy: &Copy| match copy.day {
            None => name(&copy.path),
            Some(day) => format!("{} ({})", name(&copy.path), days_old(now.days_since(day))),
        };
        let copies: Vec<String> = match &self.place {
            Ok(StorePlace::Sqlite(path)) => {
                SqliteStore::dated_copies(path).iter().map(aged).collect()
            }
            Ok(_) | Err(_) => Vec::new(),
        };
        match (stale.is_empty(), copies.is_empty()) {
            (false, _) => {
                let stale: Vec<String> = stale.iter().map(name).collect();
                let detail = format!("left by a process that died: {}", few(&stale));
                warning("leftovers", detail, self.doctor_with("--fix"))
            }
            (true, false) => ok("leftovers", format!("backups: {}", few(&copies))),
            (true, true) => ok("leftovers", "none, and no backup either"),
        }
    }

    /// Temporary files of ours that no process will come back to.
    pub(super) fn stale(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = self.base().into_iter().collect();
        folders.extend(self.environment.data_folder());
        folders
            .extend(self.environment.settings_file().ok().and_then(|f| Some(f.parent()?.into())));
        if let Ok(StorePlace::Foreign(_, place)) = &self.place {
            folders.push(place.files().to_owned());
            // A link in a checkout leads to what is not ours.
            let is_linked = place.base().is_symlink() || place.files().is_symlink();
            folders.retain(|folder| !is_linked || !folder.starts_with(place.base()));
        }
        folders.sort();
        folders.dedup();
        let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
        let paths = entries.flatten().map(|entry| entry.path());
        let mut stale: Vec<PathBuf> = paths.filter(|p| is_temporary(p) && is_old(p)).collect();
        stale.sort();
        stale
    }
}

/// The files of lines in a folder.
fn lines_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path());
    let is_lines = |path: &PathBuf| path.extension().is_some_and(|end| end == "jsonl");
    let mut files: Vec<PathBuf> = files.filter(is_lines).collect();
    files.sort();
    files
}

/// Parts of another system's folder that every user may write. Who may read them is up to
/// those who share the checkout.
fn open_to_writers(folders: &[&Path]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = folders.iter().map(|folder| folder.to_path_buf()).collect();
    if folders.iter().any(|folder| folder.is_symlink()) {
        return Vec::new();
    }
    all.extend(folders.last().into_iter().flat_map(|memory| lines_in(memory)));
    let is_open = |path: &PathBuf| {
        fs::symlink_metadata(path)
            .is_ok_and(|about| !about.is_symlink() && about.mode() & ANYBODY_WRITES != 0)
    };
    all.retain(is_open);
    all
}

/// By its name: the unfinished halves of files that are replaced whole.
fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_half = name.ends_with(".backup-unfinished") || is_unplaced(&name);
    is_half && fs::symlink_metadata(path).is_ok_and(|about| about.is_file())
}

fn is_old(path: &Path) -> bool {
    let written = fs::symlink_metadata(path).and_then(|about| about.modified()).ok();
    let age = written.and_then(|written| SystemTime::now().duration_since(written).ok());
    age.is_some_and(|age| age > STALE_AFTER)
}

fn told_mode(path: &Path) -> String {
    let mode = fs::metadata(path).map_or(0, |about| about.permissions().mode() & 0o777);
    let what = if mode & ANYBODY_WRITES != 0 { "read and write" } else { "read" };
    format!("others can {what} {} (mode {mode:o})", path.display())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Room and sort of the file system.
fn disk(base: &Path) -> HealthCheck {
    let Some((at, _)) = existing(base) else { return ok("disk", "not known") };
    let mount = mount_of(at);
    let room = room_at(at);
    let told = match (&mount, room) {
        (Some(mount), Some(room)) => format!("{} free on {}", size(room), mount.kind),
        (Some(mount), None) => format!("on {}", mount.kind),
        (None, Some(room)) => format!("{} free", size(room)),
        (None, None) => "not known".to_owned(),
    };
    let elsewhere = "hardwon config set store sqlite:/PATH/ON/A/LOCAL/DISK/memory.db".to_owned();
    match (&mount, room) {
        (Some(mount), _) if mount.is_read_only => {
            failed("disk", format!("{told}, mounted for reading only"), elsewhere)
        }
        (Some(mount), _) if NETWORK.contains(&mount.kind.as_str()) => {
            let detail = format!("{told}: locks cannot be relied on over a network");
            warning("disk", detail, elsewhere)
        }
        (_, Some(room)) if room < LITTLE_ROOM => {
            warning("disk", format!("only {told}"), format!("df -h {}", quoted(at.display())))
        }
        _ => ok("disk", told),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_halves_are_temporary() {
        let folder = tempfile::tempdir().unwrap();
        let ours = [
            "memory.db.backup-unfinished",
            "lessons.jsonl.hardwon-99",
            ".config.toml.hardwon-99-1",
        ];
        let others = ["memory.db", "memory.db.backup-v1", "config.toml", ".config.toml.old", "a.7"];
        for (names, expected) in [(&ours[..], true), (&others[..], false)] {
            for name in names {
                let path = folder.path().join(name);
                fs::write(&path, "").unwrap();
                assert_eq!(is_temporary(&path), expected, "{name}");
                assert!(!is_old(&path), "{name} was just made");
            }
        }
    }
}
