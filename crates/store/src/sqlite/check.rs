//! Is the store consistent? Compares what is stored twice: bodies with their digests, the
//! tables with the replayed journal, the index and the columns kept for queries with the
//! lessons. An error during a check is a fault, too.
//!
//! The journal is the source of truth: first it is checked whether it is complete, and only
//! a complete one is compared with the tables.

use hardwon_core::lesson::State;
use hardwon_core::text::Text;
use rusqlite::{Connection, Result};

use super::rows::{all, one};
use super::{derived, replay, tables};
use crate::Fault;
use crate::replay::named;

/// Every check, in its order.
pub(super) const CHECKS: &[&str] = &["integrity", "texts", "journal", "tables", "index"];

/// Those that need nothing of a schema but what every one has.
pub(super) const CHECKS_OF_ANY_SCHEMA: &[&str] = &["integrity", "texts"];

/// Everything that is wrong, by these checks; `begins` is called with the name of each.
pub(super) fn faults(
    db: &Connection,
    checks: &[&'static str],
    begins: &mut dyn FnMut(&'static str),
) -> Vec<Fault> {
    let mut faults = Faults::default();
    // Everything is compared as of one moment, whoever writes meanwhile.
    let _snapshot = db.is_autocommit().then(|| db.unchecked_transaction());
    for check in checks.iter().filter(|check| CHECKS_OF_ANY_SCHEMA.contains(check)) {
        begins(check);
        faults.take(check, if *check == "texts" { texts(db) } else { integrity(db) });
    }
    if checks.contains(&"journal") {
        begins("journal");
        against_journal(db, &mut faults, begins);
    }
    faults.0
}

fn against_journal(db: &Connection, faults: &mut Faults, begins: &mut dyn FnMut(&'static str)) {
    let (replayed, stored) = (replay::replay(db), tables::load(db));
    begins("tables");
    let complete = match replayed {
        Err(error) => {
            faults.take("journal", Err(error));
            None
        }
        Ok(replayed) if replayed.faults.is_empty() => Some(replayed),
        Ok(replayed) => {
            faults.take("journal", Ok(replayed.faults));
            None
        }
    };
    let stored = match stored {
        Ok(stored) => stored,
        Err(error) => return faults.take("tables", Err(error)),
    };
    if let Some(replayed) = complete {
        of_complete_journal(db, replayed.differences(&stored), faults);
    }
    begins("index");
    faults.take("index", derived::faults(db, &stored));
}

fn of_complete_journal(db: &Connection, mut found: Vec<String>, faults: &mut Faults) {
    // A journal that was cut off at its end has no gap, but an operation without entries.
    match idle_operations(db) {
        Ok(idle) if !found.is_empty() && !idle.is_empty() => faults.take("journal", Ok(idle)),
        _ => {
            found.extend(dangling(db).unwrap_or_default());
            faults.take("tables", Ok(found));
        }
    }
}

#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    fn take(&mut self, check: &'static str, verdict: Result<Vec<String>>) {
        let found = verdict.unwrap_or_else(|error| vec![error.to_string()]);
        self.0.extend(named(check, found));
    }
}

fn integrity(db: &Connection) -> Result<Vec<String>> {
    let mut lines: Vec<String> = all(db, "PRAGMA integrity_check", [], |row| row.get(0))?;
    lines.retain(|line| line != "ok");
    Ok(lines)
}

/// Rows that point to nothing.
fn dangling(db: &Connection) -> Result<Vec<String>> {
    all(db, "PRAGMA foreign_key_check", [], |row| {
        Ok(format!("a row of {} points to nothing", row.get::<_, String>(0)?))
    })
}

/// Operations that no entry belongs to any more.
fn idle_operations(db: &Connection) -> Result<Vec<String>> {
    let sql = "
        SELECT operations.number, projects.id FROM operations
        JOIN projects ON projects.key = operations.project
        WHERE operations.id NOT IN (SELECT operation FROM journal) ORDER BY operations.id";
    all(db, sql, [], |row| {
        let (number, project): (i64, String) = (row.get(0)?, row.get(1)?);
        Ok(format!("the entries of operation {number} of project {project} are missing"))
    })
}

fn texts(db: &Connection) -> Result<Vec<String>> {
    let edited = edited_texts(db)?;
    let edited =
        edited.iter().map(|id| Ok(format!("the words of {} were edited", owner_of_text(db, id)?)));
    edited.chain(gone(db)?.into_iter().map(Ok)).collect()
}

/// Lessons in use whose text has no body. An erased lesson points to another text, and one
/// that is put away needs none.
fn gone(db: &Connection) -> Result<Vec<String>> {
    let sql = "
        SELECT lessons.id, state FROM lessons
        LEFT JOIN texts ON texts.id = lessons.body ->> '$.text'
        WHERE texts.body IS NULL AND lessons.body ->> '$.text' IS NOT ?1
        ORDER BY lessons.id";
    let erased = Text::erased();
    let found: Vec<(String, String)> =
        all(db, sql, [erased.id().as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let is_wanted = |state: &str| !State::from_word(state).is_some_and(State::is_put_away);
    let wanted = found.into_iter().filter(|(_, state)| is_wanted(state));
    Ok(wanted.map(|(id, _)| format!("the words of lesson {id} are gone")).collect())
}

/// The row to which a text belongs.
fn owner_of_text(db: &Connection, id: &str) -> Result<String> {
    let sql = "
        SELECT 'lesson ' || id FROM lessons WHERE instr(body, ?1) > 0
        UNION ALL
        SELECT 'a finding of run ' || run FROM findings WHERE instr(body, ?1) > 0
        UNION ALL
        SELECT 'a block shown to run ' || run FROM injections WHERE instr(body, ?1) > 0
        UNION ALL
        SELECT 'deliberation ' || id FROM deliberations WHERE instr(body, ?1) > 0
        UNION ALL
        SELECT 'attempt ' || id FROM attempts WHERE instr(body, ?1) > 0
        LIMIT 1";
    let owner = one(db, sql, [id], |row| row.get(0))?;
    Ok(owner.unwrap_or_else(|| format!("text {id}")))
}

/// Ids of texts whose body does not have the digest in the id.
pub(super) fn edited_texts(db: &Connection) -> Result<Vec<String>> {
    let mut edited = Vec::new();
    let mut statement = db.prepare("SELECT id, body FROM texts WHERE body NOT NULL")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: String = row.get(0)?;
        if !Text::unfilled(&id).fill(row.get_ref(1)?.as_str()?) {
            edited.push(id);
        }
    }
    Ok(edited)
}
