//! Erasure in a store without files: rows were struck by `core::change::Tables`; what is
//! left are the bodies kept aside and the journal.

use std::collections::BTreeSet;
use std::convert::Infallible;

use hardwon_core::change::{Change, Erasure};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::Lesson;
use hardwon_core::text::{Text, TextId};

use super::MemoryStore;
use crate::settle;

impl MemoryStore {
    /// The changes with what only a look at all rows finds.
    pub(super) fn widened(&self, changes: Vec<Change>) -> Vec<Change> {
        let seen = |lesson: &LessonId| Ok(self.texts_about(lesson));
        let said_by_others = |texts: &BTreeSet<TextId>, lesson: &LessonId| {
            let others = || self.tables.lessons.values().filter(|other| other.id != *lesson);
            Ok(texts.iter().filter(|text| others().any(|it| holds(it, text))).cloned().collect())
        };
        let widened = settle::widened::<Infallible>(changes, seen, said_by_others);
        widened.unwrap_or_else(|never| match never {})
    }

    fn texts_about(&self, lesson: &LessonId) -> BTreeSet<TextId> {
        let found = self.tables.findings.values().filter(|f| f.lesson.as_ref() == Some(lesson));
        let shown = self.tables.injections.values();
        let shown = shown.filter(|i| i.shown.iter().any(|shown| shown.lesson == *lesson));
        let texts = found.map(|f| f.text.id()).chain(shown.map(|i| i.block.id()));
        texts.filter(|id| *id != Text::erased().id()).cloned().collect()
    }

    /// Does what the entries from there on say about older ones, and about themselves.
    pub(super) fn erase_since(&mut self, start: usize) {
        let erasures: Vec<Erasure> = self.journal[start..]
            .iter()
            .filter_map(|line| match &line.change {
                Change::Erase { erasure } => Some(erasure.clone()),
                _ => None,
            })
            .collect();
        for erasure in erasures {
            self.texts.retain(|id, _| !erasure.texts.contains(id));
            for line in &mut self.journal {
                erasure.strike(&mut line.change);
            }
            // Words of a struck row may be gone from the index: it is made anew.
            self.index.take();
            self.sums.take();
        }
    }
}

fn holds(lesson: &Lesson, text: &TextId) -> bool {
    lesson.text.id() == text || lesson.extra.as_ref().is_some_and(|extra| extra.id() == text)
}
