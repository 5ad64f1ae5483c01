//! How does a text leave the file? Out of every row and every journal payload in the
//! transaction that says so; then out of the log and, if need be, out of the pages that
//! were given up. Deleted cells are overwritten (`secure_delete`), but a page that was
//! rebuilt may hold an old copy in its gap: only writing all pages anew removes that.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::change::{Change, Erasure};
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::text::{Text, TextId};
use rusqlite::{Connection, Result, params};

use super::connection::{BUSY_LIMIT, log_path, with_suffix};
use super::rows::{self, GLOBAL, ProjectKey, all, lesson::select_lessons, one, run};
use super::{index, journal};
use crate::Scoured;

/// Texts of findings that were recognized as the lesson, and blocks that showed it.
pub(super) fn texts_about(connection: &Connection, lesson: &LessonId) -> Result<BTreeSet<TextId>> {
    let sql = "
        SELECT texts.id FROM findings JOIN texts ON texts.key = findings.text WHERE lesson = ?1
        UNION
        SELECT texts.id FROM showings JOIN injections USING (project, run, role, need)
        JOIN texts ON texts.key = block WHERE showings.lesson = ?1";
    let ids: Vec<String> = all(connection, sql, [lesson.as_str()], |row| row.get(0))?;
    let ids = ids.iter().map(|id| Text::unfilled(id).id().clone());
    Ok(ids.filter(|id| id != Text::erased().id()).collect())
}

/// Whether another lesson says this.
pub(super) fn is_of_other(
    connection: &Connection,
    text: &TextId,
    lesson: &LessonId,
) -> Result<bool> {
    let sql = "
        SELECT 1 FROM lessons JOIN texts ON texts.key IN (lessons.text, lessons.extra)
        WHERE texts.id = ?1 AND lessons.id <> ?2 LIMIT 1";
    Ok(one(connection, sql, params![text.as_str(), lesson.as_str()], |_| Ok(()))?.is_some())
}

/// Does what the changes say about rows and entries that are there.
pub(super) fn erase(connection: &Connection, changes: &[Change]) -> Result<()> {
    for change in changes {
        if let Change::Erase { erasure } = change {
            strike_rows(connection, erasure)?;
            strike_lessons(connection, erasure)?;
            strike_journal(connection, erasure)?;
            for id in &erasure.texts {
                run(connection, "DELETE FROM texts WHERE id = ?1", [id.as_str()])?;
            }
        }
    }
    Ok(())
}

fn strike_rows(connection: &Connection, erasure: &Erasure) -> Result<()> {
    let keys = all(connection, "SELECT key FROM projects", [], |row| row.get(0).map(ProjectKey))?;
    for key in keys {
        for mut run in rows::run::of_project(connection, key)? {
            if erasure.strike(&mut run) {
                rows::run::write(connection, key, &run.id, Some(&run))?;
            }
        }
        for before in rows::finding::of_project(connection, key)? {
            let mut after = before.clone();
            if erasure.strike(&mut after) {
                rows::finding::write(connection, key, &after.run, &after.key, Some(&after))?;
                index::replace_finding(connection, key, Some(&before), Some(&after))?;
            }
        }
        for before in rows::injection::of_project(connection, key)? {
            let mut after = before.clone();
            if erasure.strike(&mut after) {
                let own = after.key();
                rows::injection::write(connection, key, &own, Some(&before), Some(&after))?;
            }
        }
        for mut effect in rows::effect::of_project(connection, key)? {
            if erasure.strike(&mut effect) {
                let (root, lesson) = (&effect.root, &effect.lesson);
                rows::effect::write(connection, key, root, lesson, Some(&effect))?;
            }
        }
    }
    Ok(())
}

fn strike_lessons(connection: &Connection, erasure: &Erasure) -> Result<()> {
    let lessons = all(connection, select_lessons!("ORDER BY lessons.id"), [], rows::lesson::read)?;
    for before in lessons {
        let mut after = before.clone();
        if erasure.strike(&mut after) {
            let owner = owner(connection, before.project.as_ref())?;
            rows::lesson::write(connection, owner, Some(&before), Some(&after))?;
            index::replace_lesson(connection, owner, Some(&before), Some(&after))?;
        }
    }
    Ok(())
}

fn owner(connection: &Connection, project: Option<&ProjectId>) -> Result<ProjectKey> {
    let Some(project) = project else { return Ok(GLOBAL) };
    super::read::project_key(connection, project)?.ok_or(rusqlite::Error::QueryReturnedNoRows)
}

fn strike_journal(connection: &Connection, erasure: &Erasure) -> Result<()> {
    let mut struck = Vec::new();
    journal::every(connection, |mut entry| {
        if erasure.strike(&mut entry.change) {
            struck.push((entry.sequence, entry.change));
        }
    })?;
    for (sequence, change) in struck {
        let payload = serde_json::to_string(&change).expect("a change can be written as JSON");
        let sql = "UPDATE journal SET payload = ?2 WHERE sequence = ?1";
        run(connection, sql, params![sequence as i64, payload])?;
    }
    Ok(())
}

/// Empties the log; `deep` writes every page anew before.
pub(super) fn scour(path: &Path, connection: &Connection, deep: bool) -> Result<Scoured> {
    connection.busy_timeout(BUSY_LIMIT)?;
    let mut scoured = Scoured::default();
    // Statements kept ready would hold the store open against the vacuum.
    connection.flush_prepared_statement_cache();
    if deep && connection.execute_batch("VACUUM").is_err() {
        scoured.not_done.push(held("its pages could not be written anew"));
    }
    // Whoever only reads holds the log as well, and may do so for long.
    connection.busy_timeout(std::time::Duration::from_secs(2))?;
    let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
    let is_busy = connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap_or(1) != 0;
    if is_busy {
        scoured.not_done.push(held("its log could not be emptied"));
    }
    connection.busy_timeout(BUSY_LIMIT)?;
    (scoured.files, scoured.backups) = files(path);
    Ok(scoured)
}

fn held(what: &str) -> String {
    format!("another process holds the store, so {what}; end it and do this again")
}

/// The store's own files, and copies of older states beside it.
fn files(path: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let own = [path.to_owned(), log_path(path), with_suffix(path, "-shm")];
    let own = own.into_iter().filter(|file| file.exists()).collect();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let prefix = format!("{}.", name.unwrap_or_default());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten();
    let mut backups: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
        .map(|entry| entry.path())
        .collect();
    backups.sort();
    (own, backups)
}
