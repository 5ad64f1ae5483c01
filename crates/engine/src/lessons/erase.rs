//! Forgetting for good: the words of a lesson leave every row, the journal and the files,
//! and the answer says only what was looked at. A tombstone stays,
//! so that nothing brings it back by itself.

mod again;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hardwon_core::change::{Erasure, Tombstone, erasing, every_wording, stated_about};
use hardwon_core::event::Problem;
use hardwon_core::finding::Finding;
use hardwon_core::gate::Refusal;
use hardwon_core::lesson::Lesson;
use hardwon_core::text::{Text, TextId};
use hardwon_core::time::Timestamp;
use hardwon_core::voice::Voice;
use hardwon_render::answer::{Answer, Erased, Forgotten, KnownCopy, Residue};
use hardwon_store::remains::{self, Needles, Patterns};
use hardwon_store::{KeptText, Scoured};

use crate::memory::{Call, EngineError, Memory, Result};
use crate::open::foreign_system;
use crate::place::Environment;
use crate::waiting;
use crate::write::{Command, write};
use crate::{exports, lookup, snapshot};

/// How deep the data folder is followed.
const MAX_DEPTH: usize = 3;

/// What an erasure leaves.
const KEPT: &[&str] = &[
    "ids, times, kinds, states, counts, and who did what to it",
    "what runs and other lessons say of themselves, be it the same files or tags",
];

/// What is about to be erased.
struct Doomed {
    lesson: Lesson,
    evidence: Vec<Finding>,
    /// Every wording that it ever had.
    said: BTreeSet<String>,
    /// Tags, files and reasons that were stated about it, if they are long enough to search for.
    about: Needles,
    needles: Needles,
    erasure: Erasure,
    n_rows: u64,
}

/// Forgets a lesson for good, and checks whether anything is left of it. Cannot be
/// undone, and is not for agents.
pub fn forget_for_good(
    memory: &mut Memory,
    call: &Call,
    environment: &Environment,
    name: &str,
) -> Result<Answer<Forgotten>> {
    call.needs_person("forgetting for good")?;
    if foreign_system(&memory.settings).is_some() {
        return Err(EngineError::ForeignErasure);
    }
    if let Err(EngineError::Erased { .. }) = lookup::lesson_named(memory, call, name)
        && let Some(mark) = lookup::erased_mark(memory, call, name)?
    {
        return again::look_again(memory, call, environment, &mark);
    }
    let (_, mut doomed) = write(memory, call, &Command::new("forget"), &mut |memory, _| {
        let doomed = doomed(memory, call, name)?;
        let known = memory.store.tombstones(&call.project)?;
        let Doomed { lesson, evidence, said, erasure, .. } = &doomed;
        let mark = Tombstone::of(lesson, evidence, said, call.now, &call.actor);
        Ok((erasing(lesson, mark, &known, erasure.clone()), doomed))
    })?;
    snapshot::remove_all(environment);
    waiting::remove_all(environment);
    let kept = KEPT.to_vec();
    let mut erased = Erased { n_rows: doomed.n_rows, kept, ..Erased::default() };
    let pieces = look_at_rows(memory, &mut doomed, &mut erased)?;
    look_at_files(memory, environment, &pieces, &doomed.about, &mut erased)?;
    let mut lesson = doomed.lesson;
    doomed.erasure.strike(&mut lesson);
    let reason = format!(
        "its text is erased, but that nothing is left elsewhere is not proved; when that is \
         repaired, `hardwon forget {} --hard` empties the store's files again and looks at \
         exports",
        lesson.id
    );
    Ok(forgotten(&lesson, erased, reason))
}

/// What was found, with a doubt if that proves nothing.
fn forgotten(lesson: &Lesson, erased: Erased, doubt: String) -> Answer<Forgotten> {
    let doubt = (!erased.is_proved()).then(|| Problem::new(&lesson.id, doubt));
    let forgotten = Forgotten { lesson: lesson.into(), erased: Some(erased) };
    Answer::of(forgotten, doubt.into_iter().collect())
}

fn doomed(memory: &Memory, call: &Call, name: &str) -> Result<Doomed> {
    let lesson = lookup::lesson_named(memory, call, name)?;
    let evidence = lookup::evidence_of(memory, call, &lesson.id)?;
    let journal = lookup::history_of(memory, call, &lesson.id)?;
    let (said, records) = every_wording(&lesson, &journal);
    let seen = evidence.iter().filter_map(|finding| finding.text.body()).map(str::to_owned);
    let mut needles = Needles::new(&said, seen);
    let mut erasure = Erasure {
        lesson: lesson.id.clone(),
        is_global: lesson.project.is_none(),
        texts: said.iter().map(|text| TextId::of(text)).chain(records).collect(),
        words: BTreeSet::new(),
        takes_remarks: true,
    };
    erasure.texts.extend(evidence.iter().map(|finding| finding.text.id().clone()));
    erasure.texts.remove(Text::erased().id());
    leave_what_others_say(memory, &lesson, &mut needles)?;
    let n_rows = take_carriers(memory, &lesson, &needles, &mut erasure)?;
    let about = Needles::whole(&stated_about(&lesson.id, &evidence, journal));
    Ok(Doomed { lesson, evidence, said, about, needles, erasure, n_rows })
}

/// Pieces that stand in another lesson are that lesson's words as well.
fn leave_what_others_say(memory: &Memory, lesson: &Lesson, needles: &mut Needles) -> Result<()> {
    let own = format!("lesson {}", lesson.id);
    memory.store.every_text(&mut |kept: &KeptText<'_>| {
        if kept.row.starts_with("lesson ") && kept.row != own && !needles.is_in(kept.text) {
            needles.leave(kept.text);
        }
    })?;
    Ok(())
}

/// Adds whatever carries the words, wherever it stands. Says how many rows that are.
fn take_carriers(
    memory: &Memory,
    lesson: &Lesson,
    needles: &Needles,
    erasure: &mut Erasure,
) -> Result<u64> {
    let mut rows: BTreeSet<String> = BTreeSet::from([format!("lesson {}", lesson.id)]);
    memory.store.every_text(&mut |kept: &KeptText<'_>| {
        let is_own = kept.lesson.is_none_or(|id| *id == lesson.id);
        let carries = needles.is_in(kept.text) || is_own && needles.has_piece_in(kept.text);
        if carries {
            erasure.texts.insert(TextId::of(kept.text));
            erasure.words.insert(Erasure::digest_of(kept.text));
        }
        let is_about = kept.lesson == Some(&lesson.id) && !kept.row.starts_with("the effect");
        if carries || is_about || erasure.texts.contains(&TextId::of(kept.text)) {
            rows.insert(kept.row.to_owned());
        }
    })?;
    Ok(rows.len() as u64)
}

/// Rows of other lessons that still hold it. Returns what no row holds:
/// that must be in no file.
fn look_at_rows(memory: &Memory, doomed: &mut Doomed, erased: &mut Erased) -> Result<Needles> {
    let mut left = doomed.needles.clone();
    memory.store.every_text(&mut |kept: &KeptText<'_>| {
        if left.is_in(kept.text) {
            let place = kept.row.to_owned();
            let residue = Residue { place, what: "the same text" };
            if kept.row.starts_with("lesson ") && !erased.residues.contains(&residue) {
                erased.residues.push(residue);
            }
        }
        left.leave(kept.text);
        doomed.about.leave(kept.text);
    })?;
    Ok(left)
}

fn look_at_files(
    memory: &mut Memory,
    environment: &Environment,
    needles: &Needles,
    about: &Needles,
    erased: &mut Erased,
) -> Result<()> {
    let mut scoured = memory.store.scour(false)?;
    let patterns = needles.patterns();
    if patterns.bytes.is_empty() {
        let reason = "the text is too short, or too much like others, to be looked for";
        erased.not_proved.push(reason.to_owned());
    }
    // What was stated about it is rewritten with the pages, too, but proves nothing: such
    // words may stand in an id.
    let looked_for = [patterns.bytes.clone(), about.patterns().bytes].concat();
    let has_any = |file: &PathBuf| remains::look(file, &looked_for).is_ok_and(|f| f.is_some());
    if scoured.files.iter().any(has_any) {
        scoured = memory.store.scour(true)?;
    }
    let Scoured { files, backups, not_done } = scoured;
    erased.not_proved.extend(not_done);
    let exports = exports::known_exports(environment);
    let mut own: BTreeSet<PathBuf> = files.into_iter().collect();
    if let Ok(folder) = environment.data_folder() {
        remains::files_below(&folder, MAX_DEPTH, &mut own);
    }
    own.retain(|file| !backups.contains(file) && !exports.contains(file));
    for file in &own {
        if let Some(what) = look(file, &patterns, erased) {
            erased.residues.push(Residue { place: file.display().to_string(), what });
        }
    }
    erased.backups = copies(&backups, &patterns, erased);
    erased.exports = copies(&exports, &patterns, erased);
    Ok(())
}

/// Refuses what was forgotten for good, unless a person says it again: then the
/// tombstones that have to go come back.
pub fn lifted_by(memory: &Memory, call: &Call, text: &str) -> Result<Vec<Tombstone>> {
    let marks = memory.store.tombstones(&call.project)?;
    let marks: Vec<Tombstone> = marks.into_iter().filter(|mark| mark.covers_text(text)).collect();
    match marks.first() {
        Some(mark) if call.speaker.voice != Voice::Person => {
            Err(EngineError::Refused(Refusal::Forgotten { at: mark.at }))
        }
        _ => Ok(marks),
    }
}

/// The message to a person who states again what had been forgotten.
pub(crate) fn said_again(at: Timestamp) -> String {
    format!("had been forgotten for good on {}; stated again, it may come back", at.date())
}

fn look(file: &Path, patterns: &Patterns, erased: &mut Erased) -> Option<&'static str> {
    match remains::look(file, &patterns.bytes) {
        Ok(found) => {
            erased.n_files_scanned += 1;
            let told = |index| if index < patterns.n_whole { "the text" } else { "a piece of it" };
            found.map(told)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(_) => {
            erased.not_proved.push(format!("{} could not be read", file.display()));
            None
        }
    }
}

/// Copies with what they hold. One that holds it is a residue as well.
fn copies(files: &[PathBuf], patterns: &Patterns, erased: &mut Erased) -> Vec<KnownCopy> {
    let mut copies = Vec::new();
    for file in files.iter().filter(|file| file.exists()) {
        let what = look(file, patterns, erased);
        let path = file.display().to_string();
        if let Some(what) = what {
            erased.residues.push(Residue { place: path.clone(), what });
        }
        copies.push(KnownCopy { path, has_text: what.is_some() });
    }
    copies
}
