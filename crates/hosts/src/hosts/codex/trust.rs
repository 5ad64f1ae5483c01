//! Did the user agree to an entry in Codex? As far as its settings show: what it compares is a
//! digest of its own, which only it can make.

use std::fs;
use std::path::Path;

use crate::host::{EntryState, OurEntry};

/// What `[hooks.state]` says of an entry, under `FILE:event_name:GROUP:HANDLER`.
pub fn state(config: &toml::Table, file: &Path, entry: &OurEntry) -> Option<EntryState> {
    let states = config.get("hooks")?.get("state")?.as_table()?;
    let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let place = format!("{}:{}:{}", snake(&entry.event), entry.group, entry.handler);
    let key = |file: &Path| format!("{}:{place}", file.display());
    let state = [file, &real].into_iter().find_map(|file| states.get(&key(file)))?;
    Some(EntryState {
        is_enabled: state.get("enabled") != Some(&toml::Value::Boolean(false)),
        is_trusted: state.get("trusted_hash").is_some(),
    })
}

/// `SessionStart` as `session_start`.
fn snake(event: &str) -> String {
    let mut out = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
