//! Does a note belong into the project's rules, or into the archive? Five parts, each from 0 to 1
//! with its ground, weighed by the policy.

use super::super::policy::NotesPolicy;
use super::super::wording::says_what_to_do;
use super::super::{Note, NoteKind};
use super::{Age, RedundantRow};
use crate::vocabulary;

vocabulary! {
    /// What is advised.
    Advice {
        Promote = "promote",
        Keep = "keep",
        Archive = "archive",
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ScorePart {
    pub name: &'static str,
    /// 0..=1.
    pub value: f64,
    pub weight: f64,
    pub ground: String,
}

/// The score of a note with its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Promotion {
    pub score: f64,
    pub advice: Advice,
    pub parts: Vec<ScorePart>,
}

/// Scores a note: `redundant` is what the documents say of it, `most_like` the other note that it
/// shares most words with.
pub fn promotion(
    note: &Note,
    redundant: &RedundantRow,
    age: Option<Age>,
    most_like: Option<(&str, f64)>,
    policy: &NotesPolicy,
) -> Promotion {
    let weights = &policy.promotion;
    let part = |name, weight, (value, ground): (f64, String)| ScorePart {
        name,
        value: value.clamp(0.0, 1.0),
        weight,
        ground,
    };
    let parts = vec![
        part("redundancy", weights.redundancy, redundancy(redundant)),
        part("pattern", weights.pattern, pattern(note)),
        part("specificity", weights.specificity, specificity(note)),
        part("relevance", weights.relevance, relevance(note, age, policy.stale_days)),
        part("uniqueness", weights.uniqueness, uniqueness(most_like)),
    ];
    let score: f64 = parts.iter().map(|part| part.weight * part.value).sum();
    // A sum of halves and thirds must not miss its bound by a rounding.
    let score = (score * 1000.0).round() / 1000.0;
    let advice = if score >= weights.promote {
        Advice::Promote
    } else if score < weights.archive {
        Advice::Archive
    } else {
        Advice::Keep
    };
    Promotion { score, advice, parts }
}

/// What is documented already gains nothing by being promoted.
fn redundancy(row: &RedundantRow) -> (f64, String) {
    let ground = match &row.place {
        Some((file, line, _)) if row.share > 0.0 => {
            format!("{:.0} % of it stands at {file}:{line}", row.share * 100.0)
        }
        Some(_) | None => "no document says it".to_owned(),
    };
    (1.0 - row.share, ground)
}

/// A rule holds again; an incident is over.
fn pattern(note: &Note) -> (f64, String) {
    let is_rule = note.how.is_some() || says_what_to_do(&note.text);
    let has_why = note.why.is_some();
    let is_incident = names_a_day(&note.whole_text());
    let value = 0.5 * f64::from(u8::from(is_rule))
        + 0.2 * f64::from(u8::from(has_why))
        + 0.3 * f64::from(u8::from(!is_incident));
    let say = |is: bool, yes: &'static str, no: &'static str| if is { yes } else { no };
    let ground = [
        say(is_rule, "says what to do", "says nothing to do"),
        say(has_why, "says why", "no reason"),
        say(is_incident, "about one date", "not about one date"),
    ];
    (value, ground.join(", "))
}

/// Words for a day.
const DAYS: &[&str] =
    &["yesterday", "today", "tomorrow", "tonight", "last week", "this week", "last month"];

/// Whether a text is about one day: `2026-04-03`, or "yesterday".
fn names_a_day(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_date = |word: &str| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        digits == 8 && word.len() == 10 && word.matches('-').count() == 2
    };
    DAYS.iter().any(|day| lower.contains(day))
        || lower.split(|c: char| !c.is_ascii_digit() && c != '-').any(is_date)
}

fn specificity(note: &Note) -> (f64, String) {
    let text = note.whole_text();
    let names: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let value = match names.len() {
        0 => 0.2,
        1 => 0.6,
        2 => 0.8,
        _ => 1.0,
    };
    let ground = match names.first() {
        Some(first) => format!("names {} things, such as `{first}`", names.len()),
        None => "names no file, symbol or command".to_owned(),
    };
    (value, ground)
}

fn relevance(note: &Note, age: Option<Age>, stale_days: i64) -> (f64, String) {
    let (kind, word) = match note.kind {
        Some(kind @ (NoteKind::Feedback | NoteKind::Project)) => (1.0, kind.word()),
        Some(kind @ NoteKind::Reference) => (0.5, kind.word()),
        Some(kind @ NoteKind::User) => (0.3, kind.word()),
        None => (0.5, "no kind"),
    };
    let (fresh, told) = match age {
        Some(age) if age.days > stale_days => {
            let share = stale_days.max(1) as f64 / age.days as f64;
            (share, format!("{} days old ({})", age.days, age.source.word()))
        }
        Some(age) => (1.0, format!("{} days old ({})", age.days, age.source.word())),
        None => (0.5, "age not known".to_owned()),
    };
    ((kind + fresh) / 2.0, format!("{word}, {told}"))
}

fn uniqueness(most_like: Option<(&str, f64)>) -> (f64, String) {
    match most_like {
        Some((file, share)) if share > 0.0 => {
            (1.0 - share, format!("shares {:.0} % of its words with {file}", share * 100.0))
        }
        Some(_) | None => (1.0, "no other note is like it".to_owned()),
    }
}
