//! What becomes of a change to a lesson that a person stands behind, if none asks for it: an
//! agent's is noted as a proposal, which `review` lists; a script is told what is missing.

use hardwon_core::change::Change;
use hardwon_core::event::Problem;
use hardwon_core::lesson::{Decision, Lesson};
use hardwon_core::lifecycle::Proposal;
use hardwon_core::voice::Voice;
use hardwon_render::answer::Answer;

use crate::memory::{Call, Memory, Result};
use crate::write::{Command, write};

/// The lesson with the proposal, or `None` if the caller may change it.
pub(crate) fn proposed(
    call: &Call,
    lesson: &Lesson,
    decision: Decision,
    because: &str,
) -> Result<Option<Lesson>> {
    if !lesson.is_persons() || call.speaker.voice == Voice::Person {
        return Ok(None);
    }
    if call.speaker.voice == Voice::Script {
        call.needs_person("changing what a person stated, approved or pinned")?;
    }
    let (by, because) = (call.actor.clone(), because.to_owned());
    let proposal = Proposal { decision, by, because, at: call.now };
    Ok(Some(lesson.with_proposal(proposal)))
}

/// Notes that an agent doubts a lesson, and leaves it as it is.
pub fn doubt(
    memory: &mut Memory,
    call: &Call,
    lesson: &Lesson,
    because: &str,
) -> Result<Answer<Lesson>> {
    let (_, after) = write(memory, call, &Command::new("mark"), &mut |_, _| {
        let after = proposed(call, lesson, Decision::Weaken, because)?;
        let after = after.unwrap_or_else(|| lesson.clone());
        let change = Change::edit_lesson(lesson, &after, "doubted by an agent");
        Ok((change.into_iter().collect(), after))
    })?;
    let problems = problem(call, &after);
    Ok(Answer::of(after, problems))
}

/// Says that a change was proposed and not made.
pub(crate) fn problem(call: &Call, lesson: &Lesson) -> Vec<Problem> {
    let is_new = |at| call.is_agent() && at == call.now;
    let is_own = lesson.open_proposals().iter().any(|one| one.by == call.actor && is_new(one.at));
    let reason = "a person stands behind it, so nothing was changed: the proposal waits in \
                  `hardwon review list`";
    is_own.then(|| Problem::new(&lesson.id, reason)).into_iter().collect()
}
