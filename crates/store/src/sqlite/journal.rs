//! The journal: every change ever written, in order, with the operation it belongs to.
//! Only ever appended to.

use hardwon_core::change::{
    Batch, Change, Entry, Mismatch, OperationHead, PAYLOAD_VERSION, Worded,
};
use hardwon_core::ids::{LessonId, OperationId, ProjectId};
use hardwon_core::order::Order;
use hardwon_core::text::Text;
use hardwon_core::time::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, Error, Params, Result, Row, ToSql, params};

use super::rows::{ProjectKey, all, one, run, text};
use super::trouble::Trouble;
use crate::JournalQuery;
use crate::query::each_once;

const SELECT: &str = "
    SELECT journal.sequence, journal.operation, projects.id, operations.command,
           operations.actor, operations.at, operations.undoes, journal.version,
           journal.payload
    FROM journal
    CROSS JOIN operations ON operations.id = journal.operation
    CROSS JOIN projects ON projects.key = operations.project ";

/// The operation to write under: the one that goes on, or a new one.
pub(super) fn operation(
    db: &Connection,
    project: ProjectKey,
    batch: &Batch,
) -> std::result::Result<OperationId, Trouble> {
    if let Some(id) = batch.continues {
        let sql = "SELECT project FROM operations WHERE id = ?1";
        let owner = one(db, sql, [id.0 as i64], |row| row.get(0).map(ProjectKey))?;
        if owner != Some(project) {
            return Err(Mismatch::new(format_args!("operation {id}"), "existence").into());
        }
        return Ok(id);
    }
    let OperationHead { command, actor, at, undoes } = &batch.head;
    let sql = "
        INSERT INTO operations (project, command, actor, at, undoes)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    let undoes = undoes.map(|id| id.0 as i64);
    run(db, sql, params![project, command, actor, at.0, undoes])?;
    Ok(OperationId(db.last_insert_rowid() as u64))
}

/// Appends one change, and keeps the bodies of its texts.
pub(super) fn append(
    db: &Connection,
    operation: OperationId,
    project: ProjectKey,
    is_global: bool,
    change: &Change,
) -> Result<()> {
    keep_texts(db, change)?;
    let sql = "
        INSERT INTO journal (
            operation, project, is_global, lesson, touches_memory, version, payload)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let payload = serde_json::to_string(change).expect("a change can be written as JSON");
    let params = params![
        operation.0 as i64,
        project,
        is_global,
        change.lesson().map(|lesson| lesson.as_str()),
        change.touches_memory(),
        PAYLOAD_VERSION,
        payload,
    ];
    run(db, sql, params).map(drop)
}

/// Entries that a project may see and the query asks for.
pub(super) fn entries(
    db: &Connection,
    project: ProjectKey,
    query: &JournalQuery,
) -> Result<Vec<Entry>> {
    // A lesson or an operation narrows more than the project does; the plus keeps the
    // planner from choosing the project's index then.
    let is_narrow = query.lesson.is_some() || query.operation.is_some();
    let (own, global) = if is_narrow {
        ("+journal.project = ?", "+journal.is_global = 1 AND +journal.project <> ?")
    } else {
        ("journal.project = ?", "journal.is_global = 1 AND +journal.project <> ?")
    };
    let mut entries = select(db, own, project, query)?;
    // An operation that a query names is one of the project itself.
    if query.operation.is_none() {
        entries.extend(select(db, global, project, query)?);
    }
    entries.order_by_key(|entry| entry.sequence);
    if query.newest_first {
        entries.reverse();
    }
    entries.truncate(query.limit.unwrap_or(usize::MAX));
    fill_texts(db, &mut entries)?;
    Ok(entries)
}

/// The lessons that were added under a project, the first first: read off an index of just these
/// entries.
pub(super) fn added(db: &Connection, project: ProjectKey) -> Result<Vec<LessonId>> {
    let sql = r#"
        SELECT lesson FROM journal
        WHERE project = ?1 AND substr(payload, 1, 23) = '{"change":"add_lesson",'
        ORDER BY sequence"#;
    let ids = all(db, sql, [project], |row| Ok(LessonId::given(row.get_ref(0)?.as_str()?)))?;
    Ok(each_once(ids.into_iter()))
}

/// The whole journal in order.
pub(super) fn every(db: &Connection, visit: impl FnMut(Entry)) -> Result<()> {
    each(db, "", [], visit)
}

/// The same until `visit` says false.
pub(super) fn every_until(db: &Connection, visit: impl FnMut(Entry) -> bool) -> Result<()> {
    each_until(db, "", [], visit)
}

/// What was written under one project, in order.
pub(super) fn of_project(
    db: &Connection,
    project: ProjectKey,
    visit: impl FnMut(Entry),
) -> Result<()> {
    each(db, "WHERE journal.project = ?1", [project], visit)
}

/// The entry with this sequence.
pub(super) fn at(db: &Connection, sequence: u64, visit: impl FnMut(Entry)) -> Result<()> {
    each(db, "WHERE journal.sequence = ?1", [sequence as i64], visit)
}

fn each(
    db: &Connection,
    condition: &str,
    params: impl Params,
    mut visit: impl FnMut(Entry),
) -> Result<()> {
    each_until(db, condition, params, |entry| {
        visit(entry);
        true
    })
}

fn each_until(
    db: &Connection,
    condition: &str,
    params: impl Params,
    mut visit: impl FnMut(Entry) -> bool,
) -> Result<()> {
    let sql = format!("{SELECT} {condition} ORDER BY journal.sequence");
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        let mut entry = [read(row)?];
        fill_texts(db, &mut entry)?;
        let [entry] = entry;
        if !visit(entry) {
            break;
        }
    }
    Ok(())
}

/// Puts in the bodies that are there and genuine.
fn fill_texts(db: &Connection, entries: &mut [Entry]) -> Result<()> {
    let mut failed = Ok(());
    let mut fill = |unfilled: &mut Text| match text::body(db, unfilled.id()) {
        Ok(Some(body)) => drop(unfilled.fill(&body)),
        Ok(None) => {}
        Err(error) => failed = Err(error),
    };
    entries.iter_mut().for_each(|entry| entry.change.for_each_text(&mut fill));
    failed
}

fn keep_texts(db: &Connection, change: &Change) -> Result<()> {
    let mut failed = Ok(());
    change.clone().for_each_text(&mut |text| {
        if let Err(error) = text::put(db, text) {
            failed = Err(error);
        }
    });
    failed
}

fn select(
    db: &Connection,
    owner: &str,
    project: ProjectKey,
    query: &JournalQuery,
) -> Result<Vec<Entry>> {
    let mut sql = format!("{SELECT} WHERE {owner}");
    let mut params: Vec<Box<dyn ToSql>> = vec![Box::new(project)];
    if let Some(lesson) = &query.lesson {
        sql += " AND journal.lesson = ?";
        params.push(Box::new(lesson.as_str().to_owned()));
    }
    if let Some(operation) = query.operation {
        sql += " AND journal.operation = ?";
        params.push(Box::new(operation.0 as i64));
    }
    if let Some(after) = query.after {
        // Later operations begin after the first entry of this one.
        sql += " AND journal.operation > ? AND journal.sequence > coalesce(
                   (SELECT min(sequence) FROM journal WHERE operation = ?), 0)";
        params.extend([after.0 as i64; 2].map(|id| Box::new(id) as Box<dyn ToSql>));
    }
    if query.only_memory {
        sql += " AND journal.touches_memory = 1";
    }
    sql += if query.newest_first {
        " ORDER BY journal.sequence DESC LIMIT ?"
    } else {
        " ORDER BY journal.sequence LIMIT ?"
    };
    params.push(Box::new(query.limit.map_or(-1, |limit| limit as i64)));
    super::rows::all(db, &sql, rusqlite::params_from_iter(params), read)
}

fn read(row: &Row<'_>) -> Result<Entry> {
    Ok(Entry {
        sequence: row.get::<_, i64>(0)? as u64,
        operation: OperationId(row.get::<_, i64>(1)? as u64),
        project: ProjectId::new(row.get_ref(2)?.as_str()?),
        head: OperationHead {
            command: row.get(3)?,
            actor: row.get(4)?,
            at: Timestamp(row.get(5)?),
            undoes: row.get::<_, Option<i64>>(6)?.map(|id| OperationId(id as u64)),
        },
        change: change(row.get(7)?, row.get_ref(8)?.as_str()?)?,
    })
}

pub(super) fn change(version: u32, payload: &str) -> Result<Change> {
    let strange =
        |reason: &'static str| Error::FromSqlConversionFailure(8, Type::Text, reason.into());
    if version > PAYLOAD_VERSION {
        return Err(strange("a journal entry was written by a newer program"));
    }
    serde_json::from_str(payload).map_err(|_| strange("a journal entry is not as written"))
}
