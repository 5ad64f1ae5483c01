//! What a query asks for, as predicates and orders on domain values. The memory store
//! filters with these; the database stores keep their answers in columns and indexes,
//! so that a query means the same everywhere.

use std::cmp::Ordering;

use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::lesson::{Kind, Lesson, State};
use hardwon_core::project::{Checkout, Project};
use hardwon_core::run::Run;
use hardwon_core::time::Timestamp;

use crate::{LessonQuery, Pick, ProjectQuery, RunQuery};

impl ProjectQuery {
    /// Whether the project is asked for.
    pub(crate) fn admits(&self, project: &Project) -> bool {
        match self {
            ProjectQuery::All => true,
            ProjectQuery::Near { path, mark, ids } => {
                let has_mark = |known: &Checkout| mark.is_some() && known.mark == *mark;
                ids.contains(&project.id)
                    || project.has_path(path)
                    || project.checkouts.iter().any(has_mark)
            }
        }
    }
}

impl LessonQuery {
    /// Whether the lesson is asked for, before any limit.
    pub(crate) fn admits(&self, lesson: &Lesson) -> bool {
        let by_state = self.states.is_empty() || self.states.contains(&lesson.state);
        let by_kind = self.kinds.is_empty() || self.kinds.contains(&lesson.kind);
        by_state && by_kind && self.pick.admits(lesson)
    }
}

impl RunQuery {
    /// Whether the run is asked for, before any limit.
    pub(crate) fn admits(&self, run: &Run) -> bool {
        let by_session = self.session.is_none() || self.session == run.episode.session;
        by_session && self.since.is_none_or(|since| time_of(run) >= since)
    }
}

impl Pick {
    fn admits(&self, lesson: &Lesson) -> bool {
        match self {
            Pick::All => true,
            Pick::Ids(ids) => ids.contains(&lesson.id),
            Pick::Named(name) => {
                lesson.id.as_str().starts_with(name.as_str()) || lesson.aliases.contains(name)
            }
            Pick::Injectable => lesson.is_injectable(),
            Pick::Kept => is_kept(lesson),
            Pick::DecayDue { run_number, window } => {
                decay_base(lesson).is_some_and(|base| base <= latest_due_base(*run_number, *window))
            }
        }
    }

    /// The order in which picked lessons come: total, because ids are unique.
    pub(crate) fn order(&self, a: &Lesson, b: &Lesson) -> Ordering {
        match self {
            Pick::All | Pick::Injectable | Pick::Kept => {
                b.prior().total_cmp(&a.prior()).then_with(|| a.id.cmp(&b.id))
            }
            Pick::Ids(_) | Pick::Named(_) | Pick::DecayDue { .. } => a.id.cmp(&b.id),
        }
    }
}

/// Whether a lesson is offered to every need: injectable, and pinned or a wish.
pub(crate) fn is_kept(lesson: &Lesson) -> bool {
    lesson.is_injectable() && (lesson.is_pinned || lesson.kind == Kind::Preference)
}

/// The run number from which a lesson's unseen runs are counted; `None` for one that
/// runs do not wear out.
pub(crate) fn decay_base(lesson: &Lesson) -> Option<i64> {
    let is_watched = lesson.state == State::Candidate || lesson.state.is_active();
    let wears_out = lesson.project.is_some() && lesson.kind.decays() && is_watched;
    wears_out.then(|| lesson.unseen.checked_at as i64 - i64::from(lesson.unseen.n_runs))
}

/// The highest base that is due at this run number.
pub(crate) fn latest_due_base(run_number: u64, window: u64) -> i64 {
    run_number as i64 - window as i64
}

/// When a run took place: as its record states it, else when memory heard of it.
pub(crate) fn time_of(run: &Run) -> Timestamp {
    run.started.or(run.finished).unwrap_or(run.recorded_at)
}

/// Whether a finding is in the text index.
pub(crate) fn is_indexed(finding: &Finding) -> bool {
    finding.state == FindingState::Fixed
}
