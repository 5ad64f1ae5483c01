//! What is showing lessons worth, as measured so far?

use hardwon_core::lesson::Lesson;
use hardwon_core::lift::Pool;
use hardwon_store::{LessonQuery, Pick};

use crate::memory::{Call, Memory, Result};

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
