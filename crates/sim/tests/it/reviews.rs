//! The forms of reviews that are kept here: those that were looked at are read whole, and of those
//! that are kept aside no fewer than it once was.

use std::path::Path;

use hardwon_sim::reviews;

/// Forms kept aside that were read whole when they were last measured.
const N_ASIDE: u64 = 10;

#[test]
fn forms_of_reviews_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/reviews");
    let mut faults = Vec::new();
    let table = reviews::run(&folder, &mut |fault| faults.push(fault.to_owned())).unwrap();
    assert_eq!(faults, [""; 0]);
    let figures = |row: usize| -> Vec<u64> {
        let cells = table.rows[row].iter();
        let count = |cell: &hardwon_sim::Cell| match cell {
            hardwon_sim::Cell::Count(n) => Some(*n),
            _ => None,
        };
        cells.filter_map(count).collect()
    };
    let (seen, aside) = (figures(0), figures(1));
    assert!(seen[0] >= 69 && seen[1] == seen[0], "{seen:?}");
    assert!(aside[0] >= 12 && aside[1] >= N_ASIDE, "{aside:?}");
}
