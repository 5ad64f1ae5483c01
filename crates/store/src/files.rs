//! How is a file replaced so that no reader ever sees half of it? The content is written
//! beside the file and takes its place by a rename: a reader, also after a crash, finds the
//! old file or the new one. A link in the file's place is replaced, not followed; a caller
//! that wants it followed or refused checks before.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// In the names of files that are not in their place yet, before numbers.
const MARK: &str = ".hardwon-";

/// Who may do what with a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Exactly this, whatever the process's mask is.
    Exact(u32),
    /// That of the file that is replaced, with its owner where we may set one. For a new file
    /// this, less the process's mask.
    Kept(u32),
}

impl Mode {
    /// For the user alone.
    pub const PRIVATE: Mode = Mode::Exact(0o600);
}

/// Replaces or makes a file. When this returns it is on the disk.
///
/// ```
/// use hardwon_store::files::{Mode, replace};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("state.json");
/// replace(&path, b"{}", Mode::PRIVATE)?;
/// assert_eq!(std::fs::read(&path)?, b"{}");
/// assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn replace(path: &Path, bytes: &[u8], mode: Mode) -> io::Result<()> {
    NewFile::write(path, bytes, mode)?.place()
}

/// The same without waiting for the disk: after a crash the file may be empty. For what is
/// written on the hot path and may be lost.
pub fn replace_unsynced(path: &Path, bytes: &[u8], mode: Mode) -> io::Result<()> {
    NewFile::write_unsynced(path, bytes, mode)?.rename()
}

/// Renames a file that was written beside its place. When this returns it is on the disk.
pub fn place_written(written: &Path, path: &Path) -> io::Result<()> {
    fs::File::open(written)?.sync_all()?;
    fs::rename(written, path)?;
    sync_folder_of(path)
}

/// Waits until names that were made or changed beside this file are on the disk. A file system
/// that cannot do this, and a folder that may not be read, are not errors.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    steps::note("sync folder");
    let sync = || fs::File::open(folder_of(path))?.sync_all();
    let cannot = [ErrorKind::InvalidInput, ErrorKind::Unsupported, ErrorKind::PermissionDenied];
    sync().or_else(|error| if cannot.contains(&error.kind()) { Ok(()) } else { Err(error) })
}

/// Whether this is the name of a file that was being written; for cleaning up.
pub fn is_unplaced(name: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    name.rsplit_once(MARK).is_some_and(|(_, numbers)| numbers.split('-').all(is_number))
}

/// Removes what killed processes left of new contents for this file. Only where no other
/// process can be writing it.
pub fn sweep(path: &Path) {
    let prefix = format!("{}{MARK}", name_of(path));
    for entry in fs::read_dir(folder_of(path)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Older versions did not hide them.
        if name.strip_prefix('.').unwrap_or(&name).starts_with(&prefix) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Options to open our own files: a link is an error, and a pipe does not block.
pub fn without_links() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

/// Appends text in one write, so that lines of several processes do not mix, and gives the open
/// file. The file and its folder are made for the user alone.
pub fn append(path: &Path, text: &str) -> io::Result<fs::File> {
    let mut options = without_links();
    options.append(true).create(true).mode(0o600);
    let mut file = options.open(path).or_else(|_| {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder_of(path))?;
        options.open(path)
    })?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}

/// The end of a file, at most so many bytes of it.
pub fn tail(path: &Path, max_bytes: u64) -> io::Result<String> {
    let mut file = without_links().read(true).open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(max_bytes)))?;
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A new content that lies ready beside its file. It is removed unless it is placed.
#[derive(Debug)]
pub struct NewFile {
    temporary: PathBuf,
    path: PathBuf,
    has_new_folder: bool,
    is_placed: bool,
}

impl NewFile {
    /// Writes the content, to the disk. The folder has to be there.
    pub fn write(path: &Path, bytes: &[u8], mode: Mode) -> io::Result<Self> {
        let (new, mut file) = NewFile::open(path, mode)?;
        steps::note("write");
        file.write_all(bytes)?;
        steps::note("sync file");
        file.sync_all()?;
        Ok(new)
    }

    /// The same without waiting for the disk.
    pub fn write_unsynced(path: &Path, bytes: &[u8], mode: Mode) -> io::Result<Self> {
        let (new, mut file) = NewFile::open(path, mode)?;
        steps::note("write");
        file.write_all(bytes)?;
        Ok(new)
    }

    /// The same, and makes a missing folder, readable for those who may read the file. If the
    /// content is not placed, a folder that was made for it is removed.
    pub fn write_with_folder(path: &Path, bytes: &[u8], mode: Mode) -> io::Result<Self> {
        let (Mode::Exact(bits) | Mode::Kept(bits)) = mode;
        let folder = folder_of(path);
        let has_new_folder = !folder.exists();
        let folder_mode = if bits & 0o077 == 0 { 0o700 } else { 0o777 };
        fs::DirBuilder::new().recursive(true).mode(folder_mode).create(folder)?;
        let mut written = NewFile::write(path, bytes, mode);
        match &mut written {
            Ok(new) => new.has_new_folder = has_new_folder,
            Err(_) if has_new_folder => drop(fs::remove_dir(folder)),
            Err(_) => {}
        }
        written
    }

    fn open(path: &Path, mode: Mode) -> io::Result<(Self, fs::File)> {
        static N_OPENED: AtomicU32 = AtomicU32::new(0);
        let n = N_OPENED.fetch_add(1, Ordering::Relaxed);
        let name = format!(".{}{MARK}{}-{n}", name_of(path), std::process::id());
        let temporary = folder_of(path).join(name);
        // Left behind by an earlier process with the same number.
        let _ = fs::remove_file(&temporary);
        let opened_with = match mode {
            Mode::Exact(_) => 0o600,
            Mode::Kept(bits) => bits,
        };
        let file =
            without_links().write(true).create_new(true).mode(opened_with).open(&temporary)?;
        // From here on the file is removed if anything fails.
        let path = path.to_owned();
        let new = NewFile { temporary, path, has_new_folder: false, is_placed: false };
        match (mode, fs::metadata(&new.path)) {
            (Mode::Exact(bits), _) => file.set_permissions(Permissions::from_mode(bits))?,
            (Mode::Kept(_), Ok(old)) => {
                file.set_permissions(Permissions::from_mode(old.mode() & 0o7777))?;
                // Needed, and possible, only for a process of another user.
                let _ = fchown(&file, Some(old.uid()), Some(old.gid()));
            }
            (Mode::Kept(_), Err(_)) => {}
        }
        Ok((new, file))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the old content's place, on the disk too.
    pub fn place(mut self) -> io::Result<()> {
        self.rename()?;
        sync_folder_of(&self.path)
    }

    /// Takes a place in which nothing is: `AlreadyExists` otherwise. The disk is not waited for.
    pub fn place_new(mut self) -> io::Result<()> {
        match fs::hard_link(&self.temporary, &self.path) {
            Ok(()) => {
                steps::note("place");
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            // A file system without links cannot promise it.
            Err(_) if fs::symlink_metadata(&self.path).is_err() => self.rename(),
            Err(_) => Err(ErrorKind::AlreadyExists.into()),
        }
    }

    fn rename(&mut self) -> io::Result<()> {
        steps::note("place");
        fs::rename(&self.temporary, &self.path)?;
        self.is_placed = true;
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if self.is_placed {
            return;
        }
        let _ = fs::remove_file(&self.temporary);
        if self.has_new_folder {
            let _ = fs::remove_dir(folder_of(&self.path));
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().unwrap_or(Path::new("."));
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// In which order the disk is asked for what: what a power cut leaves depends on it.
pub(crate) mod steps {
    #[cfg(test)]
    thread_local! {
        static STEPS: std::cell::RefCell<Vec<&'static str>> = const { std::cell::RefCell::new(Vec::new()) };
    }

    #[cfg(test)]
    pub(crate) fn note(step: &'static str) {
        STEPS.with_borrow_mut(|steps| steps.push(step));
    }

    #[cfg(not(test))]
    pub(crate) fn note(_step: &'static str) {}

    /// What was noted in this thread since the last call.
    #[cfg(test)]
    pub(crate) fn take() -> Vec<&'static str> {
        STEPS.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode_of(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_mode_is_kept_or_set() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        replace(&path, b"1", Mode::PRIVATE).unwrap();
        assert_eq!(mode_of(&path), 0o600);
        replace(&path, b"2", Mode::Kept(0o666)).unwrap();
        assert_eq!((mode_of(&path), fs::read(&path).unwrap()), (0o600, b"2".to_vec()));
        replace_unsynced(&path, b"3", Mode::Exact(0o646)).unwrap();
        assert_eq!((mode_of(&path), fs::read(&path).unwrap()), (0o646, b"3".to_vec()));
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_link_is_replaced_and_its_target_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        replace(&link, b"new", Mode::PRIVATE).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "old");
        assert!(!fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn what_is_not_placed_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("a");
        assert!(replace(&path, b"1", Mode::PRIVATE).is_err(), "the folder is missing");
        let new = NewFile::write_with_folder(&path, b"1", Mode::PRIVATE).unwrap();
        assert_eq!(mode_of(path.parent().unwrap()), 0o700);
        assert!(is_unplaced(&names(path.parent().unwrap())[0]));
        drop(new);
        assert!(names(folder.path()).is_empty());
        // A folder cannot be replaced by a file.
        fs::create_dir_all(path.join("full")).unwrap();
        assert!(replace(&path, b"1", Mode::PRIVATE).is_err());
        assert_eq!(names(path.parent().unwrap()), ["a"]);
    }

    #[test]
    fn only_what_was_left_of_this_file_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let left = ["a.hardwon-7", ".a.hardwon-7-0"];
        let others = ["a", ".b.hardwon-7-0", "a.hardwon", "b.a.hardwon-7"];
        left.iter()
            .chain(&others)
            .for_each(|name| fs::write(folder.path().join(name), "").unwrap());
        sweep(&folder.path().join("a"));
        let mut found = names(folder.path());
        found.sort();
        let mut expected = others.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected);
        assert!(left.iter().all(|name| is_unplaced(name)));
        assert!(!["a", "a.hardwon-x", "a.hardwon-"].iter().any(|name| is_unplaced(name)));
    }
}
