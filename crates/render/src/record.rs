//! A lesson's record in a few words: where it was seen, what it prevented, who reported it.
//! Block, tables and report use the same words.

use std::fmt::Display;

use hardwon_core::episode::REJECTED;
use hardwon_core::gate::as_name;
use hardwon_core::lesson::{Kind, Lesson, Origin};

/// Most names that a record spells out.
const MAX_NAMES: usize = 3;

/// `seen in 4 runs, prevented 3 of 4, guardian`.
pub(crate) fn record(lesson: &Lesson) -> String {
    if let Some(said) = said(lesson) {
        return said;
    }
    let parts = [
        stated(lesson),
        seen(lesson),
        prevented(lesson.effects.n_helped, lesson.effects.n_tried()),
        reported(lesson),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `prevented 3 of 4`; nothing while it was not tested.
pub(crate) fn prevented(n_helped: u32, n_tried: u32) -> Option<String> {
    (n_tried > 0).then(|| format!("prevented {n_helped} of {n_tried}"))
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

/// `said by the user in 2 sessions`, `rejected by the user in 3 sessions`.
fn said(lesson: &Lesson) -> Option<String> {
    let is_rejection = lesson.tags.iter().any(|tag| tag == REJECTED);
    let how = if is_rejection { "rejected" } else { "said" };
    let times = counted(lesson.n_sightings, "session");
    lesson.is_personal().then(|| format!("{how} by the user in {times}"))
}

fn stated(lesson: &Lesson) -> Option<String> {
    match (lesson.origin, lesson.kind) {
        (Origin::User, Kind::Preference) => Some("preference of the user".to_owned()),
        (Origin::User, _) => {
            Some(format!("stated by {}", as_name(&lesson.author).unwrap_or("a person")))
        }
        (Origin::Import, Kind::Preference) => Some("imported preference".to_owned()),
        (Origin::Import, _) if lesson.n_sightings == 0 => Some("imported".to_owned()),
        (Origin::Reviewer | Origin::Agent | Origin::Import, _) => None,
    }
}

/// What a person stated counts as seen only once it was reported too.
fn seen(lesson: &Lesson) -> Option<String> {
    let was_reported = match lesson.origin {
        Origin::User => !lesson.detectors.is_empty(),
        Origin::Reviewer | Origin::Agent | Origin::Import => true,
    };
    let is_seen = was_reported && lesson.n_sightings > 0;
    is_seen.then(|| format!("seen in {}", counted(lesson.n_sightings, "run")))
}

fn reported(lesson: &Lesson) -> Option<String> {
    // What is not a name is only counted, not printed: it could say anything.
    let named = lesson.detectors.iter().filter_map(|detector| as_name(detector));
    let mut names: Vec<String> = named.take(MAX_NAMES).map(str::to_owned).collect();
    let n_more = lesson.detectors.len() - names.len();
    if n_more > 0 {
        names.push(format!("{n_more} more"));
    }
    (!names.is_empty()).then(|| names.join(", "))
}
