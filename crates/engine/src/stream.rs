//! The stream of what happens to memory: lines in a file of the data folder. Writers
//! never wait for readers; nothing is opened while nothing happens.
//!
//! A full file becomes the earlier half of the stream by a rename, so that no reader loses a
//! line that is just being written.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use hardwon_render::answer::{Message, kept_event, parse_event};
use hardwon_store::files;

use crate::place::Environment;

/// The newer half of the stream, in the data folder.
pub(crate) const FILE: &str = "events.jsonl";

/// The older half.
pub(crate) const OLDER: &str = "events.1.jsonl";

/// The file becomes the older half when it grows beyond this.
pub(crate) const MAX_BYTES: u64 = 512 << 10;

/// In so many bytes at the end of a file is its last whole line, whatever it names.
const TAIL: u64 = 16 << 10;

/// How often a writer looks whether it may have the stream for itself, and how long it waits in
/// between. One that was stopped in the middle of it holds up nobody for longer.
const N_LOOKS: u32 = 25;
const BETWEEN: Duration = Duration::from_millis(2);

/// Where messages go.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    folder: PathBuf,
}

impl Stream {
    /// The stream of the data folder; none if no folder is known.
    pub(crate) fn of(environment: &Environment) -> Option<Stream> {
        Some(Stream { folder: environment.data_folder().ok()? })
    }

    /// Appends all of them at once, numbered on from the last one.
    pub(crate) fn append(&self, mut messages: Vec<Message>) -> io::Result<()> {
        let (mut file, is_alone) = self.newer_half()?;
        if is_alone {
            let last = self.last_number(&mut file)?;
            for (number, message) in (last + 1..).zip(&mut messages) {
                message.number = Some(number);
            }
        }
        // Whatever was torn off before stays a line of its own.
        let lines = messages.iter().map(|message| format!("{}\n", kept_event(message)));
        let lines = format!("\n{}", lines.collect::<String>());
        file.write_all(lines.as_bytes())?;
        let is_full = is_alone && file.metadata()?.len() > MAX_BYTES;
        if is_full {
            files::rename(&self.folder.join(FILE), &self.folder.join(OLDER))
        } else {
            Ok(())
        }
    }

    /// The newer half, and whether this process has it for itself until it is closed. Whoever
    /// waited may find that it has become the older half meanwhile.
    fn newer_half(&self) -> io::Result<(File, bool)> {
        let path = self.folder.join(FILE);
        for _ in 0..N_LOOKS {
            let file = files::open_or_make(&path)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => return Ok((file, true)),
                Ok(()) => continue,
                Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN),
                // No locks here: lines have no numbers.
                Err(TryLockError::Error(_)) => return Ok((file, false)),
            }
        }
        Ok((files::open_or_make(&path)?, false))
    }

    /// The number of the newest line, 0 before the first.
    fn last_number(&self, newer: &mut File) -> io::Result<u64> {
        let found = last_in(newer)?;
        let older = || last_in(&mut files::open_plain(&self.folder.join(OLDER)).ok()?).ok()?;
        Ok(found.or_else(older).unwrap_or(0))
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    let inode = |about: io::Result<fs::Metadata>| about.ok().map(|about| about.ino());
    inode(file.metadata()) == inode(fs::symlink_metadata(path))
}

/// The number of the last line that has one. Lines in between may have none: they are few.
fn last_in(file: &mut File) -> io::Result<Option<u64>> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut end = Vec::new();
    file.take(TAIL).read_to_end(&mut end)?;
    let end = String::from_utf8_lossy(&end);
    Ok(end.lines().rev().find_map(|line| parse_event(line)?.number))
}
