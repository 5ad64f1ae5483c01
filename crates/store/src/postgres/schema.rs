//! Which schema does the database have, and how does it get the newest? Only its owner makes tables:
//! under a lock of the whole database, each step in one transaction.

use postgres::Client;

use super::cell::Cell;
use super::trouble::{Tried, Trouble};

/// Step n leads from version n - 1 to n.
const STEPS: &[&str] = &[include_str!("../../migrations/postgres/0001_schema.sql")];

/// The newest version this program knows.
pub(super) const KNOWN: i64 = STEPS.len() as i64;

/// Any number that nobody else uses: the lock of whoever makes tables.
const LOCK: i64 = 0x6861_7264_776f_6e01;

/// The version of a database; 0 for one without our tables.
pub(super) fn version(client: &mut Client) -> Tried<i64> {
    let sql = "SELECT to_regclass('hardwon.versions') IS NOT NULL";
    if !client.query_typed_one(sql, &[])?.get::<_, bool>(0) {
        return Ok(0);
    }
    let sql = "SELECT coalesce(max(version), 0) FROM hardwon.versions";
    Ok(client.query_typed_one(sql, &[])?.get(0))
}

/// What a newer program wrote is not written by an older one.
pub(super) fn refuse_newer(found: Option<i64>) -> Tried<()> {
    match found.unwrap_or(0) {
        found if found > KNOWN => Err(Trouble::TooNew { found, known: KNOWN }),
        _ => Ok(()),
    }
}

/// Lets a role that owns nothing read and write, and nothing else.
pub(super) fn grant(client: &mut Client, role: &str) -> Tried<()> {
    let sql = "
        SELECT format('GRANT USAGE ON SCHEMA hardwon TO %1$I;
                       GRANT SELECT ON hardwon.versions TO %1$I;
                       GRANT SELECT, INSERT, UPDATE, DELETE ON %2$s TO %1$I', $1,
                      string_agg(oid::regclass::text, ', '))
        FROM pg_class WHERE relnamespace = 'hardwon'::regnamespace AND relkind = 'p'";
    let role = Cell::from(role);
    let grants: String = client.query_typed_one(sql, &[role.param()])?.get(0);
    Ok(client.batch_execute(&grants)?)
}

/// Brings a database to the newest version. Says which it had and has.
pub(super) fn migrate(client: &mut Client) -> Tried<(i64, i64)> {
    let found = version(client)?;
    refuse_newer(Some(found))?;
    for (step, sql) in (1..).zip(STEPS) {
        let mut transaction = client.transaction()?;
        let lock = format!("SELECT pg_advisory_xact_lock({LOCK})");
        transaction.batch_execute(&lock)?;
        // Somebody else may have been here before the lock was free.
        let there = "SELECT to_regclass('hardwon.versions') IS NOT NULL";
        let is_made: bool = transaction.query_typed_one(there, &[])?.get(0);
        let newest = "SELECT coalesce(max(version), 0) FROM hardwon.versions";
        let newest: i64 = match is_made {
            true => transaction.query_typed_one(newest, &[])?.get(0),
            false => 0,
        };
        if newest < step {
            transaction.batch_execute(sql)?;
            let insert = format!("INSERT INTO hardwon.versions VALUES ({step})");
            transaction.batch_execute(&insert)?;
        }
        transaction.commit()?;
    }
    Ok((found, version(client)?))
}
