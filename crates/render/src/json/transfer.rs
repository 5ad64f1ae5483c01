//! What `import`, `export` and `trust` answer.

use std::collections::BTreeMap;

use crate::answer::{Answer, Exported, ForeignFolder, Imported, TrustStanding, Unplaced};
use hardwon_core::gate::without_control;
use hardwon_core::ids::LessonId;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;
use super::lesson::LessonWire;
use super::value::{Decimal, Word};

#[derive(Serialize, JsonSchema)]
pub(super) struct ImportWire {
    /// The system whose files were read.
    from: String,
    /// Lessons that were there to read.
    read: u64,
    /// Lessons that are new here.
    added: Vec<String>,
    /// Of those, the ones that wait until somebody vouches for them.
    quarantined: Vec<String>,
    /// Lessons that had waited and that were vouched for since.
    released: Vec<String>,
    /// Lessons that were here and whose record says something else now.
    updated: Vec<String>,
    /// Lessons that were here already.
    known: u64,
    /// Records that could not be used; `problems` says why.
    rejected: u64,
    runs: u64,
    unplaced: Vec<UnplacedWire>,
    /// How many were there to read, by kind and by state; empty for another system's.
    kinds: BTreeMap<String, u64>,
    states: BTreeMap<String, u64>,
    /// New lessons that are much like one that is here.
    similar: Vec<SimilarWire>,
    /// New lessons that say the opposite of one that is here.
    opposed: Vec<OpposedWire>,
    /// Texts and words that were cleaned or redacted.
    cleaned: u64,
    /// Of `rejected`, those that had been forgotten for good here.
    forgotten: u64,
    /// Marks of forgotten lessons that were taken over.
    tombstones: u64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SimilarLesson")]
struct SimilarWire {
    lesson: String,
    known: String,
    likeness: Decimal,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OpposedLesson")]
struct OpposedWire {
    lesson: String,
    known: String,
}

/// Something that the other layout has no place for.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Unplaced")]
struct UnplacedWire {
    what: String,
    n: u64,
    /// Where it is kept instead, or that it stays behind.
    kept: &'static str,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ExportWire {
    /// The system whose layout was written.
    to: String,
    folder: String,
    /// Lessons that are in use there.
    active: u64,
    /// Lessons that were put away.
    archived: u64,
    /// Lessons that were there and were brought up to date.
    updated: u64,
    runs: u64,
    unplaced: Vec<UnplacedWire>,
    /// `sha256:` at the end of a file of ours; null for another system's layout.
    digest: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct TrustWire {
    system: String,
    folder: String,
    /// `sha256:` of everything in it that would be used.
    digest: String,
    /// Whether somebody vouched for exactly this content.
    trust: Word<TrustStanding>,
    lessons: Vec<LessonWire>,
}

/// What `import` did.
pub fn import(said: &Answer<Imported>) -> Value {
    let body = &said.body;
    let ids = |ids: &[LessonId]| ids.iter().map(LessonId::to_string).collect();
    let wire = ImportWire {
        from: body.from.clone(),
        read: body.n_read,
        added: ids(&body.added),
        quarantined: ids(&body.quarantined),
        released: ids(&body.released),
        updated: ids(&body.updated),
        known: body.n_known,
        rejected: body.n_rejected,
        runs: body.n_runs,
        unplaced: body.unplaced.iter().map(unplaced).collect(),
        kinds: body.by_kind.iter().map(|(kind, n)| (kind.to_string(), *n)).collect(),
        states: body.by_state.iter().map(|(state, n)| (state.to_string(), *n)).collect(),
        similar: body.similar.iter().map(similar).collect(),
        opposed: body.opposed.iter().map(opposed).collect(),
        cleaned: body.n_cleaned,
        forgotten: body.n_forgotten,
        tombstones: body.n_tombstones,
    };
    answer(said, wire)
}

fn similar((lesson, known, likeness): &(LessonId, LessonId, f64)) -> SimilarWire {
    let likeness = Decimal(*likeness);
    SimilarWire { lesson: lesson.to_string(), known: known.to_string(), likeness }
}

fn opposed((lesson, known): &(LessonId, LessonId)) -> OpposedWire {
    OpposedWire { lesson: lesson.to_string(), known: known.to_string() }
}

/// What `export` wrote.
pub fn export(said: &Answer<Exported>) -> Value {
    let body = &said.body;
    let wire = ExportWire {
        to: body.to.clone(),
        folder: without_control(&body.folder),
        active: body.n_active,
        archived: body.n_archived,
        updated: body.n_updated,
        runs: body.n_runs,
        unplaced: body.unplaced.iter().map(unplaced).collect(),
        digest: body.digest.clone(),
    };
    answer(said, wire)
}

/// What is in a folder, and whether somebody vouched for it.
pub fn trust(said: &Answer<ForeignFolder>) -> Value {
    let body = &said.body;
    let wire = TrustWire {
        system: body.system.clone(),
        folder: without_control(&body.folder),
        digest: body.digest.clone(),
        trust: Word(body.standing),
        lessons: body.lessons.iter().map(LessonWire::of).collect(),
    };
    answer(said, wire)
}

fn unplaced(unplaced: &Unplaced) -> UnplacedWire {
    UnplacedWire { what: without_control(&unplaced.what), n: unplaced.n, kept: unplaced.kept }
}
