//! New lessons in OpenAgents' files: ids of the shape that its memories had,
//! `mem-TIME-WORD`, made from the lesson itself and never given twice.

use std::collections::BTreeSet;

use hardwon_core::change::Batch;
use hardwon_core::digest::{base32, sha256};
use hardwon_core::lesson::Lesson;

use super::translate::is_own;
use crate::store::layout::{Namer, is_stated};

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// What is stated here gets a new id, whatever aliases it has.
pub(super) fn namer(batch: &Batch) -> Namer {
    let is_stated = is_stated(batch);
    Box::new(move |lesson, taken| {
        if is_stated || !lesson.aliases.iter().any(|alias| is_own(alias)) {
            lesson.aliases.insert(0, new_id(lesson, taken));
        }
    })
}

fn new_id(lesson: &Lesson, taken: &BTreeSet<String>) -> String {
    let time = base36(lesson.created_at.0.max(0) as u64);
    let hash = base32(&sha256(&[lesson.id.as_str()]));
    let ids = (6..=hash.len()).map(|length| format!("mem-{time}-{}", &hash[..length]));
    let mut free = ids.filter(|id| !taken.contains(id));
    free.next().unwrap_or_else(|| format!("mem-{time}-{hash}-{}", taken.len()))
}

fn base36(mut number: u64) -> String {
    let mut digits = Vec::new();
    while number > 0 || digits.is_empty() {
        digits.push(char::from(DIGITS[(number % 36) as usize]));
        number /= 36;
    }
    digits.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        assert_eq!(base36(0), "0");
        assert_eq!(base36(36 * 36 + 35), "10z");
    }
}
