//! Does a fact earn a file? It has to be recurrent, undocumented, non-obvious and actionable,
//! because every note costs space in every later session. A refusal names what failed and where
//! that can be seen; a person may override it.

use super::documents::{DocumentSentence, Documents};
use super::policy::NotesPolicy;
use super::wording::{rare_words, says_what_to_do, sentences};
use super::{NoteKind, manifest::ManifestField};
use crate::list;
use crate::matching::MatchPolicy;
use crate::wish::judge;
use crate::words::{unique_words, words};

/// A fact that asks for a file.
#[derive(Clone, Debug, Default)]
pub struct Candidate<'a> {
    pub text: &'a str,
    pub kind: Option<NoteKind>,
    /// What to do about it, where that was said apart.
    pub how: Option<&'a str>,
    /// In how many runs or sessions it was said.
    pub n_sessions: usize,
    /// Whether a person states it.
    pub is_stated: bool,
}

/// What a fact lacks.
#[derive(Clone, Debug, PartialEq)]
pub enum Lack {
    /// It was said in too few sessions, and by no person.
    Recurrent { n_sessions: usize },
    /// A document says it.
    Undocumented { place: DocumentSentence, share: f64, is_same: bool },
    /// One field of a manifest says it.
    NonObvious { field: ManifestField },
    /// It does not say what to do, to avoid, or when.
    Actionable,
}

impl Lack {
    /// The word for answers.
    pub fn as_str(&self) -> &'static str {
        match self {
            Lack::Recurrent { .. } => "recurrent",
            Lack::Undocumented { .. } => "undocumented",
            Lack::NonObvious { .. } => "non_obvious",
            Lack::Actionable => "actionable",
        }
    }
}

/// What a fact is held against.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    pub documents: &'a Documents,
    pub manifests: &'a [ManifestField],
}

/// Everything that a fact lacks; empty if it earns its file.
pub fn lacks(
    candidate: &Candidate<'_>,
    known: Known<'_>,
    policy: &NotesPolicy,
    matching: &MatchPolicy,
) -> Vec<Lack> {
    let mut lacks = Vec::new();
    if !candidate.is_stated && candidate.n_sessions < policy.recurrent_sessions {
        lacks.push(Lack::Recurrent { n_sessions: candidate.n_sessions });
    }
    if let Some(found) = known.documents.documented(candidate.text, policy, matching) {
        let (place, share) = (found.place.clone(), found.share);
        lacks.push(Lack::Undocumented { place, share, is_same: found.same.is_some() });
    }
    if let Some(field) = known.manifests.iter().find(|field| says_all(field, candidate.text)) {
        lacks.push(Lack::NonObvious { field: field.clone() });
    }
    if !is_actionable(candidate) {
        lacks.push(Lack::Actionable);
    }
    lacks
}

/// Words around a name that say no more than the manifest does.
const PLAIN: &[&str] = list!("bar.txt", "plain");

/// What no field of a manifest says.
const AGAINST: &[&str] = list!("bar.txt", "against");

/// Whether one field says all of a text: nothing is left but the words around it.
fn says_all(field: &ManifestField, text: &str) -> bool {
    let said = format!("{} {} {}", field.name, field.value, field.kind.as_str());
    let known: Vec<String> = words(&format!("{said} {}", PLAIN.join(" ")));
    let own = words(&field.name);
    let all = unique_words(text);
    let names_it = all.iter().any(|word| own.contains(word) || is_value(field, word));
    // "Never use X" is no field of a manifest, whatever its words.
    let lower = text.to_lowercase();
    let is_against = AGAINST.iter().any(|word| lower.contains(word));
    !all.is_empty() && names_it && !is_against && all.iter().all(|word| known.contains(word))
}

fn is_value(field: &ManifestField, word: &str) -> bool {
    words(&field.value).iter().any(|part| part == word)
}

/// Whether it says what to do. A person is described, not ordered about, and a reference says
/// where something is: for these a name that can be followed is enough.
fn is_actionable(candidate: &Candidate<'_>) -> bool {
    let how = candidate.how.is_some_and(|how| how.chars().any(char::is_alphanumeric));
    let text = candidate.text;
    let is_pointer = || text.contains("://") || text.contains('`') || text.contains('/');
    let by_kind = match candidate.kind {
        Some(NoteKind::User) => !rare_words(text).is_empty(),
        Some(NoteKind::Reference) => is_pointer(),
        Some(NoteKind::Feedback | NoteKind::Project) | None => false,
    };
    let is_wish = || sentences(text).into_iter().any(|sentence| judge(sentence).is_ok());
    how || by_kind || is_said_as_rule(text) || is_wish()
}

/// Whether a text says what to do, or what comes of it.
pub(super) fn is_said_as_rule(text: &str) -> bool {
    says_what_to_do(text) || tells_consequence(text)
}

/// Beginnings of words by which a text tells what comes of something.
const SIGNS: &[&str] = list!("bar.txt", "consequences");

/// A consequence tells what to avoid: "X breaks Y", "X needs Y", "fails unless".
fn tells_consequence(text: &str) -> bool {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    SIGNS.iter().any(|sign| {
        lower
            .match_indices(sign)
            .any(|(at, _)| at == 0 || !lower[..at].ends_with(|c: char| c.is_alphanumeric()))
    })
}

#[cfg(test)]
mod tests;
