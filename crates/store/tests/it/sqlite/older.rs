//! A store as the first schema has it is read as it is, and brought up to date with everything in it.

use std::fs;
use std::io::Read;

use flate2::read::GzDecoder;
use hardwon_core::ids::{ProjectId, RunId};
use hardwon_store::{Access, SchemaFound, SqliteStore};

use crate::conformance::dump::{dump, dump_journal};

#[test]
fn a_store_with_a_column_for_each_field_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let frozen = concat!(env!("CARGO_MANIFEST_DIR"), "/../cli/tests/golden/store.db.gz");
    let mut bytes = Vec::new();
    GzDecoder::new(fs::File::open(frozen).unwrap()).read_to_end(&mut bytes).unwrap();
    fs::write(&path, &bytes).unwrap();
    let projects = ["demo", "bakery"].map(ProjectId::new);
    let runs: Vec<RunId> = (1..30).map(|n| RunId::parse(&format!("r{n}")).unwrap()).collect();
    let said = || {
        let store = SqliteStore::open(&path, Access::Read).unwrap();
        (dump(&store, &projects, &runs), dump_journal(&store, &projects))
    };
    let before = said();
    assert!(before.0.contains("guardian looked and did not report it again"), "{}", before.0);
    assert_eq!(fs::read(&path).unwrap(), bytes, "reading writes nothing");

    SqliteStore::update_schema(&path).unwrap();
    let examined = SqliteStore::examine(&path, &mut |_| {}).unwrap().unwrap();
    assert!(matches!(examined.schema, SchemaFound::Current(_)), "{examined:?}");
    // Rows, columns and counts are what the journal gives.
    assert_eq!(examined.faults, []);
    assert_eq!(said(), before);
    assert!(path.with_file_name("memory.db.backup-v14").exists());

    // Its copies are of the form before.
    fs::write(&path, "").unwrap();
    let head = hardwon_core::change::OperationHead {
        command: "doctor".into(),
        actor: "ada".into(),
        at: hardwon_core::time::Timestamp(1_775_100_000_000),
        undoes: None,
    };
    let restored = SqliteStore::restore(&path, &head).unwrap();
    assert_eq!(restored.copy.as_deref(), Some("memory.db.backup-v14"));
    assert_eq!(said(), before);
}
