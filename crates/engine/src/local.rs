//! What is at hand while the server is away? A copy of the project in the user's data folder, which is
//! read and never written by anybody but whoever brings it up to date. Whoever reads it is told so.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hardwon_core::digest::{hex, sha256};
use hardwon_core::event::Problem;
use hardwon_core::time::Timestamp;
use hardwon_store::{Access, PostgresStore, SqliteStore, Store, StoreError};

use crate::error::Result;
use crate::place::Environment;
use crate::settings::Settings;

/// Where copies are, in the data folder.
const FOLDER: &str = "copies";

/// How long a server is waited for if there is a copy, unless the deadline of hooks says otherwise.
const PATIENCE: Duration = Duration::from_millis(1000);

/// The copy of what is kept at a URL.
pub(crate) fn path(environment: &Environment, url: &str) -> Result<PathBuf> {
    let digest = hex(&sha256(&["copy", &PostgresStore::told(url)])[..10]);
    Ok(environment.data_folder()?.join(FOLDER).join(format!("{digest}.db")))
}

/// Opens what is kept on a server. Where that is only to be read and the server is away, what is at
/// hand is opened in its place, with what has to be said about it.
pub(crate) fn open(
    environment: &Environment,
    settings: &Settings,
    url: &str,
    access: Access,
) -> Result<(Box<dyn Store>, Option<Problem>)> {
    let copy = path(environment, url).ok().filter(|path| path.is_file());
    let Some(copy) = copy.filter(|_| access != Access::Write) else {
        return Ok((on_server(settings, url, access, None)?, None));
    };
    let half = |ms: u32| Duration::from_millis(u64::from(ms / 2).max(1));
    let patience = settings.count("deadline_ms").map_or(PATIENCE, half);
    match on_server(settings, url, access, Some(patience)) {
        Err(StoreError::Away { place, detail }) => {
            let told = format!("cannot be reached ({detail}); {}", told(&copy));
            // What is shown is recorded when the server is back.
            let access = if access == Access::Record { Access::Copy } else { Access::Read };
            let store = SqliteStore::open(&copy, access)?;
            Ok((Box::new(store), Some(Problem::new(place, told))))
        }
        opened => Ok((opened?, None)),
    }
}

/// What is only read may come from a standby; if that is away, from the server itself.
fn on_server(
    settings: &Settings,
    url: &str,
    access: Access,
    patience: Option<Duration>,
) -> Result<Box<dyn Store>, StoreError> {
    let standby = settings.get("read_url").filter(|_| access == Access::Read);
    if let Some(standby) = standby {
        match PostgresStore::open_within(&standby.value, access, patience) {
            Err(StoreError::Away { .. }) => {}
            opened => return Ok(Box::new(opened?)),
        }
    }
    Ok(Box::new(PostgresStore::open_within(url, access, patience)?))
}

fn told(copy: &Path) -> String {
    let changed = std::fs::metadata(copy).and_then(|about| about.modified()).ok();
    let since = changed.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    match since.and_then(|since| i64::try_from(since.as_millis()).ok()) {
        Some(at) => format!("this is the copy of {}", Timestamp(at)),
        None => "this is an older copy".to_owned(),
    }
}
