//! The plain rule to compare with: what covers a fifth of the need's words, weighed by how rare
//! they are, the most covered first, at most ten.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::words::unique_words;

use super::cases::Lesson;

const FLOOR: f64 = 0.20;
const MAX_LINES: usize = 10;

pub struct Plain {
    words: Vec<BTreeSet<String>>,
    n_with: BTreeMap<String, f64>,
}

impl Plain {
    pub fn new(lessons: &[Lesson]) -> Self {
        let words = |lesson: &Lesson| unique_words(&lesson.text).into_iter().collect();
        let words: Vec<BTreeSet<String>> = lessons.iter().map(words).collect();
        let mut n_with = BTreeMap::new();
        for word in words.iter().flatten() {
            *n_with.entry(word.clone()).or_default() += 1.0;
        }
        Plain { words, n_with }
    }

    pub fn block(&self, need: &str, lessons: &[Lesson]) -> Vec<String> {
        let n_with = |word: &String| self.n_with.get(word).copied().unwrap_or(0.0);
        let rarity = |word: &String| ((self.words.len() as f64 + 1.0) / (n_with(word) + 1.0)).ln();
        let asked = unique_words(need);
        let whole: f64 = asked.iter().map(rarity).sum();
        let covered = |own: &BTreeSet<String>| -> f64 {
            asked.iter().filter(|word| own.contains(*word)).map(rarity).sum::<f64>() / whole
        };
        let mut found: Vec<(f64, usize)> =
            self.words.iter().enumerate().map(|(at, own)| (covered(own), at)).collect();
        found.retain(|(covered, _)| *covered >= FLOOR);
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.iter().take(MAX_LINES).map(|(_, at)| lessons[*at].key.clone()).collect()
    }
}
