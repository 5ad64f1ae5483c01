//! The journal: every change ever written, with the operation it belongs to. Each project numbers its
//! own entries. What all projects see moves a clock, and every entry says what the clock showed: by
//! that one project's entries and the others' changes of global lessons come in the order in which
//! they were written, although nobody waits for a number.

use hardwon_core::change::{
    Batch, Change, Entry, Erasure, Mismatch, OperationHead, PAYLOAD_VERSION,
};
use hardwon_core::ids::{LessonId, OperationId, ProjectId};
use hardwon_core::text::TextId;
use hardwon_core::time::Timestamp;
use tokio_postgres::Row;

use super::db::Db;
use super::rows::{body_cells, both, from_body};
use super::trouble::{Tried, Trouble};
use crate::JournalQuery;
use crate::asked::Asking;
use crate::cell::{Cell, cells};
use crate::query::each_once;
use crate::rows::Table;

const JOURNAL: Table = Table {
    name: "journal",
    n_key: 2,
    columns: &[
        "project",
        "sequence",
        "operation",
        "clock",
        "is_shared",
        "is_global",
        "lesson",
        "touches_memory",
        "version",
        "is_addition",
        "body",
        "bodies",
        "texts",
    ],
};

const OPERATIONS: Table = Table {
    name: "operations",
    n_key: 2,
    columns: &["project", "id", "command", "actor", "at", "undoes"],
};

/// How many entries come at a time when all are read.
const N_FETCHED: u32 = 2_000;

const SELECT: &str = "
    SELECT j.sequence, j.operation, j.project, o.command, o.actor, o.at, o.undoes, j.version,
           j.body, j.bodies, j.clock
    FROM hardwon.journal AS j
    JOIN hardwon.operations AS o ON o.project = j.project AND o.id = j.operation";

/// Where a batch stands in the journal.
pub(super) struct Place {
    /// Number of the last operation, and of the last entry.
    pub n_operations: i64,
    pub n_entries: i64,
    pub clock: i64,
    pub is_shared: bool,
}

/// The entries of a batch: the number of the one before, and each as it stands in the journal.
#[derive(Debug)]
pub(super) struct Lines {
    after: i64,
    bodies: Vec<Cell>,
}

/// What was written, once it is committed.
#[derive(Debug)]
pub(super) struct Written {
    pub operation: OperationId,
    pub lines: Lines,
}

/// The operation to write under: the one that goes on, or a new one.
pub(super) fn operation(db: &Db<'_>, batch: &Batch, place: &mut Place) -> Tried<OperationId> {
    let project = batch.project.as_str();
    if let Some(id) = batch.continues {
        let sql = "SELECT 1 FROM hardwon.operations WHERE project = $1 AND id = $2";
        if db.one(sql, &cells![project, id.0])?.is_none() {
            return Err(Mismatch::new(format_args!("operation {id}"), "existence").into());
        }
        return Ok(id);
    }
    place.n_operations += 1;
    let OperationHead { command, actor, at, undoes } = &batch.head;
    let undoes = undoes.map(|id| id.0 as i64);
    let id = place.n_operations;
    let row = cells![project, id, command.as_str(), actor.as_str(), *at, undoes];
    db.put(&OPERATIONS, vec![row])?;
    Ok(OperationId(id as u64))
}

/// Appends changes, each with whether it is one of a global lesson.
pub(super) fn append<'c>(
    db: &Db<'_>,
    project: &ProjectId,
    operation: OperationId,
    place: &mut Place,
    changes: impl Iterator<Item = (&'c Change, bool)>,
) -> Tried<Lines> {
    let mut lines = Lines { after: place.n_entries, bodies: Vec::new() };
    let rows = changes.map(|(change, is_global)| {
        place.n_entries += 1;
        let mut row = cells![
            project.as_str(),
            place.n_entries,
            operation.0,
            place.clock,
            place.is_shared,
            is_global,
            change.lesson().map(LessonId::as_str),
            change.touches_memory(),
            i64::from(PAYLOAD_VERSION),
            matches!(change, Change::AddLesson { .. }),
        ];
        let body = body_cells(change);
        lines.bodies.push(body[0].clone());
        row.extend(body);
        row
    });
    let rows: Vec<_> = rows.collect();
    db.put(&JOURNAL, rows)?;
    Ok(lines)
}

/// Whether a batch that was written is there: its operation, and its entries at their places. By
/// their words, since another writer has their numbers if this one did not get through.
pub(super) fn has(db: &Db<'_>, batch: &Batch, written: &Written) -> Tried<bool> {
    let Written { operation, lines } = written;
    let OperationHead { command, actor, at, undoes: _ } = &batch.head;
    let project = batch.project.as_str();
    let sql = "
        SELECT 1 FROM hardwon.operations
        WHERE project = $1 AND id = $2 AND ($6 OR command = $3 AND actor = $4 AND at = $5)";
    let goes_on = batch.continues.is_some();
    let head = cells![project, operation.0, command.as_str(), actor.as_str(), *at, goes_on];
    if db.one(sql, &head)?.is_none() {
        return Ok(false);
    }
    let sql = "
        SELECT body FROM hardwon.journal
        WHERE project = $1 AND operation = $2 AND sequence > $3 ORDER BY sequence LIMIT $4";
    let n_lines = lines.bodies.len() as i64;
    let rows = db.all(sql, &cells![project, operation.0, lines.after, n_lines])?;
    let found = rows.iter().map(|row| Cell::from(row.get::<_, &str>(0)));
    Ok(found.eq(lines.bodies.iter().cloned()))
}

/// Entries that a project may see and the query asks for.
pub(super) fn entries(db: &Db<'_>, project: &ProjectId, query: &JournalQuery) -> Tried<Vec<Entry>> {
    let mut placed = select(db, project, query, true)?;
    // An operation that a query names is one of the project itself.
    if query.operation.is_none() {
        placed.extend(select(db, project, query, false)?);
    }
    let place = |(clock, entry): &(i64, Entry)| (*clock, entry.project == *project, entry.sequence);
    placed.sort_by_key(place);
    if query.newest_first {
        placed.reverse();
    }
    placed.truncate(query.limit.unwrap_or(usize::MAX));
    Ok(placed.into_iter().map(|(_, entry)| entry).collect())
}

fn select(
    db: &Db<'_>,
    project: &ProjectId,
    query: &JournalQuery,
    is_own: bool,
) -> Tried<Vec<(i64, Entry)>> {
    let own = if is_own { "j.project = $1" } else { "j.is_global AND j.project <> $1" };
    let mut asking = Asking::of(&format!("WHERE {own}"), Cell::from(project.as_str()));
    asking.and_if("j.lesson = ?", query.lesson.as_ref().map(LessonId::as_str));
    asking.and_if("j.operation = ?", query.operation.map(|operation| operation.0));
    let later = match is_own {
        true => "j.operation > ?",
        false => {
            "j.clock > coalesce((SELECT min(clock) FROM hardwon.journal
                                 WHERE project = $1 AND operation = ?), -1)"
        }
    };
    asking.and_if(later, query.after.map(|after| after.0));
    if query.only_memory {
        asking.and("j.touches_memory", Vec::new());
    }
    let order = if is_own { "j.sequence" } else { "j.clock, j.sequence" };
    let order =
        if query.newest_first { order.replace(',', " DESC,") + " DESC" } else { order.into() };
    let Asking { rest, values } = asking.ordered(&order, query.limit);
    let rows = db.all(&format!("{SELECT} {rest}"), &values)?;
    rows.iter().map(|row| Ok((row.get(10), read(row)?))).collect()
}

/// The lessons that were added under a project, the first first.
pub(super) fn added(db: &Db<'_>, project: &ProjectId) -> Tried<Vec<LessonId>> {
    let sql = "
        SELECT lesson FROM hardwon.journal WHERE project = $1 AND is_addition ORDER BY sequence";
    let rows = db.all(sql, &cells![project.as_str()])?;
    Ok(each_once(rows.iter().map(|row| LessonId::given(row.get(0)))))
}

/// The whole journal, so that each entry comes after all that it can build on.
pub(super) fn every(db: &Db<'_>) -> Tried<Vec<Entry>> {
    let sql = format!("{SELECT} ORDER BY j.clock, NOT j.is_shared, j.project, j.sequence");
    db.all(&sql, &[])?.iter().map(read).collect()
}

/// The same in parts, until `visit` says false. A cursor ends with the transaction.
pub(super) fn each(db: &Db<'_>, mut visit: impl FnMut(Entry) -> bool) -> Tried<()> {
    let order = "j.clock, NOT j.is_shared, j.project, j.sequence";
    db.run(&format!("DECLARE entries NO SCROLL CURSOR FOR {SELECT} ORDER BY {order}"), &[])?;
    loop {
        let rows = db.all(&format!("FETCH {N_FETCHED} FROM entries"), &[])?;
        for row in &rows {
            if !visit(read(row)?) {
                return Ok(());
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
    }
}

/// Entries of a project that name one of the erased texts.
pub(super) fn with_texts(db: &Db<'_>, project: &ProjectId, erasure: &Erasure) -> Tried<Vec<Entry>> {
    let texts: Vec<&str> = erasure.texts.iter().map(TextId::as_str).collect();
    let sql = format!("{SELECT} WHERE j.project = $1 AND j.texts && $2");
    db.all(&sql, &cells![project.as_str(), texts])?.iter().map(read).collect()
}

/// Replaces the changes of entries.
pub(super) fn rewrite(db: &Db<'_>, entries: &[Entry]) -> Tried<()> {
    let sql = "
        UPDATE hardwon.journal SET body = $3, bodies = $4, texts = $5
        WHERE project = $1 AND sequence = $2";
    for entry in entries {
        let key = cells![entry.project.as_str(), entry.sequence];
        db.run(sql, &[&key[..], &body_cells(&entry.change)[..]].concat())?;
    }
    Ok(())
}

/// The body of a text, as far as an entry still has it.
pub(super) fn body_of(db: &Db<'_>, project: &ProjectId, text: &TextId) -> Tried<Option<String>> {
    let sql = "
        SELECT bodies FROM hardwon.journal WHERE (project = ANY ($1) OR is_global)
        AND texts && $2 AND bodies <> '{}' LIMIT 1";
    let found = db.one(sql, &cells![both(project), vec![text.as_str()]])?;
    let bodies = found.map(|row| super::rows::from_json::<serde_json::Value>(row.get(0)));
    let body = bodies.transpose()?.map(|bodies| bodies[text.as_str()].as_str().map(str::to_owned));
    Ok(body.flatten())
}

/// Numbers that are missing in a project's journal.
pub(super) fn gaps(db: &Db<'_>) -> Tried<Vec<String>> {
    let sql = "
        SELECT p.project, p.n_entries, count(j.sequence), coalesce(max(j.sequence), 0)
        FROM hardwon.projects AS p LEFT JOIN hardwon.journal AS j ON j.project = p.project
        GROUP BY p.project, p.n_entries ORDER BY p.project";
    let told = db.all(sql, &[])?.into_iter().filter_map(|row| {
        let (project, n_entries): (String, i64) = (row.get(0), row.get(1));
        let (n, last): (i64, i64) = (row.get(2), row.get(3));
        let n_missing = n_entries - n;
        (n_missing != 0 || last != n_entries)
            .then(|| format!("{n_missing} entries of project {project} are missing"))
    });
    Ok(told.collect())
}

fn read(row: &Row) -> Tried<Entry> {
    if row.get::<_, i64>(7) > i64::from(PAYLOAD_VERSION) {
        return Err(Trouble::Strange("a journal entry was written by a newer program"));
    }
    Ok(Entry {
        sequence: row.get::<_, i64>(0) as u64,
        operation: OperationId(row.get::<_, i64>(1) as u64),
        project: ProjectId::new(row.get(2)),
        head: OperationHead {
            command: row.get(3),
            actor: row.get(4),
            at: Timestamp(row.get(5)),
            undoes: row.get::<_, Option<i64>>(6).map(|id| OperationId(id as u64)),
        },
        change: from_body(row.get(8), row.get(9))?,
    })
}
