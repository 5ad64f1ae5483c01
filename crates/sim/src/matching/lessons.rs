//! A store in small, which proposes lessons as the product's does.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use hardwon_core::matching::{Corpus, MatchPolicy, Prepared, Relation, Subject, best_of_prepared};
use hardwon_core::meaning::{Vector, similarity};
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

/// What a model makes of texts, and how much that counts beside our own likeness.
#[derive(Clone, Debug, PartialEq)]
pub struct Sense {
    pub vectors: Rc<HashMap<String, Vector>>,
    pub weight: f64,
}

impl Sense {
    /// The mean of our likeness and the model's, the latter as the mean over a lesson's findings.
    fn with(&self, likeness: f64, finding: &Prepared<'_>, lesson: &Prepared<'_>) -> f64 {
        let Some(asked) = self.vectors.get(finding.subject.text) else { return likeness };
        let known = lesson.texts().filter_map(|text| self.vectors.get(text));
        let alike: Vec<f64> =
            known.map(|known| f64::from(similarity(asked, known).max(0)) / 1000.0).collect();
        let mean = alike.iter().sum::<f64>() / alike.len().max(1) as f64;
        (likeness + self.weight * mean) / (1.0 + self.weight)
    }
}

/// The same with a model beside our words. What is two for us stays two.
pub(super) fn stream_sense(
    rows: &[&Row],
    store: &[usize],
    policy: &MatchPolicy,
    sense: &Sense,
) -> Vec<usize> {
    let mut lessons = Lessons::default();
    let mut groups = Vec::with_capacity(store.len());
    // Everything that is not two is told with its likeness; the threshold is for the mean.
    let (same_of_tools, same_of_people) = (None, None);
    let any =
        MatchPolicy { same: 0.0, same_of_tools, same_of_people, crowd: 0.0, ..policy.clone() };
    for &at in store {
        let text = rows[at].text.as_str();
        let finding = Prepared::new(&Subject { text, ..Subject::default() }, policy.method);
        let words = unique_words(text);
        let corpus = lessons.corpus(&words);
        let mean = |candidate: usize| {
            let lesson = &lessons.prepared[candidate];
            let found = best_of_prepared(&finding, &[lesson], &corpus, &any);
            let is_one = found.relation == Relation::Same;
            is_one.then(|| (candidate, sense.with(found.likeness, &finding, lesson)))
        };
        let candidates = lessons.propose(&words);
        let compared = candidates.into_iter().filter_map(mean);
        let best = compared.reduce(|best, next| if next.1 > best.1 { next } else { best });
        let group = match best.filter(|(_, likeness)| *likeness >= policy.same) {
            Some((lesson, _)) => {
                lessons.see_again(lesson, &finding, words, policy.n_findings);
                lesson
            }
            None => lessons.add(finding, words),
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
