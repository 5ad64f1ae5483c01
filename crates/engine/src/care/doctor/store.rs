//! Does the store open, can it be written, and is what it holds as it must be?

use std::fs;
use std::path::Path;
use std::time::Duration;

use hardwon_core::gate::Gate;
use hardwon_render::answer::HealthCheck;
use hardwon_render::check::{failed, few, ok, quoted, size, skipped, warning};
use hardwon_store::system::cannot_be_made;
use hardwon_store::system::holder;
use hardwon_store::{
    Access, Examined, Fault, PostgresStore, SchemaFound, SqliteStore, Standing, StoreError,
};

use super::{Patient, Progress};
use crate::layout::{ForeignLayout, ForeignPlace, ForeignStore, OpenRequest};
use crate::open::StorePlace;
use crate::policy;

/// A clock may be wrong by this much before anybody minds.
const CLOCK_SLACK_MS: i64 = 10 * 60 * 1000;

/// A process that holds the write lock for longer is not merely writing.
const LOCK_WAIT: Duration = Duration::from_millis(1500);

const CLOSED: &str = "the store does not open";

/// Checks of what is inside, by the names that the store gives them.
const INSIDE: &[&str] = &["integrity", "texts", "journal", "tables", "index"];

/// Those of a server, which looks after its own files.
const INSIDE_OF_A_SERVER: &[&str] = &["texts", "journal", "tables", "index"];

impl Patient<'_> {
    pub(super) fn store_checks(&self, progress: Progress<'_>) -> Vec<HealthCheck> {
        progress("store");
        match &self.place {
            Ok(StorePlace::Sqlite(path)) => self.sqlite_checks(path, progress),
            Ok(StorePlace::Foreign(layout, place)) => self.foreign_checks(*layout, place.as_ref()),
            Ok(StorePlace::Postgres(url)) => self.postgres_checks(url),
            Ok(StorePlace::Memory) => {
                vec![ok("store", "in memory, for as long as a process lives")]
            }
            Err(reason) => {
                let fix = match self.environment.data_folder() {
                    Err(_) => "export HARDWON_HOME=FOLDER",
                    Ok(_) => "hardwon config unset store",
                };
                let why = "it is not known where the store is";
                unopened(failed("store", reason, fix.to_owned()), &["lock", "schema"], why)
            }
        }
    }

    fn sqlite_checks(&self, path: &Path, progress: Progress<'_>) -> Vec<HealthCheck> {
        let examined = SqliteStore::examine(path, &mut |check| progress(check));
        let mut checks = match examined {
            Ok(None) => return vec![none_yet(path), self.clock(None)],
            Ok(Some(examined)) => self.inside(path, &examined),
            Err(error) => {
                let names = [&["schema"][..], INSIDE, &["clock"]].concat();
                unopened(self.closed(path, &error), &names, CLOSED)
            }
        };
        checks.insert(1, lock(path));
        checks
    }

    /// Why a store does not open.
    fn closed(&self, path: &Path, error: &StoreError) -> HealthCheck {
        let at = quoted(path.display());
        let (detail, fix) = match error {
            _ if path.is_dir() => (
                format!("{} is a folder, not a file", path.display()),
                format!(
                    "hardwon doctor --store {}",
                    quoted(format!("sqlite:{}/memory.db", path.display()))
                ),
            ),
            StoreError::Damaged { detail, .. } => {
                let detail = format!("{} cannot be read: {detail}", path.display());
                (detail, self.doctor_with("--fix"))
            }
            StoreError::Busy { .. } => (
                format!(
                    "{} is held by another process, which lets no other process read",
                    path.display()
                ),
                format!("fuser -v {at}"),
            ),
            StoreError::Unusable { detail, .. } if is_odd(path) => (
                format!("{} cannot be used: {detail}", path.display()),
                format!("mv {at} {}", quoted(format!("{}.not-a-file", path.display()))),
            ),
            StoreError::Unusable { detail, .. } | StoreError::Away { detail, .. } => {
                let folder = quoted(path.parent().unwrap_or(Path::new(".")).display());
                (
                    format!("{} cannot be used: {detail}", path.display()),
                    format!("ls -ld {at} {folder} && df -h {folder}"),
                )
            }
            StoreError::TooOld { .. } => (
                error.to_string(),
                format!("mv {at} {}", quoted(format!("{}.old", path.display()))),
            ),
            StoreError::Conflict | StoreError::Mismatch(_) | StoreError::TooNew { .. } => {
                (error.to_string(), self.doctor_with("--fix"))
            }
        };
        failed("store", detail, fix)
    }

    fn inside(&self, path: &Path, examined: &Examined) -> Vec<HealthCheck> {
        let length = fs::metadata(path).map_or(0, |about| about.len());
        let mut checks = vec![ok("store", format!("{} opens ({})", path.display(), size(length)))];
        checks.push(self.schema(examined.schema));
        let is_newer = matches!(examined.schema, SchemaFound::Newer { .. });
        for name in INSIDE {
            let faults: Vec<&Fault> = examined.faults.iter().filter(|f| f.check == *name).collect();
            checks.push(if examined.checks.contains(name) {
                self.part(name, &faults, examined)
            } else if is_newer {
                skipped(name, "only the newer program knows these tables")
            } else {
                skipped(name, "the tables have an older form")
            });
        }
        checks.push(self.clock(examined.newest_at));
        checks
    }

    fn schema(&self, schema: SchemaFound) -> HealthCheck {
        match schema {
            SchemaFound::Current(found) => ok("schema", format!("version {found}, the newest")),
            SchemaFound::Older { found, known } => warning(
                "schema",
                format!("version {found}; the next write brings it to {known}, after a backup"),
                self.doctor_with("--fix"),
            ),
            SchemaFound::Newer { found, known } => failed(
                "schema",
                format!("version {found}, this program knows {known}: read, never written"),
                format!("update hardwon: it must know schema {found}"),
            ),
        }
    }

    /// One of the checks of what is inside.
    fn part(&self, name: &'static str, faults: &[&Fault], examined: &Examined) -> HealthCheck {
        let has = |check: &str| examined.faults.iter().any(|fault| fault.check == check);
        if faults.is_empty() {
            return match name {
                "tables" if has("journal") => skipped(name, "the journal itself is damaged"),
                _ => ok(name, whole(name)),
            };
        }
        let details: Vec<String> = faults.iter().map(|fault| fault.detail.clone()).collect();
        let differs = details.iter().any(|detail| detail.ends_with("the journal gives"));
        let note = if differs { "; one of the two was edited, nothing tells which" } else { "" };
        failed(name, few(&details) + note, self.doctor_with("--fix"))
    }

    fn clock(&self, newest: Option<hardwon_core::time::Timestamp>) -> HealthCheck {
        let now = match self.environment.now() {
            Ok(now) => now,
            Err(error) => {
                return failed("clock", error.to_string(), "unset HARDWON_NOW".to_owned());
            }
        };
        let fixed = if self.environment.now.is_some() { ", fixed by HARDWON_NOW" } else { "" };
        match newest {
            Some(newest) if newest.0 > now.0.saturating_add(CLOCK_SLACK_MS) => warning(
                "clock",
                format!("it is {now}{fixed}, but something was written at {newest}, in the future"),
                "date -u   # and correct the machine's clock".to_owned(),
            ),
            _ => ok("clock", format!("{now}{fixed}")),
        }
    }

    fn postgres_checks(&self, url: &str) -> Vec<HealthCheck> {
        let (place, standing, examined) = match PostgresStore::examine(url) {
            Ok(examined) => examined,
            Err(error) => {
                let detail = error.to_string();
                let fix = match detail.contains("store migrate") {
                    true => self.command("config store migrate"),
                    false => "hardwon config set store URL   # once the server answers".to_owned(),
                };
                let names = [&["role", "policies", "schema"][..], INSIDE_OF_A_SERVER].concat();
                return unopened(failed("store", detail, fix), &names, CLOSED);
            }
        };
        let mut checks = vec![ok("store", format!("{place} answers"))];
        checks.extend([self.role(&standing), policies(&standing)]);
        checks.push(self.schema(examined.schema));
        for name in INSIDE_OF_A_SERVER {
            let found = examined.faults.iter().filter(|fault| fault.check == *name);
            checks.push(match examined.checks.contains(name) {
                true => self.part(name, &found.collect::<Vec<_>>(), &examined),
                false => skipped(name, "only the owner of the tables sees all of them"),
            });
        }
        checks.push(self.clock(None));
        checks
    }

    /// Whoever works there every day should own nothing, so that the policies hold for them.
    fn role(&self, standing: &Standing) -> HealthCheck {
        let Standing { role, is_owner, is_unbound, .. } = standing;
        match (is_unbound, is_owner) {
            (true, _) => warning(
                "role",
                format!("{role} is bound by no policy: one project can see another"),
                self.command("config store migrate --role NAME"),
            ),
            (false, true) => ok("role", format!("{role} owns the tables")),
            (false, false) => ok("role", format!("{role} owns nothing")),
        }
    }

    fn foreign_checks(
        &self,
        layout: &dyn ForeignLayout,
        place: &dyn ForeignPlace,
    ) -> Vec<HealthCheck> {
        let folder = place.base();
        let base = folder.display().to_string();
        if !folder.exists() {
            return vec![none_yet(folder)];
        }
        let store = match self.foreign(layout, place, Access::Read) {
            Ok(store) => store,
            Err(reason) => {
                let fix = format!("ls -la {}", quoted(&base));
                let names = ["journal", "lines", "tables"];
                return unopened(failed("store", reason, fix), &names, CLOSED);
            }
        };
        let n_lessons = store.n_lessons();
        let mut checks = vec![ok("store", format!("{base} opens ({n_lessons} lessons)"))];
        checks.extend(self.foreign_files(store.as_ref()));
        let faults = store.check().unwrap_or_default();
        let faults: Vec<String> = faults.into_iter().map(|fault| fault.detail).collect();
        checks.push(if faults.is_empty() {
            ok("tables", whole("tables"))
        } else {
            failed("tables", few(&faults), self.doctor_with("--fix"))
        });
        checks.push(self.clock(None));
        checks
    }

    fn foreign_files(&self, store: &dyn ForeignStore) -> Vec<HealthCheck> {
        let is_journal = |at: &str| at.starts_with("hardwon.jsonl");
        let told = |of_journal: bool| -> Vec<String> {
            let problems = store.problems().iter().filter(|p| is_journal(&p.at) == of_journal);
            problems.map(|problem| format!("{}: {}", problem.at, problem.reason)).collect()
        };
        let fix = self.doctor_with("--fix");
        let journal = match (told(true), store.is_journal_cut()) {
            (damage, _) if !damage.is_empty() => failed("journal", few(&damage), fix),
            (_, true) => {
                let detail = "the last line of hardwon.jsonl is torn: its writer died";
                warning("journal", detail, fix)
            }
            (_, false) => ok("journal", whole("journal")),
        };
        let lines = match told(false) {
            lines if lines.is_empty() => ok("lines", "every line of the files can be used"),
            lines => {
                let fix = "correct the line by hand: it is kept as it is, and not used".to_owned();
                warning("lines", few(&lines), fix)
            }
        };
        vec![journal, lines]
    }

    /// Opens another system's files by its own rules.
    pub(super) fn foreign(
        &self,
        layout: &dyn ForeignLayout,
        place: &dyn ForeignPlace,
        access: Access,
    ) -> Result<Box<dyn ForeignStore>, String> {
        let policy = policy::load(layout.policy()).map_err(|error| error.to_string())?;
        let now = self.environment.now().map_err(|error| error.to_string())?;
        let gate = Gate::standard();
        place.open(OpenRequest { gate, access, policy, now }).map_err(|error| error.to_string())
    }
}

/// The check of a store that is not there, or holds nothing.
fn none_yet(path: &Path) -> HealthCheck {
    if let Some(reason) = cannot_be_made(path) {
        let fix = "export HARDWON_HOME=FOLDER   # one that you may write".to_owned();
        return failed("store", format!("none at {}: {reason}", path.display()), fix);
    }
    let Ok(about) = fs::metadata(path) else {
        return ok("store", format!("none yet at {}: the first write makes it", path.display()));
    };
    let detail = format!(
        "{} is there and holds nothing ({}): what it held is gone, or its first writer died",
        path.display(),
        size(about.len())
    );
    let fix = "nothing, if no memory was kept here: the next write begins a new one";
    warning("store", detail, fix.to_owned())
}

/// Whether something lies there that is neither a file nor a folder.
fn is_odd(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// That it does not open, and what could not be looked at for that.
fn unopened(first: HealthCheck, names: &[&'static str], why: &str) -> Vec<HealthCheck> {
    [first].into_iter().chain(names.iter().map(|name| skipped(name, why))).collect()
}

fn whole(name: &str) -> &'static str {
    match name {
        "integrity" => "every page of the file is sound",
        "texts" => "every text has the digest it was stored under",
        "journal" => "every entry is there and fits the one before",
        "tables" => "the tables are what the journal gives",
        _ => "index and counts follow from the tables",
    }
}

fn lock(path: &Path) -> HealthCheck {
    if !path.is_file() {
        return skipped("lock", "there is no file to lock");
    }
    match SqliteStore::is_locked(path, LOCK_WAIT) {
        Ok(false) => ok("lock", "no other process is writing"),
        Ok(true) => {
            let who =
                holder(path).map_or("another process".to_owned(), |id| format!("process {id}"));
            let fix = match holder(path) {
                Some(id) => format!("ps -o pid,stat,lstart,command -p {id}"),
                None => format!("fuser -v {}", quoted(path.display())),
            };
            let detail = format!("{who} has held the write lock for over a second: writes wait");
            warning("lock", detail, fix)
        }
        Err(error) => skipped("lock", &format!("it cannot be tried: {error}")),
    }
}

/// Whether the database itself keeps projects apart.
fn policies(standing: &Standing) -> HealthCheck {
    let Some(first) = standing.open_tables.first() else {
        return ok("policies", format!("forced on all {} tables", standing.n_tables));
    };
    let detail = format!("not forced on {}", few(&standing.open_tables));
    let fix = format!("psql -c 'ALTER TABLE hardwon.{first} FORCE ROW LEVEL SECURITY'");
    failed("policies", detail, fix)
}
