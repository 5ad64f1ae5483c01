//! `hardwon jkz versions`

use std::path::PathBuf;

use clap::Args;
use hardwon_engine::EngineError;
use hardwon_engine::versions::{N_KEPT, Version, Versions, VersionsError, redacted};
use hardwon_faces::Failure;
use serde_json::{Value, json};

use super::Said;
use crate::commands::{Context, text_or_stdin};

const FILE_VARIABLE: &str = "JKZ_MEMORY_VERSIONS_FILE";
const USUAL_FILE: &str = ".hermes/memory_versions.json";

/// Keep, list and bring back versions of a value, in jkz's own file
///
/// The file is ~/.hermes/memory_versions.json, or the one that JKZ_MEMORY_VERSIONS_FILE names.
/// Secrets in a new value are redacted.
#[derive(Args)]
// Its own `--version` is the number of one.
#[command(disable_version_flag = true)]
pub struct VersionsArgs {
    /// set, history, restore, list or diff
    #[arg(long, value_parser = ["set", "history", "restore", "list", "diff"])]
    action: String,
    /// The name of the value; all actions but list need one
    #[arg(long, value_name = "NAME")]
    key: Option<String>,
    /// The new value; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    value: Option<String>,
    /// The version to bring back, or to compare the newest with [default of diff: the one before]
    #[arg(long, value_name = "N")]
    version: Option<u64>,
}

impl VersionsArgs {
    pub fn run(self, context: &Context) -> Result<Said, Failure> {
        let versions = Versions::at(file(context)?, N_KEPT);
        let at = context.environment.now()?;
        if self.action == "list" {
            let all = versions.all().map_err(failure)?;
            return Ok(said(all.iter().map(|(key, newest)| line(key, newest)).collect()));
        }
        let wants = |what: &str| Failure::usage(format!("{} needs {what}", self.action), None);
        let key = self.key.as_deref().filter(|key| !key.trim().is_empty());
        let key = key.ok_or_else(|| wants("--key NAME"))?;
        let lines = match self.action.as_str() {
            "set" => {
                let value = self.value.clone().ok_or_else(|| wants("--value TEXT"))?;
                let value =
                    redacted(&context.environment, &context.options, &text_or_stdin(value)?)?;
                let set = versions.set(key, &value, at).map_err(failure)?;
                vec![line(key, &set)]
            }
            "restore" => {
                let version = self.version.ok_or_else(|| wants("--version N"))?;
                vec![line(key, &versions.restore(key, version, at).map_err(failure)?)]
            }
            "diff" => vec![diff(key, &versions.history(key).map_err(failure)?, self.version)?],
            _ => {
                let history = versions.history(key).map_err(failure)?;
                history.iter().map(|version| line(key, version)).collect()
            }
        };
        Ok(said(lines))
    }
}

fn said(lines: Vec<Value>) -> Said {
    Said { lines, ..Said::default() }
}

/// A file that was named is meant wherever it lies.
fn file(context: &Context) -> Result<PathBuf, Failure> {
    let named = std::env::var_os(FILE_VARIABLE).filter(|name| !name.is_empty());
    match (named, &context.environment.user_home) {
        (Some(path), _) => Ok(context.environment.folder.join(path)),
        (None, Some(home)) => Ok(home.join(USUAL_FILE)),
        (None, None) => Err(EngineError::NoHome.into()),
    }
}

fn line(key: &str, version: &Version) -> Value {
    let mut line = json!({"key": key});
    if let (Some(line), Ok(Value::Object(fields))) =
        (line.as_object_mut(), serde_json::to_value(version))
    {
        line.extend(fields);
    }
    line
}

/// What changed from a version to the newest.
fn diff(key: &str, history: &[Version], from: Option<u64>) -> Result<Value, Failure> {
    let unknown = |version| failure(VersionsError::UnknownVersion { key: key.to_owned(), version });
    let (newest, before) = history.split_last().ok_or_else(|| unknown(1))?;
    let old = match from {
        Some(number) => {
            let found = history.iter().find(|version| version.version == number);
            found.ok_or_else(|| unknown(number))?
        }
        None => before.last().unwrap_or(newest),
    };
    let diff = hardwon_render::diff::unified(key, Some(&old.value), Some(&newest.value));
    Ok(json!({"key": key, "from": old.version, "to": newest.version, "diff": diff}))
}

/// Unlike the store, this file is all that there is: trouble with it is told.
fn failure(error: VersionsError) -> Failure {
    Failure::usage(error.to_string(), None)
}
