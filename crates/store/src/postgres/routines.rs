//! All reads that have a name.

use super::routine::Routine;
use super::{index, load, read, rows, tally};

/// All there are. A change of any of them needs another step in `schema`.
const ALL: [&Routine; 15] = [
    &index::COMMON,
    &index::LESSONS_WITH,
    &load::RUNS_OF_ROOTS,
    &load::FINDINGS_OF_ROOTS,
    &load::EFFECTS_OF_ROOTS,
    &read::REVISIONS,
    &read::KEPT_LESSONS,
    &rows::LESSONS_BY_ID,
    &tally::AT_PLACES,
    &tally::BY_BOTH,
    &tally::BY_FACET,
    &tally::NEWEST,
    &tally::OF_LATE,
    &tally::RATES_OF,
    &tally::RUNS_WITH,
];

/// The step that makes all of them.
pub(super) fn definitions() -> String {
    ALL.iter().map(|routine| routine.definition()).collect()
}

#[cfg(test)]
mod tests {
    use hardwon_core::digest::{hex, sha256};

    use super::*;

    /// Databases have these functions already.
    #[test]
    fn a_routine_that_changes_needs_another_step() {
        assert_eq!(hex(&sha256(&[&definitions()])[..8]), "c39c9c062ee2f517");
    }

    #[test]
    fn each_has_a_name_of_its_own_and_takes_what_it_names() {
        let names: std::collections::BTreeSet<&str> = ALL.iter().map(|it| it.name).collect();
        assert_eq!(names.len(), ALL.len());
        for Routine { name, takes, sql, .. } in ALL {
            let n = takes.split(", ").count();
            let named = |n: usize| sql.contains(&format!("${n}"));
            assert!((1..=n).all(named) && !named(n + 1), "{name}");
        }
    }
}
