//! A folder of another system is imported again: which of its lessons are here already, and
//! what becomes of those. Three ways: what changed there since the last import is taken over,
//! what was decided here stays.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::ids::LessonId;
use crate::lesson::{Decision, Lesson, State, Unseen};

/// A lesson that came from a folder.
pub struct Earlier {
    /// As it is here.
    pub lesson: Lesson,
    /// As its record stated it when it was imported last, if that was kept.
    pub base: Option<Lesson>,
}

impl Earlier {
    fn says(&self, lesson: &Lesson) -> bool {
        let base = self.base.as_ref().map(|base| &base.text);
        self.lesson.text == lesson.text || base == Some(&lesson.text)
    }
}

/// Which lesson here each lesson of a folder is. An id alone does not tell: a system may give
/// the id of what it put away to another lesson. So the words decide, and an id with other words
/// is the same lesson only if its record shows that it was reworded.
pub fn recognized<'a>(
    stated: impl Iterator<Item = &'a Lesson>,
    earlier: &[Earlier],
    named: &dyn Fn(&Lesson) -> Option<String>,
) -> BTreeMap<LessonId, LessonId> {
    let mut stated: Vec<&Lesson> = stated.collect();
    // What is in use goes before what was put away.
    stated.sort_by_key(|lesson| is_away(lesson.state));
    let mut pairs = BTreeMap::new();
    let mut claimed: BTreeSet<&LessonId> = BTreeSet::new();
    let has_name = |earlier: &Earlier, lesson: &Lesson| {
        named(lesson).is_some_and(|name| earlier.lesson.aliases.contains(&name))
    };
    let rules: [Rule<'_>; 3] = [
        &|earlier, lesson| has_name(earlier, lesson) && earlier.says(lesson),
        &|earlier, lesson| !is_away(lesson.state) && earlier.says(lesson),
        &|earlier, lesson| has_name(earlier, lesson) && is_reworded(earlier, lesson),
    ];
    for rule in rules {
        for lesson in &stated {
            if pairs.contains_key(&lesson.id) {
                continue;
            }
            let is_it = |e: &&Earlier| !claimed.contains(&e.lesson.id) && rule(e, lesson);
            if let Some(found) = earlier.iter().find(is_it) {
                claimed.insert(&found.lesson.id);
                pairs.insert(lesson.id.clone(), found.lesson.id.clone());
            }
        }
    }
    pairs
}

/// Whether a lesson that came from a folder is the one that it states now.
type Rule<'a> = &'a dyn Fn(&Earlier, &Lesson) -> bool;

/// Whoever rewords a record by hand leaves its author, and its time or its tags, as they are; a
/// record of something else has others.
fn is_reworded(earlier: &Earlier, now: &Lesson) -> bool {
    let Some(base) = &earlier.base else { return false };
    let has_tags = !base.tags.is_empty() && base.tags == now.tags;
    let is_in_use = !is_away(now.state);
    is_in_use && base.author == now.author && (has_tags || base.updated_at == now.updated_at)
}

/// A lesson that is imported again.
pub struct Again<'a> {
    pub earlier: &'a Earlier,
    /// As its source states it now.
    pub theirs: &'a Lesson,
    /// Runs in which it was seen here, and that its source does not know.
    pub n_only_here: u32,
}

/// The lesson as it is from now on.
pub struct BroughtUp {
    pub lesson: Lesson,
    /// What its source decided about it.
    pub decided: Option<Decided>,
}

/// What another system decided about a lesson since the last import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    /// It was put away there, and here too.
    PutAway(State),
    /// It was put away there; a person decided otherwise here.
    KeptHere,
    /// It is in use again.
    BroughtBack,
}

/// A lesson that is here already, with what its record says now.
pub fn brought_up(again: &Again<'_>) -> BroughtUp {
    let Again { earlier, theirs, .. } = *again;
    let mut next = earlier.lesson.clone();
    for alias in &theirs.aliases {
        if !next.aliases.contains(alias) {
            next.aliases.push(alias.clone());
        }
    }
    let told = |lesson: &Lesson| lesson.upkeep.inherited.map(|told| (told.state, told.seen_until));
    if next.extra != theirs.extra || told(&next) != told(theirs) {
        next.extra.clone_from(&theirs.extra);
        next.upkeep.inherited = theirs.upkeep.inherited;
    }
    let Some(base) = &earlier.base else {
        // It was learned here by itself.
        next.n_sightings = next.n_sightings.max(theirs.n_sightings);
        next.standing = next.standing.max(theirs.standing);
        return BroughtUp { lesson: next, decided: None };
    };
    take_words(&mut next, base, theirs);
    take_numbers(&mut next, base, again);
    let was = earlier.lesson.upkeep.inherited.map_or(base.state, |inherited| inherited.state);
    let decided = decided(earlier, was, theirs.state);
    match decided {
        Some(Decided::PutAway(state)) => next.state = state,
        Some(Decided::BroughtBack) => next.state = theirs.state,
        Some(Decided::KeptHere) => {}
        None if next.state == State::Candidate && theirs.state.is_active() => {
            next.state = theirs.state;
        }
        None => {}
    }
    BroughtUp { lesson: next, decided }
}

/// A lesson of a folder that has no record there any more.
pub fn gone(earlier: &Earlier) -> BroughtUp {
    let mut lesson = earlier.lesson.clone();
    let was = lesson.upkeep.inherited.map_or(State::Candidate, |inherited| inherited.state);
    let decided = decided(earlier, was, State::Archived);
    if let Some(Decided::PutAway(state)) = decided {
        lesson.state = state;
    }
    if let Some(inherited) = &mut lesson.upkeep.inherited {
        inherited.state = State::Archived;
    }
    BroughtUp { lesson, decided }
}

fn take_words(next: &mut Lesson, base: &Lesson, theirs: &Lesson) {
    fn take<T: Clone + PartialEq>(ours: &mut T, base: &T, theirs: &T) {
        if ours == base {
            ours.clone_from(theirs);
        }
    }
    take(&mut next.text, &base.text, &theirs.text);
    take(&mut next.kind, &base.kind, &theirs.kind);
    take(&mut next.category, &base.category, &theirs.category);
    take(&mut next.severity, &base.severity, &theirs.severity);
    take(&mut next.importance, &base.importance, &theirs.importance);
    take(&mut next.scope, &base.scope, &theirs.scope);
    take(&mut next.tags, &base.tags, &theirs.tags);
}

/// Both may have counted the same runs: so numbers are compared, never added, except for runs
/// that the source does not know.
fn take_numbers(next: &mut Lesson, base: &Lesson, again: &Again<'_>) {
    let Again { theirs, n_only_here, .. } = *again;
    let standing = theirs.standing.saturating_add(n_only_here);
    next.standing = match theirs.standing.cmp(&base.standing) {
        Ordering::Less => next.standing.min(standing),
        Ordering::Equal => next.standing,
        Ordering::Greater => next.standing.max(standing),
    };
    if theirs.n_sightings > base.n_sightings {
        let n_sightings = theirs.n_sightings.saturating_add(n_only_here);
        next.n_sightings = next.n_sightings.max(n_sightings);
    }
    let count = |lesson: &Lesson| (lesson.unseen.n_runs, lesson.last_seen_run.clone());
    if n_only_here == 0 && count(theirs) != count(base) {
        let Unseen { n_runs, checked_at } = theirs.unseen;
        next.unseen = Unseen { n_runs, checked_at: checked_at.max(next.unseen.checked_at) };
        next.last_seen_run.clone_from(&theirs.last_seen_run);
    }
}

fn decided(earlier: &Earlier, was: State, now: State) -> Option<Decided> {
    let known = &earlier.lesson;
    match (is_away(was), is_away(now)) {
        (false, true) if !known.state.is_on_ladder() => None,
        (false, true) if is_decided_here(earlier) => Some(Decided::KeptHere),
        (false, true) => Some(Decided::PutAway(now)),
        (true, false) if is_away(known.state) => Some(Decided::BroughtBack),
        (true, false) | (true, true) | (false, false) => None,
    }
}

/// Whether a person here wanted the lesson: pinned, kept or reworded it.
fn is_decided_here(earlier: &Earlier) -> bool {
    let Earlier { lesson, base } = earlier;
    let is_kept = |decision| matches!(decision, Decision::Approve | Decision::Keep);
    let is_reworded = base.as_ref().is_some_and(|base| base.text != lesson.text);
    lesson.is_pinned
        || lesson.state == State::Canonical
        || lesson.reviews.iter().any(|review| is_kept(review.decision))
        || is_reworded
}

fn is_away(state: State) -> bool {
    matches!(state, State::Archived | State::Decayed)
}
