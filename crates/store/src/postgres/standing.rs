//! As whom does the program come to this database, and do the policies hold for that role?

use super::db::Db;
use super::trouble::{Tried, Trouble};

/// What a role is there, and which tables let it see more than its project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    pub role: String,
    /// Whether it owns the tables.
    pub is_owner: bool,
    /// Whether no policy holds for it: a superuser, or one who may pass them by.
    pub is_unbound: bool,
    pub n_tables: u64,
    /// Tables whose policies are not forced, by name.
    pub open_tables: Vec<String>,
}

pub(super) fn look(db: &Db<'_>) -> Tried<Standing> {
    let sql = "
        SELECT r.rolname::text, r.rolsuper OR r.rolbypassrls,
               coalesce(bool_or(pg_has_role(r.oid, c.relowner, 'USAGE')), false),
               count(c.oid) FILTER (WHERE c.relkind = 'p'),
               coalesce(array_agg(c.relname::text ORDER BY c.relname)
                        FILTER (WHERE NOT (c.relrowsecurity AND c.relforcerowsecurity)), '{}')
        FROM pg_roles AS r
        LEFT JOIN pg_class AS c ON (c.relkind = 'p' OR c.relkind = 'r' AND c.relispartition)
                               AND c.relnamespace = to_regnamespace('hardwon')
        WHERE r.rolname = current_user
        GROUP BY r.rolname, r.rolsuper, r.rolbypassrls";
    let row = db.one(sql, &[])?.ok_or(Trouble::Strange("the role of the connection is missing"))?;
    Ok(Standing {
        role: row.get(0),
        is_unbound: row.get(1),
        is_owner: row.get(2),
        n_tables: row.get::<_, i64>(3) as u64,
        open_tables: row.get(4),
    })
}
