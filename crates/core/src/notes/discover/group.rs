//! Which sentences of sessions say the same? The first of them begins a discovery, later ones
//! add their session. Sentences are many: only those that share a rare word are compared.

use std::collections::{BTreeMap, BTreeSet};

use super::rule::Rule;
use super::{Against, Discovery};
use crate::matching::{Author, Corpus, MatchPolicy, Prepared, Relation, Subject, best_of_prepared};
use crate::notes::wording::rare_words;

/// Most discoveries that one sentence is compared with: those that share most words.
const MAX_COMPARED: usize = 12;

/// Discoveries, and where each rare word stands in them.
pub(super) struct Groups<'a> {
    pub found: Vec<Discovery>,
    by_word: BTreeMap<String, BTreeSet<usize>>,
    matching: &'a MatchPolicy,
}

impl<'a> Groups<'a> {
    pub fn new(matching: &'a MatchPolicy) -> Self {
        Groups { found: Vec::new(), by_word: BTreeMap::new(), matching }
    }

    /// Adds a session to what says the same, or begins anew.
    pub fn add(&mut self, (rule, kind, signal): Rule, evidence: &str, session: &str) {
        let words = rare_words(&rule);
        let near = self.near(&words);
        let texts: Vec<&str> = near.iter().map(|at| self.found[*at].rule.as_str()).collect();
        let same = nearest(&rule, &texts, self.matching)
            .filter(|(_, relation)| *relation == Relation::Same)
            .map(|(at, _)| near[at]);
        let Some(at) = same else {
            for word in words {
                self.by_word.entry(word).or_default().insert(self.found.len());
            }
            let (evidence, sessions) = (evidence.to_owned(), vec![session.to_owned()]);
            let against = Against::FillGap;
            return self.found.push(Discovery { rule, kind, signal, against, evidence, sessions });
        };
        let known = &mut self.found[at];
        if !known.sessions.iter().any(|known| known == session) {
            known.sessions.push(session.to_owned());
        }
        // The words of a correction go before those of others.
        if signal < known.signal {
            (known.rule, known.kind, known.signal) = (rule, kind, signal);
            known.evidence = evidence.to_owned();
        }
    }

    /// Those that share at least half of the rare words, most first.
    fn near(&self, words: &[String]) -> Vec<usize> {
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for at in words.iter().filter_map(|word| self.by_word.get(word)).flatten() {
            *shared.entry(*at).or_default() += 1;
        }
        let mut near: Vec<(usize, usize)> =
            shared.into_iter().filter(|(_, n)| n * 2 >= words.len()).collect();
        near.sort_by_key(|(at, n)| (std::cmp::Reverse(*n), *at));
        near.into_iter().take(MAX_COMPARED).map(|(at, _)| at).collect()
    }
}

/// The text that is most like this one, if it is the same or similar.
pub fn nearest(text: &str, texts: &[&str], matching: &MatchPolicy) -> Option<(usize, Relation)> {
    let subject = |text| Subject { text, author: Author::Person, ..Subject::default() };
    let prepare = |text| Prepared::new(&subject(text), matching.method);
    let prepared: Vec<Prepared<'_>> = texts.iter().map(|text| prepare(text)).collect();
    let all: Vec<&Prepared<'_>> = prepared.iter().collect();
    let found = best_of_prepared(&prepare(text), &all, &Corpus::default(), matching);
    Some((found.index?, found.relation))
}
