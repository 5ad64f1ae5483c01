//! How are other programs' files read and written? A link is followed only to where the
//! user's own files are; a write is a new file that takes the old one's place, so that
//! nobody ever sees half of it.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Larger files are nobody's settings.
const MAX_BYTES: u64 = 4 << 20;

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct Found {
    /// Where it really is, links followed.
    pub path: PathBuf,
    /// `None` if it is not there.
    pub text: Option<String>,
    /// Nobody may write it.
    pub is_read_only: bool,
}

/// Reads a file of settings; the reason if it is to be left alone. `roots` are the folders
/// out of which no link may lead.
pub fn read(path: &Path, roots: &[PathBuf]) -> Result<Found, String> {
    let real = real_path(path)?;
    if !roots.iter().any(|root| real.starts_with(root)) {
        return Err(format!(
            "it is a link to {}, which is not yours alone: put a copy of that file in the link's \
             place, and call it again",
            real.display()
        ));
    }
    let told = |error: std::io::Error| format!("it cannot be read: {}", error.kind());
    let mut options = fs::OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = match options.open(&real) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Found { path: real, text: None, is_read_only: false });
        }
        Err(error) => return Err(told(error)),
    };
    let metadata = file.metadata().map_err(told)?;
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    if metadata.len() > MAX_BYTES {
        return Err("it is too large for a settings file".to_owned());
    }
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(file, MAX_BYTES + 1), &mut bytes)
        .map_err(told)?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    Ok(Found { path: real, text: Some(text), is_read_only: metadata.mode() & 0o222 == 0 })
}

/// The path without links. What is not there yet is placed into its folder's.
fn real_path(path: &Path) -> Result<PathBuf, String> {
    match fs::canonicalize(path) {
        Ok(real) => return Ok(real),
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(format!("it cannot be reached: {}", error.kind()));
        }
        Err(_) if fs::symlink_metadata(path).is_ok() => {
            return Err("it is a link to what is not there: remove the link".to_owned());
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

/// A new version of a file that lies ready beside it.
pub struct Ready {
    temporary: PathBuf,
    path: PathBuf,
    has_new_folder: bool,
    is_placed: bool,
}

impl Ready {
    /// Writes the new version, with the old one's mode and owner, else with this mode.
    /// Makes the folder if there is none.
    pub fn new(path: &Path, text: &str, mode: u32) -> std::io::Result<Ready> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let has_new_folder = !folder.exists();
        // Folders are for those who may read the file.
        let folder_mode = if mode & 0o077 == 0 { 0o700 } else { 0o777 };
        fs::DirBuilder::new().recursive(true).mode(folder_mode).create(folder)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let temporary = folder.join(format!(".{name}.hardwon-{}", std::process::id()));
        // From here on the folder and the file go again if anything fails.
        let ready = Ready { temporary, path: path.to_owned(), has_new_folder, is_placed: false };
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true).mode(mode);
        let mut file = options.open(&ready.temporary)?;
        if let Ok(old) = fs::metadata(path) {
            file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o7777))?;
            // Only those who run as somebody else have to, and only they can.
            let _ = std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()));
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        Ok(ready)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the old version's place.
    pub fn place(mut self) -> std::io::Result<()> {
        fs::rename(&self.temporary, &self.path)?;
        self.is_placed = true;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        // A file system that cannot do this has renamed all the same.
        let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        if self.is_placed {
            return;
        }
        let _ = fs::remove_file(&self.temporary);
        if let Some(folder) = self.path.parent().filter(|_| self.has_new_folder) {
            let _ = fs::remove_dir(folder);
        }
    }
}
