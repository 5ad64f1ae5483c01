//! Are the counts of where lessons come up those of the runs?

use std::collections::BTreeSet;

use hardwon_core::change::Tables;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::tally::Rate;
use rusqlite::{Connection, Result};

use crate::sqlite::rows::{all, one};
use crate::sums::Sums;

/// What is not as the rows give it, in words.
pub(in crate::sqlite) fn miscounted(db: &Connection, tables: &Tables) -> Result<Vec<String>> {
    // An older schema counts nothing.
    let sql = "SELECT 1 FROM main.sqlite_schema WHERE name = 'facets'";
    if one(db, sql, [], |_| Ok(()))?.is_none() {
        return Ok(Vec::new());
    }
    let expected = Sums::of(tables);
    let mut faults = BTreeSet::new();
    let runs = "SELECT id, facet, n_runs FROM facets JOIN projects ON projects.key = project";
    let stored: BTreeSet<(String, String, i64)> =
        all(db, runs, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.into_iter().collect();
    let given = expected.runs.iter();
    let given = given.map(|((p, facet), n)| (p.to_string(), facet.clone(), *n as i64)).collect();
    let wrong = stored.symmetric_difference(&given);
    faults.extend(wrong.map(|(_, facet, _)| format!("the runs with {facet:?} are miscounted")));
    for lesson in wrong_lessons(db, &expected)? {
        faults.insert(format!("where lesson {lesson} came up is miscounted"));
    }
    Ok(faults.into_iter().collect())
}

/// Lessons of which something is counted wrongly.
fn wrong_lessons(db: &Connection, expected: &Sums) -> Result<BTreeSet<String>> {
    let seen = "
        SELECT lesson, coalesce(facet_rows.facet, '?'), seen_at.n_runs
        FROM seen_at LEFT JOIN facets AS facet_rows ON facet_rows.key = seen_at.facet";
    let stored: BTreeSet<(String, String, i64)> =
        all(db, seen, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.into_iter().collect();
    let mut given = BTreeSet::new();
    for ((_, facet), lessons) in &expected.seen {
        given.extend(lessons.iter().map(|(id, n)| (id.to_string(), facet.clone(), *n as i64)));
    }
    let wrong = stored.symmetric_difference(&given).map(|(lesson, ..)| lesson.clone());
    let mut wrong: BTreeSet<String> = wrong.collect();

    let rates = "
        SELECT projects.id, lesson, rates.is_injectable, as_of, seen, shown, shown_seen, last,
               coalesce(lessons.is_injectable, 0)
        FROM rates JOIN projects ON projects.key = rates.project
        LEFT JOIN lessons ON lessons.id = lesson";
    type Row = (String, String, bool, bool, i64, Rate);
    let stored: Vec<Row> = all(db, rates, [], |row| {
        let last = row.get::<_, i64>(7)? as u64;
        let rate = Rate { seen: row.get(4)?, shown: row.get(5)?, shown_seen: row.get(6)?, last };
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(8)?, row.get(3)?, rate))
    })?;
    let mut n_right = 0;
    for (project, lesson, kept, is_injectable, as_of, rate) in stored {
        let key = (ProjectId::new(&project), LessonId::given(&lesson));
        let is_right = expected.rates.get(&key) == Some(&(as_of as u64, rate));
        n_right += usize::from(is_right);
        if !is_right || kept != is_injectable {
            wrong.insert(lesson);
        }
    }
    if n_right != expected.rates.len() {
        wrong.extend(expected.rates.keys().map(|(_, lesson)| lesson.to_string()));
    }
    Ok(wrong)
}
