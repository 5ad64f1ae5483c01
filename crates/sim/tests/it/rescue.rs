//! Damaged files: a small version of the measurement behind docs/trust.md.

use crate::harness::Place;

#[test]
fn with_a_backup_no_damage_costs_a_store_more_than_a_twentieth() {
    let place = Place::new();
    let ran = place.run(&["rescue", "--lessons", "30", "--every", "9", "--json"]).exits(0);
    let rows = ran.rows();
    let count = |row: &serde_json::Value, key: &str| row[key].as_u64().unwrap_or(u64::MAX);
    assert_eq!(rows.len(), 12, "{ran}");
    for row in rows {
        let is_of_pages = row["damage"].as_str().is_some_and(|name| name.starts_with("one page"));
        assert!(count(&row, "stores") > if is_of_pages { 5 } else { 0 }, "{ran}");
        assert_eq!((count(&row, "untold"), count(&row, "not_kept")), (0, 0), "{ran}");
        if row["backup"] != "none" {
            assert_eq!(count(&row, "rescued"), count(&row, "stores"), "{ran}");
        }
    }
    assert!(!place.home().exists(), "the bench touched the user's memory");
}

#[test]
fn a_bench_without_lessons_is_a_wrong_call() {
    Place::new().run(&["rescue", "--lessons", "0"]).exits(2);
}
