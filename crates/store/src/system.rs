//! What does the system say about files: who may write them, on what they lie, and how much room
//! there is? Nothing is tried: looking must not write.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// File systems in which nobody can make a file or a folder.
const WITHOUT_FILES: &[&str] = &["proc", "sysfs", "devpts", "securityfs", "cgroup", "cgroup2"];

/// As whom this process acts, as the kernel tells it.
pub struct Caller {
    pub user: u32,
    groups: Vec<u32>,
    is_known: bool,
}

impl Caller {
    pub fn of_process() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let field = |name: &str| -> Vec<u32> {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
        };
        // Real, effective, saved, file system: the last one decides about files.
        let user = field("Uid:").get(3).copied();
        let mut groups = field("Groups:");
        groups.extend(field("Gid:").get(3));
        Caller { user: user.unwrap_or(0), groups, is_known: user.is_some() }
    }

    pub fn owns(&self, about: &Metadata) -> bool {
        !self.is_known || about.uid() == self.user
    }

    /// What the mode says; a file system that is mounted for reading is another matter.
    pub fn may_write(&self, about: &Metadata) -> bool {
        if !self.is_known || self.user == 0 {
            return true;
        }
        let wanted = if about.is_dir() { 0o3 } else { 0o2 };
        let shift = match about.uid() == self.user {
            true => 6,
            false if self.groups.contains(&about.gid()) => 3,
            false => 0,
        };
        (about.mode() >> shift) & wanted == wanted
    }
}

/// The path, or what of it exists already.
pub fn existing(path: &Path) -> Option<(&Path, Metadata)> {
    path.ancestors().find_map(|at| Some((at, fs::metadata(at).ok()?)))
}

/// Why nothing can be made at a path at which nothing is. Nothing is tried: looking must
/// not write, so what only an attempt would tell stays unknown.
pub fn cannot_be_made(path: &Path) -> Option<String> {
    let (at, about) = existing(path)?;
    let name = at.display();
    if at == path {
        return None;
    }
    let below = path.ancestors().find(|below| below.parent() == Some(at));
    if below.is_some_and(|below| fs::symlink_metadata(below).is_ok_and(|link| link.is_symlink())) {
        let below = below.unwrap_or(path).display();
        return Some(format!("{below} is a link to what is not there or cannot be reached"));
    }
    match mount_of(at) {
        _ if !about.is_dir() => Some(format!("{name} is not a folder")),
        _ if !Caller::of_process().may_write(&about) => {
            Some(format!("{name} cannot be written by you"))
        }
        Some(mount) if mount.is_read_only => Some(format!("{name} is mounted for reading only")),
        Some(mount) if WITHOUT_FILES.contains(&mount.kind.as_str()) => {
            Some(format!("nothing can be made in {name} ({})", mount.kind))
        }
        Some(_) | None => None,
    }
}

/// What a path is mounted from.
pub struct Mount {
    pub kind: String,
    pub is_read_only: bool,
}

/// The mount that a path is on: the one with the longest fitting beginning.
pub fn mount_of(path: &Path) -> Option<Mount> {
    let path = fs::canonicalize(path).ok()?;
    let table = fs::read_to_string("/proc/mounts").ok()?;
    let rows = table.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let [_, point, kind, options, ..] = fields[..] else { return None };
        let point = PathBuf::from(point.replace("\\040", " "));
        let is_read_only = options.split(',').any(|option| option == "ro");
        let mount = Mount { kind: kind.to_owned(), is_read_only };
        path.starts_with(&point).then(|| (point.components().count(), mount))
    });
    // Of two on the same point the later one lies on top.
    rows.max_by_key(|(depth, _)| *depth).map(|(_, mount)| mount)
}

/// Bytes that are free for this user, as `df` tells: there is no safe call for it.
pub fn room_at(path: &Path) -> Option<u64> {
    let output = std::process::Command::new("df").arg("-Pk").arg(path).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let kilobytes: u64 = text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The process that holds a lock on the store or its shared memory, as the kernel lists
/// it.
pub fn holder(path: &Path) -> Option<u32> {
    let shared = format!("{}-shm", path.display());
    let files = [path, Path::new(&shared)].map(|file| fs::metadata(file).map(|about| about.ino()));
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let holds = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let inode: u64 = fields.get(5)?.rsplit(':').next()?.parse().ok()?;
        let is_ours = files.iter().any(|file| file.as_ref().is_ok_and(|known| *known == inode));
        let id = fields.get(4)?.parse::<u32>().ok()?;
        let is_writer = *fields.get(3)? == "WRITE";
        (is_ours && is_writer && id != std::process::id()).then_some(id)
    };
    locks.lines().find_map(holds)
}
