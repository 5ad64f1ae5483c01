//! The file in which a project notes its progress: read for a reflection, and, if that is
//! wanted, the place where lessons are noted for its readers. Between marks of ours
//! everything is ours; outside of them nothing is touched.

use std::fs;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use hardwon_core::event::Problem;
use hardwon_core::lesson::Lesson;
use hardwon_render::answer::Reflected;
use hardwon_render::reflect::{parts, with_lessons};
use hardwon_store::files::{self, Mode};

use crate::memory::Memory;

use super::ReflectRequest;

/// Most entries of each sort that are reported.
const MAX_NOTED: usize = 3;

/// A progress file larger than this is not one.
const MAX_BYTES: u64 = 1 << 20;

/// The file and what stands in it, without what we noted there.
pub(crate) fn progress(
    memory: &Memory,
    request: &ReflectRequest,
    problems: &mut Vec<Problem>,
) -> Option<(PathBuf, String)> {
    let path = match &request.progress {
        Some(path) => path.clone(),
        None => progress_path(memory, request.folder.as_deref()?, problems)?,
    };
    match read(&path) {
        Ok(text) => {
            let (before, _, after) = parts(&text);
            let said = memory.gate.redacted(&format!("{before}{after}"));
            Some((path, said))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !request.appends => {
            problems.push(Problem::new(path.display(), "the progress file does not exist"));
            None
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some((path, String::new())),
        Err(error) => {
            problems.push(Problem::new(path.display(), error.to_string()));
            None
        }
    }
}

/// The file of the setting, which may have come with a checkout: below the project's
/// folder or nowhere.
fn progress_path(memory: &Memory, folder: &Path, problems: &mut Vec<Problem>) -> Option<PathBuf> {
    let set = memory.settings.get("reflect.progress_file")?;
    let named = Path::new(&set.value);
    let is_below = named.components().all(|part| matches!(part, Component::Normal(_)));
    if !is_below {
        let reason = "reflect.progress_file must be a path below the project's folder";
        problems.push(Problem::new(&set.origin, reason));
        return None;
    }
    let path = folder.join(named);
    let is_there = |path: &Path| path.canonicalize().ok();
    let is_inside = match (is_there(&path), is_there(folder)) {
        (Some(file), Some(folder)) => file.starts_with(folder),
        (None, _) => false,
        (_, None) => false,
    };
    // A file that is set and does not exist is no problem: not every checkout has one.
    is_inside.then_some(path)
}

/// What the project itself notes as done and as in the way.
pub(crate) fn add_noted(memory: &Memory, text: &str, reflected: &mut Reflected) {
    let noted = hardwon_readers::progress(text);
    let told = |what: &str, items: &[String]| -> Vec<String> {
        let words = items.iter().filter_map(|item| memory.gate.word(item)).take(MAX_NOTED);
        words.map(|item| format!("noted as {what}: {item}")).collect()
    };
    reflected.worked.extend(told("done", &noted.done));
    reflected.failed.extend(told("in the way", &noted.blockers));
}

/// Notes what was learned between our marks, in place of what stood there.
pub(crate) fn note_lessons(path: &Path, learned: &[Lesson]) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    let text = match read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(told(error)),
    };
    let is_link = fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink());
    if is_link {
        // It may have come with a checkout and lead anywhere.
        return Err("a link is not written to; name the file itself".to_owned());
    }
    match with_lessons(&text, learned) {
        Some(next) => replace(path, &next).map_err(told),
        None => Ok(()),
    }
}

fn read(path: &Path) -> std::io::Result<String> {
    let mut options = fs::OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let about = file.metadata()?;
    if !about.is_file() || about.len() > MAX_BYTES {
        return Err(std::io::Error::other("not a progress file"));
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// Whole or not at all, with the rights that the file had.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    files::replace(path, text.as_bytes(), Mode::Kept(0o666))
}
