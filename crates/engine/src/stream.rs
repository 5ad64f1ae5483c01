//! The stream of what happens to memory: lines in a file of the data folder. Writers
//! never wait for readers; nothing is opened while nothing happens.
//!
//! A full file becomes the earlier half of the stream by a rename, so that no reader loses a
//! line that is just being written.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use hardwon_render::answer::{Message, kept_event};
use hardwon_store::files;

use crate::place::Environment;

/// The newer half of the stream, in the data folder.
pub(crate) const FILE: &str = "events.jsonl";

/// The older half.
pub(crate) const OLDER: &str = "events.1.jsonl";

/// The file becomes the older half when it grows beyond this.
pub(crate) const MAX_BYTES: u64 = 512 << 10;

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

    /// Appends all of them at once.
    pub(crate) fn append(&self, messages: &[Message]) -> std::io::Result<()> {
        // Whatever was torn off before stays a line of its own.
        let lines = messages.iter().map(|message| format!("{}\n", kept_event(message)));
        let lines = format!("\n{}", lines.collect::<String>());
        let file = files::append(&self.folder.join(FILE), &lines)?;
        if file.metadata()?.len() > MAX_BYTES { self.turn(&file) } else { Ok(()) }
    }

    /// The full file becomes the older half. Only one of several writers does it, and only
    /// if the file is still the one that it found full.
    fn turn(&self, full: &File) -> std::io::Result<()> {
        if full.try_lock().is_err() {
            return Ok(());
        }
        let path = self.folder.join(FILE);
        let is_still_there = fs::symlink_metadata(&path)?.ino() == full.metadata()?.ino();
        if is_still_there { files::rename(&path, &self.folder.join(OLDER)) } else { Ok(()) }
    }
}
