//! Does memory hold a secret that today's gate would not let in? Rules grow, and rows
//! outlive them: every stored text is held against the rules of now.

use std::collections::BTreeSet;

use hardwon_core::answer::KeptSecret;
use hardwon_core::gate::Gate;
use hardwon_store::{Access, SqliteStore, Store};

use super::Patient;
use crate::open::StorePlace;

/// What can be done about a row that no lesson stands for.
const NO_COMMAND: &str = "make the secret invalid where it is used: no command takes it out of \
                          this row alone";

impl Patient<'_> {
    /// Rows with secrets, in the order of the store, each sort once a row. An error if
    /// the store cannot be read through.
    pub(super) fn scan(&self) -> Result<Vec<KeptSecret>, String> {
        let told = |error: hardwon_store::StoreError| error.to_string();
        let store: Box<dyn Store> = match &self.place {
            Ok(StorePlace::Sqlite(path)) => {
                Box::new(SqliteStore::open(path, Access::Read).map_err(told)?)
            }
            Ok(StorePlace::Archeflow(folder)) => Box::new(self.archeflow(folder, Access::Read)?),
            Ok(StorePlace::Memory) => return Ok(Vec::new()),
            Err(reason) => return Err(reason.clone()),
        };
        let gate = Gate::standard();
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        store
            .every_text(&mut |kept| {
                let Some(family) = gate.finds_secret(kept.text) else { return };
                if !seen.insert((kept.row.to_owned(), family.to_owned())) {
                    return;
                }
                let fix = match kept.lesson {
                    Some(lesson) => self.command(&format!("forget {lesson} --hard --yes")),
                    None => NO_COMMAND.to_owned(),
                };
                found.push(KeptSecret { row: kept.row.to_owned(), family: family.to_owned(), fix });
            })
            .map_err(told)?;
        Ok(found)
    }
}
