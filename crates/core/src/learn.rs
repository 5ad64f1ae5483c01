//! What does a finding do to memory? It starts a lesson, or it is one more sighting of
//! an existing one. Versions in, versions out; nothing is written here.

use std::collections::BTreeSet;

use crate::command::shape::steady;
use crate::finding::{Finding, Grade, is_test};
use crate::gate::{MAX_TAGS, MAX_WORD_CHARS};
use crate::grade::is_tool;
use crate::ids::{LessonId, ProjectId};
use crate::lesson::{Guidance, Kind, Lesson, Origin, State, Trust, Unseen};
use crate::matching::rule_of;
use crate::observe;
use crate::policy::PromotionPolicy;
use crate::reflect::AUTHOR;
use crate::run::Run;
use crate::scope::{Dimension, Scope};
use crate::signature::{rule_parts, signature};
use crate::time::Timestamp;

/// How alike a finding must be to a lesson to bring its repair along.
const SURELY_THE_SAME: f64 = 0.9;

/// Most files that a lesson remembers; the newest are kept.
pub(crate) const MAX_PATHS: usize = 8;
/// Most fingerprints that a lesson remembers.
pub(crate) const MAX_SIGNATURES: usize = 16;
/// Most rules of tools that a lesson remembers beside them.
const MAX_RULES: usize = 8;
/// Most findings whose words a lesson remembers beside its own text, and how much of each.
pub const MAX_WORDINGS: usize = 4;
const MAX_WORDING_CHARS: usize = 300;

/// One finding in its run, as the learner sees it.
#[derive(Clone, Copy)]
pub struct Sighting<'a> {
    pub finding: &'a Finding,
    pub run: &'a Run,
    pub project: &'a ProjectId,
    pub origin: Origin,
    pub at: Timestamp,
    /// False when this root run already counted for the lesson.
    pub is_new_root: bool,
    /// True for a run that ended before the newest learned one: evidence only.
    pub is_backfill: bool,
    /// Whether the lesson was shown to this root run, which will have an effect for it.
    pub was_shown: bool,
}

/// The lesson that a finding starts: a candidate of this project, and of the run's
/// domain if it names one. Who found it and where only rank it.
pub fn new_lesson(sighting: Sighting<'_>, id: LessonId, policy: &PromotionPolicy) -> Lesson {
    let Sighting { finding, run, at, .. } = sighting;
    let scope = match &run.domain {
        Some(domain) => Scope::default().with(Dimension::Domain, domain),
        None => Scope::default(),
    };
    let confidence = confidence_by_sightings(1, policy);
    let project = Some(sighting.project.clone());
    let is_foreign = sighting.origin.trust() == Trust::Foreign;
    Lesson {
        category: finding.category.clone(),
        scope,
        tags: run.plain_tags().take(MAX_TAGS).cloned().collect(),
        paths: finding.place.iter().map(|place| place.path.clone()).collect(),
        severity: finding.severity,
        importance: finding.severity.importance(),
        base_confidence: confidence,
        confidence,
        n_sightings: 1,
        standing: 1,
        last_seen_run: Some(finding.root.clone()),
        unseen: Unseen { n_runs: 0, checked_at: run.number.unwrap_or(0) },
        detectors: BTreeSet::from([finding.author.clone()]),
        grade: finding.grade,
        author: finding.author.clone(),
        origin: sighting.origin,
        trust: sighting.origin.trust(),
        state: if is_foreign { State::Quarantined } else { State::Candidate },
        guidance: Guidance {
            repair: own_repair(sighting),
            about: tools_rule(finding),
            ..Guidance::default()
        },
        signatures: rule_of(finding).into_iter().chain([finding.signature.clone()]).collect(),
        ..Lesson::stub(id, project, Kind::Pattern, finding.text.clone(), at)
    }
}

/// `clippy clippy::unwrap_used`: what a tool's finding is about. Tests are named in their text.
fn tools_rule(finding: &Finding) -> Option<String> {
    let is_tools = rule_of(finding).is_some() && !is_test(finding.category.as_deref());
    let rule = finding.rule.as_ref().filter(|_| is_tools)?;
    Some(format!("{} {rule}", finding.author))
}

/// Whether a program says the same in other numbers, or of another name of its rule: the newest
/// words are told.
fn is_newer_wording(lesson: &Lesson, finding: &Finding) -> bool {
    let is_programs = finding.author == AUTHOR || is_tool(&finding.author);
    let (old, new) = (lesson.text.as_str(), finding.text.as_str());
    let rule = rule_of(finding).filter(|rule| lesson.signatures.contains(rule));
    let is_same = match rule {
        Some(_) => signature(None, None, old, None) == signature(None, None, new, None),
        None => steady(old) == steady(new),
    };
    is_programs && lesson.author == finding.author && !lesson.is_persons() && is_same
}

/// The repair that a finding brings by itself.
fn own_repair(sighting: Sighting<'_>) -> Option<String> {
    let Sighting { finding, origin, .. } = sighting;
    finding.repair.clone().filter(|_| !observe::needs_agreement(finding, origin))
}

/// Whether another program counted a run for a lesson: it names that run as the last, or the
/// run had ended when it last counted.
pub fn was_seen_elsewhere(lesson: &Lesson, run: &Run) -> bool {
    let is_last = lesson.last_seen_run.as_ref() == Some(&run.root);
    is_last || lesson.upkeep.inherited.is_some_and(|counted| run.ended_by(counted.seen_until))
}

/// The lesson after one more sighting. Counts once per root run; what is known about
/// it grows either way. An archived or decayed lesson comes back as a candidate and has
/// to be confirmed again.
pub fn seen_again(lesson: &Lesson, sighting: Sighting<'_>, policy: &PromotionPolicy) -> Lesson {
    let mut next = lesson.clone();
    enrich(&mut next, sighting, policy);
    if sighting.is_new_root {
        count(&mut next, sighting, policy);
    }
    next.updated_at = sighting.at;
    next
}

fn enrich(lesson: &mut Lesson, sighting: Sighting<'_>, policy: &PromotionPolicy) {
    let Sighting { finding, run, .. } = sighting;
    lesson.detectors.insert(finding.author.clone());
    lesson.grade = Grade::best(lesson.grade, finding.grade);
    if policy.severity_rises {
        lesson.severity = lesson.severity.min(finding.severity);
        lesson.importance = lesson.importance.max(finding.severity.importance());
    }
    keep_signatures(&mut lesson.signatures, finding);
    if lesson.project.is_none() {
        // Files and words of one project must not appear in another.
        return;
    }
    if lesson.category.is_none() {
        lesson.category.clone_from(&finding.category);
    }
    // What is less trusted than the lesson would be read as part of it.
    // Of what is only alike, the repair may be that of another place.
    let is_its_own = finding.likeness >= SURELY_THE_SAME || finding.text == lesson.text;
    let is_trusted = sighting.origin.trust() >= lesson.trust;
    if lesson.guidance.repair.is_none() && is_trusted && is_its_own {
        lesson.guidance.repair = own_repair(sighting);
    }
    if is_trusted {
        // Words that are less trusted would decide what else confirms it.
        keep_wording(lesson, finding);
    }
    if is_trusted && !sighting.is_backfill && is_newer_wording(lesson, finding) {
        lesson.text = finding.text.clone();
    }
    for tag in run.plain_tags() {
        if lesson.tags.len() < MAX_TAGS && !lesson.tags.contains(tag) {
            lesson.tags.push(tag.clone());
        }
    }
    if let Some(place) = &finding.place {
        debug_assert!(place.path.chars().count() <= MAX_WORD_CHARS);
        keep_newest(&mut lesson.paths, &place.path, MAX_PATHS);
    }
}

/// The first other words by which it was recognized. A tool's are recognized by their rule.
fn keep_wording(lesson: &mut Lesson, finding: &Finding) {
    let Some(body) = finding.text.body().filter(|_| rule_of(finding).is_none()) else { return };
    let wording: String = body.chars().take(MAX_WORDING_CHARS).collect();
    let known = &mut lesson.guidance.wordings;
    if finding.text != lesson.text && known.len() < MAX_WORDINGS && !known.contains(&wording) {
        known.push(wording);
    }
}

/// Rules come before fingerprints and are not displaced by them: otherwise a rule that is
/// broken in many files would be dropped for the fingerprints of the files.
fn keep_signatures(signatures: &mut Vec<String>, finding: &Finding) {
    let all = std::mem::take(signatures).into_iter();
    let (mut rules, mut others): (Vec<String>, Vec<String>) =
        all.partition(|signature| rule_parts(signature).is_some());
    if let Some(rule) = rule_of(finding) {
        keep_newest(&mut rules, &rule, MAX_RULES);
    }
    keep_newest(&mut others, &finding.signature, MAX_SIGNATURES);
    signatures.extend(rules.into_iter().chain(others));
}

/// Puts an item that is not there yet at the end; the oldest go first.
fn keep_newest(list: &mut Vec<String>, item: &str, max: usize) {
    if !list.iter().any(|known| known == item) {
        list.push(item.to_owned());
        let n_over = list.len().saturating_sub(max);
        list.drain(..n_over);
    }
}

fn count(lesson: &mut Lesson, sighting: Sighting<'_>, policy: &PromotionPolicy) {
    // A foreign file may state any number.
    lesson.n_sightings = lesson.n_sightings.saturating_add(1);
    lesson.standing = lesson.standing.saturating_add(1);
    let is_back = matches!(lesson.state, State::Decayed | State::Archived);
    if is_back {
        // Archiving does not lift the quarantine.
        let is_approved = lesson.trust != Trust::Foreign || lesson.state == State::Decayed;
        if lesson.state == State::Archived {
            // What it warns of fails again.
            lesson.upkeep.n_contradicted_forgiven = lesson.effects.n_contradicted;
        }
        lesson.state = if is_approved { State::Candidate } else { State::Quarantined };
        lesson.standing = 1;
    }
    if !sighting.is_backfill {
        lesson.last_seen_run = lesson.project.is_some().then(|| sighting.finding.root.clone());
        let checked_at = sighting.run.number.unwrap_or(lesson.unseen.checked_at);
        lesson.unseen = Unseen { n_runs: 0, checked_at };
    }
    let has_effects = sighting.was_shown || lesson.effects.n_shown() > 0;
    if !(policy.effects_decide && has_effects && !is_back) {
        follow_sightings(lesson, policy);
    }
}

/// The lesson after two of its sightings turned out to be one.
pub fn counted_once(lesson: &Lesson, policy: &PromotionPolicy) -> Lesson {
    let mut next = lesson.clone();
    next.n_sightings = lesson.n_sightings.saturating_sub(1).max(1);
    next.standing = lesson.standing.saturating_sub(1);
    follow_sightings(&mut next, policy);
    next
}

/// Until a lesson is tested, its sightings set its confidence; from then on its effects do.
/// The confidence of what a person stated does not depend on sightings.
fn follow_sightings(lesson: &mut Lesson, policy: &PromotionPolicy) {
    let is_untried = lesson.state.is_active() && lesson.effects.n_tried() == 0;
    let is_candidate = lesson.state == State::Candidate;
    if lesson.origin == Origin::User || !(is_candidate || is_untried) {
        return;
    }
    let justified = confidence_by_sightings(lesson.standing, policy);
    let base = if is_candidate {
        // It may come back from the archive, and has to be confirmed again.
        justified
    } else {
        // Another sighting never lowers it, even if the standing has decayed since.
        justified.max(lesson.base_confidence)
    };
    let gained = base - lesson.base_confidence;
    lesson.base_confidence = base;
    lesson.confidence = (lesson.confidence + gained).clamp(0.0, 1.0);
}

/// Confidence that so many sightings justify.
pub fn confidence_by_sightings(n_sightings: u32, policy: &PromotionPolicy) -> f64 {
    let steps = &policy.confidence_by_sightings;
    let index = (n_sightings.max(1) as usize - 1).min(steps.len().saturating_sub(1));
    steps.get(index).copied().unwrap_or(0.5)
}
