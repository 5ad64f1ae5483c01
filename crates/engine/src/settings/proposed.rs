//! Settings that an agent would change: kept beside the person's own file, in the same form, until
//! a person sets them or not. A small budget hides lessons as well as any rejection.

use hardwon_core::gate::Gate;
use hardwon_render::answer::ProposedSetting;
use hardwon_store::files::Place;

use super::{flat, read_file, write};
use crate::error::Result;
use crate::place::Environment;

fn file(environment: &Environment) -> Result<Place> {
    Ok(Place::own(environment.data_folder()?.join("proposed.toml")))
}

/// Notes what an agent would set.
pub fn propose(environment: &Environment, name: &str, value: &str) -> Result<()> {
    let value = Gate::standard().word(value).unwrap_or_default();
    write(&file(environment)?, name, Some(&value))
}

/// What was proposed and not answered.
pub fn proposed(environment: &Environment) -> Vec<ProposedSetting> {
    let read = |place: Place| read_file(&place).ok().flatten();
    let text = file(environment).ok().and_then(read).unwrap_or_default();
    let all = text.parse().map(|table: toml::Table| flat(&table)).unwrap_or_default();
    all.into_iter().map(|(name, value)| ProposedSetting { name, value }).collect()
}

/// A person decided about this setting.
pub fn answer(environment: &Environment, name: &str) -> Result<()> {
    if proposed(environment).iter().any(|it| it.name == name) {
        write(&file(environment)?, name, None)?;
    }
    Ok(())
}
