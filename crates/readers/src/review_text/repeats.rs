//! Does a review list its findings twice?

use hardwon_core::event::FindingStated;

use super::Review;

/// A finding of which no more is told has at most so many bytes of marks around its words.
const MAX_AROUND: usize = 40;

/// A message may list its findings once in short and once with their places: what has no place and
/// says the same as one that has goes.
pub fn without_repeats(review: &mut Review) {
    let placed: Vec<(Option<String>, Vec<String>)> = review
        .findings
        .iter()
        .filter(|found| found.path.is_some())
        .map(|found| (found.severity.clone(), words(&found.text)))
        .collect();
    let firsts: Vec<(String, Option<String>, Vec<String>)> = review
        .findings
        .iter()
        .filter_map(|found| Some((found.path.clone()?, found.severity.clone(), words(&found.text))))
        .collect();
    let mut n_placed = 0;
    review.findings.retain(|found| {
        let Some(path) = found.path.as_ref() else { return true };
        n_placed += 1;
        // An index at the end names the file without its folder.
        let is_shorter = |(other, severity, known): &(String, Option<String>, Vec<String>)| {
            let own = words(&found.text);
            let n_shared = own.iter().filter(|word| known.contains(word)).count();
            let is_end = other.len() > path.len() && other.ends_with(&format!("/{path}"));
            is_end && n_shared >= 2 && (found.line.is_none() && *severity == found.severity)
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

/// A review that gives codes to its findings may tell of one in a table and again below: what has
/// the same code is one, with what either of them says.
pub fn merge_codes(review: &mut Review, codes: &[Option<String>]) {
    let mut merged: Vec<(Option<&String>, FindingStated)> = Vec::new();
    for (at, found) in std::mem::take(&mut review.findings).into_iter().enumerate() {
        let code = codes.get(at).and_then(Option::as_ref);
        let first = merged.iter_mut().find(|(known, _)| code.is_some() && *known == code);
        let Some((_, first)) = first else {
            merged.push((code, found));
            continue;
        };
        if first.path.is_none() || first.line.is_none() && found.line.is_some() {
            (first.path, first.line) = (found.path.or(first.path.take()), found.line);
        }
        first.repair = first.repair.take().or(found.repair);
        first.prose = found.prose.or(first.prose.take());
    }
    review.findings = merged.into_iter().map(|(_, found)| found).collect();
}

/// A summary names in a few words what is told at length elsewhere: of two that say the same, the one
/// with neither place nor repair goes.
pub fn without_summary(review: &mut Review) {
    let is_bare = |found: &FindingStated| {
        let is_short =
            found.prose.as_ref().is_none_or(|prose| prose.len() <= found.text.len() + MAX_AROUND);
        found.path.is_none() && found.repair.is_none() && is_short
    };
    let told: Vec<(Vec<String>, usize)> =
        review.findings.iter().map(|found| (words(&found.text), length(found))).collect();
    let mut at = 0;
    review.findings.retain(|found| {
        at += 1;
        let own = words(&found.text);
        let is_longer = |(other, (known, n)): (usize, &(Vec<String>, usize))| {
            let n_shared = own.iter().filter(|word| known.contains(word)).count();
            other + 1 != at && *n > length(found) && n_shared >= 2 && n_shared * 5 >= own.len() * 3
        };
        !is_bare(found) || !told.iter().enumerate().any(is_longer)
    });
}

/// How much is told about a finding. A place and a repair weigh more than any words.
fn length(found: &FindingStated) -> usize {
    let n_stated = usize::from(found.path.is_some()) + usize::from(found.repair.is_some());
    n_stated * (1 << 20) + found.prose.as_ref().map_or(0, String::len)
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
