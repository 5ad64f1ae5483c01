//! Several files that are replaced together. The disk is the slow part: it is waited for once for
//! many contents, and once for each folder, instead of twice for each file.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use super::place::{folder_of, sync};
use super::{Mode, NewFile, Place, filled, steps};

/// Contents that lie ready at once: each keeps two files open.
const AT_ONCE: usize = 64;
/// So many are waited for one by one: whatever else the file system has to write can wait.
const ONE_BY_ONE: usize = 3;

/// What could not be written, and why.
pub type Failed = (PathBuf, io::Error);

/// Replaces or makes files; their folders are made if they are missing. When this returns all of
/// them are on the disk. After a crash each is the old one or the new one, in no order.
pub fn replace_all(contents: &[(Place, &[u8], Mode)]) -> Result<(), Failed> {
    let mut folders: Vec<(PathBuf, OwnedFd)> = Vec::new();
    for some in contents.chunks(AT_ONCE) {
        let mut ready: Vec<(NewFile, File)> = Vec::new();
        for (place, bytes, mode) in some {
            let opened = NewFile::open_with_folder(place.clone(), *mode);
            let written = opened.and_then(|new| filled(new, bytes));
            ready.push(written.map_err(|error| (place.path().to_owned(), error))?);
        }
        wait_for(&ready)?;
        for (mut new, _) in ready {
            steps::note("place");
            new.rename().map_err(|error| (new.path().to_owned(), error))?;
            let folder = folder_of(new.path()).to_owned();
            if !folders.iter().any(|(known, _)| *known == folder) {
                let held = new.folder.try_clone().map_err(|error| (folder.clone(), error))?;
                folders.push((folder, held));
            }
        }
    }
    for (path, folder) in folders {
        steps::note("sync folder");
        sync(&folder).map_err(|error| (path, error))?;
    }
    Ok(())
}

/// Waits until the contents are on the disk.
fn wait_for(ready: &[(NewFile, File)]) -> Result<(), Failed> {
    let is_many = ready.len() > ONE_BY_ONE;
    if is_many && ready.iter().all(|(_, file)| is_beside(file, &ready[0].1)) {
        steps::note("sync files");
        if wait_for_all(&ready[0].1) {
            return Ok(());
        }
    }
    for (new, file) in ready {
        steps::note("sync file");
        file.sync_all().map_err(|error| (new.path().to_owned(), error))?;
    }
    Ok(())
}

/// Whether two files lie in one file system.
fn is_beside(one: &File, other: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |file: &File| file.metadata().ok().map(|about| about.dev());
    device(one).is_some() && device(one) == device(other)
}

/// Waits for everything in the file system of this file; false where that cannot be asked for.
#[cfg(target_os = "linux")]
fn wait_for_all(file: &File) -> bool {
    rustix::fs::syncfs(file).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn wait_for_all(_: &File) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No name comes before its content, and no folder is waited for twice.
    #[test]
    fn the_disk_is_waited_for_once() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| Place::below(folder.path(), &folder.path().join(name));
        let names = |n: usize| (0..n).map(|n| format!("{}/{n}.json", n % 2)).collect::<Vec<_>>();
        for (n, waits) in [(2, vec!["sync file"; 2]), (9, vec!["sync files"])] {
            let names = names(n);
            let contents: Vec<(Place, &[u8], Mode)> = names
                .iter()
                .map(|name| (place(name), name.as_bytes(), Mode::Exact(0o644)))
                .collect();
            steps::take();
            replace_all(&contents).unwrap();
            let expected = [vec!["write"; n], waits, vec!["place"; n], vec!["sync folder"; 2]];
            if cfg!(target_os = "linux") {
                assert_eq!(steps::take(), expected.concat());
            }
            for name in names {
                let there = std::fs::read(folder.path().join(&name)).unwrap();
                assert_eq!(there, name.as_bytes());
            }
        }
    }

    #[test]
    fn many_files_do_not_use_up_what_may_be_open() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..1500).map(|n| folder.path().join(n.to_string())).collect();
        let contents: Vec<(Place, &[u8], Mode)> =
            paths.iter().map(|path| (Place::own(path), &b"x"[..], Mode::PRIVATE)).collect();
        replace_all(&contents).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1500);
    }

    #[test]
    fn what_fails_is_named_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("b")).unwrap();
        let place = |name: &str| Place::below(folder.path(), &folder.path().join(name));
        let contents = ["a", "b"].map(|name| (place(name), &b"x"[..], Mode::Exact(0o644)));
        let (path, _) = replace_all(&contents).unwrap_err();
        assert!(path.ends_with("b"), "{}", path.display());
        let names = std::fs::read_dir(folder.path()).unwrap();
        let left = names.filter(|entry| entry.as_ref().unwrap().path().is_file()).count();
        assert_eq!(left, 1, "only the first, in its place");
    }
}
