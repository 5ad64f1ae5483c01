//! Reads that the server knows by a name, with a plan that is good for any project. To make such a plan
//! takes longer than to ask once, since it has all partitions in it; so whoever asks seldom sends the
//! words themselves. Who has asked for a while calls the function, whose words are the same.

use super::client::Statement;
use crate::cell::Cell;

/// A read with a name. What it is asked about is a project, or that and the empty one: only so the
/// server leaves out the partitions of others.
pub(super) struct Routine {
    pub name: &'static str,
    /// The types of its values.
    pub takes: &'static str,
    /// The columns of its rows; none for one that gives nothing.
    pub gives: &'static str,
    pub sql: &'static str,
}

impl Routine {
    /// What is sent by who asks seldom, or often.
    pub(super) fn ask(&self, is_often: bool, values: Vec<Cell>) -> Statement {
        if !is_often {
            return (self.sql.to_owned(), values);
        }
        let places: Vec<String> = (1..=values.len()).map(|n| format!("${n}")).collect();
        (format!("SELECT * FROM hardwon.{}({})", self.name, places.join(", ")), values)
    }

    /// The function, as its owner makes it.
    pub(super) fn definition(&self) -> String {
        let Routine { name, takes, gives, sql } = self;
        let (returns, act) = match gives.is_empty() {
            true => ("void".to_owned(), String::new()),
            false => (format!("TABLE ({gives})"), "RETURN QUERY".to_owned()),
        };
        format!(
            "CREATE FUNCTION hardwon.{name}({takes}) RETURNS {returns} LANGUAGE plpgsql
             SET plan_cache_mode = force_generic_plan AS $routine$
             #variable_conflict use_column
             BEGIN {act} {sql}; END $routine$;\n"
        )
    }
}
