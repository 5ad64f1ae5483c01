//! Does a fact earn a file? It has to be recurrent, undocumented, non-obvious and actionable,
//! because every note costs space in every later session. A refusal names what failed and where
//! that can be seen; a person may override it.

use super::NoteKind;
use super::documents::{DocumentSentence, Documents};
use super::policy::NotesPolicy;
use super::wording::{rare_words, says_what_to_do};
use crate::list;
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
    Recurrent,
    /// A document says it.
    Undocumented(DocumentSentence),
    /// One line of a manifest says it.
    NonObvious(DocumentSentence),
    /// It does not say what to do, to avoid, or when.
    Actionable,
}

/// What a fact is held against.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    pub documents: &'a Documents,
    /// Line by line.
    pub manifests: &'a [DocumentSentence],
}

/// Everything that a fact lacks; empty if it earns its file.
pub fn lacks(candidate: &Candidate<'_>, known: Known<'_>, policy: &NotesPolicy) -> Vec<Lack> {
    let mut lacks = Vec::new();
    if !candidate.is_stated && candidate.n_sessions < policy.recurrent_sessions {
        lacks.push(Lack::Recurrent);
    }
    let documented = known.documents.documented(candidate.text, policy);
    lacks.extend(documented.map(|place| Lack::Undocumented(place.clone())));
    let obvious = known.manifests.iter().find(|line| says_all(line, candidate.text));
    lacks.extend(obvious.map(|line| Lack::NonObvious(line.clone())));
    if !is_actionable(candidate) {
        lacks.push(Lack::Actionable);
    }
    lacks
}

/// Words around a name that say no more than the manifest does.
const PLAIN: &[&str] = list!("bar.txt", "plain");

/// What no line of a manifest says: "never use X".
const AGAINST: &[&str] = list!("bar.txt", "against");

/// Whether a line of a manifest says all of a text: nothing is left but the words around it.
fn says_all(line: &DocumentSentence, text: &str) -> bool {
    let (said, plain) = (words(&line.text), words(&PLAIN.join(" ")));
    let all = unique_words(text);
    let lower = text.to_lowercase();
    !AGAINST.iter().any(|word| lower.contains(word))
        && all.iter().all(|word| said.contains(word) || plain.contains(word))
        && all.iter().any(|word| said.contains(word) && !plain.contains(word))
}

/// Whether it says what to do. A person is described, not ordered about, and a reference says
/// where something is: for these a name that can be followed is enough.
fn is_actionable(candidate: &Candidate<'_>) -> bool {
    let how = candidate.how.is_some_and(|how| how.chars().any(char::is_alphanumeric));
    let text = candidate.text;
    let by_kind = match candidate.kind {
        Some(NoteKind::User) => !rare_words(text).is_empty(),
        Some(NoteKind::Reference) => text.contains(['`', '/']),
        _ => false,
    };
    how || by_kind || says_what_to_do(text) || tells_consequence(text)
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
