//! What does the store say of a project, and what changes if it is to say something else?

use hardwon_core::change::Change;
use hardwon_core::ids::ProjectId;
use hardwon_core::project::Project;
use hardwon_store::ProjectQuery;

use crate::memory::{Memory, Result};

/// What the store says of a project.
pub(crate) fn described(memory: &Memory, id: &ProjectId) -> Result<Project> {
    Ok(kept(memory, id)?.unwrap_or_else(|| Project::bare(id.clone())))
}

/// What the store says of a project that it has something of.
pub(crate) fn kept(memory: &Memory, id: &ProjectId) -> Result<Option<Project>> {
    let ids = [id.clone(), id.clone()];
    let query = ProjectQuery::Near { path: String::new(), mark: None, ids };
    Ok(memory.store.projects(&query)?.into_iter().find(|project| project.id == *id))
}

/// The change between two descriptions, if they differ.
pub(crate) fn edit(before: Project, after: Project) -> Option<Change> {
    let differs = before != after;
    differs.then(|| Change::EditProject { before: before.into(), after: after.into() })
}
