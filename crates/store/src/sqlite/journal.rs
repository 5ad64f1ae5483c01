//! The journal: every change ever written, in order, with the operation it belongs to.
//! Only ever appended to. Each project numbers its own entries and operations; in which order all of
//! them were written is told by the row, which nobody outside sees.

use hardwon_core::change::{Batch, Change, Entry, Mismatch, OperationHead, PAYLOAD_VERSION};
use hardwon_core::ids::{LessonId, OperationId, ProjectId};
use hardwon_core::time::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, Error, Params, Result, Row, params, params_from_iter};

use super::rows::{self, ProjectKey, all, one, run};
use super::trouble::Trouble;
use crate::JournalQuery;
use crate::asked::Asking;
use crate::cell::{Cell, cells};
use crate::query::each_once;

const SELECT: &str = "
    SELECT journal.sequence, journal.number, operations.number, projects.id,
           operations.command, operations.actor, operations.at, undone.number,
           journal.version, journal.payload
    FROM journal
    CROSS JOIN operations ON operations.id = journal.operation
    CROSS JOIN projects ON projects.key = operations.project
    LEFT JOIN operations AS undone ON undone.id = operations.undoes ";

/// An entry, and where it stands among those of all projects.
pub(super) struct Placed {
    pub place: u64,
    pub entry: Entry,
}

/// Where changes are appended.
pub(super) struct Place {
    project: ProjectKey,
    /// The row of the operation, and what the project calls it.
    row: i64,
    pub operation: OperationId,
    /// How many entries the project has.
    n_entries: i64,
}

impl Place {
    /// Under the operation that goes on, or a new one.
    pub fn of(
        db: &Connection,
        project: ProjectKey,
        batch: &Batch,
    ) -> std::result::Result<Place, Trouble> {
        let (row, operation) = match batch.continues {
            Some(id) => (row_of(db, project, id)?, id),
            None => begin(db, project, &batch.head)?,
        };
        let sql = "SELECT number FROM journal WHERE project = ?1 ORDER BY sequence DESC LIMIT 1";
        let n_entries = one(db, sql, [project], |row| row.get(0))?.unwrap_or(0);
        Ok(Place { project, row, operation, n_entries })
    }

    /// Appends one change, and keeps the bodies of its texts.
    pub fn append(&mut self, db: &Connection, is_global: bool, change: &Change) -> Result<()> {
        rows::keep_texts(db, change)?;
        self.n_entries += 1;
        let sql = "
            INSERT INTO journal (
                operation, project, is_global, lesson, touches_memory, version, payload, number)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let payload = serde_json::to_string(change).expect("a change can be written as JSON");
        let params = params![
            self.row,
            self.project,
            is_global,
            change.lesson().map(|lesson| lesson.as_str()),
            change.touches_memory(),
            PAYLOAD_VERSION,
            payload,
            self.n_entries,
        ];
        run(db, sql, params).map(drop)
    }
}

/// The row of an operation of the project.
fn row_of(
    db: &Connection,
    project: ProjectKey,
    id: OperationId,
) -> std::result::Result<i64, Trouble> {
    let sql = "SELECT id FROM operations WHERE project = ?1 AND number = ?2";
    let found = one(db, sql, params![project, id.0 as i64], |row| row.get(0))?;
    found.ok_or_else(|| Mismatch::new(format_args!("operation {id}"), "existence").into())
}

fn begin(
    db: &Connection,
    project: ProjectKey,
    head: &OperationHead,
) -> std::result::Result<(i64, OperationId), Trouble> {
    let OperationHead { command, actor, at, undoes } = head;
    let undoes = undoes.map(|id| row_of(db, project, id)).transpose()?;
    let sql = "SELECT max(number) FROM operations WHERE project = ?1";
    let last: Option<i64> = one(db, sql, [project], |row| row.get(0))?.flatten();
    let number = last.unwrap_or(0) + 1;
    let sql = "
        INSERT INTO operations (project, command, actor, at, undoes, number)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    run(db, sql, params![project, command, actor, at.0, undoes, number])?;
    Ok((db.last_insert_rowid(), OperationId(number as u64)))
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
        ("+journal.project = $1", "+journal.is_global = 1 AND +journal.project <> $1")
    } else {
        ("journal.project = $1", "journal.is_global = 1 AND +journal.project <> $1")
    };
    let mut placed = select(db, own, true, project, query)?;
    // An operation that a query names is one of the project itself.
    if query.operation.is_none() {
        placed.extend(select(db, global, false, project, query)?);
    }
    placed.sort_by_key(|entry| entry.place);
    if query.newest_first {
        placed.reverse();
    }
    placed.truncate(query.limit.unwrap_or(usize::MAX));
    let mut entries: Vec<Entry> = placed.into_iter().map(|placed| placed.entry).collect();
    entries.iter_mut().try_for_each(|entry| rows::fill_texts(db, &mut entry.change))?;
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
pub(super) fn every(db: &Connection, mut visit: impl FnMut(Placed)) -> Result<()> {
    each(db, "", [], |placed| {
        visit(placed);
        true
    })
}

/// Entries of which the condition holds, in order, until `visit` says false.
pub(super) fn each(
    db: &Connection,
    condition: &str,
    params: impl Params,
    mut visit: impl FnMut(Placed) -> bool,
) -> Result<()> {
    let sql = format!("{SELECT} {condition} ORDER BY journal.sequence");
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        let mut placed = read(row)?;
        rows::fill_texts(db, &mut placed.entry.change)?;
        if !visit(placed) {
            break;
        }
    }
    Ok(())
}

fn select(
    db: &Connection,
    owner: &str,
    is_own: bool,
    project: ProjectKey,
    query: &JournalQuery,
) -> Result<Vec<Placed>> {
    let mut asking = Asking::of(&format!("WHERE {owner}"), Cell::from(project.0));
    asking.and_if("journal.lesson = ?", query.lesson.as_ref().map(LessonId::as_str));
    let operation = "SELECT id FROM operations WHERE project = $1 AND number = ?";
    let number = query.operation.map(|operation| operation.0);
    asking.and_if(&format!("journal.operation = ({operation})"), number);
    if let Some(after) = query.after {
        // Later operations begin after the first entry of this one. One that there is not is no
        // later than what others did.
        let begun = "
            SELECT id, (SELECT min(sequence) FROM journal WHERE operation = operations.id)
            FROM operations WHERE project = ?1 AND number = ?2";
        let first = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?.unwrap_or(0)));
        let (row, place): (i64, i64) =
            one(db, begun, params![project, after.0 as i64], first)?.unwrap_or((0, 0));
        let bound = if is_own { after.0 as i64 } else { row };
        let later = if is_own { "operations.number" } else { "journal.operation" };
        asking.and(&format!("{later} > ? AND journal.sequence > ?"), cells![bound, place]);
    }
    if query.only_memory {
        asking.and("journal.touches_memory = 1", Vec::new());
    }
    let order = if query.newest_first { "journal.sequence DESC" } else { "journal.sequence" };
    let Asking { rest, values } = asking.ordered(order, query.limit);
    all(db, &rows::worded(&format!("{SELECT} {rest}")), params_from_iter(values), read)
}

fn read(row: &Row<'_>) -> Result<Placed> {
    let entry = Entry {
        sequence: row.get::<_, i64>(1)? as u64,
        operation: OperationId(row.get::<_, i64>(2)? as u64),
        project: ProjectId::new(row.get_ref(3)?.as_str()?),
        head: OperationHead {
            command: row.get(4)?,
            actor: row.get(5)?,
            at: Timestamp(row.get(6)?),
            undoes: row.get::<_, Option<i64>>(7)?.map(|id| OperationId(id as u64)),
        },
        change: change(row.get(8)?, row.get_ref(9)?.as_str()?)?,
    };
    Ok(Placed { place: row.get::<_, i64>(0)? as u64, entry })
}

pub(super) fn change(version: u32, payload: &str) -> Result<Change> {
    let strange =
        |reason: &'static str| Error::FromSqlConversionFailure(9, Type::Text, reason.into());
    if version > PAYLOAD_VERSION {
        return Err(strange("a journal entry was written by a newer program"));
    }
    serde_json::from_str(payload).map_err(|_| strange("a journal entry is not as written"))
}
