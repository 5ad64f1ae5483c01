//! Are the counts of where lessons come up those of the runs?

use std::collections::BTreeSet;

use hardwon_core::change::Tables;
use hardwon_core::ids::LessonId;
use hardwon_core::tally::Rate;
use rusqlite::{Connection, Result};

use crate::sqlite::rows::{ProjectKey, all, one};
use crate::sums::Sums;

/// A lesson or nothing, a facet, and how many runs.
type Count = (String, String, i64);

/// Adds what is not as the rows of this owner give it, in words.
pub(super) fn add_wrong(
    db: &Connection,
    owner: ProjectKey,
    tables: &Tables,
    wrong: &mut BTreeSet<String>,
) -> Result<()> {
    if !is_counted(db)? {
        return Ok(());
    }
    let expected = Sums::of(tables);
    // Older versions also counted kinds of files (`.rs`) and words of titles (`#order`).
    let runs = "SELECT '', facet, n_runs FROM facets WHERE project = ?1 AND facet >= '/'";
    let stored = counts(db, runs, owner)?;
    let given = expected.runs.iter();
    let given = given.map(|((_, facet), n)| (String::new(), facet.clone(), *n as i64)).collect();
    let differing = stored.symmetric_difference(&given);
    wrong.extend(differing.map(|(_, facet, _)| format!("the runs with {facet:?} are miscounted")));

    let seen = "
        SELECT lesson, facets.facet, seen_at.n_runs
        FROM facets CROSS JOIN seen_at ON seen_at.facet = facets.key
        WHERE project = ?1 AND facets.facet >= '/'";
    let stored = counts(db, seen, owner)?;
    let mut given = BTreeSet::new();
    for ((_, facet), lessons) in &expected.seen {
        given.extend(lessons.iter().map(|(id, n)| (id.to_string(), facet.clone(), *n as i64)));
    }
    let differing = stored.symmetric_difference(&given);
    wrong.extend(differing.map(|(lesson, ..)| told(lesson)));
    wrong.extend(wrong_rates(db, owner, &expected)?.iter().map(|lesson| told(lesson.as_str())));
    Ok(())
}

/// Adds counts at facets that no project has.
pub(super) fn add_strays(db: &Connection, wrong: &mut BTreeSet<String>) -> Result<()> {
    if !is_counted(db)? {
        return Ok(());
    }
    let sql = "
        SELECT DISTINCT lesson FROM seen_at
        WHERE NOT EXISTS (
            SELECT 1 FROM facets CROSS JOIN projects ON projects.key = facets.project
            WHERE facets.key = seen_at.facet)";
    let lessons: Vec<String> = all(db, sql, [], |row| row.get(0))?;
    wrong.extend(lessons.iter().map(|lesson| told(lesson)));
    Ok(())
}

fn told(lesson: &str) -> String {
    format!("where lesson {lesson} came up is miscounted")
}

/// An older schema counts nothing.
fn is_counted(db: &Connection) -> Result<bool> {
    let sql = "SELECT 1 FROM main.sqlite_schema WHERE name = 'facets'";
    Ok(one(db, sql, [], |_| Ok(()))?.is_some())
}

fn counts(db: &Connection, sql: &str, owner: ProjectKey) -> Result<BTreeSet<Count>> {
    let counts = all(db, sql, [owner], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(counts.into_iter().collect())
}

/// Lessons of which the faded sums are wrong or missing.
fn wrong_rates(db: &Connection, owner: ProjectKey, expected: &Sums) -> Result<BTreeSet<LessonId>> {
    let rates = "
        SELECT lesson, rates.is_injectable, as_of, seen, shown, shown_seen, last,
               coalesce(lessons.is_injectable, 0)
        FROM rates LEFT JOIN lessons ON lessons.id = lesson
        WHERE rates.project = ?1";
    type Row = (LessonId, bool, bool, (u64, Rate));
    let stored: Vec<Row> = all(db, rates, [owner], |row| {
        let last = row.get::<_, i64>(6)? as u64;
        let rate = Rate { seen: row.get(3)?, shown: row.get(4)?, shown_seen: row.get(5)?, last };
        let lesson = LessonId::given(row.get_ref(0)?.as_str()?);
        Ok((lesson, row.get(1)?, row.get(7)?, (row.get::<_, i64>(2)? as u64, rate)))
    })?;
    let given = expected.rates.iter().map(|((_, lesson), rate)| (lesson, rate));
    let mut missing: std::collections::BTreeMap<&LessonId, _> = given.collect();
    let mut wrong = BTreeSet::new();
    for (lesson, kept, is_injectable, rate) in stored {
        let is_right = missing.remove(&lesson) == Some(&rate);
        if !is_right || kept != is_injectable {
            wrong.insert(lesson);
        }
    }
    wrong.extend(missing.into_keys().cloned());
    Ok(wrong)
}
