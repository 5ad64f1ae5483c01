//! What things are called in geas's tree: runs by mission and task, lessons `mem-TASK-N`,
//! evidence `retro-TASK`. A name becomes a file only if it cannot be a path.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Batch, Change, Tables};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;

use crate::Folder;
use crate::store::layout::{Namer, is_stated};

/// What no task stands for.
const STATED: &str = "stated";
/// Longest name that is a file.
const MAX_CHARS: usize = 120;
/// Longest name of a task that is part of others.
const MAX_TASK_CHARS: usize = 80;

/// Mission and task of a run: `m1/task-001`.
pub(super) fn parts(run: &RunId) -> (Option<String>, String) {
    match run.as_str().rsplit_once('/') {
        Some((mission, task)) => (Some(safe(mission)), safe(task)),
        None => (None, safe(run.as_str())),
    }
}

/// A name as a part of a file's name: whatever else it holds is a dash.
fn safe(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    let plain = plain.replace("..", "-");
    let cut: String = plain.trim_start_matches('.').chars().take(MAX_TASK_CHARS).collect();
    if cut.is_empty() { STATED.to_owned() } else { cut }
}

/// Whether an id can be the name of a file, whoever chose it.
fn is_file_name(id: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    id.starts_with(|c: char| c.is_ascii_alphanumeric())
        && id.chars().count() <= MAX_CHARS
        && id.chars().all(is_plain)
        && !id.contains("..")
        && !id.ends_with("-review")
}

/// Whether an alias is an id of geas's shape.
pub(super) fn is_own(alias: &str) -> bool {
    is_file_name(alias) && number(alias).is_some()
}

/// The task and number of `mem-TASK-N`.
pub(super) fn number(id: &str) -> Option<(&str, u64)> {
    let (task, number) = id.strip_prefix("mem-")?.rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((task, number.parse().ok()?)).filter(|_| is_number && !task.is_empty())
}

/// By what a lesson is known in the tree: the first name that is not one of another folder.
pub(super) fn memory_id(lesson: &Lesson) -> &str {
    let own = lesson.aliases.iter().map(String::as_str).find(|alias| !alias.contains('@'));
    own.unwrap_or(lesson.id.as_str())
}

/// The file of its documents, without the ending.
pub(super) fn file_stem(lesson: &Lesson) -> String {
    let id = memory_id(lesson);
    if is_file_name(id) { id.to_owned() } else { lesson.id.to_string() }
}

/// What is stated here gets a new id, numbered within the task in which it was seen.
pub(super) fn namer(batch: &Batch, tables: &Tables) -> Namer {
    let is_stated = is_stated(batch);
    let tasks = first_tasks(batch, tables);
    Box::new(move |lesson, taken| {
        if is_stated || !lesson.aliases.iter().any(|alias| is_own(alias)) {
            let task = tasks.get(&lesson.id).map_or(STATED, String::as_str);
            lesson.aliases.insert(0, new_id(task, taken));
        }
    })
}

/// The task in which each lesson of a batch was seen first.
fn first_tasks(batch: &Batch, tables: &Tables) -> BTreeMap<LessonId, String> {
    let of_change = batch.changes.iter().filter_map(|change| match change {
        Change::AddFinding { finding } => Some(&**finding),
        Change::EditFinding { after, .. } => Some(&**after),
        _ => None,
    });
    let new: BTreeSet<&LessonId> = batch
        .changes
        .iter()
        .filter_map(|change| match change {
            Change::AddLesson { lesson, .. } => Some(&lesson.id),
            _ => None,
        })
        .collect();
    let mut tasks = BTreeMap::new();
    if new.is_empty() {
        return tasks;
    }
    for finding in of_change.chain(tables.findings.values()) {
        if let Some(lesson) = finding.lesson.as_ref().filter(|id| new.contains(id)) {
            tasks.entry(lesson.clone()).or_insert_with(|| parts(&finding.root).1);
        }
    }
    tasks
}

/// One more than the highest number that was ever given within the task.
fn new_id(task: &str, taken: &BTreeSet<String>) -> String {
    let stem = format!("mem-{task}-");
    let same = taken.range(stem.clone()..).take_while(|id| id.starts_with(&stem));
    let numbers = same.filter_map(|id| number(id)).filter(|(of, _)| *of == task);
    let highest = numbers.map(|(_, number)| number).max().unwrap_or(0);
    format!("mem-{task}-{}", highest.saturating_add(1))
}

/// By what a run is evidence: `retro-TASK`, with the mission if an earlier one has such a task.
pub(super) fn retro(run: &RunId, tables: &Tables) -> String {
    fn last(id: &RunId) -> Option<&str> {
        id.as_str().rsplit('/').next()
    }
    let order = |run: &Run| (run.number.unwrap_or(u64::MAX), run.recorded_at, run.id.clone());
    let same = tables.runs.values().filter(|other| last(&other.id) == last(run));
    let first = same.min_by_key(|other| order(other));
    match parts(run) {
        (Some(mission), task) if first.is_some_and(|first| first.id != *run) => {
            format!("retro-{mission}-{task}")
        }
        (_, task) => format!("retro-{task}"),
    }
}

/// The run of each task below `missions`, by `TASK` and by `MISSION-TASK`. Of several tasks of
/// one name the first mission's is meant.
pub(super) fn runs_below(files: &Folder) -> BTreeMap<String, RunId> {
    let mut runs = BTreeMap::new();
    for mission in folders(files, "missions") {
        for task in folders(files, &format!("missions/{mission}/tasks")) {
            let Ok(run) = RunId::parse(&format!("{mission}/{task}")) else { continue };
            runs.insert(format!("{mission}-{task}"), run.clone());
            runs.entry(task).or_insert(run);
        }
    }
    runs
}

/// Names in a folder, in order; of a file the stem.
pub(super) fn folders(files: &Folder, path: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(files.path(path)).into_iter().flatten().flatten();
    let name = |entry: std::fs::DirEntry| entry.file_name().into_string().ok();
    let names = entries.filter_map(name).filter(|name| !name.starts_with('.'));
    names.map(|name| name.strip_suffix(".json").unwrap_or(&name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_files() {
        for good in ["mem-task-001-1", "memory_7", "a.b"] {
            assert!(is_file_name(good), "{good}");
        }
        let long = "m".repeat(200);
        for odd in ["", "../x", "a/b", "a..b", ".x", "-x", "mem-a-review", &long, "a b", "é"] {
            assert!(!is_file_name(odd), "{odd}");
        }
    }

    #[test]
    fn numbers_count_within_a_task() {
        assert_eq!(number("mem-task-001-12"), Some(("task-001", 12)));
        for odd in ["mem-1", "mem--1", "m-001", "mem-a-b", "mem-a-+1", ""] {
            assert_eq!(number(odd), None, "{odd}");
        }
        let taken = ["mem-a-9", "mem-a-10", "mem-b-40", "x"].map(String::from).into();
        assert_eq!(new_id("a", &taken), "mem-a-11");
        assert_eq!(new_id("c", &taken), "mem-c-1");
    }

    #[test]
    fn a_run_is_mission_and_task() {
        let run = |text| RunId::parse(text).unwrap();
        assert_eq!(parts(&run("m1/task-001")), (Some("m1".into()), "task-001".into()));
        assert_eq!(parts(&run("task:7")), (None, "task-7".into()));
    }
}
