//! Copies of the file beside it: before a migration or a repair, and one a day, which is
//! compressed. A copy is made under another name, checked, and only then takes its own: one that
//! exists is whole. Whoever makes one holds a lock on the unfinished file, so two at once make one.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use hardwon_core::change::{Batch, Change};
use hardwon_core::time::Timestamp;

use super::beside::{COMPRESSED, log_path, with_suffix};
use super::connection::{self, trouble};
use super::migrate::{self, MIGRATIONS, Schema};
use super::{SqliteStore, check};
use crate::error::{damaged, place_of, unusable};
use crate::files::{self, Mode, NewFile, Place};
use crate::{Result, StoreError};

/// So many copies of different days are kept.
const N_KEPT: usize = 3;

/// A larger store is not copied every day.
const MAX_BYTES: u64 = 512 << 20;

/// What became of a day's copy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DailyBackup {
    #[error("copied to {}", .0.display())]
    Made(PathBuf),
    /// Or another process is making it.
    #[error("the backup of this day is there already")]
    AlreadyThere,
    #[error("none made: the setting `backup` is off")]
    NotWanted,
    #[error("none made: there is nothing to copy")]
    NothingToCopy,
    /// So many bytes.
    #[error(
        "none made: the store has {} MiB, and above {} none is made", .0 >> 20, MAX_BYTES >> 20
    )]
    TooLarge(u64),
}

impl DailyBackup {
    /// The copy that was made.
    pub(super) fn into_path(self) -> Option<PathBuf> {
        if let DailyBackup::Made(path) = self { Some(path) } else { None }
    }
}

impl SqliteStore {
    /// Copies what is committed to `NAME.backup-LABEL`. Gives its path.
    pub fn back_up(path: impl AsRef<Path>, label: &str) -> Result<PathBuf> {
        let path = path.as_ref();
        let target = with_suffix(path, &format!(".backup-{label}"));
        let unfinished = Unfinished::wait(path)?;
        unfinished.copy()?;
        unfinished.place(&target)?;
        Ok(target)
    }

    /// Makes the copy of this day, unless it is there, and removes the oldest of those that were
    /// made daily. A store in which anything is damaged is not copied (`Damaged`), and nothing
    /// is removed then.
    pub fn back_up_daily(path: impl AsRef<Path>, now: Timestamp) -> Result<DailyBackup> {
        let path = path.as_ref();
        if has_daily(path, now) {
            return Ok(DailyBackup::AlreadyThere);
        }
        let length = |path: &Path| fs::metadata(path).map_or(0, |about| about.len());
        match length(path) + length(&log_path(path)) {
            0 => return Ok(DailyBackup::NothingToCopy),
            n_bytes if n_bytes > MAX_BYTES => return Ok(DailyBackup::TooLarge(n_bytes)),
            _ => {}
        }
        let Some(unfinished) = Unfinished::take(path)? else {
            return Ok(DailyBackup::AlreadyThere);
        };
        // Another process may have been faster.
        let made = if has_daily(path, now) {
            Ok(DailyBackup::AlreadyThere)
        } else {
            let target = with_suffix(&daily_path(path, now), COMPRESSED);
            let copied = unfinished.copy().and_then(|()| unfinished.check());
            copied.and_then(|()| unfinished.compress(&target)).map(|()| DailyBackup::Made(target))
        };
        unfinished.give_up();
        if let Ok(DailyBackup::Made(_)) = made {
            remove_oldest(path, now);
        }
        made
    }

    /// Whether the copy of this day is missing; one look at the folder.
    pub fn lacks_daily(path: impl AsRef<Path>, now: Timestamp) -> bool {
        path.as_ref().exists() && !has_daily(path.as_ref(), now)
    }
}

/// Removes the copies that are made daily, before something is erased. Gives the day for which a
/// new one is to be made, if there was any.
pub(super) fn remove_before_erasing(path: &Path, batch: &Batch) -> Result<Option<Timestamp>> {
    let erases = batch.changes.iter().any(|change| matches!(change, Change::Erase { .. }));
    let copies = SqliteStore::dated_copies(path).into_iter().filter(|copy| copy.day.is_some());
    let mut had_any = false;
    for copy in copies.filter(|_| erases) {
        had_any = true;
        match fs::remove_file(&copy.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(unusable(&copy.path, error));
            }
            _ => {}
        }
    }
    if had_any {
        Place::own(path).sync_folder().map_err(|error| unusable(path, error))?;
    }
    Ok(had_any.then_some(batch.head.at))
}

fn daily_path(path: &Path, now: Timestamp) -> PathBuf {
    with_suffix(path, &format!(".backup-{}", now.date()))
}

/// Older versions did not compress it.
fn has_daily(path: &Path, now: Timestamp) -> bool {
    let path = daily_path(path, now);
    path.exists() || with_suffix(&path, COMPRESSED).exists()
}

/// Keeps the newest days. A day that is still to come was made by a wrong clock, and goes first.
fn remove_oldest(path: &Path, now: Timestamp) {
    let daily = SqliteStore::dated_copies(path).into_iter();
    let mut daily: Vec<(bool, Timestamp, PathBuf)> =
        daily.filter_map(|copy| Some((copy.day? <= now, copy.day?, copy.path))).collect();
    daily.sort();
    let n_more = daily.len().saturating_sub(N_KEPT);
    for (.., path) in daily.into_iter().take(n_more) {
        let _ = fs::remove_file(path);
    }
}

/// The copy that is being made, locked.
struct Unfinished<'a> {
    store: &'a Path,
    path: PathBuf,
    _lock: fs::File,
}

impl<'a> Unfinished<'a> {
    /// None if another process makes one.
    fn take(store: &'a Path) -> Result<Option<Self>> {
        let path = with_suffix(store, ".backup-unfinished");
        let failed = |error: std::io::Error| unusable(&path, error);
        let lock = files::open_lock(path.as_path(), 0o600).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Ok(None),
            // Where no lock can be had, two at once make two.
            Err(fs::TryLockError::Error(_)) => {}
        }
        // It may have been finished, and have another name, since it was opened.
        let is_it = |about: fs::Metadata| {
            lock.metadata().is_ok_and(|own| (own.ino(), own.dev()) == (about.ino(), about.dev()))
        };
        if !fs::symlink_metadata(&path).is_ok_and(is_it) {
            return Ok(None);
        }
        // Left by a process that died.
        lock.set_len(0).map_err(failed)?;
        Ok(Some(Unfinished { store, path, _lock: lock }))
    }

    /// Waits for another process: this copy is needed before anything is changed.
    fn wait(store: &'a Path) -> Result<Self> {
        let give_up_at = std::time::Instant::now() + connection::BUSY_LIMIT;
        loop {
            if let Some(unfinished) = Unfinished::take(store)? {
                return Ok(unfinished);
            }
            if std::time::Instant::now() > give_up_at {
                return Err(StoreError::Busy {
                    place: place_of(&with_suffix(store, ".backup-unfinished")),
                });
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    fn copy(&self) -> Result<()> {
        let Some(reader) = connection::open_reader(self.store)? else { return Ok(()) };
        let copy_to = self.path.to_string_lossy();
        let copied = reader.execute("VACUUM INTO ?1", [&copy_to]);
        copied.map(drop).map_err(|error| trouble(self.store, error))
    }

    /// Everything that `doctor` would check.
    fn check(&self) -> Result<()> {
        let db = connection::open_copy(&self.path)?;
        let checks = match migrate::schema(&self.path, &db, MIGRATIONS)? {
            Schema::Current => check::CHECKS,
            Schema::None | Schema::Older(_) | Schema::Newer(_) => check::CHECKS_OF_ANY_SCHEMA,
        };
        match check::faults(&db, checks, &mut |_| {}).into_iter().next() {
            None => Ok(()),
            Some(fault) => {
                let detail = format!("no backup was made of it: {}", fault.detail);
                Err(damaged(self.store, detail))
            }
        }
    }

    fn compress(&self, target: &Path) -> Result<()> {
        let written = || {
            let new = NewFile::write(target, b"", Mode::PRIVATE)?;
            // Nobody waits for it, but it runs beside a person's work.
            let file = files::open_to_add(&new.written())?;
            let mut encoder = GzEncoder::new(file, Compression::fast());
            io::copy(&mut fs::File::open(&self.path)?, &mut encoder)?;
            encoder.finish()?.sync_all()?;
            new.place()
        };
        written().map_err(|error| unusable(target, error))
    }

    fn place(&self, target: &Path) -> Result<()> {
        files::place_written(&self.path, target).map_err(|error| unusable(target, error))
    }

    fn give_up(&self) {
        let _ = fs::remove_file(&self.path);
    }
}
