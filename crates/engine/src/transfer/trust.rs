//! Who vouched for which folder? A folder that came with a checkout is used only after
//! somebody looked at it, and only as long as it is what they looked at: the digest of
//! its content is kept in the user's data folder, where no checkout can write.

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::gate::Gate;
use hardwon_core::lesson::Lesson;
use hardwon_render::answer::{Answer, ForeignFolder, TrustStanding};
use serde::{Deserialize, Serialize};

use crate::error::EngineError;
use crate::foreign::{
    ArcheflowStore, Folder, OpenagentsPlace, OpenagentsShipped, OpenagentsStore, archeflow_folder,
    openagents_place,
};
use crate::place::Environment;
use crate::{Access, Layout, policy, settings, transfer};

const FILE: &str = "trusted.toml";

/// Folders that somebody vouched for.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Pins {
    #[serde(default)]
    folders: Vec<Pin>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Pin {
    path: PathBuf,
    digest: String,
    at: String,
    by: String,
}

/// Looks into a folder, without using it.
pub fn look(environment: &Environment, path: &str) -> Result<Answer<ForeignFolder>, EngineError> {
    let place = environment.folder.join(path);
    transfer::refuse_odd(&place)?;
    if Layout::at(&place) == Layout::Hardwon {
        let (found, problems) = transfer::look_into(environment, &place)?;
        let is_empty = found.lessons.is_empty();
        return Ok(Answer::of(found, problems).or_empty(is_empty));
    }
    if Layout::at(&place) == Layout::Openagents {
        return look_openagents(environment, &place);
    }
    let folder = archeflow_folder(&environment.folder.join(path));
    let store = open(environment, &folder)?;
    let digest = digest(&folder)?;
    let standing = standing(environment, &folder, &digest)?;
    let mut lessons: Vec<Lesson> = store.memory().tables().lessons.values().cloned().collect();
    let name = |lesson: &Lesson| lesson.aliases.first().map(|id| (id.len(), id.clone()));
    lessons.sort_by_key(|lesson| (lesson.state.is_put_away(), name(lesson), lesson.id.clone()));
    let found = ForeignFolder {
        system: "archeflow".to_owned(),
        folder: folder.base().display().to_string(),
        digest,
        standing: standing.into(),
        lessons: lessons.iter().map(Into::into).collect(),
    };
    let is_empty = found.lessons.is_empty();
    Ok(Answer::of(found, store.problems().to_vec()).or_empty(is_empty))
}

fn look_openagents(
    environment: &Environment,
    path: &Path,
) -> Result<Answer<ForeignFolder>, EngineError> {
    let place = openagents_place(path, None);
    let (store, shipped) = open_openagents(environment, &place)?;
    let digest = digest_openagents(&place)?;
    let standing = standing_of(environment, place.base(), &digest)?;
    let mut lessons: Vec<Lesson> = store.memory().tables().lessons.values().cloned().collect();
    lessons.extend(shipped.lessons);
    lessons
        .sort_by_key(|lesson| (lesson.state.is_put_away(), lesson.created_at, lesson.id.clone()));
    let is_empty = lessons.is_empty();
    let system = Layout::Openagents.word().to_owned();
    let folder = place.base().display().to_string();
    let problems = store.problems().iter().cloned().chain(shipped.problems).collect();
    let lessons = lessons.iter().map(Into::into).collect();
    let found = ForeignFolder { system, folder, digest, standing: standing.into(), lessons };
    Ok(Answer::of(found, problems).or_empty(is_empty))
}

/// Opens an OpenAgents folder for reading, with what was shipped beside its memory.
pub(crate) fn open_openagents(
    environment: &Environment,
    place: &OpenagentsPlace,
) -> Result<(OpenagentsStore, OpenagentsShipped), EngineError> {
    if !place.base().is_dir() {
        return Err(EngineError::NoFolder { path: place.base().to_owned() });
    }
    let (policy, now) = (policy::load("archivist")?, environment.now()?);
    let place = place.clone().without_global();
    let store = OpenagentsStore::open(Gate::standard(), place, Access::Read, policy, now)?;
    let shipped = store.shipped()?;
    Ok((store, shipped))
}

/// Of all the files that an import would read, with their names.
pub(crate) fn digest_openagents(place: &OpenagentsPlace) -> Result<String, EngineError> {
    place.digest().map_err(EngineError::Folder)
}

/// Vouches for a folder as it is now.
pub fn pin(environment: &Environment, path: &str) -> Result<Answer<ForeignFolder>, EngineError> {
    if environment.agent.is_some() {
        return Err(EngineError::NeedsPerson { what: "vouching for a folder" });
    }
    let mut answer = look(environment, path)?;
    let own = pinned_path(environment, path);
    let mut pins = read(environment)?;
    pins.folders.retain(|pin| pin.path != own);
    pins.folders.push(Pin {
        path: own,
        digest: answer.body.digest.clone(),
        at: environment.now()?.to_string(),
        by: environment.actor(),
    });
    write(environment, &pins)?;
    answer.body.standing = TrustStanding::Trusted.into();
    Ok(answer)
}

/// Takes the word back.
pub fn unpin(environment: &Environment, path: &str) -> Result<Answer<ForeignFolder>, EngineError> {
    let own = pinned_path(environment, path);
    let mut pins = read(environment)?;
    pins.folders.retain(|pin| pin.path != own);
    write(environment, &pins)?;
    look(environment, path)
}

/// Whether somebody vouched for exactly what is in the folder.
pub(crate) fn is_trusted(
    environment: &Environment,
    folder: &Folder,
) -> Result<TrustStanding, EngineError> {
    standing(environment, folder, &digest(folder)?)
}

/// Opens a folder for reading, under its own system's rules.
pub(crate) fn open(
    environment: &Environment,
    folder: &Folder,
) -> Result<ArcheflowStore, EngineError> {
    if !folder.base().is_dir() {
        return Err(EngineError::NoFolder { path: folder.base().to_owned() });
    }
    let project = hardwon_core::ids::ProjectId::new("archeflow");
    let policy = policy::load("archeflow")?;
    let now = environment.now()?;
    Ok(ArcheflowStore::open(folder.clone(), Access::Read, project, policy, now)?)
}

/// By which path somebody's word is kept: a file of ours by its own, a folder by that of
/// the system's files in it.
fn pinned_path(environment: &Environment, path: &str) -> PathBuf {
    let place = environment.folder.join(path);
    match Layout::at(&place) {
        Layout::Hardwon => canonical(&place),
        Layout::Archeflow => canonical(archeflow_folder(&place).base()),
        Layout::Openagents => canonical(openagents_place(&place, None).base()),
    }
}

fn standing(
    environment: &Environment,
    folder: &Folder,
    digest: &str,
) -> Result<TrustStanding, EngineError> {
    standing_of(environment, folder.base(), digest)
}

/// Whether somebody vouched for what lies there, as it is now.
pub(crate) fn standing_of(
    environment: &Environment,
    path: &Path,
    digest: &str,
) -> Result<TrustStanding, EngineError> {
    let own = canonical(path);
    let pins = read(environment)?;
    Ok(match pins.folders.iter().find(|pin| pin.path == own) {
        Some(pin) if pin.digest == digest => TrustStanding::Trusted,
        Some(_) => TrustStanding::Changed,
        None => TrustStanding::Unknown,
    })
}

/// Of all the files that an import would read, with their names.
fn digest(folder: &Folder) -> Result<String, EngineError> {
    let mut all = Vec::new();
    for name in ["lessons", "archive", "audit", "hardwon"] {
        let name = format!("memory/{name}.jsonl");
        let bytes = folder.read(&name).map_err(EngineError::Folder)?;
        let digest = bytes.as_deref().map_or_else(|| "none".to_owned(), sha256_of_bytes);
        all.extend_from_slice(format!("{name} {digest}\n").as_bytes());
    }
    Ok(sha256_of_bytes(&all))
}

/// Every folder or file that somebody vouched for, and whether it is still what it was
/// then.
pub(crate) fn survey(environment: &Environment) -> Result<Vec<(PathBuf, bool)>, EngineError> {
    let look = |pin: Pin| {
        let now = match Layout::at(&pin.path) {
            Layout::Hardwon => transfer::digest_of(&pin.path),
            Layout::Archeflow => digest(&Folder::new(pin.path.clone())),
            Layout::Openagents => digest_openagents(&openagents_place(&pin.path, None)),
        };
        let is_as_it_was = now.is_ok_and(|now| now == pin.digest);
        (pin.path, is_as_it_was)
    };
    Ok(read(environment)?.folders.into_iter().map(look).collect())
}

fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

pub(crate) fn file(environment: &Environment) -> Result<PathBuf, EngineError> {
    Ok(environment.data_folder()?.join(FILE))
}

fn read(environment: &Environment) -> Result<Pins, EngineError> {
    let path = file(environment)?;
    // A pipe would make us wait for ever.
    if fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
        return Err(EngineError::SettingsFile { path, reason: "not a file".to_owned() });
    }
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Pins::default()),
        Err(source) => return Err(EngineError::File { path, source }),
    };
    toml::from_str(&text)
        .map_err(|error| EngineError::SettingsFile { path, reason: error.message().to_owned() })
}

fn write(environment: &Environment, pins: &Pins) -> Result<(), EngineError> {
    let path = file(environment)?;
    let text = toml::to_string(pins).expect("paths and texts can be written as TOML");
    let head = "# Folders that were looked at with `hardwon trust`, as they were then.\n\n";
    settings::save(&path, &format!("{head}{text}"))
        .map_err(|source| EngineError::File { path, source })
}
