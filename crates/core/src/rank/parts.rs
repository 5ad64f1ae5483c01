//! How close is a lesson to a need? The shares that formulas are made of, and the need
//! taken apart once for all lessons.

use std::collections::BTreeSet;

use crate::lesson::Lesson;
use crate::matching::Corpus;
use crate::need::Need;
use crate::words::unique_words;

/// How much of a word stemming leaves as it was.
const BEGIN_CHARS: usize = 3;

/// The need, taken apart once.
pub(super) struct Topic<'a> {
    pub need: &'a Need,
    words: BTreeSet<String>,
    beginnings: Vec<String>,
}

impl<'a> Topic<'a> {
    pub fn of(need: &'a Need) -> Self {
        let mut text = need.text.clone().unwrap_or_default();
        if let Some(task) = &need.task {
            text.push(' ');
            text.push_str(task);
        }
        let words: BTreeSet<String> = unique_words(&text).into_iter().collect();
        let begin = |word: &String| word.chars().take(BEGIN_CHARS).collect();
        let mut beginnings: Vec<String> = words.iter().map(begin).collect();
        beginnings.dedup();
        Topic { need, words, beginnings }
    }

    /// Whether a text could have a word of the topic. Taking a text apart is most of the
    /// work of ranking, and most lessons share nothing: stemming changes endings only, so
    /// the beginning of a shared word must be somewhere in the text.
    fn may_share(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.beginnings.iter().any(|beginning| text.contains(beginning))
    }
}

/// Independent reasons to be relevant add up without passing 1.
pub(super) fn either(parts: &[f64]) -> f64 {
    1.0 - parts.iter().map(|part| 1.0 - part).product::<f64>()
}

/// Three decimals: the same on every machine, and readable.
pub(super) fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Weight of the shared words, saturating: one rare word counts, ten do not count ten
/// times.
pub(super) fn text_part(lesson: &Lesson, topic: &Topic<'_>, corpus: &Corpus) -> f64 {
    if !topic.may_share(lesson.text.as_str()) {
        return 0.0;
    }
    let words = unique_words(lesson.text.as_str());
    let shared = words.iter().filter(|word| topic.words.contains(*word));
    let weight: f64 = shared.map(|word| rarity(word, corpus)).sum();
    let whole: f64 = words.iter().map(|word| rarity(word, corpus)).sum();
    if whole == 0.0 { 0.0 } else { (weight / (weight + 0.5 * whole)).min(0.95) }
}

/// The share of the need's words that a lesson covers, each by how much it says: from 0 to
/// 1; and how many these are. Folders and files that it knows count as its words.
pub(super) fn coverage(lesson: &Lesson, topic: &Topic<'_>, corpus: &Corpus) -> (f64, usize) {
    let whole: f64 = topic.words.iter().map(|word| rarity(word, corpus)).sum();
    if whole == 0.0 {
        return (0.0, 0);
    }
    let guidance = &lesson.guidance;
    let also = lesson.category.iter().chain(&guidance.repair).chain(&guidance.applies_when);
    let texts = also.chain(&lesson.tags).chain(&lesson.paths).map(String::as_str);
    let texts = texts.chain([lesson.text.as_str()]).filter(|text| topic.may_share(text));
    let words: BTreeSet<String> = texts.flat_map(unique_words).collect();
    let shared: Vec<&String> = topic.words.iter().filter(|word| words.contains(*word)).collect();
    (shared.iter().map(|word| rarity(word, corpus)).sum::<f64>() / whole, shared.len())
}

/// How much a word says: more the fewer lessons hold it.
fn rarity(word: &str, corpus: &Corpus) -> f64 {
    let n_texts = corpus.df.get(word).copied().unwrap_or(0) as f64;
    ((corpus.n_texts as f64 + 10.0) / (n_texts + 1.0)).ln().max(0.1)
}

/// 0.8 for a file that the lesson knows, less for its folder.
pub(super) fn path_part(lesson: &Lesson, need: &Need) -> f64 {
    let closeness = |known: &String, wanted: &String| {
        if same_file(known, wanted) {
            0.8
        } else if folder(known) == folder(wanted) && !folder(known).is_empty() {
            0.4
        } else {
            0.0
        }
    };
    let pairs = lesson.paths.iter().flat_map(|known| need.paths.iter().map(move |p| (known, p)));
    pairs.map(|(known, wanted)| closeness(known, wanted)).fold(0.0, f64::max)
}

/// Whether a known path speaks of a touched file: the same file, or a folder above it.
pub fn same_file(known: &str, touched: &str) -> bool {
    let (known, touched) = (normal(known), normal(touched));
    let is_above = || {
        let folder = known.trim_end_matches('*').trim_end_matches('/');
        !folder.is_empty() && touched.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    };
    known == touched || is_above()
}

fn normal(path: &str) -> &str {
    path.trim_start_matches("./").trim_start_matches('/')
}

fn folder(path: &str) -> &str {
    normal(path).rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// How many of the need's tags the lesson has, as a tag or as its category.
pub(super) fn n_shared_tags(lesson: &Lesson, need: &Need) -> usize {
    let has = |tag: &&String| {
        let is_category = lesson.category.as_deref().is_some_and(|c| c.eq_ignore_ascii_case(tag));
        is_category || lesson.tags.iter().any(|known| known.eq_ignore_ascii_case(tag))
    };
    need.tags.iter().filter(has).count()
}

pub(super) fn tag_part(lesson: &Lesson, need: &Need) -> f64 {
    let n_shared = n_shared_tags(lesson, need);
    if need.tags.is_empty() { 0.0 } else { 0.7 * n_shared as f64 / need.tags.len() as f64 }
}

/// How many of the need's files the lesson speaks of.
pub(super) fn n_shared_paths(lesson: &Lesson, need: &Need) -> usize {
    let is_known = |path: &&String| lesson.paths.iter().any(|known| same_file(known, path));
    need.paths.iter().filter(is_known).count()
}

/// Whether the reading role is one that ever reported it.
pub(super) fn is_own(lesson: &Lesson, need: &Need) -> bool {
    need.role.as_ref().is_some_and(|role| lesson.detectors.contains(role))
}

/// Matching scope, whether the reading role ever reported it, and for a run that recovers
/// from an error: lessons about that class of error, and what recovered other runs.
pub(super) fn scope_part(lesson: &Lesson, need: &Need) -> f64 {
    let n_pairs = lesson.scope.n_matched(need) as f64;
    let own = if is_own(lesson, need) { 0.2 } else { 0.0 };
    (0.15 * n_pairs + own + rescue_part(lesson, need)).min(0.5)
}

fn rescue_part(lesson: &Lesson, need: &Need) -> f64 {
    let has = |wanted: &str| lesson.tags.iter().any(|tag| tag.eq_ignore_ascii_case(wanted));
    match &need.error_class {
        Some(class) if has(class) && has("recovery") => 0.45,
        Some(class) if has(class) => 0.3,
        Some(_) | None => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        assert!(same_file("src/api.rs", "./src/api.rs"));
        assert!(same_file("src/", "src/api.rs"));
        assert!(same_file("src/*", "src/api/a.rs"));
        assert!(!same_file("src/ap", "src/api.rs"));
        assert!(!same_file("", "src/api.rs"));
    }

    #[test]
    fn reasons_add_up_below_one() {
        assert_eq!(either(&[0.5, 0.5]), 0.75);
        assert_eq!(either(&[]), 0.0);
    }
}
