//! A program of the user's that is asked: in an empty folder, with its own login, with our hooks
//! switched off, the words on standard input.

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use hardwon_core::voice::MARKED_SHELLS;
use hardwon_engine::REFLECTING;
use hardwon_engine::model::{NoAnswer, Request};
use hardwon_store::files::{self, Mode};
use tempfile::TempDir;

use super::MAX_TIME;
use super::process::{Broken, Ended, code_text, run};
use super::quote::quote;

/// Folders of one question; both are gone when it is answered.
pub(super) struct Folders {
    /// Where the program runs: empty.
    pub empty: TempDir,
    /// What it is handed as files.
    pub files: TempDir,
}

impl Folders {
    /// Folders with one file that the program is handed.
    pub(super) fn with(name: &str, text: &str) -> Result<Self, NoAnswer> {
        let folder = || tempfile::Builder::new().prefix("hardwon-").tempdir();
        let make = || -> io::Result<Self> {
            let folders = Folders { empty: folder()?, files: folder()? };
            let path = folders.files.path().join(name);
            files::replace_unsynced(&path, text.as_bytes(), Mode::PRIVATE)?;
            Ok(folders)
        };
        make().map_err(|error| NoAnswer::free(format!("no temporary folder can be made: {error}")))
    }
}

/// The program, without what would make it ask with a key that is paid by the token, or take
/// itself for a part of the session in which we are called.
pub(super) fn command(program: &Path, folders: &Folders, keys: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folders.empty.path()).env(REFLECTING, "1");
    for variable in MARKED_SHELLS.iter().map(|(name, _)| name).chain(keys) {
        command.env_remove(variable);
    }
    command
}

pub(super) fn ask(
    command: &mut Command,
    words: &str,
    request: &Request,
    name: &str,
) -> Result<Ended, NoAnswer> {
    let until = Instant::now() + request.limits.time.min(MAX_TIME);
    run(command, words.as_bytes(), until).map_err(|broken| match broken {
        Broken::NotStarted(error) if error.kind() == io::ErrorKind::NotFound => {
            NoAnswer::free(format!("`{name}` is not installed, or not on PATH"))
        }
        Broken::NotStarted(_) => NoAnswer::free(format!("`{name}` {broken}")),
        Broken::Late | Broken::Flood => NoAnswer::failed(format!("`{name}` {broken}"), None),
    })
}

/// What a program means that ends without an answer. One that does not know its own arguments
/// has sent nothing.
pub(super) fn ended_badly(ended: &Ended, request: &Request, name: &str) -> NoAnswer {
    let quote = quote(&String::from_utf8_lossy(&ended.stderr), None, &request.text);
    let said = if quote.is_empty() { String::new() } else { format!(": {quote}") };
    let is_old = ["unknown option", "unexpected argument", "unrecognized"];
    if is_old.iter().any(|sign| quote.contains(sign)) {
        return NoAnswer::free(format!("`{name}` is too old or too new for this{said}"));
    }
    NoAnswer::failed(format!("`{name}` ended with {}{said}", code_text(ended.code)), None)
}
