//! What others wrote beside the documents of lessons, as runs, sightings and effects: evidence
//! that was counted there must not be counted here a second time.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Change;
use hardwon_core::credit::confidence;
use hardwon_core::digest::sha256;
use hardwon_core::effect::{Effect, EffectCounts, EffectKind, FollowUp};
use hardwon_core::event::Problem;
use hardwon_core::foreign::GeasLog;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Carried;
use hardwon_core::run::Run;
use hardwon_core::time::Timestamp;

use super::logs::{effect_kind, surface};
use super::translate::run_of;
use super::{GeasLayout, names};
use crate::sighting;
use crate::store::News;

/// Adds a sighting for each run that a document names, but the last: that is known by the lesson.
pub(super) fn sightings(news: &mut News<'_, GeasLayout>) {
    let mut seen: BTreeSet<(RunId, LessonId)> = BTreeSet::new();
    for finding in news.tables.findings.values() {
        seen.extend(finding.lesson.clone().map(|lesson| (finding.root.clone(), lesson)));
    }
    for ((shelf, place), id) in news.known.clone() {
        let Some(record) = &news.rows.shelves[shelf].lines[place].record else { continue };
        let lesson = news.lessons[&id].clone();
        let at = record.header.created_at.unwrap_or(news.context.now);
        for run in record.evidence_refs.iter().filter_map(|it| run_of(news.context, it)) {
            let is_last = lesson.last_seen_run.as_ref() == Some(&run);
            if !is_last && seen.insert((run.clone(), id.clone())) {
                let run = known_run(news, &run, at);
                let finding = Box::new(sighting("geas", &lesson, &run));
                news.changes.push(Change::AddFinding { finding });
            }
        }
    }
}

/// The run, which is added if nothing is known of it.
fn known_run(news: &mut News<'_, GeasLayout>, id: &RunId, at: Timestamp) -> Run {
    if let Some(run) = news.runs.get(id) {
        return run.clone();
    }
    let (mission, task) = names::parts(id);
    let mut run = Run { task: Some(task), ..Run::stub(id.clone(), at) };
    run.episode.session = mission;
    news.changes.push(Change::AddRun { run: Box::new(run.clone()) });
    news.runs.insert(id.clone(), run.clone());
    run
}

/// Adds an effect for each log that is not ours, and notes what geas counted beyond all logs.
pub(super) fn applications(news: &mut News<'_, GeasLayout>) {
    let mut effects: BTreeMap<LessonId, Vec<Effect>> = BTreeMap::new();
    for effect in news.tables.effects.values().filter(|effect| effect.was_shown()) {
        effects.entry(effect.lesson.clone()).or_default().push(effect.clone());
    }
    let mut new: BTreeMap<LessonId, Vec<Effect>> = BTreeMap::new();
    for (lesson, log) in others(news, &effects) {
        let Some(kind) = effect_kind(&log) else { continue };
        let known = effects.entry(lesson.clone()).or_default();
        let run = root_for(news, &log, known);
        let effect = effect(&lesson, &run, kind, &log, news);
        known.push(effect.clone());
        new.entry(lesson).or_default().push(effect.clone());
        news.changes.push(Change::AddEffect { effect });
    }
    let ids: BTreeSet<LessonId> = news.known.values().cloned().collect();
    for id in ids {
        let of = |all: &BTreeMap<LessonId, Vec<Effect>>| all.get(&id).cloned().unwrap_or_default();
        settle(news, &id, &of(&effects), &of(&new));
    }
}

/// Logs for which there is no effect: of each lesson and task as many as there are more logs
/// than effects.
fn others(
    news: &mut News<'_, GeasLayout>,
    effects: &BTreeMap<LessonId, Vec<Effect>>,
) -> Vec<(LessonId, GeasLog)> {
    let mut by_alias: BTreeMap<&str, &LessonId> = BTreeMap::new();
    for id in news.known.values() {
        by_alias.extend(news.lessons[id].aliases.iter().map(|alias| (alias.as_str(), id)));
    }
    let mut n_known: BTreeMap<(LessonId, String), usize> = BTreeMap::new();
    for effect in effects.values().flatten() {
        let task = names::parts(&effect.root).1;
        *n_known.entry((effect.lesson.clone(), task)).or_default() += 1;
    }
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for (name, log) in &news.rows.side.logs {
        let Some(id) = by_alias.get(log.memory_id.as_str()) else {
            problems
                .push(Problem::new(name, "it is about a lesson that is not here; kept as it is"));
            continue;
        };
        let task = news.context.run(&log.task_id).map(|run| names::parts(&run).1);
        let task = task.unwrap_or_else(|| log.task_id.clone());
        match n_known.get_mut(&((*id).clone(), task)) {
            Some(n) if *n > 0 => *n -= 1,
            _ => found.push(((*id).clone(), log.clone())),
        }
    }
    news.problems.extend(problems);
    found
}

/// The run in which it was applied; another one where the lesson has an effect there already.
fn root_for(news: &mut News<'_, GeasLayout>, log: &GeasLog, known: &[Effect]) -> Run {
    let at = log.header.created_at.unwrap_or(news.context.now);
    let is_free = |run: &RunId| known.iter().all(|effect| effect.root != *run);
    let usual = news.context.run(&log.task_id).filter(is_free);
    let id = usual.unwrap_or_else(|| {
        let of_log = [log.task_id.as_str(), log.memory_id.as_str(), log.notes.as_str()];
        let derived =
            (0_u32..).map(|n| RunId::derived(&sha256(&[&of_log.concat(), &n.to_string()])));
        derived.into_iter().find(is_free).unwrap_or_else(|| RunId::derived(&sha256(&of_log)))
    });
    let run = known_run(news, &id, at);
    news.runs.get(&run.root).cloned().unwrap_or(run)
}

fn effect(
    lesson: &LessonId,
    run: &Run,
    kind: EffectKind,
    log: &GeasLog,
    news: &News<'_, GeasLayout>,
) -> Effect {
    Effect {
        lesson: lesson.clone(),
        root: run.root.clone(),
        run_number: run.number.unwrap_or(0),
        kind,
        why: news.context.gate.line(&log.notes).as_str().to_owned(),
        is_named: true,
        surface: surface(&log.surface),
        follow_up: FollowUp::from_word(&log.followup).unwrap_or_default(),
        is_regression: false,
        arm: None,
        // Harm that nobody is sure of moves no confidence.
        weight: if log.effect == "neutral_but_risky" { 0.0 } else { 1.0 },
    }
}

/// Whatever a document counts beyond its logs is carried on. A log that no document counts is
/// counted here.
fn settle(news: &mut News<'_, GeasLayout>, id: &LessonId, effects: &[Effect], new: &[Effect]) {
    let before = news.lessons[id].clone();
    let counts = |of: &[Effect]| EffectCounts::of(of.iter().map(|effect| effect.kind));
    let steps = |of: &[Effect]| -> Vec<(EffectKind, f64)> {
        of.iter().map(|effect| (effect.kind, effect.weight)).collect()
    };
    let was = news.tables.lessons.get(id);
    let is_told = was.is_none_or(|was| was.effects != before.effects);
    let credit = &news.context.policy.credit;
    let mut after = before.clone();
    if is_told {
        after.upkeep.carried = Carried::between(before.effects, counts(effects));
    } else {
        after.effects = before.effects.plus(counts(new));
        after.confidence = confidence(before.confidence, steps(new), credit);
    }
    if was.is_none() {
        // What it was before those effects, so that the next one is one step.
        let moved = confidence(0.5, steps(effects), credit) - 0.5;
        let base = (before.confidence - moved).clamp(0.0, 1.0);
        after.base_confidence = (base * 1000.0).round() / 1000.0;
    }
    news.update(&before, after, "counted by geas");
}
