//! Writes a project's memory as one file of ours: everything that the journal amounts to,
//! but not the journal itself. The same memory gives the same bytes.

use std::fs;

use hardwon_core::change::Tables;
use hardwon_core::event::Problem;
use hardwon_render::answer::{Answer, Exported, Unplaced};
use hardwon_render::export::{Rows, export};
use hardwon_store::JournalQuery;
use hardwon_store::files::{self, Mode, Place};

use super::OWN;
use crate::exports;
use crate::memory::{Call, EngineError, Memory, Result};
use crate::place::Environment;

/// The project's memory as a file of ours, and what is in it.
pub fn export_own(memory: &Memory, call: &Call) -> Result<(String, Exported)> {
    let (rows, wishes) = own_rows(memory, call)?.without_wishes();
    let (text, digest) = export(&call.project, &rows);
    let n_active = rows.lessons.iter().filter(|lesson| lesson.state.is_on_ladder()).count() as u64;
    let history = Unplaced {
        what: "history: a copy begins its own".to_owned(),
        n: memory.store.journal(&call.project, &JournalQuery::default())?.len() as u64,
        kept: "stays here".to_owned(),
    };
    let exported = Exported {
        to: OWN.to_owned(),
        n_active,
        n_archived: rows.lessons.len() as u64 - n_active,
        n_runs: rows.runs.len() as u64,
        unplaced: [history, wishes].into_iter().filter(|left| left.n > 0).collect(),
        digest: Some(digest),
        ..Exported::default()
    };
    Ok((text, exported))
}

/// Writes that file, whole or not at all. Another file is replaced only if it is an
/// export, or if the caller said so.
pub fn export_to_file(
    memory: &Memory,
    call: &Call,
    environment: &Environment,
    path: &str,
    may_replace: bool,
) -> Result<Answer<Exported>> {
    let path = environment.folder.join(path);
    if path.is_dir() {
        let source = std::io::Error::other("it is a folder; name a file in it");
        return Err(EngineError::NotWritten { path, source });
    }
    let unwritten = |source| EngineError::NotWritten { path: path.clone(), source };
    let place = Place::named_in(environment.checkout(), &path).map_err(unwritten)?;
    let is_empty = fs::metadata(&path).is_ok_and(|about| about.is_file() && about.len() == 0);
    let is_replaceable = !path.exists() || is_empty || exports::is_export_at(&path);
    if !may_replace && !is_replaceable {
        return Err(EngineError::NoOverwrite { path });
    }
    let (text, mut exported) = export_own(memory, call)?;
    // For the user alone: it holds what memory holds.
    files::replace(place, text.as_bytes(), Mode::PRIVATE).map_err(unwritten)?;
    exported.folder = path.display().to_string();
    let digest = exported.digest.as_deref().unwrap_or_default();
    let mut problems = Vec::new();
    if !exports::remember(environment, &path, call.now, digest) {
        let reason = "that it was written could not be noted, so `forget --hard` will not \
                      look at it";
        problems.push(Problem::new(path.display(), reason));
    }
    Ok(Answer::of(exported, problems).empty_if(|it| it.n_active + it.n_archived == 0))
}

/// Everything of the project, and the global lessons.
fn own_rows(memory: &Memory, call: &Call) -> Result<Rows> {
    let mut lessons = memory.store.lessons(&call.project, &Default::default())?;
    lessons.sort_by(|a, b| a.id.cmp(&b.id));
    let Tables { runs, findings, injections, effects, .. } = own_tables(memory, call)?;
    Ok(Rows {
        lessons,
        runs: runs.into_values().collect(),
        findings: findings.into_values().collect(),
        injections: injections.into_values().collect(),
        effects: effects.into_values().collect(),
        tombstones: memory.store.tombstones(&call.project)?,
    })
}

/// What the project's journal amounts to: the one way to all of its rows.
pub(crate) fn own_tables(memory: &Memory, call: &Call) -> Result<Tables> {
    let mut tables = Tables::default();
    for entry in memory.store.journal(&call.project, &JournalQuery::default())? {
        if entry.project == call.project {
            // Of global lessons only some changes are ours: those are read as they are.
            let _ = tables.apply(&entry.project, &entry.change);
        }
    }
    Ok(tables)
}
