//! Looking at a folder or a file before it is used, and approving it. What is approved is
//! kept by the engine, where no checkout can write.

use std::path::{Path, PathBuf};

use hardwon_engine::trust::standing_of;
use hardwon_engine::{Environment, Result, needs_person, transfer, trust};
use hardwon_render::answer::{Answer, ForeignFolder, TrustStanding};

use crate::geas::told_pages;
use crate::jkz::notes;
use crate::store::layout::Layout;
use crate::system::{FolderContent, Reach};
use crate::{Folder, GeasLayout, LAYOUTS, LayoutName};

/// What is to be approved, in the layout that is named or else in the one that it has.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    pub path: &'a str,
    pub layout: Option<LayoutName>,
}

impl<'a> From<&'a str> for Asked<'a> {
    fn from(path: &'a str) -> Self {
        Asked { path, layout: None }
    }
}

/// Looks into a folder or a file, without using it.
pub fn look<'a>(
    environment: &Environment,
    asked: impl Into<Asked<'a>>,
) -> Result<Answer<ForeignFolder>> {
    let Asked { path, layout } = asked.into();
    let place = environment.folder.join(path);
    transfer::refuse_odd(&place)?;
    if layout.is_none() && is_of_notes(&place) {
        return look_at_notes(environment, &place);
    }
    let Some(system) = layout.unwrap_or_else(|| LayoutName::at(&place)).system() else {
        let (found, problems) = transfer::look_into(environment, &place)?;
        let is_empty = found.lessons.is_empty();
        return Ok(Answer::of(found, problems).or_empty(is_empty));
    };
    let FolderContent { base, held } = system.look(environment, &place, Reach::Project, false)?;
    // Of a store of notes the index is told as well, and its lines are no lessons.
    let mut notes = notes::told_of_index(&place);
    if system.word() == GeasLayout::WORD {
        notes.extend(told_pages(&Folder::new(base.clone())));
    }
    let found = ForeignFolder {
        system: system.word().to_owned(),
        folder: base.display().to_string(),
        standing: standing_of(environment, &base, &held.digest)?.into(),
        digest: held.digest,
        lessons: held.holdings.lessons.iter().map(Into::into).collect(),
        notes,
    };
    let is_empty = found.lessons.is_empty();
    Ok(Answer::of(found, held.problems).or_empty(is_empty))
}

/// Whether a path is a folder of notes: the notebook of a role, or one with an index that is no
/// store.
pub(crate) fn is_of_notes(place: &Path) -> bool {
    let shelf = place.parent().and_then(Path::file_name).unwrap_or_default();
    let is_notebook = shelf == "agent-memory" || shelf == "agent-memory-local";
    let is_store = || LAYOUTS.iter().any(|layout| layout.is_at(place));
    place.is_dir() && (is_notebook || place.join(notes::INDEX).is_file() && !is_store())
}

/// Looks into a folder of notes: what agents would be told.
fn look_at_notes(environment: &Environment, place: &Path) -> Result<Answer<ForeignFolder>> {
    let digest = notes::notes_digest(place)?;
    let found = ForeignFolder {
        system: "notes".to_owned(),
        folder: place.display().to_string(),
        standing: standing_of(environment, place, &digest)?.into(),
        digest,
        lessons: Vec::new(),
        notes: notes::told_lines(place),
    };
    let is_empty = found.notes.is_empty();
    Ok(Answer::of(found, Vec::new()).or_empty(is_empty))
}

/// Approves a folder or a file as it is now.
pub fn pin<'a>(
    environment: &Environment,
    asked: impl Into<Asked<'a>>,
) -> Result<Answer<ForeignFolder>> {
    needs_person(&environment.speaker, "approving a folder")?;
    let asked = asked.into();
    let mut answer = look(environment, asked)?;
    pin_shown(environment, asked, &answer.body)?;
    answer.body.standing = TrustStanding::Trusted.into();
    Ok(answer)
}

/// Approves what a look showed, and nothing that took its place since.
pub fn pin_shown(environment: &Environment, asked: Asked<'_>, shown: &ForeignFolder) -> Result<()> {
    trust::pin(environment, &pinned_path(environment, asked), &shown.digest)
}

/// Withdraws the approval.
pub fn unpin<'a>(
    environment: &Environment,
    asked: impl Into<Asked<'a>>,
) -> Result<Answer<ForeignFolder>> {
    let asked = asked.into();
    trust::unpin(environment, &pinned_path(environment, asked))?;
    look(environment, asked)
}

/// The path under which an approval is kept: a file's own, or that of the system's folder.
fn pinned_path(environment: &Environment, asked: Asked<'_>) -> PathBuf {
    let place = environment.folder.join(asked.path);
    if asked.layout.is_none() && is_of_notes(&place) {
        return place;
    }
    match asked.layout.unwrap_or_else(|| LayoutName::at(&place)).system() {
        Some(system) => system.base(&place),
        None => place,
    }
}
