//! Which answers are asked for, and which answer a search best?

use std::collections::{BTreeSet, HashMap};

use super::{Deliberation, DeliberationFilter};
use crate::gate::start_of;
use crate::ids::RunId;
use crate::matching::Corpus;
use crate::meaning::{self, Table, Vector};
use crate::propose::weight;
use crate::time::{MS_PER_DAY, Timestamp};
use crate::words::{spellings, unique_words, word_of};

/// So many answers are compared with a search.
const N_COMPARED: usize = 40;

/// So much of each, in bytes, is compared by what it means.
const COMPARED_BYTES: usize = 600;

/// What meaning and words count in a search.
const LIKENESS: f64 = 0.6;
const WORDS: f64 = 0.4;

/// Which deliberations to list.
#[derive(Clone, Debug, Default)]
pub struct DeliberationsRequest {
    /// Words to search for; without them the newest come first.
    pub text: Option<String>,
    pub role: Option<String>,
    pub run: Option<RunId>,
    pub verdict: Option<String>,
    /// Only of the last days.
    pub days: Option<u32>,
    /// `None` = a page.
    pub limit: Option<usize>,
}

impl DeliberationsRequest {
    pub fn filter(&self, now: Timestamp) -> DeliberationFilter {
        let since = |days: u32| Timestamp(now.0.saturating_sub(i64::from(days) * MS_PER_DAY));
        DeliberationFilter {
            role: self.role.clone(),
            run: self.run.clone(),
            verdict: self.verdict.as_ref().map(|word| word.to_lowercase()),
            since: self.days.map(since),
            ..DeliberationFilter::default()
        }
    }

    /// What to search the index for; nothing for a list. `None` if no word can be searched for.
    pub fn terms(&self) -> Option<Vec<String>> {
        let terms = unique_words(self.text.as_deref().unwrap_or_default());
        (self.text.is_none() || !terms.is_empty()).then_some(terms)
    }

    /// How many to read so that so many can be shown, and it is known whether there are more.
    pub fn n_read(&self, n_shown: usize) -> usize {
        let n = n_shown.saturating_add(1);
        if self.text.is_some() { n.max(N_COMPARED) } else { n }
    }

    /// The places of what was read in the answer, with scores where a search is asked for.
    pub fn answer(
        &self,
        read: &[Deliberation],
        corpus: &Corpus,
        table: Option<&Table<'_>>,
    ) -> Vec<(usize, Option<f64>)> {
        match &self.text {
            Some(text) => {
                let hits = order(read, text, corpus, table);
                hits.iter().map(|hit| (hit.index, Some(hit.score))).collect()
            }
            None => (0..read.len()).map(|index| (index, None)).collect(),
        }
    }
}

/// A place in the answer to a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeliberationHit {
    /// Index into the answers that were compared.
    pub index: usize,
    /// 0..1.
    pub score: f64,
}

/// Orders answers by how much of a search they hold: with the table of meanings 0.6 of likeness
/// and 0.4 of shared words, otherwise shared words only; then the newest first.
pub fn order(
    found: &[Deliberation],
    asked: &str,
    corpus: &Corpus,
    table: Option<&Table<'_>>,
) -> Vec<DeliberationHit> {
    let terms = unique_words(asked);
    let weigh = |term: &String| weight(corpus.n_texts, corpus.df.get(term).copied().unwrap_or(0));
    let total: u64 = terms.iter().map(weigh).sum();
    let asked: Vec<(Vector, u64)> = table.map_or(Vec::new(), |table| {
        let known = unique_spellings(asked).into_iter();
        known.filter_map(|word| Some((table.word(&word)?, weigh(&word_of(&word))))).collect()
    });
    let mut vectors: HashMap<String, Option<Vector>> = HashMap::new();
    let mut hits: Vec<DeliberationHit> = Vec::new();
    for (index, it) in found.iter().enumerate() {
        let own: BTreeSet<String> = it.terms().into_iter().collect();
        let shared: u64 = terms.iter().filter(|term| own.contains(*term)).map(weigh).sum();
        let words = shared as f64 / total.max(1) as f64;
        let mut score = words;
        if let Some(table) = table.filter(|_| !asked.is_empty()) {
            let text = format!(
                "{} {}",
                it.summary,
                start_of(it.response.body().unwrap_or_default(), COMPARED_BYTES)
            );
            let near: Vec<Vector> = unique_spellings(&text)
                .into_iter()
                .filter_map(|word| {
                    vectors.entry(word).or_insert_with_key(|word| table.word(word)).clone()
                })
                .collect();
            let likeness = f64::from(meaning::cover(&asked, &near)) / 1000.0;
            score = LIKENESS * likeness + WORDS * words;
        }
        if shared > 0 {
            hits.push(DeliberationHit { index, score });
        }
    }
    hits.sort_by(|a, b| {
        let (x, y) = (&found[a.index], &found[b.index]);
        b.score.total_cmp(&a.score).then_with(|| (y.at, &x.id).cmp(&(x.at, &y.id)))
    });
    hits
}

fn unique_spellings(text: &str) -> BTreeSet<String> {
    spellings(text).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deliberation::keep::admitted;
    use crate::event::DeliberationStated;
    use crate::gate::Gate;
    use crate::run::Run;

    fn kept(response: &str) -> Deliberation {
        let run = Run::stub(RunId::parse("r7").unwrap(), Timestamp(5));
        let response = Some(response.into());
        let stated = DeliberationStated { response, ..DeliberationStated::default() };
        admitted(&Gate::standard(), &stated, &run, true)
    }

    #[test]
    fn meaning_counts_six_tenths_and_words_four() {
        let both =
            [kept("The socket is left open"), kept("The connection pool is never closed by it")];
        let df = unique_words("socket connection").into_iter().map(|term| (term, 1)).collect();
        let corpus = Corpus { n_texts: 100, df };
        let by_words = order(&both, "socket connection", &corpus, None);
        assert_eq!(by_words.len(), 2);
        assert!((by_words[0].score - 0.5).abs() < 1e-9);
        let by_meaning = order(&both, "socket connection", &corpus, Some(Table::built_in()));
        // Each has one of two words, and that one is its own like: 0.4 and 0.6 of a half at least.
        assert!(
            by_meaning.iter().all(|hit| hit.score >= 0.49 && hit.score <= 0.8),
            "{by_meaning:?}"
        );
        assert!(order(&both, "banana", &corpus, None).is_empty());
    }
}
