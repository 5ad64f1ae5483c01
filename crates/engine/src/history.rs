//! What was done, by whom and why; and taking it back.

use std::collections::BTreeSet;

use hardwon_core::answer::{Answer, History, Undone};
use hardwon_core::change::{Change, Entry};
use hardwon_core::ids::{LessonId, OperationId};
use hardwon_store::{JournalQuery, StoreError};

use crate::Engine;
use crate::error::EngineError;
use crate::write::Command;

impl Engine {
    /// The journal, newest first: of one lesson, or of the whole project without the
    /// injections.
    pub fn history(
        &self,
        lesson: Option<&str>,
        limit: Option<usize>,
    ) -> Result<Answer<History>, EngineError> {
        let lesson = lesson.map(|name| self.lesson_named(name)).transpose()?;
        let query = JournalQuery {
            lesson: lesson.map(|lesson| lesson.id),
            only_memory: true,
            newest_first: true,
            limit,
            ..JournalQuery::default()
        };
        let entries = self.store.journal(&self.project, &query)?;
        let is_empty = entries.is_empty();
        Ok(Answer::of(History { entries }, Vec::new()).or_empty(is_empty))
    }

    /// Takes an operation back by writing the inverse of all it wrote; the newest one
    /// that was not taken back yet if none is named. Refused if a later operation
    /// touched the same lesson.
    pub fn undo(&mut self, operation: Option<OperationId>) -> Result<Answer<Undone>, EngineError> {
        let target = match operation {
            Some(operation) => operation,
            None => self.newest_undoable()?,
        };
        let command = Command { undoes: Some(target), ..Command::new("undo") };
        let written = self.write(&command, &mut |engine, _| engine.inverse_of(target));
        let refuse = |reason: String| EngineError::UndoRefused { operation: target, reason };
        let (_, undone) = written.map_err(|error| match error {
            EngineError::Store(StoreError::Mismatch(mismatch)) => {
                refuse(format!("a later operation built on it: {mismatch}"))
            }
            other => other,
        })?;
        Ok(Answer::of(undone, Vec::new()))
    }

    fn inverse_of(&self, target: OperationId) -> Result<(Vec<Change>, Undone), EngineError> {
        let query = JournalQuery { operation: Some(target), ..JournalQuery::default() };
        let entries = self.store.journal(&self.project, &query)?;
        let is_own = |entry: &&Entry| entry.project == self.project;
        let Some(first) = entries.first().filter(is_own) else {
            return Err(EngineError::UnknownOperation(target));
        };
        if !entries.iter().any(|entry| entry.change.touches_memory()) {
            let reason = "it only recorded what was shown, which stays true".to_owned();
            return Err(EngineError::UndoRefused { operation: target, reason });
        }
        let mut lessons: Vec<LessonId> = Vec::new();
        for lesson in entries.iter().filter_map(|entry| entry.change.lesson()) {
            if !lessons.contains(lesson) {
                lessons.push(lesson.clone());
            }
        }
        self.refuse_if_built_upon(target, &lessons)?;
        let command = first.head.command.clone();
        let changes = entries.iter().rev().map(|entry| entry.change.inverse()).collect();
        Ok((changes, Undone { operation: target, command, lessons }))
    }

    fn refuse_if_built_upon(
        &self,
        target: OperationId,
        lessons: &[LessonId],
    ) -> Result<(), EngineError> {
        let mut later: Vec<Entry> = Vec::new();
        for lesson in lessons {
            let query = JournalQuery {
                lesson: Some(lesson.clone()),
                after: Some(target),
                only_memory: true,
                ..JournalQuery::default()
            };
            later.extend(self.store.journal(&self.project, &query)?);
        }
        let refuse = |reason| Err(EngineError::UndoRefused { operation: target, reason });
        if let Some(undo) = later.iter().find(|entry| entry.head.undoes == Some(target)) {
            return refuse(format!("operation {} already took it back", undo.operation));
        }
        let standing = standing_operations(&later);
        if standing.is_empty() {
            return Ok(());
        }
        refuse(format!("later operations touched the same lesson: {}", standing.join(", ")))
    }

    fn newest_undoable(&self) -> Result<OperationId, EngineError> {
        let mut undone: BTreeSet<OperationId> = BTreeSet::new();
        let mut limit = 256;
        loop {
            let query = JournalQuery {
                only_memory: true,
                newest_first: true,
                limit: Some(limit),
                ..JournalQuery::default()
            };
            let entries = self.store.journal(&self.project, &query)?;
            for entry in entries.iter().filter(|entry| entry.project == self.project) {
                match entry.head.undoes {
                    Some(target) => drop(undone.insert(target)),
                    None if !undone.contains(&entry.operation) => return Ok(entry.operation),
                    None => {}
                }
            }
            if entries.len() < limit {
                return Err(EngineError::NothingToUndo);
            }
            limit *= 4;
        }
    }
}

/// Later operations that still stand: neither an undo nor undone.
fn standing_operations(later: &[Entry]) -> Vec<String> {
    let undone: BTreeSet<OperationId> = later.iter().filter_map(|e| e.head.undoes).collect();
    let stands = |entry: &&Entry| entry.head.undoes.is_none() && !undone.contains(&entry.operation);
    let mut seen: BTreeSet<OperationId> = BTreeSet::new();
    let first_of_each = later.iter().filter(stands).filter(|entry| seen.insert(entry.operation));
    first_of_each.map(|entry| format!("{} ({})", entry.operation, entry.head.command)).collect()
}
