//! Which files of a folder may be records? Lists them without opening any; symbolic
//! links, pipes and devices are never followed or opened.

use std::io;
use std::path::{Path, PathBuf};

use crate::geas::{OF_TASKS, place_order};

/// How many levels of folders are looked into, the given one included.
pub const MAX_FOLDER_DEPTH: usize = 4;

/// The same below the tasks of a geas folder: a bound for hostile trees only.
const MAX_TREE_DEPTH: usize = 32;

/// How many files are listed at most.
pub const MAX_FILES: usize = 10_000;

const ENDINGS: [&str; 5] = ["jsonl", "json", "ndjson", "sarif", "xml"];

/// All regular files in a folder whose names end in `.jsonl`, `.json`, `.ndjson`, `.sarif`
/// or `.xml`, sorted by path, down to [`MAX_FOLDER_DEPTH`] levels. Empty is not an error; more
/// than [`MAX_FILES`] is, because a silent choice among them would be arbitrary.
pub fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    listed(folder, &ENDINGS)
}

/// The same for reviews in Markdown.
pub fn reviews_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    listed(folder, &["md", "markdown"])
}

fn listed(folder: &Path, endings: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(folder, MAX_FOLDER_DEPTH, endings, &mut files)?;
    // The contract of a task, which lies beside its folder, comes before what ended it.
    files.sort_by_cached_key(|file| place_order(file));
    Ok(files)
}

fn collect(
    folder: &Path,
    n_levels: usize,
    endings: &[&str],
    files: &mut Vec<PathBuf>,
) -> io::Result<()> {
    if is_geas(folder) {
        return collect_tasks(folder, endings, files);
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, file_type) = (entry.path(), entry.file_type()?);
        if file_type.is_dir() && n_levels > 1 {
            collect(&path, n_levels - 1, endings, files)?;
        } else if file_type.is_file() && has_ending(&path, endings) {
            files.push(path);
        }
        if files.len() > MAX_FILES {
            return Err(io::Error::other(format!(
                "more than {MAX_FILES} record files; give smaller folders"
            )));
        }
    }
    Ok(())
}

/// Whether a folder is the one in which geas keeps a project's state.
fn is_geas(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == ".geas")
}

/// What its missions keep of their tasks, however deep. Beside them lie memory, state and events,
/// in which nothing is found.
fn collect_tasks(tree: &Path, endings: &[&str], files: &mut Vec<PathBuf>) -> io::Result<()> {
    for mission in folders_in(&tree.join("missions"))? {
        for name in OF_TASKS {
            let tasks = mission.join(name);
            if tasks.symlink_metadata().is_ok_and(|about| about.is_dir()) {
                collect(&tasks, MAX_TREE_DEPTH, endings, files)?;
            }
        }
    }
    Ok(())
}

/// The folders in a folder; none if it is not there, or a link.
fn folders_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.symlink_metadata().is_ok_and(|about| about.is_dir()) {
        return Ok(Vec::new());
    }
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        folders.extend(entry.file_type()?.is_dir().then(|| entry.path()));
    }
    Ok(folders)
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().unwrap_or_default();
    endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
}
