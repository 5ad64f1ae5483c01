//! Which folders are approved? A folder that came with a checkout is used only after a
//! person looked at it, and only as long as it has not changed since: the digest of
//! its content is kept in the user's data folder, where no checkout can write.

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::gate::Gate;
use hardwon_render::answer::TrustStanding;
use hardwon_store::files;
use serde::{Deserialize, Serialize};

use crate::call::needs_person;
use crate::error::{EngineError, Result};
use crate::layout::{ForeignLayout, Homes};
use crate::place::Environment;
use crate::{exports, settings};

const FILE: &str = "trusted.toml";
const MAX_BYTES: u64 = 16 << 20;
/// As much of another system's file as an import reads.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Approved folders.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Pins {
    #[serde(default)]
    folders: Vec<Pin>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Pin {
    #[serde(with = "files::as_text")]
    path: PathBuf,
    digest: String,
    at: String,
    by: String,
}

/// Approves what lies there as it is now: it has this digest.
pub fn pin(environment: &Environment, path: &Path, digest: &str) -> Result<()> {
    needs_person(&environment.speaker, "approving a folder")?;
    let path = canonical(path);
    let mut pins = read(environment)?;
    pins.folders.retain(|pin| pin.path != path);
    let (at, by) = (environment.now()?.to_string(), environment.actor());
    pins.folders.push(Pin { path, digest: digest.to_owned(), at, by });
    write(environment, &pins)
}

/// Withdraws the approval.
pub fn unpin(environment: &Environment, path: &Path) -> Result<()> {
    let path = canonical(path);
    let mut pins = read(environment)?;
    pins.folders.retain(|pin| pin.path != path);
    write(environment, &pins)
}

/// Whether what lies there was approved as it is now.
pub fn standing_of(environment: &Environment, path: &Path, digest: &str) -> Result<TrustStanding> {
    let own = canonical(path);
    let pins = read(environment)?;
    Ok(match pins.folders.iter().find(|pin| pin.path == own) {
        Some(pin) if pin.digest == digest => TrustStanding::Trusted,
        Some(_) => TrustStanding::Changed,
        None => TrustStanding::Unknown,
    })
}

/// Keeps the approval of a folder that only we changed: `step` gives its digests before and after.
pub fn follow(
    environment: &Environment,
    path: &Path,
    step: impl FnOnce() -> Option<(String, String)>,
) -> Result<()> {
    let own = canonical(path);
    let mut pins = read(environment)?;
    let Some(pin) = pins.folders.iter_mut().find(|pin| pin.path == own) else { return Ok(()) };
    match step() {
        Some((before, after)) if before == pin.digest && before != after => pin.digest = after,
        _ => return Ok(()),
    }
    write(environment, &pins)
}

/// Every approved folder or file, and whether it is still what it was then.
pub(crate) fn survey(
    environment: &Environment,
    foreign: &[&dyn ForeignLayout],
) -> Result<Vec<(PathBuf, bool)>> {
    let look = |pin: Pin| {
        let path = &pin.path;
        let is_as_it_was = if exports::is_export_at(path) {
            exports::read(path, &Gate::standard()).is_ok_and(|gated| gated.digest == pin.digest)
        } else if path.is_file() {
            // A file of another system is pinned by its bytes.
            files::read_linked(path, MAX_FILE_BYTES)
                .is_ok_and(|bytes| sha256_of_bytes(&bytes) == pin.digest)
        } else {
            // Which layout it was pinned as is not noted; no two have the same digest.
            let digest = |layout: &&dyn ForeignLayout| {
                layout.place(path, &Homes::default()).digest().is_ok_and(|it| it == pin.digest)
            };
            foreign.iter().any(digest)
        };
        (pin.path, is_as_it_was)
    };
    Ok(read(environment)?.folders.into_iter().map(look).collect())
}

fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

pub(crate) fn file(environment: &Environment) -> Result<PathBuf> {
    Ok(environment.data_folder()?.join(FILE))
}

fn read(environment: &Environment) -> Result<Pins> {
    let path = file(environment)?;
    let text = match files::read_linked(&path, MAX_BYTES) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Pins::default()),
        Err(source) => return Err(EngineError::File { path, source }),
    };
    toml::from_str(&text)
        .map_err(|error| EngineError::SettingsFile { path, reason: error.message().to_owned() })
}

fn write(environment: &Environment, pins: &Pins) -> Result<()> {
    let path = file(environment)?;
    let text = toml::to_string(pins).expect("paths and texts can be written as TOML");
    let head = "# Folders that were looked at with `hardwon review trust`, as they were then.\n\n";
    settings::save(&path, &format!("{head}{text}"))
        .map_err(|source| EngineError::File { path, source })
}
