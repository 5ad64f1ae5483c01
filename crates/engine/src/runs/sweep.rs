//! The sweep of each day, for systems whose documents ask for one. Nobody waits for it.

use hardwon_core::digest::sha256_of_bytes;
use hardwon_store::Access;
use hardwon_store::files::{self, Mode, NewFile, Place};

use crate::memory::{EngineError, OpenMemory, Result};
use crate::open::{Options, StorePlace};
use crate::place::Environment;

/// Whether the store wants a sweep that it did not have today.
pub fn lacks_sweep(environment: &Environment, options: &Options) -> bool {
    due(environment, options).is_some()
}

/// Sweeps the store, once a day.
pub fn sweep(environment: &Environment, options: &Options) -> Result<()> {
    let Some((mark, today)) = due(environment, options) else { return Ok(()) };
    let OpenMemory { mut memory, call } = OpenMemory::open(environment, options, Access::Write)?;
    super::decay(&mut memory, &call)?;
    NewFile::write_with_folder(&mark, today.as_bytes(), Mode::Exact(0o600))
        .and_then(NewFile::place)
        .map_err(|source| EngineError::File { path: mark.path().to_owned(), source })
}

/// Where the day of the last sweep stands, and today, if they differ.
fn due(environment: &Environment, options: &Options) -> Option<(Place, String)> {
    let place = options.store_place(&options.settings(environment), environment);
    let Ok(StorePlace::Foreign(layout, place)) = place else { return None };
    if !layout.is_swept_daily() || !place.base().is_dir() {
        return None;
    }
    let name = sha256_of_bytes(place.base().as_os_str().as_encoded_bytes());
    let folder = environment.data_folder().ok()?.join("sweeps");
    let mark = Place::own(folder.join(name.trim_start_matches("sha256:")));
    let today = environment.now().ok()?.date();
    let last = files::read(&mark, 64).unwrap_or_default();
    (last != today.as_bytes()).then_some((mark, today))
}
