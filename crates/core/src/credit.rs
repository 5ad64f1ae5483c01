//! Did it help? For each lesson that was shown in a root run that ended, or that chance
//! had kept back: one effect, with its reason. What is concluded from what is in
//! `conclude`; here is how the lesson met the run, and what effects do to it.

mod attribution;
mod conclude;
mod relevance;
mod reviewer;

use std::collections::{BTreeMap, BTreeSet};

use crate::effect::{Arm, Effect, EffectCounts, EffectKind, FollowUp, Injection, Surface};
use crate::episode::Step;
use crate::finding::Finding;
use crate::ids::{LessonId, RunId};
use crate::lesson::{Lesson, Unseen, Upkeep};
use crate::policy::{CreditMode, CreditPolicy, DecayCounts, DecayPolicy, ReviewPolicy};
use crate::rank::same_file;
use crate::reflect::AUTHOR;
use crate::run::Run;
use crate::scope::Dimension;
use crate::signature::rule_parts;
use crate::time::Timestamp;
use crate::{lifecycle, lift, observe};

pub use attribution::{Attribution, attribution, count_companions};

/// How often a lesson must have helped to be proved: as often as jkz wants a pattern
/// reinforced before it no longer decays.
const PROVED_AT: usize = 3;

/// What happened in one root run, all its runs taken together.
#[derive(Clone, Debug)]
pub struct Happened<'a> {
    pub root: &'a RunId,
    pub number: u64,
    pub runs: &'a [Run],
    pub findings: &'a [Finding],
    /// What a reviewer or user stated about a lesson, and why.
    pub named: &'a BTreeMap<LessonId, (EffectKind, String)>,
}

/// How a lesson met a root run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exposure {
    /// What chance decided, if it was left to chance.
    pub arm: Option<Arm>,
    /// Into what the block was put.
    pub surface: Surface,
}

impl Exposure {
    /// Whether the lesson was in no block of the run.
    pub fn is_held_out(&self) -> bool {
        self.arm == Some(Arm::HeldOut)
    }
}

/// Where one lesson was shown and held out.
#[derive(Default)]
struct Met {
    shown: Option<Surface>,
    held_out: Option<Surface>,
    /// Some block would have shown it in any case.
    is_certain: bool,
}

impl Met {
    fn exposure(&self) -> Exposure {
        let arm = match (self.shown, self.held_out) {
            (None, _) => Some(Arm::HeldOut),
            (Some(_), None) if !self.is_certain => Some(Arm::Shown),
            // Shown to one role and held out for another: the run knew it.
            (Some(_), _) => None,
        };
        let surface = self.shown.or(self.held_out).unwrap_or_default();
        Exposure { arm, surface }
    }
}

/// How each lesson met a root run, by all its injections, oldest first.
pub fn exposures(injections: &[Injection]) -> BTreeMap<LessonId, Exposure> {
    let mut met: BTreeMap<&LessonId, Met> = BTreeMap::new();
    for injection in injections {
        for shown in &injection.shown {
            let met = met.entry(&shown.lesson).or_default();
            met.shown.get_or_insert(injection.surface);
            met.is_certain |= !shown.is_randomised;
        }
        for lesson in &injection.held_out {
            met.entry(lesson).or_default().held_out.get_or_insert(injection.surface);
        }
    }
    met.into_iter().map(|(lesson, met)| (lesson.clone(), met.exposure())).collect()
}

/// Lessons that are to blame for a finding that was ruled false, shown or not: where the
/// verdicts of reviewers decide, what a finding is recognized as is what led to it.
pub fn blamed(findings: &[Finding], policy: &CreditPolicy) -> BTreeSet<LessonId> {
    if policy.mode != CreditMode::FalsePositive {
        return BTreeSet::new();
    }
    let ruled = findings.iter().filter(|finding| conclude::is_ruled_false(finding, policy));
    ruled.filter_map(|finding| finding.lesson.clone()).collect()
}

/// Why a lesson could not have been tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missed {
    /// None of its detectors ran.
    Detectors,
    /// None of its files was touched.
    Paths,
    /// Its tool was not used.
    Tool,
    /// The run did nothing that it is about.
    Untried,
}

/// The effect of having shown a lesson in this root run, or of having held it out.
pub fn effect(
    lesson: &Lesson,
    happened: &Happened<'_>,
    exposure: Exposure,
    policy: &CreditPolicy,
) -> Effect {
    let is_held_out = exposure.is_held_out();
    let is_named = !is_held_out && happened.named.contains_key(&lesson.id);
    let concluded = if is_held_out {
        conclude::held_out(lesson, happened, policy)
    } else {
        conclude::shown(lesson, happened, policy)
    };
    let arm = match exposure.arm {
        Some(Arm::HeldOut) => Some(Arm::HeldOut),
        // A statement is not a measurement, nor is how the whole run ended.
        Some(Arm::Shown) if is_named || policy.mode != CreditMode::PerFinding => None,
        arm => arm,
    };
    let kind = concluded.kind;
    let stated = stated_effect(
        &lesson.id,
        happened.root,
        happened.number,
        kind,
        &concluded.why,
        exposure.surface,
    );
    let follow_up = if is_held_out { FollowUp::None } else { stated.follow_up };
    Effect { is_named, follow_up, arm, weight: concluded.weight, ..stated }
}

/// What an effect asks for.
pub fn follow_up(kind: EffectKind) -> FollowUp {
    match kind {
        EffectKind::Helped => FollowUp::Strengthen,
        EffectKind::NoHelp | EffectKind::Hurt => FollowUp::Weaken,
        EffectKind::Contradicted => FollowUp::ReviewRequired,
        EffectKind::Neutral | EffectKind::NoOpportunity => FollowUp::None,
    }
}

/// An effect in the light of those before it, oldest first: whether it fails a lesson that
/// had proved itself, and whether it is the one that puts the lesson in doubt.
pub fn in_sequence(
    effect: Effect,
    lesson: &Lesson,
    earlier: &[&Effect],
    policy: &CreditPolicy,
    review: &ReviewPolicy,
) -> Effect {
    if !effect.was_shown() || !effect.kind.is_failure() {
        return effect;
    }
    let has_helped = |e: &&&Effect| e.was_shown() && e.kind == EffectKind::Helped;
    let is_regression = earlier.iter().filter(has_helped).count() >= PROVED_AT;
    let all: Vec<&Effect> = earlier.iter().copied().chain([&effect]).collect();
    let after = counted(lesson, &all, policy);
    let follow_up = match lifecycle::reason_to_doubt(&after, review) {
        Some(_) => FollowUp::ReviewRequired,
        None if policy.contradiction_weakens => FollowUp::Weaken,
        None => effect.follow_up,
    };
    Effect { follow_up, is_regression, ..effect }
}

/// Which of a lesson's detectors ran in these runs; or why it could not have been seen. A run that
/// says nothing of its work excludes nothing; of one that does, only what fits was put to the test.
pub fn opportunity(lesson: &Lesson, runs: &[Run]) -> Result<BTreeSet<String>, Missed> {
    let ran = |detector: &&String| {
        let mut all = runs.iter().flat_map(|run| &run.detectors);
        all.any(|name| name.eq_ignore_ascii_case(detector))
    };
    let looked: BTreeSet<String> = lesson.detectors.iter().filter(ran).cloned().collect();
    if looked.is_empty() {
        return Err(Missed::Detectors);
    }
    if looked.iter().all(|name| name == AUTHOR) && !is_tried(lesson, runs) {
        return Err(Missed::Untried);
    }
    let touched: Vec<&String> = runs.iter().flat_map(|run| &run.paths).collect();
    // A rule of a tool is about every file of its sort.
    let is_rule = lesson.signatures.iter().any(|signature| rule_parts(signature).is_some());
    let is_alike = |a: &str, b: &str| is_rule && ending(a).is_some() && ending(a) == ending(b);
    let is_touched =
        |known: &String| touched.iter().any(|path| same_file(known, path) || is_alike(known, path));
    if !touched.is_empty() && !lesson.paths.is_empty() && !lesson.paths.iter().any(is_touched) {
        return Err(Missed::Paths);
    }
    let mut used = runs.iter().flat_map(|run| &run.tools).peekable();
    let tool = lesson.scope.0.get(&Dimension::Tool);
    if tool.is_some_and(|it| used.peek().is_some() && !used.any(|u| u.eq_ignore_ascii_case(it))) {
        return Err(Missed::Tool);
    }
    let is_placed = !touched.is_empty() && !lesson.paths.is_empty() || tool.is_some() || is_rule;
    let is_done = looked.iter().all(|name| name == AUTHOR);
    if !is_placed && !is_done && relevance::is_other_work(lesson, runs) {
        return Err(Missed::Untried);
    }
    Ok(looked)
}

/// `go` of `cmd/a.go`.
fn ending(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    name.rsplit_once('.').map(|(_, ending)| ending)
}

/// Whether any of the runs did what a lesson of sessions is about: something with the command that
/// it warns of, or what it quotes first. One that quotes nothing is about any run.
fn is_tried(lesson: &Lesson, runs: &[Run]) -> bool {
    if observe::is_of_command(lesson) {
        return observe::tried(lesson, steps(runs)).is_some();
    }
    let Some(quoted) = lesson.text.as_str().split('`').nth(1) else { return true };
    steps(runs).any(|step| step.action.contains(quoted) || observe::runs(&step.action, quoted))
}

/// All that was done in these runs.
fn steps(runs: &[Run]) -> impl Iterator<Item = &Step> {
    runs.iter().flat_map(|run| &run.episode.trail)
}

/// The lesson after all its effects, oldest first, held-out ones among them. `latest` is
/// the root run that was just judged: only what that run did with the lesson is use.
pub fn credited(
    lesson: &Lesson,
    effects: &[&Effect],
    latest: (&RunId, u64),
    at: Timestamp,
    policy: &CreditPolicy,
) -> Lesson {
    let (root, number) = latest;
    let newest = effects.iter().rfind(|effect| effect.was_shown());
    let newest = newest.filter(|effect| effect.root == *root).map(|effect| effect.kind);
    // A lesson that works must not decay because its mistake no longer occurs.
    let has_helped = newest == Some(EffectKind::Helped) && policy.helped_renews;
    let is_reset = has_helped && number >= lesson.unseen.checked_at;
    let unseen = if is_reset { Unseen { n_runs: 0, checked_at: number } } else { lesson.unseen };
    let is_used = newest.is_some_and(EffectKind::is_trial);
    let used_at = if is_used { Some(at) } else { lesson.upkeep.used_at };
    Lesson {
        unseen,
        upkeep: Upkeep { used_at, ..lesson.upkeep },
        updated_at: if policy.helped_renews { at } else { lesson.updated_at },
        ..counted(lesson, effects, policy)
    }
}

/// The lesson with its numbers as all its effects make them, oldest first. What was held
/// out counts for lift alone.
fn counted(lesson: &Lesson, effects: &[&Effect], policy: &CreditPolicy) -> Lesson {
    let shown = || effects.iter().filter(|effect| effect.was_shown());
    let steps = shown().map(|effect| (effect.kind, effect.weight));
    let known = EffectCounts::of(shown().map(|effect| effect.kind));
    Lesson {
        effects: lesson.upkeep.carried.added_to(known),
        arms: lift::arms(effects.iter().copied()),
        confidence: confidence(lesson.base_confidence, steps, policy),
        ..lesson.clone()
    }
}

/// Confidence after these effects, in order, each with its weight. Folded step by step,
/// so that what happened lately still counts after a long record.
pub fn confidence(
    base: f64,
    effects: impl IntoIterator<Item = (EffectKind, f64)>,
    policy: &CreditPolicy,
) -> f64 {
    effects.into_iter().fold(base, |confidence, (kind, weight)| {
        let gain = match kind {
            EffectKind::Helped => policy.helped,
            EffectKind::NoHelp => policy.no_help,
            EffectKind::Hurt => policy.hurt,
            EffectKind::Contradicted => policy.contradicted,
            EffectKind::Neutral | EffectKind::NoOpportunity => 0.0,
        };
        let is_true = kind == EffectKind::NoHelp;
        let floor = if is_true { confidence.min(policy.no_help_floor) } else { 0.0 };
        // Three decimals, so that ten tenths make one.
        ((confidence + gain * weight).clamp(floor, 1.0) * 1000.0).round() / 1000.0
    })
}

/// An effect that somebody states.
pub fn stated_effect(
    lesson: &LessonId,
    root: &RunId,
    run_number: u64,
    kind: EffectKind,
    because: &str,
    surface: Surface,
) -> Effect {
    Effect {
        lesson: lesson.clone(),
        root: root.clone(),
        run_number,
        kind,
        why: because.to_owned(),
        is_named: true,
        surface,
        follow_up: follow_up(kind),
        is_regression: false,
        arm: None,
        weight: 1.0,
    }
}

/// How many runs up to this number went by without the lesson since it was last checked. `runs`
/// are the runs of each number, `was_shown` whether the lesson was shown in those.
pub fn n_unseen(
    lesson: &Lesson,
    number: u64,
    runs: &BTreeMap<u64, Vec<Run>>,
    was_shown: &dyn Fn(u64) -> bool,
    policy: &DecayPolicy,
) -> u32 {
    let since = lesson.unseen.checked_at + 1;
    if since > number {
        return 0;
    }
    let counts = |(at, runs): &(&u64, &Vec<Run>)| {
        !runs.iter().any(|run| was_unseen_elsewhere(lesson, run))
            && match policy.counts {
                DecayCounts::EveryRun => true,
                DecayCounts::Opportunities => opportunity(lesson, runs).is_ok() && !was_shown(**at),
            }
    };
    runs.range(since..=number).filter(counts).count() as u32
}

/// Whether another system counted this run among those that went by without the lesson.
fn was_unseen_elsewhere(lesson: &Lesson, run: &Run) -> bool {
    lesson.upkeep.inherited.is_some_and(|counted| run.ended_by(counted.unseen_until))
}
