//! Which ranked lessons fit the room, and in which form? In full if all fit, else in
//! short form, else fewer of them by value per token. What is left out has a reason.

use crate::eligible::Exclusion;

/// One ranked lesson and the lines it could take.
#[derive(Clone, Debug)]
pub struct Item {
    pub id: String,
    pub score: f64,
    pub is_pinned: bool,
    /// Somebody's own wish: never pushed out by the number of other lessons.
    pub is_wish: bool,
    pub full: String,
    pub short: String,
}

/// How much room there is.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub max_lessons: u32,
    pub tokens: u32,
    /// Extra tokens that only pinned lessons may use.
    pub pinned_tokens: u32,
    pub max_chars: u32,
    /// What marks, heading and elision line take.
    pub frame_tokens: u32,
    pub frame_chars: u32,
}

/// A chosen item and the form it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    pub index: usize,
    pub is_short: bool,
}

/// What fits. Both lists in the order of the items.
#[derive(Clone, Debug, Default)]
pub struct Fit {
    pub chosen: Vec<Chosen>,
    pub left_out: Vec<(usize, Exclusion)>,
}

/// Chooses from ranked items, best first. Never more than `tokens + pinned_tokens`
/// tokens or `max_chars` characters with the frame, nor more than `max_lessons`.
pub fn fit(items: &[Item], room: &Room, is_near: &dyn Fn(&Item, &Item) -> bool) -> Fit {
    let mut left_out = Vec::new();
    let mut kept = thinned(items, room, is_near, &mut left_out);
    let over = kept.split_off(kept.len().min(room.max_lessons as usize));
    let maximum = room.max_lessons;
    left_out.extend(over.into_iter().map(|i| (i, Exclusion::OverMaximum { maximum })));
    let mut chosen = form(items, &kept, room);
    let is_chosen = |i: &usize| chosen.iter().any(|c| c.index == *i);
    let tokens = room.tokens;
    let dropped: Vec<usize> = kept.iter().copied().filter(|i| !is_chosen(i)).collect();
    left_out.extend(dropped.into_iter().map(|i| (i, Exclusion::OverBudget { tokens })));
    chosen.sort_by_key(|c| c.index);
    left_out.sort_by_key(|(i, _)| *i);
    Fit { chosen, left_out }
}

/// Items in order of precedence (pinned, wishes, the rest), without those that say
/// nearly the same as one before.
fn thinned(
    items: &[Item],
    room: &Room,
    is_near: &dyn Fn(&Item, &Item) -> bool,
    left_out: &mut Vec<(usize, Exclusion)>,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&i| (!items[i].is_pinned, !items[i].is_wish, i));
    let mut kept: Vec<usize> = Vec::new();
    for i in order {
        // Only what could be chosen is worth comparing with.
        let rivals = kept.iter().take(room.max_lessons as usize);
        let near = rivals.into_iter().find(|&&k| is_near(&items[i], &items[k]));
        match near {
            Some(&k) => left_out.push((i, Exclusion::NearDuplicate { of: items[k].id.clone() })),
            None => kept.push(i),
        }
    }
    kept
}

fn form(items: &[Item], kept: &[usize], room: &Room) -> Vec<Chosen> {
    for is_short in [false, true] {
        let all: Vec<Chosen> = kept.iter().map(|&index| Chosen { index, is_short }).collect();
        if fits(items, &all, room) {
            return all;
        }
    }
    greedy(items, kept, room)
}

/// Short forms by value per token; pinned and wishes keep their precedence.
fn greedy(items: &[Item], kept: &[usize], room: &Room) -> Vec<Chosen> {
    let value = |i: usize| items[i].score / f64::from(line_tokens(&items[i].short).max(1));
    let mut order = kept.to_vec();
    order.sort_by(|&a, &b| {
        let class = |i: usize| (!items[i].is_pinned, !items[i].is_wish);
        class(a).cmp(&class(b)).then(value(b).total_cmp(&value(a))).then(a.cmp(&b))
    });
    let mut chosen: Vec<Chosen> = Vec::new();
    for index in order {
        chosen.push(Chosen { index, is_short: true });
        if !fits(items, &chosen, room) {
            chosen.pop();
        }
    }
    chosen
}

fn fits(items: &[Item], chosen: &[Chosen], room: &Room) -> bool {
    let (mut rest, mut pinned, mut chars) = (0, 0, room.frame_chars);
    for Chosen { index, is_short } in chosen {
        let item = &items[*index];
        let line = if *is_short { &item.short } else { &item.full };
        chars += line.chars().count() as u32 + 1;
        match item.is_pinned {
            true => pinned += line_tokens(line),
            false => rest += line_tokens(line),
        }
    }
    let has_room = match rest {
        // Pinned lessons alone may carry the frame into their own room.
        0 => room.frame_tokens + pinned <= room.tokens + room.pinned_tokens,
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
mod tests {
    use super::*;

    fn item(id: &str, text: &str) -> Item {
        Item {
            id: id.into(),
            score: 0.5,
            is_pinned: false,
            is_wish: false,
            full: text.into(),
            short: shorten(text, 40),
        }
    }

    fn room(tokens: u32) -> Room {
        Room {
            max_lessons: 10,
            tokens,
            pinned_tokens: 20,
            max_chars: 9500,
            frame_tokens: 5,
            frame_chars: 20,
        }
    }

    fn never(_: &Item, _: &Item) -> bool {
        false
    }

    #[test]
    fn full_then_short_then_fewer() {
        let long = "a long explanation of one particular trap ".repeat(3);
        let items = [item("a", &long), item("b", &long)];
        let forms = |tokens| {
            let fit = fit(&items, &room(tokens), &never);
            fit.chosen.iter().map(|c| c.is_short).collect::<Vec<_>>()
        };
        assert_eq!(forms(500), [false, false]);
        assert_eq!(forms(40), [true, true]);
        assert_eq!(forms(20), [true]);
        assert_eq!(forms(0), [] as [bool; 0]);
    }

    #[test]
    fn wishes_are_not_pushed_out_by_numbers() {
        let mut items: Vec<Item> = (0..12).map(|i| item(&i.to_string(), "some text")).collect();
        items[11].is_wish = true;
        let fit = fit(&items, &room(500), &never);
        assert_eq!(fit.chosen.len(), 10);
        assert!(fit.chosen.iter().any(|c| c.index == 11));
        assert!(fit.left_out.iter().all(|(_, why)| matches!(why, Exclusion::OverMaximum { .. })));
    }

    #[test]
    fn pinned_lessons_have_room_of_their_own() {
        let mut items = [item("a", "a pinned text"), item("b", "another text")];
        items[0].is_pinned = true;
        let fit = fit(&items, &room(0), &never);
        let chosen: Vec<usize> = fit.chosen.iter().map(|chosen| chosen.index).collect();
        assert_eq!(chosen, [0]);
    }

    #[test]
    fn near_duplicates_are_thinned() {
        let items = [item("a", "same text"), item("b", "same text")];
        let fit = fit(&items, &room(500), &|a, b| a.full == b.full);
        assert_eq!(fit.left_out, [(1, Exclusion::NearDuplicate { of: "a".into() })]);
    }

    #[test]
    fn short_forms() {
        assert_eq!(shorten("One. Two three four five six", 12), "One. Two…");
        assert_eq!(shorten("日本語日本語日本語", 4), "日本語…");
    }
}
