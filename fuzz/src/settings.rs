//! Settings files: a bad one is a problem and never a failure, and a good one keeps what
//! it says when one value is written.

use std::fs;
use std::path::PathBuf;

use hardwon_engine::Environment;
use hardwon_engine::files::Place;
use hardwon_engine::settings::{Settings, write};

pub fn settings(bytes: &[u8]) {
    let folder = std::env::temp_dir().join(format!("hardwon-fuzz-{}", std::process::id()));
    let environment = environment(&folder);
    let file = environment.settings_file().expect("there is a home");
    fs::create_dir_all(file.parent().expect("it is in a folder")).expect("a folder can be made");
    fs::write(&file, bytes).expect("a file can be written");
    let before = Settings::resolve(&environment, &[]);
    assert!(before.all().len() <= bytes.len() + 100);
    if before.problems.is_empty() {
        check_writing(&environment, &before);
    }
    fs::remove_dir_all(&folder).expect("it is ours");
}

fn environment(folder: &std::path::Path) -> Environment {
    let home: PathBuf = folder.join("home");
    Environment { home: Some(home), folder: folder.to_owned(), ..Environment::default() }
}

/// One value is written, and every other stays.
fn check_writing(environment: &Environment, before: &Settings) {
    let file = environment.settings_file().expect("there is a home");
    if write(&Place::own(file), "budget", Some("77")).is_err() {
        return;
    }
    let after = Settings::resolve(environment, &[]);
    assert!(after.problems.is_empty(), "{:?}", after.problems);
    assert_eq!(after.count("budget"), Some(77));
    for setting in before.all().iter().filter(|setting| setting.key != "budget") {
        assert_eq!(after.get(&setting.key).map(|s| &s.value), Some(&setting.value));
    }
}
