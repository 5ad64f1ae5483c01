//! Do words name something that is known without the conversation?

use crate::list;

/// Somebody or something that only the conversation names.
pub const POINTS: &[&str] = list!("wishes.txt", "points");
/// One certain thing follows.
pub const DEFINITE: &[&str] = list!("wishes.txt", "definite");
const WORK: &[&str] = list!("wishes.txt", "work");
const STANDING: &[&str] = list!("wishes.txt", "standing");

/// Whether the words name something by themselves, not only point at it.
pub fn is_named(object: &[&str]) -> bool {
    let Some(first) = object.first() else { return false };
    let is_work = object.get(1).is_some_and(|word| WORK.contains(word));
    is_work || !POINTS.contains(first)
}

/// Whether the words name a sort of thing, or one that is there for good.
pub fn is_general(object: &[&str]) -> bool {
    let Some(first) = object.first() else { return false };
    if is_preposition(first) {
        return is_general(&object[1..]);
    }
    if DEFINITE.contains(first) {
        let is_there = |word: &&str| STANDING.contains(word) || WORK.contains(word);
        return object.iter().take(4).any(is_there);
    }
    is_named(object)
}

pub fn is_preposition(word: &str) -> bool {
    matches!(
        word,
        "to" | "on"
            | "in"
            | "from"
            | "with"
            | "into"
            | "for"
            | "at"
            | "by"
            | "of"
            | "up"
            | "out"
            | "about"
            | "as"
    )
}
