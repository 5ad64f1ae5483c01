//! Whatever we write into a tree is a document as geas's schemas say. `tests/geas/run` asks a
//! program for it that we did not write.

use std::path::Path;

use hardwon_readers::geas_faults;

use crate::place::Place;

/// Every document of ours in a tree is one by its schema.
#[track_caller]
pub fn validate(place: &Place) {
    let base = place.folder.path().join(".geas");
    for folder in ["memory/candidates", "memory/entries", "memory/logs", "state"] {
        for entry in std::fs::read_dir(base.join(folder)).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|it| it == "json") {
                validate_file(&path);
            }
        }
    }
}

#[track_caller]
pub fn validate_file(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(geas_faults(text.as_bytes()), [""; 0], "{}: {text}", path.display());
    assert!(
        text.ends_with("}\n") && text.starts_with("{\n  \"meta\": {\n    \"version\""),
        "{text}"
    );
}
