//! Rows of `injections`, and of `showings`, by which lessons find them.

use hardwon_core::effect::Injection;
use rusqlite::{Connection, Result, params};

use super::{ProjectKey, run};

/// Lists the lessons that a block shows.
pub(crate) fn write_showings(
    db: &Connection,
    project: ProjectKey,
    before: Option<&Injection>,
    after: Option<&Injection>,
) -> Result<()> {
    let delete = "
        DELETE FROM showings
        WHERE project = ?1 AND lesson = ?2 AND run = ?3 AND role = ?4 AND need = ?5";
    // A block that shows a lesson twice shows it once.
    let insert = "
        INSERT OR IGNORE INTO showings (project, lesson, run, role, need)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    for (sql, injection) in [(delete, before), (insert, after)] {
        let Some(Injection { run: run_id, role, need, shown, .. }) = injection else { continue };
        for shown in shown {
            let lesson = shown.lesson.as_str();
            run(db, sql, params![project, lesson, run_id.as_str(), role, need])?;
        }
    }
    Ok(())
}
