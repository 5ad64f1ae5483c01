//! What `doctor` tells of notes: an index that hosts do not load whole or that leads nowhere, and
//! notebooks that agents are not told because they came with the checkout.

use std::path::Path;

use hardwon_core::notes::set::Fault;
use hardwon_engine::{EngineError, Environment, files};
use hardwon_render::answer::{HealthCheck, NotesFault};
use hardwon_render::check::{ok, quoted, warning};

use super::places::of_tree;
use super::shown::may_be_told;
use super::{NotesFolder, Places};

/// Nothing where there are no notes.
pub fn health(environment: &Environment, places: &Places) -> Vec<HealthCheck> {
    let project = match places.project(environment) {
        Ok(folder) if folder.is_dir() => Some(index(environment, &folder)),
        Err(EngineError::NoFolder { path }) => {
            let detail = format!("HARDWON_NOTES names {}, which is not there", path.display());
            Some(warning("notes", detail, "unset HARDWON_NOTES".to_owned()))
        }
        Ok(_) | Err(_) => None,
    };
    project.into_iter().chain(notebooks(environment)).collect()
}

fn index(environment: &Environment, path: &Path) -> HealthCheck {
    let read = NotesFolder::read(path).and_then(|it| Ok((it, super::rules(environment)?)));
    let fix = "hardwon jkz check".to_owned();
    let (folder, policy) = match read {
        Ok(read) => read,
        Err(error) => return warning("notes", error.to_string(), fix),
    };
    let place = files::path_text(&folder.path);
    let mut faults = folder.set.check(&policy.notes.limits);
    faults.retain(|fault| fault.is_broken() || matches!(fault, Fault::OverLimit { .. }));
    let Some(first) = faults.first() else {
        let n_notes = folder.set.notes.len();
        return ok(
            "notes",
            format!("{n_notes} note{} in {place}", if n_notes == 1 { "" } else { "s" }),
        );
    };
    let NotesFault { what, at, detail, .. } = first.into();
    warning("notes", format!("{place}: {at} {what}: {detail}; {} in all", faults.len()), fix)
}

/// Notebooks of the checkout that nobody approved.
fn notebooks(environment: &Environment) -> Option<HealthCheck> {
    let all = of_tree(environment.checkout());
    let (told, inert): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|folder| may_be_told(environment, folder));
    match inert.first() {
        None if told.is_empty() => None,
        None => Some(ok("notebooks", format!("{} in this checkout", told.len()))),
        Some(first) => {
            let name = |folder: &std::path::PathBuf| {
                let role = folder.file_name().unwrap_or_default().to_string_lossy();
                role.into_owned()
            };
            let names: Vec<String> = inert.iter().map(name).collect();
            let detail = format!(
                "git tracks the notebooks of {}: no agent is told them until they are approved",
                names.join(", ")
            );
            Some(warning(
                "notebooks",
                detail,
                format!("hardwon review trust {}", quoted(first.display())),
            ))
        }
    }
}
