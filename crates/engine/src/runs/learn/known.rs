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
use super::read::FromModel;
use super::reflect::LookBack;
use super::step::{Step, Told};
use crate::memory::{Call, Memory, Result};
use crate::write::{Command, Written, write};

/// Says or finds something out about a run that was learned before, as one write.
fn about<T>(
    memory: &mut Memory,
    call: &Call,
    found: &FoundRun,
    command: &Command<'_>,
    work: &mut dyn FnMut(&mut Step<'_>) -> Result<T>,
) -> Result<Written<(T, Told)>> {
    let kept = Kept::default();
    let input = RunInput::about(found, &kept);
    write(memory, call, command, &mut |memory, status| {
        let mut step = Step::look(memory, call, status, &input)?;
        let done = work(&mut step)?;
        let (changes, told) = step.finish();
        Ok((changes, (done, told)))
    })
}

/// The effects of a known run, derived anew and recorded.
pub(crate) fn rederive(memory: &mut Memory, call: &Call, run: &RunId) -> Result<Vec<Effect>> {
    let (found, command) = (FoundRun::silent(run), Command::new("check"));
    let (_, (effects, _)) = about(memory, call, &found, &command, &mut |step| {
        step.begin()?;
        step.credit()?;
        let effects = step.header.tree.effects.iter().filter(|effect| effect.was_shown());
        Ok(effects.cloned().collect())
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
    let (found, command) = (FoundRun::silent(run), Command::new("mark"));
    let mut state = |step: &mut Step<'_>| step.state(lesson, kind, because);
    about(memory, call, &found, &command, &mut state).map(drop)
}

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
    let mut advise = |step: &mut Step<'_>| step.advise(by, advice);
    let (operation, ((considered, lessons), (learned, problems))) =
        about(memory, call, &found, &Command::new("reflect"), &mut advise)?;
    let operation = operation.map(|operation| operation.0);
    let taken = AdviceTaken { learned, considered, lessons, operation };
    Ok(Answer::of(taken, problems))
}

/// Takes what a model read out of a session that was learned before.
pub fn take_reading(
    memory: &mut Memory,
    call: &Call,
    root: &RunId,
    by: &str,
    read: &FromModel<'_>,
) -> Result<Answer<AdviceTaken>> {
    let found = FoundRun { origin: Origin::Agent, ..FoundRun::silent(root) };
    let mut take = |step: &mut Step<'_>| step.take_reading(by, read);
    let (operation, ((considered, lessons), (learned, problems))) =
        about(memory, call, &found, &Command::new("reflect"), &mut take)?;
    let operation = operation.map(|operation| operation.0);
    let taken = AdviceTaken { learned, considered, lessons, operation };
    Ok(Answer::of(taken, problems))
}

/// Looks back on a root run that was learned before: what that did to lessons, and what it found or
/// why it was not done.
pub(crate) fn reflect_on(
    memory: &mut Memory,
    call: &Call,
    root: &Run,
    scenario: Option<Scenario>,
    continues: Option<OperationId>,
) -> Result<Written<(RunLearned, LookBack)>> {
    // A trail without an author is an agent's word.
    let found = FoundRun { origin: Origin::Agent, ..FoundRun::silent(&root.id) };
    let told_by = scenario.unwrap_or_else(|| scenario_stated(Some(root.kind), root.outcome));
    let command = Command { continues, scenario: Some(told_by), ..Command::new("reflect") };
    let mut reflect = |step: &mut Step<'_>| step.reflect(scenario);
    let (operation, (looked, (learned, _))) = about(memory, call, &found, &command, &mut reflect)?;
    Ok((operation, (learned, looked)))
}
