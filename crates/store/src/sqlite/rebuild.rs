//! How are tables and index restored from the journal? Everything derived is deleted and
//! written again from the replayed journal, in one transaction, part by part. Only a complete
//! journal is trusted: otherwise the tables stay as they are, and only the index is written again.
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
use super::found::Told;
use super::parts::{Held, Parts};
use super::rows::{one, run};
use super::{check, connection, tables};
use crate::{Doubted, Rebuilt};

/// Tables of which every row follows from rows.
const KEPT_FOR_QUERIES: &[&str] = &[
    "seen_at",
    "facets",
    "trials",
    "rates",
    "lesson_terms",
    "finding_terms",
    "deliberation_terms",
    "deliberation_sums",
    "terms",
    "aliases",
    "showings",
    "checkouts",
    "teams",
];

/// Tables of which every row follows from the journal.
const ROWS: &[&str] = &[
    "tombstones",
    "consultations",
    "attempts",
    "deliberations",
    "effects",
    "injections",
    "findings",
    "lessons",
    "runs",
];

/// Rebuilds inside the caller's transaction.
pub(super) fn rebuild(db: &Connection, copies: &[PathBuf]) -> Result<Rebuilt> {
    let mut rebuilt = Rebuilt::default();
    let copies = Copies::new(copies.to_vec());
    repair_edited(db, &copies, &mut rebuilt)?;
    let mut given = Given::by_journal(db);
    if let Ok(Given { missing, .. }) = &given
        && put_back(db, missing, &copies, &mut rebuilt)?
    {
        given = Given::by_journal(db);
    }
    match given {
        Ok(Given { parts, misfits, doubted, lost, .. }) if misfits.is_empty() => {
            rebuilt.done.push("tables and index written anew from the journal".to_owned());
            rebuilt.doubted = doubted?;
            rebuilt.lost = lost;
            from_journal(db, &parts)?;
        }
        Ok(_) | Err(_) => {
            rebuilt.done.push("index written anew from the tables".to_owned());
            rebuilt.lost = from_tables(db)?;
        }
    }
    rebuilt.lost.sort_by(|a, b| a.id.cmp(&b.id));
    rebuilt.doubted.sort_by(|a, b| a.lesson.id.cmp(&b.lesson.id));
    count_revision(db)?;
    Ok(rebuilt)
}

/// What the journal gives, as far as it has to be known before anything is deleted.
pub(super) struct Given {
    parts: Parts,
    pub misfits: Told,
    /// Texts without a body.
    missing: BTreeSet<String>,
    pub doubted: Result<Vec<Doubted>>,
    pub lost: Vec<Lesson>,
}

impl Given {
    /// Errors: an entry cannot be read.
    pub fn by_journal(db: &Connection) -> Result<Given> {
        let parts = Parts::of(db)?;
        let mut misfits = parts.gaps();
        let (mut missing, mut lost) = (BTreeSet::new(), Vec::new());
        let mut doubted = Ok(Vec::new());
        for part in parts.each() {
            let replayed = parts.replay(db, part, &mut misfits)?;
            missing.extend(missing_texts(&replayed));
            lost.extend(without_words(&replayed));
            match (doubt::doubted(db, &replayed), &mut doubted) {
                (Ok(found), Ok(doubted)) => doubted.extend(found),
                (Err(error), Ok(_)) => doubted = Err(error),
                (_, Err(_)) => {}
            }
        }
        Ok(Given { parts, misfits: misfits.into(), missing, doubted, lost })
    }
}

/// Writes everything anew that the journal gives.
fn from_journal(db: &Connection, parts: &Parts) -> Result<()> {
    clear(db)?;
    for part in parts.each() {
        let replayed = parts.replay(db, part, &mut parts.gaps())?;
        add(db, &replayed)?;
    }
    Ok(())
}

/// Writes everything anew from the rows themselves. Gives the lessons without words.
fn from_tables(db: &Connection) -> Result<Vec<Lesson>> {
    let mut lost = Vec::new();
    let described = Tables { projects: tables::described(db)?, ..Tables::default() };
    clear_kept(db)?;
    for owner in tables::owners(db)? {
        let mut stored = Tables::default();
        tables::add_owner(db, &owner, &mut stored)?;
        let stored = Held::new(stored);
        lost.extend(without_words(&stored));
        for table in ROWS {
            run(db, &format!("DELETE FROM {table} WHERE project = ?1"), [owner.key])?;
        }
        add(db, &stored)?;
    }
    // What belongs to no project is in no answer.
    for table in ROWS {
        let sql = format!("DELETE FROM {table} WHERE project NOT IN (SELECT key FROM projects)");
        db.execute(&sql, [])?;
    }
    add(db, &described)?;
    Ok(lost)
}

/// Writes everything that follows from others again.
pub(super) fn write_anew(db: &Connection, source: &Tables) -> Result<()> {
    clear(db)?;
    add(db, source)?;
    count_revision(db)
}

/// Writes rows that are not there, and what follows from them.
fn add(db: &Connection, rows: &Tables) -> Result<()> {
    tables::write(db, &Tables::default(), rows, &|id| tables::known_key(db, id))
}

fn count_revision(db: &Connection) -> Result<()> {
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
    put_back(db, &missing_texts(tables), copies, rebuilt)
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

fn put_back(
    db: &Connection,
    ids: &BTreeSet<String>,
    copies: &Copies,
    rebuilt: &mut Rebuilt,
) -> Result<bool> {
    let n_done = rebuilt.done.len();
    for id in ids {
        let Some((name, body)) = copies.original(id) else { continue };
        let sql = "INSERT INTO texts (id, body) VALUES (?1, ?2)
                   ON CONFLICT (id) DO UPDATE SET body = excluded.body";
        run(db, sql, params![id, body])?;
        rebuilt.done.push(format!("the words of text {id} put back from {name}"));
    }
    Ok(rebuilt.done.len() > n_done)
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
    clear_kept(db)?;
    ROWS.iter().try_for_each(|table| db.execute(&format!("DELETE FROM {table}"), []).map(drop))
}

fn clear_kept(db: &Connection) -> Result<()> {
    for table in KEPT_FOR_QUERIES {
        db.execute(&format!("DELETE FROM {table}"), [])?;
    }
    let sql = "UPDATE projects SET name = NULL, lineage = NULL, n_lessons = 0, n_fixed = 0";
    run(db, sql, []).map(drop)
}
