//! How are other programs' files read? A link is followed only to where the user's own files
//! are.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hardwon_engine::files::{Place, open_plain, real_path};

const MAX_BYTES: u64 = 4 << 20;

#[derive(Clone, Debug)]
pub struct ExistingFile {
    /// Where it really is, links followed: from here on none is.
    pub place: Place,
    /// `None` if it is not there.
    pub text: Option<String>,
    /// No user may write it.
    pub is_read_only: bool,
}

/// Reads a file of settings; the reason if it is to be left alone. `roots` are the folders
/// out of which no link may lead.
pub fn read(path: &Path, roots: &[PathBuf]) -> Result<ExistingFile, String> {
    let real = real_path(path).map_err(unreachable)?;
    let Some(root) = roots.iter().find(|root| real.starts_with(root)) else {
        return Err(format!(
            "it is a link to {}, which is not yours alone: put a copy of that file in the link's \
             place, and call it again",
            real.display()
        ));
    };
    let place = Place::below(root, &real);
    let unreadable = |error: std::io::Error| format!("it cannot be read: {}", error.kind());
    let file = match open_plain(&real) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(ExistingFile { place, text: None, is_read_only: false });
        }
        Err(error) if error.kind() == ErrorKind::Other => return Err("it is no file".to_owned()),
        Err(error) => return Err(unreadable(error)),
    };
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.len() > MAX_BYTES {
        return Err("it is too large for a settings file".to_owned());
    }
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(file, MAX_BYTES + 1), &mut bytes)
        .map_err(unreadable)?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    Ok(ExistingFile { place, text: Some(text), is_read_only: metadata.mode() & 0o222 == 0 })
}

fn unreachable(error: std::io::Error) -> String {
    match error.kind() {
        ErrorKind::Other => error.to_string(),
        kind => format!("it cannot be reached: {kind}"),
    }
}
