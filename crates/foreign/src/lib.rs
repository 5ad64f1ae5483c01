//! Other systems' own files as a live store: the memory store, filled by `readers` under
//! that system's lock, run by the same use cases with that system's policy, and written
//! back by `render`. [`FolderStore`] does all that is the same for every system; a
//! [`layout::Layout`] says what is not. Who opens a store hands [`LAYOUTS`] to the engine,
//! which names none of these systems.
#![forbid(unsafe_code)]

pub mod archeflow;
pub mod ask;
pub mod backend;
mod folder;
pub mod geas;
pub mod jkz;
mod mcp;
mod openagents;
mod opened;
pub mod remote;
pub mod store;
mod system;
mod transfer;
pub mod trust;

pub use folder::{Folder, FolderError, Lock};
pub use geas::GeasLayout;
pub use jkz::JkzLayout;
pub use openagents::OpenagentsLayout;
pub use store::FolderStore;
pub use store::layout;
pub use system::{Reach, Registered};
pub use transfer::{LayoutName, export, import};

use std::collections::BTreeSet;

use archeflow::ArcheflowLayout;
use hardwon_core::digest::{hex, sha256};
use hardwon_core::finding::{Finding, FindingKey, FindingState, Severity};
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;
use hardwon_core::text::Text;
use hardwon_engine::layout::ForeignLayout;
use hardwon_engine::{Call, EngineError, Memory};
use hardwon_render::text::Names;
use hardwon_store::LessonQuery;
use layout::Layout;
use mcp::KnowledgeGraph;
use system::System;

/// Every layout. A path that none of them knows is taken for one of the first.
pub const LAYOUTS: &[&dyn ForeignLayout] = &[
    &Registered::<ArcheflowLayout>::ENTRY,
    &Registered::<OpenagentsLayout>::ENTRY,
    &Registered::<JkzLayout>::ENTRY,
    &Registered::<GeasLayout>::ENTRY,
];

/// The same, in the same order, for what only this crate does with them; and what can be read
/// only.
const SYSTEMS: &[&dyn System] = &[
    &Registered::<ArcheflowLayout>::ENTRY,
    &Registered::<OpenagentsLayout>::ENTRY,
    &Registered::<JkzLayout>::ENTRY,
    &Registered::<GeasLayout>::ENTRY,
    &KnowledgeGraph,
];

/// What lessons are called in ArcheFlow's or geas's files, if those are worked on; nothing in a
/// store of ours. Of two lessons with one id, the one in use is meant.
pub fn names(memory: &Memory, call: &Call) -> Names {
    let store = memory.settings.get("store").map_or("", |store| store.value.as_str());
    let is_id = match store.split_once(':') {
        Some((ArcheflowLayout::WORD, _)) => ArcheflowLayout::is_id,
        Some((GeasLayout::WORD, _)) => GeasLayout::is_id,
        _ => return Names::default(),
    };
    // Names are a courtesy: whoever needs the lessons says why they cannot be read.
    let lessons = memory.store.lessons(&call.project, &LessonQuery::default()).unwrap_or_default();
    let alias = |lesson: &Lesson| lesson.aliases.iter().find(|alias| is_id(alias)).cloned();
    let in_use: BTreeSet<String> =
        lessons.iter().filter(|lesson| lesson.state.is_on_ladder()).filter_map(alias).collect();
    let name = |lesson: &Lesson| {
        let alias = alias(lesson)?;
        let is_it = lesson.state.is_on_ladder() || !in_use.contains(&alias);
        is_it.then(|| (lesson.id.to_string(), alias))
    };
    Names(lessons.iter().filter_map(name).collect())
}

/// The first of `STEM`, `STEM-2`, … with this ending that is free.
fn free_name(stem: &str, ending: &str, is_free: impl FnMut(&String) -> bool) -> String {
    let others = (2..).map(|n| format!("{stem}-{n}{ending}"));
    let mut names = std::iter::once(format!("{stem}{ending}")).chain(others);
    // The numbers do not end.
    names.find(is_free).unwrap_or_default()
}

impl From<FolderError> for EngineError {
    fn from(error: FolderError) -> Self {
        EngineError::Folder(Box::new(error))
    }
}

/// That a lesson was seen in a run, as far as the files of this system tell it.
fn sighting(system: &str, lesson: &Lesson, run: &Run) -> Finding {
    let text = lesson.text.as_str();
    let signature = format!("s-{}", hex(&sha256(&[system, text])[..8]));
    Finding {
        key: FindingKey::of(&lesson.author, &signature, lesson.id.as_str(), None),
        root: run.root.clone(),
        severity: lesson.severity,
        category: lesson.category.clone(),
        signature,
        lesson: Some(lesson.id.clone()),
        likeness: 1.0,
        ..bare_finding(&run.id, &lesson.author, lesson.text.clone())
    }
}

/// A sighting in a root run of which nothing is known but who reported what.
fn bare_finding(run: &RunId, author: &str, text: Text) -> Finding {
    Finding {
        key: FindingKey::of(author, "", text.as_str(), None),
        run: run.clone(),
        root: run.clone(),
        author: author.to_owned(),
        severity: Severity::Warning,
        category: None,
        rule: None,
        text,
        place: None,
        grade: None,
        signature: String::new(),
        state: FindingState::Open,
        is_sighting: true,
        lesson: None,
        likeness: 0.0,
        fixed_in: None,
        repair: None,
        ruled_by: None,
        quote: None,
    }
}
