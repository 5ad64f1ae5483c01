//! How are other programs' files read? A link is followed only to where the user's own files
//! are.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hardwon_engine::files::without_links;

/// Larger files are not settings.
const MAX_BYTES: u64 = 4 << 20;

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct ExistingFile {
    /// Where it really is, links followed.
    pub path: PathBuf,
    /// `None` if it is not there.
    pub text: Option<String>,
    /// No user may write it.
    pub is_read_only: bool,
}

/// Reads a file of settings; the reason if it is to be left alone. `roots` are the folders
/// out of which no link may lead.
pub fn read(path: &Path, roots: &[PathBuf]) -> Result<ExistingFile, String> {
    let real = real_path(path)?;
    if !roots.iter().any(|root| real.starts_with(root)) {
        return Err(format!(
            "it is a link to {}, which is not yours alone: put a copy of that file in the link's \
             place, and call it again",
            real.display()
        ));
    }
    let unreadable = |error: std::io::Error| format!("it cannot be read: {}", error.kind());
    let file = match without_links().read(true).open(&real) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(ExistingFile { path: real, text: None, is_read_only: false });
        }
        Err(error) => return Err(unreadable(error)),
    };
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    if metadata.len() > MAX_BYTES {
        return Err("it is too large for a settings file".to_owned());
    }
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(file, MAX_BYTES + 1), &mut bytes)
        .map_err(unreadable)?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    Ok(ExistingFile { path: real, text: Some(text), is_read_only: metadata.mode() & 0o222 == 0 })
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
