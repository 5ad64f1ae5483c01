//! States what a lesson did in a run. The statement stays when the effects of
//! that run are derived anew.

use hardwon_core::credit;
use hardwon_core::effect::EffectKind;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Lesson;
use hardwon_render::answer::Answer;

use crate::lookup;
use crate::memory::{Call, EngineError, Memory, Result};
use crate::proposal;
use crate::runs::learn::state_effect;

/// A stated effect.
#[derive(Clone, Debug)]
pub struct MarkRequest {
    /// Id, beginning of an id, or alias.
    pub lesson: String,
    pub effect: EffectKind,
    pub run: RunId,
    pub because: String,
}

/// States what a lesson did in a run in which it was shown. Stating the same again
/// changes nothing; stating something else replaces it.
pub fn mark(memory: &mut Memory, call: &Call, request: &MarkRequest) -> Result<Answer<Lesson>> {
    if request.effect == EffectKind::Helped {
        // Three such words would make a lesson stable.
        call.refuse_agent("saying that a lesson helped")?;
    }
    let lesson = lookup::lesson_named(memory, call, &request.lesson)?;
    let run = memory.safe_run(&request.run);
    refuse_unshown(memory, call, &lesson, &run)?;
    let Some(because) = memory.gate.word(&request.because) else {
        return refuse(&lesson, "say why in a few words".to_owned());
    };
    if call.is_agent() && lesson.is_persons() && request.effect.is_failure() {
        return proposal::doubt(memory, call, &lesson, &because);
    }
    state_effect(memory, call, &run, &lesson.id, request.effect, &because)?;
    let after = lookup::find_lesson(memory, call, &lesson.id)?.unwrap_or(lesson);
    Ok(Answer::of(after, Vec::new()))
}

/// Only what was shown can have done anything.
fn refuse_unshown(memory: &Memory, call: &Call, lesson: &Lesson, run: &RunId) -> Result<()> {
    let tree = memory.store.tree(&call.project, run)?;
    if tree.runs.is_empty() && tree.injections.is_empty() {
        return Err(EngineError::UnknownRun { name: run.to_string() });
    }
    match credit::exposures(&tree.injections).get(&lesson.id) {
        None => refuse(lesson, format!("it was not shown in {run}, so it did nothing there")),
        Some(met) if met.is_held_out() => {
            refuse(lesson, format!("it was held out of {run}, so it did nothing there"))
        }
        Some(_) => Ok(()),
    }
}

fn refuse<T>(lesson: &Lesson, reason: String) -> Result<T> {
    Err(EngineError::DecisionRefused { lesson: lesson.id.to_string(), reason })
}
