//! Memory moves from one store to another: what a team had in a file goes to its server, and back.
//! The tables of a server are made, and brought to the newest form, by their owner.

use std::path::{Path, PathBuf};

use hardwon_core::event::Problem;
use hardwon_core::ids::ProjectId;
use hardwon_render::answer::{Answer, CopiedStore, KeptCopy, Migrated};
use hardwon_store::{Access, Fault, PostgresStore, SqliteStore, Store, StoreError, copy, files};

use super::Progress;
use crate::call::needs_person;
use crate::local;
use crate::memory::{EngineError, OpenMemory, Result};
use crate::open::{Options, StorePlace};
use crate::place::Environment;

/// Brings everything that one store has to another one, and looks whether it came there whole. The
/// other store is empty, or has a part of the same: then it gets the rest.
pub fn copy_store(
    environment: &Environment,
    options: &Options,
    (from, to): (&str, &str),
    progress: Progress<'_>,
) -> Result<Answer<CopiedStore>> {
    needs_person(&environment.speaker, "copying a store")?;
    // A name that was mistyped is no empty store.
    let file = from.strip_prefix("sqlite:").filter(|path| !path.is_empty());
    if file.is_some_and(|path| !environment.folder.join(path).exists()) {
        let reason = "there is no such file".to_owned();
        return Err(EngineError::StoreUrl { url: from.to_owned(), reason });
    }
    let open = |url: &str, access| options.named_store(url, environment, access);
    let mut source = open(from, Access::Write)?;
    let mut target = open(to, Access::Write)?;
    // What waits in the queue of this store belongs to it.
    drop(source.take_turn()?);
    let mut told = |n: u64| progress(&format!("copying: {n} entries"));
    let parted = |parted: copy::Difference| EngineError::StoreUrl {
        url: PostgresStore::told(to),
        reason: format!(
            "it has something else at entry {} of project {}; copy into an empty store, or into one \
             that only copies were written to",
            parted.at, parted.project
        ),
    };
    // A second copy to the same file waits for this one.
    let turn = target.take_turn()?;
    let copied = copy::copy(&*source, &mut *target, &mut told);
    drop(turn);
    let copied = copied.map_err(|error| match error {
        StoreError::Mismatch(_) => EngineError::StoreUrl {
            url: PostgresStore::told(to),
            reason: "somebody else wrote to it meanwhile; call it again".to_owned(),
        },
        other => other.into(),
    })?;
    let copied = copied.map_err(parted)?;
    progress("looking whether it came whole");
    if let Some(difference) = copy::compare(&*source, &*target)? {
        return Err(parted(difference));
    }
    let faults = [(from, source.check()?), (to, target.check()?)];
    let problem = |(url, faults): (&str, Vec<Fault>)| {
        let url = PostgresStore::told(url);
        faults.into_iter().map(move |fault| Problem::new(&url, fault.detail)).collect::<Vec<_>>()
    };
    let problems = faults.into_iter().flat_map(problem).collect();
    let copy::Copied { n_projects, n_entries, n_known } = copied;
    let (from, to) = (PostgresStore::told(from), PostgresStore::told(to));
    let body = CopiedStore { from, to, n_projects, n_entries, n_known };
    Ok(Answer::of(body, problems).or_empty(n_entries == 0))
}

/// Brings the copy of this project up to date that is read while the server is away.
pub fn keep_copy(environment: &Environment, options: &Options) -> Result<Answer<KeptCopy>> {
    let Some((path, n_new)) = refresh(environment, options)? else {
        let url = options.settings(environment).get("store").map(|set| set.value.clone());
        let reason =
            "it is on this machine already; only what is on a server needs a copy".to_owned();
        return Err(EngineError::StoreUrl { url: url.unwrap_or_default(), reason });
    };
    let body = KeptCopy { path: path.display().to_string(), n_new };
    Ok(Answer::of(body, Vec::new()))
}

/// Brings the copy of this project up to date; gives where it is and how many entries are new. Nothing
/// if memory is not on a server. A copy that does not fit any more is made anew.
pub fn refresh(environment: &Environment, options: &Options) -> Result<Option<(PathBuf, u64)>> {
    let settings = options.settings(environment);
    let StorePlace::Postgres(url) = options.store_place(&settings, environment)? else {
        return Ok(None);
    };
    let path = local::path(environment, &url)?;
    hand_over(&path, &url)?;
    let from = PostgresStore::open(&url, Access::Read)?;
    let project = OpenMemory::open_with(settings, environment, options, Access::Read)?.call.project;
    if let Some(folder) = path.parent() {
        let failed = |source| EngineError::File { path: folder.to_owned(), source };
        files::make_private_folder(folder).map_err(failed)?;
    }
    let brought = match bring(&from, &path, &project) {
        Err(StoreError::Mismatch(_) | StoreError::Damaged { .. }) => {
            // Those who read it go on with the file that they have open.
            for ending in ["", "-wal", "-shm"] {
                let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
            }
            bring(&from, &path, &project)?
        }
        brought => brought?,
    };
    Ok(Some((path, brought)))
}

/// Writes to the server what was shown from its copy while it was away. What was learned meanwhile is
/// credited by it, so it comes first.
pub fn record_shown(environment: &Environment, options: &Options) -> Result<u64> {
    let settings = options.settings(environment);
    match options.store_place(&settings, environment)? {
        StorePlace::Postgres(url) => Ok(hand_over(&local::path(environment, &url)?, &url)?),
        _ => Ok(0),
    }
}

fn hand_over(copy: &Path, url: &str) -> Result<u64, StoreError> {
    if !SqliteStore::queue_folder(copy).is_dir() {
        return Ok(0);
    }
    SqliteStore::hand_over(copy, &mut PostgresStore::open(url, Access::Record)?)
}

fn bring(from: &dyn Store, path: &Path, project: &ProjectId) -> Result<u64, StoreError> {
    let mut to = SqliteStore::open(path, Access::Write)?;
    copy::copy_project(from, &mut to, project)
}

/// Makes the tables in the database that settings and flags name, or brings them up to date, and
/// lets a role work with them.
pub fn migrate(
    environment: &Environment,
    options: &Options,
    role: Option<&str>,
) -> Result<Answer<Migrated>> {
    let settings = options.settings(environment);
    let StorePlace::Postgres(url) = options.store_place(&settings, environment)? else {
        let url = settings.get("store").map_or("sqlite", |set| &set.value).to_owned();
        let reason = "not a server; name --store postgres://OWNER@SERVER/DATABASE".to_owned();
        return Err(EngineError::StoreUrl { url, reason });
    };
    let (from, to) = PostgresStore::migrate(&url, role)?;
    Ok(Answer::of(Migrated { store: PostgresStore::told(&url), from, to }, Vec::new()))
}
