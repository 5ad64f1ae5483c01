//! `store migrate`: what became of the tables.

use super::columns::hanging;
use crate::answer::Migrated;

/// `store migrate`.
pub fn migrated(migrated: &Migrated, width: usize) -> String {
    let Migrated { store, from, to } = migrated;
    let done = match from {
        0 => format!("tables made, version {to}"),
        from if from == to => format!("version {to} already, nothing to do"),
        from => format!("tables brought from version {from} to {to}"),
    };
    hanging("", &format!("{store}: {done}"), width)
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
