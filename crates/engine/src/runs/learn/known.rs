//! What is said or found out about a run that was learned before.

use hardwon_core::effect::{Effect, EffectKind};
use hardwon_core::find::FoundRun;
use hardwon_core::ids::{LessonId, OperationId, RunId};
use hardwon_core::lesson::Origin;
use hardwon_core::reflect::Scenario;
use hardwon_core::reflect::advice::Advice;
use hardwon_core::reflect::scenario_stated;
use hardwon_core::run::Run;
use hardwon_render::answer::{AdviceTaken, Answer, RunLearned};

use super::header::{Kept, RunInput};
use super::reflect::LookBack;
use super::step;
use crate::call::Call;
use crate::error::Result;
use crate::memory::Memory;
use crate::write::{Command, Written, write};

/// The effects of a known run, derived anew and recorded.
pub(crate) fn rederive(memory: &mut Memory, call: &Call, run: &RunId) -> Result<Vec<Effect>> {
    let found = FoundRun::silent(run);
    let kept = Kept::default();
    let input = RunInput::about(&found, &kept);
    let (_, effects) = write(memory, call, &Command::new("check"), &mut |memory, status| {
        let mut step = step::Step::begin(memory, call, status, &input)?;
        step.credit()?;
        let effects = step.header.tree.effects.iter().filter(|effect| effect.was_shown());
        let effects = effects.cloned().collect();
        let (changes, _) = step.finish();
        Ok((changes, effects))
    })?;
    Ok(effects)
}

/// Records what a lesson did in a run by the caller's word.
pub(crate) fn state_effect(
    memory: &mut Memory,
    call: &Call,
    run: &RunId,
    lesson: &LessonId,
    kind: EffectKind,
    because: &str,
) -> Result<()> {
    let found = FoundRun::silent(run);
    let kept = Kept::default();
    let input = RunInput::about(&found, &kept);
    write(memory, call, &Command::new("mark"), &mut |memory, status| {
        let mut step = step::Step::look(memory, call, status, &input)?;
        step.state(lesson, kind, because)?;
        Ok((step.finish().0, ()))
    })?;
    Ok(())
}

/// What a reflection on a known run did to lessons, and what it found or why it was
/// not done.
type LookedBack = (RunLearned, LookBack);

/// Takes what a model, or the agent of the run itself, says about a root run that was learned
/// before. The same again changes nothing.
pub fn advise(
    memory: &mut Memory,
    call: &Call,
    root: &RunId,
    by: &str,
    advice: &Advice,
) -> Result<Answer<AdviceTaken>> {
    let found = FoundRun { origin: Origin::Agent, ..FoundRun::silent(root) };
    let kept = Kept::default();
    let input = RunInput::about(&found, &kept);
    let command = Command::new("reflect");
    let (operation, (learned, (considered, lessons), problems)) =
        write(memory, call, &command, &mut |memory, status| {
            let mut step = step::Step::look(memory, call, status, &input)?;
            let considered = step.advise(by, advice)?;
            let (changes, (answer, problems)) = step.finish();
            Ok((changes, (answer, considered, problems)))
        })?;
    let operation = operation.map(|operation| operation.0);
    let taken = AdviceTaken { learned, considered, lessons, operation };
    Ok(Answer::of(taken, problems))
}

/// Looks back on a root run that was learned before.
pub(crate) fn reflect_on(
    memory: &mut Memory,
    call: &Call,
    root: &Run,
    scenario: Option<Scenario>,
    continues: Option<OperationId>,
) -> Result<Written<LookedBack>> {
    // A trail without an author is an agent's word.
    let found = FoundRun { origin: Origin::Agent, ..FoundRun::silent(&root.id) };
    let kept = Kept::default();
    let input = RunInput::about(&found, &kept);
    let told_by = scenario.unwrap_or_else(|| scenario_stated(Some(root.kind), root.outcome));
    let command = Command { continues, scenario: Some(told_by), ..Command::new("reflect") };
    write(memory, call, &command, &mut |memory, status| {
        let mut step = step::Step::look(memory, call, status, &input)?;
        let taken = step.reflect(scenario)?;
        let (changes, (answer, _)) = step.finish();
        Ok((changes, (answer, taken)))
    })
}
