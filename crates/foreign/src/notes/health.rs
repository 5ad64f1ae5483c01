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

/// So many faults are named.
const N_NAMED: usize = 3;

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
    let (folder, policy) = match read {
        Ok(read) => read,
        Err(error) => return warning("notes", error.to_string(), "hardwon jkz list".to_owned()),
    };
    let all = folder.set.check(&policy.notes.limits);
    let is_long = |fault: &Fault| matches!(fault, Fault::OverLimit { .. });
    let is_broken = |fault: &Fault| {
        let is_line = matches!(fault, Fault::LineWithoutFile { .. } | Fault::BadLine { .. });
        is_line || matches!(fault, Fault::Unreadable { .. })
    };
    let told: Vec<String> = all
        .iter()
        .filter(|fault| is_long(fault) || is_broken(fault))
        .map(|fault| {
            let NotesFault { what, at, detail, .. } = fault.into();
            format!("{at} {what}: {detail}")
        })
        .collect();
    let place = files::path_text(&folder.path);
    let n_notes = folder.set.notes.len();
    if told.is_empty() {
        let notes = if n_notes == 1 { "1 note".to_owned() } else { format!("{n_notes} notes") };
        return ok("notes", format!("{notes} in {place}"));
    }
    let more = match told.len().saturating_sub(N_NAMED) {
        0 => String::new(),
        n => format!("; and {n} more, which `hardwon jkz check` lists"),
    };
    let detail = format!("{place}: {}{more}", told[..told.len().min(N_NAMED)].join("; "));
    let is_only_long = !all.iter().any(is_broken);
    let fix = if is_only_long { "hardwon jkz review" } else { "hardwon jkz check" };
    warning("notes", detail, fix.to_owned())
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
