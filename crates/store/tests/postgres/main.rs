//! The store on a PostgreSQL server passes the conformance suite. `tests/postgres/run` makes the
//! server and starts these tests; without one they are not built.

mod server;

mod conformance {
    hardwon_store::conformance_tests!(crate::server::new_stores());
}
