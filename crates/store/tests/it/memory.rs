//! The memory store passes the conformance suite.

hardwon_store::conformance_tests!(|| Box::new(hardwon_store::MemoryStore::new()));
