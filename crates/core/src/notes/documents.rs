//! What do the project's documents say already? They are indexed once, by their words; then each
//! fact is looked up by its rare words, and the place that says it is named.

use std::collections::{BTreeMap, BTreeSet};

use super::policy::NotesPolicy;
use super::wording::{is_rare, rare_words};
use crate::conflict::oppose;
use crate::words::{unique_words, words};

/// Fewer rare words than this prove nothing by standing together.
const MIN_RARE: usize = 3;

/// What keeps the words of two files apart.
const GAP: usize = 10_000;

/// A sentence or list item of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentSentence {
    pub file: String,
    pub line: usize,
    /// The heading above it.
    pub section: String,
    pub text: String,
}

/// The documents of a project, ready to be asked.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    sentences: Vec<DocumentSentence>,
    /// Where each rare word stands: its place among all words, and the sentence.
    places: BTreeMap<String, Vec<(usize, usize)>>,
}

/// How far documents say what a text says.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage<'a> {
    /// Share of the text's rare words that stand together, 0..=1.
    pub share: f64,
    pub place: &'a DocumentSentence,
}

impl Documents {
    /// Indexes sentences, which stand in the order of their files and lines.
    pub fn new(sentences: Vec<DocumentSentence>) -> Self {
        let mut places: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        let mut at = 0;
        for (index, sentence) in sentences.iter().enumerate() {
            let is_next = index > 0 && sentences[index - 1].file != sentence.file;
            at += if is_next { GAP } else { 0 };
            for word in words(&sentence.text) {
                if is_rare(&word) {
                    places.entry(word).or_default().push((at, index));
                }
                at += 1;
            }
        }
        Documents { sentences, places }
    }

    /// The place that says most of a text; `None` if no rare word of it stands anywhere. A
    /// sentence that denies the text does not say it.
    pub fn coverage(&self, text: &str, policy: &NotesPolicy) -> Option<Coverage<'_>> {
        let rare = rare_words(text);
        if let Some(index) = self.holding_all_of(text, &rare) {
            return Some(Coverage { share: 1.0, place: &self.sentences[index] });
        }
        let (n_found, index) = self.densest(text, &rare, policy.window_words)?;
        let share = n_found as f64 / rare.len().max(MIN_RARE) as f64;
        Some(Coverage { share, place: &self.sentences[index] })
    }

    /// Where a text is documented: enough of its rare words stand together.
    pub fn documented(&self, text: &str, policy: &NotesPolicy) -> Option<&DocumentSentence> {
        let found = self.coverage(text, policy)?;
        (found.share >= policy.documented).then_some(found.place)
    }

    /// The sentence that has every word of a text, however usual those are.
    fn holding_all_of(&self, text: &str, rare: &[String]) -> Option<usize> {
        let all = unique_words(text);
        let places = self.places.get(rare.first()?)?.iter();
        places.map(|(_, index)| *index).find(|index| {
            let said = unique_words(&self.sentences[*index].text);
            let has_all = all.iter().all(|word| said.binary_search(word).is_ok());
            has_all && !oppose(text, &self.sentences[*index].text)
        })
    }

    /// How many rare words the window with most of them has, and its first sentence.
    fn densest(&self, text: &str, rare: &[String], window: usize) -> Option<(usize, usize)> {
        let mut all: Vec<(usize, usize, usize)> = Vec::new();
        for (word, name) in rare.iter().enumerate() {
            let places = self.places.get(name).into_iter().flatten();
            all.extend(places.map(|(at, index)| (*at, *index, word)));
        }
        all.sort_unstable();
        let mut counts = vec![0_usize; rare.len()];
        let (mut start, mut n_held) = (0, 0);
        let mut best: Option<(usize, usize, usize)> = None;
        for (end, (at, _, word)) in all.iter().enumerate() {
            n_held += usize::from(counts[*word] == 0);
            counts[*word] += 1;
            while at - all[start].0 >= window {
                counts[all[start].2] -= 1;
                n_held -= usize::from(counts[all[start].2] == 0);
                start += 1;
            }
            if best.is_none_or(|(n, _, _)| n_held > n) && !self.denies(text, &all[start..=end]) {
                best = Some((n_held, start, end));
            }
        }
        let (n_held, start, _) = best?;
        Some((n_held, all[start].1))
    }

    fn denies(&self, text: &str, window: &[(usize, usize, usize)]) -> bool {
        // Asked only where it could matter: it costs more than all the rest.
        let indexes: BTreeSet<usize> = window.iter().map(|(_, index, _)| *index).collect();
        window.len() >= MIN_RARE
            && indexes.iter().any(|index| oppose(text, &self.sentences[*index].text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(texts: &[(&str, &str)]) -> Documents {
        let sentence = |(line, (file, text)): (usize, &(&str, &str))| DocumentSentence {
            file: (*file).to_owned(),
            line: line + 1,
            section: "Build".to_owned(),
            text: (*text).to_owned(),
        };
        Documents::new(texts.iter().enumerate().map(sentence).collect())
    }

    #[track_caller]
    fn check(fact: &str, texts: &[(&str, &str)], expected: Option<usize>) {
        let all = documents(texts);
        let found = all.documented(fact, &NotesPolicy::default());
        assert_eq!(found.map(|place| place.line), expected, "{fact}: {found:?}");
    }

    const GUIDE: &[(&str, &str)] = &[
        ("CLAUDE.md", "Install dependencies with pnpm; npm breaks the workspace protocol."),
        ("CLAUDE.md", "Run the linter before each commit."),
        ("docs/db.md", "Migrations live in db/migrations and are applied by flyway."),
        ("docs/db.md", "The staging database is restored from production every Sunday night."),
    ];

    #[test]
    fn what_a_sentence_says_is_documented() {
        check(
            "Use pnpm to install dependencies, npm breaks the workspace protocol",
            GUIDE,
            Some(1),
        );
        check("Staging database gets restored from production on Sunday night", GUIDE, Some(4));
        check("Run the linter before each commit", GUIDE, Some(2));
    }

    #[test]
    fn a_shared_topic_is_not_enough() {
        check("Never edit a flyway migration after it was released", GUIDE, None);
        check("pnpm needs corepack enabled on the build agents", GUIDE, None);
        check("Restore takes two hours, so plan demos for Mondays", GUIDE, None);
        check("", GUIDE, None);
        check("Use pnpm", &[], None);
    }

    #[test]
    fn words_of_two_files_do_not_stand_together() {
        let fact = "Billing consumers of Kafka rebalance in Frankfurt";
        let (one, two, three) =
            ("Kafka for billing", "Consumers rebalance", "In Frankfurt, slowly");
        check(fact, &[("a.md", one), ("b.md", two), ("c.md", three)], None);
        check(fact, &[("a.md", one), ("a.md", two), ("a.md", three)], Some(1));
    }

    #[test]
    fn what_is_denied_is_not_documented() {
        let guide = &[("a.md", "Always squash feature branches before merging into trunk")];
        check("Never squash feature branches before merging into trunk", guide, None);
    }
}
