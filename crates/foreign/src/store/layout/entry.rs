//! One record of a shelf as a lesson, and compared with what its lesson has become. Every
//! text passes the gate on the way in. A record is changed only where the way there and back
//! differs from the lesson, so what a lesson has no place for is not lost in the file.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::digest::sha256;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::{Kind, Lesson, State, Unseen};
use hardwon_core::policy::Policy;
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::text::Text;
use hardwon_core::time::Timestamp;

use super::{Layout, Shelf};
use crate::store::Remembered;

/// What translation depends on besides the record.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub gate: &'a Remembered,
    pub policy: &'a Policy,
    pub project: &'a ProjectId,
    pub now: Timestamp,
    /// Number of the newest run that was counted for decay.
    pub counted: u64,
    /// The runs that records mean by other names than ours.
    pub run_names: Option<&'a BTreeMap<String, RunId>>,
}

impl Context<'_> {
    /// A run id as memory may keep it: one that looks like a secret, or cannot be an id, is
    /// known by its digest.
    pub fn run(&self, text: &str) -> Option<RunId> {
        if let Some(run) = self.run_names.and_then(|names| names.get(text)) {
            return Some(run.clone());
        }
        let is_plain = self.gate.word(text).is_some_and(|word| word == text);
        match RunId::parse(text) {
            Ok(run) if is_plain => Some(run),
            _ if text.trim().is_empty() => None,
            _ => Some(RunId::derived(&sha256(&[text]))),
        }
    }

    /// What is left of a text after cleaning, if anything is.
    pub fn prose(&self, raw: Option<&str>) -> Option<String> {
        let clean = raw.map(|raw| self.gate.line(raw).as_str().to_owned());
        clean.filter(|clean| !clean.is_empty())
    }

    /// The words of these dimensions that are left after cleaning.
    pub fn scope<const N: usize>(&self, pairs: [(Dimension, Option<&str>); N]) -> Scope {
        let clean =
            |(dimension, value): (_, Option<&str>)| Some((dimension, self.gate.word(value?)?));
        Scope(pairs.into_iter().filter_map(clean).collect())
    }
}

/// One record where it stands.
pub struct Entry<'a, L: Layout> {
    pub context: &'a Context<'a>,
    pub shelf: &'a Shelf,
    pub raw: &'a [u8],
    pub record: &'a L::Record,
}

impl<L: Layout> Entry<'_, L> {
    /// A lesson of the shelf's owner, confirmed, about which nothing is known but its text.
    pub fn bare_lesson(&self, kind: Kind, text: Text) -> Lesson {
        let project = (!self.shelf.is_of_user()).then(|| self.context.project.clone());
        let id = LessonId::derive(project.as_ref(), kind.word(), text.as_str(), |_| false);
        let unseen = Unseen { n_runs: 0, checked_at: self.context.counted };
        let stub = Lesson::stub(id, project, kind, text, self.context.now);
        Lesson { state: State::Provisional, unseen, ..stub }
    }

    /// The lesson that the record states, with an id that is free; `None` if nothing is left
    /// of its text after cleaning.
    pub fn lesson(&self, is_taken: impl FnMut(&LessonId) -> bool) -> Option<Lesson> {
        let lesson = L::lesson(self);
        let (project, text) = (lesson.project.as_ref(), lesson.text.as_str());
        let id = LessonId::derive(project, lesson.kind.word(), text, is_taken);
        if text.is_empty() { None } else { Some(Lesson { id, ..lesson }) }
    }

    /// What the record says, and what it would have to say to state the lesson as it is
    /// now, in the same words: they differ exactly where the record is out of date.
    pub fn compared(&self, lesson: &Lesson) -> Option<(L::Record, L::Record)> {
        Some(self.compared_as(&self.lesson(|_| false)?, lesson))
    }

    fn compared_as(&self, stated: &Lesson, lesson: &Lesson) -> (L::Record, L::Record) {
        let set = |tags: &[String]| tags.iter().cloned().collect::<BTreeSet<String>>();
        let has_same_tags = lesson.tags != stated.tags && set(&lesson.tags) == set(&stated.tags);
        let is_lost = lesson.text.body().is_none();
        if !has_same_tags && !is_lost {
            return L::compared(self, stated, lesson);
        }
        let mut lesson = lesson.clone();
        if has_same_tags {
            lesson.tags.clone_from(&stated.tags);
        }
        if is_lost {
            // A text that we lost is no reason to remove it from the file too.
            lesson.text = stated.text.clone();
        }
        L::compared(self, stated, &lesson)
    }

    /// The lesson after another program changed its record.
    pub fn adopted(&self, lesson: &Lesson) -> Lesson {
        let mut next = lesson.clone();
        let Some(stated) = self.lesson(|_| false) else { return next };
        let (theirs, ours) = self.compared_as(&stated, lesson);
        let differing = L::differing(&theirs, &ours);
        if differing.text || lesson.text.body().is_none() {
            next.text = stated.text.clone();
        }
        if differing.kind {
            (next.kind, next.category) = (stated.kind, stated.category.clone());
        }
        if differing.severity {
            (next.severity, next.importance) = (stated.severity, stated.importance);
        }
        if differing.scope {
            next.scope = stated.scope.clone();
        }
        if differing.tags {
            next.tags.clone_from(&stated.tags);
        }
        L::adopt(self, &theirs, &ours, stated, &mut next);
        next
    }
}

/// What every record says.
pub struct Said<'a> {
    /// Its own; empty if it has none.
    pub id: &'a str,
    pub text: &'a str,
    /// The id of the record that replaced it.
    pub superseded_by: Option<&'a str>,
}

/// In which fields that every layout has two records differ.
#[derive(Default)]
pub struct Differing {
    pub text: bool,
    pub kind: bool,
    /// Severity or importance.
    pub severity: bool,
    pub scope: bool,
    pub tags: bool,
}
