//! Looking at a folder or a file before it is used, and approving it. What is approved is
//! kept by the engine, where no checkout can write.

use std::path::PathBuf;

use hardwon_engine::layout::Homes;
use hardwon_engine::trust::standing_of;
use hardwon_engine::{EngineError, Environment, needs_person, transfer, trust};
use hardwon_render::answer::{Answer, ForeignFolder, TrustStanding};

use crate::LayoutName;
use crate::system::FolderContent;

/// Looks into a folder or a file, without using it.
pub fn look(environment: &Environment, path: &str) -> Result<Answer<ForeignFolder>, EngineError> {
    let place = environment.folder.join(path);
    transfer::refuse_odd(&place)?;
    let Some(system) = LayoutName::at(&place).system() else {
        let (found, problems) = transfer::look_into(environment, &place)?;
        let is_empty = found.lessons.is_empty();
        return Ok(Answer::of(found, problems).or_empty(is_empty));
    };
    let FolderContent { base, held } = system.look(environment, &place)?;
    let found = ForeignFolder {
        system: system.word().to_owned(),
        folder: base.display().to_string(),
        standing: standing_of(environment, &base, &held.digest)?.into(),
        digest: held.digest,
        lessons: held.holdings.lessons.iter().map(Into::into).collect(),
    };
    let is_empty = found.lessons.is_empty();
    Ok(Answer::of(found, held.problems).or_empty(is_empty))
}

/// Approves a folder or a file as it is now.
pub fn pin(environment: &Environment, path: &str) -> Result<Answer<ForeignFolder>, EngineError> {
    needs_person(&environment.speaker, "approving a folder")?;
    let mut answer = look(environment, path)?;
    pin_shown(environment, path, &answer.body)?;
    answer.body.standing = TrustStanding::Trusted.into();
    Ok(answer)
}

/// Approves what a look showed, and nothing that took its place since.
pub fn pin_shown(
    environment: &Environment,
    path: &str,
    shown: &ForeignFolder,
) -> Result<(), EngineError> {
    trust::pin(environment, &pinned_path(environment, path), &shown.digest)
}

/// Withdraws the approval.
pub fn unpin(environment: &Environment, path: &str) -> Result<Answer<ForeignFolder>, EngineError> {
    trust::unpin(environment, &pinned_path(environment, path))?;
    look(environment, path)
}

/// The path under which an approval is kept: a file's own, or that of the system's folder.
fn pinned_path(environment: &Environment, path: &str) -> PathBuf {
    let place = environment.folder.join(path);
    match LayoutName::at(&place).system() {
        Some(system) => system.place(&place, &Homes::default()).base().to_owned(),
        None => place,
    }
}
