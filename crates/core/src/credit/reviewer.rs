//! Has a reviewer in a conversation looked? That it found nothing is an agent's word; what it opened
//! is what the host saw. So its silence counts for a lesson if it reviewed and did not write, and
//! opened what the lesson is about.

use std::collections::BTreeSet;

use crate::command::parted::{Parted, parted};
use crate::episode::{Step, StepKind, StepResult};
use crate::lesson::Lesson;
use crate::rank::same_file;
use crate::run::{Run, RunKind};

/// Programs that show what was changed, and their words for it.
const HISTORIANS: &[&str] = &["git", "gh", "glab", "jj", "hg", "svn"];
const SHOWING: &[&str] = &["diff", "show", "interdiff"];

/// Whether one of these detectors was seen to look at what the lesson is about, in a role of its own.
pub(super) fn has_looked(lesson: &Lesson, detectors: &BTreeSet<String>, runs: &[Run]) -> bool {
    let is_told = runs.iter().any(|run| !run.paths.is_empty());
    let mut reviews = runs.iter().filter(|run| is_review(run, detectors));
    reviews.any(|run| run.episode.trail.iter().any(|step| is_look(step, lesson, is_told)))
}

/// Whether a host kept this run, in which a detector played no other part. Whoever changes the
/// work is its author, whatever name it gives itself.
fn is_review(run: &Run, detectors: &BTreeSet<String>) -> bool {
    let is_it =
        |name: &String| run.role.as_ref().is_some_and(|role| role.eq_ignore_ascii_case(name));
    let is_kept = run.episode.is_witnessed;
    let is_part = matches!(run.kind, RunKind::Subagent | RunKind::Session);
    let has_edits = run.episode.trail.iter().any(|step| step.kind == StepKind::Edit);
    is_kept && is_part && !has_edits && detectors.iter().any(is_it)
}

/// Whether a step opens a file of the lesson, or shows all that was changed where the runs say what
/// that was. A lesson without files is about whatever was looked at.
fn is_look(step: &Step, lesson: &Lesson, is_told: bool) -> bool {
    let commands = || match step.kind {
        StepKind::Command => parted(&step.action),
        _ => Vec::new(),
    };
    let is_changes = |part: &Parted| {
        let shows = part.arguments().iter().any(|word| SHOWING.contains(&word.as_str()));
        HISTORIANS.contains(&part.program().as_str()) && shows
    };
    let opens = |path: &String| match step.kind {
        StepKind::Look => same_file(path, &step.action),
        StepKind::Command => step.action.split_whitespace().any(|word| same_file(path, word)),
        StepKind::Edit | StepKind::Test | StepKind::Correction => false,
    };
    if step.result == StepResult::Failed {
        return false;
    }
    let sees_all = || commands().iter().any(is_changes);
    match lesson.paths.is_empty() {
        true => step.kind == StepKind::Look || sees_all(),
        false => lesson.paths.iter().any(opens) || is_told && sees_all(),
    }
}
