//! What fades? Lessons that this run could have shown and did not. Only those are read
//! for which enough runs have passed since they were last counted.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::credit::n_unseen;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Lesson, State, Unseen};
use hardwon_core::lifecycle;
use hardwon_core::run::Run;
use hardwon_core::tally::LessonCounts;
use hardwon_store::{LessonQuery, Pick};

use super::step::Step;
use crate::error::Result;
use crate::lookup;

/// How many of each sort a run looks at, the longest unseen first. Up to some thousand lessons that
/// is all of them. In a larger project each comes round less often, and then counts the runs that
/// went by while it waited: the end of a run is not to write a tenth of a large memory anew.
const N_AT_ONCE: usize = 128;

/// How many times the usual number of runs one that had to wait counts at most.
const N_WINDOWS_WAITED: u64 = 10;

impl Step<'_> {
    /// Counts unseen runs where it can matter; once per root run, never for a backfill.
    pub fn decay(&mut self) -> Result<()> {
        let Some(number) = self.header.run.number else { return Ok(()) };
        // Of a pair, lessons age once for each root run: each knows when it was last checked.
        if !self.header.counts_now() && self.input.pair.is_none() {
            return Ok(());
        }
        if self.input.pair.is_none() {
            self.end_reviews()?;
        }
        let policy = &self.memory.policy.decay;
        let (window, longer) = (policy.runs_per_step, policy.candidate_runs_per_step);
        let active = State::ALL.iter().copied().filter(|state| state.is_active()).collect();
        self.wear(number, window.into(), active)?;
        self.wear(number, longer.into(), vec![State::Candidate])
    }

    /// Counts the unseen runs of lessons in these states that may lose some of their standing.
    fn wear(&mut self, number: u64, window: u64, states: Vec<State>) -> Result<()> {
        let are_shown = states.iter().any(|state| state.is_active());
        let (due, n_windows) = self.due(number, window, states)?;
        let Some(since) = due.iter().map(|lesson| lesson.unseen.checked_at).min() else {
            return Ok(());
        };
        let from = number.saturating_sub(n_windows * window).max(since);
        let runs = self.runs_since(from, number)?;
        let shown = if are_shown { self.shown(&due)? } else { BTreeSet::new() };
        let rates = self.rates(&due)?;
        for lesson in due {
            let was_shown = |at: u64| shown.contains(&(lesson.id.clone(), at));
            let policy = &self.memory.policy.decay;
            let n_unseen = n_unseen(&lesson, number, &runs, &was_shown, policy);
            let rate = rates.get(&lesson.id).map(|counts| counts.rate).unwrap_or_default();
            let is_usual = lifecycle::is_usual(&rate, number, policy);
            let after = lifecycle::unseen(&lesson, n_unseen, number, is_usual, policy);
            let because = format!("unseen in {n_unseen} more runs");
            self.update(after, &because);
            let (lesson, policy) = (&self.lessons[&lesson.id], &self.memory.policy);
            let overdue = || lifecycle::overdue(lesson, self.present(), policy);
            let late = || overdue().filter(|_| !is_usual);
            if let Some(step) = lifecycle::decay(lesson, &policy.decay).or_else(late) {
                self.transition(step);
            }
        }
        Ok(())
    }

    /// Archives what was not decided in time. (Review dates come with the lessons
    /// that are due: they ask for as many runs.)
    fn end_reviews(&mut self) -> Result<()> {
        let states = vec![State::UnderReview];
        let query = LessonQuery { states, ..LessonQuery::default() };
        for lesson in self.memory.store.lessons(&self.call.project, &query)? {
            let now = self.present();
            let lesson = self.lessons.entry(lesson.id.clone()).or_insert(lesson);
            if let Some(step) = lifecycle::overdue(lesson, now, &self.memory.policy) {
                self.transition(step);
            }
        }
        Ok(())
    }

    /// How often those come up that may fade.
    fn rates(&self, due: &[Lesson]) -> Result<BTreeMap<LessonId, LessonCounts>> {
        let is_late =
            |lesson: &Lesson| lesson.upkeep.review_after.is_some_and(|date| date <= self.call.now);
        let may_fade = |lesson: &&Lesson| lesson.standing <= 1 || is_late(lesson);
        let lessons = due.iter().filter(may_fade).map(|lesson| lesson.id.clone()).collect();
        lookup::rates_of(self.memory, self.call, lessons)
    }

    /// Lessons for which enough runs may have passed, as they are after this step, and in how many
    /// windows they may have: more than one only where some have to wait for their turn.
    fn due(
        &mut self,
        run_number: u64,
        window: u64,
        states: Vec<State>,
    ) -> Result<(Vec<Lesson>, u64)> {
        let pick = Pick::DecayDue { run_number, window };
        // Of a pair, what is about the one must not wait for what is about the other.
        let limit = self.input.pair.is_none().then_some(N_AT_ONCE);
        let query = LessonQuery { pick, states, limit, ..LessonQuery::default() };
        let mut stored = self.memory.store.lessons(&self.call.project, &query)?;
        let n_windows = if limit == Some(stored.len()) { N_WINDOWS_WAITED } else { 1 };
        stored.sort_by(|a, b| a.id.cmp(&b.id));
        let mut due = Vec::new();
        for lesson in stored {
            let lesson = self.lessons.entry(lesson.id.clone()).or_insert(lesson);
            let Unseen { n_runs, checked_at } = lesson.unseen;
            let is_late = checked_at + window <= run_number + u64::from(n_runs);
            if is_late && self.input.is_about(lesson) {
                due.push(lesson.clone());
            }
        }
        Ok((due, n_windows))
    }

    /// Runs that could count, by number, this one included.
    fn runs_since(&self, from: u64, number: u64) -> Result<BTreeMap<u64, Vec<Run>>> {
        let stored = self.memory.store.numbered_runs(&self.call.project, from, number)?;
        let mut runs: BTreeMap<u64, Vec<Run>> = BTreeMap::new();
        let own = &self.header.run;
        for run in stored.into_iter().filter(|run| run.id != own.id).chain([own.clone()]) {
            runs.entry(run.number.unwrap_or(0)).or_default().push(run);
        }
        Ok(runs)
    }

    /// In which runs these lessons were shown.
    fn shown(&self, lessons: &[Lesson]) -> Result<BTreeSet<(LessonId, u64)>> {
        let ids: Vec<LessonId> = lessons.iter().map(|lesson| lesson.id.clone()).collect();
        let stored = self.memory.store.effects(&self.call.project, &ids)?.into_iter();
        let here = stored.filter(|(project, _)| *project == self.call.project);
        let own = self.header.tree.effects.iter().cloned();
        let all = here.map(|(_, effect)| effect).chain(own);
        Ok(all.map(|effect| (effect.lesson, effect.run_number)).collect())
    }
}
