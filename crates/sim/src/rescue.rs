//! How much memory comes back when its file is destroyed, emptied, gone, or damaged on one page?
//! Does that to stores of several sizes, with and without a backup of the same day, lets
//! `hardwon doctor --fix` repair it and compares the lessons. Works in a folder of its own.

mod damage;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use hardwon_core::ids::LessonId;
use hardwon_store::{Access, LessonQuery, SqliteStore, Store};

use crate::speed::draft::Vocabulary;
use crate::speed::fill;
use crate::{Cell, Table};
use damage::DAMAGES;

/// The share of lessons that has to come back.
const WANTED: f64 = 0.95;

/// What is to be damaged.
#[derive(Clone, Debug, clap::Args)]
pub struct Plan {
    /// Store sizes, in lessons
    #[arg(long = "lessons", value_delimiter = ',', default_values_t = [50, 400, 2000])]
    pub sizes: Vec<u64>,
    /// Damage every so many-th page only
    #[arg(long, default_value_t = 1)]
    pub every: usize,
}

/// What came of the stores of one size, damaged in one way.
#[derive(Clone, Debug, Default)]
struct Row {
    n_lessons: usize,
    has_backup: bool,
    damage: &'static str,
    n_stores: u64,
    n_rescued: u64,
    worst: f64,
    /// Lessons that did not come back, in all stores.
    n_lost: u64,
    /// Stores of which `doctor` did not say that anything is lost, although lessons were missing.
    n_untold: u64,
    /// Stores whose damaged file was not kept.
    n_not_kept: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    rows: Vec<Row>,
    /// The first that did not come back well enough.
    named: Vec<String>,
}

/// Damages stores and lets the program repair them.
pub fn run(program: &Path, plan: &Plan, talk: &mut dyn FnMut(&str)) -> Result<Outcome, String> {
    if plan.sizes.contains(&0) || plan.every == 0 {
        return Err("a rescue bench needs at least one lesson and one page".to_owned());
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut outcome = Outcome::default();
    for size in &plan.sizes {
        let ward = Ward::new(program, folder.path(), *size)?;
        for has_backup in [false, true] {
            for damage in DAMAGES {
                talk(&format!("{size} lessons, backup: {has_backup}, {}", damage.name));
                outcome.rows.push(ward.damaged(
                    damage,
                    has_backup,
                    plan.every,
                    &mut outcome.named,
                )?);
            }
        }
    }
    Ok(outcome)
}

/// A whole store, and a place for damaged ones.
struct Ward<'a> {
    program: &'a Path,
    home: PathBuf,
    whole: Vec<u8>,
    /// The words of each.
    lessons: BTreeMap<LessonId, Option<String>>,
}

impl<'a> Ward<'a> {
    fn new(program: &'a Path, folder: &Path, size: u64) -> Result<Self, String> {
        let home = folder.join(format!("home-{size}"));
        let path = home.join("memory.db");
        let failed = |error: hardwon_store::StoreError| error.to_string();
        let mut store = SqliteStore::open(&path, Access::Write).map_err(failed)?;
        fill::fill(&mut store, &Vocabulary::new(), size, &mut |_| {}).map_err(failed)?;
        store.scour(false).map_err(failed)?;
        drop(store);
        let whole = fs::read(&path).map_err(|error| error.to_string())?;
        let lessons = lessons(&path)?;
        Ok(Ward { program, home, whole, lessons })
    }

    fn damaged(
        &self,
        damage: &damage::Damage,
        has_backup: bool,
        every: usize,
        named: &mut Vec<String>,
    ) -> Result<Row, String> {
        let n_lessons = self.lessons.len();
        let mut row =
            Row { n_lessons, has_backup, damage: damage.name, worst: 1.0, ..Row::default() };
        for page in (0..damage.n_places(&self.whole)).step_by(every) {
            let bytes = damage.of(&self.whole, page);
            let what = format!("{n_lessons} lessons, {} ({})", damage.name, page + 1);
            let tells = self.repair(bytes.as_deref(), has_backup)?;
            self.compare(bytes.as_deref(), tells, &what, &mut row, named)?;
        }
        Ok(row)
    }

    /// Whether `doctor --fix` says that something may be lost.
    fn repair(&self, bytes: Option<&[u8]>, has_backup: bool) -> Result<bool, String> {
        let failed = |error: std::io::Error| error.to_string();
        fs::remove_dir_all(&self.home).map_err(failed)?;
        fs::create_dir_all(&self.home).map_err(failed)?;
        let path = self.home.join("memory.db");
        fs::write(&path, &self.whole).map_err(failed)?;
        if has_backup {
            let made = SqliteStore::back_up_daily(&path, fill::NOW);
            made.map_err(|error| error.to_string())?;
        }
        match bytes {
            Some(bytes) => fs::write(&path, bytes).map_err(failed)?,
            None => fs::remove_file(&path).map_err(failed)?,
        }
        let mut doctor = Command::new(self.program);
        doctor.args(["doctor", "--fix", "--json"]).env_clear();
        doctor.env("HARDWON_HOME", &self.home).env("HARDWON_NOW", fill::NOW.to_string());
        // That of today would be made of the repaired store.
        doctor.env("HARDWON_BACKUP", "off").current_dir(&self.home);
        doctor.stdin(Stdio::null()).stderr(Stdio::null());
        let Output { status, stdout, .. } = doctor.output().map_err(failed)?;
        let told = String::from_utf8_lossy(&stdout);
        let tells_loss = told.contains("lessons lost") || told.contains("cannot be read");
        Ok(tells_loss || !status.success())
    }

    fn compare(
        &self,
        bytes: Option<&[u8]>,
        tells: bool,
        what: &str,
        row: &mut Row,
        named: &mut Vec<String>,
    ) -> Result<(), String> {
        let path = self.home.join("memory.db");
        let found = lessons(&path).unwrap_or_default();
        let is_back = |(id, words): &(&LessonId, &Option<String>)| found.get(*id) == Some(*words);
        let n_back = self.lessons.iter().filter(is_back).count();
        let share = n_back as f64 / self.lessons.len().max(1) as f64;
        row.n_stores += 1;
        row.n_rescued += u64::from(share >= WANTED);
        row.worst = row.worst.min(share);
        row.n_lost += (self.lessons.len() - n_back) as u64;
        // A file that is gone and has no copy leaves nothing that tells of it.
        let can_tell = bytes.is_some() || row.has_backup;
        row.n_untold += u64::from(can_tell && !tells && n_back < self.lessons.len());
        let is_kept = match bytes {
            Some(bytes) => bytes == self.whole || self.has_file(bytes)?,
            None => true,
        };
        row.n_not_kept += u64::from(!is_kept);
        if share < WANTED && named.len() < 5 {
            named.push(format!("{what}: {n_back} lessons came back"));
        }
        Ok(())
    }

    /// Whether one of the files is as the damaged one was; a repair inside the file keeps a copy.
    fn has_file(&self, bytes: &[u8]) -> Result<bool, String> {
        let entries = fs::read_dir(&self.home).map_err(|error| error.to_string())?;
        let names = entries.flatten().map(|entry| entry.path());
        let is_kept = |path: PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // A repair inside the file makes a copy of it first.
            let is_copy = name.starts_with("memory.db.backup-") && name.ends_with('Z');
            is_copy || fs::read(&path).is_ok_and(|found| found == bytes)
        };
        Ok(names.into_iter().any(is_kept))
    }
}

fn lessons(path: &Path) -> Result<BTreeMap<LessonId, Option<String>>, String> {
    let failed = |error: hardwon_store::StoreError| error.to_string();
    let store = SqliteStore::open(path, Access::Read).map_err(failed)?;
    let lessons = store.lessons(&fill::project(0), &LessonQuery::default()).map_err(failed)?;
    let row = |lesson: hardwon_core::lesson::Lesson| {
        (lesson.id.clone(), lesson.text.body().map(str::to_owned))
    };
    Ok(lessons.into_iter().map(row).collect())
}

impl Outcome {
    /// Whether at least 95 % came back from every store that had a backup, and nothing was lost in
    /// silence or thrown away.
    pub fn is_kept(&self) -> bool {
        self.rows.iter().all(|row| {
            let is_enough = !row.has_backup || row.n_rescued == row.n_stores;
            is_enough && row.n_untold == 0 && row.n_not_kept == 0
        })
    }

    /// The figures, with what they mean.
    pub fn table(&self) -> Table {
        let cells = |row: &Row| {
            vec![
                ("lessons", Cell::Count(row.n_lessons as u64)),
                (
                    "backup",
                    Cell::Text(if row.has_backup { "of the same day" } else { "none" }.to_owned()),
                ),
                ("damage", Cell::Text(row.damage.to_owned())),
                ("stores", Cell::Count(row.n_stores)),
                ("rescued", Cell::Count(row.n_rescued)),
                ("share", Cell::Number(row.n_rescued as f64 / row.n_stores.max(1) as f64, 3)),
                ("worst_percent", Cell::Number(row.worst * 100.0, 1)),
                ("lost", Cell::Count(row.n_lost)),
                ("untold", Cell::Count(row.n_untold)),
                ("not_kept", Cell::Count(row.n_not_kept)),
            ]
        };
        let notes = [
            "The file is damaged in one way at a time; then `hardwon doctor --fix`.",
            "≥ 95 %: stores of which at least 95 % of the lessons are there again, by id and words.",
            "worst %: of the lessons of the store of which the fewest came back.",
            "untold: lessons are missing, and `doctor` does not say so.",
            "Without a backup what stood on the damaged part is nowhere else.",
        ];
        let notes = notes.map(str::to_owned).into_iter().chain(self.named.clone());
        Table {
            title: "Rescue: a file that is destroyed, emptied, gone, or damaged on one page"
                .to_owned(),
            notes: notes.collect(),
            rows: self.rows.iter().map(cells).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_did_not_come_back_is_not_kept() {
        let row = Row { has_backup: true, n_stores: 3, n_rescued: 3, ..Row::default() };
        let outcome = |row: Row| Outcome { rows: vec![row], named: Vec::new() };
        assert!(outcome(row.clone()).is_kept());
        assert!(!outcome(Row { n_rescued: 2, ..row.clone() }).is_kept());
        assert!(!outcome(Row { n_untold: 1, ..row.clone() }).is_kept());
        assert!(!outcome(Row { n_not_kept: 1, ..row.clone() }).is_kept());
    }
}
