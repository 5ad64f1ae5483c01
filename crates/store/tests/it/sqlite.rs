//! The SQLite store passes the conformance suite; `files` tests what happens to files,
//! `damage` what is found when somebody else wrote to them, `older` what an earlier schema becomes,
//! `writers` several at once, `waiting` what they left to each other.

mod damage;
mod erase;
mod files;
mod older;
mod rescue;
mod waiting;
mod writers;

use std::path::PathBuf;

use hardwon_store::{Access, SqliteStore, Store};

/// A folder, and where a store may be made in it.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    (folder, path)
}

/// Makes stores in a folder that lives as long as the function does.
fn new_stores() -> impl FnMut() -> Box<dyn Store> {
    let folder = tempfile::tempdir().unwrap();
    let mut n_made = 0;
    move || {
        n_made += 1;
        let path = folder.path().join(format!("{n_made}.db"));
        Box::new(SqliteStore::open(path, Access::Write).unwrap())
    }
}

mod suite {
    crate::conformance::conformance_tests!(super::new_stores());
}
