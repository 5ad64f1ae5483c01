//! What can still be done for a lesson whose words are gone? The store's files are written
//! anew, and exports are looked at by the digests in its tombstone. Nothing else can be
//! looked for: to keep the words for that would be to keep them.

use std::fs;
use std::path::Path;

use hardwon_core::change::{Change, Tombstone};
use hardwon_core::lesson::Lesson;
use hardwon_readers::{Export, read_export};
use hardwon_render::answer::{Answer, Erased, Forgotten, KnownCopy, Residue};
use hardwon_store::Scoured;

use super::{KEPT, forgotten};
use crate::memory::{Call, EngineError, Memory, Result};
use crate::place::Environment;
use crate::{exports, lookup};

/// Does again what needs no words, and says what that shows.
pub(crate) fn look_again(
    memory: &mut Memory,
    call: &Call,
    environment: &Environment,
    mark: &Tombstone,
) -> Result<Answer<Forgotten>> {
    let lesson = struck(memory, call, mark)?;
    let Scoured { backups, not_done, .. } = memory.store.scour(true)?;
    let mut erased =
        Erased { is_again: true, not_proved: not_done, kept: KEPT.to_vec(), ..Erased::default() };
    for backup in backups.iter().filter(|backup| backup.exists()) {
        erased.not_proved.push(format!(
            "{} was not looked through, since the words to look for are gone; remove it if it \
             is older than {}",
            backup.display(),
            mark.at
        ));
    }
    memory.store.every_text(&mut |kept| {
        if kept.row.starts_with("lesson ") && mark.covers_text(kept.text) {
            erased.residues.push(Residue { place: kept.row.to_owned(), what: "the same text" });
        }
    })?;
    for export in exports::known_exports(environment) {
        look_into(&export, mark, &mut erased);
    }
    let doubt = "that nothing of it is left is still not proved".to_owned();
    Ok(forgotten(&lesson, erased, doubt))
}

/// The lesson as history has it, without its words.
fn struck(memory: &Memory, call: &Call, mark: &Tombstone) -> Result<Lesson> {
    let entries = lookup::history_of(memory, call, &mark.lesson)?;
    let removed = entries.into_iter().rev().find_map(|entry| match entry.change {
        Change::RemoveLesson { lesson, .. } => Some(*lesson),
        _ => None,
    });
    // A mark that came with an import is about a lesson that never was here.
    let Tombstone { lesson, at, by, .. } = mark.clone();
    let never = EngineError::Erased { lesson: lesson.to_string(), on: at.date(), by };
    removed.ok_or(never)
}

fn look_into(path: &Path, mark: &Tombstone, erased: &mut Erased) {
    let place = path.display().to_string();
    let export = fs::read(path).ok().and_then(|bytes| read_export(&bytes).ok());
    let Some(export) = export else {
        erased.not_proved.push(format!("{place} could not be read as an export"));
        return;
    };
    erased.n_files_scanned += 1;
    let has_text = holds(&export, mark);
    if has_text {
        erased.residues.push(Residue { place: place.clone(), what: "the text" });
    }
    erased.exports.push(KnownCopy { path: place, has_text });
}

/// Whether an export says what was forgotten: as a lesson, as a finding, or in a block.
fn holds(export: &Export, mark: &Tombstone) -> bool {
    let lessons = export.lessons.iter().map(|raw| (raw.row.id == mark.lesson, &raw.texts));
    let found = export.findings.iter();
    let found = found.map(|raw| (raw.row.lesson.as_ref() == Some(&mark.lesson), &raw.texts));
    let shown = export
        .injections
        .iter()
        .map(|raw| (raw.row.shown.iter().any(|shown| shown.lesson == mark.lesson), &raw.texts));
    let mut rows = lessons.chain(found).chain(shown);
    rows.any(|(is_its, texts)| texts.iter().flatten().any(|text| is_its || mark.covers_text(text)))
}
