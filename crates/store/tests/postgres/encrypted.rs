//! Over TLS, with a certificate of the server's own.

use std::thread;
use std::time::Duration;

use crate::conformance::sample::{add_run, batch, project, run};
use hardwon_store::{Access, PostgresStore, RunQuery, Store};
use rcgen::{CertifiedKey, generate_simple_self_signed};

use crate::server;

/// Has the server write this into a file of its own: nobody else may own its key.
fn write(name: &str, pem: &str) {
    let lines: Vec<String> = pem.lines().map(|line| format!("('{line}')")).collect();
    let sql =
        format!("COPY (VALUES {}) TO PROGRAM 'cat > {name} && chmod 600 {name}'", lines.join(", "));
    server::client("postgres").batch_execute(&sql).unwrap();
}

/// Gives the server a certificate for `localhost`, and the same in PEM.
fn certified() -> String {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    write("server.crt", &cert.pem());
    write("server.key", &signing_key.serialize_pem());
    let mut client = server::client("postgres");
    client.batch_execute("ALTER SYSTEM SET ssl = on").unwrap();
    client.batch_execute("SELECT pg_reload_conf()").unwrap();
    let is_on = || server::client("postgres").query_one("SHOW ssl", &[]).unwrap();
    while is_on().get::<_, String>(0) != "on" {
        thread::sleep(Duration::from_millis(50));
    }
    cert.pem()
}

#[test]
fn memory_is_kept_over_tls() {
    let database = server::database();
    let folder = tempfile::tempdir().unwrap();
    let trusted = folder.path().join("a server.pem");
    std::fs::write(&trusted, certified()).unwrap();
    let trusted = trusted.display().to_string().replace(' ', "%20");
    let url = |host: &str, more: &str| server::url_over_tcp(host, &database, more);

    let with_file = format!("sslmode=verify-full&sslrootcert={trusted}");
    let mut store = PostgresStore::open(&url("localhost", &with_file), Access::Write).unwrap();
    store.apply(&batch(&project(), vec![add_run(&run("r1", 1))]), None).unwrap();
    assert_eq!(store.runs(&project(), &RunQuery::default()).unwrap().len(), 1);
    let sql = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
               WHERE datname = $1 AND ssl";
    let row = server::client("postgres").query_one(sql, &[&database]).unwrap();
    assert_eq!(row.get::<_, i64>(0), 1, "nothing went in the clear");

    let said = |url: &str| PostgresStore::open(url, Access::Read).unwrap_err().to_string();
    let stranger = said(&url("localhost", "sslmode=require"));
    assert!(stranger.contains("certificate") && stranger.contains("sslrootcert"), "{stranger}");
    let other_name = said(&url("127.0.0.1", &with_file));
    assert!(other_name.contains("certificate"), "{other_name}");
}
