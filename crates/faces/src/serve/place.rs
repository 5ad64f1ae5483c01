//! What a server leaves in the data folder: the token of scripts, and where it listens.

use std::io;
use std::path::{Path, PathBuf};

use hardwon_engine::files::{self, Mode, Place};
use hardwon_engine::{EngineError, Environment};
use serde::{Deserialize, Serialize};

use super::keys::random;

const TOKEN: &str = "serve.token";
const STATUS: &str = "serve.json";
const MAX_BYTES: u64 = 4096;

/// The file with the token. Read for every request: whoever replaces it ends all cookies.
#[derive(Clone, Debug)]
pub struct TokenFile {
    path: PathBuf,
}

impl TokenFile {
    /// The one of the data folder, or the one that was named.
    pub fn of(environment: &Environment, named: Option<&Path>) -> Result<Self, EngineError> {
        let path = match named {
            Some(path) => environment.folder.join(path),
            None => environment.data_folder()?.join(TOKEN),
        };
        Ok(TokenFile { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The token.
    pub fn read(&self) -> io::Result<String> {
        let bytes = files::read(&Place::own(&self.path), MAX_BYTES)?;
        let token = String::from_utf8_lossy(&bytes).trim().to_owned();
        let is_usable = token.len() >= 16;
        if is_usable { Ok(token) } else { Err(io::Error::other("the token is too short")) }
    }

    /// The token; made if there is none yet.
    pub fn read_or_make(&self) -> io::Result<String> {
        match self.read() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.renew(),
            read => read,
        }
    }

    /// Another token: the old one and all cookies end.
    pub fn renew(&self) -> io::Result<String> {
        let token = random()?;
        if let Some(folder) = self.path.parent() {
            files::make_private_folder(folder)?;
        }
        files::replace(
            Place::own(&self.path),
            format!("{token}\n").as_bytes(),
            Mode::Exact(0o600),
        )?;
        Ok(token)
    }
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listening {
    pub url: String,
    pub pid: u32,
}

impl Listening {
    fn path(environment: &Environment) -> Result<PathBuf, EngineError> {
        Ok(environment.data_folder()?.join(STATUS))
    }

    /// What the last server that was started left.
    pub fn read(environment: &Environment) -> Option<Listening> {
        let path = Listening::path(environment).ok()?;
        serde_json::from_slice(&files::read(&Place::own(&path), MAX_BYTES).ok()?).ok()
    }

    pub fn write(&self, environment: &Environment) -> io::Result<()> {
        let path = Listening::path(environment).map_err(io::Error::other)?;
        let text = serde_json::to_vec(self).map_err(io::Error::other)?;
        files::replace_unsynced(Place::own(&path), &text, Mode::Exact(0o600))
    }

    /// Removes it, unless another server has written it since.
    pub fn remove(&self, environment: &Environment) {
        if Listening::read(environment).as_ref() == Some(self)
            && let Ok(path) = Listening::path(environment)
        {
            let _ = std::fs::remove_file(path);
        }
    }
}
