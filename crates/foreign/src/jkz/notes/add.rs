//! Notes come: stated by a person or a script if they pass the bar, or made of a lesson.

use std::path::Path;
use std::time::Instant;

use hardwon_core::gate::Gate;
use hardwon_core::lesson::{Guidance, Kind, Lesson};
use hardwon_core::notes::bar::{Candidate, Known, Lack, lacks};
use hardwon_core::notes::documents::DocumentSentence;
use hardwon_core::notes::{Note, NoteKind, names};
use hardwon_core::time::Timestamp;
use hardwon_core::voice::Voice;
use hardwon_core::words::unique_words;
use hardwon_engine::{Access, EngineError, Environment, OpenMemory, Options, Result, needs_person};
use hardwon_readers::new_topic_file;
use hardwon_render::answer::{Answer, NotesWritten};
use hardwon_store::LessonQuery;

use super::NotesFolder;
use super::look::{PATIENCE, said};
use super::state::{known_links, refused, with_line};
use super::write::{Draft, Plan, Present, run};
use crate::free_name;
use crate::jkz::{ARCHIVE, title_of};

#[derive(Clone, Debug)]
pub struct NewNote {
    pub text: String,
    pub kind: NoteKind,
    pub title: Option<String>,
    pub why: Option<String>,
    pub how: Option<String>,
    pub links: Vec<String>,
    /// Whatever the bar says.
    pub is_forced: bool,
}

/// Adds a note with its line of the index, if it passes the bar.
pub fn add(environment: &Environment, path: &Path, note: &NewNote) -> Result<Answer<NotesWritten>> {
    if environment.speaker.voice == Voice::Agent {
        needs_person(&environment.speaker, "adding a note")?;
    }
    if !note.is_forced {
        pass_the_bar(environment, note)?;
    }
    let now = environment.now()?;
    run(environment, path, "jkz add", false, &mut |present| {
        let new = cleaned(note, present.gate, environment, now)?;
        added(present, new)
    })
}

/// Refuses what does not earn a file.
fn pass_the_bar(environment: &Environment, note: &NewNote) -> Result<()> {
    let (documents, manifests) = said(environment.checkout(), Instant::now() + PATIENCE);
    let is_stated = environment.speaker.voice == Voice::Person;
    let candidate = Candidate {
        text: &note.text,
        kind: Some(note.kind),
        how: note.how.as_deref(),
        n_sessions: if is_stated { 0 } else { n_said(environment, &note.text)? },
        is_stated,
    };
    let known = Known { documents: &documents, manifests: &manifests };
    let lacks = lacks(&candidate, known, &super::rules(environment)?.notes);
    if lacks.is_empty() {
        return Ok(());
    }
    let told: Vec<String> = lacks.iter().map(lack_told).collect();
    Err(refused(told.join("; "), "say what to do and when, or add --force"))
}

/// In how many runs memory has seen what this says.
fn n_said(environment: &Environment, text: &str) -> Result<usize> {
    let options = Options { foreign: crate::LAYOUTS, ..Options::default() };
    let OpenMemory { memory, call } = OpenMemory::open(environment, &options, Access::Read)?;
    let known = memory.store.lessons(&call.project, &LessonQuery::default())?;
    let words = unique_words(text);
    let same = known.iter().find(|lesson| unique_words(lesson.text.as_str()) == words);
    Ok(same.map_or(0, |lesson| lesson.n_sightings as usize))
}

fn lack_told(lack: &Lack) -> String {
    let at = |name: &str, place: &DocumentSentence| {
        format!("{name}: {}:{} says \"{}\"", place.file, place.line, place.text.trim())
    };
    match lack {
        Lack::Recurrent => "not recurrent: two sessions have to say it, or a person".to_owned(),
        Lack::Undocumented(place) => at("documented", place),
        Lack::NonObvious(place) => at("obvious", place),
        Lack::Actionable => "not actionable: it says nothing to do, to avoid, or when".to_owned(),
    }
}

/// The words as memory may keep them.
fn cleaned(note: &NewNote, gate: &Gate, environment: &Environment, now: Timestamp) -> Result<Note> {
    let origin = environment.speaker.voice.origin();
    let text = gate.statement(&note.text, origin).map_err(EngineError::Refused)?;
    let text = text.as_str().to_owned();
    let line = |raw: &String| gate.line(raw).as_str().to_owned();
    let name = note.title.as_ref().map(line).filter(|it| !it.is_empty());
    Ok(Note {
        name: name.unwrap_or_else(|| title_of(&text)),
        description: text.clone(),
        kind: Some(note.kind),
        modified: Some(now),
        text,
        why: note.why.as_ref().map(line).filter(|it| !it.is_empty()),
        how: note.how.as_ref().map(line).filter(|it| !it.is_empty()),
        links: note.links.clone(),
        ..Note::default()
    })
}

/// The drafts of a new note: its file, and its line.
pub(super) fn added(present: &Present<'_>, note: Note) -> Result<Plan> {
    let folder = present.folder;
    let words = unique_words(note.statement());
    let same = folder.set.notes.iter().find(|it| unique_words(it.statement()) == words);
    if let Some(same) = same {
        let reason = format!("{} says the same already", same.slug());
        return Err(refused(reason, "change that file"));
    }
    let note = Note { links: known_links(&folder.set, &note.links)?, ..note };
    let kind = note.kind.unwrap_or(NoteKind::Project);
    let file = free_file(folder, kind, &note.name)?;
    let note = Note { file: file.clone(), ..note };
    let index = with_line(present, &note)?;
    let after = Some(new_topic_file(&note));
    let slug = Some(names::stem(&file).to_owned());
    Ok(Plan { slug, drafts: vec![Draft { file, before: None, after }, index], remarks: vec![] })
}

/// A file that no note has or had.
fn free_file(folder: &NotesFolder, kind: NoteKind, title: &str) -> Result<String> {
    let unnamed = |it: names::BadName| {
        refused(format!("of this title no file can be made: {it}"), "give another --title")
    };
    let first = names::file_name(kind, title).map_err(unnamed)?;
    let is_free = |file: &String| {
        let is_there = |path: std::path::PathBuf| std::fs::symlink_metadata(path).is_ok();
        let below = folder.path.join(ARCHIVE).join(file);
        !is_there(folder.path.join(file)) && !is_there(below)
    };
    Ok(free_name(names::stem(&first), ".md", is_free))
}

pub fn of_lesson(
    environment: &Environment,
    path: &Path,
    lesson: &Lesson,
) -> Result<Answer<NotesWritten>> {
    needs_person(&environment.speaker, "making a note of a lesson")?;
    let note = note_of(lesson, environment.now()?);
    run(environment, path, "jkz lesson", false, &mut |present| added(present, note.clone()))
}

pub(super) fn note_of(lesson: &Lesson, now: Timestamp) -> Note {
    let kind = match (lesson.kind, lesson.category.as_deref().and_then(NoteKind::parse)) {
        (Kind::Fact, Some(kind)) => kind,
        (Kind::Fact | Kind::Precedent, _) => NoteKind::Project,
        _ => NoteKind::Feedback,
    };
    let Guidance { rule, detail, repair, .. } = &lesson.guidance;
    let text = lesson.text.as_str().to_owned();
    Note {
        name: title_of(&text),
        description: text.clone(),
        kind: Some(kind),
        modified: Some(now),
        text,
        why: detail.clone(),
        how: rule.clone().or_else(|| repair.clone()),
        ..Note::default()
    }
}
