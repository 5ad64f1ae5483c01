//! Does memory hold a secret that today's gate would not let in? Rules grow, and rows
//! outlive them: every stored text is held against the rules of now, the user's own
//! among them. Backups beside the store are looked through as well.

use std::collections::BTreeSet;
use std::path::Path;

use hardwon_core::gate::Gate;
use hardwon_render::answer::{HealthCheck, KeptSecret};
use hardwon_render::check::{few, quoted, warning};
use hardwon_store::{Access, PostgresStore, SqliteStore, Store, StoreError};

use super::Patient;
use crate::open::StorePlace;

/// What can be done about a row that belongs to no lesson.
const NO_COMMAND: &str = "make the secret invalid where it is used: no command takes it out of \
                          this row alone";

/// What a look through everything gave.
#[derive(Default)]
pub(super) struct Scanned {
    pub secrets: Vec<KeptSecret>,
    /// What was not looked through, if there is any.
    pub left_out: Option<HealthCheck>,
}

impl Patient<'_> {
    /// Rows with secrets, in the order of the store, each sort once a row; then backups,
    /// each sort once. An error if the store cannot be read through.
    pub(super) fn scan(&self) -> Result<Scanned, String> {
        let told = |error: StoreError| error.to_string();
        let gate = Gate::standard().redacting(self.settings.wishes());
        let store: Box<dyn Store> = match &self.place {
            Ok(StorePlace::Sqlite(path)) => {
                Box::new(SqliteStore::open(path, Access::Read).map_err(told)?)
            }
            Ok(StorePlace::Foreign(layout, place)) => {
                self.foreign(*layout, place.as_ref(), Access::Read)?
            }
            Ok(StorePlace::Postgres(url)) => {
                Box::new(PostgresStore::open(url, Access::Read).map_err(told)?)
            }
            Ok(StorePlace::Memory) => return Ok(Scanned::default()),
            Err(reason) => return Err(reason.clone()),
        };
        let mut scanned =
            Scanned { secrets: self.secrets_of(&*store, &gate).map_err(told)?, left_out: None };
        if let Ok(StorePlace::Sqlite(path)) = &self.place {
            self.scan_copies(path, &gate, &mut scanned);
        }
        Ok(scanned)
    }

    fn secrets_of(&self, store: &dyn Store, gate: &Gate) -> Result<Vec<KeptSecret>, StoreError> {
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        store.every_text(&mut |kept| {
            let Some(family) = gate.finds_secret(kept.text) else { return };
            if !seen.insert((kept.row.to_owned(), family.to_owned())) {
                return;
            }
            let fix = match kept.lesson {
                Some(lesson) => self.command(&format!("forget {lesson} --hard --yes")),
                None => NO_COMMAND.to_owned(),
            };
            found.push(KeptSecret { row: kept.row.to_owned(), family: family.to_owned(), fix });
        })?;
        Ok(found)
    }

    fn scan_copies(&self, path: &Path, gate: &Gate, scanned: &mut Scanned) {
        let mut left_out = Vec::new();
        for copy in SqliteStore::copies(path) {
            let name = copy.file_name().unwrap_or_default().display().to_string();
            let found = SqliteStore::open_copy(&copy).and_then(|s| self.secrets_of(&s, gate));
            match found {
                Ok(secrets) => {
                    let families: BTreeSet<String> =
                        secrets.into_iter().map(|secret| secret.family).collect();
                    scanned.secrets.extend(families.into_iter().map(|family| KeptSecret {
                        row: format!("backup {name}"),
                        family,
                        fix: format!("rm {}", quoted(copy.display())),
                    }));
                }
                Err(error) => left_out.push(format!("{name}: {error}")),
            }
        }
        if !left_out.is_empty() {
            let detail = format!("backups that were not looked through: {}", few(&left_out));
            let fix = "delete those that are not needed any more".to_owned();
            scanned.left_out = Some(warning("scan", detail, fix));
        }
    }
}
