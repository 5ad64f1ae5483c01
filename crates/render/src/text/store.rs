//! `store`: what became of the tables, and what was copied.

use super::columns::hanging;
use crate::answer::{CopiedStore, KeptCopy, Migrated};
use crate::record::counted;

pub fn migrated(migrated: &Migrated, width: usize) -> String {
    let Migrated { store, from, to } = migrated;
    let done = match from {
        0 => format!("tables made, version {to}"),
        from if from == to => format!("version {to} already, nothing to do"),
        from => format!("tables brought from version {from} to {to}"),
    };
    hanging("", &format!("{store}: {done}"), width)
}

fn entries(n: u64) -> String {
    format!("{n} journal {}", if n == 1 { "entry" } else { "entries" })
}

/// What came to the other store.
pub fn copied_store(copied: &CopiedStore, width: usize) -> String {
    let CopiedStore { from, to, n_projects, n_entries, n_known } = copied;
    let projects = counted(*n_projects, "project");
    let entries = self::entries(*n_entries);
    let done = match (n_entries, n_known) {
        (0, _) => format!("{from} has nothing that could be copied"),
        (all, known) if all == known => {
            format!("{to} has everything of {from} already: {projects}, {entries}")
        }
        (_, 0) => format!("{to} has everything of {from}: {projects}, {entries}"),
        (all, known) => {
            let new = all - known;
            format!("{to} has everything of {from}: {projects}, {entries}, {new} of them new")
        }
    };
    let used = "name it in HARDWON_STORE or with: hardwon config set store URL";
    let used = if *n_entries == 0 { String::new() } else { hanging("", used, width) };
    hanging("", &done, width) + &used
}

pub fn kept_copy(kept: &KeptCopy, width: usize) -> String {
    let new = match kept.n_new {
        0 => "nothing was new".to_owned(),
        n => format!("{} new", entries(n)),
    };
    hanging("", &format!("{}: {new}", kept.path), width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_told() {
        let told = |from, to| {
            let store = "postgres://ada@db/team".to_owned();
            migrated(&Migrated { store, from, to }, 80)
        };
        assert_eq!(told(0, 2), "postgres://ada@db/team: tables made, version 2\n");
        assert_eq!(told(1, 2), "postgres://ada@db/team: tables brought from version 1 to 2\n");
        assert_eq!(told(2, 2), "postgres://ada@db/team: version 2 already, nothing to do\n");
    }
}
