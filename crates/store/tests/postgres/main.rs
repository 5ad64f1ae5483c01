//! The store on a PostgreSQL server. `tests/postgres/run` makes the server and starts these tests;
//! without one they are not built.

mod server;

/// Answers depend on the order of bytes, never on a language.
#[test]
fn the_server_takes_what_we_ask_of_it() {
    let mut client = server::client();
    let sql = "SELECT 'Ä' < 'a' COLLATE \"C\", current_setting('server_encoding')";
    let row = client.query_one(sql, &[]).unwrap();
    assert_eq!((row.get::<_, bool>(0), row.get::<_, &str>(1)), (false, "UTF8"));
}
