//! Is it set up as its user thinks? Settings that were not used and why, folders that
//! were approved, and what failed lately.

use std::path::Path;

use hardwon_core::event::Problem;
use hardwon_core::project::Reason;
use hardwon_core::run::{Run, RunKind};
use hardwon_render::answer::{HealthCheck, Status};
use hardwon_render::check::{failed, few, ok, quoted, skipped, warning};
use hardwon_store::{Access, RunQuery, files};

use super::Patient;
use crate::memory::OpenMemory;
use crate::problems::{self, Noted};
use crate::projects;
use crate::settings;
use crate::trust;

/// Failures older than this are history.
const RECENT_DAYS: i64 = 7;

impl Patient<'_> {
    pub(super) fn setup_checks(&self) -> Vec<HealthCheck> {
        let mut checks = Vec::new();
        match self.environment.settings_file() {
            Ok(file) => checks.push(self.settings_file("user settings", &file, "user file", "")),
            Err(error) => {
                let fix = "export HARDWON_HOME=FOLDER".to_owned();
                checks.push(failed("user settings", error.to_string(), fix));
            }
        }
        let file = self.environment.project_settings_file();
        checks.push(self.settings_file("project settings", &file, "project file", " --in-project"));
        checks.push(self.variables());
        checks.push(self.trust());
        checks.push(self.failures());
        checks
    }

    /// One settings file: does it parse, and may it say what it says?
    fn settings_file(
        &self,
        name: &'static str,
        path: &Path,
        origin: &str,
        flag: &str,
    ) -> HealthCheck {
        let edit = format!("${{EDITOR:-vi}} {}", quoted(path.display()));
        if let Some(flaw) = unreadable(path) {
            // A file that cannot be read cannot be corrected.
            let (reason, fix) = match flaw {
                Flaw::Content(reason) => (reason, edit),
                Flaw::Access(reason) => (reason, format!("ls -l {}", quoted(path.display()))),
            };
            let detail = format!("{}: {reason}; all of it is ignored", path.display());
            return failed(name, detail, fix);
        }
        let place = format!("{origin} {}", path.display());
        let problems: Vec<&Problem> =
            self.settings.problems.iter().filter(|problem| problem.at == place).collect();
        let Some(first) = problems.first() else {
            return if path.exists() {
                ok(name, path.display().to_string())
            } else {
                ok(name, format!("none at {}", path.display()))
            };
        };
        let key = first.reason.split(": ").next().unwrap_or_default();
        let fix = match settings::key(key) {
            Some(_) => format!("hardwon config unset {}{flag}", quoted(key)),
            None => edit,
        };
        let details: Vec<String> = problems.iter().map(|problem| problem.reason.clone()).collect();
        warning(name, format!("{}: {}", path.display(), few(&details)), fix)
    }

    /// Which project this is, and whether it may be meant to be another one.
    pub(super) fn project(&self) -> HealthCheck {
        const NAME: &str = "project";
        let opened = OpenMemory::open(self.environment, self.options, Access::Read);
        let shown = opened.and_then(|OpenMemory { memory, call }| {
            let shown = projects::project_show(&memory, &call, None)?.body;
            let sessions = RunQuery { kind: Some(RunKind::Session), ..RunQuery::default() };
            let mut sessions = memory.store.runs(&call.project, &sessions)?;
            sessions.retain(Run::is_of_unknown_messages);
            Ok((shown, call.identity.reason, sessions.len()))
        });
        let Ok((shown, reason, n_old)) = shown else {
            return skipped(NAME, "the store does not open");
        };
        let join = |id: &str| self.command(&format!("config project alias {}", quoted(id)));
        let mut told = format!("{} ({}): {reason}", shown.project.name, shown.project.id);
        if n_old > 0 {
            let again = self.command("init --only-transcripts");
            told += &format!(
                "; {n_old} conversations were counted before 0.2, copies too \
                 (`{again}` reads again what is on the disk)"
            );
        }
        let kin = shown.kin.first().map(|kin| kin.as_str());
        match (&reason, kin) {
            (Reason::Copy { of: other } | Reason::Replaced { other }, _) => {
                warning(NAME, told, join(other.as_str()))
            }
            (Reason::Ambiguous, _) => warning(NAME, told, self.command("config project list")),
            (Reason::Unknown, Some(kin)) => {
                warning(NAME, format!("{told}; it is another clone of {kin}"), join(kin))
            }
            (_, Some(kin)) => {
                let join = join(kin);
                ok(NAME, format!("{told}; {kin} is another clone of it (`{join}` joins them)"))
            }
            (_, None) => ok(NAME, told),
        }
    }

    fn variables(&self) -> HealthCheck {
        let settings = &self.settings;
        let of_variable = |problem: &&Problem| problem.at.starts_with("environment ");
        let mut details: Vec<String> = settings
            .problems
            .iter()
            .filter(of_variable)
            .map(|p| format!("{}: {}", p.at.trim_start_matches("environment "), p.reason))
            .collect();
        let unknown = settings.unknown.iter();
        details.extend(unknown.map(|name| format!("{name}: no setting has this name")));
        match details.first() {
            None => ok("variables", "every HARDWON_ variable is one that is known"),
            Some(first) => {
                let name = first.split(':').next().unwrap_or_default();
                warning("variables", few(&details), format!("unset {}", quoted(name)))
            }
        }
    }

    fn trust(&self) -> HealthCheck {
        match trust::survey(self.environment, self.options.foreign) {
            Err(error) => {
                let file = trust::file(self.environment).unwrap_or_default();
                let fix = format!("${{EDITOR:-vi}} {}", quoted(file.display()));
                failed("trust", format!("nothing is approved: {error}"), fix)
            }
            Ok(pinned) => {
                let changed: Vec<String> = pinned
                    .iter()
                    .filter(|(_, is_as_it_was)| !is_as_it_was)
                    .map(|(path, _)| path.display().to_string())
                    .collect();
                match changed.first() {
                    None => ok("trust", format!("{} folders and files are approved", pinned.len())),
                    Some(first) => warning(
                        "trust",
                        format!("changed since it was approved: {}", few(&changed)),
                        format!("hardwon review trust {} --look", quoted(first)),
                    ),
                }
            }
        }
    }

    /// What failed lately, the newest first, the same cause once.
    fn failures(&self) -> HealthCheck {
        let now = self.environment.now().unwrap_or_else(|_| crate::place::wall_clock());
        let noted = problems::newest(self.environment, usize::MAX);
        let recent: Vec<Noted> =
            noted.into_iter().filter(|one| now.days_since(one.at) < RECENT_DAYS).collect();
        if recent.is_empty() {
            return ok("failures", format!("none in the last {RECENT_DAYS} days"));
        }
        let mut causes: Vec<(&Noted, usize)> = Vec::new();
        for one in &recent {
            let same = |known: &&mut (&Noted, usize)| {
                (&known.0.command, &known.0.cause) == (&one.command, &one.cause)
            };
            match causes.iter_mut().find(same) {
                Some((_, n)) => *n += 1,
                None => causes.push((one, 1)),
            }
        }
        let details: Vec<String> =
            causes.into_iter().map(|(newest, n)| failure_text(newest, n)).collect();
        // What was wrong then is looked at by the other checks now.
        warning("failures", few(&details), self.doctor_with("--fix"))
    }
}

fn failure_text(newest: &Noted, n: usize) -> String {
    let Noted { at, command, status, cause } = newest;
    let how = match status {
        Status::Failed => "failed",
        Status::Degraded => "was degraded",
        Status::Ok | Status::Empty => "ended",
    };
    let times = if n > 1 { format!(" {n} times, last") } else { String::new() };
    format!("{command} {how}{times} at {at}: {cause}")
}

/// Why a settings file that is there is of no use.
enum Flaw {
    /// What stands in it.
    Content(String),
    /// It cannot be read at all.
    Access(String),
}

fn unreadable(path: &Path) -> Option<Flaw> {
    let bytes = match files::read_linked(path, settings::MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return Some(Flaw::Access(error.to_string())),
    };
    let Ok(text) = String::from_utf8(bytes) else {
        return Some(Flaw::Content("not UTF-8 text".to_owned()));
    };
    let error = text.parse::<toml::Table>().err()?;
    let line = error.span().map_or(0, |span| text[..span.start].lines().count().max(1));
    // The message names what was expected, never what stands there.
    Some(Flaw::Content(format!("line {line}: {}", error.message())))
}
