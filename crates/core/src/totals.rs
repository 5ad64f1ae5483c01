//! What do the lessons of a project amount to? Numbers that a report begins with.

use std::collections::BTreeMap;

use crate::effect::EffectCounts;
use crate::finding::Severity;
use crate::lesson::{Kind, Lesson, State};

/// Numbers about the lessons that a project sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    pub n_lessons: u64,
    pub n_global: u64,
    pub n_pinned: u64,
    pub by_state: BTreeMap<State, u64>,
    pub by_kind: BTreeMap<Kind, u64>,
    pub by_severity: BTreeMap<Severity, u64>,
    pub effects: EffectCounts,
}

impl Totals {
    /// The numbers of these lessons.
    pub fn of<'a>(lessons: impl IntoIterator<Item = &'a Lesson>) -> Totals {
        let mut totals = Totals::default();
        for lesson in lessons {
            totals.take(&Group {
                n_lessons: 1,
                is_global: lesson.project.is_none(),
                is_pinned: lesson.is_pinned,
                state: lesson.state,
                kind: lesson.kind,
                severity: lesson.severity,
                effects: lesson.effects,
            });
        }
        totals
    }

    pub fn take(&mut self, group: &Group) {
        let n = group.n_lessons;
        self.n_lessons += n;
        self.n_global += if group.is_global { n } else { 0 };
        self.n_pinned += if group.is_pinned { n } else { 0 };
        *self.by_state.entry(group.state).or_default() += n;
        *self.by_kind.entry(group.kind).or_default() += n;
        *self.by_severity.entry(group.severity).or_default() += n;
        self.effects = self.effects.plus(group.effects);
    }
}

/// Lessons that are counted alike.
pub struct Group {
    pub n_lessons: u64,
    pub is_global: bool,
    pub is_pinned: bool,
    pub state: State,
    pub kind: Kind,
    pub severity: Severity,
    /// Of all of them together.
    pub effects: EffectCounts,
}
