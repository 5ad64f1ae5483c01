//! Which ranked lessons fit the budget, and in which form? In full if all fit, else in
//! short form, else fewer of them by value per token. What is left out has a reason.

use std::cmp::Ordering;

use crate::eligible::{Exclusion, is_always_shown, is_wish};
use crate::lesson::Lesson;
use crate::matching::compare::Wordings;
use crate::policy::RankPolicy;
use crate::rank::Ranked;
use crate::signature::rule_parts;

/// One ranked lesson that wants room.
#[derive(Clone, Debug)]
pub struct Item {
    pub id: String,
    pub score: f64,
    pub is_pinned: bool,
    /// A preference of a person: never displaced by the number of other lessons.
    pub is_wish: bool,
    /// It concerns the need: such wishes come first where not all have room.
    pub is_relevant: bool,
    /// Shown to every need: not displaced by more preferences than half of the room.
    pub is_always_shown: bool,
}

impl Item {
    /// A lesson as it ranks under these rules.
    pub fn of(lesson: &Lesson, ranked: &Ranked, policy: &RankPolicy) -> Self {
        Item {
            id: lesson.id.to_string(),
            score: ranked.score,
            is_pinned: lesson.is_pinned,
            is_wish: is_wish(lesson, policy),
            is_relevant: ranked.is_relevant,
            is_always_shown: is_always_shown(lesson, policy),
        }
    }
}

/// The lines that an item could take.
#[derive(Clone, Debug)]
pub struct Lines {
    pub full: String,
    pub short: String,
}

/// How much room there is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Room {
    pub max_lessons: u32,
    pub tokens: u32,
    /// Extra tokens that only pinned lessons may use.
    pub pinned_tokens: u32,
    /// Lines and tokens beside those that only wishes may use; without lines they share the room
    /// of all.
    pub max_wishes: u32,
    pub wish_tokens: u32,
    pub max_chars: u32,
    /// Whether items come by their rank where not all fit; else by value per token.
    pub is_by_rank: bool,
    /// What marks, heading and elision line take.
    pub frame_tokens: u32,
    pub frame_chars: u32,
}

/// A chosen item and the line it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    pub index: usize,
    pub line: String,
}

/// What fits. Both lists in the order of the items.
#[derive(Clone, Debug, Default)]
pub struct Fit {
    pub chosen: Vec<Chosen>,
    pub left_out: Vec<(usize, Exclusion)>,
}

/// Chooses from ranked items, best first. Never more than `tokens + pinned_tokens + wish_tokens`
/// tokens or `max_chars` characters with the frame, nor more than `max_lessons` and `max_wishes`.
/// `lines_of` is asked only for items that could be chosen, and `is_near` only as long
/// as there is a place to be filled: both cost more than all the rest.
pub fn fit(
    items: &[Item],
    room: &Room,
    is_near: &dyn Fn(usize, usize) -> bool,
    lines_of: &dyn Fn(usize) -> Lines,
) -> Fit {
    let fitting = Fitting { items, is_near, lines_of };
    let (maximum, tokens) = (room.max_wishes, room.wish_tokens);
    let is_apart = |&index: &usize| maximum > 0 && items[index].is_wish && !items[index].is_pinned;
    let order = by_precedence(items, room.max_lessons).into_iter();
    let (mut wishes, others): (Vec<usize>, Vec<usize>) = order.partition(is_apart);
    wishes.sort_by_key(|&index| (!items[index].is_relevant, index));
    // What the frame takes beyond the room of all is taken from theirs.
    let frame_tokens = room.frame_tokens.saturating_sub(room.tokens);
    let own = Room { max_lessons: maximum, tokens, frame_tokens, is_by_rank: true, ..*room };
    let mut fit = fitting.within(&own, wishes, Fit::default());
    for (_, reason) in fit.left_out.iter_mut().filter(|(_, reason)| reason.is_elided()) {
        *reason = Exclusion::NoRoomForWish { maximum, tokens };
    }
    let n_chars: usize = fit.chosen.iter().map(|it| it.line.chars().count() + 1).sum();
    let room = Room { max_chars: room.max_chars.saturating_sub(n_chars as u32), ..*room };
    fitting.within(&room, others, fit)
}

struct Fitting<'a> {
    items: &'a [Item],
    is_near: &'a dyn Fn(usize, usize) -> bool,
    lines_of: &'a dyn Fn(usize) -> Lines,
}

impl Fitting<'_> {
    /// What of these items fits, in this order of precedence, beside what was chosen before.
    fn within(&self, room: &Room, order: Vec<usize>, mut fit: Fit) -> Fit {
        let kept = self.kept(room, order, &mut fit).into_iter().enumerate();
        let kept: Vec<Kept<'_>> = kept
            .map(|(place, index)| Kept {
                index,
                place,
                item: &self.items[index],
                lines: (self.lines_of)(index),
            })
            .collect();
        let chosen = form(&kept, room);
        let tokens = room.tokens;
        for one in &kept {
            if chosen.iter().all(|chosen| chosen.index != one.index) {
                fit.left_out.push((one.index, Exclusion::OverBudget { tokens }));
            }
        }
        fit.chosen.extend(chosen);
        fit.chosen.sort_by_key(|chosen| chosen.index);
        fit.left_out.sort_by_key(|(index, _)| *index);
        fit
    }

    /// The first items that do not say nearly the same as one before, as many as may be shown.
    fn kept(&self, room: &Room, order: Vec<usize>, fit: &mut Fit) -> Vec<usize> {
        let (maximum, mut kept) = (room.max_lessons, Vec::new());
        for i in order {
            if kept.len() >= maximum as usize {
                fit.left_out.push((i, Exclusion::OverMaximum { maximum }));
                continue;
            }
            let mut others = fit.chosen.iter().map(|chosen| &chosen.index).chain(&kept);
            match others.find(|&&k| (self.is_near)(i, k)) {
                Some(&k) => {
                    let of = self.items[k].id.clone();
                    fit.left_out.push((i, Exclusion::NearDuplicate { of }));
                }
                None => kept.push(i),
            }
        }
        kept
    }
}

/// An item that has a place if there is room.
struct Kept<'a> {
    index: usize,
    /// Its place in the order of precedence.
    place: usize,
    item: &'a Item,
    lines: Lines,
}

/// A kept item in one of its forms.
type Formed<'a> = (&'a Kept<'a>, &'a str);

/// The items in order of precedence: pinned, wishes, the rest. Wishes and what is always shown
/// share the room if there is not enough for both.
fn by_precedence(items: &[Item], maximum: u32) -> Vec<usize> {
    let mut n_wishes = 0;
    let mut class = |item: &Item| {
        n_wishes += u32::from(item.is_wish && !item.is_pinned);
        match item {
            Item { is_pinned: true, .. } => 0,
            Item { is_wish: true, .. } if n_wishes <= maximum.div_ceil(2) => 1,
            Item { is_wish: true, .. } => 3,
            Item { is_always_shown: true, .. } => 2,
            Item { .. } => 4,
        }
    };
    let mut order: Vec<(u32, usize)> =
        items.iter().enumerate().map(|(index, item)| (class(item), index)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, index)| index).collect()
}

/// Whether the second of two lessons is left out of a block: equal words say the same, and of one
/// rule of a tool two that share this much of their words do. Another rule is another problem,
/// however similar its messages are.
pub fn is_near(a: &Lesson, b: &Lesson, wordings: &Wordings, bar: f64) -> bool {
    let bar = if is_of_one_rule(a, b) { bar } else { bar.max(1.0) };
    bar <= 1.0 && wordings.overlap(a, b) >= bar
}

fn is_of_one_rule(a: &Lesson, b: &Lesson) -> bool {
    let is_rule =
        |signature: &&String| rule_parts(signature).is_some_and(|(_, rule)| !rule.is_empty());
    a.signatures.iter().filter(is_rule).any(|signature| b.signatures.contains(signature))
}

fn form(kept: &[Kept<'_>], room: &Room) -> Vec<Chosen> {
    let all_full: Vec<Formed<'_>> = kept.iter().map(|it| (it, &*it.lines.full)).collect();
    let all_short: Vec<Formed<'_>> = kept.iter().map(|it| (it, &*it.lines.short)).collect();
    let formed = if fits(&all_full, room) {
        all_full
    } else if fits(&all_short, room) {
        all_short
    } else {
        greedy(all_short, room)
    };
    let chosen = |(kept, line): &Formed<'_>| Chosen { index: kept.index, line: (*line).to_owned() };
    formed.iter().map(chosen).collect()
}

/// By rank or by value per token; pinned and wishes keep their precedence.
fn greedy<'a>(mut wanted: Vec<Formed<'a>>, room: &Room) -> Vec<Formed<'a>> {
    let class = |(kept, _): &Formed<'_>| (!kept.item.is_pinned, !kept.item.is_wish);
    let value = |(kept, line): &Formed<'_>| kept.item.score / f64::from(line_tokens(line).max(1));
    wanted.sort_by(|a, b| {
        let by_value = match room.is_by_rank {
            true => Ordering::Equal,
            false => value(b).total_cmp(&value(a)),
        };
        class(a).cmp(&class(b)).then(by_value).then(a.0.place.cmp(&b.0.place))
    });
    let mut chosen: Vec<Formed<'a>> = Vec::new();
    for formed in wanted {
        chosen.push(formed);
        if !fits(&chosen, room) {
            chosen.pop();
        }
    }
    chosen
}

fn fits(chosen: &[Formed<'_>], room: &Room) -> bool {
    let (mut rest, mut pinned, mut chars) = (0, 0, room.frame_chars);
    for (kept, line) in chosen {
        chars += line.chars().count() as u32 + 1;
        if kept.item.is_pinned { pinned += line_tokens(line) } else { rest += line_tokens(line) }
    }
    let has_room = match rest {
        // Pinned lessons alone may carry the frame into their own room.
        0 => room.frame_tokens + pinned <= room.tokens.saturating_add(room.pinned_tokens),
        _ => {
            let overflow = pinned.saturating_sub(room.pinned_tokens);
            room.frame_tokens + rest + overflow <= room.tokens
        }
    };
    has_room && chars <= room.max_chars
}

fn line_tokens(line: &str) -> u32 {
    estimate_tokens(line) + 1
}

/// A conservative estimate: never below what common tokenizers count on English prose,
/// code or CJK, and cheap enough for a hot path. Letters, digits and spaces count
/// 0.28, other ASCII 0.5, anything else 1.2 (bytes / 4 was measured 5 % low).
pub fn estimate_tokens(text: &str) -> u32 {
    let cost = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' => 28,
        c if c.is_ascii() => 50,
        _ => 120,
    };
    let hundredths: u64 = text.chars().map(cost).sum();
    hundredths.div_ceil(100) as u32
}

/// The short form of a text: its first sentence if that is short enough, else cut
/// between words, with an ellipsis.
pub fn shorten(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    let head: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    if let Some(end) = head.rfind(". ").filter(|end| *end > max_chars / 3) {
        return head[..=end].to_owned();
    }
    let end = head.rfind(' ').filter(|end| *end > max_chars / 2).unwrap_or(head.len());
    format!("{}…", head[..end].trim_end())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn item(id: &str) -> Item {
        Item {
            id: id.into(),
            score: 0.5,
            is_pinned: false,
            is_wish: false,
            is_relevant: true,
            is_always_shown: false,
        }
    }

    pub(crate) fn room(tokens: u32) -> Room {
        let (max_lessons, max_chars) = (10, 9500);
        let (pinned_tokens, frame_tokens, frame_chars) = (20, 5, 20);
        Room {
            max_lessons,
            tokens,
            pinned_tokens,
            max_chars,
            frame_tokens,
            frame_chars,
            ..Room::default()
        }
    }

    fn fit_text(items: &[Item], room: &Room, text: &str) -> Fit {
        let lines = |_| Lines { full: text.into(), short: shorten(text, 40) };
        fit(items, room, &|_, _| false, &lines)
    }

    #[test]
    fn full_then_short_then_fewer() {
        let long = "a long explanation of one particular trap ".repeat(3);
        let items = [item("a"), item("b")];
        let lengths = |tokens| {
            let fit = fit_text(&items, &room(tokens), &long);
            fit.chosen.iter().map(|c| c.line.len() > 50).collect::<Vec<_>>()
        };
        assert_eq!(lengths(500), [true, true]);
        assert_eq!(lengths(40), [false, false]);
        assert_eq!(lengths(20), [false]);
        assert_eq!(lengths(0), [] as [bool; 0]);
    }

    /// The design of jkz's block: by score until it is full, never over.
    #[test]
    fn part_5_by_rank_the_best_come_first_however_long_they_are() {
        let mut items = [item("a"), item("b"), item("c")];
        items[0].score = 0.6;
        let texts = ["a long explanation of one trap", "short", "short"];
        let lines = |index: usize| Lines { full: texts[index].into(), short: texts[index].into() };
        let chosen = |is_by_rank| {
            let room = Room { is_by_rank, ..room(16) };
            let fit = fit(&items, &room, &|_, _| false, &lines);
            fit.chosen.iter().map(|chosen| chosen.index).collect::<Vec<_>>()
        };
        assert_eq!(chosen(true), [0]);
        assert_eq!(chosen(false), [1, 2]);
    }

    #[test]
    fn wishes_are_not_pushed_out_by_numbers() {
        let mut items: Vec<Item> = (0..12).map(|i| item(&i.to_string())).collect();
        items[11].is_wish = true;
        let fit = fit_text(&items, &room(500), "some text");
        assert_eq!(fit.chosen.len(), 10);
        assert!(fit.chosen.iter().any(|c| c.index == 11));
        assert!(fit.left_out.iter().all(|(_, why)| matches!(why, Exclusion::OverMaximum { .. })));
    }

    #[test]
    fn wishes_have_room_of_their_own_the_most_relevant_first() {
        let mut items: Vec<Item> = (0..30).map(|i| item(&i.to_string())).collect();
        for item in &mut items[10..] {
            (item.is_wish, item.is_relevant) = (true, item.id == "29");
        }
        let chosen = |max_wishes, wish_tokens| {
            let room = Room { max_wishes, wish_tokens, ..room(500) };
            let fit = fit_text(&items, &room, "some text");
            let (wishes, others): (Vec<usize>, Vec<usize>) =
                fit.chosen.iter().map(|chosen| chosen.index).partition(|index| *index >= 10);
            let none = Exclusion::NoRoomForWish { maximum: max_wishes, tokens: wish_tokens };
            let left_out = fit.left_out.iter().map(|(index, reason)| (*index, reason == &none));
            assert!(left_out.into_iter().all(|(index, is_told)| (index >= 10) == is_told));
            (others.len(), wishes)
        };
        assert_eq!(chosen(3, 300), (10, vec![10, 11, 29]));
        // A line takes 4 tokens.
        assert_eq!(chosen(12, 9), (10, vec![10, 29]));
        assert_eq!(chosen(12, 300).1.len(), 12);
    }

    #[test]
    fn pinned_lessons_have_room_of_their_own() {
        let mut items = [item("a"), item("b")];
        items[0].is_pinned = true;
        let fit = fit_text(&items, &room(0), "a short text");
        let chosen: Vec<usize> = fit.chosen.iter().map(|chosen| chosen.index).collect();
        assert_eq!(chosen, [0]);
    }

    #[test]
    fn near_duplicates_are_thinned() {
        let items = [item("a"), item("b"), item("c")];
        let lines = |_| Lines { full: "text".into(), short: "text".into() };
        let fit = fit(&items, &room(500), &|a, b| a + b == 1, &lines);
        assert_eq!(fit.left_out, [(1, Exclusion::NearDuplicate { of: "a".into() })]);
    }

    #[test]
    fn only_what_can_be_chosen_is_compared_and_rendered() {
        let items: Vec<Item> = (0..100).map(|i| item(&i.to_string())).collect();
        let n_calls = std::cell::Cell::new(0);
        let lines = |_| {
            n_calls.set(n_calls.get() + 1);
            Lines { full: "text".into(), short: "text".into() }
        };
        let is_near = |_, _| {
            n_calls.set(n_calls.get() + 1);
            false
        };
        fit(&items, &room(500), &is_near, &lines);
        assert_eq!(n_calls.get(), 10 + 45);
    }

    #[test]
    fn short_forms() {
        assert_eq!(shorten("One. Two three four five six", 12), "One. Two…");
        assert_eq!(shorten("日本語日本語日本語", 4), "日本語…");
    }
}
