//! Our journal beside the files: one written batch a line, and a short line after
//! it once the files are written too. It may end anywhere, and, since folders are
//! committed and merged, it may be damaged anywhere.

use std::collections::BTreeMap;

use hardwon_core::change::FileEdit;
use hardwon_core::ids::{OperationId, ProjectId};
use hardwon_store::{JournalLine, MemoryStore};

use super::edits::edits_of;

/// The mark of a line that sums up what was before it.
pub(super) const SUMMARY: &str = "summary";

/// The result of replaying a journal.
#[derive(Default)]
pub(super) struct Replayed {
    pub memory: MemoryStore,
    /// What its last batch says about the files.
    pub marks: BTreeMap<String, String>,
    /// The files were written after its last batch.
    pub is_done: bool,
    /// The edits of files in its last batch.
    pub edits: Vec<FileEdit>,
    /// The batches after which nobody noted that the files were written.
    pub undone: Vec<JournalLine>,
    /// The usable part; if that is not all of it, it has to be written anew before anything
    /// is added.
    pub good: Vec<u8>,
    /// The first unusable line, and why. A torn end is not damage.
    pub damage: Option<(usize, String)>,
}

/// The line that says that the files are written.
pub(super) fn done(operation: OperationId) -> String {
    format!("{{\"done\":{operation}}}\n")
}

/// Replays the usable part.
pub(super) fn replay(bytes: &[u8], project: &ProjectId) -> Replayed {
    let mut replayed = Replayed { is_done: true, ..Replayed::default() };
    let mut n_done = 0;
    for (number, raw) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let has_end = raw.ends_with(b"\n");
        match take(&mut replayed, raw, project) {
            Ok(()) => {
                replayed.good.extend_from_slice(raw);
                if !has_end {
                    replayed.good.push(b'\n');
                }
                if replayed.is_done {
                    n_done = replayed.good.len();
                }
            }
            // The end of a line that was being written when its writer died.
            Err(Unusable::Line(_)) if !has_end => break,
            Err(Unusable::Line(reason)) => {
                replayed.damage = Some((number, reason));
                break;
            }
            Err(Unusable::Batch) => {
                // Half of it may have been applied: from the start, up to here.
                let good = std::mem::take(&mut replayed.good);
                let reason = "it does not fit what is above it".to_owned();
                return Replayed { damage: Some((number, reason)), ..replay(&good, project) };
            }
        }
    }
    // Few, and seldom any: they are read once more rather than kept each time.
    let undone = std::str::from_utf8(&replayed.good[n_done..]).unwrap_or_default();
    let decoded = undone.lines().filter_map(|line| JournalLine::decode(line, project).ok());
    replayed.undone = decoded.filter(|line| !line.marks.contains_key(SUMMARY)).collect();
    replayed
}

enum Unusable {
    Line(String),
    Batch,
}

fn take(replayed: &mut Replayed, raw: &[u8], project: &ProjectId) -> Result<(), Unusable> {
    let text = std::str::from_utf8(raw).map_err(|_| Unusable::Line("not UTF-8".to_owned()))?;
    let text = text.trim_end();
    if text.starts_with("{\"done\":") {
        replayed.is_done = true;
        return Ok(());
    }
    let line = JournalLine::decode(text, project).map_err(Unusable::Line)?;
    let marks = line.marks.clone();
    let edits = edits_of(&line.batch.changes).cloned().collect();
    if marks.contains_key(SUMMARY) {
        return replayed.memory.sum_up(line).map_err(|_| Unusable::Batch);
    }
    replayed.memory.replay(line).map_err(|_| Unusable::Batch)?;
    replayed.marks = marks;
    replayed.edits = edits;
    replayed.is_done = false;
    Ok(())
}
