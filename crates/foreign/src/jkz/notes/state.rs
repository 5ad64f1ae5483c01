//! Notes go: `forget`, and what coming and going do to the index.

use std::path::Path;

use hardwon_core::notes::set::NoteSet;
use hardwon_core::notes::{Note, names};
use hardwon_engine::{EngineError, Environment, Result, needs_person};
use hardwon_readers::MemoryIndex;
use hardwon_render::answer::{Answer, NotesWritten};

use super::write::{Draft, Plan, Present, run};
use super::{INDEX, NotesFolder};
use crate::free_name;
use crate::jkz::ARCHIVE;

/// Why a note cannot be as it is wanted, and the next step.
pub(super) fn refused(reason: String, hint: &'static str) -> EngineError {
    EngineError::NoteRefused { reason, hint }
}

/// The index with a line for a note, unless one of others points to it.
pub(super) fn with_line(present: &Present<'_>, note: &Note) -> Result<Draft> {
    let folder = present.folder;
    let before = folder.texts.get(INDEX).cloned();
    // One that another writer makes meanwhile is not unreadable: the write finds it and begins anew.
    if folder.set.unreadable.iter().any(|it| it.file == INDEX) {
        let reason = format!("{INDEX} cannot be read, so no line can be added to it");
        return Err(refused(reason, "`hardwon jkz check` says why"));
    }
    let text = before.clone().unwrap_or_default();
    let index = MemoryIndex::parse(&text);
    let is_listed = index.entries.iter().any(|line| !line.is_ours && line.file == note.file);
    let after = if is_listed {
        text
    } else {
        let line = NoteSet::line_for(note);
        let full =
            |full: String| refused(full.to_string(), "`hardwon jkz review` says what can go");
        index.with_line(&line, &present.policy.notes.limits).map_err(full)?
    };
    Ok(Draft { file: INDEX.to_owned(), before, after: Some(after) })
}

/// Links to notes that are there, by their slugs. One into another folder is taken as it is.
pub(super) fn known_links(set: &NoteSet, links: &[String]) -> Result<Vec<String>> {
    let known = |link: &String| match set.find(link) {
        _ if link.contains('/') => Ok(link.clone()),
        Some(note) => Ok(note.slug().to_owned()),
        None => Err(EngineError::NotFound { what: "note", name: link.clone() }),
    };
    links.iter().map(known).collect()
}

pub(super) fn find<'a>(set: &'a NoteSet, slug: &str) -> Result<&'a Note> {
    let unknown = || EngineError::NotFound { what: "note", name: slug.to_owned() };
    set.find(slug).ok_or_else(unknown)
}

/// Puts a note away: its file into the archive, its line out of the index.
pub fn forget(environment: &Environment, path: &Path, slug: &str) -> Result<Answer<NotesWritten>> {
    needs_person(&environment.speaker, "forgetting a note")?;
    run(environment, path, "jkz forget", false, &mut |present| {
        let note = find(&present.folder.set, slug)?;
        let linked: Vec<&str> =
            present.folder.set.links_to(note).into_iter().map(Note::slug).collect();
        let mut remarks = Vec::new();
        if !linked.is_empty() {
            remarks.push(format!("still linked from {}", linked.join(", ")));
        }
        let slug = Some(note.slug().to_owned());
        Ok(Plan { slug, drafts: put_away(present.folder, note), remarks })
    })
}

pub(super) fn put_away(folder: &NotesFolder, note: &Note) -> Vec<Draft> {
    let before = folder.texts.get(&note.file).cloned();
    let stem = format!("{ARCHIVE}/{}", names::stem(&note.file));
    let is_free = |file: &String| std::fs::symlink_metadata(folder.path.join(file)).is_err();
    let file = free_name(&stem, ".md", is_free);
    let away = Draft { file, before: None, after: before.clone() };
    let gone = Draft { file: note.file.clone(), before, after: None };
    let mut drafts = vec![away, gone];
    if let Some(text) = folder.texts.get(INDEX) {
        let index = MemoryIndex::parse(text);
        let own = index.entries.iter().filter(|line| line.file == note.file);
        let lines: Vec<usize> = own.map(|line| line.line).collect();
        let after = Some(index.without_lines(&lines));
        drafts.push(Draft { file: INDEX.to_owned(), before: Some(text.clone()), after });
    }
    drafts
}
