//! How is a text removed from the file? From every row and every journal payload in one
//! transaction; then from the log and, if necessary, from the pages that were freed. Deleted
//! cells are overwritten (`secure_delete`), but a page that was rebuilt may hold an old copy
//! in its gap: only rewriting all pages removes that.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::change::{Change, Erasure, Row, Tables};
use hardwon_core::effect::Injection;
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::text::{Text, TextId};
use rusqlite::{Connection, Result, params};

use super::beside::{log_path, queue_path, with_suffix};
use super::connection::BUSY_LIMIT;
use super::rows::{self, all, one, run, to_json};
use super::{journal, tables, tally};
use crate::{Scoured, queue};

/// Texts of findings that were recognized as the lesson, and blocks that showed it.
pub(super) fn texts_about(db: &Connection, lesson: &LessonId) -> Result<BTreeSet<TextId>> {
    let id = lesson.as_str();
    let mut texts = BTreeSet::new();
    let found: Vec<Finding> = rows::select(db, "WHERE lesson = ?1", [id])?;
    texts.extend(found.iter().map(|finding| finding.text.id().clone()));
    let rest = "
        JOIN showings USING (project, run, role, need)
        WHERE showings.lesson = ?1";
    let shown: Vec<Injection> = rows::select(db, rest, [id])?;
    texts.extend(shown.iter().map(|injection| injection.block.id().clone()));
    texts.remove(Text::erased().id());
    Ok(texts)
}

/// Which of these texts another lesson says.
pub(super) fn said_by_others(
    db: &Connection,
    texts: &BTreeSet<TextId>,
    lesson: &LessonId,
) -> Result<BTreeSet<TextId>> {
    let sql = "
        SELECT body ->> '$.text' AS said FROM lessons WHERE id <> ?2 AND said IN struck
        UNION
        SELECT body ->> '$.extra' AS said FROM lessons WHERE id <> ?2 AND said IN struck";
    let params = params![to_json(texts), lesson.as_str()];
    let said = all(db, &format!("{STRUCK} {sql}"), params, |row| row.get::<_, String>(0))?;
    Ok(said.iter().map(|id| Text::unfilled(id).id().clone()).collect())
}

/// Applies the erasures among the changes to existing rows and entries.
pub(super) fn erase(db: &Connection, changes: &[Change]) -> Result<()> {
    for change in changes {
        if let Change::Erase { erasure } = change {
            let before = touched(db, erasure)?;
            let mut after = before.clone();
            after.erase(erasure);
            tables::write(db, &before, &after, &|id| tables::known_key(db, id))?;
            strike_journal(db, erasure)?;
            tally::drop_words(db)?;
            for id in &erasure.texts {
                run(db, "DELETE FROM texts WHERE id = ?1", [id.as_str()])?;
            }
        }
    }
    Ok(())
}

/// Every row that an erasure may change. Where responses alone are struck, as happens while runs
/// are learned, those of these deliberations; otherwise all there are.
fn touched(db: &Connection, erasure: &Erasure) -> Result<Tables> {
    let texts = to_json(&erasure.texts);
    let sql = "
        SELECT EXISTS (SELECT 1 FROM findings WHERE body ->> '$.text' IN struck)
            OR EXISTS (SELECT 1 FROM attempts WHERE body ->> '$.approach' IN struck)
            OR EXISTS (SELECT 1 FROM injections WHERE body ->> '$.block' IN struck)
            OR EXISTS (SELECT 1 FROM lessons
                       WHERE body ->> '$.text' IN struck OR body ->> '$.extra' IN struck)";
    let strikes_more = !erasure.words.is_empty()
        || erasure.takes_remarks
        || one(db, &format!("{STRUCK} {sql}"), [&texts], |row| row.get(0))?.unwrap_or(true);
    if strikes_more {
        return tables::load(db);
    }
    let sql = "
        SELECT projects.id, deliberations.key FROM deliberations
        JOIN projects ON projects.key = project WHERE body ->> '$.response' IN struck";
    let mut tables = Tables::default();
    let found = all(db, &format!("{STRUCK} {sql}"), [&texts], |row| {
        Ok((ProjectId::new(row.get_ref(0)?.as_str()?), row.get::<_, i64>(1)?))
    })?;
    for (project, key) in found {
        let row = rows::deliberation::with_key(db, key)?;
        tables.deliberations.extend(row.map(|row| (row.key_in(&project), row)));
    }
    Ok(tables)
}

/// The texts that are struck, as JSON.
const STRUCK: &str = "WITH struck AS (SELECT value AS id FROM json_each(?1))";

fn strike_journal(db: &Connection, erasure: &Erasure) -> Result<()> {
    let mut struck = Vec::new();
    journal::every(db, |mut placed| {
        if erasure.strike(&mut placed.entry.change) {
            struck.push((placed.place, placed.entry.change));
        }
    })?;
    for (place, change) in struck {
        let payload = serde_json::to_string(&change).expect("a change can be written as JSON");
        let sql = "UPDATE journal SET payload = ?2 WHERE sequence = ?1";
        run(db, sql, params![place as i64, payload])?;
    }
    Ok(())
}

/// Empties the log; `deep` rewrites every page before.
pub(super) fn scour(path: &Path, db: &Connection, deep: bool) -> Result<Scoured> {
    db.busy_timeout(BUSY_LIMIT)?;
    let mut scoured = Scoured::default();
    // Statements kept ready would hold the store open against the vacuum.
    db.flush_prepared_statement_cache();
    if deep && db.execute_batch("VACUUM").is_err() {
        scoured.not_done.push(held("its pages could not be written anew"));
    }
    // A process that only reads holds the log as well, and may do so for long.
    db.busy_timeout(std::time::Duration::from_secs(2))?;
    let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
    let is_busy = db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap_or(1) != 0;
    if is_busy {
        scoured.not_done.push(held("its log could not be emptied"));
    }
    db.busy_timeout(BUSY_LIMIT)?;
    (scoured.files, scoured.backups) = files(path);
    Ok(scoured)
}

fn held(what: &str) -> String {
    format!("another process holds the store, so {what}; end it and do this again")
}

/// The store's own files, and copies of older states beside it.
fn files(path: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let own = [path.to_owned(), log_path(path), with_suffix(path, "-shm")];
    let queue = queue_path(path);
    let queued = [queue::waiting(&queue), queue::waiting(&queue::aside_folder(&queue))].concat();
    let own = own.into_iter().chain(queued).filter(|file| file.exists()).collect();
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
