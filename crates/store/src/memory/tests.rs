//! The memory store passes the conformance suite.

crate::conformance::conformance_tests!(|| Box::new(crate::MemoryStore::new()));
