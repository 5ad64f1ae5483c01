//! Killed writers: nothing acknowledged is lost.

use crate::harness::Place;

const N_KILLS: u64 = 200;

#[test]
fn killed_writers_lose_nothing_and_write_nothing_twice() {
    let place = Place::new();
    let kills = N_KILLS.to_string();
    let ran = place.run(&["durability", "--kills", &kills, "--seed", "5", "--json"]).exits(0);
    let row = &ran.rows()[0];
    let count = |key: &str| row[key].as_u64().unwrap_or_else(|| panic!("{key}\n{ran}"));
    for key in ["lost", "doubled", "half", "locked", "failed"] {
        assert_eq!(count(key), 0, "{key}\n{ran}");
    }
    assert_eq!(row["integrity"], "ok", "{ran}");
    assert!(count("kills") >= N_KILLS, "{ran}");
    assert!(count("acknowledged") > N_KILLS / 10, "hardly anything was written\n{ran}");
    assert!(!place.home().exists(), "the bench touched the user's memory");
}

#[test]
fn a_bench_without_kills_is_a_wrong_call() {
    Place::new().run(&["durability", "--kills", "0"]).exits(2);
}
