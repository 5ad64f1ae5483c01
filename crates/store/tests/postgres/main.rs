//! The store on a PostgreSQL server passes the conformance suite; `writers` tests several at once and
//! cut connections, `schema` which databases are taken, `isolation` what a role sees that owns
//! nothing, `same` that SQLite answers the same. `tests/postgres/run` makes the server and
//! starts these tests, which nothing else builds.

#[path = "../conformance/mod.rs"]
mod conformance;
mod encrypted;
mod isolation;
mod same;
mod schema;
mod server;
mod writers;

mod suite {
    crate::conformance::conformance_tests!(crate::server::new_stores());
}
