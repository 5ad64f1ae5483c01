//! Where does an OpenAgents memory lie? The folder of the project's files, and the one of
//! the user's global lessons.

use std::path::{Path, PathBuf};

use hardwon_core::digest::sha256_of_bytes;

use super::files::{Files, Shelf};
use crate::{Folder, FolderError};

const NAME: &str = ".openagents";
const MEMORY: &str = "memory";

/// The folders of one memory.
#[derive(Clone, Debug)]
pub struct OpenagentsPlace {
    /// Holds the files.
    pub(crate) memory: Folder,
    /// The `.openagents` folder; the folder of the files for who named that.
    pub(crate) above: Folder,
    /// Holds the user's global lessons; `None` if no home is known.
    pub(crate) global: Option<Folder>,
    /// The folder of the project, as it is told in new records.
    root: String,
}

/// The memory that is meant by a path: that of an `.openagents` folder, of the one in it,
/// or the folder of the files itself.
pub fn openagents_place(path: &Path, user_home: Option<&Path>) -> OpenagentsPlace {
    // Without the dots that were typed: the path is shown, and pinned by `trust`.
    let path: PathBuf = path.components().collect();
    let is_it = path.file_name().is_some_and(|name| name == NAME);
    let has_one = std::fs::symlink_metadata(path.join(NAME)).is_ok();
    let has_files = [Shelf::Lessons.name(), super::files::EPISODES];
    let holds_files = !has_one && has_files.iter().any(|name| path.join(name).is_file());
    let is_named = path.file_name().is_some_and(|name| name == MEMORY)
        && path.parent().and_then(Path::file_name).is_some_and(|name| name == NAME);
    let (above, memory) = match is_it {
        true => (path.clone(), path.join(MEMORY)),
        false if is_named => (path.parent().unwrap_or(&path).to_owned(), path.clone()),
        false if holds_files => (path.clone(), path.clone()),
        false => (path.join(NAME), path.join(NAME).join(MEMORY)),
    };
    let root = match above.file_name().is_some_and(|name| name == NAME) {
        true => above.parent().unwrap_or(&above),
        false => &above,
    };
    let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    OpenagentsPlace {
        memory: Folder::new(memory),
        above: Folder::new(above),
        global: user_home.map(|home| Folder::new(home.join(NAME).join(MEMORY))),
        root: root.display().to_string(),
    }
}

impl OpenagentsPlace {
    /// The folder that is named in messages.
    pub fn base(&self) -> &Path {
        self.above.base()
    }

    /// Without the user's own lessons: what is imported is one project's.
    pub(crate) fn without_global(self) -> Self {
        OpenagentsPlace { global: None, ..self }
    }

    pub(super) fn root(&self) -> &str {
        &self.root
    }

    /// Refuses folders that are links or no folders.
    pub(super) fn check(&self) -> Result<(), FolderError> {
        self.above.check(&[])?;
        self.memory.check(&[])?;
        self.global.iter().try_for_each(|global| global.check(&[]))
    }

    pub(super) fn read(&self) -> Result<Files, FolderError> {
        Files::read(&self.memory, self.global.as_ref())
    }

    /// Digest of all the files that an import would read, with their names.
    pub(crate) fn digest(&self) -> Result<String, FolderError> {
        let own = ["lessons", "lessons-archive", "episodes", "hardwon"];
        let own = own.map(|name| (&self.memory, format!("{name}.jsonl")));
        let shipped = super::shipped::FILES.map(|name| (&self.above, name.to_owned()));
        let mut all = String::new();
        for (folder, name) in own.into_iter().chain(shipped) {
            let bytes = folder.read(&name)?;
            let digest = bytes.as_deref().map_or_else(|| "none".to_owned(), sha256_of_bytes);
            all.push_str(&format!("{name} {digest}\n"));
        }
        Ok(sha256_of_bytes(all.as_bytes()))
    }

    /// Whether a path that nobody named a layout for is one of OpenAgents.
    pub(crate) fn is_at(path: &Path) -> bool {
        let place = openagents_place(path, None);
        let has = |folder: &Folder, name: &str| folder.path(name).exists();
        let is_named = place.above.base().file_name().is_some_and(|name| name == NAME);
        let has_any = || {
            has(&place.memory, super::files::EPISODES)
                || has(&place.memory, Shelf::Archive.name())
                || super::shipped::FILES.iter().any(|name| has(&place.above, name))
        };
        (is_named && place.above.base().exists()) || has_any()
    }
}
