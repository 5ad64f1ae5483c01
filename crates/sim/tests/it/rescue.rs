//! Damaged pages and long chains: small versions of the measurements behind docs/trust.md.

use crate::harness::Place;

#[test]
fn with_a_backup_any_damaged_page_costs_no_store_more_than_a_twentieth() {
    let place = Place::new();
    let ran = place.run(&["rescue", "--lessons", "30", "--every", "9", "--json"]).exits(0);
    let rows = ran.rows();
    let count = |row: &serde_json::Value, key: &str| row[key].as_u64().unwrap_or(u64::MAX);
    assert_eq!(rows.len(), 10, "{ran}");
    for row in rows {
        assert!(count(&row, "stores") > 5, "{ran}");
        assert_eq!((count(&row, "untold"), count(&row, "not_kept")), (0, 0), "{ran}");
        if row["backup"] != "none" {
            assert_eq!(count(&row, "rescued"), count(&row, "stores"), "{ran}");
        }
    }
    assert!(!place.home().exists(), "the bench touched the user's memory");
}

#[test]
fn chains_are_learned_whatever_their_length() {
    let ran = Place::new().run(&["chain", "--runs", "5,20", "--json"]).exits(0);
    let lengths: Vec<u64> = ran.rows().iter().filter_map(|row| row["runs"].as_u64()).collect();
    assert_eq!(lengths, [5, 20], "{ran}");
}

#[test]
fn a_bench_without_lessons_or_runs_is_a_wrong_call() {
    Place::new().run(&["rescue", "--lessons", "0"]).exits(2);
    Place::new().run(&["chain", "--runs", "0"]).exits(2);
}
