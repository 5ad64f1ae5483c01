//! Runs by name: how one ended, what its lessons did, what came back in it; and the
//! sweep that lets lessons fade.

use std::collections::BTreeSet;

use hardwon_core::change::Change;
use hardwon_core::credit;
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::effect::{Effect, EffectKind};
use hardwon_core::event::Problem;
use hardwon_core::finding::FindingState;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::lifecycle::{self, Present};
use hardwon_core::policy::CreditMode;
use hardwon_core::run::{Outcome, Run};
use hardwon_render::answer::{
    self, Answer, Checked, Guarded, Id, Regression, Regressions, RunEnded, Swept, Transition, Word,
};
use hardwon_store::files::{self, Mode, NewFile, Place};
use hardwon_store::{Access, LessonQuery, Tree, each_page};

use crate::memory::{Call, EngineError, Memory, OpenMemory, Result};
use crate::open::{Options, StorePlace};
use crate::place::Environment;
use crate::runs::learn::{named, rederive, state_effect};
use crate::write::{Command, write};
use crate::{lookup, proposal};

/// States how a run ended. What was stated before stays, unless it `is_correction`. A
/// run that is not known is recorded with its outcome, and the answer says so: it may
/// only have asked for a block and got an empty one. It counts once it is learned.
pub fn outcome(
    memory: &mut Memory,
    call: &Call,
    run: &RunId,
    outcome: Outcome,
    is_correction: bool,
) -> Result<Answer<RunEnded>> {
    let run = &lookup::run_called(memory, call, run);
    let (mut is_learned, mut is_known) = (false, false);
    write(memory, call, &Command::new("outcome"), &mut |memory, _| {
        let tree = memory.store.tree(&call.project, run)?;
        is_known = !is_unknown(&tree);
        let before = tree.runs.into_iter().find(|known| known.id == *run);
        is_learned = before.as_ref().is_some_and(|known| known.is_learned);
        let stated = before.as_ref().and_then(|known| known.outcome);
        if let Some(stated) = stated.filter(|stated| *stated != outcome && !is_correction) {
            return Err(EngineError::OutcomeStated { run: run.to_string(), stated });
        }
        let stub = || Run::stub(run.clone(), call.now);
        let after = Run { outcome: Some(outcome), ..before.clone().unwrap_or_else(stub) };
        let after = Box::new(after);
        let change = match before {
            None => vec![Change::AddRun { run: after }],
            Some(before) if before == *after => Vec::new(),
            Some(before) => vec![Change::EditRun { before: Box::new(before), after }],
        };
        Ok((change, ()))
    })?;
    if is_learned && memory.policy.credit.mode != CreditMode::PerFinding {
        // There the outcome is what the effects are made of, or what grades them.
        rederive(memory, call, run)?;
    }
    let unknown = (!is_known).then(|| {
        Problem::new(run, "not known before: only its outcome is recorded, until it is learned")
    });
    Ok(Answer::of(
        RunEnded { run: Id(run.clone()), outcome: Word(outcome) },
        unknown.into_iter().collect(),
    ))
}

/// The effects of the lessons that were shown in a run, derived anew from what is
/// known and recorded. Asking twice gives the same answer.
pub fn check(memory: &mut Memory, call: &Call, run: &RunId) -> Result<Answer<Checked>> {
    let run = &lookup::run_called(memory, call, run);
    let tree = known_tree(memory, call, run)?;
    let is_learned = tree.runs.iter().any(|run| run.is_learned);
    let effects = if is_learned { rederive(memory, call, run)? } else { Vec::new() };
    let mut problems = Vec::new();
    if !is_learned {
        let reason = "the run was not learned yet: nothing to compare with; \
                      run `hardwon learn` first";
        problems.push(Problem::new(run, reason));
    }
    let shown = tree.injections.iter().flat_map(|injection| &injection.shown);
    let shown: BTreeSet<&LessonId> = shown.map(|shown| &shown.lesson).collect();
    let n_shown = shown.len();
    let ids: Vec<LessonId> = effects.iter().map(|effect| effect.lesson.clone()).collect();
    let lessons = lookup::lessons_with(memory, &call.project, ids)?;
    let with_name = |effect: &Effect| {
        let lesson = lessons.iter().find(|lesson| lesson.id == effect.lesson)?;
        let did = credit::attribution(effect, &tree.findings, &tree.runs);
        Some(answer::Effect::new(named(lesson), effect).with_attribution(did))
    };
    let effects: Vec<_> = effects.iter().filter_map(with_name).collect();
    let checked = Checked { run: Id(run.clone()), n_shown, effects };
    Ok(Answer::of(checked, problems).empty_if(|it| it.effects.is_empty()))
}

/// Findings of a run that had been fixed in an earlier one; of the newest learned
/// run if none is named.
pub fn regressions(
    memory: &Memory,
    call: &Call,
    run: Option<&RunId>,
) -> Result<Answer<Regressions>> {
    let tree = match run {
        Some(run) => known_tree(memory, call, &memory.safe_run(run))?,
        None => newest_tree(memory, call)?,
    };
    let regressed = tree.findings.iter().filter(|f| f.state == FindingState::Regressed);
    let regressions: Vec<Regression> = regressed.map(Regression::of).collect();
    Ok(Answer::of(Regressions { regressions }, Vec::new()).empty_if(|it| it.regressions.is_empty()))
}

fn newest_tree(memory: &Memory, call: &Call) -> Result<Tree> {
    let number = memory.store.status(&call.project)?.run_number;
    let newest = memory.store.numbered_runs(&call.project, number, number)?;
    match newest.first() {
        Some(run) => Ok(memory.store.tree(&call.project, &run.id)?),
        None => Ok(Tree::default()),
    }
}

fn known_tree(memory: &Memory, call: &Call, run: &RunId) -> Result<Tree> {
    let tree = memory.store.tree(&call.project, run)?;
    if is_unknown(&tree) {
        return Err(EngineError::UnknownRun { name: run.to_string() });
    }
    Ok(tree)
}

/// Lets fade what has lost its standing, proved wrong, or went unused beyond its review
/// date, and archives what was not decided in time. `learn` does this for what a run
/// touches; the sweep looks at every lesson.
pub fn decay(memory: &mut Memory, call: &Call) -> Result<Answer<Swept>> {
    let (_, swept) = write(memory, call, &Command::new("decay"), &mut |memory, status| {
        let query = LessonQuery::not_put_away();
        let now = Present { at: call.now, run_number: status.run_number };
        let policy = &memory.policy;
        let mut swept = Swept::default();
        let mut changes = Vec::new();
        each_page(&*memory.store, &call.project, query, &mut |page| -> Result<bool> {
            for lesson in page {
                let late = overdue(memory, call, &lesson, now)?;
                let moved = lifecycle::decay(&lesson, &policy.decay).or(late);
                let moved = moved.map_or_else(
                    || lookup::clash_of(memory, call, &lesson),
                    |step| Ok(Some(step)),
                )?;
                let Some(step) = moved else { continue };
                let after = lifecycle::entered(&lesson, &step, now, &policy.review);
                let because = step.reason.clone();
                changes.extend(Change::edit_lesson(&lesson, &after, &because));
                swept.transitions.push(Transition::new(named(&lesson), &step));
            }
            Ok(true)
        })?;
        Ok((changes, swept))
    })?;
    Ok(Answer::of(swept, Vec::new()).empty_if(|it| it.transitions.is_empty()))
}

/// What time alone does to a lesson; its date waits while it is not unseen for long.
fn overdue(
    memory: &Memory,
    call: &Call,
    lesson: &Lesson,
    now: Present,
) -> Result<Option<lifecycle::Transition>> {
    let Some(step) = lifecycle::overdue(lesson, now, &memory.policy) else {
        return Ok(None);
    };
    if step.to != State::Decayed {
        return Ok(Some(step));
    }
    let rates = lookup::rates_of(memory, call, vec![lesson.id.clone()])?;
    let decay = &memory.policy.decay;
    let is_usual =
        rates.values().any(|counts| lifecycle::is_usual(&counts.rate, now.run_number, decay));
    Ok((!is_usual).then_some(step))
}

fn is_unknown(tree: &Tree) -> bool {
    tree.runs.is_empty() && tree.injections.is_empty()
}

/// Whether the store wants a sweep that it did not have today.
pub fn lacks_sweep(environment: &Environment, options: &Options) -> bool {
    sweep_due(environment, options).is_some()
}

/// Sweeps the store, once a day.
pub fn sweep(environment: &Environment, options: &Options) -> Result<()> {
    let Some((mark, today)) = sweep_due(environment, options) else { return Ok(()) };
    let OpenMemory { mut memory, call } = OpenMemory::open(environment, options, Access::Write)?;
    decay(&mut memory, &call)?;
    NewFile::write_with_folder(&mark, today.as_bytes(), Mode::Exact(0o600))
        .and_then(NewFile::place)
        .map_err(|source| EngineError::File { path: mark.path().to_owned(), source })
}

/// Where the day of the last sweep stands, and today, if they differ.
fn sweep_due(environment: &Environment, options: &Options) -> Option<(Place, String)> {
    let place = options.store_place(&options.settings(environment), environment);
    let Ok(StorePlace::Foreign(layout, place)) = place else { return None };
    if !layout.is_swept_daily() || !place.base().is_dir() {
        return None;
    }
    let name = sha256_of_bytes(place.base().as_os_str().as_encoded_bytes());
    let folder = environment.data_folder().ok()?.join("sweeps");
    let mark = Place::own(folder.join(name.trim_start_matches("sha256:")));
    let today = environment.now().ok()?.date();
    let last = files::read(&mark, 64).unwrap_or_default();
    (last != today.as_bytes()).then_some((mark, today))
}

/// Whether a run is closed: learned, with an outcome, and every lesson that was shown
/// to it judged.
pub fn guard_run_closed(memory: &Memory, call: &Call, run: &RunId) -> Result<Answer<Guarded>> {
    let run = &memory.safe_run(run);
    let tree = memory.store.tree(&call.project, run)?;
    let own = tree.runs.iter().find(|known| known.id == *run);
    let mut missing = Vec::new();
    if own.is_none_or(|run| !run.is_learned) {
        missing.push(format!("{run} was not learned: `hardwon learn RECORD`"));
    }
    if own.is_none_or(|run| run.outcome.is_none()) {
        missing.push(format!("{run} has no outcome: `hardwon outcome {run} OUTCOME`"));
    }
    let shown = tree.injections.iter().flat_map(|injection| &injection.shown);
    let is_judged = |id: &LessonId| tree.effects.iter().any(|effect| effect.lesson == *id);
    let n_open = shown.filter(|shown| !is_judged(&shown.lesson)).count();
    if n_open > 0 && missing.is_empty() {
        missing.push(format!("{n_open} lessons were shown and not judged: `hardwon check {run}`"));
    }
    Ok(guarded(format!("run-closed {run}"), missing))
}

/// Whether no decision about a lesson is due.
pub fn guard_reviewed(memory: &Memory, call: &Call, name: &str) -> Result<Answer<Guarded>> {
    let lesson = lookup::lesson_named(memory, call, name)?;
    let waits = lifecycle::waiting(&lesson, &memory.policy, memory.settings.is_team());
    let whom = if memory.settings.is_team() {
        lifecycle::authority(&lesson, &memory.policy.routing)
    } else {
        "you"
    };
    let reason =
        |waits| format!("{} waits for {whom}: {waits}; `hardwon review list` has all", lesson.id);
    let missing = waits.map(reason).into_iter().collect();
    Ok(guarded(format!("reviewed {}", lesson.id), missing))
}

fn guarded(what: String, missing: Vec<String>) -> Answer<Guarded> {
    Answer::of(Guarded { what, is_met: missing.is_empty(), missing }, Vec::new())
}

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
