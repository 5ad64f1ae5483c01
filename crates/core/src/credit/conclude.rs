//! What is concluded about one lesson from one root run? Nothing where the mistake could not
//! have been detected, and a failed run alone blames no lesson. There are three modes, by the
//! policy; an effect that a reviewer or user stated goes before all of them.

use std::collections::BTreeSet;

use super::relevance::relevance;
use super::{Happened, Missed, opportunity, reviewer, steps};
use crate::effect::EffectKind;
use crate::finding::{Finding, FindingState, Grade, Severity};
use crate::lesson::Lesson;
use crate::observe::{self, Tried};
use crate::policy::{CreditMode, CreditPolicy, Opportunity};
use crate::run::{Judgement, Outcome, Run, RunKind};

/// A conclusion with its reason.
pub(super) struct Concluded {
    pub kind: EffectKind,
    pub why: String,
    /// How many times it counts.
    pub weight: f64,
}

fn concluded(kind: EffectKind, why: impl Into<String>) -> Concluded {
    Concluded { kind, why: why.into(), weight: 1.0 }
}

pub(super) fn shown(lesson: &Lesson, happened: &Happened<'_>, policy: &CreditPolicy) -> Concluded {
    if let Some((kind, because)) = happened.named.get(&lesson.id) {
        return concluded(*kind, because);
    }
    match policy.mode {
        CreditMode::PerFinding => per_finding(lesson, happened, policy),
        CreditMode::ByOutcome => by_outcome(lesson, happened, policy),
        CreditMode::FalsePositive => by_verdict(lesson, happened, policy),
    }
}

/// What happened without the lesson: judged as if it had been shown, so that both arms can
/// be compared.
pub(super) fn held_out(
    lesson: &Lesson,
    happened: &Happened<'_>,
    policy: &CreditPolicy,
) -> Concluded {
    let Concluded { kind, why, .. } = per_finding(lesson, happened, policy);
    let (kind, why) = match kind {
        EffectKind::NoHelp => (kind, "and it was reported again".to_owned()),
        // A lesson that was not shown cannot have misled the run.
        EffectKind::Hurt | EffectKind::Contradicted => (EffectKind::Neutral, why),
        EffectKind::Helped | EffectKind::Neutral | EffectKind::NoOpportunity => (kind, why),
    };
    concluded(kind, format!("held out by chance: {why}"))
}

fn per_finding(lesson: &Lesson, happened: &Happened<'_>, policy: &CreditPolicy) -> Concluded {
    let needs_detector = policy.opportunity == Opportunity::Detected;
    let is_wish = lesson.is_wish() || lesson.is_personal();
    if needs_detector && (is_wish || lesson.detectors.is_empty()) {
        let why = "no reviewer or tool can tell it, so its absence shows nothing";
        return concluded(EffectKind::Neutral, why);
    }
    if let Some(finding) = seen_again(lesson, happened) {
        let why = format!("shown, and reported again by {}", finding.author);
        return concluded(EffectKind::NoHelp, why);
    }
    if let Some(conclusion) = misled(lesson, happened, policy) {
        return conclusion;
    }
    if !needs_detector {
        return concluded(EffectKind::Helped, "no finding of the run matches it");
    }
    match opportunity(lesson, happened.runs) {
        Err(missed) => concluded(EffectKind::NoOpportunity, why_missed(lesson, &missed)),
        Ok(looked) => judge_clean(lesson, &looked, happened.runs),
    }
}

/// By how the root run ended.
fn by_outcome(lesson: &Lesson, happened: &Happened<'_>, policy: &CreditPolicy) -> Concluded {
    if let Some(finding) = ruled_false(lesson, happened, policy) {
        return contradicted(finding, policy);
    }
    let root = happened.runs.iter().find(|run| run.id == *happened.root);
    match (root.and_then(|run| run.outcome), seen_again(lesson, happened)) {
        (Some(Outcome::Success), _) => match relevance(lesson, happened.runs, policy) {
            Some(why) => concluded(EffectKind::Helped, format!("the run succeeded{why}")),
            None => concluded(EffectKind::Neutral, "the run succeeded; no clear impact"),
        },
        (Some(Outcome::Failed), Some(finding)) => {
            let why = format!("the run failed, and {} reported it again", finding.author);
            concluded(EffectKind::Hurt, why)
        }
        (Some(Outcome::Failed), None) => {
            let why = "the run failed, and nothing says that the lesson was to blame";
            concluded(EffectKind::Neutral, why)
        }
        (Some(outcome @ (Outcome::Partial | Outcome::Aborted)), _) => {
            concluded(EffectKind::Neutral, format!("the run ended as {outcome}"))
        }
        (None, _) => concluded(EffectKind::Neutral, "how the run ended is not known"),
    }
}

/// By the verdicts of the reviewers. It helped if a reviewer passed the work who ran or cited
/// something, no reviewer failed it, and no critical finding and no bug was left open.
fn by_verdict(lesson: &Lesson, happened: &Happened<'_>, policy: &CreditPolicy) -> Concluded {
    if let Some(finding) = ruled_false(lesson, happened, policy) {
        return contradicted(finding, policy);
    }
    if let Some(finding) = seen_again(lesson, happened) {
        let why = format!("shown, and reported again by {}", finding.author);
        return concluded(EffectKind::NoHelp, why);
    }
    let is_unseen = |run: &Run| run.detectors.is_empty() && run.judgements.is_empty();
    if happened.runs.iter().all(is_unseen) {
        return concluded(EffectKind::NoOpportunity, "no reviewer or tool looked at the work");
    }
    if let Some(name) = against(happened) {
        return concluded(EffectKind::Neutral, format!("{name} did not pass the work"));
    }
    let (passed, unproven) =
        (judged(happened, Judgement::Passed), judged(happened, Judgement::Unproven));
    if !passed.is_empty() && has_failed(happened) {
        let why = format!("{} passed the work, but it did not hold", join(&passed));
        concluded(EffectKind::Neutral, why)
    } else if !passed.is_empty() {
        concluded(EffectKind::Helped, format!("{} passed the work", join(&passed)))
    } else if !unproven.is_empty() {
        let why = format!("{} passed the work, but by reasoning only", join(&unproven));
        concluded(EffectKind::Neutral, why)
    } else {
        concluded(EffectKind::Neutral, "no reviewer gave a verdict on the work")
    }
}

/// Whether the root run is said to have failed: a merge that was reverted is told days later.
fn has_failed(happened: &Happened<'_>) -> bool {
    let mut roots = happened.runs.iter().filter(|run| run.id == *happened.root);
    roots.any(|run| run.outcome == Some(Outcome::Failed))
}

/// A reviewer who failed the work, or reported something grave that is still open.
fn against(happened: &Happened<'_>) -> Option<String> {
    let must_fix = |finding: &&Finding| {
        let is_open = matches!(finding.state, FindingState::Open | FindingState::Regressed);
        let is_grave = matches!(finding.severity, Severity::Critical | Severity::Bug);
        finding.is_sighting && is_open && is_grave
    };
    let left = happened.findings.iter().find(must_fix).map(|finding| finding.author.clone());
    left.or_else(|| judged(happened, Judgement::Failed).pop_first())
}

/// Reviewers whose last word was this.
fn judged(happened: &Happened<'_>, wanted: Judgement) -> BTreeSet<String> {
    let all = happened.runs.iter().flat_map(|run| &run.judgements);
    all.filter(|(_, judgement)| **judgement == wanted).map(|(name, _)| name.clone()).collect()
}

fn seen_again<'a>(lesson: &Lesson, happened: &Happened<'a>) -> Option<&'a Finding> {
    let is_it = |f: &&Finding| f.is_sighting && f.lesson.as_ref() == Some(&lesson.id);
    happened.findings.iter().find(is_it)
}

fn ruled_false<'a>(
    lesson: &Lesson,
    happened: &Happened<'a>,
    policy: &CreditPolicy,
) -> Option<&'a Finding> {
    let is_it = |f: &&Finding| f.lesson.as_ref() == Some(&lesson.id) && is_ruled_false(f, policy);
    happened.findings.iter().find(is_it)
}

/// Whether a ruling against it counts. A record that states it without a name is believed.
pub(super) fn is_ruled_false(finding: &Finding, policy: &CreditPolicy) -> bool {
    let may_rule = |by: &String| policy.rulers.contains(&by.to_lowercase());
    let is_heard = policy.rulers.is_empty() || finding.ruled_by.as_ref().is_none_or(may_rule);
    finding.state == FindingState::Dismissed && is_heard
}

fn contradicted(finding: &Finding, policy: &CreditPolicy) -> Concluded {
    let why = format!("reported by {} and ruled a false positive", finding.author);
    let by_role = policy.weight_by_role.get(&finding.author.to_lowercase());
    let weight = by_role.copied().unwrap_or(policy.false_positive_weight);
    Concluded { weight, ..concluded(EffectKind::Contradicted, why) }
}

/// The conclusion if the finding came back and does not count as a sighting: it was ruled
/// false, or it only repeated the lesson.
fn misled(lesson: &Lesson, happened: &Happened<'_>, policy: &CreditPolicy) -> Option<Concluded> {
    let is_of_lesson = |finding: &&Finding| finding.lesson.as_ref() == Some(&lesson.id);
    let finding = happened.findings.iter().find(is_of_lesson)?;
    Some(match finding.state {
        FindingState::Dismissed => contradicted(finding, policy),
        FindingState::Open | FindingState::Regressed
            if finding.is_placed_echo()
                && is_in_session(finding, happened)
                && !lesson.is_persons() =>
        {
            let why = format!("shown, and reported again by {} with its place", finding.author);
            concluded(EffectKind::NoHelp, why)
        }
        FindingState::Open | FindingState::Fixed | FindingState::Regressed => concluded(
            EffectKind::Neutral,
            format!("{} only repeated it, without a place or evidence", finding.author),
        ),
    })
}

/// Whether it was said in a session that a host tells of. In a record of its own an agent can
/// say anything about whatever it was shown, and would get rid of it so.
fn is_in_session(finding: &Finding, happened: &Happened<'_>) -> bool {
    let run = happened.runs.iter().find(|run| run.id == finding.run);
    run.is_some_and(|run| matches!(run.kind, RunKind::Session | RunKind::Subagent))
}

fn judge_clean(lesson: &Lesson, looked: &BTreeSet<String>, runs: &[Run]) -> Concluded {
    let said = |what: &str, command: &str| format!("`{command}` {what}");
    match observe::tried(lesson, steps(runs)) {
        Some(Tried::Heeded(it)) => return concluded(EffectKind::Helped, said("was run", &it)),
        Some(Tried::Worked(it)) => return concluded(EffectKind::Contradicted, said("worked", &it)),
        None => {}
    }
    let names = join(looked);
    if !is_grounded(looked, runs) && !reviewer::has_looked(lesson, looked, runs) {
        let why = format!("not reported again, but the verdict of {names} was reasoning only");
        return concluded(EffectKind::Neutral, why);
    }
    concluded(EffectKind::Helped, format!("{names} looked and did not report it again"))
}

/// Whether any of these did more than reason.
fn is_grounded(looked: &BTreeSet<String>, runs: &[Run]) -> bool {
    let mut grades = runs.iter().flat_map(|run| looked.iter().filter_map(|d| run.grade_of(d)));
    grades.any(|grade| grade != Grade::Reasoned)
}

fn why_missed(lesson: &Lesson, missed: &Missed) -> String {
    match missed {
        Missed::Detectors => format!("none of its detectors ran: {}", join(&lesson.detectors)),
        Missed::Paths => format!("the run touched none of its files: {}", lesson.paths.join(", ")),
        Missed::Tool => "the run did not use its tool".to_owned(),
        Missed::Untried => "the run did nothing that it speaks of".to_owned(),
    }
}

fn join(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}
