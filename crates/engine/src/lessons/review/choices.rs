//! What would each decision about a lesson do now? Asked of the same rules that decide.

use hardwon_core::lesson::{Decision, Lesson, State};
use hardwon_core::lifecycle;
use hardwon_core::team::Team;
use hardwon_render::answer::{Choice, Word};
use hardwon_store::ProjectStatus;

use super::{DecideRequest, judged, waiting};
use crate::memory::{Call, EngineError, Memory, Result};
use crate::seat;

/// A reason has to be given; which one changes nothing.
const BECAUSE: &str = "to see what it would do";

/// Every decision that a lesson's state lets one think of, with what it would change, or why it
/// cannot be made now.
pub fn choices(memory: &Memory, call: &Call, lesson: &Lesson) -> Result<Vec<Choice>> {
    let status = memory.store.status(&call.project)?;
    let decisions = lifecycle::decisions(lesson, &memory.policy).into_iter();
    decisions.map(|decision| choice(memory, call, lesson, decision, &status)).collect()
}

fn choice(
    memory: &Memory,
    call: &Call,
    lesson: &Lesson,
    decision: Decision,
    status: &ProjectStatus,
) -> Result<Choice> {
    let request = DecideRequest {
        lesson: lesson.id.to_string(),
        decision,
        because: BECAUSE.to_owned(),
        by: None,
        with: None,
    };
    let members = seat::of(memory, call)?;
    let members = members.as_ref();
    let is_first_of_two = |to: State| {
        let is_joint = decision == Decision::Approve && lesson.state == State::Stable;
        waiting::is_shared(memory, members) && is_joint && to == State::Stable
    };
    let (to, unless) = match judged(memory, call, lesson, &request, status) {
        Ok(judged) if judged.is_proposal => {
            (None, Some("a person has to agree: it is noted as a proposal".to_owned()))
        }
        Ok(judged) if is_first_of_two(judged.after.state) => {
            (None, Some(awaits(memory, members, &judged.after)))
        }
        Ok(judged) => (Some(Word(judged.after.state)), None),
        Err(EngineError::Store(error)) => return Err(error.into()),
        Err(EngineError::DecisionRefused { reason, .. }) => (None, Some(reason)),
        Err(refused) => (None, Some(refused.to_string())),
    };
    Ok(Choice { decision: Word(decision), to, unless })
}

/// Who else must agree once it has been approved.
fn awaits(memory: &Memory, members: Option<&Team>, approved: &Lesson) -> String {
    let authority = lifecycle::authority(approved, &memory.policy.routing);
    match waiting::awaited(memory, members, approved, authority)[..] {
        [] => "another authority must agree, and the settings name nobody".to_owned(),
        ref people => format!("one of {} must agree as well", people.join(", ")),
    }
}
