//! What a query asks for, as predicates and orders on domain values. The memory store
//! filters with these; the database stores keep their answers in columns and indexes,
//! so that a query means the same everywhere.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::{Kind, Lesson, Origin, State, Trust};
use hardwon_core::project::{Checkout, Project};
use hardwon_core::run::Run;
use hardwon_core::scope::Dimension;
use hardwon_core::time::Timestamp;

use crate::{
    FindingPage, LessonQuery, Pick, Position, ProjectQuery, RunPlace, RunQuery, Store, StoreError,
};

/// How many lessons are in memory at a time where all are looked at.
const N_PER_PAGE: usize = 500;

/// Lessons that come by prior, page by page (as many as the query's limit, if it has one), as
/// long as `take` asks for more.
pub fn each_page<E: From<StoreError>>(
    store: &dyn Store,
    project: &ProjectId,
    mut query: LessonQuery,
    take: &mut dyn FnMut(Vec<Lesson>) -> Result<bool, E>,
) -> Result<(), E> {
    let size = query.limit.unwrap_or(N_PER_PAGE).clamp(1, N_PER_PAGE);
    query.limit = Some(size);
    loop {
        let page = store.lessons(project, &query)?;
        let is_last = page.len() < size;
        query.after = page.last().map(Position::of);
        if !take(page)? || is_last {
            return Ok(());
        }
    }
}

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
        let is_after = |from: &Position| from.cmp_to(lesson) == Ordering::Less;
        let is_on_page = !self.pick.is_by_prior() || self.after.as_ref().is_none_or(is_after);
        by_state && by_kind && is_on_page && self.pick.admits(lesson)
    }
}

impl RunQuery {
    /// Whether the run is asked for, before any limit.
    pub(crate) fn admits(&self, run: &Run) -> bool {
        let is_it = |asked: &Option<String>, own: &Option<String>| asked.is_none() || asked == own;
        let at = time_of(run);
        let is_after = |place: &RunPlace| (at, &run.id) < (place.at, &place.id);
        is_it(&self.session, &run.episode.session)
            && is_it(&self.task, &run.task)
            && is_it(&self.agent, &run.agent)
            && self.kind.is_none_or(|kind| kind == run.kind)
            && (self.outcome.is_none() || self.outcome == run.outcome)
            && self.since.is_none_or(|since| at >= since)
            && self.before.as_ref().is_none_or(is_after)
    }
}

impl FindingPage {
    /// Whether the finding is asked for, wherever the page begins.
    pub(crate) fn admits(&self, finding: &Finding) -> bool {
        self.state.is_none_or(|state| state == finding.state)
            && self.author.as_ref().is_none_or(|author| *author == finding.author)
            && self.run.as_ref().is_none_or(|run| *run == finding.run || *run == finding.root)
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
            Pick::Scoped(scopes) => scopes.contains(&lesson.scope),
            Pick::Injectable => lesson.is_injectable(),
            Pick::Kept => is_kept(lesson),
            Pick::Shown => lesson.effects.n_shown() > 0,
            Pick::Waiting { n_helped } => may_wait(lesson, *n_helped),
            Pick::DecayDue { run_number, window } => {
                decay_base(lesson).is_some_and(|base| base <= latest_due_base(*run_number, *window))
            }
        }
    }

    /// The order in which picked lessons come: total, because ids are unique.
    pub(crate) fn order(&self, a: &Lesson, b: &Lesson) -> Ordering {
        match self {
            _ if self.is_by_prior() => {
                b.prior().total_cmp(&a.prior()).then_with(|| a.id.cmp(&b.id))
            }
            Pick::DecayDue { .. } => (decay_base(a), &a.id).cmp(&(decay_base(b), &b.id)),
            _ => a.id.cmp(&b.id),
        }
    }

    /// Otherwise lessons come by id.
    pub(crate) fn is_by_prior(&self) -> bool {
        match self {
            Pick::All | Pick::Injectable | Pick::Kept | Pick::Shown | Pick::Waiting { .. } => true,
            Pick::Ids(_) | Pick::Named(_) | Pick::Scoped(_) | Pick::DecayDue { .. } => false,
        }
    }
}

/// Whether a lesson is offered to every need: injectable, and pinned or a wish.
pub(crate) fn is_kept(lesson: &Lesson) -> bool {
    lesson.is_injectable() && (lesson.is_pinned || lesson.kind == Kind::Preference)
}

/// Whether a decision about a lesson may be due; of stable ones if they helped so often. An index
/// has those that helped at all.
pub(crate) fn may_wait(lesson: &Lesson, n_helped: u32) -> bool {
    match lesson.state {
        State::UnderReview | State::Quarantined => true,
        State::Stable if lesson.effects.n_helped >= n_helped.max(1) => true,
        state if state.is_put_away() => false,
        _ => {
            let is_typed = lesson.scope.0.contains_key(&Dimension::Person);
            let is_advised = lesson.origin == Origin::Agent && lesson.grade.is_none();
            !lesson.reviews.is_empty() || is_advised || is_typed && lesson.trust != Trust::Trusted
        }
    }
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

/// Without what came before.
pub(crate) fn each_once(ids: impl Iterator<Item = LessonId>) -> Vec<LessonId> {
    let mut known = BTreeSet::new();
    ids.filter(|id| known.insert(id.clone())).collect()
}

/// When a run took place: as its record states it, else when memory heard of it.
pub(crate) fn time_of(run: &Run) -> Timestamp {
    run.started.or(run.finished).unwrap_or(run.recorded_at)
}

/// Whether a finding is in the text index.
pub(crate) fn is_indexed(finding: &Finding) -> bool {
    finding.state == FindingState::Fixed
}
