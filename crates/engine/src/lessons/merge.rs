//! Lessons that say the same, as far as they may be one: proposed, and merged by hand.
//! Never silently.

use std::collections::BTreeSet;

use hardwon_core::change::Change;
use hardwon_core::event::Problem;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Kind, Lesson, State};
use hardwon_core::lifecycle::{self};
use hardwon_core::matching::Relation;
use hardwon_core::matching::compare;
use hardwon_core::{merge, propose};
use hardwon_render::answer::{Answer, Decimal, Named, Near, NearPairs};
use hardwon_store::{LessonQuery, Proposals};

use crate::lessons::review::refused;
use crate::lookup;
use crate::lookup::N_NEAR;
use crate::memory::{Call, Memory, Result};
use crate::write::{Command, present, write};

/// Pairs of lessons that may say the same, the most similar first.
pub fn near_pairs(memory: &Memory, call: &Call, limit: usize) -> Result<Answer<NearPairs>> {
    let query = LessonQuery { limit: Some(merge::N_COMPARED), ..LessonQuery::not_put_away() };
    let lessons = memory.store.lessons(&call.project, &query)?;
    let mut seen: BTreeSet<(LessonId, LessonId)> = BTreeSet::new();
    let mut pairs: Vec<Near> = Vec::new();
    for lesson in &lessons {
        for near in near_of(memory, call, lesson)? {
            if seen.insert((near.base.id.0.clone(), near.other.id.0.clone())) {
                pairs.push(near);
            }
        }
    }
    pairs.sort_by(|a, b| b.likeness.total_cmp(&a.likeness).then(a.base.id.cmp(&b.base.id)));
    pairs.truncate(limit);
    let n_compared = lessons.len() as u64;
    Ok(Answer::of(NearPairs { pairs, n_compared }, Vec::new()).empty_if(|it| it.pairs.is_empty()))
}

/// Lessons that may say the same as this one and could be merged with it, the most similar first.
pub fn near(memory: &Memory, call: &Call, lesson: &Lesson, n: usize) -> Result<Vec<Named>> {
    let mut pairs = near_of(memory, call, lesson)?;
    pairs.sort_by(|a, b| b.likeness.total_cmp(&a.likeness).then(a.base.id.cmp(&b.base.id)));
    let other = |pair: Near| if pair.base.id.0 == lesson.id { pair.other } else { pair.base };
    let others = pairs.into_iter().take(n).map(other);
    Ok(others.map(|other| Named { id: other.id, text: other.text }).collect())
}

fn near_of(memory: &Memory, call: &Call, lesson: &Lesson) -> Result<Vec<Near>> {
    let terms = propose::terms_of_lesson(lesson);
    let proposals = lookup::proposals(memory, call, terms, false, N_NEAR)?;
    let mut near = Vec::new();
    for other in proposals.lessons {
        let (base, weaker) = merge::ordered(lesson, &other);
        if merge::refusal(base, weaker).is_some() {
            continue;
        }
        let policy = &memory.policy.matching;
        let found = compare::two_lessons(weaker, base, &proposals.corpus, policy);
        if matches!(found.relation, Relation::Same | Relation::Similar) {
            let because = merge::reasons(base, weaker, &proposals.corpus);
            let (base, other) = (base.into(), weaker.into());
            near.push(Near { base, other, likeness: Decimal(found.likeness), because });
        }
    }
    Ok(near)
}

/// Says which lesson a new one contradicts or nearly repeats, and what to do about it. Of wishes
/// all are looked at: the index proposes none that shares no word.
pub fn near_or_opposite(memory: &Memory, call: &Call, lesson: &Lesson) -> Result<Option<Problem>> {
    let terms = propose::terms_of_lesson(lesson);
    let Proposals { lessons, corpus, .. } = lookup::proposals(memory, call, terms, false, N_NEAR)?;
    let query = LessonQuery { kinds: vec![Kind::Preference], ..LessonQuery::not_put_away() };
    let wishes = memory.store.lessons(&call.project, &query)?;
    let policy = &memory.policy.matching;
    let reason = merge::near_or_opposite(lesson, &lessons, &wishes, &corpus, policy);
    Ok(reason.map(|reason| Problem::new(&lesson.id, reason)))
}

/// Merges the first lesson into the second, which replaces it and has
/// the evidence of both.
pub fn merge(memory: &mut Memory, call: &Call, weaker: &str, into: &str) -> Result<Answer<Lesson>> {
    // The evidence of one lesson would confirm the words of the other.
    call.needs_person("merging lessons")?;
    let (_, lesson) = write(memory, call, &Command::new("merge"), &mut |memory, status| {
        let (other, base) = (
            lookup::lesson_to_change(memory, call, weaker)?,
            lookup::lesson_named(memory, call, into)?,
        );
        if let Some(reason) = merge::refusal(&base, &other) {
            return Err(refused(&other, &reason));
        }
        let evidence = |id| lookup::evidence_of(memory, call, id);
        let (of_base, of_other) = (evidence(&base.id)?, evidence(&other.id)?);
        let n_shared = merge::n_shared_roots(&of_base, &of_other);
        let mut changes: Vec<Change> =
            of_other.iter().map(|finding| merge::moved(finding, &base.id)).collect();
        let because = format!("merged with {} by {}", other.id, call.actor);
        let now = present(call, status);
        let mut after = merge::merged(&base, &other, n_shared);
        after.updated_at = call.now;
        let rises = lifecycle::promotion(&after, &[], &memory.policy.promotion);
        if let Some(step) = rises.filter(|_| after.state == State::Candidate) {
            after = lifecycle::entered(&after, &step, now, &memory.policy.review);
        }
        changes.extend(Change::edit_lesson(&base, &after, &because));
        let ended = merge::superseded(&other, &base.id, &call.actor, now, &memory.policy.review);
        let because = format!("merged into {} by {}", base.id, call.actor);
        changes.extend(Change::edit_lesson(&other, &ended, &because));
        Ok((changes, after))
    })?;
    Ok(Answer::of(lesson, Vec::new()))
}
