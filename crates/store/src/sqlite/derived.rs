//! Is what is kept for queries as the rows give it: the text index, the columns of lessons, their
//! aliases and showings?

pub(super) mod counts;

use std::collections::BTreeSet;

use hardwon_core::change::Tables;
use hardwon_core::ids::ProjectId;
use hardwon_core::propose::{terms_of_finding, terms_of_lesson};
use rusqlite::{Connection, Result};

use super::rows::all;
use crate::query::{decay_base, is_indexed, is_kept};

/// Owner, sort, term and text of a posting.
type Posting = (String, &'static str, String, String);

pub(super) fn index(db: &Connection, tables: &Tables) -> Result<Vec<String>> {
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
pub(super) fn kept_columns(db: &Connection, tables: &Tables) -> Result<Vec<String>> {
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
pub(super) fn showings(db: &Connection) -> Result<Vec<String>> {
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
