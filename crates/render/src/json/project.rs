//! Projects, for scripts.

use hardwon_core::answer::{Answer, ProjectLine, ProjectShown, Projects};
use hardwon_core::gate::without_control;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;

#[derive(Serialize, JsonSchema)]
pub(super) struct ProjectsWire {
    projects: Vec<ProjectWire>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Project")]
struct ProjectWire {
    /// What `--project` takes.
    id: String,
    /// What people call it.
    name: String,
    /// Whether the command was called in it.
    current: bool,
    /// Its own, without global ones.
    lessons: u64,
    runs: u64,
    /// Folders that belong to it.
    checkouts: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ProjectShowWire {
    project: ProjectWire,
    /// Why the command's own folder belongs to it; null for another project.
    because: Option<String>,
    /// Ids of other projects that are clones of the same repository.
    kin: Vec<String>,
}

impl ProjectWire {
    fn of(line: &ProjectLine) -> Self {
        ProjectWire {
            id: without_control(line.id.as_str()),
            name: without_control(&line.name),
            current: line.is_current,
            lessons: line.n_lessons,
            runs: line.n_runs,
            checkouts: line.checkouts.iter().map(|path| without_control(path)).collect(),
        }
    }
}

/// `project list`.
pub fn projects(said: &Answer<Projects>) -> Value {
    let projects = said.body.projects.iter().map(ProjectWire::of).collect();
    answer(said, ProjectsWire { projects })
}

/// `project show`, and what `rename` and `alias` leave.
pub fn project(said: &Answer<ProjectShown>) -> Value {
    let ProjectShown { project, because, kin } = &said.body;
    let wire = ProjectShowWire {
        project: ProjectWire::of(project),
        because: because.as_deref().map(without_control),
        kin: kin.iter().map(|id| without_control(id.as_str())).collect(),
    };
    answer(said, wire)
}
