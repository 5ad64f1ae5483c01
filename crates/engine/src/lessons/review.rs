//! Somebody decides about lessons: which wait, who may decide, and what a decision does.
//! Without a team the user decides whatever they like, and nothing waits for them.

mod waiting;

use hardwon_core::answer::{Answer, Queue, Queued};
use hardwon_core::change::Change;
use hardwon_core::effect::{Arm, EffectKind};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Decision, Lesson, Origin, Review, State};
use hardwon_core::lifecycle::{self, Approvals, Transition};
use hardwon_store::{LessonQuery, ProjectStatus};

use crate::Engine;
use crate::error::EngineError;
use crate::write::Command;

/// A decision about one lesson.
#[derive(Clone, Debug)]
pub struct DecideRequest {
    pub lesson: String,
    pub decision: Decision,
    pub because: String,
    /// Who decides; the caller when left out.
    pub by: Option<String>,
    /// What stands for the lesson from now on.
    pub with: Option<String>,
}

impl Engine {
    /// Whether reviews are asked for.
    pub(crate) fn is_team(&self) -> bool {
        self.settings.get("team").is_some_and(|setting| setting.value == "on")
    }

    /// Lessons that wait for somebody, the most urgent first.
    pub fn review_queue(&self) -> Result<Answer<Queue>, EngineError> {
        let is_there = |state: &State| !state.is_put_away();
        let states = State::ALL.iter().copied().filter(is_there).collect();
        let query = LessonQuery { states, ..LessonQuery::default() };
        let lessons = self.store.lessons(&self.project, &query)?;
        let mut items: Vec<Queued> =
            lessons.into_iter().filter_map(|lesson| self.queued(lesson)).collect();
        items.sort_by_key(|item| (item.waits, item.deadline, item.lesson.id.clone()));
        let is_empty = items.is_empty();
        let queue = Queue { items, is_team: self.is_team() };
        Ok(Answer::of(queue, Vec::new()).or_empty(is_empty))
    }

    fn queued(&self, lesson: Lesson) -> Option<Queued> {
        let waits = lifecycle::waiting(&lesson, &self.policy, self.is_team())?;
        let authority = lifecycle::authority(&lesson, &self.policy.routing).to_owned();
        Some(Queued {
            waits,
            people: self.awaited(&lesson, &authority),
            authority,
            deadline: lifecycle::deadline(&lesson, &self.policy),
            decisions: lifecycle::decisions(&lesson, &self.policy),
            because: self.last_reason(&lesson),
            approvals: lifecycle::pending(&lesson).into_iter().cloned().collect(),
            lesson,
        })
    }

    /// People or roles that are bound to an authority in the settings.
    fn people_of(&self, authority: &str) -> Vec<String> {
        let setting = self.settings.get(&format!("authority.{authority}"));
        let names = setting.map(|setting| setting.value.as_str()).unwrap_or_default();
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    }

    /// Decides about a lesson.
    pub fn decide(&mut self, request: &DecideRequest) -> Result<Answer<Lesson>, EngineError> {
        let command = format!("review {}", request.decision);
        let (_, lesson) = self.write(&Command::new(&command), &mut |engine, status| {
            let lesson = engine.lesson_named(&request.lesson)?;
            let review = engine.review_of(&lesson, request)?;
            let successor = engine.successor(&lesson, request)?;
            let decided = engine.decided(&lesson, &review, status)?;
            let superseded_by = successor.or(lesson.superseded_by.clone());
            let after = Lesson { superseded_by, ..decided.lesson };
            let mut changes = Vec::from_iter(Change::edit_lesson(&lesson, &after, &decided.reason));
            if after.state == State::Rejected {
                changes.extend(engine.revived(&lesson.id, &review, status)?);
            }
            Ok((changes, after))
        })?;
        Ok(Answer::of(lesson, Vec::new()))
    }

    fn review_of(&self, lesson: &Lesson, request: &DecideRequest) -> Result<Review, EngineError> {
        // An agent speaks for itself, whatever name it gives.
        let by = match self.speaker {
            Origin::Agent => &self.actor,
            _ => request.by.as_deref().unwrap_or(&self.actor),
        };
        let by = self.gate.word(by).ok_or_else(|| refused(lesson, "say who decides"))?;
        let because = self.gate.word(&request.because).ok_or_else(|| refused(lesson, "say why"))?;
        let authority = self.capacity(lesson, &by, request.decision)?;
        let (decision, at, from) = (request.decision, self.now, lesson.state);
        Ok(Review { decision, by, authority, because, at, from, to: from })
    }

    /// In which capacity somebody decides, or why they may not.
    fn capacity(
        &self,
        lesson: &Lesson,
        by: &str,
        decision: Decision,
    ) -> Result<String, EngineError> {
        let vouches = match decision {
            // What is named as a successor inherits what the other had.
            Decision::Approve | Decision::Keep | Decision::Supersede => true,
            // It would be shown again.
            Decision::Weaken => lesson.state == State::UnderReview,
            Decision::Archive | Decision::Reject => false,
        };
        if !self.is_team() && self.speaker == Origin::Agent && vouches {
            return Err(EngineError::NeedsPerson { what: "vouching for a lesson" });
        }
        if !self.is_team() {
            return Ok("user".to_owned());
        }
        let authority = lifecycle::authority(lesson, &self.policy.routing);
        let people = self.people_of(authority);
        if people.is_empty() {
            let reason = format!("nobody is bound to {authority}; it waits in the queue");
            return Err(refused(lesson, &reason));
        }
        // One of the two approvals that canonical needs is another authority's.
        let is_joint = decision == Decision::Approve && lesson.state == State::Stable;
        let share = if is_joint { Some(self.share(lesson, by)?) } else { None };
        if share.is_none() && people.iter().all(|name| name != by) {
            let reason = format!("{by} is not {authority}; that is {}", people.join(", "));
            return Err(refused(lesson, &reason));
        }
        let is_alone = decision == Decision::Approve && by == lesson.author;
        let has_other = lesson.reviews.iter().any(|review| review.by != by);
        if is_alone && !has_other {
            return Err(refused(lesson, "its author cannot be the only one to approve it"));
        }
        Ok(share.map_or(authority.to_owned(), |share| share.authority))
    }

    /// What stands for the lesson from now on. A lesson cannot come to stand for itself.
    fn successor(
        &self,
        lesson: &Lesson,
        request: &DecideRequest,
    ) -> Result<Option<LessonId>, EngineError> {
        if request.decision != Decision::Supersede {
            return Ok(None);
        }
        let name =
            request.with.as_deref().ok_or_else(|| refused(lesson, "name what stands for it"))?;
        let with = self.standing_for(self.lesson_named(name)?)?;
        if with.id == lesson.id {
            return Err(refused(lesson, "it would stand for itself"));
        }
        if with.state.is_put_away() {
            let reason = format!("{} is {} and cannot stand for it", with.id, with.state);
            return Err(refused(lesson, &reason));
        }
        Ok(Some(with.id))
    }

    fn decided(
        &self,
        lesson: &Lesson,
        review: &Review,
        status: &ProjectStatus,
    ) -> Result<lifecycle::Decided, EngineError> {
        let stored = self.store.effects(&self.project, std::slice::from_ref(&lesson.id))?;
        let shown = stored.iter().filter(|(_, effect)| effect.arm != Some(Arm::HeldOut));
        let effects: Vec<(u64, EffectKind)> =
            shown.map(|(_, effect)| (effect.run_number, effect.kind)).collect();
        let approvals = Approvals {
            effects: &effects,
            is_last: self.is_last_approval(lesson, review)?,
            promotion: &self.policy.promotion,
            review: &self.policy.review,
        };
        lifecycle::decide(lesson, review, self.present(status), approvals)
            .map_err(|reason| refused(lesson, &reason.0))
    }

    /// Lessons that this one stood for come back, in doubt: somebody preferred another to
    /// them, and that one was wrong.
    fn revived(
        &self,
        successor: &LessonId,
        review: &Review,
        status: &ProjectStatus,
    ) -> Result<Vec<Change>, EngineError> {
        let states = vec![State::Superseded];
        let query = LessonQuery { states, ..LessonQuery::default() };
        let mut changes = Vec::new();
        for lesson in self.store.lessons(&self.project, &query)? {
            if lesson.superseded_by.as_ref() != Some(successor) {
                continue;
            }
            let reason = format!("{successor}, which stood for it, was rejected by {}", review.by);
            let (from, to) = (lesson.state, State::UnderReview);
            let step = Transition { lesson: lesson.id.clone(), from, to, reason };
            let now = self.present(status);
            let mut after = lifecycle::entered(&lesson, &step, now, &self.policy.review);
            after.superseded_by = None;
            // Doubt can end where it stood before, and no higher.
            after.upkeep.reviewed_from = Some(stood_at(&lesson));
            changes.extend(Change::edit_lesson(&lesson, &after, &step.reason));
        }
        Ok(changes)
    }

    /// Puts a lesson in doubt by hand.
    pub fn doubt(&mut self, name: &str, because: &str) -> Result<Answer<Lesson>, EngineError> {
        let (_, lesson) = self.write(&Command::new("review request"), &mut |engine, status| {
            let lesson = engine.lesson_named(name)?;
            let can_doubt = lifecycle::is_legal(lesson.state, State::UnderReview);
            if lesson.state.is_put_away() || !can_doubt {
                let reason = format!("it is {}: there is nothing to doubt", lesson.state);
                return Err(refused(&lesson, &reason));
            }
            let because = engine.gate.word(because).ok_or_else(|| refused(&lesson, "say why"))?;
            let reason = format!("review asked for by {}: {because}", engine.actor);
            let (from, to) = (lesson.state, State::UnderReview);
            let step = Transition { lesson: lesson.id.clone(), from, to, reason };
            let after =
                lifecycle::entered(&lesson, &step, engine.present(status), &engine.policy.review);
            let change = Change::edit_lesson(&lesson, &after, &step.reason);
            Ok((change.into_iter().collect(), after))
        })?;
        Ok(Answer::of(lesson, Vec::new()))
    }
}

/// What a superseded lesson was before.
fn stood_at(lesson: &Lesson) -> State {
    let end = lesson.reviews.iter().rev().find(|review| review.to == State::Superseded);
    match end.map(|review| review.from) {
        Some(State::Provisional | State::Stable | State::Canonical) => State::Provisional,
        _ => State::Candidate,
    }
}

pub(crate) fn refused(lesson: &Lesson, reason: &str) -> EngineError {
    EngineError::DecisionRefused { lesson: lesson.id.to_string(), reason: reason.to_owned() }
}
