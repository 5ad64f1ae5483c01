//! How much room does a block have, and what fits? The same is asked when a block is made, and when
//! somebody states a wish that may have none.

use hardwon_core::budget::{self, Fit, Item, Lines, Room, estimate_tokens};
use hardwon_core::eligible::{Exclusion, exclusion};
use hardwon_core::event::Problem;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::Lesson;
use hardwon_core::matching::compare;
use hardwon_core::need::Need;
use hardwon_core::rank::{Ranked, rank};
use hardwon_core::summary::summary;
use hardwon_render::block::{self, Style, Told};
use hardwon_store::{LessonQuery, Pick};

use crate::memory::{Call, Memory, Result};

/// The room for a role, if the caller asks for so many tokens and lessons.
pub fn room(
    memory: &Memory,
    role: Option<&str>,
    (budget, max_lessons): (Option<u32>, Option<u32>),
    style: Style,
) -> Room {
    let policy = &memory.policy.budget;
    let frame = block::frame(style, role);
    let role = role.unwrap_or_default().to_lowercase();
    // Of a packet half is kept free for everything but the texts.
    let is_packet = style == Style::Packet;
    let frame_chars = if is_packet { policy.max_chars / 2 } else { frame.n_chars() };
    let max_lessons = max_lessons.unwrap_or_else(|| policy.lessons_for(&role));
    Room {
        max_lessons,
        tokens: policy.tokens_for(&role, budget),
        pinned_tokens: policy.pinned_tokens,
        // Who wants no lesson wants no line.
        max_wishes: if max_lessons == 0 { 0 } else { policy.max_wishes },
        wish_tokens: policy.wish_tokens.saturating_sub(estimate_tokens(block::SOME_WISHES)),
        max_chars: policy.max_chars,
        is_by_rank: policy.by_score,
        frame_tokens: frame.n_tokens(),
        frame_chars: frame_chars + block::SOME_WISHES.len() as u32,
    }
}

pub fn fit(
    memory: &Memory,
    eligible: &[Lesson],
    above: &[Ranked],
    style: Style,
    room: &Room,
) -> Fit {
    let policy = &memory.policy.budget;
    let lesson = |index: usize| &eligible[above[index].index];
    let rules = &memory.policy.ranking;
    let item = |ranked: &Ranked| Item::of(&eligible[ranked.index], ranked, rules);
    let items: Vec<Item> = above.iter().map(item).collect();
    let wordings = compare::Wordings::default();
    let is_near = |a, b| budget::is_near(lesson(a), lesson(b), &wordings, policy.near_duplicate);
    let lines_of = |index: usize| {
        let (full_chars, short_chars) = (policy.line_chars as usize, policy.short_chars as usize);
        let text = lesson(index).text.as_str();
        let kept = lesson(index).summary().map(|kept| budget::shorten(kept, short_chars));
        let summary = kept.or_else(|| policy.summaries.then(|| summary(text, short_chars)));
        let (score, via) = (above[index].score, above[index].via.as_deref());
        let told = Told { score, via, summary: summary.as_deref() };
        let (full, short) = block::lines(lesson(index), style, &told, full_chars, short_chars);
        Lines { full, short }
    };
    budget::fit(&items, room, &is_near, &lines_of)
}

/// What to tell whoever has just stated this: a block has no room for all wishes. A need that says
/// nothing asks for all of them, and every other one for fewer.
pub fn wish_without_room(memory: &Memory, call: &Call, stated: &Lesson) -> Result<Option<Problem>> {
    let (budget, rules) = (&memory.policy.budget, &memory.policy.ranking);
    if budget.max_wishes == 0 || !stated.is_wish() {
        return Ok(None);
    }
    let query = LessonQuery { pick: Pick::Kept, ..LessonQuery::default() };
    let (need, style) = (Need::default(), Style::Hardwon);
    let mut wishes = memory.store.lessons(&call.project, &query)?;
    wishes.retain(|lesson| exclusion(lesson, &need, rules).is_none());
    let ranked = rank(&wishes, &need, &Default::default(), call.now, rules);
    let room = room(memory, None, (None, None), style);
    let fit = fit(memory, &wishes, &ranked, style, &room);
    let is_out = |(_, why): &&(usize, Exclusion)| matches!(why, Exclusion::NoRoomForWish { .. });
    let left_out = fit.left_out.iter().filter(is_out).map(|(at, _)| &wishes[ranked[*at].index].id);
    let left_out: Vec<&LessonId> = left_out.collect();
    let which = match left_out.len() {
        0 => return Ok(None),
        n if left_out.contains(&&stated.id) => format!("one of {n} wishes that do not fit"),
        n => format!("of the wishes stated before, {n} do not fit any more"),
    };
    let (lines, tokens) = (budget.max_wishes, budget.wish_tokens);
    let reason = format!(
        "{which}; a block has {lines} lines and {tokens} tokens for them, and shows the most \
         relevant: shorten, scope or forget some (`hardwon list --kind preference` has all), or \
         pin this one (`hardwon edit {} --pin`)",
        stated.id
    );
    Ok(Some(Problem::new(&stated.id, reason)))
}
