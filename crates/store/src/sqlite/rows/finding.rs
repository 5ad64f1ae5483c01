//! Rows of `findings`.

use hardwon_core::finding::{Finding, FindingKey, FindingState, Grade, Place, Severity};
use hardwon_core::ids::{LessonId, RunId};
use rusqlite::{Connection, Result, Row, params};

use super::{ProjectKey, all, one, run, text};
use crate::sqlite::cells::Cells;

macro_rules! columns {
    () => {
        "SELECT findings.key, run, findings.root, author, severity, category, rule,
                texts.id, texts.body, path, line, grade, signature, state, is_sighting,
                lesson, likeness, fixed_in, repair, ruled_by"
    };
}

pub(crate) mod page;

macro_rules! select {
    ($rest:literal) => {
        concat!(columns!(), " FROM findings CROSS JOIN texts ON texts.key = findings.text ", $rest)
    };
}

fn read(row: &Row<'_>) -> Result<Finding> {
    let mut cells = Cells::new(row);
    Ok(Finding {
        key: FindingKey(cells.get()?),
        run: cells.run_id()?,
        root: cells.run_id()?,
        author: cells.get()?,
        severity: cells.word(Severity::from_word)?,
        category: cells.get()?,
        rule: cells.get()?,
        text: cells.text()?,
        place: place(&mut cells)?,
        grade: cells.maybe_word(Grade::from_word)?,
        signature: cells.get()?,
        state: cells.word(FindingState::from_word)?,
        is_sighting: cells.get()?,
        lesson: cells.get::<Option<String>>()?.map(|id| LessonId::given(&id)),
        likeness: cells.get()?,
        fixed_in: cells.maybe_run_id()?,
        repair: cells.get()?,
        ruled_by: cells.get()?,
    })
}

fn place(cells: &mut Cells<'_>) -> Result<Option<Place>> {
    let (path, line) = (cells.get::<Option<String>>()?, cells.get()?);
    Ok(path.map(|path| Place { path, line }))
}

pub(crate) fn load(
    db: &Connection,
    project: ProjectKey,
    run: &RunId,
    key: &FindingKey,
) -> Result<Option<Finding>> {
    let sql = select!("WHERE project = ?1 AND run = ?2 AND findings.key = ?3");
    one(db, sql, params![project, run.as_str(), key.0], read)
}

pub(crate) fn of_root(db: &Connection, project: ProjectKey, root: &RunId) -> Result<Vec<Finding>> {
    let sql = select!("WHERE project = ?1 AND root = ?2 ORDER BY run, findings.key");
    all(db, sql, params![project, root.as_str()], read)
}

pub(crate) fn of_lesson(
    db: &Connection,
    project: ProjectKey,
    lesson: &LessonId,
) -> Result<Vec<Finding>> {
    let sql = select!("WHERE project = ?1 AND lesson = ?2");
    all(db, sql, params![project, lesson.as_str()], read)
}

/// The newest fixed ones with this signature.
pub(crate) fn fixed_with_signature(
    db: &Connection,
    project: ProjectKey,
    signature: &str,
    limit: usize,
) -> Result<Vec<Finding>> {
    let sql = select!(
        "LEFT JOIN runs ON runs.project = findings.project AND runs.id = findings.run
         WHERE findings.project = ?1 AND signature = ?2 AND state = 'fixed'
         ORDER BY coalesce(started_at, finished_at, recorded_at) DESC, run DESC,
                  findings.key DESC
         LIMIT ?3"
    );
    all(db, sql, params![project, signature, limit as i64], read)
}

pub(crate) fn of_project(db: &Connection, project: ProjectKey) -> Result<Vec<Finding>> {
    all(db, select!("WHERE project = ?1 ORDER BY run, findings.key"), [project], read)
}

pub(crate) fn write(
    db: &Connection,
    project: ProjectKey,
    run_id: &RunId,
    key: &FindingKey,
    after: Option<&Finding>,
) -> Result<()> {
    let Some(after) = after else {
        let sql = "DELETE FROM findings WHERE project = ?1 AND run = ?2 AND key = ?3";
        return run(db, sql, params![project, run_id.as_str(), key.0]).map(drop);
    };
    let sql = "
        REPLACE INTO findings (
            project, run, key, root, author, severity, category, rule, text, path, line,
            grade, signature, state, is_sighting, lesson, likeness, fixed_in, repair,
            ruled_by)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                ?18, ?19, ?20)";
    let params = params![
        project,
        after.run.as_str(),
        after.key.0,
        after.root.as_str(),
        after.author,
        after.severity.word(),
        after.category,
        after.rule,
        text::put(db, &after.text)?,
        after.place.as_ref().map(|place| &place.path),
        after.place.as_ref().and_then(|place| place.line),
        after.grade.map(Grade::word),
        after.signature,
        after.state.word(),
        after.is_sighting,
        after.lesson.as_ref().map(LessonId::as_str),
        after.likeness,
        after.fixed_in.as_ref().map(RunId::as_str),
        after.repair,
        after.ruled_by,
    ];
    run(db, sql, params).map(drop)
}
