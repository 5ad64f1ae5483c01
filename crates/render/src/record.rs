//! A lesson's record in a few words: where it was seen, what came of showing it, who reported it.
//! Block, tables and report use the same words.

use std::fmt::Display;

use hardwon_core::gate::as_name;
use hardwon_core::grade::is_tool;
use hardwon_core::lesson::{Kind, Lesson, Origin};
use hardwon_core::prompt::printed_path;
use hardwon_core::reflect::AUTHOR;

const MAX_NAMES: usize = 3;

/// `seen in 4 runs, shown 4 times, came back once, guardian`; of what sessions showed `in src/db/, 3 sessions`.
pub(crate) fn record(lesson: &Lesson) -> String {
    let effects = &lesson.effects;
    with(lesson, came_of_it(effects.n_tried(), effects.n_no_help, effects.expected()))
}

/// The same without what came of showing it.
pub(crate) fn short_record(lesson: &Lesson) -> String {
    with(lesson, None)
}

fn with(lesson: &Lesson, came_of_it: Option<String>) -> String {
    if let Some(said) = said(lesson) {
        return said;
    }
    // Nobody reported it: sessions of agents showed it.
    let is_shown = lesson.author == AUTHOR || is_tool(&lesson.author);
    let parts = if lesson.origin == Origin::Agent && is_shown {
        let seen = Some(counted(lesson.n_sightings, "session"));
        [common_folder(lesson), seen, came_of_it, None]
    } else {
        [stated(lesson), seen(lesson), came_of_it, reported(lesson)]
    };
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `shown 4 times, came back once, 1.9 expected`; nothing while it was not tested.
pub(crate) fn came_of_it(n_tried: u32, n_again: u32, expected: f64) -> Option<String> {
    let expected =
        if expected < 0.05 { String::new() } else { format!(", {expected:.1} expected") };
    let again = match n_again {
        0 => "never came back".to_owned(),
        n => format!("came back {}", times(n)),
    };
    (n_tried > 0).then(|| format!("shown {}, {again}{expected}", times(n_tried)))
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

/// `said by the user in 2 sessions`.
fn said(lesson: &Lesson) -> Option<String> {
    let times = counted(lesson.n_sightings, "session");
    lesson.is_personal().then(|| format!("said by the user in {times}"))
}

/// The folder in which all its files are.
fn common_folder(lesson: &Lesson) -> Option<String> {
    let folder = |path: &String| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let mut folders = lesson.paths.iter().map(folder);
    let first = folders.next()??;
    let common = folders.try_fold(first, |common, other| {
        let other = other?;
        let shared = common.split('/').zip(other.split('/')).take_while(|(a, b)| a == b);
        let shared: Vec<&str> = shared.map(|(part, _)| part).collect();
        (!shared.is_empty()).then(|| shared.join("/"))
    })?;
    printed_path(&common).map(|folder| format!("in {folder}/"))
}

fn stated(lesson: &Lesson) -> Option<String> {
    match (lesson.origin, lesson.kind) {
        (Origin::User, Kind::Preference) => Some("preference of the user".to_owned()),
        (Origin::User, _) => {
            Some(format!("stated by {}", as_name(&lesson.author).unwrap_or("a person")))
        }
        (Origin::Team, _) => Some("agreed on by the team".to_owned()),
        (Origin::Import, Kind::Preference) => Some("imported preference".to_owned()),
        (Origin::Import, _) if lesson.n_sightings == 0 => Some("imported".to_owned()),
        (Origin::Reviewer | Origin::Agent | Origin::Import, _) => None,
    }
}

/// What a person stated counts as seen only once it was reported too.
fn seen(lesson: &Lesson) -> Option<String> {
    let was_reported = match lesson.origin {
        Origin::User => !lesson.detectors.is_empty(),
        Origin::Reviewer | Origin::Agent | Origin::Import | Origin::Team => true,
    };
    let is_seen = was_reported && lesson.n_sightings > 0;
    is_seen.then(|| format!("seen in {}", counted(lesson.n_sightings, "run")))
}

fn reported(lesson: &Lesson) -> Option<String> {
    // What is not a name is only counted, not printed: it could say anything.
    let others = lesson.detectors.iter().filter(|detector| *detector != AUTHOR);
    let named = others.clone().filter_map(|detector| as_name(detector));
    let mut names: Vec<String> = named.take(MAX_NAMES).map(str::to_owned).collect();
    let n_more = others.count() - names.len();
    if n_more > 0 {
        names.push(format!("{n_more} more"));
    }
    (!names.is_empty()).then(|| names.join(", "))
}
