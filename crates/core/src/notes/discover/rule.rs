//! Is a sentence of a session a rule, and in which words? Corrections, decisions with their reason,
//! and what is said so that it stands without the moment.

use super::{Signal, Speaker, Utterance};
use crate::list;
use crate::notes::NoteKind;
use crate::notes::bar::is_said_as_rule;
use crate::notes::wording::{rare_words, says_what_to_do};
use crate::wish;

const DECIDED: &[&str] = list!("notes.txt", "decided");
const BECAUSE: &[&str] = list!("notes.txt", "because");

/// A sentence as a rule, its kind, and what it was made of.
pub(super) type Rule = (String, NoteKind, Signal);

/// What a sentence may become.
pub(super) fn rule_of(utterance: &Utterance) -> Option<Rule> {
    let text = utterance.text.trim();
    if let Some(rule) = decision(text) {
        let signal = match utterance.speaker {
            Speaker::User => Signal::Decision,
            Speaker::Agent => Signal::Recurring,
        };
        return Some((rule, NoteKind::Project, signal));
    }
    if utterance.speaker == Speaker::User
        && let Ok(rule) = wish::judge(text)
    {
        return Some((without_lead(&rule), NoteKind::Feedback, Signal::Correction));
    }
    // What a user orders again and again are tasks: "commit this, then open a pull request".
    let is_task = utterance.speaker == Speaker::User && says_what_to_do(text);
    let is_rule = !is_task && is_general(text) && is_said_as_rule(text);
    let signal = match utterance.speaker {
        Speaker::User => Signal::Repeated,
        Speaker::Agent => Signal::Recurring,
    };
    is_rule.then(|| (as_sentence(text), NoteKind::Project, signal))
}

/// A rule holds from now on anyway.
fn without_lead(rule: &str) -> String {
    const LEADS: &[&str] =
        &["from now on", "going forward", "in the future", "in future", "please"];
    let mut rest = rule.trim();
    while let Some(lead) = LEADS
        .iter()
        .find(|lead| rest.get(..lead.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(lead)))
    {
        rest = rest[lead.len()..].trim_start_matches([',', ' ']);
    }
    as_sentence(rest)
}

/// Whether a sentence stands without the moment: no question, nothing that was just done.
fn is_general(text: &str) -> bool {
    let n_words = text.split_whitespace().count();
    if text.ends_with('?') || !(4..=40).contains(&n_words) {
        return false;
    }
    let lower = text.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default();
    let is_own =
        matches!(first, "i" | "i'll" | "i've" | "i'm" | "let" | "let's" | "now" | "ok" | "done");
    !is_own && !rare_words(text).is_empty()
}

/// "We chose X over Y because Z" as a rule: "Use X, not Y, because Z."
fn decision(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let (at, phrase) =
        DECIDED.iter().find_map(|phrase| Some((place_of(&lower, phrase)?, *phrase)))?;
    if lower.len() != text.len() || text.ends_with('?') || is_unsure(&lower) {
        return None;
    }
    let rest = &text[at + phrase.len()..];
    let (what, why) = BECAUSE.iter().find_map(|word| {
        let place = place_of(&lower[at + phrase.len()..], word)?;
        Some((&rest[..place], &rest[place + word.len()..]))
    })?;
    let what = what.trim().trim_end_matches([',', ';']);
    let why = why.trim().trim_end_matches(['.', '!', ';']);
    let (n_what, n_why) = (what.split_whitespace().count(), why.split_whitespace().count());
    if !(1..=20).contains(&n_what) || !(2..=40).contains(&n_why) {
        return None;
    }
    let what = what.replacen(" over ", ", not ", 1).replacen(" instead of ", ", not ", 1);
    let begin = match phrase {
        _ if phrase.ends_with("decided to") || phrase.ends_with("chose to") => "",
        _ if phrase.ends_with(':') => "",
        _ if phrase.ends_with("against") => "Do not use ",
        _ => "Use ",
    };
    let rule = format!("{begin}{what}, because {why}");
    Some(as_sentence(&rule))
}

/// Where a phrase stands as whole words.
fn place_of(text: &str, phrase: &str) -> Option<usize> {
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut places = text.match_indices(phrase).map(|(at, _)| at);
    places.find(|at| {
        let behind = text[at + phrase.len()..].chars().next();
        !is_part(text[..*at].chars().next_back()) && !is_part(behind)
    })
}

fn is_unsure(lower: &str) -> bool {
    ["maybe", "perhaps", "might", "could we", "should we", "i think we"]
        .iter()
        .any(|it| lower.contains(it))
}

/// With a capital, without marks of lists, with a stop.
pub(super) fn as_sentence(text: &str) -> String {
    let text = text.trim().trim_start_matches(['-', '*', ' ']).trim_end_matches(['.', '!', ';']);
    let mut chars = text.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", chars.as_str())
}
