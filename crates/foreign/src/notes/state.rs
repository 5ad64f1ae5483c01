//! Notes change and go: `edit`, `forget`, and what both do to files and index.

use std::path::Path;

use hardwon_core::notes::set::NoteSet;
use hardwon_core::notes::{Note, NoteKind, names};
use hardwon_core::time::Timestamp;
use hardwon_core::voice::Voice;
use hardwon_engine::{EngineError, Environment, needs_person};
use hardwon_readers::{MemoryIndex, TopicFile};
use hardwon_render::answer::{Answer, NotesWritten};

use super::write::{Draft, Plan, Present, Writing};
use super::{INDEX, NotesFolder};
use crate::jkz::ARCHIVE;

/// Why a note cannot be as it is wanted, and the next step.
pub(super) fn refused(reason: String, hint: &'static str) -> EngineError {
    EngineError::NoteRefused { reason, hint }
}

/// What is to be changed in a note; what is `None` stays.
#[derive(Clone, Debug, Default)]
pub struct NoteChange {
    pub text: Option<String>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub kind: Option<NoteKind>,
    pub why: Option<String>,
    pub how: Option<String>,
    /// Further links.
    pub links: Vec<String>,
    pub unlinks: Vec<String>,
}

/// The index with a line for a note, unless one of others points to it.
pub(super) fn with_line(present: &Present<'_>, note: &Note) -> Result<Draft, EngineError> {
    let folder = present.folder;
    let before = folder.texts.get(INDEX).cloned();
    // One that another writer makes meanwhile is not unreadable: the write finds it and begins anew.
    if folder.set.unreadable.iter().any(|it| it.file == INDEX) {
        let reason = format!("{INDEX} cannot be read, so no line can be added to it");
        return Err(refused(reason, "`hardwon notes check` says why"));
    }
    let text = before.clone().unwrap_or_default();
    let index = MemoryIndex::parse(&text);
    let is_listed = index.entries.iter().any(|line| !line.is_ours && line.file == note.file);
    let after = if is_listed {
        text
    } else {
        let line = NoteSet::line_for(note);
        let full = |full: hardwon_readers::IndexFull| {
            let hint =
                "`hardwon notes review` says what can go, `hardwon notes shorten` makes room";
            refused(full.to_string(), hint)
        };
        index.with_line(&line, &present.policy.notes.limits).map_err(full)?
    };
    Ok(Draft { file: INDEX.to_owned(), before, after: Some(after) })
}

/// Changes what is stated of a note, and nothing else in its file.
pub fn edit(
    environment: &Environment,
    path: &Path,
    slug: &str,
    change: &NoteChange,
) -> Result<Answer<NotesWritten>, EngineError> {
    if environment.speaker.voice == Voice::Agent {
        needs_person(&environment.speaker, "changing a note")?;
    }
    let now = environment.now()?;
    let writing = Writing { environment, path, command: "notes edit", is_dry: false };
    writing.run(&mut |present| edited(present, environment, slug, change, now))
}

fn edited(
    present: &Present<'_>,
    environment: &Environment,
    slug: &str,
    change: &NoteChange,
    now: Timestamp,
) -> Result<Plan, EngineError> {
    let folder = present.folder;
    let note = find(&folder.set, slug)?;
    let line = |raw: &String| present.gate.line(raw).as_str().to_owned();
    let mut next = note.clone();
    if let Some(text) = &change.text {
        let origin = environment.speaker.voice.origin();
        let text = present.gate.statement(text, origin).map_err(EngineError::Refused)?;
        next.text = text.as_str().to_owned();
    }
    if let Some(title) = change.title.as_ref().map(line) {
        next.name = title;
    }
    if let Some(description) = change.description.as_ref().map(line) {
        next.description = description;
    }
    next.kind = change.kind.or(next.kind);
    // No words take the part out.
    let part = |stated: &Option<String>, old: Option<String>| match stated.as_ref().map(line) {
        None => old,
        Some(new) => Some(new).filter(|new| !new.is_empty()),
    };
    next.why = part(&change.why, next.why);
    next.how = part(&change.how, next.how);
    let unlinked = known_links(&folder.set, &change.unlinks).unwrap_or(change.unlinks.clone());
    next.links.retain(|link| !unlinked.contains(link) && !change.unlinks.contains(link));
    for link in known_links(&folder.set, &change.links)? {
        if link != note.slug() && !next.links.contains(&link) {
            next.links.push(link);
        }
    }
    if next == *note {
        let remarks = vec!["nothing of it differs".to_owned()];
        return Ok(Plan { slug: Some(note.slug().to_owned()), drafts: vec![], remarks });
    }
    next.modified = Some(now);
    let draft = rewritten(folder, note, &next);
    let mut drafts = vec![draft];
    let mut lines = folder.set.index.lines.iter();
    if lines.any(|line| line.is_ours && line.file == note.file) {
        drafts.push(with_line(present, &next)?);
    }
    Ok(Plan { slug: Some(note.slug().to_owned()), drafts, remarks: vec![] })
}

/// Links to notes that are there, by their slugs. One into another folder is taken as it is.
pub(super) fn known_links(set: &NoteSet, links: &[String]) -> Result<Vec<String>, EngineError> {
    let known = |link: &String| match set.find(link) {
        _ if link.contains('/') => Ok(link.clone()),
        Some(note) => Ok(note.slug().to_owned()),
        None => Err(EngineError::NotFound { what: "note", name: link.clone() }),
    };
    links.iter().map(known).collect()
}

/// The file of a note with another note in it.
pub(super) fn rewritten(folder: &NotesFolder, note: &Note, next: &Note) -> Draft {
    let before = folder.texts.get(&note.file).cloned().unwrap_or_default();
    let topic = TopicFile::parse(&before).ok();
    let after = topic.map_or_else(|| before.clone(), |topic| topic.edited(next));
    Draft { file: note.file.clone(), before: Some(before), after: Some(after) }
}

pub(super) fn find<'a>(set: &'a NoteSet, slug: &str) -> Result<&'a Note, EngineError> {
    let unknown = || EngineError::NotFound { what: "note", name: slug.to_owned() };
    set.find(slug).ok_or_else(unknown)
}

/// Puts a note away: its file into the archive, its line out of the index.
pub fn forget(
    environment: &Environment,
    path: &Path,
    slug: &str,
) -> Result<Answer<NotesWritten>, EngineError> {
    needs_person(&environment.speaker, "forgetting a note")?;
    let writing = Writing { environment, path, command: "notes forget", is_dry: false };
    writing.run(&mut |present| {
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

/// The drafts by which a note is put away.
pub(super) fn put_away(folder: &NotesFolder, note: &Note) -> Vec<Draft> {
    let before = folder.texts.get(&note.file).cloned();
    let stem = names::stem(&note.file).to_owned();
    let others = (2..).map(|n| format!("{ARCHIVE}/{stem}-{n}.md"));
    let mut names = std::iter::once(format!("{ARCHIVE}/{stem}.md")).chain(others);
    let is_free = |file: &String| std::fs::symlink_metadata(folder.path.join(file)).is_err();
    // The numbers do not end.
    let file = names.find(is_free).unwrap_or_default();
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
