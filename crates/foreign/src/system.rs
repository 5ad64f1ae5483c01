//! A layout as the rest of the program knows it: by its word, whatever its records are.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use hardwon_core::event::Problem;
use hardwon_core::gate::Gate;
use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::Lesson;
use hardwon_core::time::Timestamp;
use hardwon_engine::layout::{ForeignLayout, ForeignPlace, ForeignStore, Homes, OpenRequest};
use hardwon_engine::{EngineError, Environment, policy};
use hardwon_store::StoreError;

use crate::store::layout::entry::{Context, Entry};
use crate::store::layout::{Layout, Place};
use crate::store::{Files, FolderStore, Held, Remembered};
use crate::unusable;

/// A folder as it is now.
pub(crate) struct FolderContent {
    pub base: PathBuf,
    pub held: Held,
}

/// What `import` and `trust` need to know about a layout besides.
pub(crate) trait System: ForeignLayout {
    /// Reads a folder as it is now, without using it.
    fn look(&self, environment: &Environment, path: &Path) -> Result<FolderContent, EngineError>;
    /// Whether a text is a record that can be kept with an imported lesson.
    fn is_record(&self, raw: &str) -> bool;
    /// The lesson that such a record stated.
    fn stated(&self, raw: &str) -> Result<Option<Lesson>, EngineError>;
    /// Fields of a record that no lesson has.
    fn unknown_fields(&self, raw: &[u8]) -> Vec<String>;
}

/// A layout as a row of [`LAYOUTS`](crate::LAYOUTS).
pub struct Registered<L>(PhantomData<fn() -> L>);

impl<L: Layout> Registered<L> {
    pub const ENTRY: Registered<L> = Registered(PhantomData);
}

impl<L: Layout> ForeignLayout for Registered<L> {
    fn word(&self) -> &'static str {
        L::WORD
    }

    fn policy(&self) -> &'static str {
        L::POLICY
    }

    fn gate(&self) -> Gate {
        L::gate()
    }

    fn place(&self, path: &Path, homes: &Homes) -> Box<dyn ForeignPlace> {
        let place = L::place(path, homes);
        let journal = place.journal().path(L::JOURNAL);
        let files = journal.parent().unwrap_or(place.files.base()).to_owned();
        Box::new(Placed::<L> { place, files, layout: PhantomData })
    }

    fn is_at(&self, path: &Path) -> bool {
        L::is_at(path)
    }
}

impl<L: Layout> System for Registered<L> {
    fn look(&self, environment: &Environment, path: &Path) -> Result<FolderContent, EngineError> {
        let homes = Homes { user: None, ..environment.homes() };
        let place = L::place(path, &homes);
        let base = place.base.base().to_owned();
        if !base.is_dir() {
            return Err(EngineError::NoFolder { path: base });
        }
        let (policy, now) = (policy::load(L::POLICY)?, environment.now()?);
        Ok(FolderContent { base, held: FolderStore::<L>::hold(place, policy, now)? })
    }

    fn is_record(&self, raw: &str) -> bool {
        L::is_record(raw)
    }

    fn stated(&self, raw: &str) -> Result<Option<Lesson>, EngineError> {
        let (gate, policy) = (Remembered::new(Gate::standard()), policy::load(L::POLICY)?);
        let project = ProjectId::new(L::WORD);
        let (now, counted) = (Timestamp::default(), 0);
        let context = &Context { gate: &gate, policy: &policy, project: &project, now, counted };
        let record = L::read_record(raw);
        Ok(record.and_then(|record| {
            let (shelf, raw) = (&L::SHELVES[0], raw.as_bytes());
            Entry::<L> { context, shelf, raw, record: &record }.lesson(|_| false)
        }))
    }

    fn unknown_fields(&self, raw: &[u8]) -> Vec<String> {
        L::unknown_fields(raw)
    }
}

struct Placed<L> {
    place: Place,
    files: PathBuf,
    layout: PhantomData<fn() -> L>,
}

impl<L: Layout> ForeignPlace for Placed<L> {
    fn base(&self) -> &Path {
        self.place.base.base()
    }

    fn files(&self) -> &Path {
        &self.files
    }

    fn digest(&self) -> Result<String, EngineError> {
        let place = Place { of_user: None, ..self.place.clone() };
        let files = Files::read::<L>(&place).map_err(unusable)?;
        Ok(files.digest_of_all::<L>(&Files::read_beside::<L>(&place).map_err(unusable)?))
    }

    fn open(&self, request: OpenRequest) -> Result<Box<dyn ForeignStore>, StoreError> {
        Ok(Box::new(FolderStore::<L>::open(self.place.clone(), request)?))
    }
}

impl<L: Layout> ForeignStore for FolderStore<L> {
    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn is_journal_cut(&self) -> bool {
        self.repaired.is_some()
    }

    fn n_lessons(&self) -> usize {
        self.memory.tables().lessons.len()
    }
}
