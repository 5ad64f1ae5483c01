//! Every value that a name ever had: a small file of versions, one JSON object of lists, as jkz's
//! `memory-versions` keeps it. Nothing in it is overwritten: going back appends.
//!
//! ```
//! use hardwon_core::time::Timestamp;
//! use hardwon_store::versions::Versions;
//!
//! let folder = tempfile::tempdir()?;
//! let versions = Versions::at(folder.path().join("memory_versions.json"), 10);
//! let at = Timestamp::parse("2026-04-03T14:00:00Z").expect("a time");
//! versions.set("tone", "short", at)?;
//! versions.set("tone", "long", at)?;
//! let restored = versions.restore("tone", 1, at)?;
//! assert_eq!((restored.version, restored.restored_from), (3, Some(1)));
//! let values: Vec<String> =
//!     versions.history("tone")?.into_iter().map(|version| version.value).collect();
//! assert_eq!(values, ["short", "long", "short"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fs::{File, TryLockError};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use hardwon_core::time::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::files::{self, Mode, NewFile, Place};

/// A larger file is not one of versions.
const MAX_BYTES: u64 = 64 << 20;

/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);

/// Where another program keeps more about a name than its list.
const LIST: &str = "versions";

/// A file of versions.
#[derive(Clone, Debug)]
pub struct Versions {
    path: PathBuf,
    /// How many are kept of each name.
    n_kept: usize,
}

/// One value that a name had.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Version {
    pub version: u64,
    pub value: String,
    pub timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restored_from: Option<u64>,
}

/// Why a file of versions was not used. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum VersionsError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{} is not a whole file of versions: {detail}; nothing was written", path.display())]
    Damaged { path: PathBuf, detail: String },
    #[error("{} is busy: another process has been writing for too long", path.display())]
    Busy { path: PathBuf },
    #[error("no versions of {key} are kept")]
    UnknownKey { key: String },
    #[error("no version {version} of {key} is kept")]
    UnknownVersion { key: String, version: u64 },
    #[error("{key} holds something else than versions")]
    Other { key: String },
}

type Result<T> = std::result::Result<T, VersionsError>;
type Entries = Map<String, Value>;

impl Versions {
    /// The file at this path, which need not be there yet.
    pub fn at(path: impl Into<PathBuf>, n_kept: usize) -> Self {
        Versions { path: path.into(), n_kept: n_kept.max(1) }
    }

    /// A new value of a name. The value that it has already is no new version.
    pub fn set(&self, key: &str, value: &str, at: Timestamp) -> Result<Version> {
        self.append(key, at, |list| match list.last() {
            Some(newest) if newest.get("value").and_then(Value::as_str) == Some(value) => Ok(None),
            _ => Ok(Some(json!({"value": value}))),
        })
    }

    /// The value of an earlier version, as a new one that names it.
    pub fn restore(&self, key: &str, version: u64, at: Timestamp) -> Result<Version> {
        self.append(key, at, |list| {
            let is_it = |(index, entry): &(usize, &Value)| number(entry, *index) == version;
            let found = list.iter().enumerate().find(is_it);
            let unknown = || VersionsError::UnknownVersion { key: key.to_owned(), version };
            let value = found.and_then(|(_, entry)| entry.get("value")).ok_or_else(unknown)?;
            Ok(Some(json!({"value": value, "restored_from": version})))
        })
    }

    /// The versions of a name that are kept, oldest first.
    pub fn history(&self, key: &str) -> Result<Vec<Version>> {
        let entries = self.read()?;
        let unknown = || VersionsError::UnknownKey { key: key.to_owned() };
        let list = list_of(entries.get(key).ok_or_else(unknown)?, key)?;
        Ok(list.iter().enumerate().map(|(index, entry)| version(entry, index)).collect())
    }

    /// Every name with its newest version, by name. What is no list of versions is passed over.
    pub fn all(&self) -> Result<Vec<(String, Version)>> {
        let newest = |(key, value): (&String, &Value)| {
            let list = list_of(value, key).ok()?;
            Some((key.clone(), version(list.last()?, list.len() - 1)))
        };
        Ok(self.read()?.iter().filter_map(newest).collect())
    }

    /// Appends what `next` makes of the list, if anything, while nobody else writes.
    fn append(
        &self,
        key: &str,
        at: Timestamp,
        next: impl FnOnce(&[Value]) -> Result<Option<Value>>,
    ) -> Result<Version> {
        let _lock = self.lock()?;
        let mut entries = self.read()?;
        let place = entries.entry(key).or_insert_with(|| json!([]));
        let list = list_of(place, key)?;
        let numbers = list.iter().enumerate().map(|(index, entry)| number(entry, index));
        let newest = numbers.max().unwrap_or(0);
        let Some(mut entry) = next(list)? else {
            let last = list.len().saturating_sub(1);
            return Ok(list.last().map(|entry| version(entry, last)).unwrap_or_default());
        };
        entry["version"] = json!(newest + 1);
        entry["timestamp"] = json!(at.to_string());
        let written = version(&entry, 0);
        if let Some(list) = list_in(place) {
            list.push(entry);
            list.drain(..list.len().saturating_sub(self.n_kept));
        }
        self.write(&entries)?;
        Ok(written)
    }

    fn lock(&self) -> Result<File> {
        let lock = self.path.with_added_extension("lock");
        let trouble = |source| VersionsError::File { path: lock.clone(), source };
        if let Some(folder) = lock.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            files::make_private_folder(folder).map_err(trouble)?;
        }
        let file = files::open_lock(lock.as_path(), 0o600).map_err(trouble)?;
        let until = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(source)) => return Err(trouble(source)),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                    return Err(VersionsError::Busy { path: self.path.clone() });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            }
        }
    }

    fn read(&self) -> Result<Entries> {
        let path = || self.path.clone();
        let bytes = match files::read(&Place::own(&self.path), MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
            Err(source) => return Err(VersionsError::File { path: path(), source }),
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Map::new());
        }
        let damaged = |detail: String| VersionsError::Damaged { path: path(), detail };
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(entries)) => Ok(entries),
            Ok(_) => Err(damaged("it holds no object".to_owned())),
            Err(error) => Err(damaged(error.to_string())),
        }
    }

    fn write(&self, entries: &Entries) -> Result<()> {
        let text = format!("{:#}\n", Value::Object(entries.clone()));
        let place = Place::own(&self.path);
        // What a writer left that was killed; the lock is held.
        files::sweep(place.clone());
        let written = NewFile::write_with_folder(place, text.as_bytes(), Mode::Kept(0o600));
        let placed = written.and_then(NewFile::place);
        placed.map_err(|source| VersionsError::File { path: self.path.clone(), source })
    }
}

/// The list of a name: as it is, or below `versions`.
fn list_of<'a>(value: &'a Value, key: &str) -> Result<&'a [Value]> {
    let list = value.as_array().or_else(|| value.get(LIST)?.as_array());
    list.map(Vec::as_slice).ok_or_else(|| VersionsError::Other { key: key.to_owned() })
}

fn list_in(value: &mut Value) -> Option<&mut Vec<Value>> {
    if value.is_array() { value.as_array_mut() } else { value.get_mut(LIST)?.as_array_mut() }
}

/// The number of an entry; one that states none has that of its place.
fn number(entry: &Value, index: usize) -> u64 {
    entry.get("version").and_then(Value::as_u64).unwrap_or(index as u64 + 1)
}

/// An entry, however much of it is there; a value of another sort as its JSON.
fn version(entry: &Value, index: usize) -> Version {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let value = entry.get("value").unwrap_or(entry);
    Version {
        version: number(entry, index),
        value: text(value),
        timestamp: entry.get("timestamp").map(text).unwrap_or_default(),
        restored_from: entry.get("restored_from").and_then(Value::as_u64),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn at() -> Timestamp {
        Timestamp::parse("2026-04-03T14:00:00Z").unwrap()
    }

    fn fresh() -> (tempfile::TempDir, Versions) {
        let folder = tempfile::tempdir().unwrap();
        let versions = Versions::at(folder.path().join("hermes/memory_versions.json"), 10);
        (folder, versions)
    }

    /// seed-facts 4.5: last 10 per key, restore appends, atomic write, one JSON file.
    #[test]
    fn facts_4_5_the_last_ten_are_kept_and_their_numbers_go_on() {
        let (_folder, versions) = fresh();
        for n in 1..=12 {
            versions.set("tone", &format!("value {n}"), at()).unwrap();
        }
        let numbers: Vec<u64> =
            versions.history("tone").unwrap().iter().map(|version| version.version).collect();
        assert_eq!(numbers, (3..=12).collect::<Vec<_>>());
        assert_eq!(versions.restore("tone", 4, at()).unwrap().version, 13);
        let gone = versions.restore("tone", 2, at()).unwrap_err().to_string();
        assert_eq!(gone, "no version 2 of tone is kept");
        assert_eq!(versions.set("tone", "value 4", at()).unwrap().version, 13, "it has it already");
        let newest = versions.all().unwrap().remove(0).1;
        assert_eq!((newest.value.as_str(), newest.restored_from), ("value 4", Some(4)));
        assert_eq!(newest.timestamp, "2026-04-03T14:00:00Z");
    }

    #[test]
    fn what_others_wrote_is_kept() {
        let (folder, versions) = fresh();
        fs::create_dir(folder.path().join("hermes")).unwrap();
        let path = folder.path().join("hermes/memory_versions.json");
        let theirs = json!({
            "schema": 3,
            "tone": {"owner": "ada", "versions": [{"value": "old", "by": "hermes"}]},
            "plain": ["first", "second"],
        });
        fs::write(&path, theirs.to_string()).unwrap();
        assert_eq!(versions.set("tone", "new", at()).unwrap().version, 2);
        assert_eq!(versions.history("plain").unwrap()[1].value, "second");
        let taken = versions.set("schema", "4", at()).unwrap_err();
        assert_eq!(taken.to_string(), "schema holds something else than versions");
        let now: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        assert_eq!((&now["schema"], &now["plain"]), (&theirs["schema"], &theirs["plain"]));
        assert_eq!(now["tone"]["owner"], "ada");
        assert_eq!(now["tone"]["versions"][0], theirs["tone"]["versions"][0]);
    }

    #[test]
    fn half_a_file_is_told_and_left_alone() {
        let (folder, versions) = fresh();
        fs::create_dir(folder.path().join("hermes")).unwrap();
        let path = folder.path().join("hermes/memory_versions.json");
        for half in ["{\"tone\": [{\"version\": 1, \"val", "[1, 2]"] {
            fs::write(&path, half).unwrap();
            let said = versions.set("tone", "new", at()).unwrap_err().to_string();
            assert!(said.contains("not a whole file of versions"), "{said}");
            assert_eq!(fs::read_to_string(&path).unwrap(), half);
        }
    }

    #[test]
    fn what_a_killed_writer_left_is_swept() {
        let (_folder, versions) = fresh();
        versions.set("tone", "long", at()).unwrap();
        let folder = versions.path.parent().unwrap();
        let name = versions.path.file_name().unwrap().to_string_lossy().into_owned();
        std::fs::write(folder.join(format!(".{name}.hardwon-7-0")), "half").unwrap();
        versions.set("tone", "short", at()).unwrap();
        let names = std::fs::read_dir(folder).unwrap().flatten().map(|it| it.file_name());
        let mut names: Vec<String> = names.map(|it| it.to_string_lossy().into_owned()).collect();
        names.sort();
        assert_eq!(names, [name.clone(), format!("{name}.lock")]);
    }

    #[test]
    fn writers_at_once_lose_nothing() {
        let (_folder, versions) = fresh();
        let versions = Versions { n_kept: 100, ..versions };
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let versions = &versions;
                scope.spawn(move || {
                    for n in 0..10 {
                        versions.set("tone", &format!("{writer} {n}"), at()).unwrap();
                    }
                });
            }
        });
        let kept = versions.history("tone").unwrap();
        assert_eq!(kept.len(), 40);
        assert!(kept.iter().zip(1..).all(|(version, number)| version.version == number));
    }
}
