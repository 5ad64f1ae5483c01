//! Which mission and task does a path name? `.geas/missions/m1/tasks/task-001/retrospective.json`
//! and the same in `m2` are two tasks, and only the path tells.

use std::path::{Path, PathBuf};

/// What a path tells; nothing if it is not below `missions`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub mission: Option<String>,
    pub task: Option<String>,
}

/// Folders of a mission in which each task has a folder or a file.
pub const OF_TASKS: [&str; 2] = ["tasks", "evidence"];

pub fn place_of(path: &str) -> Place {
    let parts: Vec<&str> = path.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let is_mission = |at: &[&str]| at[0] == "missions" && OF_TASKS.contains(&at[2]);
    let Some(at) = parts.windows(4).rposition(is_mission) else { return Place::default() };
    let task = parts[at + 3];
    let task = match task.strip_suffix(".json") {
        Some(name) if parts.len() == at + 4 => name,
        _ => task,
    };
    Place { mission: Some(parts[at + 1].to_owned()), task: Some(task.to_owned()) }
}

/// By path, but what lies beside the folder of a task, which is its contract, before what is in it.
pub fn place_order(path: &Path) -> (PathBuf, PathBuf) {
    let is_beside = place_of(&path.to_string_lossy()).task.is_some_and(|task| {
        path.file_stem().is_some_and(|stem| stem == task.as_str())
            && path.parent().is_some_and(|parent| parent.ends_with(OF_TASKS[0]))
    });
    let first = if is_beside { path.with_extension("") } else { path.to_owned() };
    (first, path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mission_and_task_stand_in_the_path() {
        for (path, mission, task) in [
            (".geas/missions/m1/tasks/task-001/retrospective.json", "m1", "task-001"),
            ("/w/.geas/missions/m1/tasks/task-001.json", "m1", "task-001"),
            ("missions/m2/evidence/t/a/b.json", "m2", "t"),
            ("w\\.geas\\missions\\m1\\tasks\\t.json\\x.json", "m1", "t.json"),
            ("missions/m1/tasks/missions/m2/tasks/t.json", "m2", "t"),
        ] {
            let expected = Place { mission: Some(mission.into()), task: Some(task.into()) };
            assert_eq!(place_of(path), expected, "{path}");
        }
        for path in ["", "retrospective.json", "missions/m1/tasks", "missions/m1/packets/t/x.json"]
        {
            assert_eq!(place_of(path), Place::default(), "{path}");
        }
    }
}
