//! A crowd on one project: nobody is turned away, and every injection is recorded and credited.

use crate::harness::Place;

#[test]
fn a_crowd_records_every_injection_and_nobody_is_refused() {
    let place = Place::new();
    let args = ["crowd", "--processes", "6", "--turns", "4", "--pause", "1", "--lessons", "100"];
    let ran = place.run(&[&args[..], &["--json"]].concat()).exits(0);
    for row in ran.rows() {
        let count = |key: &str| row[key].as_u64().unwrap_or_else(|| panic!("{key}\n{ran}"));
        assert_eq!((count("refused"), count("waiting")), (0, 0), "{ran}");
        assert!(count("injections") > 0, "nothing was shown\n{ran}");
        assert_eq!(count("recorded"), count("injections"), "{ran}");
        assert_eq!(count("credited"), count("injections"), "{ran}");
    }
    assert_eq!(ran.rows()[1]["learns"], 6 * 4, "{ran}");
    assert!(!place.home().exists(), "the bench touched the user's memory");
}

#[test]
fn a_crowd_of_nobody_is_a_wrong_call() {
    Place::new().run(&["crowd", "--processes", "0"]).exits(2);
}
