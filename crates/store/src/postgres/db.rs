//! One transaction on a connection: statements with values whose types are stated, never prepared by a
//! name, and no setting that outlives the transaction.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

use hardwon_core::digest::hex;
use hardwon_core::ids::ProjectId;
use tokio_postgres::Row;

use super::client::{Client, Statement};
use super::routine::Routine;
use super::trouble::{Tried, Trouble};
use crate::cell::{Cell, columns};
use crate::rows::Table;

/// How many rows are written or removed at a time.
const N_AT_ONCE: usize = 500;

/// How many statements are kept back at most: their values are in memory meanwhile.
const N_WAITING: usize = 64;

/// How long a server may say nothing, beyond what anybody waits for locks.
const SILENCE: Duration = Duration::from_secs(5);

/// How long a read waits. Writers never hold it up, only who changes or rewrites the tables themselves.
pub(super) const PATIENCE_OF_A_READ: Duration = Duration::from_secs(5);

/// What a transaction may see and change.
#[derive(Clone, Debug)]
pub(super) enum Reach<'a> {
    /// One project, and what all projects see.
    Project(&'a ProjectId),
    /// The whole store, of which the owner of the tables sees all, and everybody else no more than
    /// with the project.
    Everything(Option<&'a ProjectId>),
    /// Projects with a checkout at this path or with this mark; the owner sees all.
    Checkout { path: &'a str, mark: &'a str },
}

/// What a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Read,
    /// Waits for other writers no longer than this. `is_quick`: may be lost with the server's
    /// power, never half written.
    Write {
        patience: Duration,
        is_quick: bool,
    },
}

/// A connection inside a transaction. What gives no rows is sent with the next that does, or at the
/// end: each round trip takes longer than most statements.
pub(super) struct Db<'a> {
    client: &'a Client,
    purpose: Purpose,
    /// Whether the server does well to keep plans for this connection.
    asks_often: bool,
    /// How the transaction begins, until that was sent.
    begin: RefCell<Option<String>>,
    waiting: RefCell<Vec<Statement>>,
    /// Functions that are called after what waits, with their values.
    calls: RefCell<Vec<(String, Vec<Cell>)>>,
    /// A project and the number of the parts that its rows lie in.
    part: RefCell<Option<(String, i64)>>,
}

impl<'a> Db<'a> {
    /// Begins, with the first statement. Settings and values go as one text, values in hexadecimal.
    pub(super) fn begin(client: &'a mut Client, purpose: Purpose, reach: &Reach<'_>) -> Self {
        let (level, patience, quick) = match purpose {
            Purpose::Read => ("REPEATABLE READ READ ONLY", PATIENCE_OF_A_READ, ""),
            Purpose::Write { patience, is_quick: false } => ("READ COMMITTED", patience, ""),
            Purpose::Write { patience, is_quick: true } => {
                ("READ COMMITTED", patience, "SET LOCAL synchronous_commit = off;")
            }
        };
        // Two locks may be waited for at a time; who looks through everything takes as long as it takes.
        let is_wide = matches!(reach, Reach::Everything(_));
        client.set_patience((!is_wide).then_some(patience * 2 + SILENCE));
        let patience = patience.as_millis().max(1);
        let sql = format!(
            "BEGIN ISOLATION LEVEL {level}; SET LOCAL lock_timeout = {patience}; {quick} {}",
            set_reach(reach)
        );
        // The plan of a named read locks all partitions, for which many writers would wait in turn.
        let asks_often = client.begins() && purpose == Purpose::Read;
        let begin = RefCell::new(Some(sql));
        let (waiting, calls, part) = Default::default();
        Db { client, purpose, asks_often, begin, waiting, calls, part }
    }

    /// The number of the parts that rows of this project lie in. Its rows are put there from here on.
    pub(super) fn works_in_part_of(&self, project: &str) -> Tried<i64> {
        let ask = || {
            let row = self.one("SELECT hardwon.part_of($1)", &[Cell::from(project)])?;
            row.map(|row| row.get(0)).ok_or(Trouble::Strange("a project has no part of the tables"))
        };
        let part = self.client.part_of(project, ask)?;
        self.part.replace(Some((project.to_owned(), part)));
        Ok(part)
    }

    /// Ends the transaction. For the end of a read nobody has to wait. A write ends in the round trip
    /// of what still waits: if that fails there is nothing to commit, and the server rolls back.
    pub(super) fn commit(self) -> Tried<()> {
        self.gather();
        let waiting = self.waiting.take();
        let begin = self.begin.take();
        match self.purpose {
            _ if begin.is_some() && waiting.is_empty() => Ok(()),
            Purpose::Read => {
                self.client.send("COMMIT");
                Ok(())
            }
            Purpose::Write { .. } => {
                self.client.all_of(&begin.unwrap_or_default(), &waiting, "COMMIT").map(drop)
            }
        }
    }

    /// What a connection that is gone cannot be told has ended there already.
    pub(super) fn roll_back(self, trouble: &Trouble) {
        if self.begin.into_inner().is_none() && !trouble.is_cut() {
            let _ = self.client.batch("ROLLBACK");
        }
    }

    /// From here on, until the next call.
    pub(super) fn reach(&self, reach: &Reach<'_>) -> Tried<()> {
        self.run(&set_reach(reach), &[])
    }

    /// Refuses who does not see all that is to be looked at.
    pub(super) fn needs_everything(&self, refusal: &'static str) -> Tried<()> {
        let row = self.one("SELECT hardwon.reaches_everything()", &[])?;
        match row.is_some_and(|row| row.get(0)) {
            true => Ok(()),
            false => Err(Trouble::Refused(refusal)),
        }
    }

    /// Whether there is more to see than a project and what all projects see, for who asks for it.
    pub(super) fn is_owner(&self) -> Tried<bool> {
        let sql = "
            SELECT pg_has_role(nspowner, 'MEMBER') FROM pg_namespace WHERE nspname = 'hardwon'";
        let ask = || Ok(self.one(sql, &[])?.is_some_and(|row| row.get(0)));
        self.client.is_owner(ask)
    }

    pub(super) fn all(&self, sql: &str, params: &[Cell]) -> Tried<Vec<Row>> {
        Ok(self.all_of(vec![(sql.to_owned(), params.to_vec())])?.pop().unwrap_or_default())
    }

    /// Rows of a read that has a name.
    pub(super) fn ask(&self, routine: &Routine, values: Vec<Cell>) -> Tried<Vec<Row>> {
        Ok(self.all_of(vec![self.named(routine, values)])?.pop().unwrap_or_default())
    }

    /// The statement of [`ask`](Self::ask), to be sent with others.
    pub(super) fn named(&self, routine: &Routine, values: Vec<Cell>) -> Statement {
        routine.ask(self.asks_often, values)
    }

    /// Rows of several statements in one round trip.
    pub(super) fn all_of(&self, statements: Vec<Statement>) -> Tried<Vec<Vec<Row>>> {
        self.gather();
        let mut waiting = self.waiting.take();
        let n_waiting = waiting.len();
        waiting.extend(statements);
        let begin = self.begin.take().unwrap_or_default();
        Ok(self.client.all_of(&begin, &waiting, "")?.split_off(n_waiting))
    }

    fn flush(&self) -> Tried<()> {
        if self.waiting.borrow().is_empty() && self.calls.borrow().is_empty() {
            return Ok(());
        }
        self.all_of(Vec::new()).map(drop)
    }

    pub(super) fn one(&self, sql: &str, params: &[Cell]) -> Tried<Option<Row>> {
        Ok(self.all(sql, params)?.into_iter().next())
    }

    /// Runs a statement that gives no rows, at the latest at the end: then it is told if it fails.
    pub(super) fn run(&self, sql: &str, params: &[Cell]) -> Tried<()> {
        self.gather();
        self.waiting.borrow_mut().push((sql.to_owned(), params.to_vec()));
        if self.waiting.borrow().len() < N_WAITING { Ok(()) } else { self.flush() }
    }

    /// Writes rows, each in the place of the one with its key; history only grows.
    pub(super) fn put(&self, table: &Table, rows: Vec<Vec<Cell>>) -> Tried<()> {
        let mut rows = rows.into_iter();
        loop {
            let some: Vec<Vec<Cell>> = rows.by_ref().take(N_AT_ONCE).collect();
            if some.is_empty() {
                return Ok(());
            }
            let function = format!("put_{}", self.part_with(&some, table.name));
            self.call(function, columns(some))?;
        }
    }

    /// Calls a function that gives nothing, at the latest at the end.
    pub(super) fn call(&self, function: String, values: Vec<Cell>) -> Tried<()> {
        self.calls.borrow_mut().push((function, values));
        if self.calls.borrow().len() < N_WAITING { Ok(()) } else { self.flush() }
    }

    /// The table that these rows are put into: its part, if they all lie in the same.
    fn part_with(&self, rows: &[Vec<Cell>], table: &str) -> String {
        match &*self.part.borrow() {
            Some((project, part)) if is_all_of(rows, project) => format!("{table}_{part}"),
            _ => table.to_owned(),
        }
    }

    /// Adds to counts, the last column; what comes to nothing has no row.
    pub(super) fn add(&self, table: &Table, rows: Vec<Vec<Cell>>) -> Tried<()> {
        let Table { columns, n_key, .. } = table;
        let is_less = |row: &&Vec<Cell>| matches!(row[*n_key], Cell::Int(Some(n)) if n < 0);
        let less: Vec<Vec<Cell>> = rows.iter().filter(is_less).cloned().collect();
        self.put(table, rows)?;
        self.remove_where(table, &less, &format!("AND {} = 0", columns[*n_key]))
    }

    /// Lets the functions that wait be called by one statement, before what is asked next.
    fn gather(&self) {
        let calls = self.calls.take();
        if calls.is_empty() {
            return;
        }
        let (mut called, mut values) = (Vec::new(), Vec::new());
        for (function, given) in calls {
            let place = |at: usize| format!("${}", values.len() + at + 1);
            let places: Vec<String> = (0..given.len()).map(place).collect();
            called.push(format!("hardwon.{function}({})", places.join(", ")));
            values.extend(given);
        }
        self.waiting.borrow_mut().push((format!("SELECT {}", called.join(", ")), values));
    }

    /// Removes the rows with these keys. What follows a key is not looked at.
    pub(super) fn remove(&self, table: &Table, rows: &[Vec<Cell>]) -> Tried<()> {
        self.remove_where(table, rows, "")
    }

    fn remove_where(&self, table: &Table, rows: &[Vec<Cell>], condition: &str) -> Tried<()> {
        let Table { name, columns, n_key } = table;
        let key = columns[..*n_key].join(", ");
        for rows in rows.chunks(N_AT_ONCE) {
            let places = places(rows.len(), *n_key);
            // Named besides, so that only their partitions are looked at.
            let projects = rows.len() * n_key + 1;
            let sql = format!(
                "DELETE FROM hardwon.{name}
                 WHERE project = ANY (${projects}) AND ({key}) IN (VALUES {places}) {condition}"
            );
            let mut keys: Vec<Cell> = rows.iter().flat_map(|row| row[..*n_key].to_vec()).collect();
            keys.push(Cell::Texts(projects_of(rows)));
            self.run(&sql, &keys)?;
        }
        Ok(())
    }
}

fn is_all_of(rows: &[Vec<Cell>], project: &str) -> bool {
    rows.iter().all(|row| matches!(&row[0], Cell::Text(Some(owner)) if owner == project))
}

fn projects_of(rows: &[Vec<Cell>]) -> Vec<String> {
    let project = |row: &Vec<Cell>| match &row[0] {
        Cell::Text(project) => project.clone(),
        _ => None,
    };
    let projects: BTreeSet<String> = rows.iter().filter_map(project).collect();
    projects.into_iter().collect()
}

/// `($1, $2), ($3, $4)`.
fn places(n_rows: usize, n_columns: usize) -> String {
    let row = |row: usize| {
        let cells: Vec<String> =
            (1..=n_columns).map(|cell| format!("${}", row * n_columns + cell)).collect();
        format!("({})", cells.join(", "))
    };
    (0..n_rows).map(row).collect::<Vec<_>>().join(", ")
}

/// Says for the rest of the transaction which rows there are: the policies of the tables ask for it.
fn set_reach(reach: &Reach<'_>) -> String {
    let (project, reach, checkout) = match reach {
        Reach::Project(project) => (project.as_str(), "project", None),
        Reach::Everything(project) => {
            (project.map_or("", |project| project.as_str()), "everything", None)
        }
        Reach::Checkout { path, mark } => ("", "everything", Some((path, mark))),
    };
    // As digits, whatever is in it.
    let quoted =
        |text: &str| format!("convert_from(decode('{}', 'hex'), 'UTF8')", hex(text.as_bytes()));
    let mut sql = format!(
        "SELECT set_config('hardwon.project', {}, true),
                set_config('hardwon.reach', '{reach}', true)",
        quoted(project)
    );
    if let Some((path, mark)) = checkout {
        let (path, mark) = (quoted(path), quoted(mark));
        sql += &format!(
            ", set_config('hardwon.path', {path}, true), set_config('hardwon.mark', {mark}, true)"
        );
    }
    sql
}
