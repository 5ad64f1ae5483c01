//! Looking at what lies somewhere before it is used, and vouching for it. Who vouched for
//! what is kept by the engine, where no checkout can write.

use std::path::{Path, PathBuf};

use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::gate::Gate;
use hardwon_core::lesson::Lesson;
use hardwon_engine::trust::standing_of;
use hardwon_engine::{Access, EngineError, Environment, policy, transfer, trust};
use hardwon_render::answer::{Answer, ForeignFolder, TrustStanding};

use crate::{
    ArcheflowStore, Folder, Layout, OpenagentsPlace, OpenagentsShipped, OpenagentsStore,
    archeflow_folder, openagents_place, unusable,
};

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
    let standing = standing_of(environment, folder.base(), &digest)?;
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
    place.digest().map_err(unusable)
}

/// Vouches for a folder as it is now.
pub fn pin(environment: &Environment, path: &str) -> Result<Answer<ForeignFolder>, EngineError> {
    if environment.agent.is_some() {
        return Err(EngineError::NeedsPerson { what: "vouching for a folder" });
    }
    let mut answer = look(environment, path)?;
    trust::pin(environment, &pinned_path(environment, path), &answer.body.digest)?;
    answer.body.standing = TrustStanding::Trusted.into();
    Ok(answer)
}

/// Takes the word back.
pub fn unpin(environment: &Environment, path: &str) -> Result<Answer<ForeignFolder>, EngineError> {
    trust::unpin(environment, &pinned_path(environment, path))?;
    look(environment, path)
}

/// Whether somebody vouched for exactly what is in the folder.
pub(crate) fn is_trusted(
    environment: &Environment,
    folder: &Folder,
) -> Result<TrustStanding, EngineError> {
    standing_of(environment, folder.base(), &digest(folder)?)
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
        Layout::Hardwon => place,
        Layout::Archeflow => archeflow_folder(&place).base().to_owned(),
        Layout::Openagents => openagents_place(&place, None).base().to_owned(),
    }
}

/// Of all the files that an import would read, with their names.
pub(crate) fn digest(folder: &Folder) -> Result<String, EngineError> {
    let mut all = Vec::new();
    for name in ["lessons", "archive", "audit", "hardwon"] {
        let name = format!("memory/{name}.jsonl");
        let bytes = folder.read(&name).map_err(unusable)?;
        let digest = bytes.as_deref().map_or_else(|| "none".to_owned(), sha256_of_bytes);
        all.extend_from_slice(format!("{name} {digest}\n").as_bytes());
    }
    Ok(sha256_of_bytes(&all))
}
