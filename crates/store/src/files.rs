//! The one place in which files are made. How is a file replaced so that no reader ever sees
//! half of it? The content is written beside the file, as a new file, and takes its place by a
//! rename: a reader, also after a crash, finds the old file or the new one. A link in the file's
//! place is replaced, not followed; whether links lead to its folder is decided by the [`Place`].

pub mod as_text;
mod place;
mod read;
pub(crate) mod steps;
#[cfg(test)]
mod tests;
mod together;

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, OFlags};
use rustix::io::Errno;

use place::{MadeFolder, folder_of, is_plain_file, sync};

pub use as_text::{path_text, text_path};
pub use place::{Place, real_path};
pub use read::{head, open_linked, open_plain, read_linked, tail};
pub use together::{Failed, replace_all};

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
pub fn replace(place: impl Into<Place>, bytes: &[u8], mode: Mode) -> io::Result<()> {
    NewFile::write(place, bytes, mode)?.place()
}

/// The same without waiting for the disk: after a crash the file may be empty. For what is
/// written on the hot path and may be lost.
pub fn replace_unsynced(place: impl Into<Place>, bytes: &[u8], mode: Mode) -> io::Result<()> {
    NewFile::write_unsynced(place, bytes, mode)?.rename()
}

/// Renames a file that was written beside its place. When this returns it is on the disk.
pub fn place_written(written: &Path, path: &Path) -> io::Result<()> {
    open_plain(written)?.sync_all()?;
    rename(written, path)?;
    Place::own(path).sync_folder()
}

/// Gives a file of the user's own another name.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Gives a file a second name; where that cannot be, another one.
pub fn name_also(path: &Path, second: &Path) -> io::Result<()> {
    fs::hard_link(path, second).or_else(|_| fs::rename(path, second))
}

/// Whether this is the name of a file that was being written; for cleaning up.
pub fn is_unplaced(name: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    // A database has files beside it.
    let name = ["-wal", "-shm"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    name.rsplit_once(MARK).is_some_and(|(_, numbers)| numbers.split('-').all(is_number))
}

/// Removes what killed processes left of new contents for this file. Only where no other
/// process can be writing it.
pub fn sweep(place: impl Into<Place>) {
    let place = place.into();
    let prefix = format!("{}{MARK}", place.name().to_string_lossy());
    // Older versions did not hide them.
    remove_beside(&place, |name| name.strip_prefix('.').unwrap_or(name).starts_with(&prefix));
}

/// The same for every file in the folder of this one.
pub fn sweep_beside(place: impl Into<Place>) {
    remove_beside(&place.into(), is_unplaced);
}

fn remove_beside(place: &Place, is_removed: impl Fn(&str) -> bool) {
    for name in place.names_beside() {
        if is_removed(&name.to_string_lossy()) {
            let _ = place.beside(&name).remove();
        }
    }
}

/// Makes a folder of the user's own, for the user alone.
pub fn make_private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes an empty file for the user alone; an error if there is anything under its name. Its
/// folder is made if it is missing.
pub fn make_new(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let made = options.open(path).or_else(|error| match error.kind() {
        ErrorKind::NotFound => {
            make_private_folder(folder_of(path))?;
            options.open(path)
        }
        _ => Err(error),
    });
    made.map(drop)
}

/// Sets who may do what with a file or folder, through the folder that is held open. A link, and
/// a file that has a second name, are refused: that name may be anywhere.
pub fn set_mode(place: &Place, mode: u32) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let none = rustix::fs::Mode::empty();
    let file = File::from(rustix::fs::openat(place.folder()?, place.name(), flags, none)?);
    let about = file.metadata()?;
    if !about.is_dir() && about.nlink() > 1 {
        return Err(io::Error::other("it has another name elsewhere"));
    }
    file.set_permissions(Permissions::from_mode(mode))
}

/// Opens a file to lock it; it is made if it is missing. Nothing is written to it.
pub fn open_lock(place: impl Into<Place>, mode: u32) -> io::Result<File> {
    open_to_append(&place.into(), mode)
}

/// Notes in a file, as the time of its last change, that its holder has it now.
pub fn touch(file: &File) {
    let _ = file.set_modified(std::time::SystemTime::now());
}

/// Appends text in one write, so that lines of several processes do not mix, and gives the open
/// file. The file and its folder are made for the user alone.
pub fn append(place: impl Into<Place>, text: &str) -> io::Result<File> {
    append_to(&place.into(), text.as_bytes(), 0o600)
}

/// The same with another mode for a file that is made. In a checkout, a file that has a second
/// name is replaced by a copy first: that name may be anywhere. In the user's own folders it is
/// not: a file that is just being renamed has two names for a moment.
pub fn append_to(place: &Place, bytes: &[u8], mode: u32) -> io::Result<File> {
    let mut file = open_to_append(place, mode)?;
    if !place.is_own() && file.metadata()?.nlink() > 1 {
        let mut content = Vec::new();
        open_at(place, OFlags::RDONLY, 0)?.read_to_end(&mut content)?;
        NewFile::write(place, &content, Mode::Kept(mode))?.place()?;
        file = open_to_append(place, mode)?;
    }
    file.write_all(bytes)?;
    Ok(file)
}

/// The content of a file; an error if it is larger or not a plain one. A link in its place is
/// followed only if the place is the user's own.
pub fn read(place: &Place, max_bytes: u64) -> io::Result<Vec<u8>> {
    if place.is_own() {
        return read_linked(place.path(), max_bytes);
    }
    let is_link = |error: &io::Error| error.raw_os_error() == Some(libc::ELOOP);
    match open_at(place, OFlags::RDONLY, 0) {
        Err(error) if is_link(&error) => Err(io::Error::other("a link is not followed there")),
        opened => read::bounded(opened?, max_bytes),
    }
}

/// Opens a queued job, or another file that its reader adds to; it has to be there.
pub fn open_to_add(path: &Path) -> io::Result<File> {
    open_at(&Place::own(path), OFlags::RDWR | OFlags::APPEND, 0)
}

/// The same; the file and its folder are made, for the user alone, if they are not there.
pub fn open_or_make(path: &Path) -> io::Result<File> {
    open_or_make_at(&Place::own(path), OFlags::RDWR, 0o600)
}

fn open_to_append(place: &Place, mode: u32) -> io::Result<File> {
    open_or_make_at(place, OFlags::WRONLY, mode)
}

fn open_or_make_at(place: &Place, access: OFlags, mode: u32) -> io::Result<File> {
    let flags = access | OFlags::APPEND | OFlags::CREATE;
    match open_at(place, flags, mode) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            place.make_folder(folder_mode(mode))?;
            open_at(place, flags, mode)
        }
        opened => opened,
    }
}

/// Opens a plain file; a link is an error, and a pipe does not block.
fn open_at(place: &Place, flags: OFlags, mode: u32) -> io::Result<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mode = rustix::fs::Mode::from_raw_mode(mode);
    let file = File::from(rustix::fs::openat(place.folder()?, place.name(), flags, mode)?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a plain file")) }
}

/// Of a folder that is made for a file with this mode.
fn folder_mode(mode: u32) -> u32 {
    if mode & 0o077 == 0 { 0o700 } else { 0o777 }
}

/// A new content that lies ready beside its file. It is removed unless it is placed.
#[derive(Debug)]
pub struct NewFile {
    place: Place,
    /// Held open, so that it is the same folder when the content is placed.
    folder: OwnedFd,
    temporary: OsString,
    new_folder: Option<MadeFolder>,
    is_placed: bool,
}

impl NewFile {
    /// Writes the content, to the disk. The folder has to be there.
    pub fn write(place: impl Into<Place>, bytes: &[u8], mode: Mode) -> io::Result<Self> {
        synced(filled(NewFile::open(place.into(), mode)?, bytes)?)
    }

    /// The same without waiting for the disk.
    pub fn write_unsynced(place: impl Into<Place>, bytes: &[u8], mode: Mode) -> io::Result<Self> {
        Ok(filled(NewFile::open(place.into(), mode)?, bytes)?.0)
    }

    /// The same, and makes a missing folder, readable for those who may read the file. If the
    /// content is not placed, a folder that was made for it is removed.
    pub fn write_with_folder(
        place: impl Into<Place>,
        bytes: &[u8],
        mode: Mode,
    ) -> io::Result<Self> {
        synced(filled(NewFile::open_with_folder(place.into(), mode)?, bytes)?)
    }

    fn open_with_folder(place: Place, mode: Mode) -> io::Result<(Self, File)> {
        let (Mode::Exact(bits) | Mode::Kept(bits)) = mode;
        let (_, made) = place.make_folder(folder_mode(bits))?;
        let mut opened = NewFile::open(place, mode);
        match (&mut opened, made) {
            (Ok((new, _)), made) => new.new_folder = made,
            (Err(_), Some(made)) => made.remove(),
            (Err(_), None) => {}
        }
        opened
    }

    fn open(place: Place, mode: Mode) -> io::Result<(Self, File)> {
        static N_OPENED: AtomicU32 = AtomicU32::new(0);
        let n = N_OPENED.fetch_add(1, Ordering::Relaxed);
        let (name, process) = (place.name().to_string_lossy(), std::process::id());
        let temporary = OsString::from(format!(".{name}{MARK}{process}-{n}"));
        let folder = place.folder()?;
        // Left behind by an earlier process with the same number, or planted.
        let _ = rustix::fs::unlinkat(&folder, &temporary, AtFlags::empty());
        let opened_with = match mode {
            Mode::Exact(_) => 0o600,
            Mode::Kept(bits) => bits,
        };
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened_with = rustix::fs::Mode::from_raw_mode(opened_with);
        let file = File::from(rustix::fs::openat(&folder, &temporary, flags, opened_with)?);
        // From here on the file is removed if anything fails.
        let old = place.stat(&folder).filter(is_plain_file);
        let new = NewFile { place, folder, temporary, new_folder: None, is_placed: false };
        match (mode, old) {
            (Mode::Exact(bits), _) => file.set_permissions(Permissions::from_mode(bits))?,
            (Mode::Kept(_), Some(old)) => {
                file.set_permissions(Permissions::from_mode(old.st_mode & 0o7777))?;
                // Needed, and possible, only for a process of another user.
                let _ = fchown(&file, Some(old.st_uid), Some(old.st_gid));
            }
            (Mode::Kept(_), None) => {}
        }
        Ok((new, file))
    }

    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// Takes the old content's place, on the disk too.
    pub fn place(mut self) -> io::Result<()> {
        self.rename()?;
        sync(&self.folder)
    }

    /// Takes the place only if nothing is there: of two processes that do it at once, one wins.
    pub fn place_first(self) -> io::Result<()> {
        steps::note("place");
        let (folder, name) = (&self.folder, self.place.name());
        Ok(rustix::fs::linkat(folder, &self.temporary, folder, name, AtFlags::empty())?)
    }

    /// Where the content lies until it is placed.
    pub(crate) fn written(&self) -> PathBuf {
        self.place.path().with_file_name(&self.temporary)
    }

    /// Takes its place, on the disk too, unless a file is there by now (`AlreadyExists`).
    pub(crate) fn place_if_new(mut self) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let none = rustix::fs::Mode::empty();
        steps::note("sync file");
        File::from(rustix::fs::openat(&self.folder, &self.temporary, flags, none)?).sync_all()?;
        let (folder, name) = (&self.folder, self.place.name());
        steps::note("place");
        match rustix::fs::linkat(folder, &self.temporary, folder, name, AtFlags::empty()) {
            Ok(()) => {}
            // A file system without links: a rename would replace what somebody else made.
            Err(Errno::PERM | Errno::NOTSUP | Errno::NOSYS) if !self.place.path().exists() => {
                self.rename()?;
            }
            Err(error) => return Err(error.into()),
        }
        steps::note("sync folder");
        sync(&self.folder)
    }

    fn rename(&mut self) -> io::Result<()> {
        let folder = &self.folder;
        rustix::fs::renameat(folder, &self.temporary, folder, self.place.name())?;
        self.is_placed = true;
        Ok(())
    }
}

fn filled((new, mut file): (NewFile, File), bytes: &[u8]) -> io::Result<(NewFile, File)> {
    steps::note("write");
    file.write_all(bytes)?;
    Ok((new, file))
}

fn synced((new, file): (NewFile, File)) -> io::Result<NewFile> {
    steps::note("sync file");
    file.sync_all()?;
    Ok(new)
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if self.is_placed {
            return;
        }
        let _ = rustix::fs::unlinkat(&self.folder, &self.temporary, AtFlags::empty());
        if let Some(folder) = &self.new_folder {
            folder.remove();
        }
    }
}
