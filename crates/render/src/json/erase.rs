//! What `forget` answers: the lesson, and for `--hard` what was proved.

use crate::answer::{Answer, Erased, Forgotten, KnownCopy, Residue};
use hardwon_core::gate::without_control;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;
use super::lesson::LessonWire;

#[derive(Serialize, JsonSchema)]
pub(super) struct ForgetWire {
    lesson: LessonWire,
    /// Only with `--hard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    erased: Option<ErasedWire>,
}

/// What was erased, and where something of it was looked for afterwards.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Erased")]
struct ErasedWire {
    /// Rows and journal entries that held something of it.
    rows: u64,
    files_scanned: u64,
    /// Where something of it was found.
    residues: Vec<ResidueWire>,
    /// What could not be shown, one sentence each.
    not_proved: Vec<String>,
    /// Copies of the store that stand beside it.
    backups: Vec<CopyWire>,
    /// Exports that this program remembers and that are still there.
    exports: Vec<CopyWire>,
    /// What an erasure leaves.
    kept: Vec<&'static str>,
    /// It had been erased before: files were written anew, but could not be searched.
    is_again: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Residue")]
struct ResidueWire {
    /// A file, or a row that is somebody else's.
    #[serde(rename = "where")]
    place: String,
    what: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KnownCopy")]
struct CopyWire {
    path: String,
    /// Whether something of the text is in it.
    has_text: bool,
}

/// What `forget --hard` did and proved.
pub fn forget_hard(said: &Answer<Forgotten>) -> Value {
    let Forgotten { lesson, erased } = &said.body;
    let wire = ForgetWire { lesson: LessonWire::of(lesson), erased: Some(wire_of(erased)) };
    answer(said, wire)
}

fn wire_of(erased: &Erased) -> ErasedWire {
    let copies = |copies: &[KnownCopy]| {
        let wire = |copy: &KnownCopy| CopyWire {
            path: without_control(&copy.path),
            has_text: copy.has_text,
        };
        copies.iter().map(wire).collect()
    };
    let residue = |residue: &Residue| ResidueWire {
        place: without_control(&residue.place),
        what: residue.what,
    };
    ErasedWire {
        rows: erased.n_rows,
        files_scanned: erased.n_files_scanned,
        residues: erased.residues.iter().map(residue).collect(),
        not_proved: erased.not_proved.iter().map(|reason| without_control(reason)).collect(),
        backups: copies(&erased.backups),
        exports: copies(&erased.exports),
        kept: erased.kept.clone(),
        is_again: erased.is_again,
    }
}
