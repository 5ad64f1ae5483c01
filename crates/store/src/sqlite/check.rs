//! Is the store consistent? Compares what is stored twice: bodies with their digests, the
//! tables with the replayed journal, the index and the columns kept for queries with the
//! lessons. An error during a check is a fault, too.
//!
//! The journal is the source of truth: first it is checked whether it is complete, and only
//! a complete one is compared with the tables.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Row, Tables, Tombstone};
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::propose::{terms_of_finding, terms_of_lesson};
use hardwon_core::run::Run;
use hardwon_core::text::Text;
use rusqlite::{Connection, Result};

use super::rows::{all, one};
use super::{index, journal, tables, tally};
use crate::Fault;
use crate::query::{decay_base, is_indexed, is_kept};

/// How many faults of one sort are named; the rest is counted.
const MAX_NAMED: usize = 20;

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
    let mut replayed = None;
    match replay(db) {
        Ok(Replayed { tables, faults: found }) if found.is_empty() => replayed = Some(tables),
        Ok(incomplete) => faults.take("journal", Ok(incomplete.faults)),
        Err(error) => faults.take("journal", Err(error)),
    }
    begins("tables");
    let stored = match tables::load(db) {
        Ok(stored) => stored,
        Err(error) => return faults.take("tables", Err(error)),
    };
    if let Some(replayed) = replayed {
        let mut found = all_differences(&replayed, &stored);
        // A journal that was cut off at its end has no gap, but an operation without entries.
        match (found.is_empty(), idle_operations(db)) {
            (false, Ok(idle)) if !idle.is_empty() => faults.take("journal", Ok(idle)),
            _ => {
                found.extend(dangling(db).unwrap_or_default());
                faults.take("tables", Ok(found));
            }
        }
    }
    begins("index");
    faults.take("index", indexed(db, &stored));
    faults.take("index", index::deliberation::wrong(db, &stored));
    faults.take("index", kept_columns(db, &stored));
    faults.take("index", showings(db));
    faults.take("index", tally::miscounted(db, &stored));
}

#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    fn take(&mut self, check: &'static str, verdict: Result<Vec<String>>) {
        let mut details = verdict.unwrap_or_else(|error| vec![error.to_string()]);
        let n_more = details.len().saturating_sub(MAX_NAMED);
        details.truncate(MAX_NAMED);
        if n_more > 0 {
            details.push(format!("and {n_more} more"));
        }
        self.0.extend(details.into_iter().map(|detail| Fault { check, detail }));
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
    let sql = "SELECT id FROM operations WHERE id NOT IN (SELECT operation FROM journal)";
    let idle: Vec<i64> = all(db, sql, [], |row| row.get(0))?;
    Ok(idle.iter().map(|id| format!("the entries of operation {id} are missing")).collect())
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
        SELECT lessons.id, lessons.state FROM lessons LEFT JOIN texts ON texts.key = lessons.text
        WHERE texts.body IS NULL AND texts.id IS NOT ?1
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
        SELECT 'lesson ' || lessons.id FROM lessons JOIN texts ON texts.key = lessons.text
        WHERE texts.id = ?1
        UNION ALL
        SELECT 'a finding of run ' || run FROM findings JOIN texts ON texts.key = findings.text
        WHERE texts.id = ?1
        UNION ALL
        SELECT 'a block shown to run ' || run FROM injections JOIN texts ON texts.key = block
        WHERE texts.id = ?1
        UNION ALL
        SELECT 'deliberation ' || deliberations.id FROM deliberations
        JOIN texts ON texts.key = response WHERE texts.id = ?1
        UNION ALL
        SELECT 'attempt ' || attempts.id FROM attempts JOIN texts ON texts.key = approach
        WHERE texts.id = ?1
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

/// What the journal gives.
pub(super) struct Replayed {
    pub tables: Tables,
    /// Entries that are missing or do not fit.
    pub faults: Vec<String>,
}

pub(super) fn replay(db: &Connection) -> Result<Replayed> {
    let mut tables = Tables::default();
    let mut faults = Vec::new();
    let mut next = 1;
    journal::every(db, |entry| {
        match entry.sequence.saturating_sub(next) {
            0 => {}
            1 => faults.push(format!("entry {next} of the journal is missing")),
            _ => faults.push(format!("entries {next} to {} are missing", entry.sequence - 1)),
        }
        next = entry.sequence + 1;
        if let Err(mismatch) = tables.apply(&entry.project, &entry.change) {
            faults.push(format!("entry {} does not fit: {mismatch}", entry.sequence));
        }
    })?;
    Ok(Replayed { tables, faults })
}

fn all_differences(replayed: &Tables, stored: &Tables) -> Vec<String> {
    let Tables { runs, findings, lessons, injections, effects, tombstones, projects, .. } =
        replayed;
    let mut found = differences(runs, &stored.runs, Run::name);
    found.extend(differences(findings, &stored.findings, Finding::name));
    found.extend(differences(lessons, &stored.lessons, Lesson::name));
    found.extend(differences(injections, &stored.injections, Injection::name));
    found.extend(differences(effects, &stored.effects, Effect::name));
    found.extend(differences(&replayed.deliberations, &stored.deliberations, Row::name));
    found.extend(differences(&replayed.attempts, &stored.attempts, Row::name));
    found.extend(differences(tombstones, &stored.tombstones, Tombstone::name));
    found.extend(differences(projects, &stored.projects, |project| {
        format!("project {}", project.id)
    }));
    found
}

fn differences<K: Ord, V: PartialEq>(
    replayed: &BTreeMap<K, V>,
    stored: &BTreeMap<K, V>,
    name: impl Fn(&V) -> String,
) -> Vec<String> {
    let rows: BTreeMap<&K, &V> = replayed.iter().chain(stored).collect();
    let differing = rows.iter().filter(|(key, _)| replayed.get(key) != stored.get(key));
    differing.map(|(_, row)| format!("{} is not what the journal gives", name(row))).collect()
}

/// Owner, sort, term and text of a posting.
type Posting = (String, &'static str, String, String);

fn indexed(db: &Connection, tables: &Tables) -> Result<Vec<String>> {
    let expected = expected_postings(tables);
    let stored: BTreeSet<Posting> = stored_postings(db)?.into_iter().collect();
    let wrong = expected.symmetric_difference(&stored);
    // A text begins with the lesson, or with the run that the finding is of.
    let name = |sort: &str, text: &str| match (sort, text.split(' ').next().unwrap_or(text)) {
        ("lesson", lesson) => format!("lesson {lesson}"),
        (_, run) => format!("a finding of run {run}"),
    };
    let wrong: BTreeSet<String> = wrong.map(|(_, sort, _, text)| name(sort, text)).collect();
    let faults = wrong.iter().map(|name| format!("{name} is indexed wrongly"));
    Ok(faults.chain(miscounted(db)?).collect())
}

fn expected_postings(tables: &Tables) -> BTreeSet<Posting> {
    let mut postings = BTreeSet::new();
    for lesson in tables.lessons.values() {
        let owner = lesson.project.as_ref().map_or("", ProjectId::as_str);
        let text = format!("{} {}", lesson.id, i32::from(lesson.is_injectable()));
        for term in terms_of_lesson(lesson) {
            postings.insert((owner.to_owned(), "lesson", term, text.clone()));
        }
    }
    for ((project, run, key), finding) in &tables.findings {
        if !is_indexed(finding) {
            continue;
        }
        for term in terms_of_finding(finding) {
            let text = format!("{run} {}", key.0);
            postings.insert((project.as_str().to_owned(), "finding", term, text));
        }
    }
    postings
}

fn stored_postings(db: &Connection) -> Result<Vec<Posting>> {
    let lessons = "
        SELECT coalesce(projects.id, '?'), coalesce(terms.term, '?'), lesson || ' ' || is_injectable
        FROM lesson_terms
        LEFT JOIN terms ON terms.key = lesson_terms.term AND sort = 'lesson'
        LEFT JOIN projects ON projects.key = project";
    let findings = "
        SELECT coalesce(projects.id, '?'), coalesce(terms.term, '?'), run || ' ' || finding
        FROM finding_terms
        LEFT JOIN terms ON terms.key = finding_terms.term AND sort = 'finding'
        LEFT JOIN projects ON projects.key = project";
    let read = |sql: &str, sort: &'static str| {
        all(db, sql, [], |row| Ok((row.get(0)?, sort, row.get(1)?, row.get(2)?)))
    };
    let mut postings = read(lessons, "lesson")?;
    postings.extend(read(findings, "finding")?);
    Ok(postings)
}

/// Counts that are not those of the rows.
fn miscounted(db: &Connection) -> Result<Vec<String>> {
    let terms = "
        SELECT term FROM terms
        WHERE n_texts <> CASE sort
            WHEN 'lesson' THEN (SELECT count(*) FROM lesson_terms WHERE term = terms.key)
            WHEN 'deliberation' THEN
                (SELECT count(*) FROM deliberation_terms WHERE term = terms.key)
            ELSE (SELECT count(*) FROM finding_terms WHERE term = terms.key) END";
    let projects = "
        SELECT id FROM projects
        WHERE n_lessons <> (SELECT count(*) FROM lessons WHERE project = projects.key)
           OR n_fixed <> (SELECT count(*) FROM findings
                          WHERE project = projects.key AND state = 'fixed')";
    let mut faults = Vec::new();
    for term in all(db, terms, [], |row| row.get::<_, String>(0))? {
        faults.push(format!("the texts with the term {term:?} are miscounted"));
    }
    for id in all(db, projects, [], |row| row.get::<_, String>(0))? {
        faults.push(format!("the texts of project {id:?} are miscounted"));
    }
    Ok(faults)
}

/// Columns and aliases that do not follow from their lesson.
fn kept_columns(db: &Connection, tables: &Tables) -> Result<Vec<String>> {
    let sql = "SELECT id, prior, is_injectable, is_kept, decay_base FROM lessons ORDER BY id";
    type Kept = (f64, bool, bool, Option<i64>);
    let stored: Vec<(String, Kept)> = all(db, sql, [], |row| {
        Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))
    })?;
    let mut faults = Vec::new();
    let mut aliases = BTreeSet::new();
    for ((id, kept), lesson) in stored.iter().zip(tables.lessons.values()) {
        let expected =
            (lesson.prior(), lesson.is_injectable(), is_kept(lesson), decay_base(lesson));
        if *kept != expected {
            faults.push(format!("lesson {id} is ordered wrongly"));
        }
        let owner = lesson.project.as_ref().map_or("", ProjectId::as_str);
        let of_lesson = lesson.aliases.iter();
        aliases.extend(of_lesson.map(|alias| (owner.to_owned(), alias.clone(), id.clone())));
    }
    let sql = "SELECT id, alias, lesson FROM aliases JOIN projects ON key = project";
    let stored = all(db, sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let stored: BTreeSet<(String, String, String)> = stored.into_iter().collect();
    let wrong = aliases.symmetric_difference(&stored);
    faults.extend(wrong.map(|(_, alias, _)| format!("the alias {alias:?} points wrongly")));
    Ok(faults)
}

/// Showings that are not those of the injections.
fn showings(db: &Connection) -> Result<Vec<String>> {
    let listed = "
        SELECT DISTINCT project, value ->> 'lesson', run, role, need
        FROM injections, json_each(shown)";
    let kept = "SELECT project, lesson, run, role, need FROM showings";
    let sql = format!(
        "SELECT run FROM (
             SELECT * FROM ({listed} EXCEPT {kept}) UNION SELECT * FROM ({kept} EXCEPT {listed}))"
    );
    let runs: Vec<String> = all(db, &sql, [], |row| row.get(0))?;
    Ok(runs.iter().map(|run| format!("what was shown to {run} is listed wrongly")).collect())
}
