//! `index` and `validate`: is every file what its schema says, and the index what the files say?

use hardwon_engine::{EngineError, Result, files};
use hardwon_readers::geas_faults;
use hardwon_render::answer::{Answer, GeasFault, GeasIndexed, GeasValidated};

use super::Geas;
use crate::geas::{CANDIDATES, ENDING, ENTRIES, GeasLayout, INDEX, index};
use crate::store::layout::Layout;
use crate::store::{Files, Rows};

/// Folders of documents that have a schema, and the packets of every task.
const FOLDERS: [&str; 4] = [CANDIDATES, ENTRIES, "memory/logs", "memory/application-logs"];

impl Geas {
    /// Makes the index anew from the documents; only compares with `is_check`.
    pub fn index(&mut self, is_check: bool) -> Result<Answer<GeasIndexed>> {
        let place = GeasLayout::place(self.folder.base(), &self.environment.homes());
        let files = Files::read::<GeasLayout>(&place)?;
        let rows = Rows::<GeasLayout>::read(&files);
        let all: Vec<_> = rows.shelf_records().collect();
        let text = index::text(&all);
        let there = self.folder.read(INDEX)?;
        let is_equal = there.as_deref() == Some(text.as_bytes());
        if !is_equal && !is_check {
            self.folder.replace(INDEX, text.as_bytes())?;
        }
        let indexed = GeasIndexed {
            path: files::path_text(&self.folder.path(INDEX)),
            n_rows: index::rows(all.iter().copied()).len() as u64,
            is_equal,
            is_written: !is_equal && !is_check,
        };
        Ok(Answer::of(indexed, Vec::new()))
    }

    /// Checks these files, or all of the tree that have a schema.
    pub fn validate(&self, named: &[String]) -> Result<Answer<GeasValidated>> {
        let mut validated = GeasValidated::default();
        if named.is_empty() {
            for name in self.with_schema()? {
                let faults = match self.folder.read(&name) {
                    Ok(bytes) => geas_faults(&bytes.unwrap_or_default()),
                    Err(error) => vec![error.to_string()],
                };
                take(&mut validated, &name, faults);
            }
        }
        for file in named {
            let path = self.environment.folder.join(file);
            let place = hardwon_store::files::Place::own(&path);
            let faults = match hardwon_store::files::read(&place, MAX_BYTES) {
                Ok(bytes) => geas_faults(&bytes),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    return Err(EngineError::File { path, source: error });
                }
                Err(error) => vec![error.to_string()],
            };
            take(&mut validated, file, faults);
        }
        let is_empty = |it: &GeasValidated| it.n_files == 0;
        Ok(Answer::of(validated, Vec::new()).empty_if(is_empty))
    }

    /// Every document of the memory, the index, and every packet.
    fn with_schema(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for folder in FOLDERS {
            let files = self.folder.list(folder, ENDING)?;
            names.extend(files.into_iter().map(|file| format!("{folder}/{file}")));
        }
        let index = self.folder.has_file(INDEX)?;
        names.extend(index.then(|| INDEX.to_owned()));
        for mission in self.missions(None)? {
            let packets = format!("missions/{mission}/packets");
            let entries = std::fs::read_dir(self.folder.path(&packets));
            for entry in entries.into_iter().flatten().flatten() {
                let task = entry.file_name().to_string_lossy().into_owned();
                let name = format!("{packets}/{task}/memory-packet.json");
                if self.folder.path(&name).is_file() {
                    names.push(name);
                }
            }
        }
        names.sort();
        Ok(names)
    }
}

/// A longer file is no document of a memory.
const MAX_BYTES: u64 = 16 << 20;

fn take(validated: &mut GeasValidated, file: &str, faults: Vec<String>) {
    validated.n_files += 1;
    validated.n_faulty += u64::from(!faults.is_empty());
    let told = faults.into_iter().map(|what| GeasFault { file: file.to_owned(), what });
    validated.faults.extend(told);
}
