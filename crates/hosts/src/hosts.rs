//! Which hosts are there? One folder and one row each.

mod claude;
mod codex;

use serde_json::{Map, Value};

use crate::host::Host;

pub const HOSTS: &[Host] = &[claude::HOST, codex::HOST];

pub fn named(name: &str) -> Option<&'static Host> {
    HOSTS.iter().find(|host| host.name == name)
}

/// Whether the agent of this name is told the project's notes by its host.
pub fn loads_notes(agent: Option<&str>) -> bool {
    HOSTS.iter().any(|host| host.loads_notes && Some(host.agent) == agent)
}

pub fn names() -> Vec<&'static str> {
    HOSTS.iter().map(|host| host.name).collect()
}

/// Who really speaks: the entry of one host, in a plugin or a shared file, may be read and
/// called by another.
pub fn speaking(called: &'static Host, object: &Map<String, Value>) -> &'static Host {
    let has_sign = |host: &&Host| host.dialect.signs.iter().any(|sign| sign.is_in(object));
    HOSTS.iter().find(has_sign).unwrap_or(called)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Each of these distinguishes one host from the others.
    #[test]
    fn no_row_takes_what_is_anothers() {
        let names: [fn(&Host) -> &'static str; 5] = [
            |host| host.name,
            |host| host.agent,
            |host| host.home.folder,
            |host| host.home.variable,
            |host| host.checks.names.hooks,
        ];
        for name in names {
            let distinct: BTreeSet<&str> = HOSTS.iter().map(name).collect();
            assert_eq!(distinct.len(), HOSTS.len(), "{distinct:?}");
        }
        for host in HOSTS {
            let events: BTreeSet<&str> = host.events.iter().map(|event| event.name).collect();
            assert_eq!(events.len(), host.events.len(), "{}: an event stands twice", host.name);
            assert!(host.checks.names.hooks.starts_with(host.name), "{}", host.name);
        }
    }
}
