//! Is the store as it must be? Compares what is stored twice: bodies with their
//! digests, the tables with the replayed journal, the index and the columns kept for
//! queries with what the lessons give. An error met on the way is a verdict, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use hardwon_core::change::Tables;
use hardwon_core::ids::ProjectId;
use hardwon_core::propose::{terms_of_finding, terms_of_lesson};
use hardwon_core::text::Text;
use rusqlite::{Connection, Result};

use super::journal;
use super::rows::{self, ProjectKey, all, lesson::select_lessons};
use crate::Fault;
use crate::query::{decay_base, is_indexed, is_kept};

/// Of each sort of fault only so many are named one by one.
const MAX_NAMED: usize = 20;

/// Everything that is wrong, in the order of the checks.
pub(super) fn faults(connection: &Connection) -> Vec<Fault> {
    let mut faults = Faults::default();
    faults.take("integrity", integrity(connection));
    faults.take("texts", texts(connection));
    match tables(connection) {
        Ok(tables) => {
            faults.take("journal", replay(connection, &tables));
            faults.take("index", index(connection, &tables));
            faults.take("index", kept_columns(connection));
            faults.take("index", showings(connection));
        }
        Err(error) => faults.take("journal", Err(error)),
    }
    faults.0
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

fn integrity(connection: &Connection) -> Result<Vec<String>> {
    let mut lines: Vec<String> = all(connection, "PRAGMA integrity_check", [], |row| row.get(0))?;
    lines.extend(all(connection, "PRAGMA foreign_key_check", [], |row| {
        Ok(format!("a row of {} points to nothing", row.get::<_, String>(0)?))
    })?);
    lines.retain(|line| line != "ok");
    Ok(lines)
}

fn texts(connection: &Connection) -> Result<Vec<String>> {
    let mut edited = Vec::new();
    let mut statement = connection.prepare("SELECT id, body FROM texts WHERE body NOT NULL")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: String = row.get(0)?;
        if !Text::unfilled(&id).fill(row.get_ref(1)?.as_str()?) {
            edited.push(format!("the body of {id} was edited"));
        }
    }
    Ok(edited)
}

/// Everything in the tables, as the journal would give it.
fn tables(connection: &Connection) -> Result<Tables> {
    let mut tables = Tables::default();
    for (key, project) in projects(connection)? {
        let p = || project.clone();
        for run in rows::run::of_project(connection, key)? {
            tables.runs.insert((p(), run.id.clone()), run);
        }
        for finding in rows::finding::of_project(connection, key)? {
            let key = (p(), finding.run.clone(), finding.key.clone());
            tables.findings.insert(key, finding);
        }
        for injection in rows::injection::of_project(connection, key)? {
            tables.injections.insert((p(), injection.key()), injection);
        }
        for effect in rows::effect::of_project(connection, key)? {
            let key = (p(), effect.root.clone(), effect.lesson.clone());
            tables.effects.insert(key, effect);
        }
    }
    let lessons = all(connection, select_lessons!("ORDER BY lessons.id"), [], rows::lesson::read)?;
    tables.lessons = lessons.into_iter().map(|lesson| (lesson.id.clone(), lesson)).collect();
    Ok(tables)
}

fn projects(connection: &Connection) -> Result<Vec<(ProjectKey, ProjectId)>> {
    let sql = "SELECT key, name FROM projects WHERE name <> '' ORDER BY key";
    all(connection, sql, [], |row| {
        Ok((ProjectKey(row.get(0)?), ProjectId::new(row.get_ref(1)?.as_str()?)))
    })
}

fn replay(connection: &Connection, tables: &Tables) -> Result<Vec<String>> {
    let mut replayed = Tables::default();
    let mut faults = Vec::new();
    let mut next = 1;
    journal::every(connection, |entry| {
        if entry.sequence != next {
            faults.push(format!("entry {next} of the journal is missing"));
        }
        next = entry.sequence + 1;
        if let Err(mismatch) = replayed.apply(&entry.project, &entry.change) {
            faults.push(format!("entry {} does not fit: {mismatch}", entry.sequence));
        }
    })?;
    let Tables { runs, findings, lessons, injections, effects } = &replayed;
    faults.extend(differences("run", runs, &tables.runs));
    faults.extend(differences("finding", findings, &tables.findings));
    faults.extend(differences("lesson", lessons, &tables.lessons));
    faults.extend(differences("injection", injections, &tables.injections));
    faults.extend(differences("effect", effects, &tables.effects));
    Ok(faults)
}

fn differences<K: Ord + Debug, V: PartialEq>(
    noun: &str,
    replayed: &BTreeMap<K, V>,
    stored: &BTreeMap<K, V>,
) -> Vec<String> {
    let keys: BTreeSet<&K> = replayed.keys().chain(stored.keys()).collect();
    let differing = keys.into_iter().filter(|key| replayed.get(key) != stored.get(key));
    differing.map(|key| format!("{noun} {key:?} is not what the journal gives")).collect()
}

/// Owner, sort, term and text of a posting.
type Posting = (String, &'static str, String, String);

fn index(connection: &Connection, tables: &Tables) -> Result<Vec<String>> {
    let expected = expected_postings(tables);
    let stored: BTreeSet<Posting> = stored_postings(connection)?.into_iter().collect();
    let mut faults = Vec::new();
    let wrong = expected.symmetric_difference(&stored);
    let wrong: BTreeSet<(&str, &str)> =
        wrong.map(|(_, sort, _, text)| (*sort, text.as_str())).collect();
    faults.extend(wrong.iter().map(|(sort, text)| format!("{sort} {text} is indexed wrongly")));
    faults.extend(miscounted(connection)?);
    Ok(faults)
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

fn stored_postings(connection: &Connection) -> Result<Vec<Posting>> {
    let lessons = "
        SELECT coalesce(name, '?'), coalesce(terms.term, '?'), lesson || ' ' || is_injectable
        FROM lesson_terms
        LEFT JOIN terms ON terms.key = lesson_terms.term AND sort = 'lesson'
        LEFT JOIN projects ON projects.key = project";
    let findings = "
        SELECT coalesce(name, '?'), coalesce(terms.term, '?'), run || ' ' || finding
        FROM finding_terms
        LEFT JOIN terms ON terms.key = finding_terms.term AND sort = 'finding'
        LEFT JOIN projects ON projects.key = project";
    let read = |sql: &str, sort: &'static str| {
        all(connection, sql, [], |row| Ok((row.get(0)?, sort, row.get(1)?, row.get(2)?)))
    };
    let mut postings = read(lessons, "lesson")?;
    postings.extend(read(findings, "finding")?);
    Ok(postings)
}

/// Counts that are not those of the rows.
fn miscounted(connection: &Connection) -> Result<Vec<String>> {
    let terms = "
        SELECT term FROM terms
        WHERE n_texts <> CASE sort
            WHEN 'lesson' THEN (SELECT count(*) FROM lesson_terms WHERE term = terms.key)
            ELSE (SELECT count(*) FROM finding_terms WHERE term = terms.key) END";
    let projects = "
        SELECT name FROM projects
        WHERE n_lessons <> (SELECT count(*) FROM lessons WHERE project = projects.key)
           OR n_fixed <> (SELECT count(*) FROM findings
                          WHERE project = projects.key AND state = 'fixed')";
    let mut faults = Vec::new();
    for term in all(connection, terms, [], |row| row.get::<_, String>(0))? {
        faults.push(format!("the texts with the term {term:?} are miscounted"));
    }
    for name in all(connection, projects, [], |row| row.get::<_, String>(0))? {
        faults.push(format!("the texts of project {name:?} are miscounted"));
    }
    Ok(faults)
}

/// Columns and aliases that do not follow from their lesson.
fn kept_columns(connection: &Connection) -> Result<Vec<String>> {
    let sql = "SELECT id, prior, is_injectable, is_kept, decay_base FROM lessons ORDER BY id";
    type Kept = (f64, bool, bool, Option<i64>);
    let stored: Vec<(String, Kept)> = all(connection, sql, [], |row| {
        Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))
    })?;
    let lessons = all(connection, select_lessons!("ORDER BY lessons.id"), [], rows::lesson::read)?;
    let mut faults = Vec::new();
    let mut aliases = BTreeSet::new();
    for ((id, kept), lesson) in stored.iter().zip(&lessons) {
        let expected =
            (lesson.prior(), lesson.is_injectable(), is_kept(lesson), decay_base(lesson));
        if *kept != expected {
            faults.push(format!("lesson {id} is ordered wrongly"));
        }
        let owner = lesson.project.as_ref().map_or("", ProjectId::as_str);
        let of_lesson = lesson.aliases.iter();
        aliases.extend(of_lesson.map(|alias| (owner.to_owned(), alias.clone(), id.clone())));
    }
    let sql = "SELECT name, alias, lesson FROM aliases JOIN projects ON key = project";
    let stored = all(connection, sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let stored: BTreeSet<(String, String, String)> = stored.into_iter().collect();
    let wrong = aliases.symmetric_difference(&stored);
    faults.extend(wrong.map(|(_, alias, _)| format!("the alias {alias:?} points wrongly")));
    Ok(faults)
}

/// Showings that are not those of the injections.
fn showings(connection: &Connection) -> Result<Vec<String>> {
    let listed = "
        SELECT DISTINCT project, value ->> 'lesson', run, role, need
        FROM injections, json_each(shown)";
    let kept = "SELECT project, lesson, run, role, need FROM showings";
    let sql = format!(
        "SELECT run FROM (
             SELECT * FROM ({listed} EXCEPT {kept}) UNION SELECT * FROM ({kept} EXCEPT {listed}))"
    );
    let runs: Vec<String> = all(connection, &sql, [], |row| row.get(0))?;
    Ok(runs.iter().map(|run| format!("what was shown to {run} is listed wrongly")).collect())
}
