//! Does memory reach the agents? Looks at every host's files for our entries, whether they
//! run at all and only once, and sends an event through the installed command as the host
//! would. Changes nothing.

mod checks;
mod host_files;
mod sample;

use std::fs;
use std::path::Path;

use hardwon_engine::Environment;
use hardwon_engine::answer::{Answer, Health, HealthCheck, Status};
use hardwon_engine::problems::{self, Noted};
use hardwon_engine::runs::queue::{self, backlog};
use hardwon_render::check::{failed, ok, quoted, warning};

use crate::hosts::HOSTS;
use crate::install::launch::{PROGRAM, program_of};
use crate::surroundings::Surroundings;
use crate::survey::survey;
use host_files::HostFiles;

const N_RESULTS: usize = 10;

/// Looks at everything between the hosts and memory.
pub fn doctor_agents(environment: &Environment, surroundings: &Surroundings) -> Answer<Health> {
    let files = |host| HostFiles::read(environment, surroundings, host);
    let all: Vec<HostFiles> = HOSTS.iter().map(files).collect();
    let commands: Vec<String> = all.iter().flat_map(HostFiles::commands).collect();
    let mut checks = vec![program(surroundings, &commands)];
    checks.extend(data_folder(environment));
    for (files, seen) in all.iter().zip(survey(environment, surroundings)) {
        let host = files.host;
        if seen.sign.is_none() && files.holders().is_empty() {
            checks.push(ok(host.checks.names.hooks, format!("{} is not here", host.title)));
            continue;
        }
        checks.extend(checks::all(files));
        checks.extend(sample::answer(environment, surroundings, host, &files.commands()));
    }
    checks.push(sessions(environment));
    checks.push(results(environment));
    let health = Health { checks, ..Health::default() };
    Answer { status: health.status(), problems: Vec::new(), body: health }
}

/// Hosts start what is on PATH, which need not be this very program.
fn program(surroundings: &Surroundings, commands: &[String]) -> HealthCheck {
    let own = std::env::current_exe().and_then(fs::canonicalize).ok();
    let folder = own.as_ref().and_then(|own| own.parent()).map(|folder| folder.display());
    let Some(found) = surroundings.program(PROGRAM) else {
        let has_path = |command: &String| program_of(command).starts_with('/');
        if !commands.is_empty() && commands.iter().all(has_path) {
            let program = program_of(&commands[0]);
            return ok("program", format!("not on PATH; the entries start {program}"));
        }
        let fix = folder.map(|folder| format!("export PATH={}:\"$PATH\"", quoted(folder)));
        return failed("program", "hardwon is not on PATH: no host can start it", fix);
    };
    let digest = |path: &Path| fs::read(path).ok().map(|bytes| hardwon_engine::digest(&bytes));
    let is_this = fs::canonicalize(&found).ok() == own;
    match own {
        Some(own) if !is_this && digest(&own) != digest(&found) => warning(
            "program",
            format!("hosts start {}, another version than {}", found.display(), own.display()),
            format!("cp {} {}", quoted(own.display()), quoted(found.display())),
        ),
        Some(_) | None => ok("program", format!("hosts start {}", found.display())),
    }
}

/// Whether there can be a data folder: without one hooks keep nothing, and say so to nobody. That
/// all is well there is told by the other checks.
fn data_folder(environment: &Environment) -> Option<HealthCheck> {
    let folder = environment.data_folder().ok()?;
    let is_file = |path: &&Path| path.exists() && !path.is_dir();
    let file = folder.ancestors().find(is_file)?.display();
    let detail = match folder.is_file() {
        true => format!("{file} is a file: nothing can be kept there"),
        false => format!("{file} is a file: {} cannot be made", folder.display()),
    };
    let file = quoted(file);
    Some(failed("data folder", detail, format!("mv {file} {file}.moved")))
}

/// Finished sessions and messages that have not been learned from yet.
fn sessions(environment: &Environment) -> HealthCheck {
    match queue::n_due(environment) {
        0 => ok("sessions", "none waits to be read"),
        n if backlog::is_worked_on(environment) => {
            ok("sessions", format!("{n} wait to be read, and a worker does it"))
        }
        n => {
            let waits = if n == 1 {
                "1 session or message waits"
            } else {
                &format!("{n} sessions or messages wait")
            };
            let detail = format!("{waits} to be read, and nobody does it");
            warning("sessions", detail, "hardwon learn --pending".to_owned())
        }
    }
}

/// What hooks noted lately, the newest first.
fn results(environment: &Environment) -> HealthCheck {
    let noted = problems::newest(environment, usize::MAX);
    let is_hook =
        |one: &&Noted| matches!(one.command.split_whitespace().next(), Some("hook" | "worker"));
    let last: Vec<&Noted> = noted.iter().filter(is_hook).take(N_RESULTS).collect();
    if last.is_empty() {
        return ok("hook results", "no hook noted a failure");
    }
    let shown = |one: &&Noted| {
        let how = if one.status == Status::Failed { "failed" } else { "was degraded" };
        format!("{} {how} at {}: {}", one.command, one.at, one.cause)
    };
    let shown: Vec<String> = last.iter().map(shown).collect();
    warning("hook results", shown.join("; "), "hardwon doctor --fix".to_owned())
}
