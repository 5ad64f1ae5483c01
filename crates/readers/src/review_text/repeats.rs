//! Does a review list its findings twice?

use super::Review;

/// A message may list its findings once in short and once with their places: what has no place and
/// says the same as one that has goes.
pub fn without_repeats(review: &mut Review) {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
        words.map(|word| word.to_lowercase().trim_end_matches('s').to_owned()).collect()
    };
    let placed: Vec<(Option<String>, Vec<String>)> = review
        .findings
        .iter()
        .filter(|found| found.path.is_some())
        .map(|found| (found.severity.clone(), words(&found.text)))
        .collect();
    review.findings.retain(|found| {
        let own = words(&found.text);
        let is_same = |(severity, words): &(Option<String>, Vec<String>)| {
            let n_shared = own.iter().filter(|word| words.contains(word)).count();
            *severity == found.severity && n_shared >= 2
        };
        found.path.is_some() || !placed.iter().any(is_same)
    });
}
