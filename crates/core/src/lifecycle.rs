//! Does a lesson move to another state? At most one transition a call, with its
//! reason. Also what unseen runs do to its standing. Which steps exist is in `steps`; what a
//! review decides is in `review`.

mod evolve;
mod proposal;
mod queue;
mod review;
mod steps;

use std::collections::{BTreeMap, BTreeSet};

use crate::conflict::{Precedence, oppose};
use crate::danger;
use crate::effect::EffectKind;
use crate::finding::{Finding, Grade};
use crate::ids::{LessonId, RunId};
use crate::lesson::{Lesson, Origin, State, Trust, Unseen, Upkeep};
use crate::observe::{self, says_nothing};
use crate::policy::{
    DecayPolicy, Policy, PromotionPolicy, RankOrder, RankPolicy, RenewedBy, ReviewPolicy,
};
use crate::run::Run;
use crate::tally::{Rate, all_runs, faded};
use crate::time::{MS_PER_DAY, Timestamp};

pub use evolve::{EvolutionPolicy, evolve, evolved, success_rate, success_rate_of};
pub use proposal::Proposal;
pub use queue::{Bound, Share, Waiting, authority, deadline, decisions, pending, share, waiting};
pub use review::{Approvals, Decided, RefusedDecision, decide, stood_at};
pub use steps::{Cause, STEPS, Step, is_legal};

/// One step in the lifecycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub lesson: LessonId,
    pub from: State,
    pub to: State,
    pub reason: String,
}

impl Transition {
    /// The lesson after the step.
    pub fn applied(&self, lesson: &Lesson, at: Timestamp) -> Lesson {
        Lesson { state: self.to, updated_at: at, ..lesson.clone() }
    }
}

/// When it is, by the clock and by the project's runs.
#[derive(Clone, Copy, Debug)]
pub struct Present {
    pub at: Timestamp,
    pub run_number: u64,
}

fn step(lesson: &Lesson, to: State, reason: String) -> Option<Transition> {
    debug_assert!(is_legal(lesson.state, to), "{} to {to} is not a step", lesson.state);
    Some(Transition { lesson: lesson.id.clone(), from: lesson.state, to, reason })
}

/// The lesson after a transition, with what its new state needs: when it is due for review,
/// and what it was before.
pub fn entered(
    lesson: &Lesson,
    transition: &Transition,
    now: Present,
    policy: &ReviewPolicy,
) -> Lesson {
    let mut next = transition.applied(lesson, now.at);
    next.upkeep = match transition.to {
        State::UnderReview => Upkeep {
            reviewing_since: Some(now.at),
            reviewed_from: Some(lesson.state),
            n_visits: lesson.upkeep.n_visits + 1,
            ..lesson.upkeep
        },
        to => Upkeep {
            review_after: days(to, policy).map(|days| later(now.at, days)),
            set_at_run: now.run_number,
            reviewing_since: None,
            reviewed_from: None,
            ..lesson.upkeep
        },
    };
    next
}

/// What may move a review date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    Use,
    Sighting,
}

/// The lesson after a sighting or a use, which moves its date on where the policy says so.
pub fn renewed(lesson: Lesson, by: Renewal, now: Present, policy: &ReviewPolicy) -> Lesson {
    let is_renewed = match policy.renewed_by {
        RenewedBy::Nothing => false,
        RenewedBy::Use => by == Renewal::Use,
        RenewedBy::UseAndSighting => true,
    };
    let Some(days) = days(lesson.state, policy).filter(|_| is_renewed) else {
        return lesson;
    };
    let review_after = Some(later(now.at, days)).max(lesson.upkeep.review_after);
    let set_at_run = now.run_number.max(lesson.upkeep.set_at_run);
    Lesson { upkeep: Upkeep { review_after, set_at_run, ..lesson.upkeep }, ..lesson }
}

/// Days for which a lesson may go unused in this state.
fn days(state: State, policy: &ReviewPolicy) -> Option<u32> {
    let days = match state {
        State::Provisional => policy.provisional_days,
        State::Stable => policy.stable_days,
        State::Canonical => policy.canonical_days,
        _ => 0,
    };
    (days > 0).then_some(days)
}

fn later(at: Timestamp, days: u32) -> Timestamp {
    Timestamp(at.0.saturating_add(i64::from(days) * MS_PER_DAY))
}

/// Whether a lesson rises. `recent` are its last effects, newest last.
pub fn promotion(
    lesson: &Lesson,
    recent: &[EffectKind],
    policy: &PromotionPolicy,
) -> Option<Transition> {
    match lesson.state {
        State::Candidate => to_provisional(lesson, policy),
        State::Provisional => to_stable(lesson, recent, policy),
        _ => None,
    }
}

fn to_provisional(lesson: &Lesson, policy: &PromotionPolicy) -> Option<Transition> {
    if not_confirmed(lesson, policy).is_some() {
        return None;
    }
    let reason = match lesson.origin {
        Origin::User => "stated by a person and seen in a run".to_owned(),
        _ => format!("seen in {} runs", lesson.standing),
    };
    step(lesson, State::Provisional, reason)
}

/// Whether a lesson falls because two of its sightings turned out to be one.
pub fn recounted(lesson: &Lesson, because: &str, policy: &PromotionPolicy) -> Option<Transition> {
    let is_risen = lesson.state == State::Provisional && lesson.trust < Trust::Trusted;
    let is_confirmed = lesson.n_sightings >= policy.provisional_at;
    if !is_risen || is_confirmed {
        return None;
    }
    step(lesson, State::Candidate, because.to_owned())
}

/// Why a candidate does not become provisional; nothing if it does when it is looked at next.
pub fn not_confirmed(lesson: &Lesson, policy: &PromotionPolicy) -> Option<String> {
    let (seen, standing, wanted) = (lesson.n_sightings, lesson.standing, policy.provisional_at);
    let (confidence, bar) = (lesson.confidence, policy.min_confidence);
    let is_failed = |rule| evolve::is_failed_draft(lesson, rule);
    let is_self_made = lesson.project.is_none() && lesson.trust < Trust::Trusted;
    let is_half = lesson.trust == Trust::Claimed
        && says_nothing(lesson.text.as_str(), lesson.guidance.repair.as_deref());
    Some(if policy.evolution.as_ref().is_some_and(is_failed) {
        format!("a draft that was tried in {} runs and failed", lesson.effects.n_tried())
    } else if policy.global_needs_approval && is_self_made {
        "meant for every project, which a person has to approve".to_owned()
    } else if standing < wanted && seen > standing {
        format!("seen in {seen} runs, but {standing} of {wanted} count: it faded since")
    } else if standing < wanted {
        format!("it has {standing} of the {wanted} sightings that it takes")
    } else if is_half {
        "it says that something fails, and neither why nor what to do".to_owned()
    } else if confidence < bar {
        format!("confidence {confidence:.2} is below {bar:.2}")
    } else if !is_supported(lesson, policy) {
        let wanted = policy.claimed_authors;
        format!("an agent's claim, seen in {seen} of {wanted} runs, and nothing shows it")
    } else {
        // However many say it, somebody has to answer for it.
        format!("{}, and no person approved it yet", danger::of_lesson(lesson)?)
    })
}

/// An agent's own claim needs another session that says it, independently of the first, or evidence
/// that can be checked. Names tell nothing: a model names its sub-agents.
fn is_supported(lesson: &Lesson, policy: &PromotionPolicy) -> bool {
    let is_grounded = matches!(lesson.grade, Some(Grade::Executed | Grade::Cited));
    lesson.trust >= Trust::Pipeline || is_grounded || lesson.n_sightings >= policy.claimed_authors
}

fn to_stable(
    lesson: &Lesson,
    recent: &[EffectKind],
    policy: &PromotionPolicy,
) -> Option<Transition> {
    let it = lesson.effects;
    let mut latest = recent.iter().rev().take(policy.stable_window as usize);
    let is_broken =
        latest.any(|kind| matches!(kind, EffectKind::NoHelp | EffectKind::Contradicted));
    if policy.stable_at_helped == 0 || it.n_helped < policy.stable_at_helped || is_broken {
        return None;
    }
    // That its finding stayed away is no proof that the lesson works.
    let (n_survived, n) = (it.n_helped, it.n_helped + it.n_no_help);
    step(lesson, State::Stable, format!("survived {n_survived} of its {n} chances"))
}

/// Whether an effect puts a lesson in doubt: it hurt too often, or its confidence is too
/// low. A lesson in doubt is in no block.
pub fn doubt(lesson: &Lesson, policy: &ReviewPolicy) -> Option<Transition> {
    // A preference of a person is shown from the start, so it can do harm from the start.
    if !lesson.is_injectable() {
        return None;
    }
    step(lesson, State::UnderReview, reason_to_doubt(lesson, policy)?)
}

/// Why its numbers put a lesson in doubt, whatever state it is in.
pub fn reason_to_doubt(lesson: &Lesson, policy: &ReviewPolicy) -> Option<String> {
    let n_hurt = lesson.effects.n_hurt.saturating_sub(lesson.upkeep.n_hurt_forgiven);
    if policy.hurt_at > 0 && n_hurt >= policy.hurt_at {
        Some(format!("hurt in {n_hurt} runs"))
    } else if lesson.confidence < policy.min_confidence && !is_kept(lesson) {
        let (confidence, least) = (lesson.confidence, policy.min_confidence);
        Some(format!("confidence {confidence:.2} is below {least:.2}"))
    } else {
        None
    }
}

/// Whether a review kept it as it is, and nothing has been learned of it since. Only noted where
/// the policy says so.
fn is_kept(lesson: &Lesson) -> bool {
    lesson.upkeep.kept_at_effects == Some(lesson.effects.n_shown())
}

/// Whether a lesson decays: its standing is zero, or it proved wrong.
pub fn decay(lesson: &Lesson, policy: &DecayPolicy) -> Option<Transition> {
    if !lesson.state.is_on_ladder() || !policy.fades(lesson.kind) {
        return None;
    }
    let forgiven = lesson.upkeep.n_contradicted_forgiven;
    let n_contradicted = lesson.effects.n_contradicted.saturating_sub(forgiven);
    let reason = if policy.contradictions > 0 && n_contradicted >= policy.contradictions {
        format!("contradicted {n_contradicted} times")
    } else if lesson.confidence < policy.min_confidence && !is_kept(lesson) {
        format!("confidence {:.2} is below {:.2}", lesson.confidence, policy.min_confidence)
    } else if lesson.standing == 0 {
        "unseen for so long that nothing is left of its standing".to_owned()
    } else {
        return None;
    };
    step(lesson, State::Decayed, reason)
}

/// Whether a lesson is put away for what came of showing it: what it warns of works by now, or
/// nobody ever heeded it.
pub fn put_away(lesson: &Lesson, policy: &DecayPolicy) -> Option<Transition> {
    if !lesson.state.is_active() || lesson.is_wish() {
        return None;
    }
    let it = lesson.effects;
    let n_worked = it.n_contradicted.saturating_sub(lesson.upkeep.n_contradicted_forgiven);
    if policy.outdated_at > 0 && n_worked >= policy.outdated_at && observe::is_of_command(lesson) {
        let reason = format!("outdated: what it warns of worked in {n_worked} sessions");
        return step(lesson, State::Archived, reason);
    }
    let n = it.n_tried();
    // Of one without a place it is seen when it comes back, and not when it could have and did not.
    let is_placed = !lesson.paths.is_empty() || observe::is_of_command(lesson);
    // Where silence was worth nothing (reasoning only), coming back is all that can be seen.
    let is_fair = is_placed && it.n_neutral == 0;
    let is_hopeless =
        is_fair && policy.given_up_at > 0 && n >= policy.given_up_at && it.n_helped == 0;
    let reason = format!("given up: put to the test in {n} runs and never heeded");
    step(lesson, State::Decayed, reason).filter(|_| is_hopeless && !lesson.is_pinned)
}

/// Whether time alone moves a lesson: it was not used by its review date, or no review
/// decided about it in time.
pub fn overdue(lesson: &Lesson, now: Present, policy: &Policy) -> Option<Transition> {
    let (policy, decay) = (&policy.review, &policy.decay);
    let Upkeep { review_after, used_at, set_at_run, reviewing_since, .. } = lesson.upkeep;
    if lesson.state == State::UnderReview {
        let days = i64::from(policy.archive_days);
        let since = reviewing_since?;
        let is_late = days > 0 && now.at.days_since(since) >= days;
        let reason = format!("under review for {} days", now.at.days_since(since));
        return step(lesson, State::Archived, reason).filter(|_| is_late);
    }
    let after = review_after.filter(|_| lesson.state.is_active() && decay.fades(lesson.kind))?;
    // A use before its date gives it the days of its state once more, and not for ever.
    let used_until = used_at.zip(days(lesson.state, policy)).map(|(used, days)| later(used, days));
    let after = used_until.map_or(after, |until| until.max(after));
    let n_runs = now.run_number.saturating_sub(set_at_run);
    let is_global = lesson.project.is_none();
    // Each project counts its own runs: for a global lesson only days count.
    let is_idle = is_global || n_runs >= u64::from(policy.idle_runs);
    if now.at < after || !is_idle {
        return None;
    }
    let reason = if is_global {
        format!("not used by its review date {}", after.date())
    } else {
        format!("not used by its review date {}, and {n_runs} runs since", after.date())
    };
    step(lesson, State::Decayed, reason)
}

/// The step that a lesson's effects call for, if any: first what puts it away, then doubt, then
/// decay, then a rise.
pub fn after_effects(
    lesson: &Lesson,
    kinds: &[EffectKind],
    policy: &Policy,
    may_rise: bool,
) -> Option<Transition> {
    let evolves = || evolved(lesson, kinds, policy.promotion.evolution.as_ref()?);
    let rises = || promotion(lesson, kinds, &policy.promotion).filter(|_| may_rise);
    let fades = || decay(lesson, &policy.decay);
    put_away(lesson, &policy.decay)
        .or_else(|| doubt(lesson, &policy.review))
        .or_else(fades)
        .or_else(evolves)
        .or_else(rises)
}

/// Whether a lesson is not unseen for long as this one goes: what comes up once in forty runs
/// is not stale after twenty.
pub fn is_usual(rate: &Rate, run_number: u64, policy: &DecayPolicy) -> bool {
    let since = run_number.saturating_sub(rate.last);
    // As it was when it came up last: since then it only looks rarer.
    let usual = all_runs(rate.last) * faded(since) / rate.seen.max(f64::MIN_POSITIVE);
    rate.last > 0 && (since as f64) < policy.usual_times * usual
}

/// The lesson after `n_unseen` more runs went by without it, up to `run_number`. While that is
/// usual something is left of its standing.
pub fn unseen(
    lesson: &Lesson,
    n_unseen: u32,
    run_number: u64,
    is_usual: bool,
    policy: &DecayPolicy,
) -> Lesson {
    let n_runs = lesson.unseen.n_runs.saturating_add(n_unseen);
    let per_step = match lesson.state {
        State::Candidate => policy.candidate_runs_per_step,
        _ => policy.runs_per_step,
    };
    let per_step = per_step.max(1);
    let n_steps = n_runs / per_step;
    let least = lesson.standing.min(u32::from(is_usual));
    Lesson {
        standing: lesson.standing.saturating_sub(n_steps).max(least),
        unseen: Unseen { n_runs: n_runs % per_step, checked_at: run_number },
        ..lesson.clone()
    }
}

/// The contexts in which a lesson was seen, since two say more than two times in one: the task of
/// a run, or else its labels with the top folder of the place. A run without either is no context.
pub fn contexts<'a>(
    sightings: impl IntoIterator<Item = &'a Finding>,
    runs: &[Run],
) -> BTreeSet<String> {
    let runs: BTreeMap<&RunId, &Run> = runs.iter().map(|run| (&run.id, run)).collect();
    let seen = sightings.into_iter().filter(|finding| finding.is_sighting);
    seen.filter_map(|finding| context(runs.get(&finding.run)?, finding, &runs)).collect()
}

fn context(run: &Run, finding: &Finding, runs: &BTreeMap<&RunId, &Run>) -> Option<String> {
    // A part of a run works on what the whole does.
    let whole = runs.get(&run.root).and_then(|root| root.task.as_ref());
    if let Some(task) = run.task.as_ref().or(whole) {
        return Some(task.clone());
    }
    let top = finding.place.as_ref().and_then(|place| place.path.split_once('/'));
    let folder = top.map(|(folder, _)| format!("{folder}/"));
    let labels = run.tags.iter().cloned().chain(folder).collect::<Vec<_>>();
    (!labels.is_empty()).then(|| labels.join(" "))
}

/// Whether a lesson rises because it was seen in so many contexts.
pub fn verified(
    lesson: &Lesson,
    contexts: &BTreeSet<String>,
    policy: &PromotionPolicy,
) -> Option<Transition> {
    let needed = policy.stable_contexts as usize;
    if lesson.state != State::Provisional || needed == 0 || contexts.len() < needed {
        return None;
    }
    let names: Vec<&str> = contexts.iter().map(String::as_str).take(needed).collect();
    let (n, named) = (contexts.len(), names.join(", "));
    step(lesson, State::Stable, format!("seen in {n} contexts: {named}"))
}

/// The steps that take both under review, if they clash. A rule or a preference of a person needs
/// no decision: the other lesson gives way in every block.
pub fn clash(a: &Lesson, b: &Lesson, policy: &RankPolicy) -> Option<[Transition; 2]> {
    let is_established = |state| matches!(state, State::Stable | State::Canonical);
    let is_shown = |lesson: &Lesson| match policy.order {
        RankOrder::Geas(_) => is_established(lesson.state),
        _ => lesson.is_injectable(),
    };
    let is_open = |lesson| is_shown(lesson) && Precedence::of(lesson) != Precedence::Rule;
    let are_open = is_open(a) && is_open(b) && a.scope.overlaps(&b.scope);
    if !policy.conflicts || a.id == b.id || !are_open {
        return None;
    }
    if !oppose(a.text.as_str(), b.text.as_str()) {
        return None;
    }
    let doubted = |one: &Lesson, other: &Lesson| {
        let reason = format!("contradicts {}, which is {} too", other.id, other.state);
        step(one, State::UnderReview, reason)
    };
    Some([doubted(a, b)?, doubted(b, a)?])
}
