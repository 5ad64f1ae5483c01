//! The file in which a project notes its progress: read for a reflection, and, if that is
//! wanted, the place where lessons are noted for its readers. Between marks of ours
//! everything is ours; outside of them nothing is touched.

use std::io::ErrorKind::NotFound;
use std::path::{Component, Path, PathBuf};

use hardwon_core::event::Problem;
use hardwon_core::lesson::Lesson;
use hardwon_render::answer::Reflected;
use hardwon_render::reflect::{parts, with_lessons};
use hardwon_store::checkout::root_of;
use hardwon_store::files::{self, Mode, Place};

use crate::memory::Memory;
use crate::settings::Origin;

use super::ReflectRequest;

/// Most entries of each sort that are reported.
const MAX_NOTED: usize = 3;

const SETTING: &str = "reflect.progress_file";

const ONLY_READ: &str = "the project's settings name this file, so it is only read; to have \
    lessons noted in it: `hardwon config set reflect.progress_file FILE`";

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
    match read(&Place::own(&path)) {
        Ok(text) => {
            let (before, _, after) = parts(&text);
            let said = memory.gate.redacted(&format!("{before}{after}"));
            Some((path, said))
        }
        Err(error) if error.kind() == NotFound && request.appends => Some((path, String::new())),
        Err(error) => {
            let is_missing = error.kind() == NotFound;
            let missing = is_missing.then(|| "the progress file does not exist".to_owned());
            let reason = missing.unwrap_or_else(|| error.to_string());
            problems.push(Problem::new(path.display(), reason));
            None
        }
    }
}

/// The file of the setting, which may have come with a checkout: below the project's
/// folder, and no file of git's, or nowhere.
fn progress_path(memory: &Memory, folder: &Path, problems: &mut Vec<Problem>) -> Option<PathBuf> {
    let set = memory.settings.get(SETTING)?;
    let named = Path::new(&set.value);
    let is_plain =
        |part| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git"));
    if !named.components().all(is_plain) {
        let reason = "reflect.progress_file must be a path below the project's folder";
        problems.push(Problem::new(&set.origin, reason));
        return None;
    }
    let path = folder.join(named);
    // A file that is set and does not exist is no problem: not every checkout has one.
    (path.exists() && Place::check_named_in(folder, &path).is_ok()).then_some(path)
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

/// Notes what was learned between our marks, in place of what stood there. Never in a file that
/// only the project's own settings name: a checkout does not choose where we write.
pub(crate) fn note_lessons(
    memory: &Memory,
    request: &ReflectRequest,
    path: &Path,
    learned: &[Lesson],
) -> Result<(), String> {
    let set = memory.settings.get(SETTING).filter(|_| request.progress.is_none());
    if set.is_some_and(|set| matches!(set.origin, Origin::Project(_))) {
        return Err(ONLY_READ.to_owned());
    }
    let told = |error: std::io::Error| error.to_string();
    let checkout = root_of(request.folder.as_deref().unwrap_or(path));
    let place = Place::named_in(checkout, path).map_err(told)?;
    let text = match read(&place) {
        Ok(text) => text,
        Err(error) if error.kind() == NotFound => String::new(),
        Err(error) => return Err(told(error)),
    };
    let Some(next) = with_lessons(&text, learned) else { return Ok(()) };
    // Whole or not at all, with the rights that the file had.
    files::replace(place, next.as_bytes(), Mode::Kept(0o666)).map_err(told)
}

fn read(place: &Place) -> std::io::Result<String> {
    let bytes = files::read(place, MAX_BYTES)?;
    String::from_utf8(bytes).map_err(|_| std::io::Error::other("not a progress file"))
}
