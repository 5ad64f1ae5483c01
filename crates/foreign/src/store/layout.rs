//! What a system has to say of its files to be a live store. Everything else is done once,
//! by [`FolderStore`](crate::FolderStore): the journal beside the files, taking over what
//! others wrote, locking, writing, repair.
//!
//! # How to add a layout
//!
//! 1. A reader of its records in `hardwon-readers` and a writer in `hardwon-render`; the
//!    writer changes single fields of a record and keeps every other byte.
//! 2. A folder here with a type that implements [`Layout`]. Say which [`Shelf`]s there are:
//!    a file with one record a line, or a folder with one document a file (JSON, Markdown
//!    with front matter, whatever the reader knows). Then translate: [`Layout::lesson`]
//!    from record to lesson, [`Layout::compared`] and [`Layout::adopted`] back and forth.
//!    A record is changed only where the two records of `compared` differ.
//! 3. What else a batch leaves behind, such as logs of what was shown or an index that is
//!    made of the records, is [`Layout::side_writes`]; what others wrote there comes in by
//!    [`Layout::take_rest`]. Such files are named in [`Layout::SIDE`], so that a change of
//!    them is noticed.
//! 4. A row in [`LAYOUTS`](crate::LAYOUTS) and in the list below it, a policy file in
//!    `crates/engine/policies`, a page in `docs`.
//!
//! `crates/foreign/tests/it/markdown.rs` is a whole one, of the smallest kind.

use std::collections::BTreeMap;
use std::path::Path;

use hardwon_core::change::{Batch, Change, Tables};
use hardwon_core::event::Problem;
use hardwon_core::foreign::{ForeignFile, ForeignLine};
use hardwon_core::gate::Gate;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::{Kind, Lesson, State, Unseen};
use hardwon_core::policy::Policy;
use hardwon_core::run::Run;
use hardwon_core::text::Text;
use hardwon_core::time::Timestamp;

use crate::store::{FileWrite, Files, Known, News, Remembered, Rows, Writing};
use crate::{Folder, FolderError};

/// One place in which records of lessons stand.
#[derive(Clone, Copy, Debug)]
pub struct Shelf {
    /// Below the folder of the files; no other shelf has the same.
    pub path: &'static str,
    pub form: Form,
    pub owner: Owner,
    /// The shelf to which records go that leave this one.
    pub archive: Option<usize>,
    /// Records only ever come here: they are kept as they were.
    pub is_archive: bool,
}

/// What lies at the path of a shelf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A file, one record a line.
    Lines,
    /// A folder, one record a file; their names have this ending.
    Documents { ending: &'static str },
}

/// Whose lessons stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Project,
    /// They hold in all projects and are in no project's history: they are read anew each
    /// time, and what is decided about them stands in their own files only.
    User,
}

impl Shelf {
    /// Records of a project, one a line.
    pub const fn lines(path: &'static str) -> Shelf {
        Shelf { path, form: Form::Lines, owner: Owner::Project, archive: None, is_archive: false }
    }

    /// Records of a project, one a file.
    pub const fn documents(path: &'static str, ending: &'static str) -> Shelf {
        Shelf { form: Form::Documents { ending }, ..Shelf::lines(path) }
    }

    /// The same for lessons that hold in all projects.
    pub const fn of_user(self) -> Shelf {
        Shelf { owner: Owner::User, ..self }
    }

    /// The same whose records go to that shelf when they are put away.
    pub const fn archived_in(self, archive: usize) -> Shelf {
        Shelf { archive: Some(archive), ..self }
    }

    /// The same as a place for what was put away.
    pub const fn archive(self) -> Shelf {
        Shelf { is_archive: true, ..self }
    }

    pub fn is_of_user(&self) -> bool {
        self.owner == Owner::User
    }

    /// What it is called in messages.
    pub fn label(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }

    /// Whether a lesson is of the one whose shelf this is.
    pub fn is_owner_of(&self, lesson: &Lesson) -> bool {
        lesson.project.is_none() == self.is_of_user()
    }
}

/// The folders of one memory.
#[derive(Clone, Debug)]
pub struct Place {
    /// The one that is named in messages, and pinned by `trust`.
    pub base: Folder,
    /// What paths of shelves start from.
    pub files: Folder,
    /// The same for shelves of the user; `None` if no home is known.
    pub of_user: Option<Folder>,
}

impl Place {
    /// Where files of this owner lie.
    pub fn folder(&self, owner: Owner) -> Option<&Folder> {
        match owner {
            Owner::Project => Some(&self.files),
            Owner::User => self.of_user.as_ref(),
        }
    }
}

/// What translation depends on besides the record.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub gate: &'a Remembered,
    pub policy: &'a Policy,
    pub project: &'a ProjectId,
    pub now: Timestamp,
    /// Number of the newest run that was counted for decay.
    pub counted: u64,
}

impl Context<'_> {
    /// A lesson of the project of which nothing is known but its text.
    pub fn bare_lesson(&self, id: LessonId, kind: Kind, text: Text) -> Lesson {
        let unseen = Unseen { n_runs: 0, checked_at: self.counted };
        let bare = Lesson::stub(id, Some(self.project.clone()), kind, text, self.now);
        Lesson { state: State::Provisional, unseen, ..bare }
    }
}

/// What lies beside the records and is read by an import only.
#[derive(Debug, Default)]
pub struct Beside {
    pub lessons: Vec<Lesson>,
    /// The record of each lesson.
    pub records: BTreeMap<LessonId, Vec<u8>>,
    pub runs: Vec<Run>,
    pub problems: Vec<Problem>,
    /// Records that could not be used.
    pub n_unusable: usize,
}

/// How one system keeps its memory in files.
pub trait Layout: Send + Sized + 'static {
    /// A lesson, as its files say it.
    type Record: Clone + PartialEq + Send + Sync;
    /// What the files of [`Layout::SIDE`] say.
    type Side: Send + Sync;

    /// In `WORD:FOLDER`, `--from` and `--to`; the command under which what others did
    /// stands in the journal.
    const WORD: &'static str;
    /// The policy by which it is run.
    const POLICY: &'static str;
    const SHELVES: &'static [Shelf];
    /// Other files of the project that are read and written.
    const SIDE: &'static [&'static str];
    /// Ours: what has no place in the others.
    const JOURNAL: &'static str;
    /// The file whose lock writers take.
    const LOCK: &'static str;
    /// Whether new lines end as those that are there do, or always with a plain newline.
    const KEEPS_LINE_ENDS: bool = true;
    /// Folders below the base that must not be links.
    const FOLDERS: &'static [&'static str] = &[];
    /// Files below the base that only an import reads.
    const BESIDE: &'static [&'static str] = &[];
    /// States in which a new lesson goes straight to the archive.
    const PUT_AWAY: &'static [State] = &[State::Archived, State::Decayed, State::Superseded];

    /// The folders that are meant by a path.
    fn place(path: &Path, user_home: Option<&Path>) -> Place;
    /// Whether a path is one of its folders or holds one.
    fn is_at(path: &Path) -> bool;
    /// What passes texts that are stated to memory.
    fn gate() -> Gate {
        Gate::standard()
    }
    fn new(place: &Place) -> Self;

    /// Reads a file of records, or a document, and says what could not be used.
    fn read(
        &self,
        shelf: &Shelf,
        label: &str,
        bytes: &[u8],
    ) -> (ForeignFile<Self::Record>, Vec<Problem>);
    fn read_side(&self, files: &Files) -> (Self::Side, Vec<Problem>);
    /// One record by itself, as it was kept with an imported lesson.
    fn read_record(raw: &str) -> Option<Self::Record>;
    /// Whether a text is a record that can be kept with an imported lesson.
    fn is_record(raw: &str) -> bool {
        Self::read_record(raw).is_some()
    }
    /// Fields of a record that no lesson has.
    fn unknown_fields(raw: &[u8]) -> Vec<String>;
    /// What a record calls itself; empty if it does not.
    fn id(record: &Self::Record) -> &str;
    fn text(record: &Self::Record) -> &str;
    /// The word for the field of the text.
    const TEXT_FIELD: &'static str;

    /// What a record's id is called here; `None` if it has none.
    fn alias(&self, context: &Context<'_>, id: &str) -> Option<String> {
        context.gate.word(id)
    }
    /// The lesson that a record states; `None` if nothing is left of its text.
    fn lesson(
        &self,
        context: &Context<'_>,
        record: &Self::Record,
        shelf: &Shelf,
        is_taken: &mut dyn FnMut(&LessonId) -> bool,
    ) -> Option<Lesson>;
    /// What a record says, and what it would have to say to state the lesson as it is
    /// now, in the same words: they differ exactly where the record is out of date.
    fn compared(
        &self,
        context: &Context<'_>,
        record: &Self::Record,
        shelf: &Shelf,
        lesson: &Lesson,
    ) -> Option<(Self::Record, Self::Record)>;
    /// The lesson after somebody else changed its record.
    fn adopted(
        &self,
        context: &Context<'_>,
        record: &Self::Record,
        shelf: &Shelf,
        lesson: &Lesson,
    ) -> Lesson;
    /// Whether a record must not become a lesson, whoever wrote it; it stays where it is.
    fn refuses(&self, _record: &Self::Record, _shelf: &Shelf) -> Option<String> {
        None
    }
    /// The id of the record that came after this one.
    fn superseded_by(record: &Self::Record) -> Option<&str> {
        let _ = record;
        None
    }

    /// The shelf on which a lesson's record stands; `None` if it has none.
    fn shelf_of(&self, lesson: &Lesson) -> Option<usize>;
    /// The file of a new document.
    fn file_name(&self, lesson: &Lesson) -> String {
        lesson.id.to_string()
    }
    /// The order in which lessons are listed, and new records written.
    fn position(&self, lesson: &Lesson) -> (u64, String) {
        (lesson.created_at.0.max(0) as u64, lesson.id.to_string())
    }
    /// The changes, with a name of the system's own for every new lesson.
    fn named(&self, batch: &Batch, rows: &Rows<Self>, tables: &Tables) -> Vec<Change>;
    /// A record brought up to the lesson.
    fn updated(
        &self,
        writing: &Writing<'_, Self>,
        raw: &[u8],
        record: &Self::Record,
        shelf: &Shelf,
        lesson: &Lesson,
    ) -> Vec<u8>;
    /// A record that stays, as it has to be now.
    fn kept(
        &self,
        writing: &Writing<'_, Self>,
        line: &ForeignLine<Self::Record>,
        record: &Self::Record,
        shelf: &Shelf,
        lesson: &Lesson,
    ) -> Vec<u8> {
        self.updated(writing, &line.raw, record, shelf, lesson)
    }
    /// A record that goes to the archive.
    fn archived(
        &self,
        writing: &Writing<'_, Self>,
        line: &ForeignLine<Self::Record>,
        record: &Self::Record,
        shelf: &Shelf,
        lesson: &Lesson,
    ) -> Vec<u8> {
        self.kept(writing, line, record, shelf, lesson)
    }
    /// A record of a lesson that never had one.
    fn new_record(&self, writing: &Writing<'_, Self>, lesson: &Lesson, shelf: &Shelf) -> Vec<u8>;

    /// Runs that others told of, before lessons are taken over.
    fn take_runs(&self, news: &mut News<'_, Self>, rows: &Rows<Self>) {
        let _ = (news, rows);
    }
    /// What else others wrote, after lessons were taken over.
    fn take_rest(&self, news: &mut News<'_, Self>, rows: &Rows<Self>, known: &Known) {
        let _ = (news, rows, known);
    }
    /// What else a batch leaves behind: logs, and files that are made of the records.
    fn side_writes(&self, writing: &Writing<'_, Self>) -> Vec<FileWrite> {
        let _ = writing;
        Vec::new()
    }
    /// What stays behind when a folder is imported, and how much of it.
    fn left_behind(&self, rows: &Rows<Self>, tables: &Tables) -> Vec<(&'static str, usize)> {
        let _ = (rows, tables);
        Vec::new()
    }
    /// What lies beside the records.
    fn beside(&self, context: &Context<'_>, tables: &Tables) -> Result<Beside, FolderError> {
        let _ = (context, tables);
        Ok(Beside::default())
    }
}
