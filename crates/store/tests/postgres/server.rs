//! The server of these tests.

use postgres::{Client, NoTls};

/// Where it is: as its owner, in the database that every cluster has.
pub fn url() -> String {
    std::env::var("HARDWON_TEST_POSTGRES").expect("tests/postgres/run makes a server")
}

pub fn client() -> Client {
    Client::connect(&url(), NoTls).unwrap()
}
