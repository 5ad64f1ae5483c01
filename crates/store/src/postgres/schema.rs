//! Which schema does the database have, and how does it get the newest? Only its owner makes tables:
//! under a lock of the whole database, each step in one transaction.

use tokio_postgres::SimpleQueryMessage;
use tokio_postgres::error::SqlState;

use super::client::Client;
use super::db::PATIENCE_OF_A_READ;
use super::trouble::{Tried, Trouble};
use crate::cell::cells;

/// The version of the first release, and the newest that this program knows.
pub(super) const KNOWN: i64 = 4;

/// Whether tables of this version come with the reads that this program knows by name.
pub(super) fn has_routines(version: i64) -> bool {
    version == KNOWN
}

/// Any number that nobody else uses: the lock of whoever makes tables.
const LOCK: i64 = 0x6861_7264_776f_6e01;

/// The version of a database; 0 for one without our tables. In one round trip, which leaves nothing
/// behind: statements of one message are one transaction.
pub(super) fn version(client: &Client) -> Tried<i64> {
    let patience = PATIENCE_OF_A_READ.as_millis();
    let sql = format!(
        "SET LOCAL lock_timeout = {patience};
         SELECT coalesce(max(version), 0) FROM hardwon.versions"
    );
    let answer = client.simple(&sql);
    let is_missing = |trouble: &Trouble| {
        let missing = [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME];
        trouble.code().is_some_and(|code| missing.contains(code))
    };
    if answer.as_ref().is_err_and(is_missing) {
        return Ok(0);
    }
    let found = answer?.into_iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).and_then(|version| version.parse().ok()),
        _ => None,
    });
    found.ok_or(Trouble::Strange("the version of the tables is no number"))
}

/// Only tables of this program's own version are written: to newer ones it does not know what belongs,
/// and older ones lack what it writes.
pub(super) fn refuse_other(found: Option<i64>) -> Tried<()> {
    match found.unwrap_or(0) {
        found if found > KNOWN => Err(Trouble::TooNew { found, known: KNOWN }),
        found if found < KNOWN => Err(Trouble::Refused(
            "its tables were made by an older program: they can be read, not written; as their \
             owner, type: hardwon config store migrate",
        )),
        _ => Ok(()),
    }
}

/// Lets a role that owns nothing read and write, and nothing else.
pub(super) fn grant(client: &Client, role: &str) -> Tried<()> {
    let sql = "
        SELECT format('GRANT USAGE ON SCHEMA hardwon TO %1$I;
                       GRANT SELECT ON hardwon.versions TO %1$I;
                       GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA hardwon TO %1$I;
                       GRANT SELECT, INSERT, UPDATE, DELETE ON %2$s TO %1$I', $1,
                      string_agg(oid::regclass::text, ', '))
        FROM pg_class WHERE relnamespace = 'hardwon'::regnamespace
          AND (relkind = 'p' OR relispartition AND relkind = 'r')";
    let rows = client.all(sql, &cells![role])?;
    rows.iter().try_for_each(|row| client.batch(row.get(0)))
}

/// Brings a database to the newest version; `routines` makes the reads that have a name. Says which
/// version it had and has.
pub(super) fn migrate(client: &mut Client, routines: String) -> Tried<(i64, i64)> {
    let found = version(client)?;
    refuse_other(Some(found.max(KNOWN)))?;
    // Others may be at it, and large tables take their time.
    client.set_patience(None);
    let sql = include_str!("../../migrations/postgres/0004_schema.sql").to_owned() + &routines;
    take_step(client, KNOWN, &sql).inspect_err(|_| client.send("ROLLBACK"))?;
    Ok((found, version(client)?))
}

fn take_step(client: &Client, step: i64, sql: &str) -> Tried<()> {
    client.batch(&format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})"))?;
    // Somebody else may have been here before the lock was free.
    let there = "SELECT to_regclass('hardwon.versions') IS NOT NULL";
    let is_made = client.all(there, &[])?.iter().any(|row| row.get(0));
    let newest = "SELECT coalesce(max(version), 0) FROM hardwon.versions";
    let newest = if is_made { client.all(newest, &[])? } else { Vec::new() };
    if newest.first().map_or(0, |row| row.get::<_, i64>(0)) < step {
        client.batch(sql)?;
        client.batch(&format!("INSERT INTO hardwon.versions VALUES ({step})"))?;
    }
    client.batch("COMMIT")
}
