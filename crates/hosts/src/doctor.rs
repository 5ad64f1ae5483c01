//! Does memory reach the agents? Looks at every host's files for our entries, whether they
//! run at all and only once, and sends an event through the installed command as the host
//! would. Changes nothing.

mod sample;

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_engine::Environment;
use hardwon_engine::answer::{Answer, Health, HealthCheck, Status};
use hardwon_engine::care::doctor::{failed, ok, quoted, warning};
use hardwon_engine::problems::{self, Noted};
use hardwon_engine::runs::queue;

use crate::install::hosts::{Elsewhere, HOSTS, Host, Shape};
use crate::install::launch::{PROGRAM, is_gone, program_of};
use crate::install::{Place, Surroundings, entries, places, project_root, survey, switches};

/// From here on somebody should read the sessions that wait.
const MAX_WAITING: usize = 20;

/// How many results of hooks are told.
const N_RESULTS: usize = 10;

/// Looks at everything between the hosts and memory.
pub fn doctor_agents(environment: &Environment, surroundings: &Surroundings) -> Answer<Health> {
    let looked = |host| Looked::new(environment, surroundings, host);
    let all: Vec<Looked> = HOSTS.iter().map(looked).collect();
    let commands: Vec<String> = all.iter().flat_map(Looked::commands).collect();
    let mut checks = vec![program(surroundings, &commands)];
    for (looked, seen) in all.iter().zip(survey(environment, surroundings)) {
        let host = looked.host;
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
            let told = format!("not on PATH; the entries start {}", program_of(&commands[0]));
            return ok("program", told);
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
        if let Some(gone) = self.gone(&holders) {
            return gone;
        }
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

    /// An entry whose program is not there: the host tries it at every event.
    fn gone(&self, holders: &[(&Seen, Vec<Placed>)]) -> Option<HealthCheck> {
        let name = self.host.checks.hooks;
        for (seen, commands) in holders {
            let gone = commands.iter().map(|ours| (&ours.0, program_of(&ours.3)));
            let Some((event, program)) = gone.clone().find(|(_, program)| is_gone(program)) else {
                continue;
            };
            let n_more = gone.filter(|(_, program)| is_gone(program)).count() - 1;
            let more = if n_more > 0 { format!(" (and {n_more} more)") } else { String::new() };
            let told = format!(
                "{}: {event}{more} starts {program}, which is not there",
                seen.path.display()
            );
            return Some(failed(name, told, self.mending(seen)));
        }
        None
    }

    /// What mends an entry in a file: `install`, where it writes.
    fn mending(&self, seen: &Seen) -> String {
        let is_written = self.ours.iter().any(|own| own.path == seen.path);
        let flag = if seen.is_shared { " --project" } else { "" };
        match (is_written, self.has_plugin()) {
            (true, false) => self.install() + flag,
            (true, true) => format!("hardwon uninstall {}{flag}", self.host.name),
            (false, _) => format!("${{EDITOR:-vi}} {}", quoted(seen.path.display())),
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
                Ok(_) if self.gone_server(seen).is_some() => {
                    let program = self.gone_server(seen).unwrap_or_default();
                    let told = format!("{}: {program} is not there", seen.path.display());
                    let flag = if seen.is_shared { " --project" } else { "" };
                    return failed(name, told, self.install() + flag);
                }
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

    fn gone_server(&self, seen: &Seen) -> Option<String> {
        let gone = entries::gone_server(seen.shape, self.text(seen)).ok().flatten()?;
        Some(gone.1)
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
        let n_shared = holders.iter().filter(|(seen, _)| seen.is_shared).count();
        let n_others = holders.len() - n_shared + usize::from(self.has_plugin());
        let flag = if n_shared > 0 { " --project" } else { "" };
        let out = format!("hardwon uninstall {}{flag}", self.host.name);
        // What is left then has to be one entry.
        let is_all = if n_shared > 0 { n_others == 0 } else { n_others == 1 };
        let fix = if is_all { format!("{out} && {}{flag}", self.install()) } else { out };
        warning(name, format!("registered in more than one place: {}", all.join(", ")), fix)
    }

    fn enabled(&self) -> HealthCheck {
        let name = self.host.checks.enabled;
        for seen in self.hook_files() {
            let found = switches(self.text(seen));
            let Some(switch) = found.off() else { continue };
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
        let is_off =
            |state: &toml::Value| state.get("enabled") == Some(&toml::Value::Boolean(false));
        let n_off = self.states().iter().flatten().filter(|state| is_off(state)).count();
        match n_off {
            0 => ok(name, "hooks are not switched off"),
            n => {
                let told = format!("{n} of our entries are switched off in {}", self.host.title);
                warning(name, told, format!("open /hooks in {}", self.host.title))
            }
        }
    }

    /// What the host wrote down about each entry of the first file that has some.
    fn states(&self) -> Vec<Option<toml::Value>> {
        let Some((seen, commands)) = self.holders().into_iter().next() else { return Vec::new() };
        let config = self.toml().map(|(_, config)| config).unwrap_or_default();
        let states = config.get("hooks").and_then(|hooks| hooks.get("state")?.as_table());
        let real = fs::canonicalize(&seen.path).unwrap_or_else(|_| seen.path.clone());
        let state = |(event, group, handler, _): &Placed| {
            let place = format!("{}:{group}:{handler}", snake(event));
            [&seen.path, &real].into_iter().find_map(|path| {
                states
                    .and_then(|states| states.get(&format!("{}:{place}", path.display())))
                    .cloned()
            })
        };
        commands.iter().map(state).collect()
    }

    fn toml(&self) -> Option<(&Path, toml::Table)> {
        let seen = self.ours.iter().find(|seen| seen.shape == Shape::TomlServer)?;
        Some((&seen.path, toml::from_str(self.text(seen)).ok()?))
    }

    /// Whether somebody agreed to our commands, as far as a file tells: the host compares a
    /// digest of its own, which only it can make.
    fn trust(&self) -> Option<HealthCheck> {
        let name = self.host.checks.trust?;
        let states = self.states();
        let is_trusted = |state: &&toml::Value| state.get("trusted_hash").is_some();
        let (n, n_trusted) = (states.len(), states.iter().flatten().filter(is_trusted).count());
        if n == 0 {
            return None;
        }
        let told = format!("{n_trusted} of {n} entries were agreed to in {}", self.host.title);
        Some(match n_trusted == n {
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

/// Sessions that are over, and what was said in them, that nobody has learned from yet. A few
/// are a matter of time.
fn sessions(environment: &Environment) -> HealthCheck {
    match queue::n_waiting(environment) {
        n if n > MAX_WAITING => warning(
            "sessions",
            format!("{n} sessions or messages wait to be read: no `hardwon mcp` runs that could"),
            "hardwon learn --pending".to_owned(),
        ),
        n => ok("sessions", format!("{n} wait to be read")),
    }
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
