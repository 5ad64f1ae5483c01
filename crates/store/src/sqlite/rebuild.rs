//! How are tables and index restored from the journal? Everything derived is deleted and
//! written again from the replayed journal, in one transaction. Only a complete journal is trusted: otherwise the tables stay as they are, and only the index is written again.
//!
//! Texts that were edited or removed in the file come back from a backup that has the
//! original, as the digest shows. Lessons whose text no backup has are reported.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hardwon_core::change::Tables;
use hardwon_core::lesson::Lesson;
use hardwon_core::text::Text;
use rusqlite::{Connection, Result, params};

use super::doubt;
use super::replay;
use super::rows::{one, run};
use super::{check, connection, tables};
use crate::Rebuilt;
use crate::replay::Replayed;
use crate::rows::TABLES;

/// Tables of which every row follows from rows.
const KEPT_FOR_QUERIES: &str = "seen_at facets trials rates lesson_terms finding_terms \
                                deliberation_terms deliberation_sums terms aliases showings \
                                checkouts teams";

/// Rebuilds inside the caller's transaction.
pub(super) fn rebuild(db: &Connection, copies: &[PathBuf]) -> Result<Rebuilt> {
    let mut rebuilt = Rebuilt::default();
    let copies = Copies::new(copies.to_vec());
    repair_edited(db, &copies, &mut rebuilt)?;
    let mut replayed = replay::replay(db);
    if let Ok(Replayed { tables, .. }) = &replayed
        && put_back_missing(db, tables, &copies, &mut rebuilt)?
    {
        replayed = replay::replay(db);
    }
    let rows = match replayed {
        Ok(Replayed { tables, faults }) if faults.is_empty() => {
            rebuilt.done.push("tables and index written anew from the journal".to_owned());
            rebuilt.doubted = doubt::doubted(db, &tables)?;
            tables
        }
        Ok(_) | Err(_) => {
            rebuilt.done.push("index written anew from the tables".to_owned());
            tables::load(db)?
        }
    };
    rebuilt.lost = without_words(&rows);
    write_anew(db, &rows)?;
    Ok(rebuilt)
}

/// Writes everything that follows from others again.
pub(super) fn write_anew(db: &Connection, source: &Tables) -> Result<()> {
    clear(db)?;
    tables::write(db, &Tables::default(), source, &|id| tables::known_key(db, id))?;
    run(db, "UPDATE projects SET revision = revision + 1", []).map(drop)
}

/// Lessons whose words are gone without an erasure.
pub(super) fn without_words(source: &Tables) -> Vec<Lesson> {
    source.lessons.values().filter(|lesson| is_missing(&lesson.text)).cloned().collect()
}

/// Whether the body is gone without an erasure.
fn is_missing(text: &Text) -> bool {
    text.body().is_none() && text.id() != Text::erased().id()
}

/// Restores the original body of each text that was edited in the file, or removes it.
fn repair_edited(db: &Connection, copies: &Copies, rebuilt: &mut Rebuilt) -> Result<()> {
    for id in check::edited_texts(db)? {
        let sql = "UPDATE texts SET body = ?2 WHERE id = ?1";
        match copies.original(&id) {
            Some((name, body)) => {
                run(db, sql, params![id, body])?;
                rebuilt.done.push(format!("the words of text {id} put back from {name}"));
            }
            None => {
                run(db, sql, params![id, None::<String>])?;
                rebuilt.done.push(format!("the edited words of text {id} taken away"));
            }
        }
    }
    Ok(())
}

/// Restores texts that the journal names and that have no body. Says whether there were any.
pub(super) fn put_back_missing(
    db: &Connection,
    tables: &Tables,
    copies: &Copies,
    rebuilt: &mut Rebuilt,
) -> Result<bool> {
    let n_done = rebuilt.done.len();
    for id in missing_texts(tables) {
        let Some((name, body)) = copies.original(&id) else { continue };
        let sql = "INSERT INTO texts (id, body) VALUES (?1, ?2)
                   ON CONFLICT (id) DO UPDATE SET body = excluded.body";
        run(db, sql, params![id, body])?;
        rebuilt.done.push(format!("the words of text {id} put back from {name}"));
    }
    Ok(rebuilt.done.len() > n_done)
}

/// Texts of rows that have no body.
fn missing_texts(tables: &Tables) -> BTreeSet<String> {
    let of_lessons = tables.lessons.values().flat_map(|l| l.extra.iter().chain([&l.text]));
    let of_findings = tables.findings.values().map(|finding| &finding.text);
    let blocks = tables.injections.values().map(|injection| &injection.block);
    let responses = tables.deliberations.values().map(|it| &it.response);
    let answers = responses.chain(tables.attempts.values().map(|it| &it.approach));
    let texts =
        of_lessons.chain(of_findings).chain(blocks).chain(answers).filter(|text| is_missing(text));
    texts.map(|text| text.id().as_str().to_owned()).collect()
}

/// The backups that can be read, with their names, from when they are first needed on.
pub(super) struct Copies {
    paths: Vec<PathBuf>,
    opened: OnceCell<Vec<(String, Connection)>>,
}

impl Copies {
    pub fn new(paths: Vec<PathBuf>) -> Self {
        Copies { paths, opened: OnceCell::new() }
    }

    fn opened(&self) -> &[(String, Connection)] {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into();
        let open = |path: &PathBuf| Some((name(path), connection::open_copy(path).ok()?));
        self.opened.get_or_init(|| self.paths.iter().filter_map(open).collect())
    }

    /// The original body of a text, from the newest backup that has it.
    fn original(&self, id: &str) -> Option<(&str, String)> {
        let sql = "SELECT body FROM texts WHERE id = ?1";
        self.opened().iter().find_map(|(name, copy)| {
            let body: String = one(copy, sql, [id], |row| row.get(0)).ok()?.flatten()?;
            Text::unfilled(id).fill(&body).then_some((name.as_str(), body))
        })
    }
}

fn clear(db: &Connection) -> Result<()> {
    for table in KEPT_FOR_QUERIES.split(' ').chain(TABLES.iter().copied()) {
        db.execute(&format!("DELETE FROM {table}"), [])?;
    }
    let sql = "UPDATE projects SET name = NULL, lineage = NULL, n_lessons = 0, n_fixed = 0";
    run(db, sql, []).map(drop)
}
