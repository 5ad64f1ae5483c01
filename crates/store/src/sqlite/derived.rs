//! Is what is kept for queries as the rows give it: the text index, the columns of rows, aliases and
//! showings, the counts? It is written anew from the rows, in memory, and both are asked the same.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use hardwon_core::attempt::Attempt;
use hardwon_core::change::Tables;
use hardwon_core::consult::Consultation;
use hardwon_core::deliberation::Deliberation;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;
use rusqlite::{Connection, Result};

use super::migrate::MIGRATIONS;
use super::rows::all;
use super::tables;
use crate::rows::Kept;
use crate::settle::differing;

/// What is told where something is wrong, what is compared, and where both stand.
const KEPT: [[&str; 3]; 11] = [
    [
        "'lesson ' || lesson || ' is indexed wrongly'",
        "sort, terms.term, is_injectable",
        "lesson_terms LEFT JOIN terms ON terms.key = lesson_terms.term",
    ],
    [
        "'a finding of run ' || run || ' is indexed wrongly'",
        "sort, terms.term, finding",
        "finding_terms LEFT JOIN terms ON terms.key = finding_terms.term",
    ],
    [
        "'deliberation ' || coalesce(
             (SELECT id FROM deliberations WHERE key = deliberation), deliberation)
         || ' is indexed wrongly'",
        "sort, terms.term",
        "deliberation_terms LEFT JOIN terms ON terms.key = deliberation_terms.term",
    ],
    [
        "'the deliberations of a project are miscounted'",
        "n, n_bytes",
        "(SELECT project, n, n_bytes FROM deliberation_sums)",
    ],
    ["'the texts with the term \"' || term || '\" are miscounted'", "sort, n_texts", "terms"],
    [
        "'the texts of project \"' || own || '\" are miscounted'",
        "lessons, fixed",
        "(SELECT key AS project, id AS own, n_lessons AS lessons, n_fixed AS fixed
          FROM projects WHERE n_lessons + n_fixed > 0)",
    ],
    ["'the alias \"' || alias || '\" points wrongly'", "lesson", "aliases"],
    ["'what was shown to ' || run || ' is listed wrongly'", "lesson, role, need", "showings"],
    // Older versions also counted kinds of files (`.rs`) and words of titles (`#order`).
    [
        "'the runs with \"' || facet || '\" are miscounted'",
        "n_runs",
        "(SELECT project, facet, n_runs FROM facets WHERE facet >= '/')",
    ],
    [
        "'where lesson ' || lesson || ' came up is miscounted'",
        "place, n",
        "(SELECT project, lesson, facets.facet AS place, seen_at.n_runs AS n
          FROM seen_at LEFT JOIN facets ON facets.key = seen_at.facet
          WHERE coalesce(facets.facet, '/') >= '/')",
    ],
    [
        "'where lesson ' || lesson || ' came up is miscounted'",
        "is_injectable, as_of, seen, shown, shown_seen, last",
        "rates",
    ],
];

/// Everything that is not as these rows give it.
pub(super) fn faults(db: &Connection, rows: &Tables) -> Result<Vec<String>> {
    let anew = Connection::open_in_memory()?;
    anew.execute_batch(MIGRATIONS[0].sql)?;
    tables::write(&anew, &Tables::default(), rows, &|id| tables::made_key(&anew, id))?;
    let kept = KEPT.map(|[told, compared, from]| statement(told, compared, from));
    let mut faults = Vec::new();
    for sql in kept.into_iter().chain(of_columns(&anew)?) {
        let (stored, given) = (said(db, &sql)?, said(&anew, &sql)?);
        faults.extend(differing(&stored, &given).into_iter().map(|(told, ..)| told.clone()));
    }
    Ok(faults)
}

fn statement(told: &str, compared: &str, from: &str) -> String {
    format!(
        "SELECT {told}, json_array(projects.id, {compared})
         FROM {from} LEFT JOIN projects ON projects.key = project"
    )
}

/// Statements about the columns of each table that follow from the row.
fn of_columns(db: &Connection) -> Result<Vec<String>> {
    let of = |name: &str, n_key: usize| {
        let sql = "
            SELECT 't.' || name FROM pragma_table_info(?1)
            WHERE name NOT IN ('project', 'body', 'expected') AND (name <> 'key' OR type = 'TEXT')";
        let columns: Vec<String> = all(db, sql, [name], |row| row.get(0))?;
        let key = columns[..n_key - 1].join(" || ' ' || ");
        let told = format!("'row ' || {key} || ' of {name} is ordered wrongly'");
        Ok(statement(&told, &columns.join(", "), &format!("{name} AS t")))
    };
    let tables = [
        Run::TABLE,
        Finding::TABLE,
        Lesson::TABLE,
        Injection::TABLE,
        Effect::TABLE,
        Deliberation::TABLE,
        Attempt::TABLE,
        Consultation::TABLE,
    ];
    tables.iter().map(|table| of(table.name, table.n_key)).collect()
}

/// What is told of each thing, with a sum of all that is compared.
fn said(db: &Connection, sql: &str) -> Result<BTreeMap<String, u64>> {
    let mut said: BTreeMap<String, u64> = BTreeMap::new();
    let mut statement = db.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut hasher = DefaultHasher::new();
        row.get_ref(1)?.as_str()?.hash(&mut hasher);
        let sum = said.entry(row.get(0)?).or_default();
        *sum = sum.wrapping_add(hasher.finish());
    }
    Ok(said)
}
