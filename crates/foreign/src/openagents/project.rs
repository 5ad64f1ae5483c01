//! What does the project's own file say about reflection? The section `archivist` of
//! `.openagents/project.json`, as the settings that it stands for.

use std::path::Path;

use hardwon_engine::files::{self, Place};
use hardwon_engine::layout::ForeignSettings;
use serde_json::{Map, Value};

const FILE: &str = "project.json";

/// A file that is larger is not read.
const MAX_BYTES: u64 = 1 << 20;

/// A name in the section, and the setting that it is.
const SECTION: &[(&str, &str)] = &[
    ("enabled", "reflect.enabled"),
    ("maxMemoriesPerRun", "reflect.max_lessons"),
    ("minImportanceToPersist", "reflect.min_importance"),
];

/// The same in its `reflectOn`.
const REFLECT_ON: &[(&str, &str)] = &[
    ("sessionSuccess", "reflect.on_success"),
    ("sessionFailure", "reflect.on_failure"),
    ("healerInvocation", "reflect.on_healer"),
];

/// What the file of this folder sets; `None` without a file, or without the section.
pub fn settings(base: &Path) -> Option<ForeignSettings> {
    let path = base.join(FILE);
    let bytes = match files::read(&Place::below(base, &path), MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return Some(ForeignSettings::unusable(path, error.to_string())),
    };
    let document: Value = match serde_json::from_slice(&bytes) {
        Ok(document) => document,
        Err(_) => return Some(ForeignSettings::unusable(path, "it is not JSON".to_owned())),
    };
    match document.get("archivist")? {
        Value::Object(section) => Some(of_section(path, section)),
        _ => Some(ForeignSettings::unusable(path, "archivist: it is not an object".to_owned())),
    }
}

fn of_section(path: std::path::PathBuf, section: &Map<String, Value>) -> ForeignSettings {
    let mut settings = ForeignSettings { path, values: Vec::new(), problems: Vec::new() };
    for (name, value) in section {
        match (name.as_str(), value) {
            ("reflectOn", Value::Object(inner)) => {
                for (name, value) in inner {
                    take(&mut settings, REFLECT_ON, name, value);
                }
            }
            _ => take(&mut settings, SECTION, name, value),
        }
    }
    settings
}

fn take(settings: &mut ForeignSettings, names: &[(&str, &'static str)], name: &str, value: &Value) {
    match names.iter().find(|(known, _)| *known == name) {
        Some((_, key)) => settings.values.push((key, word(value))),
        None => {
            let name: String = name.chars().take(40).collect();
            settings.problems.push(format!("archivist: {name} is no setting; ignored"));
        }
    }
}

/// As settings are written; whether it fits is decided where all of them are.
fn word(value: &Value) -> String {
    match value {
        Value::Bool(true) => "on".to_owned(),
        Value::Bool(false) => "off".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
