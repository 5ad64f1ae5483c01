//! Does a review list its findings twice?

use hardwon_core::event::FindingStated;

use super::Review;

/// A message may list its findings once in short and once with their places: what has no place and
/// says the same as one that has goes.
pub fn without_repeats(review: &mut Review) {
    let placed: Vec<(Option<String>, Vec<String>)> = review
        .findings
        .iter()
        .filter(|found| found.path.is_some())
        .map(|found| (found.severity.clone(), words(&found.text)))
        .collect();
    let firsts: Vec<(String, Vec<String>)> = review
        .findings
        .iter()
        .filter_map(|found| Some((found.path.clone()?, words(&found.text))))
        .collect();
    let mut n_placed = 0;
    review.findings.retain(|found| {
        let Some(path) = found.path.as_ref() else { return true };
        n_placed += 1;
        // An index at the end names the file without its folder.
        let is_shorter = |(other, known): &(String, Vec<String>)| {
            let own = words(&found.text);
            let n_shared = own.iter().filter(|word| known.contains(word)).count();
            let is_end = other.len() > path.len() && other.ends_with(&format!("/{path}"));
            is_end && n_shared >= 2 && found.line.is_none()
        };
        !firsts[..n_placed - 1].iter().any(is_shorter)
    });
    review.findings.retain(|found| {
        let own = words(&found.text);
        let is_same = |(severity, words): &(Option<String>, Vec<String>)| {
            let n_shared = own.iter().filter(|word| words.contains(word)).count();
            *severity == found.severity && n_shared >= 2 && n_shared * 2 > own.len()
        };
        found.path.is_some() || !placed.iter().any(is_same)
    });
}

/// Whether rows of a table say again what was said before, as an index at the end does: most of
/// them share their words with something.
pub fn is_index(rows: &[FindingStated], before: &[FindingStated]) -> bool {
    let known: Vec<Vec<String>> = before.iter().map(|found| words(&found.text)).collect();
    let is_known = |row: &&FindingStated| {
        let own = words(&row.text);
        let n_shared = |known: &Vec<String>| own.iter().filter(|word| known.contains(word)).count();
        known.iter().any(|known| n_shared(known) >= 2 && n_shared(known) * 2 >= own.len())
    };
    let n_known = rows.iter().filter(is_known).count();
    n_known > 1 && n_known * 2 >= rows.len()
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
    words.map(|word| word.to_lowercase().trim_end_matches('s').to_owned()).collect()
}
