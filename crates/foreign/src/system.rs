//! A layout as the rest of the program knows it: by its word, whatever its records are.
//! [`System`] is what memory can be taken from; those that can be written are stores, too.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use hardwon_core::event::Problem;
use hardwon_core::gate::Gate;
use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::Lesson;
use hardwon_core::time::Timestamp;
use hardwon_engine::layout::{
    ForeignLayout, ForeignPlace, ForeignSettings, ForeignStore, Homes, OpenRequest,
};
use hardwon_engine::{EngineError, Environment, Result, policy};
use hardwon_store::StoreError;

use crate::Folder;
use crate::store::layout::entry::{Context, Entry};
use crate::store::layout::{Layout, Place, has_users};
use crate::store::{Files, FolderStore, Held, Remembered};

/// A folder as it is now.
pub(crate) struct FolderContent {
    pub base: PathBuf,
    pub held: Held,
}

/// Whose lessons of a folder are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of its project.
    Project,
    /// Those that hold in all projects as well, wherever the system keeps them.
    Everywhere,
}

/// What `import`, `export`, `trust` and `audit` need to know about another system.
pub(crate) trait System: Sync {
    /// In `--from` and `--to`.
    fn word(&self) -> &'static str;
    /// Whether its files can be written.
    fn is_writable(&self) -> bool;
    /// Whether a path is one of its folders or files, or holds one.
    fn is_at(&self, path: &Path) -> bool;
    /// The folder or file that a path means; `trust` pins it.
    fn base(&self, path: &Path) -> PathBuf;
    /// Reads what lies there as it is now, without using it; `is_alone`: by its own files, without
    /// what we keep beside them.
    fn look(
        &self,
        environment: &Environment,
        path: &Path,
        reach: Reach,
        is_alone: bool,
    ) -> Result<FolderContent>;
    /// Where is kept what its files have no place for.
    fn kept_in(&self) -> String;
    /// Whether lessons that hold in all projects have a file of their own, with nothing of ours
    /// beside it.
    fn has_own_file_for_all(&self) -> bool {
        false
    }
    /// Whether a text is a record that can be kept with an imported lesson.
    fn is_record(&self, raw: &str) -> bool;
    /// The lesson that such a record stated.
    fn stated(&self, raw: &str) -> Result<Option<Lesson>>;
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

    fn is_swept_daily(&self) -> bool {
        L::IS_SWEPT_DAILY
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
    fn word(&self) -> &'static str {
        L::WORD
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn is_at(&self, path: &Path) -> bool {
        L::is_at(&folder_at(path))
    }

    fn base(&self, path: &Path) -> PathBuf {
        L::place(&folder_at(path), &Homes::default()).base.base().to_owned()
    }

    fn look(
        &self,
        environment: &Environment,
        path: &Path,
        reach: Reach,
        is_alone: bool,
    ) -> Result<FolderContent> {
        let mut homes = environment.homes();
        if reach == Reach::Project {
            homes.user = None;
        }
        let mut place = L::place(&folder_at(path), &homes);
        if is_alone {
            // No journal lies in a folder that is not there.
            place.journal = Some(Folder::new(place.files.path("journal-of-nobody")));
        }
        let base = place.base.base().to_owned();
        if !base.is_dir() {
            return Err(EngineError::NoFolder { path: base });
        }
        let (policy, now) = (policy::load(L::POLICY)?, environment.now()?);
        Ok(FolderContent { base, held: FolderStore::<L>::hold(place, policy, now)? })
    }

    fn kept_in(&self) -> String {
        match L::JOURNAL_IS_APART {
            true => "kept in the journal of your data folder".to_owned(),
            false => format!("kept in {}", L::JOURNAL),
        }
    }

    fn has_own_file_for_all(&self) -> bool {
        has_users::<L>()
    }

    fn is_record(&self, raw: &str) -> bool {
        L::is_record(raw)
    }

    fn stated(&self, raw: &str) -> Result<Option<Lesson>> {
        let (gate, policy) = (Remembered::new(Gate::standard()), policy::load(L::POLICY)?);
        let project = ProjectId::new(L::WORD);
        let (now, counted) = (Timestamp::default(), 0);
        let (gate, policy, project, run_names) = (&gate, &policy, &project, None);
        let context = &Context { gate, policy, project, now, counted, run_names };
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

fn folder_at(path: &Path) -> PathBuf {
    folder_of_file(path).unwrap_or_else(|| path.to_owned())
}

/// The folder that is meant by the path of a file in it, such as `memory/lessons.jsonl`.
pub(crate) fn folder_of_file(path: &Path) -> Option<PathBuf> {
    let has_name = |path: &Path, name: &str| path.file_name().is_some_and(|own| own == name);
    let mut above = path.ancestors().skip(1).take(2);
    let named = above.find(|folder| has_name(folder, ".openagents"));
    let in_memory =
        || path.ancestors().nth(2).filter(|_| path.parent().is_some_and(|p| has_name(p, "memory")));
    named.or_else(in_memory).filter(|_| path.is_file()).map(Path::to_owned)
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

    fn settings(&self) -> Option<ForeignSettings> {
        L::settings(&self.place)
    }

    fn digest(&self) -> Result<String> {
        let place = Place { of_user: None, ..self.place.clone() };
        let files = Files::read::<L>(&place)?;
        Ok(files.digest_of_all::<L>(&Files::read_beside::<L>(&place)?))
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
