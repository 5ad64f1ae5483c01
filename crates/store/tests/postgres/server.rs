//! The server of these tests, and a database of it for each store.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use hardwon_core::ids::ProjectId;
use hardwon_store::{Access, PostgresStore, Store};
use postgres::{Client, NoTls};

/// A database with all tables and nothing in them. A copy of it is there sooner than a new one.
static TEMPLATE: LazyLock<String> = LazyLock::new(|| {
    let name = empty_database();
    PostgresStore::migrate(&url_of(&name), Some("worker")).unwrap();
    name
});

/// Neither the owner of tables nor who works with them is a superuser, for whom no policy holds.
static ROLES: LazyLock<()> = LazyLock::new(|| {
    let roles = "CREATE ROLE keeper LOGIN; CREATE ROLE worker LOGIN";
    client("postgres").batch_execute(roles).unwrap();
});

static N_MADE: AtomicU32 = AtomicU32::new(0);

/// Where the server is: as its owner, in the database that every cluster has.
fn url() -> String {
    std::env::var("HARDWON_TEST_POSTGRES").expect("tests/postgres/run makes a server")
}

/// The same for another database, as the role that owns its tables.
pub fn url_of(database: &str) -> String {
    url_as("keeper", database)
}

/// As any role.
pub fn url_as(role: &str, database: &str) -> String {
    let url = url().replacen("/postgres?", &format!("/{database}?"), 1);
    url.replacen("//owner@", &format!("//{role}@"), 1)
}

/// By the network of this machine, as the role that owns its tables.
pub fn url_over_tcp(host: &str, database: &str, more: &str) -> String {
    let url = url();
    let port = url.split_once("port=").expect("the port of the server").1;
    format!("postgres://keeper@{host}:{port}/{database}?{more}")
}

/// A connection of the superuser.
pub fn client(database: &str) -> Client {
    client_as("owner", database)
}

pub fn client_as(role: &str, database: &str) -> Client {
    Client::connect(&url_as(role, database), NoTls).unwrap()
}

/// Gives the name of a new database that is a copy of this one.
fn new_database(of: &str) -> String {
    let n = N_MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("hardwon_{}_{n}", std::process::id());
    let sql = format!("CREATE DATABASE {name} OWNER keeper TEMPLATE {of} STRATEGY FILE_COPY");
    client("postgres").batch_execute(&sql).unwrap();
    name
}

/// Gives the name of a new database without tables.
pub fn empty_database() -> String {
    LazyLock::force(&ROLES);
    new_database("template1")
}

/// Gives the name of a new database with all tables.
pub fn database() -> String {
    new_database(&TEMPLATE)
}

/// Makes stores, each in a database of its own, that have asked for so much that the server keeps
/// plans for them: commands and hooks, which ask for less, are played with the program.
pub fn new_stores() -> impl FnMut() -> Box<dyn Store> {
    || {
        let store = PostgresStore::open(&url_of(&database()), Access::Write).unwrap();
        for _ in 0..24 {
            store.revision(&ProjectId::new("nobody")).unwrap();
        }
        Box::new(store)
    }
}
