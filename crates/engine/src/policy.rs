//! Which rules decide? The presets are data files, embedded as the JSON that `build.rs` makes of
//! them, to be read fast.

use hardwon_core::policy::Policy;

use crate::error::{EngineError, Result};

/// One policy that comes with the program.
struct Preset {
    name: &'static str,
    json: &'static str,
}

/// Declares the presets by the names of their files.
macro_rules! presets {
    ($($name:literal)*) => {
        &[$(Preset {
            name: $name,
            json: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".json")),
        }),*]
    };
}

/// The presets, the default first.
const PRESETS: &[Preset] = presets!["hardwon" "archeflow" "geas" "jkz" "archivist"];

/// Names of the presets, the default first.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

fn preset(name: &str) -> Result<&'static Preset> {
    let preset = PRESETS.iter().find(|preset| preset.name == name);
    preset.ok_or_else(|| EngineError::UnknownPolicy {
        name: name.to_owned(),
        known: names().join(", "),
    })
}

/// A preset, ready to use.
pub fn load(name: &str) -> Result<Policy> {
    let json = preset(name)?.json;
    Ok(serde_json::from_str(json).expect("embedded policies are tested to parse"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A preset as it was written, with its comments.
    fn file(name: &str) -> String {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/policies");
        std::fs::read_to_string(format!("{folder}/{name}.toml")).unwrap()
    }

    /// Core's tests and the bench of matching use what the default preset says.
    #[test]
    fn the_numbers_of_core_are_those_of_the_preset() {
        let written = file("hardwon");
        assert!(written.contains("[notes]") && written.contains("[matching]"));
        let preset = load("hardwon").unwrap();
        assert_eq!(preset.notes, Default::default());
        assert_eq!(preset.matching, Default::default());
    }

    #[test]
    fn every_preset_parses_under_its_own_name() {
        for name in names() {
            assert_eq!(load(name).unwrap().name, name);
            let written: Policy = toml::from_str(&file(name)).unwrap();
            assert_eq!(load(name).unwrap(), written, "{name}");
        }
    }
}
