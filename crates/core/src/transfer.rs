//! What becomes of rows that move from one store to another: their names, their run numbers, and
//! what is believed of them.

pub mod again;
pub mod fields;
pub mod join;

use std::collections::BTreeMap;

use crate::effect::EffectCounts;
use crate::episode::StepKind;
use crate::ids::{LessonId, ProjectId};
use crate::lesson::{Arms, Guidance, Inherited, Lesson, Origin, State, Trust, Unseen, Upkeep};
use crate::run::Run;
use crate::time::Timestamp;

/// How rows are called in the other store.
pub struct Moved<'a> {
    pub ids: &'a BTreeMap<LessonId, LessonId>,
    /// Run numbers go on after those that are there.
    pub after: u64,
}

impl Moved<'_> {
    pub fn id(&self, id: &LessonId) -> LessonId {
        self.ids.get(id).unwrap_or(id).clone()
    }

    pub fn lesson(&self, lesson: &Lesson, project: &ProjectId) -> Lesson {
        let Unseen { n_runs, checked_at } = lesson.unseen;
        Lesson {
            id: self.id(&lesson.id),
            superseded_by: lesson.superseded_by.as_ref().map(|id| self.id(id)),
            // What holds everywhere does so there, too.
            project: lesson.project.as_ref().map(|_| project.clone()),
            unseen: Unseen { n_runs, checked_at: checked_at + self.after },
            ..lesson.clone()
        }
    }
}

/// A run without what its user typed: that is one person's, whoever gets the rest.
pub fn without_typed(run: &mut Run) {
    run.episode.trail.retain(|step| step.kind != StepKind::Correction);
}

/// A lesson that people of a team approved, for somebody who trusts what they approve; with none of the
/// evidence that is theirs.
pub fn of_team(lesson: Lesson) -> Lesson {
    let (state, confidence) = (State::Provisional, lesson.confidence);
    Lesson {
        state,
        base_confidence: confidence,
        trust: Trust::Trusted,
        origin: Origin::Team,
        upkeep: Upkeep::default(),
        ..unapproved(lesson)
    }
}

/// A lesson from a source that no person approved: its words wait, and its merits stay behind,
/// since nothing here shows them. What state it had there is noted.
pub fn unapproved(lesson: Lesson) -> Lesson {
    let is_away = lesson.state.is_put_away() || lesson.state == State::Decayed;
    let state = if is_away { lesson.state } else { State::Quarantined };
    let (seen_until, unseen_until) = (Timestamp(0), Timestamp(0));
    let inherited = Inherited { state: lesson.state, seen_until, unseen_until };
    let confidence = lesson.base_confidence.min(0.5);
    let Unseen { n_runs, .. } = lesson.unseen;
    Lesson {
        state,
        origin: Origin::Import,
        trust: Trust::Foreign,
        is_pinned: false,
        base_confidence: confidence,
        confidence,
        effects: EffectCounts::default(),
        arms: Arms::default(),
        guidance: Guidance::default(),
        upkeep: Upkeep { inherited: Some(inherited), ..Upkeep::default() },
        reviews: Vec::new(),
        last_seen_run: None,
        unseen: Unseen { n_runs, checked_at: 0 },
        ..lesson
    }
}
