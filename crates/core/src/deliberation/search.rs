//! Which answers are asked for, and which answer a search best?

use std::collections::BTreeSet;

use super::{Deliberation, DeliberationFilter};
use crate::gate::start_of;
use crate::ids::RunId;
use crate::matching::Corpus;
use crate::propose::weight;
use crate::search::Blend;
use crate::time::{MS_PER_DAY, Timestamp};
use crate::words::unique_words;

/// So many answers are compared with a search.
const N_COMPARED: usize = 40;

/// So much of each, in bytes, is compared by embeddings.
const COMPARED_BYTES: usize = 600;

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
        blend: Option<&Blend>,
    ) -> Vec<(usize, Option<f64>)> {
        match &self.text {
            Some(text) => {
                let hits = order(read, text, corpus, blend).into_iter();
                hits.map(|(index, score)| (index, Some(score))).collect()
            }
            None => (0..read.len()).map(|index| (index, None)).collect(),
        }
    }
}

/// What of an answer is compared by embeddings.
pub fn compared(it: &Deliberation) -> String {
    let response = it.response.body().unwrap_or_default();
    format!("{} {}", it.summary, start_of(response, COMPARED_BYTES))
}

/// Orders answers by how much of a search they hold: by embeddings and words, or by words only;
/// then the newest first. Each by its index, with its score from 0 to 1.
pub fn order(
    found: &[Deliberation],
    asked: &str,
    corpus: &Corpus,
    blend: Option<&Blend>,
) -> Vec<(usize, f64)> {
    let terms = unique_words(asked);
    let weigh = |term: &String| weight(corpus.n_texts, corpus.df.get(term).copied().unwrap_or(0));
    let total: u64 = terms.iter().map(weigh).sum();
    let mut hits: Vec<(usize, f64)> = Vec::new();
    for (index, it) in found.iter().enumerate() {
        let own: BTreeSet<String> = it.terms().into_iter().collect();
        let shared: u64 = terms.iter().filter(|term| own.contains(*term)).map(weigh).sum();
        let words = shared as f64 / total.max(1) as f64;
        let score = blend.map_or(words, |blend| blend.score(index, words));
        if shared > 0 {
            hits.push((index, score));
        }
    }
    hits.sort_by(|a, b| {
        let (x, y) = (&found[a.0], &found[b.0]);
        b.1.total_cmp(&a.1).then_with(|| (y.at, &x.id).cmp(&(x.at, &y.id)))
    });
    hits
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
    fn embeddings_count_six_tenths_and_words_four() {
        let both =
            [kept("The socket is left open"), kept("The connection pool is never closed by it")];
        let df = unique_words("socket connection").into_iter().map(|term| (term, 1)).collect();
        let corpus = Corpus { n_texts: 100, df };
        let scores = |blend: Option<&Blend>| -> Vec<(usize, f64)> {
            let hits = order(&both, "socket connection", &corpus, blend);
            hits.iter().map(|(index, score)| (*index, (score * 100.0).round() / 100.0)).collect()
        };
        // Each has one of two words.
        let by_words = scores(None);
        assert!(by_words.iter().all(|(_, score)| *score == 0.5), "{by_words:?}");
        let blend = Blend::new(&[vec![1.0, 0.0], vec![0.0, 1.0], vec![2.0, 0.0]]).unwrap();
        assert_eq!(scores(Some(&blend)), [(1, 0.8), (0, 0.2)]);
        assert!(order(&both, "banana", &corpus, None).is_empty());
    }
}
