//! What a system has to say about its files to be a live store. Everything else is done once,
//! by [`FolderStore`](crate::FolderStore): the journal beside the files, taking over what
//! others wrote, comparing records with lessons, locking, writing, repair.
//!
//! # How to add a layout
//!
//! 1. A reader of its records in `hardwon-readers` and a writer in `hardwon-render`; the
//!    writer changes single fields of a record and keeps every other byte.
//! 2. A folder here with a type that implements [`Layout`]. Say which [`Shelf`]s there are:
//!    a file with one record a line, or a folder with one document a file (JSON, Markdown
//!    with front matter, whatever the reader knows). Then translate: [`Layout::lesson`]
//!    from record to lesson, [`Layout::compared`] back to records, [`Layout::differing`] and
//!    [`Layout::adopt`] for what others changed. A record is changed only where the two
//!    records of `compared` differ.
//! 3. What else a batch leaves behind, such as logs of what was shown or an index that is
//!    made of the records, is [`Layout::side_writes`]; what others wrote there comes in by
//!    [`Layout::take_rest`]. Such files are named in [`Layout::SIDE`], so that a change of
//!    them is noticed.
//! 4. A row in [`LAYOUTS`](crate::LAYOUTS) and in the list below it, a policy file in
//!    `crates/engine/policies`, a page in `docs`.

pub mod entry;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hardwon_core::change::{Batch, Tables};
use hardwon_core::event::Problem;
use hardwon_core::foreign::ForeignFile;
use hardwon_core::gate::Gate;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::text::Text;
use hardwon_engine::layout::{ForeignSettings, Homes};

use crate::Folder;
use crate::store::layout::entry::{Context, Differing, Entry, Said};
use crate::store::{Beside, FileWrite, Files, Held, News, Rows, Writing};

/// One place in which records of lessons stand.
#[derive(Clone, Copy, Debug)]
pub struct Shelf {
    /// Below the folder of the files, or empty for that folder itself; no other shelf has the
    /// same.
    pub path: &'static str,
    pub form: Form,
    /// Files there that are no records.
    pub except: &'static [&'static str],
    /// The ending of further files there that are no records.
    pub except_ending: Option<&'static str>,
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
        Shelf {
            path,
            form: Form::Lines,
            except: &[],
            except_ending: None,
            owner: Owner::Project,
            archive: None,
            is_archive: false,
        }
    }

    /// Records of a project, one a file.
    pub const fn documents(path: &'static str, ending: &'static str) -> Shelf {
        Shelf { form: Form::Documents { ending }, ..Shelf::lines(path) }
    }

    pub fn is_of_user(&self) -> bool {
        self.owner == Owner::User
    }

    /// Its name in messages.
    pub fn label(&self) -> &'static str {
        match self.path.rsplit('/').next() {
            None | Some("") => "the folder",
            Some(name) => name,
        }
    }

    /// The path of a document of this name.
    pub fn file(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}/{name}", self.path) }
    }

    /// Whether a file is one of its documents.
    pub fn has_file(&self, file: &str) -> bool {
        let Form::Documents { ending } = self.form else { return false };
        let below = match self.path {
            "" => Some(file),
            path => file.strip_prefix(path).and_then(|rest| rest.strip_prefix('/')),
        };
        let is_one = |name: &str| {
            let is_other = self.except_ending.is_some_and(|other| name.ends_with(other));
            !name.contains('/')
                && name.ends_with(ending)
                && !self.except.contains(&name)
                && !is_other
        };
        below.is_some_and(is_one)
    }

    /// Whether a lesson can stand here. A layout without shelves of the user keeps all
    /// lessons with those of the project.
    pub fn may_hold<L: Layout>(&self, lesson: &Lesson) -> bool {
        !has_users::<L>() || lesson.project.is_none() == self.is_of_user()
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
    /// Where the journal and the lock lie, if that is not beside the files.
    pub journal: Option<Folder>,
}

impl Place {
    /// The folder of the journal and the lock.
    pub fn journal(&self) -> &Folder {
        self.journal.as_ref().unwrap_or(&self.files)
    }

    /// Where files of this owner lie.
    pub fn folder(&self, owner: Owner) -> Option<&Folder> {
        match owner {
            Owner::Project => Some(&self.files),
            Owner::User => self.of_user.as_ref(),
        }
    }
}

/// Whether some lessons are the user's, not the project's.
pub(crate) fn has_users<L: Layout>() -> bool {
    L::SHELVES.iter().any(Shelf::is_of_user)
}

/// The folder called `name` that a path means: the path itself or the folder in it; or the
/// path whatever its name, if there is no such folder in it and it holds the files.
pub fn folder_named(path: &Path, name: &str, holds_files: impl Fn(&Path) -> bool) -> PathBuf {
    // Without the dots that were typed: the path is shown, and pinned by `trust`.
    let path: PathBuf = path.components().collect();
    let inside = path.join(name);
    let is_it = path.file_name().is_some_and(|own| own == name);
    let has_one = || std::fs::symlink_metadata(&inside).is_ok();
    if is_it || (!has_one() && holds_files(&path)) { path } else { inside }
}

/// The same, which is also meant by its `memory`.
pub fn folder_with_memory(path: &Path, name: &str, holds: impl Fn(&Path) -> bool) -> PathBuf {
    match path.components().as_path().parent() {
        Some(above) if path.ends_with(Path::new(name).join("memory")) => above.to_owned(),
        _ => folder_named(path, name, holds),
    }
}

/// Whether a batch states lessons here. Those that come from another layout, or back, have
/// the names and tags that they had there.
pub fn is_stated(batch: &Batch) -> bool {
    !matches!(batch.head.command.as_str(), "export" | "import" | "undo")
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
    /// Folders of other documents of the project that are read and written.
    const SIDE_SHELVES: &'static [Shelf] = &[];
    /// Whether a record has its place on a shelf whatever its lesson's state, and its id alone
    /// says which lesson it is.
    const KEEPS_ALL: bool = false;
    /// Whether a record changes only when something is decided or found about its own lesson, and
    /// no file tells what was shown to whom: then a write looks at no other record.
    const CHANGES_ALONE: bool = false;
    /// Ours: what has no place in the others.
    const JOURNAL: &'static str;
    /// Whether it lies in our data folder rather than beside the files.
    const JOURNAL_IS_APART: bool = false;
    /// The file whose lock writers take.
    const LOCK: &'static str;
    /// Whether new lines end as those that are there do, or always with a plain newline.
    const KEEPS_LINE_ENDS: bool = true;
    /// Whether others write there and take no lock.
    const HAS_OTHER_WRITERS: bool = false;
    /// Whether what went unused is to fade without being asked to, once a day.
    const IS_SWEPT_DAILY: bool = false;
    /// Folders below the base that must not be links.
    const FOLDERS: &'static [&'static str] = &[];
    /// Files below the base that only an import reads.
    const BESIDE: &'static [&'static str] = &[];
    /// States in which a new lesson goes straight to the archive.
    const PUT_AWAY: &'static [State] = &[State::Archived, State::Decayed, State::Superseded];
    /// The name of the field that holds the text.
    const TEXT_FIELD: &'static str;

    /// The folders that are meant by a path.
    fn place(path: &Path, homes: &Homes) -> Place;
    /// What a file of the project sets, at that folder; most have none.
    fn settings(_place: &Place) -> Option<ForeignSettings> {
        None
    }
    /// Whether a path is one of its folders or holds one.
    fn is_at(path: &Path) -> bool;
    /// The gate for texts that are stated to memory.
    fn gate() -> Gate {
        Gate::standard()
    }
    fn new(place: &Place) -> Self;
    /// The runs that records mean by other names than ours.
    fn run_names(&self) -> Option<&BTreeMap<String, RunId>> {
        None
    }

    /// Whether a file is a document of this shelf, given all files.
    fn is_on(shelf: &Shelf, file: &str, _files: &Files) -> bool {
        shelf.has_file(file)
    }
    /// Reads a file of records, or a document, and reports what could not be used.
    fn read(label: &str, bytes: &[u8]) -> (ForeignFile<Self::Record>, Vec<Problem>);
    fn read_side(files: &Files) -> (Self::Side, Vec<Problem>);
    /// One record by itself, as it was kept with an imported lesson.
    fn read_record(raw: &str) -> Option<Self::Record>;
    /// Whether a text is a record that can be kept with an imported lesson.
    fn is_record(raw: &str) -> bool {
        Self::read_record(raw).is_some()
    }
    /// Fields of a record that no lesson has.
    fn unknown_fields(raw: &[u8]) -> Vec<String>;
    fn said(record: &Self::Record) -> Said<'_>;

    /// The alias for a record's id; `None` if it has none.
    fn alias(context: &Context<'_>, id: &str) -> Option<String> {
        context.gate.word(id)
    }
    fn lesson(entry: &Entry<'_, Self>) -> Lesson;
    /// What of a record is kept with its new lesson, because the files may lose it.
    fn kept_with(_entry: &Entry<'_, Self>) -> Option<Text> {
        None
    }
    /// What a record says, that is `stated`, and what it would have to say to state the
    /// lesson as it is now. See [`Entry::compared`].
    fn compared(
        entry: &Entry<'_, Self>,
        stated: &Lesson,
        lesson: &Lesson,
    ) -> (Self::Record, Self::Record);
    /// In which fields others changed a record.
    fn differing(theirs: &Self::Record, ours: &Self::Record) -> Differing;
    /// Takes over what others changed in the fields that only this layout has.
    fn adopt(
        _entry: &Entry<'_, Self>,
        _theirs: &Self::Record,
        _ours: &Self::Record,
        _stated: Lesson,
        _next: &mut Lesson,
    ) {
    }
    /// Why a record must not become a lesson, whoever wrote it; it stays where it is.
    fn refuses(_entry: &Entry<'_, Self>) -> Option<String> {
        None
    }
    /// Whether a record with the id of a lesson and other words looks like that lesson in new
    /// words; asked only where the lesson's own words stand in an archive under that id.
    fn is_reworded(_entry: &Entry<'_, Self>, _lesson: &Lesson) -> bool {
        false
    }

    /// The shelf on which a lesson's record stands; `None` if it has none.
    fn shelf_of(lesson: &Lesson) -> Option<usize>;
    /// Whether a record stays where it stands, though its lesson's shelf is another one: nothing
    /// changed that would be a reason to move it.
    fn stays(_entry: &Entry<'_, Self>, _lesson: &Lesson) -> bool {
        false
    }
    /// Decides between records that cannot all be right, such as two with one id: those that are
    /// not to be used lose their record, and keep their place.
    fn settle(_rows: &mut Rows<Self>) {}
    /// The file of a new document.
    fn file_name(lesson: &Lesson) -> String {
        lesson.id.to_string()
    }
    /// The order in which lessons are listed, and new records written.
    fn position(lesson: &Lesson) -> (u64, String) {
        (lesson.created_at.0.max(0) as u64, lesson.id.to_string())
    }
    /// Whether an alias is an id that stands in the files.
    fn is_id(_alias: &str) -> bool {
        false
    }
    /// A function that names each new lesson of a batch by an id that is not taken.
    fn namer(_batch: &Batch, _rows: &Rows<Self>, _tables: &Tables) -> Namer {
        Box::new(|_, _| {})
    }
    /// A record with the fields changed in which the two of [`Layout::compared`] differ.
    fn patched(
        writing: &Writing<'_, Self>,
        entry: &Entry<'_, Self>,
        from: &Self::Record,
        to: Self::Record,
        lesson: &Lesson,
    ) -> Vec<u8>;
    /// A record that stays, as it has to be now.
    fn kept(writing: &Writing<'_, Self>, entry: &Entry<'_, Self>, lesson: &Lesson) -> Vec<u8> {
        writing.updated(entry, lesson)
    }
    /// A record that goes to the archive.
    fn archived(writing: &Writing<'_, Self>, entry: &Entry<'_, Self>, lesson: &Lesson) -> Vec<u8> {
        Self::kept(writing, entry, lesson)
    }
    /// A record of a lesson that never had one.
    fn new_record(writing: &Writing<'_, Self>, lesson: &Lesson, shelf: &Shelf) -> Vec<u8>;

    /// Runs that others recorded, before lessons are taken over.
    fn take_runs(_news: &mut News<'_, Self>) {}
    /// What else others wrote, after lessons were taken over.
    fn take_rest(_news: &mut News<'_, Self>) {}
    /// What else a batch leaves behind: logs, and files that are made of the records, which
    /// become what is planned.
    fn side_writes(_writing: &Writing<'_, Self>, _planned: &[FileWrite]) -> Vec<FileWrite> {
        Vec::new()
    }
    /// What stays behind when a folder is imported, and how much of it.
    fn left_behind(_rows: &Rows<Self>, _tables: &Tables) -> Vec<(&'static str, usize)> {
        Vec::new()
    }
    /// Adds what lies beside the records and is read by an import only.
    fn hold_beside(&self, _context: &Context<'_>, _beside: &Beside, _held: &mut Held) {}
}

/// Gives a new lesson its id, given those that are taken.
pub type Namer = Box<dyn FnMut(&mut Lesson, &BTreeSet<String>)>;
