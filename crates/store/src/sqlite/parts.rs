//! In which parts are a store's rows looked at, so that never more than those of one project are in
//! memory? A change touches one row, and all rows but lessons, tombstones and descriptions belong
//! to the project of their entry: what one project wrote replays on its own. What several have
//! written (a global lesson, one that was moved) is a part of its own, the shared one. An erasure
//! strikes any row: every part gets all of them, each in its turn.
//!
//! Entries are found by the columns of the journal. Where these do not say what the entries do,
//! somebody edited them, and the whole store is one part.

use std::collections::BTreeSet;
use std::ops::Deref;

use hardwon_core::change::{Change, Erasure, Tables};
use hardwon_core::ids::{LessonId, ProjectId};
use rusqlite::{Connection, Result};

use super::found::Found;
use super::journal::{self, Placed};
use super::replay::{self, Counted, Replayed};
use super::rows::{self, all};
use super::tables::{self, Owner};

/// How many lessons are looked up at once.
const N_AT_ONCE: usize = 500;

/// How a store is divided.
#[derive(Default)]
pub(super) struct Parts {
    owners: Vec<Owner>,
    /// Lessons of the shared part.
    crossing: BTreeSet<LessonId>,
    /// Places of the entries of the shared part, in order.
    shared: Vec<u64>,
    /// In order, with the places of their entries.
    erasures: Vec<(u64, Erasure)>,
    gaps: Misfits,
}

/// Entries that are missing before the one at a place (false), or that do not fit (true).
pub(super) type Misfits = Found<(u64, bool)>;

/// One of them.
#[derive(Clone, Copy)]
pub(super) enum Part<'a> {
    /// What the entries of one project alone decide.
    Of(&'a Owner),
    /// What is not of one project.
    Shared,
    /// Everything.
    Whole,
}

/// Rows in memory. Tests count them.
pub(super) struct Held(Tables);

impl Deref for Held {
    type Target = Tables;

    fn deref(&self) -> &Tables {
        &self.0
    }
}

impl Held {
    pub fn new(tables: Tables) -> Self {
        #[cfg(test)]
        counted::hold(&tables);
        Held(tables)
    }
}

impl Parts {
    /// Reads the journal once. Errors: an entry cannot be read.
    pub fn of(db: &Connection) -> Result<Self> {
        let mut parts = Parts { crossing: crossing(db)?, ..Parts::default() };
        let mut is_sorted = true;
        let mut counted = Counted::default();
        let sql = "
            SELECT sequence, journal.project = operations.project, lesson, version, payload,
                   projects.id, journal.number
            FROM journal
            CROSS JOIN operations ON operations.id = journal.operation
            CROSS JOIN projects ON projects.key = operations.project
            ORDER BY sequence";
        let mut statement = db.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let place = row.get::<_, i64>(0)? as u64;
            let project = ProjectId::new(row.get_ref(5)?.as_str()?);
            let number = row.get::<_, i64>(6)? as u64;
            if let Some(fault) = counted.misnumbered(place, &project, number) {
                parts.gaps.add((place, false), fault);
            }
            let change = journal::change(row.get(3)?, row.get_ref(4)?.as_str()?)?;
            let column = row.get_ref(2)?.as_str_or_null()?;
            let says_so = |lesson: &LessonId| column == Some(lesson.as_str());
            is_sorted &= row.get::<_, bool>(1)? && changed_lesson(&change).is_none_or(says_so);
            match change {
                Change::Erase { erasure } => parts.erasures.push((place, erasure)),
                change if parts.is_shared(&change) => parts.shared.push(place),
                _ => {}
            }
        }
        if !is_sorted {
            return Ok(Parts::default());
        }
        counted.cut_off().into_iter().for_each(|fault| parts.gaps.add((u64::MAX, false), fault));
        parts.owners = tables::owners(db)?;
        Ok(parts)
    }

    /// The shared part comes first: what counts a lesson asks for its row.
    pub fn each(&self) -> Vec<Part<'_>> {
        if self.owners.is_empty() {
            return vec![Part::Whole];
        }
        let projects = self.owners.iter().filter(|owner| owner.project.is_some());
        [Part::Shared].into_iter().chain(projects.map(Part::Of)).collect()
    }

    /// Entries that are missing.
    pub fn gaps(&self) -> Misfits {
        self.gaps.clone()
    }

    /// The rows that the journal gives a part. Entries that do not fit are added to the others.
    pub fn replay(&self, db: &Connection, part: Part<'_>, misfits: &mut Misfits) -> Result<Held> {
        let mut tables = Tables::default();
        let mut erasures = self.erasures.iter().peekable();
        let mut take = |Placed { place, entry }: Placed| {
            while let Some((_, erasure)) = erasures.next_if(|(at, _)| *at <= place) {
                tables.erase(erasure);
            }
            let is_done = matches!(entry.change, Change::Erase { .. });
            if !is_done && let Err(mismatch) = tables.apply(&entry.project, &entry.change) {
                misfits.add((place, true), replay::misfit(&entry, &mismatch));
            }
        };
        match part {
            Part::Of(owner) => journal::of_project(db, owner.key, |placed| {
                if self.shared.binary_search(&placed.place).is_err() {
                    take(placed);
                }
            })?,
            Part::Shared => {
                for place in &self.shared {
                    journal::at(db, *place, &mut take)?;
                }
            }
            Part::Whole => {
                let Replayed { tables, faults } = replay::replay(db)?;
                // In order already, and with those that are missing.
                let numbered = (0..).zip(faults);
                numbered.for_each(|(n, fault)| misfits.add((n, true), fault));
                return Ok(Held::new(tables));
            }
        }
        erasures.for_each(|(_, erasure)| tables.erase(erasure));
        Ok(Held::new(tables))
    }

    /// The rows that the tables have of a part.
    pub fn stored(&self, db: &Connection, part: Part<'_>) -> Result<Held> {
        let mut tables = Tables::default();
        match part {
            Part::Of(owner) => {
                tables::add_owner(db, owner, &mut tables)?;
                tables.tombstones.clear();
                tables.lessons.retain(|id, _| !self.crossing.contains(id));
            }
            Part::Shared => {
                tables.projects = tables::described(db)?;
                tables::add_lessons(db, rows::GLOBAL, &mut tables)?;
                let ids: Vec<&str> = self.crossing.iter().map(LessonId::as_str).collect();
                for ids in ids.chunks(N_AT_ONCE) {
                    let lessons = rows::lesson::load_all(db, ids)?.into_iter();
                    tables.lessons.extend(lessons.map(|lesson| (lesson.id.clone(), lesson)));
                }
                for owner in &self.owners {
                    tables::add_tombstones(db, owner.key, &mut tables)?;
                }
            }
            Part::Whole => tables = tables::load(db)?,
        }
        Ok(Held::new(tables))
    }

    fn is_shared(&self, change: &Change) -> bool {
        use Change::{AddTombstone, EditProject, RemoveTombstone};
        let is_of_several =
            matches!(change, AddTombstone { .. } | RemoveTombstone { .. } | EditProject { .. });
        is_of_several || changed_lesson(change).is_some_and(|id| self.crossing.contains(id))
    }
}

/// The lesson whose row it changes.
fn changed_lesson(change: &Change) -> Option<&LessonId> {
    match change {
        Change::AddLesson { lesson, .. } | Change::RemoveLesson { lesson, .. } => Some(&lesson.id),
        Change::EditLesson { lesson, .. } => Some(lesson),
        _ => None,
    }
}

/// Lessons that are or were global, that several projects wrote about, or whose row stands where
/// none of their entries does.
fn crossing(db: &Connection) -> Result<BTreeSet<LessonId>> {
    let sql = "
        SELECT written.lesson
        FROM (SELECT lesson, max(is_global) AS was_global, min(project) AS one,
                     max(project) AS other
              FROM journal WHERE lesson IS NOT NULL GROUP BY lesson) AS written
        LEFT JOIN lessons ON lessons.id = written.lesson
        WHERE was_global = 1 OR one <> other OR one <> lessons.project";
    let ids = all(db, sql, [], |row| Ok(LessonId::given(row.get_ref(0)?.as_str()?)))?;
    Ok(ids.into_iter().collect())
}

/// How many rows are in memory, and how many were at most, in this thread.
#[cfg(test)]
pub(super) mod counted {
    use std::cell::Cell;

    use hardwon_core::change::Tables;

    use super::Held;

    thread_local! {
        static NOW: Cell<usize> = const { Cell::new(0) };
        static MOST: Cell<usize> = const { Cell::new(0) };
    }

    pub fn n_rows(tables: &Tables) -> usize {
        let Tables { runs, findings, lessons, injections, effects, tombstones, projects, .. } =
            tables;
        runs.len()
            + findings.len()
            + lessons.len()
            + injections.len()
            + effects.len()
            + tables.deliberations.len()
            + tables.attempts.len()
            + tables.consultations.len()
            + tombstones.len()
            + projects.len()
    }

    pub fn hold(tables: &Tables) {
        NOW.set(NOW.get() + n_rows(tables));
        MOST.set(MOST.get().max(NOW.get()));
    }

    impl Drop for Held {
        fn drop(&mut self) {
            NOW.set(NOW.get() - n_rows(&self.0));
        }
    }

    /// The most rows that were in memory while this ran.
    pub fn most_during(run: impl FnOnce()) -> usize {
        MOST.set(NOW.get());
        run();
        MOST.get()
    }
}
