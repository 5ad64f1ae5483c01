//! How is a program of the user's asked? In an empty folder, with its own login, with our hooks
//! switched off, the words on standard input.

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use hardwon_core::voice::MARKED_SHELLS;
use hardwon_engine::REFLECTING;
use hardwon_engine::model::{NoAnswer, Request};

use tempfile::TempDir;

use super::failure::{lost, not_sent, unusable};
use super::http::MAX_TIME;
use super::process::{Broken, Ended, run};

/// Folders of one question; both are gone when it is answered.
pub(super) struct Folders {
    /// Where the program runs: empty.
    pub empty: TempDir,
    /// What it is handed as files.
    pub files: TempDir,
}

impl Folders {
    pub(super) fn new() -> Result<Self, NoAnswer> {
        let make = || -> io::Result<Self> {
            let folder = || tempfile::Builder::new().prefix("hardwon-").tempdir();
            Ok(Folders { empty: folder()?, files: folder()? })
        };
        make().map_err(|error| not_sent(format!("no temporary folder can be made: {error}")))
    }
}

/// The program, without what would make it ask with a key that is paid by the token, or take
/// itself for a part of the session in which we are called.
pub(super) fn command(program: &Path, folder: &Path, keys: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env(REFLECTING, "1");
    for variable in MARKED_SHELLS.iter().map(|(name, _)| name).chain(keys) {
        command.env_remove(variable);
    }
    command
}

/// Everything that was said, as one text. `system` comes first where the program has no place of
/// its own for it.
pub(super) fn words(request: &Request, system: &str) -> String {
    let mut text = String::new();
    if !system.is_empty() {
        text = format!("{system}\n\n");
    }
    if let [message] = request.messages.as_slice() {
        return text + &message.text;
    }
    for message in &request.messages {
        text += if message.is_models { "You answered:\n" } else { "You were asked:\n" };
        text += &message.text;
        text += "\n\n";
    }
    text
}

/// Runs it to its end.
pub(super) fn ask(
    command: &mut Command,
    words: &str,
    time: Duration,
    name: &str,
) -> Result<Ended, NoAnswer> {
    let until = Instant::now() + time.min(MAX_TIME);
    run(command, words.as_bytes(), until).map_err(|broken| match broken {
        Broken::NotStarted(error) if error.kind() == io::ErrorKind::NotFound => {
            not_sent(format!("`{name}` is not installed, or not on PATH"))
        }
        Broken::NotStarted(error) => not_sent(format!("`{name}` cannot be started: {error}")),
        Broken::Late => lost(format!("`{name}` did not answer in time")),
        Broken::Flood => unusable(format!("`{name}` printed more than 1 MiB"), None),
    })
}

/// What a program means that ends without an answer. One that does not know its own arguments
/// has sent nothing.
pub(super) fn ended_badly(ended: &Ended, quote: &str, name: &str) -> NoAnswer {
    let code = ended.code.map_or("a signal".to_owned(), |code| code.to_string());
    let said = if quote.is_empty() { String::new() } else { format!(": {quote}") };
    let is_old = ["unknown option", "unexpected argument", "unrecognized"];
    if is_old.iter().any(|sign| quote.contains(sign)) {
        return not_sent(format!("`{name}` is too old or too new for this{said}"));
    }
    lost(format!("`{name}` ended with {code}{said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_session_of_its_own_without_our_keys() {
        let command = command(Path::new("claude"), Path::new("/"), &["ANTHROPIC_API_KEY"]);
        let variables: Vec<_> = command.get_envs().collect();
        let is = |name: &str, value: Option<&str>| {
            variables.contains(&(name.as_ref(), value.map(AsRef::as_ref)))
        };
        assert!(is("HARDWON_REFLECTING", Some("1")));
        for name in ["ANTHROPIC_API_KEY", "CLAUDECODE", "CODEX_THREAD_ID", "AI_AGENT"] {
            assert!(is(name, None), "{name} is taken away");
        }
        assert_eq!(command.get_current_dir(), Some(Path::new("/")));
    }
}
