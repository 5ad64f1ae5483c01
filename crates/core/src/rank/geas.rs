//! The retrieval score of geas (its protocol document 09): where a lesson belongs, which
//! files it knows, whom it is for, how fresh it is, and how it held up.
//!
//! Its words in ours: a successful reuse is `helped`; a failed one is `no_help` (shown,
//! and the finding came back) or `hurt`; a contradiction is `contradicted`. Neutral
//! effects and those without opportunity count for nothing, as there. A lesson was last
//! confirmed when it was last used, if it ever helped, and else when it was made.
//! Its scope is the narrowest thing it names: a task, a role, a mission (by tag), its
//! project, or nothing.

use std::cmp::Ordering;

use super::Parts;
use super::parts::{is_own, n_shared_paths};
use crate::conflict::is_risk;
use crate::lesson::Lesson;
use crate::need::Need;
use crate::policy::{Fit, GeasRank};
use crate::scope::Dimension;
use crate::time::Timestamp;

pub(super) fn score(
    lesson: &Lesson,
    need: &Need,
    now: Timestamp,
    policy: &GeasRank,
) -> (f64, Parts) {
    let scope = scope(lesson, need, policy);
    let path = share(n_shared_paths(lesson, need), need.paths.len()).unwrap_or(0.0);
    let role = if is_for_role(lesson, need) { 1.0 } else { 0.0 };
    let freshness = freshness(lesson, now, policy);
    let reuse = reuse(lesson, policy);
    let n_contradicted = f64::from(lesson.effects.n_contradicted);
    let penalty = (policy.contradiction * n_contradicted).min(policy.max_contradiction);
    let is_risky = is_risk(lesson) && is_risky(need, policy);
    let risk = if is_risky { policy.risk_bonus } else { 0.0 };
    let raw = policy.weight_scope * scope
        + policy.weight_path * path
        + policy.weight_role * role
        + policy.weight_freshness * freshness
        + policy.weight_confidence * lesson.confidence
        + policy.weight_reuse * reuse
        - penalty;
    let score = (raw.clamp(0.0, 1.0) + risk).min(1.0);
    let parts = vec![
        ("scope", scope),
        ("path", path),
        ("role", role),
        ("freshness", freshness),
        ("confidence", lesson.confidence),
        ("reuse", reuse),
        ("penalty", penalty),
        ("risk", risk),
    ];
    (score, parts)
}

/// Among equals the surer one, then the one that was confirmed last.
pub(super) fn tie(a: &Lesson, b: &Lesson) -> Ordering {
    let by_confidence = b.confidence.total_cmp(&a.confidence);
    by_confidence.then_with(|| confirmed_at(b).cmp(&confirmed_at(a)))
}

fn confirmed_at(lesson: &Lesson) -> Timestamp {
    let has_helped = lesson.effects.n_helped > 0;
    lesson.upkeep.used_at.filter(|_| has_helped).unwrap_or(lesson.created_at)
}

fn freshness(lesson: &Lesson, now: Timestamp, policy: &GeasRank) -> f64 {
    let days = now.days_since(confirmed_at(lesson)) as f64;
    (1.0 - days / policy.fresh_days.max(1.0)).max(0.0)
}

fn reuse(lesson: &Lesson, policy: &GeasRank) -> f64 {
    let effects = lesson.effects;
    let n_ok = effects.n_helped as usize;
    let n_failed = effects.n_no_help as usize + effects.n_hurt as usize;
    share(n_ok, n_ok + n_failed).unwrap_or(policy.reuse_unknown)
}

fn share(n: usize, n_all: usize) -> Option<f64> {
    (n_all > 0).then(|| n as f64 / n_all as f64)
}

/// Whether it is meant for the reading role, or that role ever reported it.
fn is_for_role(lesson: &Lesson, need: &Need) -> bool {
    is_same(lesson, need, Dimension::Role).unwrap_or_else(|| is_own(lesson, need))
}

/// Whether the need names the lesson's own value; `None` if the lesson has none.
fn is_same(lesson: &Lesson, need: &Need, dimension: Dimension) -> Option<bool> {
    let wanted = lesson.scope.0.get(&dimension)?;
    Some(need.value(dimension).is_some_and(|given| given.eq_ignore_ascii_case(wanted)))
}

fn scope(lesson: &Lesson, need: &Need, policy: &GeasRank) -> f64 {
    let table = &policy.scope;
    let fit = match (is_same(lesson, need, Dimension::Task), is_same(lesson, need, Dimension::Role))
    {
        (Some(true), _) => table.same_task,
        (Some(false), _) => table.other_task,
        (None, Some(true)) => table.same_role,
        (None, Some(false)) => table.other_role,
        (None, None) if is_of_mission(lesson, policy) => table.mission,
        (None, None) if lesson.project.is_none() => table.global,
        (None, None) => table.project,
    };
    in_context(fit, need, policy)
}

/// What the work is: one task, a mission, or the project as a whole.
fn in_context(fit: Fit, need: &Need, policy: &GeasRank) -> f64 {
    if need.task.is_some() {
        fit.task
    } else if need.session.is_some() || has_mission(&need.tags, policy) {
        fit.mission
    } else {
        fit.project
    }
}

/// Whether a lesson is of one mission: what we call a session, or said by a tag.
fn is_of_mission(lesson: &Lesson, policy: &GeasRank) -> bool {
    lesson.scope.0.contains_key(&Dimension::Session) || has_mission(&lesson.tags, policy)
}

fn has_mission(tags: &[String], policy: &GeasRank) -> bool {
    let word = |tag: &String| tag.split(':').next().unwrap_or_default().to_lowercase();
    tags.iter().any(|tag| word(tag) == policy.mission_tag)
}

fn is_risky(need: &Need, policy: &GeasRank) -> bool {
    need.tags.iter().any(|tag| policy.risk_tags.iter().any(|risk| risk.eq_ignore_ascii_case(tag)))
}
