//! Is what stands in a host's files enough, and once, and does it run?

use std::collections::BTreeSet;
use std::path::Path;

use hardwon_engine::answer::HealthCheck;
use hardwon_render::check::{failed, ok, quoted, warning};

use super::host_files::{HostFiles, SettingsFile};
use crate::host::{EntryState, OurEntry, Shape};
use crate::install::launch::{is_gone, program_of};
use crate::install::switches::off_switch;
use crate::install::{entries, jsonc};

pub fn all(files: &HostFiles) -> Vec<HealthCheck> {
    let checks = [hooks(files), server(files), once(files), enabled(files)];
    checks.into_iter().chain(trust(files)).collect()
}

fn install(files: &HostFiles, is_shared: bool) -> String {
    let flag = if is_shared { " --project" } else { "" };
    format!("hardwon install {}{flag}", files.host.name)
}

fn uninstall(files: &HostFiles, is_shared: bool) -> String {
    install(files, is_shared).replace(" install ", " uninstall ")
}

fn edit(path: &Path) -> String {
    format!("${{EDITOR:-vi}} {}", quoted(path.display()))
}

fn hooks(files: &HostFiles) -> HealthCheck {
    let name = files.host.checks.names.hooks;
    if let Some(broken) = unreadable(files) {
        return broken;
    }
    let holders = files.holders();
    let Some((file, commands)) = holders.first() else {
        return if files.has_plugin() {
            ok(name, "the plugin brings them")
        } else {
            warning(name, "no entry in any file of the host", install(files, false))
        };
    };
    if let Some(gone) = gone(files, &holders) {
        return gone;
    }
    let has = |event: &str| commands.iter().any(|ours| ours.event == event);
    let asked = files.host.entries().map(|(event, _)| event);
    let missing: Vec<&str> = asked.filter(|event| !has(event)).collect();
    if missing.is_empty() {
        return ok(name, format!("{} events in {}", commands.len(), file.path.display()));
    }
    let detail = format!("{} lacks {}", file.path.display(), missing.join(", "));
    warning(name, detail, install(files, file.is_shared))
}

/// A file for hooks whose entries cannot be read.
fn unreadable(files: &HostFiles) -> Option<HealthCheck> {
    let hook_files = files.ours.iter().filter(|file| file.shape == Shape::JsonHooks);
    hook_files.into_iter().find_map(|file| {
        let is_refused = |text: &String| jsonc::refused_by(files.host.title, text);
        let ours = file.text.as_ref().map_err(Clone::clone);
        let ours = ours.and_then(|text| entries::our_commands(files.host, text).map(|_| text));
        let reason = ours.map_or_else(Some, is_refused)?;
        let detail = format!("{}: {reason}", file.path.display());
        Some(failed(files.host.checks.names.hooks, detail, edit(&file.path)))
    })
}

/// An entry whose program is not there: the host tries it at every event.
fn gone(files: &HostFiles, holders: &[(&SettingsFile, Vec<OurEntry>)]) -> Option<HealthCheck> {
    holders.iter().find_map(|(file, commands)| {
        let programs = commands.iter().map(|ours| (&ours.event, program_of(&ours.command)));
        let gone: Vec<_> = programs.filter(|(_, program)| is_gone(program)).collect();
        let (event, program) = gone.first()?;
        let n_more = gone.len() - 1;
        let more = if n_more > 0 { format!(" (and {n_more} more)") } else { String::new() };
        let detail =
            format!("{}: {event}{more} starts {program}, which is not there", file.path.display());
        Some(failed(files.host.checks.names.hooks, detail, repair(files, file)))
    })
}

/// What repairs an entry in a file: `install`, where it writes.
fn repair(files: &HostFiles, file: &SettingsFile) -> String {
    let is_written = files.ours.iter().any(|own| own.path == file.path);
    match (is_written, files.has_plugin()) {
        (true, false) => install(files, file.is_shared),
        (true, true) => uninstall(files, file.is_shared),
        (false, _) => edit(&file.path),
    }
}

fn server(files: &HostFiles) -> HealthCheck {
    let name = files.host.checks.names.server;
    let is_server = |file: &&SettingsFile| file.shape != Shape::JsonHooks;
    let servers: Vec<&SettingsFile> = files.ours.iter().filter(is_server).collect();
    if let Some(found) = servers.iter().find_map(|file| server_in(files, file)) {
        return found;
    }
    if servers.iter().any(|file| !file.is_shared) {
        return warning(name, "no entry in any file of the host", install(files, false));
    }
    // The user's list of servers is the host's own file.
    ok(name, format!("not in this project; `{} mcp list` tells", files.host.home.program))
}

/// The check of our server in a file; nothing if it is not there.
fn server_in(files: &HostFiles, file: &SettingsFile) -> Option<HealthCheck> {
    let name = files.host.checks.names.server;
    let path = file.path.display();
    let text = file.text.clone();
    match text.and_then(|text| entries::n_ours(files.host, file.shape, &text)) {
        Err(reason) => Some(failed(name, format!("{path}: {reason}"), edit(&file.path))),
        Ok(0) => None,
        Ok(_) => Some(match entries::gone_server(file.shape, file.text()).ok().flatten() {
            Some((_, program)) => {
                let detail = format!("{path}: {program} is not there");
                failed(name, detail, install(files, file.is_shared))
            }
            None => ok(name, format!("in {path}")),
        }),
    }
}

/// Two entries are two calls: the second prints nothing, but costs its time.
fn once(files: &HostFiles) -> HealthCheck {
    let name = files.host.checks.names.once;
    let holders = files.holders();
    let paths = holders.iter().map(|(file, _)| file.path.display().to_string());
    let plugin = files.has_plugin().then(|| "the plugin".to_owned());
    let mut all: Vec<String> = paths.chain(plugin).collect();
    let doubled = holders.iter().find(|(_, commands)| is_double(commands));
    all.extend(doubled.map(|(file, _)| format!("twice in {}", file.path.display())));
    if all.len() < 2 {
        return ok(name, "no event is registered twice");
    }
    let n_shared = holders.iter().filter(|(file, _)| file.is_shared).count();
    let n_others = holders.len() - n_shared + usize::from(files.has_plugin());
    let out = uninstall(files, n_shared > 0);
    // What is left then has to be one entry.
    let is_all = if n_shared > 0 { n_others == 0 } else { n_others == 1 };
    let fix = if is_all { format!("{out} && {}", install(files, n_shared > 0)) } else { out };
    warning(name, format!("registered in more than one place: {}", all.join(", ")), fix)
}

fn is_double(commands: &[OurEntry]) -> bool {
    let mut seen = BTreeSet::new();
    !commands.iter().all(|ours| seen.insert(&ours.event))
}

fn enabled(files: &HostFiles) -> HealthCheck {
    let name = files.host.checks.names.enabled;
    for file in files.hook_files() {
        let Some(switch) = off_switch(files.host, file.text()) else { continue };
        let detail = format!("{switch} is set in {}: no hook of ours runs", file.path.display());
        return warning(name, detail, edit(&file.path));
    }
    if let Some((file, config)) = files.toml()
        && let Some(switch) = off_in_toml(files, &config)
    {
        return warning(name, format!("{switch} in {}", file.path.display()), edit(&file.path));
    }
    let title = files.host.title;
    match files.states().iter().flatten().filter(|state| !state.is_enabled).count() {
        0 => ok(name, "hooks are not switched off"),
        n => {
            let detail = format!("{n} of our entries are switched off in {title}");
            warning(name, detail, format!("open /hooks in {title}"))
        }
    }
}

/// The switch of the host's TOML settings that keeps our hooks from running.
fn off_in_toml(files: &HostFiles, config: &toml::Table) -> Option<String> {
    files.host.checks.off_if_false.iter().find_map(|switch| {
        let (table, key) = switch.split_once('.')?;
        let is_off = config.get(table)?.get(key)?.as_bool() == Some(false);
        is_off.then(|| format!("[{table}] {key} = false"))
    })
}

/// Whether the user agreed to our commands, as far as a file shows.
fn trust(files: &HostFiles) -> Option<HealthCheck> {
    let name = files.host.checks.names.trust;
    let states = files.states();
    let is_trusted = |state: &&EntryState| state.is_trusted;
    let (n, n_trusted) = (states.len(), states.iter().flatten().filter(is_trusted).count());
    if n == 0 {
        return None;
    }
    let title = files.host.title;
    let detail = format!("{n_trusted} of {n} entries were agreed to in {title}");
    Some(if n_trusted == n {
        ok(name, detail)
    } else {
        warning(name, detail, format!("open /hooks in {title}"))
    })
}
