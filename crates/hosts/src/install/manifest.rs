//! What did we write into other programs' files? Kept in the user's data folder: for each
//! file what was inserted and the digests around it, so that it can be taken out to the
//! byte. No copy of the file itself: those hold keys of others.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use hardwon_engine::digest;
use hardwon_engine::{EngineError, Environment};
use serde::{Deserialize, Serialize};

use super::splice::{Insertion, taken_out};

const FILE: &str = "install.json";

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Manifest {
    #[serde(default)]
    pub files: Vec<Record>,
}

/// One file of one host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    pub host: String,
    #[serde(with = "hardwon_engine::files::as_text")]
    pub path: PathBuf,
    /// The file was not there before.
    pub created: bool,
    /// Its folder was not there before, either.
    pub created_folder: bool,
    /// Oldest first.
    pub layers: Vec<Layer>,
}

/// What one call of `install` did to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Layer {
    pub at: String,
    pub before: String,
    pub after: String,
    pub insertions: Vec<Insertion>,
}

impl Record {
    /// The text as it was before us, if it has not been changed since.
    pub fn original(&self, text: &str) -> Option<String> {
        let mut text = text.to_owned();
        for layer in self.layers.iter().rev() {
            if digest(text.as_bytes()) != layer.after {
                return None;
            }
            text = taken_out(&text, &layer.insertions)?;
            if digest(text.as_bytes()) != layer.before {
                return None;
            }
        }
        Some(text)
    }
}

impl Manifest {
    pub fn read(environment: &Environment) -> Result<Manifest, EngineError> {
        let path = file(environment)?;
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(Manifest::default());
            }
            Err(source) => return Err(EngineError::File { path, source }),
        };
        serde_json::from_str(&text).map_err(|error| {
            let reason = format!("line {}: not what install wrote", error.line());
            EngineError::SettingsFile { path, reason }
        })
    }

    pub fn of(&self, path: &Path) -> Option<&Record> {
        self.files.iter().find(|record| record.path == path)
    }

    /// The manifest as text, and where it belongs.
    pub fn written(&self, environment: &Environment) -> Result<(PathBuf, String), EngineError> {
        let text = serde_json::to_string_pretty(self).expect("paths and texts are writable");
        Ok((file(environment)?, text + "\n"))
    }
}

pub fn file(environment: &Environment) -> Result<PathBuf, EngineError> {
    Ok(environment.data_folder()?.join(FILE))
}
