//! What is the lift of lessons, as measured so far? The pool is read only when a
//! lesson has been tried often enough for an answer.

use std::collections::BTreeMap;

use hardwon_core::ids::LessonId;
use hardwon_core::lesson::Lesson;
use hardwon_core::lift::{self, Lift, Pool};
use hardwon_render::answer::{self, Answer, OneLesson};
use hardwon_store::{LessonQuery, Pick};

use crate::memory::{Call, Memory, Result};

/// The lift of one lesson, if it is known.
pub fn lift_of(memory: &Memory, call: &Call, lesson: &Lesson) -> Result<Option<Lift>> {
    let mut lifts = lifts(memory, call, std::slice::from_ref(lesson))?;
    Ok(lifts.remove(&lesson.id))
}

/// A lesson that was changed as it is shown: with its lift, if that is known.
pub fn told(memory: &Memory, call: &Call, answer: Answer<Lesson>) -> Result<Answer<OneLesson>> {
    let lift = lift_of(memory, call, &answer.body)?;
    let shown = |lesson| answer::Lesson::with_lift(&lesson, lift.as_ref());
    Ok(answer.map(|lesson| OneLesson { lesson: shown(lesson) }))
}

/// The lifts of those lessons of which one is known.
pub fn lifts(memory: &Memory, call: &Call, lessons: &[Lesson]) -> Result<BTreeMap<LessonId, Lift>> {
    let policy = &memory.policy.holdout;
    let known: Vec<&Lesson> = lessons.iter().filter(|l| lift::is_known(l, policy)).collect();
    if known.is_empty() {
        return Ok(BTreeMap::new());
    }
    let all = shown(memory, call)?;
    // A lesson in hand may be newer than the stored one.
    let is_other = |lesson: &&Lesson| known.iter().all(|known| known.id != lesson.id);
    let others = all.iter().filter(is_other);
    let pool = Pool::of(others.chain(known.iter().copied()).map(|lesson| &lesson.arms));
    let of = |lesson: &Lesson| Some((lesson.id.clone(), lift::of_lesson(lesson, &pool, policy)?));
    Ok(known.into_iter().filter_map(of).collect())
}

/// All that was ever shown: only of such a lesson something is known.
pub(crate) fn shown(memory: &Memory, call: &Call) -> Result<Vec<Lesson>> {
    let query = LessonQuery { pick: Pick::Shown, ..LessonQuery::default() };
    Ok(memory.store.lessons(&call.project, &query)?)
}

/// All that chance showed, without reading a lesson.
pub(crate) fn pool(memory: &Memory, call: &Call) -> Result<Pool> {
    let arms = memory.store.arms(&call.project)?;
    let each = arms.iter().flat_map(|(arms, n)| std::iter::repeat_n(arms, *n as usize));
    Ok(Pool::of(each))
}
