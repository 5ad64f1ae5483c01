//! Which rules decide? The presets are data files, embedded and parsed here.

use hardwon_core::policy::Policy;

use crate::error::EngineError;

/// Names and texts of the presets, the default first.
const PRESETS: &[(&str, &str)] = &[
    ("hardwon", include_str!("../policies/hardwon.toml")),
    ("archeflow", include_str!("../policies/archeflow.toml")),
    ("geas", include_str!("../policies/geas.toml")),
    ("jkz", include_str!("../policies/jkz.toml")),
    ("archivist", include_str!("../policies/archivist.toml")),
];

/// Names of the presets, the default first.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|(name, _)| *name).collect()
}

/// The file of a preset, with its comments.
pub fn file(name: &str) -> Result<&'static str, EngineError> {
    let preset = PRESETS.iter().find(|(known, _)| *known == name);
    preset.map(|(_, text)| *text).ok_or_else(|| EngineError::UnknownPolicy {
        name: name.to_owned(),
        known: names().join(", "),
    })
}

/// A preset, ready to use.
pub fn load(name: &str) -> Result<Policy, EngineError> {
    let policy = toml::from_str(file(name)?).expect("embedded policies are tested to parse");
    Ok(policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_parses_under_its_own_name() {
        for name in names() {
            assert_eq!(load(name).unwrap().name, name);
        }
    }
}
