//! Where does a file belong, and does it really lie there? A place of the user's own is taken
//! as it is named. In a checkout nobody knows who made the folders: no link is followed below
//! its root, and the folder is held open while a file in it is written, so a folder that is
//! swapped for a link meanwhile leads nowhere.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

/// A place for one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Below this no link is followed; `None` for a place of the user's own.
    root: Option<PathBuf>,
    path: PathBuf,
    /// Whether a reader follows a link in the file's own place.
    may_be_link: bool,
}

/// A folder that was made for a file: the one above it, held open, and its name.
#[derive(Debug)]
pub(super) struct MadeFolder {
    above: OwnedFd,
    name: OsString,
}

impl Place {
    /// Of the user's own: its folder may be reached by links.
    pub fn own(path: impl Into<PathBuf>) -> Self {
        Place { root: None, path: path.into(), may_be_link: true }
    }

    /// Below a folder, no part of the way a link.
    pub fn below(root: &Path, path: &Path) -> Self {
        Place { root: Some(root.to_owned()), path: path.to_owned(), may_be_link: false }
    }

    /// As a user who works in a checkout named it: a link in that checkout may lead to another
    /// part of it, and not out of it. What was named outside of it is the user's own.
    pub fn named_in(checkout: &Path, path: &Path) -> io::Result<Self> {
        let real_root = fs::canonicalize(checkout).unwrap_or_else(|_| checkout.to_owned());
        let named = plain(path);
        let is_below = named.starts_with(plain(checkout)) || named.starts_with(&real_root);
        let (true, Some(folder), Some(name)) = (is_below, named.parent(), named.file_name()) else {
            return Ok(Place { may_be_link: false, ..Place::own(path) });
        };
        let real = real_path(folder)?.join(name);
        if !real.starts_with(&real_root) {
            return Err(leads_out(&named));
        }
        Ok(Place::below(&real_root, &real))
    }

    /// Refuses a path that a user who works in a checkout named, if it or any part of its way is
    /// a link out of that checkout: for files that others open.
    pub fn check_named_in(checkout: &Path, path: &Path) -> io::Result<()> {
        match Place::named_in(checkout, path)?.root {
            Some(root) if !real_path(path)?.starts_with(&root) => Err(leads_out(path)),
            Some(_) | None => Ok(()),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is a place of the user's own.
    pub fn is_own(&self) -> bool {
        self.may_be_link
    }

    pub(super) fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    /// The same place with another name.
    #[must_use]
    pub fn beside(&self, name: impl AsRef<OsStr>) -> Self {
        Place { path: self.path.with_file_name(name.as_ref()), ..self.clone() }
    }

    /// Removes the file, or the link in its place.
    pub fn remove(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(self.folder()?, self.name(), AtFlags::empty())?)
    }

    /// Removes its folder if nothing is left in it.
    pub fn remove_folder(&self) -> io::Result<()> {
        let folder = Place { path: folder_of(&self.path).to_owned(), ..self.clone() };
        folder.remove_as_folder()
    }

    /// Makes a folder of this name, which must not be there yet.
    pub fn make_as_folder(&self) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(self.folder()?, self.name(), Mode::from_raw_mode(0o777))?)
    }

    /// Removes the empty folder of this name.
    pub fn remove_as_folder(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(self.folder()?, self.name(), AtFlags::REMOVEDIR)?)
    }

    /// Gives the file another name in the same folder.
    pub fn rename(&self, name: &OsStr) -> io::Result<()> {
        let folder = self.folder()?;
        Ok(rustix::fs::renameat(&folder, self.name(), &folder, name)?)
    }

    /// Waits until names in its folder are on the disk. A file system that cannot do this is
    /// not an error.
    pub fn sync_folder(&self) -> io::Result<()> {
        match self.folder() {
            Ok(folder) => sync(&folder),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// What lies under this name, a link as a link.
    pub(super) fn stat(&self, folder: &OwnedFd) -> Option<Stat> {
        rustix::fs::statat(folder, self.name(), AtFlags::SYMLINK_NOFOLLOW).ok()
    }

    /// The names in its folder; none if it cannot be read.
    pub(super) fn names_beside(&self) -> Vec<OsString> {
        use std::os::unix::ffi::OsStringExt;
        let entries = self.folder().ok().and_then(|folder| Dir::read_from(folder).ok());
        let entries = entries.into_iter().flatten().flatten();
        entries.map(|entry| OsString::from_vec(entry.file_name().to_bytes().to_vec())).collect()
    }

    /// Its folder, held open.
    pub(super) fn folder(&self) -> io::Result<OwnedFd> {
        match &self.root {
            None => Ok(open_folder(CWD, folder_of(&self.path).as_os_str(), OFlags::empty())?),
            Some(root) => self.walk(root, None).map(|(folder, _)| folder),
        }
    }

    /// The same; missing folders are made.
    pub(super) fn make_folder(&self, mode: u32) -> io::Result<(OwnedFd, Option<MadeFolder>)> {
        if let Some(root) = &self.root {
            return self.walk(root, Some(mode));
        }
        let folder = folder_of(&self.path);
        let is_new = !folder.exists();
        fs::DirBuilder::new().recursive(true).mode(mode).create(folder)?;
        let above = || open_folder(CWD, folder_of(folder).as_os_str(), OFlags::empty()).ok();
        let name = folder.file_name().filter(|_| is_new);
        let made = name.and_then(|name| Some(MadeFolder { above: above()?, name: name.into() }));
        Ok((self.folder()?, made))
    }

    fn walk(
        &self,
        root: &Path,
        made_with: Option<u32>,
    ) -> io::Result<(OwnedFd, Option<MadeFolder>)> {
        let way = folder_of(&self.path).strip_prefix(root).map_err(|_| leads_out(&self.path))?;
        let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        let mut folder = open_folder(CWD, root.as_os_str(), OFlags::empty())?;
        let mut made = None;
        for part in way.components() {
            let Component::Normal(name) = part else { return Err(leads_out(&self.path)) };
            let mut is_new = false;
            let mut next = open_folder(&folder, name, OFlags::NOFOLLOW);
            if let (Err(Errno::NOENT), Some(mode)) = (&next, made_with) {
                is_new = rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(mode)).is_ok();
                next = open_folder(&folder, name, OFlags::NOFOLLOW);
            }
            let next = next.map_err(|errno| match errno {
                Errno::LOOP | Errno::NOTDIR => is_no_folder(name),
                errno => errno.into(),
            })?;
            let above = std::mem::replace(&mut folder, next);
            made = is_new.then(|| MadeFolder { above, name: name.to_owned() });
        }
        Ok((folder, made))
    }
}

impl MadeFolder {
    /// Removes it if nothing is in it.
    pub(super) fn remove(&self) {
        let _ = rustix::fs::unlinkat(&self.above, &self.name, AtFlags::REMOVEDIR);
    }
}

impl From<&Path> for Place {
    fn from(path: &Path) -> Self {
        Place::own(path)
    }
}

impl From<&PathBuf> for Place {
    fn from(path: &PathBuf) -> Self {
        Place::own(path)
    }
}

impl From<&Place> for Place {
    fn from(place: &Place) -> Self {
        place.clone()
    }
}

/// The path without links; what is not there yet is placed into its folder's. A link to what
/// is not there is an error.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(real) => return Ok(real),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Err(_) if fs::symlink_metadata(path).is_ok() => {
            return Err(io::Error::other("it is a link to what is not there: remove the link"));
        }
        Err(_) => {}
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if !folder.as_os_str().is_empty() => {
            Ok(real_path(folder)?.join(name))
        }
        _ => Ok(path.to_owned()),
    }
}

pub(super) fn is_plain_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

/// A file system that cannot do this, and a folder that may not be read, are not errors.
pub(super) fn sync(folder: &OwnedFd) -> io::Result<()> {
    match rustix::fs::fsync(folder) {
        Err(Errno::INVAL | Errno::NOTSUP | Errno::BADF | Errno::ACCESS) | Ok(()) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().unwrap_or(Path::new("."));
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

fn open_folder(
    at: impl std::os::fd::AsFd,
    name: &OsStr,
    flags: OFlags,
) -> rustix::io::Result<OwnedFd> {
    let flags = flags | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = |flags| rustix::fs::openat(&at, name, flags, Mode::empty());
    match open(flags | OFlags::RDONLY) {
        // One that may be entered and not listed.
        #[cfg(target_os = "linux")]
        Err(Errno::ACCESS) => open(flags | OFlags::PATH),
        opened => opened,
    }
}

/// Without the dots in it, as it was written: links are not looked at.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

fn leads_out(path: &Path) -> io::Error {
    let reason = format!("{} leads out of the checkout by a link", path.display());
    io::Error::other(reason)
}

fn is_no_folder(name: &OsStr) -> io::Error {
    let reason = format!("{} is a link or not a folder: nothing is written there", name.display());
    io::Error::other(reason)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn below_a_root_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
        fs::create_dir_all(root.join("real")).unwrap();
        fs::create_dir(&outside).unwrap();
        symlink(&outside, root.join("link")).unwrap();
        symlink(root.join("real"), root.join("inside")).unwrap();
        let place = |name: &str| Place::below(&root, &root.join(name));
        assert!(place("real/a").folder().is_ok() && place("a").folder().is_ok());
        assert!(place("new/deep/a").folder().is_err());
        for refused in ["link/a", "inside/a", "link/new/a", "real/../a"] {
            assert!(place(refused).make_folder(0o777).is_err(), "{refused}");
        }
        let (_, made) = place("new/deep/a").make_folder(0o700).unwrap();
        made.unwrap().remove();
        assert!(root.join("new").is_dir() && !root.join("new/deep").exists());
        assert!(Place::below(&root, &outside.join("a")).folder().is_err());
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }

    #[test]
    fn what_is_named_in_a_checkout_stays_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        let (root, outside) = (base.join("root"), base.join("outside"));
        fs::create_dir_all(root.join("real")).unwrap();
        fs::create_dir(&outside).unwrap();
        symlink(&outside, root.join("link")).unwrap();
        symlink(root.join("real"), root.join("inside")).unwrap();
        symlink(base.join("gone"), root.join("dangling")).unwrap();
        let named = |name: &str| Place::named_in(&root, &root.join(name));
        assert_eq!(named("inside/a").unwrap(), Place::below(&root, &root.join("real/a")));
        assert_eq!(named("real/../x/a").unwrap(), Place::below(&root, &root.join("x/a")));
        for refused in ["link/a", "link/new/a", "dangling/a", "real/../link/a"] {
            assert!(named(refused).is_err(), "{refused}");
        }
        assert_eq!(named("../outside/a").unwrap().root, None, "the user named another folder");
        symlink(outside.join("b"), root.join("file")).unwrap();
        let check = |name: &str| Place::check_named_in(&root, &root.join(name));
        assert!(check("real/a").is_ok() && check("new/a").is_ok() && check("../outside/a").is_ok());
        assert!(check("file").is_err() && check("link/a").is_err());
        let beside = base.join("outside/a");
        assert_eq!(Place::named_in(&root, &beside).unwrap().root, None);
    }

    /// A folder that becomes a link after it was opened is still the same folder.
    #[test]
    fn a_folder_that_is_swapped_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
        fs::create_dir_all(root.join("real")).unwrap();
        fs::create_dir(&outside).unwrap();
        let path = root.join("real/a");
        use super::super::{Mode, NewFile};
        let new = NewFile::write(Place::below(&root, &path), b"1", Mode::PRIVATE);
        fs::rename(root.join("real"), root.join("moved")).unwrap();
        symlink(&outside, root.join("real")).unwrap();
        new.unwrap().place().unwrap();
        assert_eq!(fs::read(root.join("moved/a")).unwrap(), b"1");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}
