//! What is played through is not written down, and a seed decides all of it.

use crate::harness::Place;

#[test]
fn nothing_is_written_where_nothing_was() {
    let place = Place::new();
    place.run(&["simulate", "--quick", "--runs", "3"]).exits(0);
    assert!(place.files().is_empty());
}

#[test]
fn a_memory_that_is_there_stays_as_it_is() {
    let place = Place::new();
    std::fs::create_dir(place.home()).unwrap();
    std::fs::write(place.home().join("memory.db"), "no database at all").unwrap();
    let before = place.files();
    place.run(&["simulate", "--quick", "--runs", "3"]).exits(0);
    assert_eq!(place.files(), before);
}

#[test]
fn a_seed_decides_everything() {
    let place = Place::new();
    let play = |seed: &str| {
        place.run(&["simulate", "--quick", "--runs", "5", "--seed", seed]).exits(0).stdout
    };
    assert_eq!(play("3"), play("3"));
    assert_ne!(play("3"), play("4"));
}
