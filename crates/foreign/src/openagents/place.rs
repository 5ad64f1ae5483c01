//! Where does an OpenAgents memory lie? The folder of the project's files, and the one of
//! the user's global lessons.

use std::path::{Path, PathBuf};

use super::{ARCHIVE, EPISODES, LESSONS, shipped};
use crate::Folder;
use crate::store::layout::Place;

const NAME: &str = ".openagents";
const MEMORY: &str = "memory";

/// The memory that is meant by a path: that of an `.openagents` folder, of the one in it,
/// or the folder of the files itself.
pub(super) fn place(path: &Path, user_home: Option<&Path>) -> Place {
    // Without the dots that were typed: the path is shown, and pinned by `trust`.
    let path: PathBuf = path.components().collect();
    let is_it = path.file_name().is_some_and(|name| name == NAME);
    let has_one = std::fs::symlink_metadata(path.join(NAME)).is_ok();
    let has_files = [LESSONS, EPISODES];
    let holds_files = !has_one && has_files.iter().any(|name| path.join(name).is_file());
    let is_named = path.file_name().is_some_and(|name| name == MEMORY)
        && path.parent().and_then(Path::file_name).is_some_and(|name| name == NAME);
    let (above, memory) = match is_it {
        true => (path.clone(), path.join(MEMORY)),
        false if is_named => (path.parent().unwrap_or(&path).to_owned(), path.clone()),
        false if holds_files => (path.clone(), path.clone()),
        false => (path.join(NAME), path.join(NAME).join(MEMORY)),
    };
    Place {
        base: Folder::new(above),
        files: Folder::new(memory),
        of_user: user_home.map(|home| Folder::new(home.join(NAME).join(MEMORY))),
    }
}

/// The folder of the project.
pub(super) fn root(place: &Place) -> String {
    let above = place.base.base();
    let root = if above.file_name().is_some_and(|name| name == NAME) {
        above.parent().unwrap_or(above)
    } else {
        above
    };
    let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    root.display().to_string()
}

/// Whether a path that nobody named a layout for is one of OpenAgents.
pub(super) fn is_at(path: &Path) -> bool {
    let place = place(path, None);
    let is_named = place.base.base().file_name().is_some_and(|name| name == NAME);
    let has = |folder: &Folder, name: &str| folder.path(name).exists();
    let has_any = || {
        [EPISODES, ARCHIVE].iter().any(|name| has(&place.files, name))
            || shipped::FILES.iter().any(|name| has(&place.base, name))
    };
    (is_named && place.base.base().exists()) || has_any()
}
