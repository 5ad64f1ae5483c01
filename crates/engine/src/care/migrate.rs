//! The tables of a store on a server: made, and brought to the newest form, by their owner.

use hardwon_render::answer::{Answer, Migrated};
use hardwon_store::PostgresStore;

use crate::error::{EngineError, Result};
use crate::open::{Options, StorePlace};
use crate::place::Environment;

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
