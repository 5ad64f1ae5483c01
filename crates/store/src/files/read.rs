//! How is a file read that others may have put there? Only a plain file is opened, nothing
//! waits for a pipe, and never more is read than was asked for.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a plain file to read it. A link in its place is an error.
pub fn open_plain(path: &Path) -> io::Result<File> {
    open(path, libc::O_NOFOLLOW | libc::O_NONBLOCK)
}

/// The same, also by a link.
pub fn open_linked(path: &Path) -> io::Result<File> {
    open(path, libc::O_NONBLOCK)
}

fn open(path: &Path, flags: i32) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a plain file")) }
}

/// The content of a file, also by a link; an error if it is not a plain file or larger.
pub fn read_linked(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    bounded(open_linked(path)?, max_bytes)
}

pub(super) fn bounded(file: File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::other("the file is too large");
    if file.metadata()?.len() > max_bytes {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // It may be growing.
    file.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes { Err(too_large()) } else { Ok(bytes) }
}

/// The start of a file, at most so many bytes of it.
pub fn head(path: &Path, max_bytes: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    open_plain(path)?.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The end of a file, at most so many bytes of it.
pub fn tail(path: &Path, max_bytes: u64) -> io::Result<String> {
    let mut file = open_plain(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(max_bytes)))?;
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
