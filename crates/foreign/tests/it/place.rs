//! One folder of another system in a temporary folder, and short ways to use it.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use hardwon_engine::layout::ForeignLayout;
use hardwon_engine::lesson::Lesson;
use hardwon_engine::voice::Speaker;
use hardwon_engine::{Access, AddRequest, Call, Environment, Memory, OpenMemory, Options, lessons};
use hardwon_foreign::LAYOUTS;
use hardwon_store::LessonQuery;

/// The moment at which every test begins.
pub const NOW: &str = "2026-04-03T14:00:00Z";

pub struct Place {
    pub folder: tempfile::TempDir,
    /// As `--store` takes it.
    store: &'static str,
    /// Where its files are.
    files: &'static str,
    layouts: &'static [&'static dyn ForeignLayout],
}

impl Place {
    pub fn new(
        store: &'static str,
        files: &'static str,
        layouts: &'static [&'static dyn ForeignLayout],
    ) -> Self {
        Place { folder: tempfile::tempdir().unwrap(), store, files, layouts }
    }

    pub fn archeflow(lessons: impl AsRef<[u8]>) -> Self {
        let place = Place::new("archeflow:.", ".archeflow/memory", LAYOUTS);
        place.put("lessons", lessons);
        place
    }

    pub fn openagents(lessons: impl AsRef<[u8]>) -> Self {
        let place = Place::new("openagents:.", ".openagents/memory", LAYOUTS);
        place.put("lessons", lessons);
        place
    }

    /// A file of the folder; a name without an ending is a `.jsonl`.
    pub fn file(&self, name: &str) -> PathBuf {
        let ending = if name.contains('.') { "" } else { ".jsonl" };
        self.folder.path().join(self.files).join(format!("{name}{ending}"))
    }

    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.file(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// A file's bytes; none if it is not there.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.file(name)).unwrap_or_default()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    pub fn remove(&self, name: &str) {
        std::fs::remove_file(self.file(name)).unwrap();
    }

    pub fn open(&self, access: Access) -> OpenMemory {
        let store = Some(self.store.to_owned());
        let options = Options { store, foreign: self.layouts, ..Options::default() };
        OpenMemory::open(&environment(self.folder.path()), &options, access).unwrap()
    }

    /// Runs one use case on a memory that is opened for writing.
    pub fn write<T, E: Debug>(
        &self,
        use_case: impl FnOnce(&mut Memory, &Call) -> Result<T, E>,
    ) -> T {
        let OpenMemory { mut memory, call } = self.open(Access::Write);
        use_case(&mut memory, &call).unwrap()
    }

    pub fn add(&self, text: &str) -> Lesson {
        let request = AddRequest { text: text.into(), ..AddRequest::default() };
        self.write(|memory, call| lessons::add(memory, call, &request)).body
    }

    pub fn pin(&self, id: &str, is_pinned: bool) {
        self.write(|memory, call| lessons::pin(memory, call, id, is_pinned));
    }

    pub fn forget(&self, id: &str) {
        self.write(|memory, call| lessons::forget(memory, call, id));
    }

    /// Every lesson, put away or not.
    pub fn lessons(&self) -> Vec<Lesson> {
        let OpenMemory { memory, call } = self.open(Access::Read);
        assert_eq!(memory.store.check().unwrap(), [], "the store has a fault");
        memory.store.lessons(&call.project, &LessonQuery::default()).unwrap()
    }

    /// The texts of all lessons that are not put away.
    pub fn texts(&self) -> Vec<String> {
        let OpenMemory { memory, call } = self.open(Access::Read);
        let lessons = lessons::list(&memory, &call, &Default::default()).unwrap().body.lessons;
        let mut texts: Vec<String> = lessons.iter().map(|l| l.text.as_str().to_owned()).collect();
        texts.sort();
        texts
    }

    /// The journal without the line that says that the files are written: its writer died
    /// before.
    pub fn cut_off(&self) -> Vec<u8> {
        let journal = self.text("hardwon");
        let end = journal.rfind("{\"done\":").expect("the last write was finished");
        journal.as_bytes()[..end].to_vec()
    }
}

pub fn environment(folder: &Path) -> Environment {
    let (home, now) = (Some(folder.join("home")), Some(NOW.into()));
    let (folder, speaker) = (folder.to_owned(), Speaker::person());
    Environment { home, folder, now, speaker, ..Environment::default() }
}
