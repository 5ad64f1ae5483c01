//! Was this need served before, and does that block still hold? The same need in the same
//! run is served the same bytes, until a lesson in them is reworded or may not be shown
//! any more: what is withdrawn is out of every block at once.

use hardwon_core::effect::Injection;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::prompt::withheld;
use hardwon_render::packet;

use crate::lookup;
use crate::memory::{Call, Memory, Result};

/// The block of an earlier call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Served<'a> {
    pub injection: &'a Injection,
    /// Which of the blocks for this need it is, from 1.
    pub number: u32,
}

/// The newest block that was served to this run, role and need, and whether it is stale.
pub(crate) fn served<'a>(
    memory: &Memory,
    call: &Call,
    injections: &'a [Injection],
    run: &RunId,
    role: &str,
    need: &str,
) -> Result<Option<(Served<'a>, bool)>> {
    let number = |injection: &Injection| {
        let (of, number) = number_of(injection);
        (injection.run == *run && injection.role == role && of == need).then_some(number)
    };
    let served = injections
        .iter()
        .filter_map(|injection| number(injection).map(|number| Served { injection, number }));
    let Some(newest) = served.max_by_key(|served| served.number) else {
        return Ok(None);
    };
    Ok(Some((newest, is_stale(memory, call, newest.injection)?)))
}

/// Whether a lesson that was shown is gone, reworded, or may not be shown any more, or none was
/// shown; in a packet, which sets pinned lessons apart, also whether it was pinned since, or not.
fn is_stale(memory: &Memory, call: &Call, injection: &Injection) -> Result<bool> {
    let is_empty = injection.shown.is_empty() && injection.held_out.is_empty();
    let ids = injection.shown.iter().map(|shown| shown.lesson.clone()).collect();
    let lessons = lookup::lessons_with(memory, &call.project, ids)?;
    let unpinned = packet::unpinned_in(injection.block.as_str());
    let stands_right = |lesson: &Lesson| {
        let is_unpinned = unpinned.as_ref().map(|listed| listed.contains(lesson.id.as_str()));
        is_unpinned.is_none_or(|is_unpinned| is_unpinned != lesson.is_pinned)
    };
    let is_as_shown = |id: &LessonId, digest: &str| {
        let lesson = lessons.iter().find(|lesson| lesson.id == *id);
        let is_same = |lesson: &Lesson| withheld(lesson).is_none() && lesson.digest() == digest;
        lesson.is_some_and(|lesson| is_same(lesson) && stands_right(lesson))
    };
    let is_whole = injection.shown.iter().all(|shown| is_as_shown(&shown.lesson, &shown.digest));
    Ok(is_empty || !is_whole)
}

/// What an injection is recorded under: the digest of its need, and a number, since one
/// need may be served one block after the other. The first block goes without.
pub(super) fn numbered(need: &str, number: u32) -> String {
    if number <= 1 { need.to_owned() } else { format!("{need}-{number}") }
}

/// The digest of the need, and the number.
pub(super) fn number_of(injection: &Injection) -> (&str, u32) {
    let numbered = injection.need.rsplit_once('-');
    let numbered = numbered.and_then(|(need, number)| Some((need, number.parse().ok()?)));
    numbered.unwrap_or((&injection.need, 1))
}
