//! A store in small, which proposes lessons as the product's does.

use std::collections::BTreeMap;

use hardwon_core::matching::{Corpus, MatchPolicy, Prepared, Relation, Subject, best_of_prepared};
use hardwon_core::words::unique_words;

use super::{N_CANDIDATES, Row};

pub(super) fn stream_policy(rows: &[&Row], store: &[usize], policy: &MatchPolicy) -> Vec<usize> {
    let mut lessons = Lessons::default();
    let mut groups = Vec::with_capacity(store.len());
    for &at in store {
        let text = rows[at].text.as_str();
        let finding = Prepared::new(&Subject { text, ..Subject::default() }, policy.method);
        let words = unique_words(text);
        let candidates = lessons.propose(&words);
        let prepared: Vec<&Prepared> = candidates.iter().map(|&at| &lessons.prepared[at]).collect();
        let found = best_of_prepared(&finding, &prepared, &lessons.corpus(&words), policy);
        let group = match (found.relation, found.index) {
            (Relation::Same, Some(index)) => {
                lessons.see_again(candidates[index], &finding, words, policy.n_findings);
                candidates[index]
            }
            _ => lessons.add(finding, words),
        };
        groups.push(group);
    }
    groups
}

/// A store in small: lessons with their first findings, and an index from words to lessons.
#[derive(Default)]
struct Lessons<'a> {
    prepared: Vec<Prepared<'a>>,
    by_word: BTreeMap<String, Vec<usize>>,
}

impl<'a> Lessons<'a> {
    fn add(&mut self, lesson: Prepared<'a>, words: Vec<String>) -> usize {
        let at = self.prepared.len();
        self.prepared.push(lesson);
        for word in words {
            self.by_word.entry(word).or_default().push(at);
        }
        at
    }

    /// As many findings as the policy says are kept, with their words.
    fn see_again(&mut self, at: usize, finding: &Prepared<'a>, words: Vec<String>, max: usize) {
        let lesson = &mut self.prepared[at];
        if lesson.n_texts() >= max || lesson.subject.text == finding.subject.text {
            return;
        }
        lesson.add_wording(finding);
        for word in words {
            let lessons = self.by_word.entry(word).or_default();
            if !lessons.contains(&at) {
                lessons.push(at);
            }
        }
    }

    /// The lessons that share the rarest words, best first, then oldest first.
    fn propose(&self, words: &[String]) -> Vec<usize> {
        let mut shared: BTreeMap<usize, f64> = BTreeMap::new();
        for lessons in words.iter().filter_map(|word| self.by_word.get(word)) {
            let rarity = (1.0 + self.prepared.len() as f64 / lessons.len() as f64).ln();
            for &at in lessons {
                *shared.entry(at).or_default() += rarity;
            }
        }
        let mut ranked: Vec<(usize, f64)> = shared.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.into_iter().take(N_CANDIDATES).map(|(at, _)| at).collect()
    }

    fn corpus(&self, words: &[String]) -> Corpus {
        let df = words
            .iter()
            .filter_map(|word| Some((word.clone(), self.by_word.get(word)?.len() as u64)))
            .collect();
        Corpus { n_texts: self.prepared.len() as u64, df }
    }
}
