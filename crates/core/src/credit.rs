//! Did it help? For each lesson that was shown in a root run that ended: one effect,
//! with its reason. Nothing is concluded where nothing could have gone wrong, and a
//! failed run blames nobody by itself.

use std::collections::{BTreeMap, BTreeSet};

use crate::effect::{Effect, EffectKind};
use crate::finding::{Finding, FindingState, Grade};
use crate::ids::{LessonId, RunId};
use crate::lesson::Lesson;
use crate::policy::{CreditPolicy, Opportunity};
use crate::rank::same_file;
use crate::run::Run;
use crate::scope::Dimension;

/// What happened in one root run, all its runs taken together.
#[derive(Clone, Debug)]
pub struct Happened<'a> {
    pub root: &'a RunId,
    pub number: u64,
    pub runs: &'a [Run],
    pub findings: &'a [Finding],
    /// What a reviewer or user said a lesson did, and why.
    pub named: &'a BTreeMap<LessonId, (EffectKind, String)>,
}

/// Why a lesson could not have been put to the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missed {
    /// Nobody who ever reported it looked.
    Detectors,
    /// None of its files was touched.
    Paths,
    /// Its tool was not used.
    Tool,
}

/// The effect of having shown a lesson in this root run.
pub fn effect(lesson: &Lesson, happened: &Happened<'_>, policy: &CreditPolicy) -> Effect {
    let is_named = happened.named.contains_key(&lesson.id);
    let (kind, why) = conclude(lesson, happened, policy.opportunity);
    Effect {
        lesson: lesson.id.clone(),
        root: happened.root.clone(),
        run_number: happened.number,
        kind,
        why,
        is_named,
    }
}

fn conclude(lesson: &Lesson, happened: &Happened<'_>, counts: Opportunity) -> (EffectKind, String) {
    if let Some((kind, because)) = happened.named.get(&lesson.id) {
        return (*kind, because.clone());
    }
    let needs_detector = counts == Opportunity::Detected;
    if needs_detector && lesson.detectors.is_empty() {
        return (EffectKind::Neutral, "nobody has ever reported it, so nobody can miss it".into());
    }
    let is_of_lesson =
        |finding: &&Finding| finding.is_sighting && finding.lesson.as_ref() == Some(&lesson.id);
    if let Some(finding) = happened.findings.iter().find(is_of_lesson) {
        return (EffectKind::NoHelp, format!("shown, and reported again by {}", finding.author));
    }
    if let Some(conclusion) = misled(lesson, happened) {
        return conclusion;
    }
    if !needs_detector {
        return (EffectKind::Helped, "no finding of the run matches it".into());
    }
    match opportunity(lesson, happened.runs) {
        Err(missed) => (EffectKind::NoOpportunity, why_missed(lesson, &missed)),
        Ok(looked) => judge_clean(&looked, happened.runs),
    }
}

/// What is to be said when the finding came back and does not count as seen: it was
/// ruled false, or it merely repeated the lesson.
fn misled(lesson: &Lesson, happened: &Happened<'_>) -> Option<(EffectKind, String)> {
    let is_of_lesson = |finding: &&Finding| finding.lesson.as_ref() == Some(&lesson.id);
    let finding = happened.findings.iter().find(is_of_lesson)?;
    Some(match finding.state {
        FindingState::Dismissed => (
            EffectKind::Contradicted,
            format!("reported by {} and ruled a false positive", finding.author),
        ),
        FindingState::Open | FindingState::Fixed | FindingState::Regressed => (
            EffectKind::Neutral,
            format!("{} only repeated it, without a place or evidence", finding.author),
        ),
    })
}

/// Who of a lesson's detectors looked in these runs; or why it could not have been
/// seen. A run that does not say which files or tools it touched excludes nothing.
pub fn opportunity(lesson: &Lesson, runs: &[Run]) -> Result<BTreeSet<String>, Missed> {
    let ran = |detector: &&String| {
        let mut all = runs.iter().flat_map(|run| &run.detectors);
        all.any(|name| name.eq_ignore_ascii_case(detector))
    };
    let looked: BTreeSet<String> = lesson.detectors.iter().filter(ran).cloned().collect();
    if looked.is_empty() {
        return Err(Missed::Detectors);
    }
    let touched: Vec<&String> = runs.iter().flat_map(|run| &run.paths).collect();
    let is_touched = |known: &String| touched.iter().any(|path| same_file(known, path));
    if !touched.is_empty() && !lesson.paths.is_empty() && !lesson.paths.iter().any(is_touched) {
        return Err(Missed::Paths);
    }
    let mut used = runs.iter().flat_map(|run| &run.tools).peekable();
    match lesson.scope.0.get(&Dimension::Tool) {
        Some(tool) if used.peek().is_some() && !used.any(|u| u.eq_ignore_ascii_case(tool)) => {
            Err(Missed::Tool)
        }
        _ => Ok(looked),
    }
}

fn judge_clean(looked: &BTreeSet<String>, runs: &[Run]) -> (EffectKind, String) {
    let names = join(looked);
    let grades = runs.iter().flat_map(|run| looked.iter().filter_map(|d| run.grade_of(d)));
    if grades.into_iter().all(|grade| grade == Grade::Reasoned) {
        let why = format!("not reported again, but the verdict of {names} was reasoning only");
        return (EffectKind::Neutral, why);
    }
    (EffectKind::Helped, format!("{names} looked and did not report it again"))
}

fn why_missed(lesson: &Lesson, missed: &Missed) -> String {
    match missed {
        Missed::Detectors => format!("none of its detectors ran: {}", join(&lesson.detectors)),
        Missed::Paths => format!("the run touched none of its files: {}", lesson.paths.join(", ")),
        Missed::Tool => "the run did not use its tool".to_owned(),
    }
}

fn join(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// Confidence after these effects, in order. Folded step by step, so that what
/// happened lately still counts after a long record.
pub fn confidence(
    base: f64,
    effects: impl IntoIterator<Item = EffectKind>,
    policy: &CreditPolicy,
) -> f64 {
    effects.into_iter().fold(base, |confidence, kind| {
        let gain = match kind {
            EffectKind::Helped => policy.helped,
            EffectKind::NoHelp => policy.no_help,
            EffectKind::Hurt => policy.hurt,
            EffectKind::Contradicted => policy.contradicted,
            EffectKind::Neutral | EffectKind::NoOpportunity => 0.0,
        };
        // Three decimals, so that ten tenths make one.
        ((confidence + gain).clamp(0.0, 1.0) * 1000.0).round() / 1000.0
    })
}
