//! A lesson's record in a few words: where it was seen, what came of showing it, who reported it.
//! Block, tables and report use the same words.

use std::fmt::Display;

use hardwon_core::gate::as_name;
use hardwon_core::grade::is_tool;
use hardwon_core::lesson::{Kind, Lesson, Origin};
use hardwon_core::reflect::AUTHOR;
use hardwon_core::time::Timestamp;

/// `guardian, 4 runs, shown 4 times, came back once`: the words of a block, and what came of it.
pub(crate) fn record(lesson: &Lesson) -> String {
    let it = &lesson.effects;
    let counts = [it.n_shown(), it.n_no_help, it.n_helped, it.n_contradicted];
    let came_of_it = (it.n_tried() > 0).then(|| came_of_it(counts));
    let parts = [Some(short_record(lesson)), came_of_it];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `guardian, 3 runs`, `3 sessions`, `user, 12 May`: at most four words, and no statistic.
pub(crate) fn short_record(lesson: &Lesson) -> String {
    // Nobody reported it: sessions of agents showed it.
    let is_shown = lesson.author == AUTHOR || is_tool(&lesson.author);
    let seen = |noun| counted(lesson.n_sightings, noun);
    let stated = |by: &str| format!("{by}, {}", day(lesson.created_at));
    match lesson.origin {
        _ if lesson.is_personal() => format!("user, {}", seen("session")),
        Origin::Agent if is_shown => seen("session"),
        Origin::User if lesson.kind == Kind::Preference => stated("user"),
        Origin::User => stated(one_word(&lesson.author).unwrap_or("user")),
        Origin::Team => stated("team"),
        Origin::Import if lesson.n_sightings == 0 => "imported".to_owned(),
        Origin::Import | Origin::Reviewer | Origin::Agent => {
            let mut by = lesson.detectors.iter().filter(|detector| *detector != AUTHOR);
            let only = by.next().filter(|_| by.next().is_none());
            let only = only.and_then(|name| one_word(name));
            only.map_or_else(|| seen("run"), |name| format!("{name}, {}", seen("run")))
        }
    }
}

fn one_word(name: &str) -> Option<&str> {
    as_name(name).filter(|name| !name.contains(' '))
}

/// `12 May`.
fn day(at: Timestamp) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let date = at.date();
    let mut parts = date.rsplit('-').map(|part| part.parse().unwrap_or(1));
    let (day, month): (usize, usize) = (parts.next().unwrap_or(1), parts.next().unwrap_or(1));
    format!("{day} {}", MONTHS[(month - 1) % 12])
}

/// `shown 12 times, came back twice, heeded 7 times`, and how often it was contradicted, if ever.
pub(crate) fn came_of_it([n_shown, n_again, n_heeded, n_contradicted]: [u32; 4]) -> String {
    let told = |what: &str, n: u32| (n > 0).then(|| format!(", {what} {}", times(n)));
    let again = told("came back", n_again).unwrap_or_else(|| ", never came back".to_owned());
    let rest = [told("heeded", n_heeded), told("contradicted", n_contradicted)];
    format!("shown {}{again}{}", times(n_shown), rest.into_iter().flatten().collect::<String>())
}

/// `once`, `twice`, `3 times`.
fn times(n: u32) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// `1 run`, `2 runs`.
pub(crate) fn counted(n: impl Into<u64>, noun: &str) -> String {
    match n.into() {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// ` to guardian`: the words and then the value, or nothing without one.
pub(crate) fn after(words: &str, value: Option<impl Display>) -> String {
    value.map_or(String::new(), |value| format!("{words}{value}"))
}

/// `src/api.rs:41`.
pub(crate) fn placed(path: &str, line: Option<u32>) -> String {
    format!("{path}{}", after(":", line))
}
