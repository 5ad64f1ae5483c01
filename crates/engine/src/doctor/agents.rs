//! Does memory reach the agents? Looks at every host's files for our entries, whether they
//! run at all and only once, and sends an event through the installed command as the host
//! would. Changes nothing.

mod sample;

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::answer::{Answer, Health, HealthCheck, Status};
use hardwon_core::digest::sha256_of_bytes;

use super::{failed, ok, quoted, warning};
use crate::install::hosts::{Elsewhere, HOSTS, Host, Shape};
use crate::install::{Place, Surroundings, entries, places, project_root, survey, switches};
use crate::place::Environment;
use crate::problems::{self, Noted};

/// How many results of hooks are told.
const N_RESULTS: usize = 10;

/// Looks at everything between the hosts and memory.
pub fn doctor_agents(environment: &Environment, surroundings: &Surroundings) -> Answer<Health> {
    let mut checks = vec![program(surroundings)];
    for (host, seen) in HOSTS.iter().zip(survey(environment, surroundings)) {
        let looked = Looked::new(environment, surroundings, host);
        if seen.sign.is_none() && looked.holders().is_empty() {
            checks.push(ok(host.checks.hooks, format!("{} is not here", host.title)));
            continue;
        }
        checks.push(looked.hooks());
        checks.push(looked.server());
        checks.push(looked.once());
        checks.push(looked.enabled());
        checks.extend(looked.trust());
        checks.extend(sample::answer(environment, surroundings, host, &looked.commands()));
    }
    checks.push(results(environment));
    let health = Health { checks, ..Health::default() };
    Answer { status: health.status(), problems: Vec::new(), body: health }
}

/// Hosts start what is on PATH, which need not be this very program.
fn program(surroundings: &Surroundings) -> HealthCheck {
    let own = std::env::current_exe().and_then(fs::canonicalize).ok();
    let folder = own.as_ref().and_then(|own| own.parent()).map(|folder| folder.display());
    let Some(found) = surroundings.program("hardwon") else {
        let fix = folder.map(|folder| format!("export PATH={}:\"$PATH\"", quoted(folder)));
        return failed("program", "hardwon is not on PATH: no host can start it", fix);
    };
    let digest = |path: &Path| fs::read(path).ok().map(|bytes| sha256_of_bytes(&bytes));
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

/// One file of a host, and what was found in it.
struct Seen {
    path: PathBuf,
    shape: Shape,
    /// What stands there, or why it cannot be told.
    text: Result<String, String>,
    is_shared: bool,
}

struct Looked {
    host: &'static Host,
    ours: Vec<Seen>,
    /// Files of the host that we never write.
    others: Vec<Seen>,
}

/// A command of ours: its event, group and place in the group, and the command itself.
type Placed = (String, usize, usize, String);

impl Looked {
    fn new(environment: &Environment, surroundings: &Surroundings, host: &'static Host) -> Looked {
        let seen = |place: Place| Seen {
            text: place.text(),
            path: place.path,
            shape: place.target.shape,
            is_shared: place.is_shared,
        };
        let both = [false, true].map(|is_project| {
            places(environment, surroundings, host, is_project).unwrap_or_default()
        });
        let root = project_root(environment);
        let other = |elsewhere: &Elsewhere| {
            let (path, is_shared) = match elsewhere {
                Elsewhere::Project(file) => (root.join(file), true),
                Elsewhere::Managed(file) => (PathBuf::from(file), false),
            };
            let text = fs::read_to_string(&path).unwrap_or_default();
            Seen { path, shape: Shape::JsonHooks, text: Ok(text), is_shared }
        };
        Looked {
            host,
            ours: both.into_iter().flatten().map(seen).collect(),
            others: host.also_read.iter().map(other).collect(),
        }
    }

    fn hook_files(&self) -> impl Iterator<Item = &Seen> {
        self.ours.iter().chain(&self.others).filter(|seen| seen.shape == Shape::JsonHooks)
    }

    fn text<'a>(&self, seen: &'a Seen) -> &'a str {
        seen.text.as_deref().unwrap_or_default()
    }

    /// Files with hooks of ours, each with its commands.
    fn holders(&self) -> Vec<(&Seen, Vec<Placed>)> {
        let held = |seen| {
            let commands = entries::our_commands(self.host, self.text(seen)).unwrap_or_default();
            (!commands.is_empty()).then_some((seen, commands))
        };
        self.hook_files().filter_map(held).collect()
    }

    fn has_plugin(&self) -> bool {
        self.hook_files().any(|seen| switches(self.text(seen)).has_plugin)
    }

    /// Every command of ours that the host would start, once each.
    fn commands(&self) -> Vec<String> {
        let all = self.holders().into_iter().flat_map(|(_, commands)| commands);
        let mut commands: Vec<String> = all.map(|(_, _, _, command)| command).collect();
        commands.sort();
        commands.dedup();
        commands
    }

    fn install(&self) -> String {
        format!("hardwon install {}", self.host.name)
    }

    fn hooks(&self) -> HealthCheck {
        let name = self.host.checks.hooks;
        let is_ours = |seen: &&Seen| seen.shape == Shape::JsonHooks;
        for seen in self.ours.iter().filter(is_ours) {
            let parsed = seen.text.clone().and_then(|text| entries::our_commands(self.host, &text));
            if let Err(reason) = parsed {
                let edit = format!("${{EDITOR:-vi}} {}", quoted(seen.path.display()));
                return failed(name, format!("{}: {reason}", seen.path.display()), edit);
            }
        }
        let holders = self.holders();
        let Some((seen, commands)) = holders.first() else {
            return match self.has_plugin() {
                true => ok(name, "the plugin brings them"),
                false => warning(name, "no entry in any file of the host", self.install()),
            };
        };
        let has = |event: &str| commands.iter().any(|ours| ours.0 == event);
        let missing: Vec<&str> =
            self.host.events.iter().map(|event| event.name).filter(|event| !has(event)).collect();
        match missing.is_empty() {
            true => ok(name, format!("{} events in {}", commands.len(), seen.path.display())),
            false => warning(
                name,
                format!("{} lacks {}", seen.path.display(), missing.join(", ")),
                self.install() + if seen.is_shared { " --project" } else { "" },
            ),
        }
    }

    fn server(&self) -> HealthCheck {
        let name = self.host.checks.server;
        let is_server = |seen: &&Seen| seen.shape != Shape::JsonHooks;
        let servers: Vec<&Seen> = self.ours.iter().filter(is_server).collect();
        for seen in &servers {
            let found = seen.text.clone();
            match found.and_then(|text| entries::n_ours(self.host, seen.shape, &text)) {
                Err(reason) => {
                    let edit = format!("${{EDITOR:-vi}} {}", quoted(seen.path.display()));
                    return failed(name, format!("{}: {reason}", seen.path.display()), edit);
                }
                Ok(0) => {}
                Ok(_) => return ok(name, format!("in {}", seen.path.display())),
            }
        }
        match servers.iter().any(|seen| !seen.is_shared) {
            true => warning(name, "no entry in any file of the host", self.install()),
            // The user's list of servers is the host's own file.
            false => {
                ok(name, format!("not in this project; `{} mcp list` tells", self.host.program))
            }
        }
    }

    /// Two entries are two calls: the second prints nothing, but costs its time.
    fn once(&self) -> HealthCheck {
        let name = self.host.checks.once;
        let holders = self.holders();
        let paths = holders.iter().map(|(seen, _)| seen.path.display().to_string());
        let plugin = self.has_plugin().then(|| "the plugin".to_owned());
        let mut all: Vec<String> = paths.chain(plugin).collect();
        let is_double = |(_, commands): &&(&Seen, Vec<(String, usize, usize, String)>)| {
            let n_of = |event: &str| commands.iter().filter(|ours| ours.0 == event).count();
            commands.iter().any(|ours| n_of(&ours.0) > 1)
        };
        let doubled = holders.iter().find(is_double);
        all.extend(doubled.map(|(seen, _)| format!("twice in {}", seen.path.display())));
        if all.len() < 2 {
            return ok(name, "no event is registered twice");
        }
        let flag = if holders.iter().any(|(seen, _)| seen.is_shared) { " --project" } else { "" };
        let fix = format!("hardwon uninstall {}{flag}", self.host.name);
        warning(name, format!("registered in more than one place: {}", all.join(", ")), fix)
    }

    fn enabled(&self) -> HealthCheck {
        let name = self.host.checks.enabled;
        for seen in self.hook_files() {
            let found = switches(self.text(seen));
            let switch = match (found.has_all_off, found.has_managed_only) {
                (true, _) => "disableAllHooks",
                (false, true) => "allowManagedHooksOnly",
                (false, false) => continue,
            };
            let told = format!("{switch} is set in {}: no hook of ours runs", seen.path.display());
            return warning(name, told, format!("${{EDITOR:-vi}} {}", quoted(seen.path.display())));
        }
        if let Some((path, config)) = self.toml() {
            let features = config.get("features").and_then(|features| features.as_table());
            let is_off = |key: &str| {
                features.and_then(|features| features.get(key)?.as_bool()) == Some(false)
            };
            if is_off("hooks") || is_off("codex_hooks") {
                let told = format!("[features] hooks = false in {}", path.display());
                return warning(name, told, format!("${{EDITOR:-vi}} {}", quoted(path.display())));
            }
        }
        ok(name, "hooks are not switched off")
    }

    fn toml(&self) -> Option<(&Path, toml::Table)> {
        let seen = self.ours.iter().find(|seen| seen.shape == Shape::TomlServer)?;
        Some((&seen.path, toml::from_str(self.text(seen)).ok()?))
    }

    /// Whether somebody agreed to our commands, as far as a file tells: the host compares a
    /// digest of its own, which only it can make.
    fn trust(&self) -> Option<HealthCheck> {
        let name = self.host.checks.trust?;
        let (seen, commands) = self.holders().into_iter().next()?;
        let (_, config) = self.toml().unwrap_or((Path::new(""), toml::Table::new()));
        let states = config.get("hooks").and_then(|hooks| hooks.get("state")?.as_table());
        let real = fs::canonicalize(&seen.path).unwrap_or_else(|_| seen.path.clone());
        let is_trusted = |(event, group, handler, _): &&(String, usize, usize, String)| {
            let place = format!("{}:{group}:{handler}", snake(event));
            [&seen.path, &real].iter().any(|path| {
                let state =
                    states.and_then(|states| states.get(&format!("{}:{place}", path.display())));
                state.is_some_and(|state| state.get("trusted_hash").is_some())
            })
        };
        let n_trusted = commands.iter().filter(is_trusted).count();
        let told = format!(
            "{n_trusted} of {} entries were agreed to in {}",
            commands.len(),
            self.host.title
        );
        Some(match n_trusted == commands.len() {
            true => ok(name, told),
            false => warning(name, told, format!("open /hooks in {}", self.host.title)),
        })
    }
}

/// `SessionStart` as `session_start`.
fn snake(event: &str) -> String {
    let mut out = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// What hooks noted lately, the newest first.
fn results(environment: &Environment) -> HealthCheck {
    let noted = problems::newest(environment, usize::MAX);
    let is_hook = |one: &&Noted| one.command.split_whitespace().next() == Some("hook");
    let last: Vec<&Noted> = noted.iter().filter(is_hook).take(N_RESULTS).collect();
    if last.is_empty() {
        return ok("hook results", "no hook noted a failure");
    }
    let told = |one: &&Noted| {
        let how = if one.status == Status::Failed { "failed" } else { "was degraded" };
        format!("{} {how} at {}: {}", one.command, one.at, one.cause)
    };
    let told: Vec<String> = last.iter().map(told).collect();
    warning("hook results", told.join("; "), "hardwon doctor --fix".to_owned())
}
