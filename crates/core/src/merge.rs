//! Two lessons that say the same become one: the one with more evidence stays, with all
//! that was known of both, and replaces the other.

use crate::change::Change;
use crate::conflict::oppose;
use crate::finding::Finding;
use crate::finding::Grade;
use crate::gate::MAX_TAGS;
use crate::ids::{LessonId, RunId};
use crate::learn::{MAX_PATHS, MAX_SIGNATURES, MAX_WORDINGS};
use crate::lesson::{Decision, Review};
use crate::lesson::{Kind, Lesson, State};
use crate::lifecycle::{self, Present, Transition};
use crate::matching::compare::{Wordings, two_lessons};
use crate::matching::{Corpus, Relation};
use crate::policy::{MatchPolicy, ReviewPolicy};
use crate::signature::rule_parts;
use crate::words::unique_words;
use std::collections::BTreeSet;

/// Why two lessons cannot be one.
pub fn refusal(base: &Lesson, other: &Lesson) -> Option<String> {
    if base.id == other.id {
        return Some("a lesson cannot be merged into itself".to_owned());
    }
    let both = || [base, other].into_iter();
    if let Some(lesson) = both().find(|lesson| lesson.state.is_put_away()) {
        return Some(format!("{} is {}", lesson.id, lesson.state));
    }
    // Evidence must not bypass a decision that is due.
    let is_open =
        |lesson: &&Lesson| matches!(lesson.state, State::UnderReview | State::Quarantined);
    if let Some(lesson) = both().find(is_open) {
        return Some(format!("{} is {}: decide about it first", lesson.id, lesson.state));
    }
    if !base.kind.is_alike(other.kind) {
        return Some(format!("{} is a {}, {} a {}", base.id, base.kind, other.id, other.kind));
    }
    if base.project != other.project {
        return Some("one is global, the other is not".to_owned());
    }
    if oppose(base.text.as_str(), other.text.as_str()) {
        return Some(format!("{} says the opposite of {}", other.id, base.id));
    }
    (!base.scope.overlaps(&other.scope)).then(|| "their scopes have nothing in common".to_owned())
}

/// The first is the one that stays: more sightings, then the older one, then the id.
pub fn ordered<'a>(a: &'a Lesson, b: &'a Lesson) -> (&'a Lesson, &'a Lesson) {
    let key = |lesson: &Lesson| {
        let n_missing = u32::MAX - lesson.n_sightings;
        (n_missing, lesson.created_at, lesson.id.clone())
    };
    if key(a) <= key(b) { (a, b) } else { (b, a) }
}

/// Share of common words from which one text repeats another, whatever else is known; and the
/// share below which it never does.
const COPIED_WORDS: f64 = 0.75;
const COPIED_WORDS_AT_LEAST: f64 = 0.5;

/// The lesson that a new one nearly repeats, of those with which it could be merged.
fn copied<'a>(
    lesson: &Lesson,
    others: &'a [Lesson],
    corpus: &Corpus,
    policy: &MatchPolicy,
) -> Option<&'a Lesson> {
    let wordings = Wordings::default();
    let share = |other: &Lesson| wordings.overlap(lesson, other);
    let is_copy = |other: &&Lesson| {
        let share = share(other);
        let is_same = || {
            let found = two_lessons(lesson, other, corpus, policy);
            share >= COPIED_WORDS_AT_LEAST && found.relation == Relation::Same
        };
        refusal(other, lesson).is_none() && (share >= COPIED_WORDS || is_same())
    };
    others.iter().filter(is_copy).max_by(|a, b| share(a).total_cmp(&share(b)))
}

/// Of how many lessons the nearest are looked up: a project may have a million.
pub const N_COMPARED: usize = 1000;

/// How many shared words a reason names.
const N_NAMED: usize = 4;

/// What two lessons that may say the same have in common, for who decides about it. Of shared
/// words the rarest are named.
pub fn reasons(base: &Lesson, other: &Lesson, corpus: &Corpus) -> Vec<String> {
    let shares = |a: &[String], b: &[String], is: fn(&str) -> bool| -> Vec<String> {
        a.iter().filter(|item| is(item) && b.contains(item)).cloned().collect()
    };
    let mut words = unique_words(base.text.as_str());
    let theirs = unique_words(other.text.as_str());
    words.retain(|word| theirs.binary_search(word).is_ok());
    words.sort_by_cached_key(|word| corpus.df.get(word).copied().unwrap_or(0));
    words.truncate(N_NAMED);
    let mut reasons = Vec::new();
    if !shares(&base.signatures, &other.signatures, |it| rule_parts(it).is_some()).is_empty() {
        reasons.push("the same rule of a tool".to_owned());
    }
    if !words.is_empty() {
        reasons.push(format!("both say {}", words.join(", ")));
    }
    let places = shares(&base.paths, &other.paths, |_| true);
    reasons.extend(places.first().map(|path| format!("both seen in {path}")));
    let shared = base.detectors.intersection(&other.detectors).next();
    reasons.extend(shared.map(|who| format!("both reported by {who}")));
    reasons
}

/// The base with what was known of the other. `n_shared` root runs had seen both.
pub fn merged(base: &Lesson, other: &Lesson, n_shared: u32) -> Lesson {
    let sum = |a: u32, b: u32| a.saturating_add(b).saturating_sub(n_shared);
    let is_newer = other.unseen.checked_at > base.unseen.checked_at;
    let newer = if is_newer { other } else { base };
    let mut next = base.clone();
    next.n_sightings = sum(base.n_sightings, other.n_sightings).max(base.n_sightings);
    next.standing = sum(base.standing, other.standing)
        .clamp(base.standing, next.n_sightings.max(base.standing));
    next.last_seen_run = newer.last_seen_run.clone().or(base.last_seen_run.clone());
    next.unseen = newer.unseen;
    next.severity = base.severity.min(other.severity);
    next.importance = base.importance.max(other.importance);
    next.grade = Grade::best(base.grade, other.grade);
    // A merged lesson is trusted as far as the less trusted one.
    next.trust = base.trust.min(other.trust);
    next.is_pinned |= other.is_pinned;
    next.category = base.category.clone().or(other.category.clone());
    if next.guidance.repair.is_none() {
        next.guidance.repair.clone_from(&other.guidance.repair);
    }
    if base.kind != other.kind {
        // A hint of one role that others report, too.
        next.kind = Kind::Pattern;
    }
    next.detectors.extend(other.detectors.iter().cloned());
    // A pair that only one of them has would narrow what the other said.
    next.scope.0.retain(|dimension, _| other.scope.0.contains_key(dimension));
    let theirs: Vec<String> = other.text.body().map(str::to_owned).into_iter().collect();
    let theirs = [theirs, other.guidance.wordings.clone()].concat();
    grow(&mut next.guidance.wordings, &theirs, MAX_WORDINGS);
    grow(&mut next.tags, &other.tags, MAX_TAGS);
    grow(&mut next.paths, &other.paths, MAX_PATHS);
    grow(&mut next.signatures, &other.signatures, MAX_SIGNATURES);
    next
}

fn grow(list: &mut Vec<String>, more: &[String], max: usize) {
    let new = more.iter().filter(|item| !list.contains(item)).cloned().collect::<Vec<_>>();
    list.extend(new);
    list.truncate(max);
}

/// The merged lesson as it ends: superseded by the one that has its evidence.
pub fn superseded(
    lesson: &Lesson,
    by: &LessonId,
    actor: &str,
    now: Present,
    policy: &ReviewPolicy,
) -> Lesson {
    let because = format!("merged into {by}");
    let (from, to) = (lesson.state, State::Superseded);
    let step = Transition { lesson: lesson.id.clone(), from, to, reason: because.clone() };
    let mut after = lifecycle::entered(lesson, &step, now, policy);
    after.superseded_by = Some(by.clone());
    let (decision, authority) = (Decision::Supersede, "user".to_owned());
    let by = actor.to_owned();
    after.reviews.push(Review { decision, by, authority, because, at: now.at, from, to });
    after
}

/// The step by which a new lesson takes the place of another; or why it cannot.
pub fn replaced(
    old: &Lesson,
    by: &Lesson,
    actor: &str,
    now: Present,
    policy: &ReviewPolicy,
) -> Result<Option<Change>, String> {
    if let Some(put_away) = [old, by].into_iter().find(|lesson| lesson.state.is_put_away()) {
        return Err(format!("{} is {}", put_away.id, put_away.state));
    }
    if old.id == by.id {
        return Err("it would replace itself".to_owned());
    }
    let because = format!("replaced by {}", by.id);
    let mut ended = superseded(old, &by.id, actor, now, policy);
    ended.reviews.iter_mut().last().expect("it was just reviewed").because.clone_from(&because);
    Ok(Change::edit_lesson(old, &ended, &because))
}

/// Which lesson a new one contradicts, else nearly repeats, and what to do about it.
pub fn near_or_opposite(
    lesson: &Lesson,
    near: &[Lesson],
    wishes: &[Lesson],
    corpus: &Corpus,
    policy: &MatchPolicy,
) -> Option<String> {
    let is_opposite = |other: &&Lesson| {
        let is_there = other.id != lesson.id && !other.state.is_put_away();
        let is_near = is_there && lesson.scope.overlaps(&other.scope);
        is_near && oppose(lesson.text.as_str(), other.text.as_str())
    };
    if let Some(other) = near.iter().chain(wishes).find(is_opposite) {
        let kept = match lesson.is_wish() && other.is_wish() {
            true => "the later of two wishes is shown",
            false => "no block has both",
        };
        let (id, text) = (&other.id, &other.text);
        return Some(format!(
            "contradicts {id}: {text}; {kept}; `hardwon add --supersedes {id} TEXT` replaces it"
        ));
    }
    let Lesson { id, text, .. } = copied(lesson, near, corpus, policy)?;
    let own = &lesson.id;
    Some(format!(
        "nearly the same as {id}: {text}; `hardwon review merges {own} {id}` makes them one"
    ))
}

/// How many root runs have shown both.
pub fn n_shared_roots(a: &[Finding], b: &[Finding]) -> u32 {
    let roots = |findings: &[Finding]| -> BTreeSet<RunId> {
        let sightings = findings.iter().filter(|finding| finding.is_sighting);
        sightings.map(|finding| finding.root.clone()).collect()
    };
    roots(a).intersection(&roots(b)).count() as u32
}

/// The change that makes a finding the evidence of another lesson.
pub fn moved(finding: &Finding, to: &LessonId) -> Change {
    let before = Box::new(finding.clone());
    let after = Box::new(Finding { lesson: Some(to.clone()), ..finding.clone() });
    Change::EditFinding { before, after }
}

/// How a text stands to the lessons that are known.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Standing {
    #[error("same as {0}")]
    Same(LessonId),
    /// One of them says part of it, or nearly the same.
    #[error("extends {0}")]
    Extends(LessonId),
    #[error("contradicts {0}")]
    Contradicts(LessonId),
    #[error("new")]
    New,
}

/// A text that has so many words which a lesson lacks says more than it.
const MORE_WORDS: usize = 3;

/// Two texts that share less than this of the shorter one's words are about other things.
const COMMON_SUBJECT: f64 = 0.4;

/// How a new lesson stands to those that were proposed for it. That somebody said the opposite
/// counts before all else. Being alike by what matching counts is not enough to say the same: a
/// finding that is recognized adds a sighting, here a lesson would not be written at all.
pub fn standing(new: &Lesson, known: &[Lesson], corpus: &Corpus, policy: &MatchPolicy) -> Standing {
    let known = || known.iter().filter(|other| !other.state.is_put_away());
    let text = new.text.as_str();
    let denied = known().find(|other| {
        let other = other.text.as_str();
        shared_words(text, other).1 >= COMMON_SUBJECT && oppose(text, other)
    });
    if let Some(denied) = denied {
        return Standing::Contradicts(denied.id.clone());
    }
    let near = known().filter_map(|other| {
        let found = two_lessons(new, other, corpus, policy);
        let (n_more, share) = shared_words(text, other.text.as_str());
        let is_near = found.relation != Relation::New || share >= COPIED_WORDS;
        (is_near && share >= COMMON_SUBJECT).then_some((share, n_more, other))
    });
    let nearest = near.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    match nearest {
        Some((_, n_more, other)) if n_more >= MORE_WORDS => Standing::Extends(other.id.clone()),
        Some((share, _, other)) if share < COPIED_WORDS_AT_LEAST => {
            Standing::Extends(other.id.clone())
        }
        Some((_, _, other)) => Standing::Same(other.id.clone()),
        None => Standing::New,
    }
}

/// How many words the new text has that the known one lacks, and the share of the shorter one's
/// words that both have.
fn shared_words(new: &str, known: &str) -> (usize, f64) {
    let (new, known) = (unique_words(new), unique_words(known));
    let n_shared = new.iter().filter(|word| known.binary_search(word).is_ok()).count();
    let shorter = new.len().min(known.len()).max(1);
    (new.len() - n_shared, n_shared as f64 / shorter as f64)
}

#[cfg(test)]
mod tests;
