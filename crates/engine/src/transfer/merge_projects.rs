//! Two projects become one. What came stays where it was as well, under its own name, so that taking
//! it back is one step.

use hardwon_core::change::Tables;
use hardwon_core::ids::ProjectId;
use hardwon_core::project::Project;
use hardwon_core::transfer::join::{Join, Joined};
use hardwon_render::answer::{Answer, MergedProjects};
use hardwon_store::LessonQuery;

use super::own::own_tables;
use crate::described::{described, edit};
use crate::memory::{Call, EngineError, Memory, Result};
use crate::write::{Command, write};

/// Brings everything that one project has to another one, and its checkouts: one operation of the
/// other project.
pub fn merge_projects(
    memory: &mut Memory,
    call: &Call,
    from: &ProjectId,
    into: &ProjectId,
) -> Result<Answer<MergedProjects>> {
    call.needs_person("merging projects")?;
    if from == into {
        let reason = "a project cannot be merged with itself: name another one".to_owned();
        return Err(EngineError::NoUsableInput(reason));
    }
    let (there, here) = (call.about(from.clone()), call.about(into.clone()));
    let command = Command::new("project merge");
    let (operation, joined) = write(memory, &here, &command, &mut |memory, status| {
        let (theirs, ours) = (rows(memory, &there)?, rows(memory, &here)?);
        let join = Join { from, theirs: &theirs, into, ours: &ours, after: status.run_number };
        let mut is_taken = |id: &_| memory.store.is_taken(into, id).unwrap_or(true);
        let mut joined = join.changes(&mut is_taken);
        let mut changes = std::mem::take(&mut joined.changes);
        let (giving, taking) = (described(memory, from)?, described(memory, into)?);
        let taken = giving.checkouts.iter().cloned().fold(taking.clone(), Project::with);
        let given = Project { checkouts: Vec::new(), ..giving.clone() };
        changes.extend(edit(giving, given));
        changes.extend(edit(taking, taken));
        Ok((changes, joined))
    })?;
    let Joined { n_lessons, n_same, n_runs, n_renamed, .. } = joined;
    let body = MergedProjects {
        from: from.to_string(),
        into: into.to_string(),
        operation: operation.map(|id| id.0),
        n_lessons,
        n_same,
        n_runs,
        n_renamed,
    };
    Ok(Answer::of(body, Vec::new()).or_empty(operation.is_none()))
}

/// Everything of one project, without what all projects see.
fn rows(memory: &Memory, call: &Call) -> Result<Tables> {
    let lessons = memory.store.lessons(&call.project, &LessonQuery::default())?.into_iter();
    let own = lessons.filter(|lesson| lesson.project.is_some());
    let lessons = own.map(|lesson| (lesson.id.clone(), lesson)).collect();
    Ok(Tables { lessons, ..own_tables(memory, call)? })
}
