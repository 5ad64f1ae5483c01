//! What was done, by whom and why; and taking it back.

use hardwon_core::change::{Change, Entry, Undos};
use hardwon_core::ids::{LessonId, OperationId};
use hardwon_render::answer::{Answer, Entry as Told, History, Id, LessonVersions, Undone};
use hardwon_store::{JournalQuery, StoreError};

use crate::lookup;
use crate::memory::{Call, EngineError, Memory, Result};
use crate::open::foreign_system;
use crate::write::{Command, write};

/// The journal, newest first: of one lesson, or of the whole project without the
/// injections.
pub fn history(
    memory: &Memory,
    call: &Call,
    lesson: Option<&str>,
    limit: Option<usize>,
) -> Result<Answer<History>> {
    let lesson = lesson.map(|name| id_in_history(memory, call, name)).transpose()?;
    let query = JournalQuery {
        lesson,
        only_memory: true,
        newest_first: true,
        limit,
        ..JournalQuery::default()
    };
    let entries = memory.store.journal(&call.project, &query)?;
    let entries = entries.iter().map(|entry| Told::of(entry, &call.project)).collect();
    Ok(Answer::of(History { entries }, Vec::new()).empty_if(|it| it.entries.is_empty()))
}

/// What a lesson said before, newest first.
pub fn versions(memory: &Memory, call: &Call, name: &str) -> Result<Answer<LessonVersions>> {
    let id = lookup::lesson_named(memory, call, name)?.id;
    let kept = lookup::versions_of(memory, call, &id)?;
    let versions = kept.iter().rev().map(Into::into).collect();
    Ok(Answer::of(LessonVersions { lesson: Id(id), versions }, Vec::new()))
}

/// A lesson that was forgotten for good has a history still.
fn id_in_history(memory: &Memory, call: &Call, name: &str) -> Result<LessonId> {
    match lookup::lesson_named(memory, call, name) {
        Err(EngineError::Erased { .. }) => {
            let erased = lookup::erased_mark(memory, call, name)?;
            erased
                .map(|mark| mark.lesson)
                .ok_or_else(|| EngineError::UnknownLesson { name: name.to_owned() })
        }
        found => Ok(found?.id),
    }
}

/// Takes an operation back by writing the inverse of all it wrote; the newest one
/// that was not undone yet if none is named. Refused if a later operation
/// touched the same lesson.
pub fn undo(
    memory: &mut Memory,
    call: &Call,
    operation: Option<OperationId>,
) -> Result<Answer<Undone>> {
    let target = match operation {
        Some(operation) => operation,
        None => newest_undoable(memory, call)?,
    };
    let command = Command { undoes: Some(target), ..Command::new("undo") };
    let written = write(memory, call, &command, &mut |memory, _| inverse_of(memory, call, target));
    let refuse = |reason: String| EngineError::UndoRefused { operation: target, reason };
    let (_, undone) = written.map_err(|error| match error {
        EngineError::Store(StoreError::Mismatch(mismatch)) => {
            refuse(format!("a later operation built on it: {mismatch}"))
        }
        other => other,
    })?;
    Ok(Answer::of(undone, Vec::new()))
}

fn inverse_of(memory: &Memory, call: &Call, target: OperationId) -> Result<(Vec<Change>, Undone)> {
    let query = JournalQuery { operation: Some(target), ..JournalQuery::default() };
    let entries = memory.store.journal(&call.project, &query)?;
    let is_own = |entry: &&Entry| entry.project == call.project;
    let Some(first) = entries.first().filter(is_own) else {
        return Err(EngineError::UnknownOperation(target));
    };
    if first.head.actor != call.actor {
        call.needs_person("undoing what another actor did")?;
    }
    let has = |is_it: fn(&Entry) -> bool| entries.iter().any(is_it);
    let refusals = [
        (
            !has(|entry| entry.change.touches_memory()),
            "it only recorded what was shown, which stays true",
        ),
        (
            has(|entry| matches!(entry.change, Change::Erase { .. })),
            "what was forgotten for good is gone; name an earlier operation to take that one back",
        ),
        (has(changes_team), "who belongs to a team is changed with `hardwon config team`"),
        (has(is_asked), "money that was spent on a model stays spent"),
    ];
    if let Some((_, reason)) = refusals.into_iter().find(|(is_so, _)| *is_so) {
        return Err(EngineError::UndoRefused { operation: target, reason: reason.to_owned() });
    }
    let mut lessons: Vec<LessonId> = Vec::new();
    for lesson in entries.iter().filter_map(|entry| entry.change.lesson()) {
        if !lessons.contains(lesson) {
            lessons.push(lesson.clone());
        }
    }
    refuse_if_built_upon(memory, call, target, &lessons)?;
    let command = first.head.command.clone();
    let changes = entries.iter().rev().map(|entry| entry.change.inverse()).collect();
    let lessons = lessons.into_iter().map(Id).collect();
    Ok((changes, Undone { operation: target.0, command, lessons }))
}

fn refuse_if_built_upon(
    memory: &Memory,
    call: &Call,
    target: OperationId,
    lessons: &[LessonId],
) -> Result<()> {
    let mut later: Vec<Entry> = Vec::new();
    for lesson in lessons {
        let query = JournalQuery {
            lesson: Some(lesson.clone()),
            after: Some(target),
            only_memory: true,
            ..JournalQuery::default()
        };
        later.extend(memory.store.journal(&call.project, &query)?);
    }
    let refuse = |reason| Err(EngineError::UndoRefused { operation: target, reason });
    let undos = Undos::of(&later);
    if let Some(undo) = undos.standing_undo_of(&call.project, target) {
        return refuse(format!("operation {undo} already took it back"));
    }
    let standing = undos.standing_operations(&later, &call.project);
    if standing.is_empty() {
        return Ok(());
    }
    refuse(format!("later operations touched the same lesson: {}", standing.join(", ")))
}

/// A token that was revoked must not come back by the way.
fn changes_team(entry: &Entry) -> bool {
    matches!(&entry.change, Change::EditProject { before, after } if before.team != after.team)
}

/// Whether it is about money that was spent on a model.
fn is_asked(entry: &Entry) -> bool {
    matches!(entry.change, Change::AddConsultation { .. } | Change::EditConsultation { .. })
}

fn newest_undoable(memory: &Memory, call: &Call) -> Result<OperationId> {
    let mut limit = 256;
    loop {
        let query = JournalQuery {
            only_memory: true,
            newest_first: true,
            limit: Some(limit),
            ..JournalQuery::default()
        };
        let entries = memory.store.journal(&call.project, &query)?;
        let undos = Undos::of(&entries);
        let is_undoable = |entry: &&Entry| {
            // What others did to a foreign store is undone only if it is named.
            let is_theirs = foreign_system(&memory.settings) == Some(entry.head.command.as_str());
            let is_own = entry.project == call.project && !is_theirs;
            let is_own = is_own && entry.head.undoes.is_none();
            let undo = undos.standing_undo_of(&entry.project, entry.operation);
            is_own && !is_asked(entry) && !changes_team(entry) && undo.is_none()
        };
        if let Some(entry) = entries.iter().find(is_undoable) {
            return Ok(entry.operation);
        }
        if entries.len() < limit {
            return Err(EngineError::NothingToUndo);
        }
        limit *= 4;
    }
}
