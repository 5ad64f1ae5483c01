//! Another system's folder, read and written with care: it may have come with a checkout.
//! No link is followed below it, only plain files are opened, a file is replaced whole or
//! not at all, and writers take the system's own lock.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use hardwon_store::checkout::root_of;
use hardwon_store::files::{self, Place};

/// No file of a foreign store is larger; one that is is left alone.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// No folder of records has more files; one that has is left alone.
const MAX_DOCUMENTS: usize = 100_000;

/// A lock folder of this age was left behind by a process that died.
const STALE_AFTER: Duration = Duration::from_secs(60);

/// How often a lock that is taken is tried again.
const RETRY_EVERY: Duration = Duration::from_millis(5);

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("refusing to use {}: it is a symlink, which a repository can point anywhere", .0.display())]
    Link(PathBuf),
    #[error("refusing to use {}: not a folder", .0.display())]
    NotAFolder(PathBuf),
    #[error("refusing to use {}: not a plain file", .0.display())]
    NotAFile(PathBuf),
    #[error("refusing to read {}: larger than 256 MiB", .0.display())]
    TooLarge(PathBuf),
    #[error("refusing to read {}: more than 100,000 files", .0.display())]
    TooMany(PathBuf),
    #[error("refusing to edit {}: it is not UTF-8", .0.display())]
    NoText(PathBuf),
    #[error("could not lock {}: another process has been writing for too long", .0.display())]
    Locked(PathBuf),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

#[derive(Clone, Debug)]
pub struct Folder {
    base: PathBuf,
}

impl Folder {
    pub fn new(base: PathBuf) -> Self {
        Folder { base }
    }

    pub fn base(&self) -> &Path {
        &self.base
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.base.join(name)
    }

    /// Refuses the folder, or one of these below it, if it is a link or not a folder.
    pub fn check(&self, below: &[&str]) -> Result<(), FolderError> {
        is_folder(&self.base)?;
        below.iter().try_for_each(|name| is_folder(&self.path(name)).map(drop))
    }

    /// A file's bytes; `None` if there is no such file.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, FolderError> {
        if !self.has_file(name)? {
            return Ok(None);
        }
        read_plain(self.path(name)).map(Some)
    }

    /// The same for a file of a folder that was just listed: the way there need not be looked at
    /// again, unless something is odd.
    pub fn read_listed(&self, name: &str) -> Result<Option<Vec<u8>>, FolderError> {
        read_plain(self.path(name)).map(Some).or_else(|_| self.read(name))
    }

    /// Whether a plain file of this name is there; an error if something else is.
    pub fn has_file(&self, name: &str) -> Result<bool, FolderError> {
        let above = Path::new(name).parent().unwrap_or(Path::new(""));
        Ok(self.has_folder(above)? && is_file(&self.path(name))?)
    }

    /// Whether a folder below this one is there; an error if any part of its path is a link
    /// or not a folder.
    fn has_folder(&self, name: &Path) -> Result<bool, FolderError> {
        let mut path = self.base.clone();
        let mut has_all = is_folder(&path)?;
        for part in name.components() {
            path.push(part);
            has_all &= is_folder(&path)?;
        }
        Ok(has_all)
    }

    /// Adds whole lines at the end. With `is_durable` the answer means they are on the disk.
    pub fn append(&self, name: &str, lines: &[u8], is_durable: bool) -> Result<(), FolderError> {
        let place = self.place(name)?;
        let is_new = !self.has_file(name)?;
        let append = || {
            let file = files::append_to(&place, lines, 0o666)?;
            if is_durable {
                file.sync_data()?;
            }
            if is_new && is_durable { place.sync_folder() } else { Ok(()) }
        };
        append().map_err(|error| trouble(place.path(), error))
    }

    /// Replaces a file whole, keeping its mode: readers see the old one or the new one, also
    /// after a crash.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        self.replace_all([(name, bytes)].into_iter())
    }

    /// The same for several: after a crash some may be replaced and others not.
    pub fn replace_all<'a>(
        &self,
        files: impl Iterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<(), FolderError> {
        let mut contents = Vec::new();
        for (name, bytes) in files {
            let place = self.place(name)?;
            let mode = match fs::symlink_metadata(place.path()) {
                Ok(found) => found.permissions().mode() & 0o7777,
                Err(error) if error.kind() == ErrorKind::NotFound => 0o644,
                Err(error) => return Err(trouble(place.path(), error)),
            };
            // Its folder may be missing.
            contents.push((place, bytes, files::Mode::Exact(mode)));
        }
        files::replace_all(&contents).map_err(|(path, error)| trouble(&path, error))
    }

    /// Renames a file to a free name beside its own, such as `NAME.damaged-1`; nothing if it is
    /// not there.
    pub fn set_aside(&self, name: &str, why: &str) -> Result<(), FolderError> {
        let path = self.path(name);
        if !self.has_file(name)? {
            return Ok(());
        }
        let mut names = (1..=u32::MAX).map(|n| with_suffix(&path, &format!(".{why}-{n}")));
        let free = names.find(|free| fs::symlink_metadata(free).is_err());
        let to = free.unwrap_or_else(|| with_suffix(&path, &format!(".{why}")));
        let renamed = self.place(name)?.rename(to.file_name().unwrap_or_default());
        renamed.map_err(|error| trouble(&path, error))
    }

    /// The names of files with this ending in a folder below this one, in order; none if it
    /// is not there.
    pub fn list(&self, name: &str, ending: &str) -> Result<Vec<String>, FolderError> {
        if !self.has_folder(Path::new(name))? {
            return Ok(Vec::new());
        }
        let path = self.path(name);
        let entries = fs::read_dir(&path).map_err(|error| trouble(&path, error))?;
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let is_one = |name: &String| name.ends_with(ending) && !name.starts_with('.');
        let mut names: Vec<String> = names.filter(is_one).take(MAX_DOCUMENTS + 1).collect();
        names.sort();
        if names.len() > MAX_DOCUMENTS { Err(FolderError::TooMany(path)) } else { Ok(names) }
    }

    pub fn remove_all<'a>(&self, names: impl Iterator<Item = &'a str>) -> Result<(), FolderError> {
        let mut folders: BTreeMap<PathBuf, Place> = BTreeMap::new();
        for name in names {
            if !self.has_file(name)? {
                continue;
            }
            let place = self.place(name)?;
            place.remove().map_err(|error| trouble(place.path(), error))?;
            folders.insert(place.path().parent().unwrap_or(Path::new("")).to_owned(), place);
        }
        let synced = |place: Place| place.sync_folder().map_err(|e| trouble(place.path(), e));
        folders.into_values().try_for_each(synced)
    }

    /// [`Folder::sweep`] for every file of a folder below this one.
    pub fn sweep_below(&self, name: &str) {
        // The folder itself has no name below itself.
        let any = if name.is_empty() { "any".to_owned() } else { format!("{name}/any") };
        if let Ok(place) = self.place(&any) {
            files::sweep_beside(place);
        }
    }

    /// Removes what killed processes left of replaced files. The caller must hold the lock.
    pub fn sweep(&self, name: &str) {
        if let Ok(place) = self.place(name) {
            files::sweep(place);
        }
    }

    /// Where a file is written: in a checkout by no link out of it, elsewhere by none below the
    /// folder that this one lies in.
    fn place(&self, name: &str) -> Result<Place, FolderError> {
        self.has_file(name)?;
        let checkout = root_of(&self.base);
        if checkout != self.base {
            let path = self.path(name);
            return Place::named_in(checkout, &path).map_err(|error| trouble(&path, error));
        }
        let above = self.base.parent().filter(|_| self.base.file_name().is_some());
        // What is missing above it is made, too.
        let is_there = |folder: &&Path| folder.as_os_str().is_empty() || folder.is_dir();
        let root = above.unwrap_or(&self.base).ancestors().find(is_there);
        Ok(Place::below(root.unwrap_or(&self.base), &self.path(name)))
    }

    /// Takes the lock that ArcheFlow's scripts take for a file: `flock` on `NAME.lock`,
    /// or, where there is no such program, the folder `NAME.lock.d`.
    pub fn lock(&self, name: &str, wait: Duration) -> Result<Lock, FolderError> {
        let place = self.place(&format!("{name}.lock"))?;
        let path = place.path();
        let file = files::open_lock(&place, 0o666).map_err(|error| trouble(path, error))?;
        let until = Instant::now() + wait;
        retry(until, path, || is_locked(file.try_lock()))?;
        if has_program("flock") {
            return Ok(Lock { _file: file, folder: None });
        }
        let folder = place.beside(with_suffix(path, ".d").file_name().unwrap_or_default());
        retry(until, path, || take_folder(&folder))?;
        Ok(Lock { _file: file, folder: Some(folder) })
    }

    /// The same for reading: makes no file. `None` if there is no lock file yet.
    pub fn lock_to_read(&self, name: &str, wait: Duration) -> Result<Option<Lock>, FolderError> {
        let lock = format!("{name}.lock");
        if !self.has_file(&lock)? {
            return Ok(None);
        }
        let path = self.path(&lock);
        let file = match files::open_plain(&path) {
            Ok(file) => file,
            // Another user's lock file may be closed to us; the files decide then.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok(None),
            Err(error) => return Err(trouble(&path, error)),
        };
        retry(Instant::now() + wait, &path, || is_locked(file.try_lock_shared()))?;
        Ok(Some(Lock { _file: file, folder: None }))
    }
}

/// A lock that is held as long as the value lives.
#[derive(Debug)]
pub struct Lock {
    /// Closing it gives the lock back.
    _file: File,
    folder: Option<Place>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = folder.remove_as_folder();
        }
    }
}

fn is_locked(locked: Result<(), TryLockError>) -> io::Result<bool> {
    match locked {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn retry(
    until: Instant,
    path: &Path,
    mut attempt: impl FnMut() -> io::Result<bool>,
) -> Result<(), FolderError> {
    while !attempt().map_err(|error| trouble(path, error))? {
        if Instant::now() >= until {
            return Err(FolderError::Locked(path.to_owned()));
        }
        std::thread::sleep(RETRY_EVERY);
    }
    Ok(())
}

/// Makes the lock folder, or takes over one that a dead process left.
fn take_folder(folder: &Place) -> io::Result<bool> {
    match folder.make_as_folder() {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let since = fs::symlink_metadata(folder.path()).and_then(|found| found.modified());
            let age = since.ok().and_then(|since| SystemTime::now().duration_since(since).ok());
            if age.is_some_and(|age| age > STALE_AFTER) {
                let _ = folder.remove_as_folder();
            }
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Whether the scripts would find this program: they choose the kind of lock by it.
fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

fn read_plain(path: PathBuf) -> Result<Vec<u8>, FolderError> {
    let read = || {
        let file = files::open_plain(&path)?;
        // In one piece: without its length a file is read in many small ones.
        let n_bytes = file.metadata()?.len().min(MAX_FILE_BYTES) as usize;
        let mut bytes = Vec::with_capacity(n_bytes + 1);
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map(|_| bytes)
    };
    let bytes = read().map_err(|error| trouble(&path, error))?;
    let is_too_large = bytes.len() as u64 > MAX_FILE_BYTES;
    if is_too_large { Err(FolderError::TooLarge(path)) } else { Ok(bytes) }
}

/// Whether a folder is there; an error if it is a link or something else.
fn is_folder(path: &Path) -> Result<bool, FolderError> {
    is_kind(path, fs::FileType::is_dir, FolderError::NotAFolder)
}

fn is_file(path: &Path) -> Result<bool, FolderError> {
    is_kind(path, fs::FileType::is_file, FolderError::NotAFile)
}

fn is_kind(
    path: &Path,
    is_meant: fn(&fs::FileType) -> bool,
    odd: fn(PathBuf) -> FolderError,
) -> Result<bool, FolderError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Err(FolderError::Link(path.to_owned())),
        Ok(found) if !is_meant(&found.file_type()) => Err(odd(path.to_owned())),
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(trouble(path, error)),
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn trouble(path: &Path, source: io::Error) -> FolderError {
    FolderError::Io { path: path.to_owned(), source }
}
