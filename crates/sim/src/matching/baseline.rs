//! Which simple methods must matching beat?
//!
//! Lexical methods with their best threshold. They are treated generously: they compare with every lesson,
//! and the tf-idf ones weigh words by all texts of the set, also those that have not arrived yet.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::words::ascii_words;

use super::Row;

/// A method to beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Baseline {
    /// ArcheFlow as shipped: the *first* lesson that has the given share of the finding's tokens.
    OverlapFirst,
    /// The same share, but the best lesson wins.
    OverlapBest,
    /// Cosine of tf-idf over lower-case words.
    WordTfIdf,
    /// Cosine of tf-idf (tf taken by its logarithm) over grams of three to five characters within words.
    CharTfIdf,
}

/// Likeness tables of one store, made when first asked for and then used for every threshold.
pub(super) struct Cache<'a> {
    rows: &'a [&'a Row],
    store: &'a [usize],
    tables: BTreeMap<Baseline, Vec<Vec<f32>>>,
}

impl<'a> Cache<'a> {
    pub(super) fn new(rows: &'a [&'a Row], store: &'a [usize]) -> Self {
        Cache { rows, store, tables: BTreeMap::new() }
    }

    /// The group of each arrival: the number of the row that started it.
    pub(super) fn stream(&mut self, baseline: Baseline, same: f64) -> Vec<usize> {
        let (rows, store) = (self.rows, self.store);
        let table = self.tables.entry(baseline).or_insert_with(|| table(rows, store, baseline));
        let mut lessons: Vec<usize> = Vec::new();
        let mut groups = Vec::with_capacity(table.len());
        for (at, likeness) in table.iter().enumerate() {
            let group = match pick(&lessons, likeness, same, baseline) {
                Some(lesson) => lesson,
                None => {
                    lessons.push(at);
                    at
                }
            };
            groups.push(group);
        }
        groups
    }
}

fn pick(lessons: &[usize], likeness: &[f32], same: f64, baseline: Baseline) -> Option<usize> {
    let mut enough =
        lessons.iter().copied().filter(|&lesson| f64::from(likeness[lesson]) >= same - 1e-6);
    match baseline {
        Baseline::OverlapFirst => enough.next(),
        Baseline::OverlapBest | Baseline::WordTfIdf | Baseline::CharTfIdf => {
            // Reversed, because the last of equals wins in `max_by`.
            enough
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .max_by(|&a, &b| likeness[a].total_cmp(&likeness[b]))
        }
    }
}

/// Likeness of each arrival to each earlier one.
fn table(rows: &[&Row], store: &[usize], baseline: Baseline) -> Vec<Vec<f32>> {
    match baseline {
        Baseline::OverlapFirst | Baseline::OverlapBest => {
            let tokens: Vec<BTreeSet<String>> =
                store.iter().map(|&at| ascii_words(&rows[at].text).into_iter().collect()).collect();
            triangle(&tokens, |finding, lesson| {
                let n_common = finding.intersection(lesson).count();
                (100 * n_common).checked_div(finding.len()).unwrap_or(0) as f32 / 100.0
            })
        }
        Baseline::WordTfIdf => cosine_table(rows, store, plain_words, |n| n),
        Baseline::CharTfIdf => cosine_table(rows, store, char_grams, |n| 1.0 + n.ln()),
    }
}

fn triangle<T>(texts: &[T], likeness: impl Fn(&T, &T) -> f32) -> Vec<Vec<f32>> {
    (0..texts.len())
        .map(|at| texts[..at].iter().map(|earlier| likeness(&texts[at], earlier)).collect())
        .collect()
}

type Vector = Vec<(u32, f32)>;

fn cosine_table(
    rows: &[&Row],
    store: &[usize],
    terms: fn(&str) -> Vec<String>,
    tf: fn(f32) -> f32,
) -> Vec<Vec<f32>> {
    let all = vectors(rows, terms, tf);
    let arrived: Vec<&Vector> = store.iter().map(|&at| &all[at]).collect();
    triangle(&arrived, |a, b| dot(a, b))
}

/// Unit tf-idf vectors, terms in ascending order of number; idf over all rows, smoothed as usual.
fn vectors(rows: &[&Row], terms: fn(&str) -> Vec<String>, tf: fn(f32) -> f32) -> Vec<Vector> {
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut n_texts_with: Vec<f32> = Vec::new();
    let mut counts: Vec<BTreeMap<u32, f32>> = Vec::new();
    for row in rows {
        let mut count: BTreeMap<u32, f32> = BTreeMap::new();
        for term in terms(&row.text) {
            let next = numbers.len() as u32;
            *count.entry(*numbers.entry(term).or_insert(next)).or_default() += 1.0;
        }
        n_texts_with.resize(numbers.len(), 0.0);
        count.keys().for_each(|&term| n_texts_with[term as usize] += 1.0);
        counts.push(count);
    }
    let n_rows = rows.len() as f32;
    let idf = |term: u32| ((1.0 + n_rows) / (1.0 + n_texts_with[term as usize])).ln() + 1.0;
    counts
        .into_iter()
        .map(|count| unit(count.into_iter().map(|(term, n)| (term, tf(n) * idf(term))).collect()))
        .collect()
}

fn unit(mut vector: Vector) -> Vector {
    let norm = vector.iter().map(|(_, x)| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    vector.iter_mut().for_each(|(_, x)| *x /= norm);
    vector
}

fn dot(a: &[(u32, f32)], b: &[(u32, f32)]) -> f32 {
    let (mut at_a, mut at_b, mut sum) = (0, 0, 0.0);
    while let (Some(x), Some(y)) = (a.get(at_a), b.get(at_b)) {
        if x.0 == y.0 {
            sum += x.1 * y.1;
        }
        at_a += usize::from(x.0 <= y.0);
        at_b += usize::from(y.0 <= x.0);
    }
    sum
}

fn plain_words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.chars().count() >= 2).map(str::to_string).collect()
}

fn char_grams(text: &str) -> Vec<String> {
    let mut grams = Vec::new();
    for word in text.to_lowercase().split_whitespace() {
        let padded: Vec<char> = format!(" {word} ").chars().collect();
        for n_chars in 3..=5 {
            grams.extend(
                padded
                    .windows(n_chars.min(padded.len()))
                    .map(|gram| gram.iter().collect::<String>()),
            );
            if padded.len() <= n_chars {
                break;
            }
        }
    }
    grams
}
