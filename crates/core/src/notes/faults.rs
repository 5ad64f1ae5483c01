//! What is wrong with a memory, whoever keeps it? Statements that were read of it, and what an
//! audit of their facts found, become faults of a few kinds, each with its place and its proof.

use std::collections::{BTreeMap, BTreeSet};

use super::audit::{AuditFinding, AuditKind, Fact};
use super::documents::Documents;
use super::policy::NotesPolicy;
use super::wording::overlap;
use crate::conflict::{deny_each_other, may_instruct, oppose};
use crate::matching::MatchPolicy;
use crate::vocabulary;
use crate::words::{unique_words, words};

/// Fewer words than this are a heading, not a statement.
const MIN_WORDS: usize = 3;

/// How many words two statements share before they are compared.
const MIN_SHARED: usize = 2;

/// How much of what they name two opposite statements share: those that only touch each other are
/// about different things.
const MIN_OVERLAP: f64 = 0.5;

/// A word that more statements have than this says nothing about any two of them.
const MAX_WITH_WORD: usize = 200;

vocabulary! {
    /// What is wrong, in the order in which it is told.
    FaultKind {
        /// A secret stands there.
        Secret = "secret",
        /// It commands its reader.
        Orders = "orders",
        /// Two statements cannot both be followed.
        Opposite = "opposite",
        /// A file, name, flag or script that it names is gone.
        Stale = "stale",
        /// Another version or value stands there now.
        Contradicted = "contradicted",
        /// A date that means something else by now.
        Date = "date",
        /// Another statement says the same.
        Duplicate = "duplicate",
        /// CLAUDE.md or AGENTS.md says it already.
        Documented = "documented",
        /// It was never shown, where what is shown is recorded.
        NeverUsed = "never_used",
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub at: String,
    /// The words that it is about; `None` where they must not be repeated.
    pub quote: Option<String>,
    pub because: Vec<String>,
}

/// A statement of a memory.
#[derive(Clone, Debug)]
pub struct Stated {
    /// Its name is its place: a file and line, or an id.
    pub fact: Fact,
    /// How often it was shown; `None` where that is not recorded.
    pub n_uses: Option<u32>,
}

/// What is known around the statements.
pub struct Around<'a> {
    /// What hosts load by themselves.
    pub documents: &'a Documents,
    pub policy: &'a NotesPolicy,
    pub matching: &'a MatchPolicy,
}

/// The faults of these statements, by kind, in their order.
pub fn faults(stated: &[Stated], audited: &[AuditFinding], around: &Around<'_>) -> Vec<Fault> {
    let mut found: Vec<Fault> = audited.iter().map(fault_of).collect();
    let known: BTreeSet<(FaultKind, String)> =
        found.iter().map(|fault| (fault.kind, fault.at.clone())).collect();
    let repeated = repeated(stated).into_iter();
    found.extend(repeated.filter(|fault| !known.contains(&(fault.kind, fault.at.clone()))));
    found.extend(opposites(stated));
    found.extend(stated.iter().filter_map(|it| documented(it, around)));
    found.extend(stated.iter().filter(|it| it.n_uses == Some(0)).map(|it| Fault {
        kind: FaultKind::NeverUsed,
        at: it.fact.name.clone(),
        quote: Some(it.fact.text.clone()),
        because: vec!["others were shown since, this one never".to_owned()],
    }));
    found.sort_by_key(|fault| fault.kind);
    found
}

fn fault_of(finding: &AuditFinding) -> Fault {
    let kind = match finding.kind {
        AuditKind::Stale => FaultKind::Stale,
        AuditKind::Contradict => FaultKind::Contradicted,
        AuditKind::Redundant => FaultKind::Duplicate,
        AuditKind::DateFix => FaultKind::Date,
    };
    let (at, quote) = (finding.fact.clone(), Some(finding.quote.clone()));
    Fault { kind, at, quote, because: finding.evidence.clone() }
}

/// The same words again, however few they are.
fn repeated(stated: &[Stated]) -> Vec<Fault> {
    let mut first: BTreeMap<String, &Stated> = BTreeMap::new();
    let mut found = Vec::new();
    for it in stated {
        let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let all: Vec<String> =
            it.fact.text.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect();
        if all.len() < MIN_WORDS || is_title(&it.fact.text) {
            continue;
        }
        match first.get(&all.join(" ")) {
            Some(earlier) => found.push(Fault {
                kind: FaultKind::Duplicate,
                at: it.fact.name.clone(),
                quote: Some(it.fact.text.clone()),
                because: vec![format!("{} says it in the same words", earlier.fact.name)],
            }),
            None => drop(first.insert(all.join(" "), it)),
        }
    }
    found
}

/// What stands above a list or an example: "**Never do this:**".
fn is_title(text: &str) -> bool {
    text.trim_end_matches(|c: char| c.is_whitespace() || "*_".contains(c)).ends_with(':')
}

/// Statements of which only one can be followed. Only those are compared that share what they
/// are about.
fn opposites(stated: &[Stated]) -> Vec<Fault> {
    let named: Vec<Vec<String>> = stated.iter().map(|it| unique_words(&it.fact.text)).collect();
    let mut with_word: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, words) in named.iter().enumerate() {
        if may_instruct(&stated[index].fact.text) {
            words.iter().for_each(|word| with_word.entry(word).or_default().push(index));
        }
    }
    let mut found = Vec::new();
    for (index, words) in named.iter().enumerate() {
        let mut n_shared: BTreeMap<usize, usize> = BTreeMap::new();
        let places = words.iter().filter_map(|word| with_word.get(word.as_str()));
        for others in places.filter(|others| others.len() <= MAX_WITH_WORD) {
            let earlier = others.iter().filter(|other| **other < index);
            earlier.for_each(|other| *n_shared.entry(*other).or_default() += 1);
        }
        let is_near = |(other, n): &(&usize, &usize)| {
            **n >= MIN_SHARED && overlap(words, &named[**other]) >= MIN_OVERLAP
        };
        let near = n_shared.iter().filter(is_near).map(|(other, _)| &stated[*other].fact);
        let fact = &stated[index].fact;
        let opposed = near.filter(|other| {
            // Two sentences of one line belong together: "Use this. Do not use that."
            other.name != fact.name
                && (oppose(&fact.text, &other.text) || deny_each_other(&fact.text, &other.text))
        });
        found.extend(opposed.map(|other| Fault {
            kind: FaultKind::Opposite,
            at: fact.name.clone(),
            quote: Some(fact.text.clone()),
            because: vec![format!("{} says: {}", other.name, other.text)],
        }));
    }
    found
}

/// What a document says that the host loads anyway.
fn documented(it: &Stated, around: &Around<'_>) -> Option<Fault> {
    if words(&it.fact.text).len() < MIN_WORDS {
        return None;
    }
    let found = around.documents.documented(&it.fact.text, around.policy, around.matching)?;
    let place = found.place;
    Some(Fault {
        kind: FaultKind::Documented,
        at: it.fact.name.clone(),
        quote: Some(it.fact.text.clone()),
        because: vec![format!("{}:{} says: {}", place.file, place.line, place.text)],
    })
}

#[cfg(test)]
mod tests {
    use super::super::documents::DocumentSentence;
    use super::*;

    fn found(texts: &[&str], document: &str) -> Vec<(FaultKind, String)> {
        let stated: Vec<Stated> = texts
            .iter()
            .enumerate()
            .map(|(line, text)| Stated {
                fact: Fact::new(&format!("M:{}", line + 1), text, false, None),
                n_uses: None,
            })
            .collect();
        let said = DocumentSentence {
            file: "CLAUDE.md".into(),
            line: 4,
            section: String::new(),
            text: document.into(),
        };
        let documents = Documents::new(vec![said]);
        let (policy, matching) = (NotesPolicy::default(), MatchPolicy::default());
        let around = Around { documents: &documents, policy: &policy, matching: &matching };
        faults(&stated, &[], &around).into_iter().map(|fault| (fault.kind, fault.at)).collect()
    }

    fn at(kind: FaultKind, place: &str) -> (FaultKind, String) {
        (kind, place.to_owned())
    }

    #[test]
    fn the_same_words_again_are_a_duplicate() {
        let texts = ["Run the linter first", "Tests are slow", "- Run the **linter** first."];
        assert_eq!(found(&texts, ""), [at(FaultKind::Duplicate, "M:3")]);
        assert_eq!(found(&["Good:", "Good:"], ""), []);
        assert_eq!(found(&["**Never do this:**", "**Never do this:**"], ""), []);
    }

    #[test]
    fn what_cannot_both_be_followed_is_opposite() {
        let texts =
            ["Always squash feature branches", "Rebase daily", "Never squash feature branches"];
        assert_eq!(found(&texts, ""), [at(FaultKind::Opposite, "M:3")]);
        let other = ["Always squash feature branches", "Never squash release tags by hand"];
        assert_eq!(found(&other, ""), []);
        // Of public files: long lines that touch each other in two words.
        let touching = [
            "`just package-check` runs the package install, copies top-level skills into the \
             generated bundle, then builds and never publishes",
            "After the tag lands, the workflow builds the Python package, publishes it and \
             creates the release with the generated notes",
        ];
        assert_eq!(found(&touching, ""), []);
    }

    #[test]
    fn what_a_loaded_document_says_is_documented() {
        let said = "Install dependencies with pnpm; npm breaks the workspace protocol.";
        let texts = ["Use pnpm to install dependencies, npm breaks the workspace protocol"];
        assert_eq!(found(&texts, said), [at(FaultKind::Documented, "M:1")]);
        assert_eq!(found(&["pnpm needs corepack enabled on build agents"], said), []);
    }

    #[test]
    fn a_lesson_is_unused_only_where_uses_are_recorded() {
        let fact = Fact::new("l-1", "Close handles before the worker exits", false, None);
        let documents = Documents::default();
        let (policy, matching) = (NotesPolicy::default(), MatchPolicy::default());
        let around = Around { documents: &documents, policy: &policy, matching: &matching };
        let n_faults = |n_uses| faults(&[Stated { fact: fact.clone(), n_uses }], &[], &around);
        assert_eq!(n_faults(None), []);
        assert_eq!(n_faults(Some(2)), []);
        assert_eq!(n_faults(Some(0))[0].kind, FaultKind::NeverUsed);
    }
}
