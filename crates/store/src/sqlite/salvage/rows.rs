//! Whose rows are they? A page that its tree leads to belongs to that tree's table. A page that
//! nothing leads to any more, because one above it is damaged, is known by the form of its rows.
//! What cannot be a row of ours is left out: bodies of texts have to fit their digest, entries of
//! the journal have to be changes, and the rest has to pass the schema's own checks.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::text::Text;
use rusqlite::types::Value;
use rusqlite::{Connection, Result, params_from_iter};

use super::cells::{self, Record, Sort};
use super::pages::Pages;
use crate::sqlite::journal;
use crate::sqlite::rows::all;

/// Tables of which rows are taken; everything else follows from them.
const TABLES: &[&str] = &[
    "projects",
    "texts",
    "runs",
    "lessons",
    "findings",
    "injections",
    "effects",
    "deliberations",
    "attempts",
    "consultations",
    "operations",
    "journal",
    "tombstones",
    "checkouts",
    "teams",
];

/// The index from which the ids of projects are read if their table is gone.
const PROJECT_IDS: &str = "sqlite_autoindex_projects_1";

/// A record that is looked for byte by byte is short.
const MAX_CARVED: u64 = 1 << 16;

/// What was found in a file.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// Tables of which a page or a row could not be read.
    damaged: BTreeSet<String>,
    /// Keys and ids of projects, as their index has them.
    projects: BTreeMap<i64, String>,
}

impl Taken {
    /// Whether entries of the journal could not be read: its end may be missing, which leaves no
    /// gap.
    pub fn has_lost_entries(&self) -> bool {
        self.damaged.contains("journal")
    }

    /// Whether every row of the tables that the journal amounts to is there.
    pub fn has_whole_tables(&self) -> bool {
        let is_row = |name: &&String| !["journal", "operations"].contains(&name.as_str());
        !self.damaged.iter().any(|name| is_row(&name) && TABLES.contains(&name.as_str()))
    }
}

/// Puts every row of the file that can be read into a new store, which has the newest schema and
/// no row yet, and whose foreign keys are not watched.
pub(super) fn take(pages: &Pages, db: &Connection) -> Result<Taken> {
    let shapes: Vec<Shape> = shapes(db)?;
    let owners = owners(pages);
    let mut taken = Taken::default();
    let mut broken: Vec<u32> = Vec::new();
    for number in 1..=pages.n {
        let Some(page) = pages.read(number) else { continue };
        let owner = owners.get(&number).map(String::as_str);
        let node = cells::node(&page, number);
        let mut is_whole = node.is_some();
        for cell in node.iter().flat_map(|node| &node.cells) {
            let sort = node.as_ref().expect("it has a cell").sort;
            if sort.has_rows && sort.is_inner {
                continue;
            }
            let record = cells::record(pages, &page, *cell, sort, cells::MAX_RECORD);
            is_whole &= record.is_some_and(|record| match (owner, record.cells.as_slice()) {
                (Some(PROJECT_IDS), [Value::Text(id), Value::Integer(key)]) => {
                    taken.projects.insert(*key, id.clone());
                    true
                }
                _ => put(db, &shapes, owner, sort, &record),
            });
        }
        is_whole &= node.as_ref().is_some_and(|node| node.is_whole);
        if !is_whole && is_of_interest(owner, node.map(|node| node.sort)) {
            taken.damaged.extend(owner.map(str::to_owned));
            broken.push(number);
        }
    }
    // Only after all others: beside rows there may be older versions of them.
    for number in broken {
        carve(pages, db, &shapes, number);
    }
    for (key, id) in &taken.projects {
        let sql = "INSERT OR IGNORE INTO projects (key, id) VALUES (?1, ?2)";
        db.execute(sql, rusqlite::params![key, id])?;
    }
    Ok(taken)
}

/// Whether what a page lacks matters: an index follows from its table.
fn is_of_interest(owner: Option<&str>, sort: Option<Sort>) -> bool {
    match owner {
        Some(owner) => TABLES.contains(&owner),
        // Of a tree whose name is not known, or no page of a tree: the rest of a long record, a
        // free one, or one that is damaged beyond recognition.
        None => sort.is_none_or(|sort| sort.has_rows),
    }
}

/// The name of the tree that each page belongs to, as far as they can be followed.
fn owners(pages: &Pages) -> BTreeMap<u32, String> {
    let mut owners = BTreeMap::new();
    follow(pages, 1, "sqlite_schema", &mut owners);
    let mut roots: Vec<(String, u32)> = Vec::new();
    for number in owners.keys() {
        let Some(page) = pages.read(*number) else { continue };
        let Some(node) = cells::node(&page, *number) else { continue };
        let records = node
            .cells
            .iter()
            .filter_map(|cell| cells::record(pages, &page, *cell, node.sort, cells::MAX_RECORD));
        roots.extend(records.filter_map(|record| match record.cells.as_slice() {
            [Value::Text(_), Value::Text(name), Value::Text(_), Value::Integer(root), _] => {
                Some((name.clone(), u32::try_from(*root).ok().filter(|root| *root > 1)?))
            }
            _ => None,
        }));
    }
    for (name, root) in roots {
        follow(pages, root, &name, &mut owners);
    }
    owners
}

fn follow(pages: &Pages, root: u32, name: &str, owners: &mut BTreeMap<u32, String>) {
    let mut next = vec![root];
    while let Some(number) = next.pop() {
        if number == 0 || number > pages.n || owners.contains_key(&number) {
            continue;
        }
        owners.insert(number, name.to_owned());
        let node = pages.read(number).and_then(|page| cells::node(&page, number));
        next.extend(node.into_iter().flat_map(|node| node.below));
    }
}

/// Looks for rows at every byte of a page whose list of cells cannot be relied on.
fn carve(pages: &Pages, db: &Connection, shapes: &[Shape], number: u32) {
    let Some(page) = pages.read(number).filter(|page| page.iter().any(|byte| *byte != 0)) else {
        return;
    };
    let sort = Sort { has_rows: true, is_inner: false };
    for at in 0..page.len() {
        if let Some(record) = cells::record(pages, &page, at, sort, MAX_CARVED) {
            put(db, shapes, None, sort, &record);
        }
    }
}

/// How the rows of a table are written.
struct Shape {
    table: &'static str,
    /// For each cell what it may hold, in the order of the file.
    columns: Vec<Column>,
    has_rows: bool,
    insert: String,
}

struct Column {
    holds: Holds,
    may_be_null: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// The number of the row, which is not written in the record.
    RowNumber,
    Integer,
    /// A whole number is written as one.
    Real,
    Text,
}

fn shapes(db: &Connection) -> Result<Vec<Shape>> {
    let mut shapes = Vec::new();
    for table in TABLES {
        let sql = "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1) ORDER BY cid";
        let columns: Vec<(String, String, bool, i64)> =
            all(db, sql, [table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let n_keys = columns.iter().filter(|(_, _, _, key)| *key > 0).count();
        let column = |(_, sort, is_set, key): &(String, String, bool, i64)| Column {
            holds: match sort.as_str() {
                "INTEGER" if *key > 0 && n_keys == 1 => Holds::RowNumber,
                "INTEGER" => Holds::Integer,
                "REAL" => Holds::Real,
                _ => Holds::Text,
            },
            may_be_null: !is_set,
        };
        let names: Vec<&str> = columns.iter().map(|(name, ..)| name.as_str()).collect();
        let has_rows = !["tombstones", "checkouts", "teams"].contains(table);
        // Of a store that once had schema 6, whose findings named no repair, 8, whose findings
        // did not say who dismissed them, or 13, whose projects had no numbers of their own.
        let n_added = match *table {
            "findings" => 2,
            "operations" | "journal" => 1,
            _ => 0,
        };
        for n in (columns.len() - n_added..=columns.len()).rev() {
            let shape = columns[..n].iter().map(column).collect();
            shapes.push(Shape::new(table, shape, has_rows, &names[..n]));
        }
    }
    shapes.extend(former_projects());
    Ok(shapes)
}

/// Projects of a store that once had schema 5: its rows are shorter until they are written again,
/// and columns that were added stand at the end.
fn former_projects() -> [Shape; 2] {
    let names = ["key", "id", "revision", "n_lessons", "n_fixed", "name", "lineage"];
    let column = |name: &&str| Column {
        holds: match *name {
            "key" => Holds::RowNumber,
            "id" | "name" | "lineage" => Holds::Text,
            _ => Holds::Integer,
        },
        may_be_null: ["name", "lineage"].contains(name),
    };
    [&names[..5], &names[..]]
        .map(|names| Shape::new("projects", names.iter().map(column).collect(), true, names))
}

impl Shape {
    fn new(table: &'static str, columns: Vec<Column>, has_rows: bool, names: &[&str]) -> Shape {
        let marks = vec!["?"; names.len()].join(", ");
        let names = names.join(", ");
        let insert = format!("INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})");
        Shape { table, columns, has_rows, insert }
    }

    fn fits(&self, record: &Record) -> bool {
        let is_fitting = |(column, value): (&Column, &Value)| match (column.holds, value) {
            (Holds::RowNumber, Value::Null) => true,
            (Holds::RowNumber, _) => false,
            (_, Value::Null) => column.may_be_null,
            (Holds::Integer | Holds::Real, Value::Integer(_)) => true,
            (Holds::Real, Value::Real(_)) => true,
            // The gate lets no such character through: part of the page was overwritten.
            (Holds::Text, Value::Text(text)) => !text.contains('\0'),
            (Holds::Integer | Holds::Real | Holds::Text, _) => false,
        };
        record.cells.len() == self.columns.len()
            && self.columns.iter().zip(&record.cells).all(is_fitting)
            && self.is_genuine(record)
    }

    /// Whether it says what only a row of this table can say.
    fn is_genuine(&self, record: &Record) -> bool {
        match (self.table, record.cells.as_slice()) {
            ("texts", [_, Value::Text(id), Value::Text(body)]) => Text::unfilled(id).fill(body),
            (
                "journal",
                [.., Value::Integer(version), Value::Text(payload)]
                | [.., Value::Integer(version), Value::Text(payload), Value::Integer(_)],
            ) => {
                let version = u32::try_from(*version);
                version.is_ok_and(|version| journal::change(version, payload).is_ok())
            }
            _ => true,
        }
    }

    fn insert(&self, db: &Connection, record: &Record) -> Result<usize> {
        let value = |(column, value): (&Column, &Value)| match (column.holds, record.row) {
            (Holds::RowNumber, Some(row)) => Value::Integer(row),
            _ => value.clone(),
        };
        let values = self.columns.iter().zip(&record.cells).map(value);
        db.prepare_cached(&self.insert)?.execute(params_from_iter(values))
    }
}

/// Puts a row where it belongs. False if it should be one of ours and cannot be.
fn put(
    db: &Connection,
    shapes: &[Shape],
    owner: Option<&str>,
    sort: Sort,
    record: &Record,
) -> bool {
    if owner.is_some_and(|owner| !TABLES.contains(&owner)) {
        return true;
    }
    let mut fitting = shapes.iter().filter(|shape| {
        let is_its = match owner {
            Some(owner) => owner == shape.table,
            None => !["checkouts", "teams"].contains(&shape.table),
        };
        is_its && shape.has_rows == sort.has_rows && shape.fits(record)
    });
    match fitting.next() {
        Some(shape) => shape.insert(db, record).is_ok(),
        None => owner.is_none(),
    }
}
