//! Is the store consistent? Compares what is stored twice: bodies with their digests, the
//! tables with the replayed journal, the index and the columns kept for queries with the
//! lessons. An error during a check is a fault, too.
//!
//! The journal is the source of truth: first it is checked whether it is complete, and only
//! a complete one is compared with the tables.

use std::collections::BTreeMap;

use hardwon_core::attempt::Attempt;
use hardwon_core::change::{Row, Tables, Tombstone};
use hardwon_core::consult::Consultation;
use hardwon_core::deliberation::Deliberation;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::project::Project;
use hardwon_core::run::Run;
use hardwon_core::text::Text;
use rusqlite::{Connection, Result};

use super::derived;
use super::found::{Found, Told};
use super::parts::Parts;
use super::rows::{all, one};
use crate::Fault;

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
        let verdict = if *check == "texts" { texts(db) } else { integrity(db) };
        faults.take(check, verdict.map(Told::from));
    }
    if checks.contains(&"journal") {
        begins("journal");
        against_journal(db, &mut faults, begins);
    }
    faults.0
}

fn against_journal(db: &Connection, faults: &mut Faults, begins: &mut dyn FnMut(&'static str)) {
    let compared = Parts::of(db).and_then(|parts| compare(db, &parts));
    begins("tables");
    match compared {
        Err(error) => faults.take("journal", Err(error)),
        Ok(Compared { misfits, differences }) => {
            let is_complete = misfits.is_empty();
            faults.take("journal", Ok(misfits));
            match differences {
                Err(error) => return faults.take("tables", Err(error)),
                Ok(found) if is_complete => of_complete_journal(db, found, faults),
                Ok(_) => {}
            }
        }
    }
    begins("index");
    match derived::faults(db) {
        Ok(found) => found.into_iter().for_each(|verdict| faults.take("index", verdict)),
        Err(error) => faults.take("tables", Err(error)),
    }
}

fn of_complete_journal(db: &Connection, found: Told, faults: &mut Faults) {
    // A journal that was cut off at its end has no gap, but an operation without entries.
    match (found.is_empty(), idle_operations(db)) {
        (false, Ok(idle)) if !idle.is_empty() => faults.take("journal", Ok(idle.into())),
        _ => faults.take("tables", Ok(found.and(dangling(db).unwrap_or_default()))),
    }
}

/// What the journal gives, beside what the tables have.
pub(super) struct Compared {
    /// Entries that are missing or do not fit.
    pub misfits: Told,
    /// Error: a row cannot be read.
    pub differences: Result<Told>,
}

/// Errors: an entry cannot be read.
pub(super) fn compare(db: &Connection, parts: &Parts) -> Result<Compared> {
    let mut misfits = parts.gaps();
    let mut differences = Ok(Differences::default());
    for part in parts.each() {
        let replayed = parts.replay(db, part, &mut misfits)?;
        match (parts.stored(db, part), &mut differences) {
            (Ok(stored), Ok(differences)) => differences.add(&replayed, &stored),
            (Err(error), Ok(_)) => differences = Err(error),
            (_, Err(_)) => {}
        }
    }
    Ok(Compared { misfits: misfits.into(), differences: differences.map(Told::from) })
}

#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    fn take(&mut self, check: &'static str, verdict: Result<Told>) {
        let found = verdict.unwrap_or_else(|error| vec![error.to_string()].into());
        let n_more = found.n - found.first.len();
        let more = (n_more > 0).then(|| format!("and {n_more} more"));
        let details = found.first.into_iter().chain(more);
        self.0.extend(details.map(|detail| Fault { check, detail }));
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
pub(super) fn idle_operations(db: &Connection) -> Result<Vec<String>> {
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

/// Rows that are not what the journal gives, by table.
#[derive(Default)]
struct Differences {
    runs: Found<<Run as Row>::Key>,
    findings: Found<<Finding as Row>::Key>,
    lessons: Found<<Lesson as Row>::Key>,
    injections: Found<<Injection as Row>::Key>,
    effects: Found<<Effect as Row>::Key>,
    deliberations: Found<<Deliberation as Row>::Key>,
    attempts: Found<<Attempt as Row>::Key>,
    consultations: Found<<Consultation as Row>::Key>,
    tombstones: Found<<Tombstone as Row>::Key>,
    projects: Found<ProjectId>,
}

impl Differences {
    fn add(&mut self, replayed: &Tables, stored: &Tables) {
        let Tables { runs, findings, lessons, injections, effects, tombstones, projects, .. } =
            stored;
        let Tables { deliberations, attempts, consultations, .. } = stored;
        let known = &replayed.consultations;
        differences(known, consultations, Consultation::name, &mut self.consultations);
        let known = &replayed.deliberations;
        differences(known, deliberations, Deliberation::name, &mut self.deliberations);
        differences(&replayed.attempts, attempts, Attempt::name, &mut self.attempts);
        differences(&replayed.runs, runs, Run::name, &mut self.runs);
        differences(&replayed.findings, findings, Finding::name, &mut self.findings);
        differences(&replayed.lessons, lessons, Lesson::name, &mut self.lessons);
        differences(&replayed.injections, injections, Injection::name, &mut self.injections);
        differences(&replayed.effects, effects, Effect::name, &mut self.effects);
        differences(&replayed.tombstones, tombstones, Tombstone::name, &mut self.tombstones);
        let name = |project: &Project| format!("project {}", project.id);
        differences(&replayed.projects, projects, name, &mut self.projects);
    }
}

impl From<Differences> for Told {
    fn from(found: Differences) -> Told {
        let told = Told::from(found.runs).and(found.findings).and(found.lessons);
        let told = told.and(found.injections).and(found.effects).and(found.deliberations);
        let told = told.and(found.attempts).and(found.consultations);
        told.and(found.tombstones).and(found.projects)
    }
}

fn differences<K: Ord + Clone, V: PartialEq>(
    replayed: &BTreeMap<K, V>,
    stored: &BTreeMap<K, V>,
    name: impl Fn(&V) -> String,
    found: &mut Found<K>,
) {
    let missing = stored.iter().filter(|(key, _)| !replayed.contains_key(key));
    let others = replayed.iter().filter(|(key, row)| stored.get(key) != Some(row));
    for (key, row) in others.chain(missing) {
        found.add(key.clone(), format!("{} is not what the journal gives", name(row)));
    }
}
