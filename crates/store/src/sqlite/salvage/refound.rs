//! What counts when the journal has gaps? The rows. A new journal begins with them, as if
//! everything had been stated by one operation of each project: what led there is lost, what
//! memory says is not.

use std::collections::BTreeMap;

use hardwon_core::change::{Batch, Change, OperationHead, Tables};
use hardwon_core::ids::ProjectId;
use hardwon_core::project::Project;
use rusqlite::{Connection, Result};

use crate::sqlite::rows::{lesson, run};
use crate::sqlite::{Trouble, rebuild, tables, write};

/// Why the lessons are in the journal again.
const BECAUSE: &str = "brought back from a damaged store";

/// The rows that could be read; where rows are missing, what the rest of the journal gives.
pub(super) fn merged(db: &Connection, replayed: Tables, is_whole: bool) -> Result<Tables> {
    let stored = match tables::load(db) {
        Ok(stored) if is_whole => return Ok(stored),
        Ok(stored) => stored,
        // Some row cannot be read: at least the lessons, one by one.
        Err(_) => readable_lessons(db)?,
    };
    let mut merged = replayed;
    merged.runs.extend(stored.runs);
    merged.findings.extend(stored.findings);
    merged.lessons.extend(stored.lessons);
    merged.injections.extend(stored.injections);
    merged.effects.extend(stored.effects);
    merged.deliberations.extend(stored.deliberations);
    merged.attempts.extend(stored.attempts);
    merged.consultations.extend(stored.consultations);
    merged.tombstones.extend(stored.tombstones);
    merged.projects.extend(stored.projects);
    Ok(merged)
}

fn readable_lessons(db: &Connection) -> Result<Tables> {
    let mut tables = Tables::default();
    for id in super::ids(db, "SELECT id FROM lessons")? {
        let id = hardwon_core::ids::LessonId::given(&id);
        if let Ok(Some(lesson)) = lesson::load(db, &id) {
            tables.lessons.insert(id, lesson);
        }
    }
    Ok(tables)
}

/// Replaces journal and tables by these.
pub(super) fn refound(
    db: &Connection,
    tables: &Tables,
    head: &OperationHead,
) -> std::result::Result<(), Trouble> {
    rebuild::clear(db)?;
    run(db, "DELETE FROM journal", [])?;
    run(db, "DELETE FROM operations", [])?;
    for (project, changes) in stated(tables) {
        let batch = Batch { project, head: head.clone(), continues: None, changes };
        write::apply(db, &batch, None)?;
    }
    Ok(())
}

/// Everything, by the project that states it.
fn stated(tables: &Tables) -> BTreeMap<ProjectId, Vec<Change>> {
    let Tables { runs, findings, lessons, injections, effects, tombstones, projects, .. } = tables;
    let mut all: BTreeMap<ProjectId, Vec<Change>> = BTreeMap::new();
    // What is global may be stated by any project.
    let any = ProjectId::new("doctor");
    let mut state = |project: &ProjectId, change: Change| {
        all.entry(project.clone()).or_default().push(change);
    };
    for (id, project) in projects {
        let (before, after) = (Project::bare(id.clone()).into(), project.clone().into());
        state(id, Change::EditProject { before, after });
    }
    for ((project, _), row) in runs {
        state(project, Change::AddRun { run: Box::new(row.clone()) });
    }
    for ((project, ..), row) in findings {
        state(project, Change::AddFinding { finding: Box::new(row.clone()) });
    }
    for row in lessons.values() {
        let lesson = Box::new(row.clone());
        let project = row.project.as_ref().unwrap_or(&any);
        state(project, Change::AddLesson { lesson, because: BECAUSE.to_owned() });
    }
    for ((project, _), row) in injections {
        state(project, Change::AddInjection { injection: row.clone() });
    }
    for ((project, ..), row) in effects {
        state(project, Change::AddEffect { effect: row.clone() });
    }
    for ((project, _), row) in &tables.deliberations {
        state(project, Change::AddDeliberation { deliberation: Box::new(row.clone()) });
    }
    for ((project, _), row) in &tables.attempts {
        state(project, Change::AddAttempt { attempt: Box::new(row.clone()) });
    }
    for ((project, _), row) in &tables.consultations {
        state(project, Change::AddConsultation { consultation: Box::new(row.clone()) });
    }
    for ((owner, _), row) in tombstones {
        let tombstone = row.clone();
        state(owner.as_ref().unwrap_or(&any), Change::AddTombstone { tombstone });
    }
    all
}
