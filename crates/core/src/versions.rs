//! Which words did a lesson have before? Its versions, read off the journal: every change of what
//! it says begins a new one; what runs counted does not.

use crate::change::{Change, Entry};
use crate::lesson::{Guidance, Lesson};
use crate::time::Timestamp;

/// How a change says that it brought an earlier version back.
const RESTORED: &str = "restored version ";

/// What a lesson said from a moment on.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// Counts up from 1; never used twice.
    pub number: u32,
    pub at: Timestamp,
    pub actor: String,
    pub because: String,
    /// The version that it repeats.
    pub restored_from: Option<u32>,
    pub lesson: Lesson,
}

/// Every version of a lesson, oldest first. The entries are its own, oldest first.
pub fn versions(entries: &[Entry]) -> Vec<Version> {
    let mut versions: Vec<Version> = Vec::new();
    let mut current: Option<Lesson> = None;
    for entry in entries {
        let (next, because) = match (&entry.change, &current) {
            (Change::AddLesson { lesson, because }, _) => (lesson.as_ref().clone(), because),
            (Change::EditLesson { fields, because, .. }, Some(lesson)) => {
                let Ok(next) = lesson.with(fields) else { continue };
                (next, because)
            }
            _ => continue,
        };
        if current.as_ref().is_none_or(|before| !says_same(before, &next)) {
            versions.push(Version {
                number: versions.len() as u32 + 1,
                at: entry.head.at,
                actor: entry.head.actor.clone(),
                because: because.clone(),
                restored_from: restored_from(because),
                lesson: next.clone(),
            });
        }
        current = Some(next);
    }
    versions
}

/// Why a lesson says again what it said in this version.
pub fn because(number: u32, actor: &str) -> String {
    format!("{RESTORED}{number} by {actor}")
}

fn restored_from(because: &str) -> Option<u32> {
    because.strip_prefix(RESTORED)?.split(' ').next()?.parse().ok()
}

fn says_same(a: &Lesson, b: &Lesson) -> bool {
    let said = |lesson: &Lesson| {
        let Guidance { rule, detail, applies_when, repair, summary, .. } = lesson.guidance.clone();
        (
            lesson.kind,
            lesson.category.clone(),
            lesson.scope.clone(),
            [rule, detail, applies_when, repair, summary.map(|summary| summary.line)],
        )
    };
    a.text == b.text && said(a) == said(b)
}

/// The lesson with what it said in an earlier version; what was counted since stays.
pub fn restored(lesson: &Lesson, version: &Lesson) -> Lesson {
    let Guidance { rule, detail, applies_when, repair, summary, .. } = version.guidance.clone();
    let own = lesson.guidance.clone();
    Lesson {
        kind: version.kind,
        category: version.category.clone(),
        text: version.text.clone(),
        scope: version.scope.clone(),
        guidance: Guidance { rule, detail, applies_when, repair, summary, ..own },
        ..lesson.clone()
    }
}
