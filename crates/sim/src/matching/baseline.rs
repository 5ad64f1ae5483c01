//! The method to beat: the cosine of tf-idf over grams of characters. It weighs them by all texts of
//! the set, also those that have not arrived yet.

use std::collections::BTreeMap;

use super::Row;

/// The group of each arrival: the number of the row that started it. The best lesson that is like
/// enough wins, the oldest of equals.
pub(super) fn stream(likeness: &[Vec<f32>], same: f64) -> Vec<usize> {
    let mut lessons: Vec<usize> = Vec::new();
    let mut groups = Vec::with_capacity(likeness.len());
    for (at, likeness) in likeness.iter().enumerate() {
        let is_enough = |lesson: &usize| f64::from(likeness[*lesson]) >= same - 1e-6;
        let enough = lessons.iter().rev().copied().filter(is_enough);
        let best = enough.max_by(|&a, &b| likeness[a].total_cmp(&likeness[b]));
        let group = best.unwrap_or_else(|| {
            lessons.push(at);
            at
        });
        groups.push(group);
    }
    groups
}

/// Likeness of each arrival to each earlier one.
pub(super) fn table(rows: &[&Row], store: &[usize]) -> Vec<Vec<f32>> {
    let all = vectors(rows);
    let arrived: Vec<&Vector> = store.iter().map(|&at| &all[at]).collect();
    let earlier = |at: usize| arrived[..at].iter().map(move |earlier| (at, *earlier));
    let likeness = |(at, earlier): (usize, &Vector)| dot(arrived[at], earlier);
    (0..arrived.len()).map(|at| earlier(at).map(likeness).collect()).collect()
}

type Vector = Vec<(u32, f32)>;

/// Unit tf-idf vectors, terms in ascending order of number; tf by its logarithm, idf over all rows,
/// smoothed as usual.
fn vectors(rows: &[&Row]) -> Vec<Vector> {
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut n_texts_with: Vec<f32> = Vec::new();
    let mut counts: Vec<BTreeMap<u32, f32>> = Vec::new();
    for row in rows {
        let mut count: BTreeMap<u32, f32> = BTreeMap::new();
        for term in char_grams(&row.text) {
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
        .map(|count| {
            let weighed = count.into_iter().map(|(term, n)| (term, (1.0 + n.ln()) * idf(term)));
            unit(weighed.collect())
        })
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

/// Grams of three to five characters within words.
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
