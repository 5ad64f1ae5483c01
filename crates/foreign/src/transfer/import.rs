//! Takes another system's memory into ours. What no person approved waits in quarantine;
//! the same again changes nothing, except that it releases what was approved since.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hardwon_core::change::Change;
use hardwon_core::digest::{hex, sha256};
use hardwon_core::event::Problem;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Inherited, Lesson, Origin, State, Trust, Upkeep};
use hardwon_core::text::Text;
use hardwon_core::time::Timestamp;
use hardwon_core::transfer::Moved;
use hardwon_core::transfer::again::{BroughtUp, Earlier, recognized};
use hardwon_engine::transfer::{OWN, is_export_at, refuse_odd};
use hardwon_engine::trust::standing_of;
use hardwon_engine::write::{Command, write};
use hardwon_engine::{Call, EngineError, Environment, Memory, Result, lookup, transfer};
use hardwon_render::answer::{Answer, Imported, TrustStanding, Unplaced};

use super::{again, ids_for, n_runs, runs_to_add};
use crate::SYSTEMS;
use crate::jkz::notes::STORE;
use crate::store::Held;
use crate::system::{FolderContent, Reach, System, folder_of_file};
use crate::trust::is_of_notes;

/// Our own layout, or another system's.
#[derive(Clone, Copy)]
pub struct LayoutName(Option<&'static dyn System>);

impl LayoutName {
    /// One file of ours.
    pub const OWN: LayoutName = LayoutName(None);
    /// The layout in which a folder is written by default.
    pub const OF_FOLDERS: LayoutName = LayoutName(Some(SYSTEMS[0]));

    /// Every layout, also those that can only be read.
    pub fn all() -> Vec<LayoutName> {
        let systems = SYSTEMS.iter().map(|system| LayoutName(Some(*system)));
        std::iter::once(LayoutName::OWN).chain(systems).collect()
    }

    /// The word for it, as `--from` and `--to` take it.
    pub fn word(self) -> &'static str {
        self.0.map_or(OWN, |system| system.word())
    }

    /// Every layout that can be written.
    pub fn all_writable() -> Vec<LayoutName> {
        LayoutName::all().into_iter().filter(|layout| layout.is_writable()).collect()
    }

    /// Whether memory can be written in it.
    pub fn is_writable(self) -> bool {
        self.0.is_none_or(|system| system.is_writable())
    }

    /// The layout with exactly this word.
    pub fn from_word(word: &str) -> Option<Self> {
        LayoutName::all().into_iter().find(|layout| layout.word() == word)
    }

    /// The layout of a path that is to be read: ours for a file that begins as ours do, or
    /// else another system's, the first unless only another one keeps something there.
    pub fn at(path: &Path) -> Self {
        LayoutName::known_at(path).unwrap_or(LayoutName::OF_FOLDERS)
    }

    /// The same, if one of them knows the path.
    pub(crate) fn known_at(path: &Path) -> Option<Self> {
        if is_export_at(path) {
            return Some(LayoutName::OWN);
        }
        // What a file says counts more than the folder that it lies in.
        let reads_files = |system: &&&dyn System| !system.is_writable() && system.is_at(path);
        let by_file = SYSTEMS.iter().find(reads_files);
        let known = by_file.or_else(|| SYSTEMS.iter().find(|system| system.is_at(path)));
        let of_notes = || is_of_notes(path).then(|| LayoutName::from_word(STORE)).flatten();
        known.map(|system| LayoutName(Some(*system))).or_else(of_notes)
    }

    pub fn is_own(self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn system(self) -> Option<&'static dyn System> {
        self.0
    }
}

/// Another system's folder, and whether a person approved it.
struct Source {
    system: &'static dyn System,
    content: FolderContent,
    is_trusted: bool,
    /// By which its lessons are recognized when it is imported again.
    folder_name: String,
}

/// Imports what lies there, in that layout or in the one that it has.
pub fn import(
    memory: &mut Memory,
    call: &Call,
    environment: &Environment,
    path: &str,
    layout: Option<LayoutName>,
    reach: Reach,
) -> Result<Answer<Imported>> {
    let place = environment.folder.join(path);
    refuse_odd(&place)?;
    let layout = layout.unwrap_or_else(|| LayoutName::at(&place));
    refuse_other_files(&place, layout)?;
    let Some(system) = layout.system() else {
        return transfer::import_file(memory, call, environment, path);
    };
    let content = system.look(environment, &place, reach, false)?;
    let standing = standing_of(environment, &content.base, &content.held.digest)?;
    let is_trusted = standing == TrustStanding::Trusted;
    let folder_name = folder_name(&content.base);
    let source = Source { system, is_trusted, folder_name, content };
    let mut imported = take_in(memory, call, &source)?;
    let FolderContent { base, held, .. } = &source.content;
    let mut problems = held.problems.clone();
    if !imported.quarantined.is_empty() {
        problems.extend(waits(standing).map(|reason| Problem::new(base.display(), reason)));
    }
    if imported.n_forgotten > 0 {
        let reason = format!("{} not taken: forgotten for good", imported.n_forgotten);
        problems.push(Problem::new(base.display(), reason));
    }
    imported.n_rejected = held.n_unusable as u64 + imported.n_forgotten;
    imported.unplaced = unplaced(&source);
    let is_empty = imported.n_read == 0;
    Ok(Answer::of(imported, problems).or_empty(is_empty))
}

fn take_in(memory: &mut Memory, call: &Call, source: &Source) -> Result<Imported> {
    let held = &source.content.held;
    let (_, imported) = write(memory, call, &Command::new("import"), &mut |memory, status| {
        let earlier = again::earlier(memory, call, source.system, &source.folder_name)?;
        let lessons = &held.holdings.lessons;
        let named = |lesson: &Lesson| Some(source.named(lesson.aliases.first()?));
        let known = recognized(lessons.iter(), &earlier, &named);
        let ids = ids_for(memory, call, lessons, known)?;
        let moved = Moved { ids: &ids, after: status.run_number };
        let mut imported = Imported {
            from: source.system.word().to_owned(),
            n_read: lessons.len() as u64,
            ..Imported::default()
        };
        let mut changes = Vec::new();
        for lesson in lessons {
            let record = held.records.get(&lesson.id);
            let lesson = moved.lesson(lesson, &call.project);
            let lesson = as_imported(memory, lesson, record, source);
            changes.extend(take_lesson(memory, call, lesson, source, &mut imported)?);
        }
        if source.is_trusted {
            let gone = missing(&earlier, &ids, held);
            let because = again_by(source, call);
            changes.extend(again::gone(&gone, source.system.word(), &because, &mut imported));
            let runs = runs_to_add(memory, call, &moved, &held.holdings)?;
            imported.n_runs = n_runs(&runs);
            changes.extend(runs);
        }
        Ok((changes, imported))
    })?;
    Ok(imported)
}

/// Lessons of this folder that it no longer holds. What cannot be read may be one of them.
fn missing<'a>(
    earlier: &'a [Earlier],
    ids: &BTreeMap<LessonId, LessonId>,
    held: &Held,
) -> Vec<&'a Earlier> {
    let there: BTreeSet<&LessonId> = ids.values().collect();
    let is_whole = held.n_unusable == 0 && !held.holdings.lessons.is_empty();
    earlier.iter().filter(|known| is_whole && !there.contains(&known.lesson.id)).collect()
}

fn again_by(source: &Source, call: &Call) -> String {
    format!("imported again from {} by {}", source.system.word(), call.actor)
}

/// The lesson as it may come in: approved with its folder, or waiting.
fn as_imported(
    memory: &Memory,
    mut lesson: Lesson,
    record: Option<&Vec<u8>>,
    source: &Source,
) -> Lesson {
    if let Some(id) = lesson.aliases.first() {
        let name = source.named(id);
        lesson.aliases.push(name);
    }
    let extra = record.and_then(|raw| gated_record(memory, source.system, raw));
    let (trust, state) = match (source.is_trusted, lesson.state) {
        (true, state) => (Trust::Trusted, state),
        (false, State::Archived | State::Decayed) => (Trust::Foreign, lesson.state),
        (false, _) => (Trust::Foreign, State::Quarantined),
    };
    let told = lesson.upkeep.inherited;
    let inherited = Some(Inherited {
        state: lesson.state,
        seen_until: told.map_or(Timestamp(0), |told| told.seen_until),
        unseen_until: told.map_or(Timestamp(0), |told| told.unseen_until),
    });
    let upkeep = Upkeep { inherited, ..lesson.upkeep };
    Lesson { origin: Origin::Import, trust, state, extra, upkeep, ..lesson }
}

/// A record as memory may keep it: without secrets, and still a record.
fn gated_record(memory: &Memory, system: &dyn System, raw: &[u8]) -> Option<Text> {
    let text = memory.gate.record(system.word(), std::str::from_utf8(raw).ok()?);
    let kept = text.body()?.strip_prefix(system.word())?.strip_prefix(':')?;
    system.is_record(kept).then(|| text.clone())
}

fn take_lesson(
    memory: &Memory,
    call: &Call,
    lesson: Lesson,
    source: &Source,
    imported: &mut Imported,
) -> Result<Option<Change>> {
    let Some(known) = lookup::find_lesson(memory, call, &lesson.id)? else {
        return add_lesson(memory, call, lesson, source, imported);
    };
    let is_approved = lesson.trust == Trust::Trusted;
    let is_released = known.state == State::Quarantined && is_approved;
    let earlier = Earlier { base: again::base_of(source.system, &known)?, lesson: known };
    let mut now = if is_approved {
        again::brought_up(memory, call, &earlier, &lesson)?
    } else {
        BroughtUp { lesson: earlier.lesson.clone(), decided: None }
    };
    let known = &earlier.lesson;
    if is_released {
        (now.lesson.state, now.lesson.trust) = (lesson.state, lesson.trust);
        imported.released.push(known.id.clone().into());
    }
    let because = again_by(source, call);
    let change = again::change(&earlier, &now, source.system.word(), &because, imported);
    match (&change, is_released) {
        (None, _) => imported.n_known += 1,
        (Some(_), false) => imported.updated.push(known.id.clone().into()),
        (Some(_), true) => {}
    }
    Ok(change)
}

fn add_lesson(
    memory: &Memory,
    call: &Call,
    lesson: Lesson,
    source: &Source,
    imported: &mut Imported,
) -> Result<Option<Change>> {
    let marks = memory.store.tombstones(&call.project)?;
    let text = lesson.text.as_str();
    if marks.iter().any(|mark| mark.lesson == lesson.id || mark.covers_text(text)) {
        imported.n_forgotten += 1;
        return Ok(None);
    }
    imported.added.push(lesson.id.clone().into());
    if lesson.state == State::Quarantined {
        imported.quarantined.push(lesson.id.clone().into());
    }
    let because = format!("imported from {} by {}", source.system.word(), call.actor);
    Ok(Some(Change::AddLesson { lesson: Box::new(lesson), because }))
}

impl Source {
    /// A further alias for a lesson of this folder: ids of two folders may be the same.
    fn named(&self, id: &str) -> String {
        format!("{id}@{}", self.folder_name)
    }
}

/// A short name of the folder, for telling it from others.
fn folder_name(folder: &Path) -> String {
    let path = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    hex(&sha256(&[&path.to_string_lossy()])[..3])
}

/// Refuses a file that is neither ours nor another system's.
fn refuse_other_files(path: &Path, layout: LayoutName) -> Result<()> {
    let refused = |reason| Err(EngineError::NotExport { path: path.to_owned(), reason });
    if !path.exists() {
        return refused("no such file or folder");
    }
    let is_read_as_file = || folder_of_file(path).is_some() || !layout.is_writable();
    if path.is_file() && !is_export_at(path) && !is_read_as_file() {
        return refused("not an export of hardwon");
    }
    Ok(())
}

fn waits(standing: TrustStanding) -> Option<&'static str> {
    match standing {
        TrustStanding::Trusted => None,
        TrustStanding::Unknown => Some(
            "no person approved this folder, so its lessons wait in quarantine; look at it with \
             `hardwon review trust` and import it again",
        ),
        TrustStanding::Changed => Some(
            "this folder changed since it was approved, so what is new in it waits in \
             quarantine; look at it with `hardwon review trust` and import it again",
        ),
    }
}

/// What has no place in ours.
fn unplaced(source: &Source) -> Vec<Unplaced> {
    let held = &source.content.held;
    let mut fields: BTreeMap<String, u64> = BTreeMap::new();
    for raw in held.records.values() {
        for name in source.system.unknown_fields(raw) {
            *fields.entry(hardwon_core::gate::without_control(&name)).or_default() += 1;
        }
    }
    let kept = "kept with the lesson and written back by export";
    let field = |(name, n)| Unplaced::new(format!("field \"{name}\" of lessons"), n, kept);
    let mut behind = held.left_behind.clone();
    if !source.is_trusted {
        behind.push(("runs, because the folder is not approved", held.holdings.runs.len()));
    }
    let behind = behind.into_iter().filter(|(_, n)| *n > 0);
    let behind = behind.map(|(what, n)| Unplaced::new(what, n as u64, "stays in the folder"));
    fields.into_iter().map(field).chain(behind).collect()
}
