//! `review` and `evolve`: what waits for whom, what was decided, and the batch at the end of a
//! mission: reviews that agents wrote, promotions, logs, what fades, notebooks.

use hardwon_core::change::Change;
use hardwon_core::effect::EffectKind;
use hardwon_core::event::Problem;
use hardwon_core::foreign::GeasReview;
use hardwon_core::lesson::{Decision, Lesson, State};
use hardwon_core::lifecycle::{self, Present};
use hardwon_engine::write::{Command, write};
use hardwon_engine::{DecideRequest, EngineError, Result, lessons, lookup};
use hardwon_readers::geas_review;
use hardwon_render::answer::{Answer, GeasCollected, GeasEvolved, GeasWaiting, Queue};
use hardwon_render::geas::{Happening, event};
use hardwon_store::LessonQuery;

use super::{Geas, Tasks};
use crate::geas::{CANDIDATES, ENTRIES, EVENTS, REVIEW, names};

type Written = (String, GeasReview);

/// A decision in geas's words: what is approved is called after where it leads.
pub fn decision_of(word: &str) -> Option<Decision> {
    match word {
        "promote_provisional" | "promote_stable" | "promote_canonical" => Some(Decision::Approve),
        "reinstate" => Some(Decision::Keep),
        other => Decision::from_word(other),
    }
}

impl Geas {
    /// What waits for a decision: in geas every step has its reviewer.
    pub fn queue(&self) -> Result<Answer<Queue>> {
        lessons::review_queue_of_team(&self.memory, &self.call)
    }

    /// Decides about a lesson; its review is written beside it.
    pub fn review(&mut self, request: &DecideRequest) -> Result<Answer<Lesson>> {
        lessons::decide(&mut self.memory, &self.call, request)
    }

    /// Applies the review files that agents wrote. What cannot be applied is told and stays.
    pub fn collect(&mut self) -> Result<Answer<GeasCollected>> {
        self.needs_trust()?;
        let (reviews, mut problems) = self.written_reviews()?;
        let mut collected = GeasCollected::default();
        for (file, review) in reviews {
            match self.apply_review(&review) {
                Ok(true) => {
                    collected.applied.push(format!("{} {}", review.memory_id, review.decision))
                }
                Ok(false) => {}
                Err(error) => problems.push(Problem::new(file, error.to_string())),
            }
        }
        Ok(Answer::of(collected, problems).empty_if(|it| it.applied.is_empty()))
    }

    /// The reviews of the tree, each with its file.
    fn written_reviews(&self) -> Result<(Vec<Written>, Vec<Problem>)> {
        let (mut reviews, mut problems) = (Vec::new(), Vec::new());
        for folder in [CANDIDATES, ENTRIES] {
            for file in self.folder.list(folder, REVIEW)? {
                let name = format!("{folder}/{file}");
                let Some(bytes) = self.read_or_tell(&name, &mut problems) else { continue };
                let (review, more) = geas_review(&name, &bytes);
                problems.extend(more);
                reviews.extend(review.map(|review| (name, review)));
            }
        }
        Ok((reviews, problems))
    }

    /// Whether something came of a review; what was decided already is not decided again.
    fn apply_review(&mut self, review: &GeasReview) -> Result<bool> {
        let refused = |reason: &str| EngineError::DecisionRefused {
            lesson: review.memory_id.clone(),
            reason: reason.to_owned(),
        };
        let decision = decision_of(&review.decision)
            .ok_or_else(|| refused(&format!("\"{}\" is no decision", review.decision)))?;
        let lesson = lookup::lesson_named(&self.memory, &self.call, &review.memory_id)?;
        let because = self.memory.gate.word(&review.rationale);
        let because = because.ok_or_else(|| refused("the review gives no reason"))?;
        let is_known = |it: &hardwon_core::lesson::Review| {
            it.decision == decision && (it.because == because || it.because == review.rationale)
        };
        if lesson.reviews.iter().any(is_known) {
            return Ok(false);
        }
        let successor = lesson.superseded_by.as_ref().map(ToString::to_string);
        let request = DecideRequest {
            lesson: review.memory_id.clone(),
            decision,
            because,
            by: Some(review.reviewer.clone()).filter(|by| !by.is_empty()),
            with: successor,
        };
        lessons::decide(&mut self.memory, &self.call, &request).map(|_| true)
    }

    /// The batch at the end of a mission. One event sums it up.
    pub fn evolve(&mut self, mission: Option<&str>) -> Result<Answer<GeasEvolved>> {
        self.needs_trust()?;
        let tasks = Tasks { mission: mission.map(str::to_owned), task: None };
        let before = self.states()?;
        let collected = self.collect()?;
        let logged = self.log(&tasks)?;
        let promoted = self.promote()?;
        self.decay()?;
        let n_noted = self.harvest(mission)?;
        let after = self.states()?;
        let n_in = |state: State| {
            let was = |id| before.iter().any(|(known, from)| known == id && *from == state);
            after.iter().filter(|(id, to)| *to == state && !was(id)).count()
        };
        let waiting = self.queue()?.body.items.into_iter().map(|item| GeasWaiting {
            memory: item.lesson.id.0.to_string(),
            text: item.lesson.text.clone(),
            waits: item.waits.0.to_string(),
            reviewer: item.authority,
        });
        let evolved = GeasEvolved {
            collected: collected.body.applied,
            promoted,
            logged: logged.body.logs,
            n_rejected: n_in(State::Rejected) as u64,
            n_decayed: n_in(State::Decayed) as u64,
            n_noted: n_noted as u64,
            waiting: waiting.collect(),
        };
        self.tell_batch(&evolved)?;
        let problems = collected.problems.into_iter().chain(logged.problems).collect();
        Ok(Answer::of(evolved, problems))
    }

    fn states(&self) -> Result<Vec<(String, State)>> {
        let lessons = self.memory.store.lessons(&self.call.project, &LessonQuery::default())?;
        Ok(lessons.iter().map(|it| (it.id.to_string(), it.state)).collect())
    }

    /// Lets rise what earned it and waited.
    fn promote(&mut self) -> Result<Vec<String>> {
        let call = &self.call;
        let command = Command::new("geas evolve");
        let (_, risen) = write(&mut self.memory, call, &command, &mut |memory, status| {
            let now = Present { at: call.now, run_number: status.run_number };
            let (mut changes, mut risen) = (Vec::new(), Vec::new());
            for lesson in memory.store.lessons(&call.project, &LessonQuery::default())? {
                let stored =
                    memory.store.effects(&call.project, std::slice::from_ref(&lesson.id))?;
                let kinds: Vec<EffectKind> = stored.iter().map(|(_, it)| it.kind).collect();
                let step = lifecycle::promotion(&lesson, &kinds, &memory.policy.promotion);
                let Some(step) = step else { continue };
                let after = lifecycle::entered(&lesson, &step, now, &memory.policy.review);
                risen.push(format!("{} {}", names::memory_id(&lesson), after.state.word()));
                changes.extend(Change::edit_lesson(&lesson, &after, &step.reason));
            }
            Ok((changes, risen))
        })?;
        Ok(risen)
    }

    fn tell_batch(&self, evolved: &GeasEvolved) -> Result<()> {
        let happening = Happening::Batch {
            promoted: evolved.promoted.len(),
            rejected: evolved.n_rejected as usize,
            decayed: evolved.n_decayed as usize,
        };
        let line = event(&happening, self.call.now);
        Ok(self.folder.append(EVENTS, line.as_bytes(), false)?)
    }
}
