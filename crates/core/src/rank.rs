//! In which order do eligible lessons deserve the room? A score with every part kept,
//! so that `--explain` and `why` can show how it came about.

use std::collections::BTreeSet;

use crate::lesson::{Kind, Lesson};
use crate::matching::Corpus;
use crate::need::Need;
use crate::policy::{RankOrder, RankPolicy};
use crate::time::Timestamp;
use crate::words::unique_words;

/// Relevance of every lesson when the need says nothing about the work.
const NEUTRAL: f64 = 0.5;

/// How much of a word stemming leaves as it was.
const BEGIN_CHARS: usize = 3;

/// A lesson's place for one need.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Index into the lessons that were ranked.
    pub index: usize,
    pub score: f64,
    /// Name and value of each part; the weighted ones first.
    pub parts: Vec<(&'static str, f64)>,
}

/// Orders lessons for a need, best first; ties by id. A pure function of its
/// arguments: the order of `lessons` does not matter.
pub fn rank(
    lessons: &[Lesson],
    need: &Need,
    corpus: &Corpus,
    now: Timestamp,
    policy: &RankPolicy,
) -> Vec<Ranked> {
    let topic = Topic::of(need);
    let score_of = |(index, lesson): (usize, &Lesson)| {
        let (score, parts) = score(lesson, &topic, corpus, now, policy);
        Ranked { index, score, parts }
    };
    let mut ranked: Vec<Ranked> = lessons.iter().enumerate().map(score_of).collect();
    ranked.sort_by(|a, b| {
        let (left, right) = (&lessons[a.index], &lessons[b.index]);
        let by_standing = match policy.order {
            RankOrder::Score => std::cmp::Ordering::Equal,
            RankOrder::Standing => right.standing.cmp(&left.standing),
        };
        let by_score = b.score.total_cmp(&a.score);
        let by_name = || by_foreign_id(left, right).then_with(|| left.id.cmp(&right.id));
        by_standing.then(by_score).then_with(by_name)
    });
    ranked
}

/// Foreign ids count up, so theirs is the order in which lessons were written down:
/// shorter first, because `m-1000` comes after `m-999`.
fn by_foreign_id(a: &Lesson, b: &Lesson) -> std::cmp::Ordering {
    let key = |lesson: &Lesson| lesson.aliases.first().map(|id| (id.len(), id.clone()));
    key(a).is_none().cmp(&key(b).is_none()).then_with(|| key(a).cmp(&key(b)))
}

/// The need, taken apart once.
struct Topic<'a> {
    need: &'a Need,
    words: BTreeSet<String>,
    beginnings: Vec<String>,
}

impl<'a> Topic<'a> {
    fn of(need: &'a Need) -> Self {
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

fn score(
    lesson: &Lesson,
    topic: &Topic<'_>,
    corpus: &Corpus,
    now: Timestamp,
    policy: &RankPolicy,
) -> (f64, Vec<(&'static str, f64)>) {
    let text = text_part(lesson, topic, corpus);
    let path = path_part(lesson, topic.need);
    let tags = tag_part(lesson, topic.need);
    let scope = scope_part(lesson, topic.need);
    let start = if topic.need.has_topic() { 0.0 } else { NEUTRAL };
    let relevance = either(&[start, text, path, tags, scope]);
    let usefulness = lesson.effects.usefulness();
    let recency = recency(lesson, now, policy);
    let n_sightings = f64::from(lesson.n_sightings);
    let sightings = n_sightings / (n_sightings + 3.0);
    let score = policy.weight_relevance * relevance
        + policy.weight_usefulness * usefulness
        + policy.weight_importance * lesson.importance
        + policy.weight_recency * recency
        + policy.weight_sightings * sightings;
    let parts = vec![
        ("relevance", relevance),
        ("usefulness", usefulness),
        ("importance", lesson.importance),
        ("recency", recency),
        ("sightings", sightings),
        ("text", text),
        ("path", path),
        ("tags", tags),
        ("scope", scope),
    ];
    (round(score), parts.into_iter().map(|(name, value)| (name, round(value))).collect())
}

/// Independent reasons to be relevant add up without passing 1.
fn either(parts: &[f64]) -> f64 {
    1.0 - parts.iter().map(|part| 1.0 - part).product::<f64>()
}

/// Three decimals: the same on every machine, and readable.
fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Weight of the shared words, saturating: one rare word counts, ten do not count ten
/// times.
fn text_part(lesson: &Lesson, topic: &Topic<'_>, corpus: &Corpus) -> f64 {
    if !topic.may_share(lesson.text.as_str()) {
        return 0.0;
    }
    let words = unique_words(lesson.text.as_str());
    let shared = words.iter().filter(|word| topic.words.contains(*word));
    let weight: f64 = shared.map(|word| rarity(word, corpus)).sum();
    let whole: f64 = words.iter().map(|word| rarity(word, corpus)).sum();
    if whole == 0.0 { 0.0 } else { (weight / (weight + 0.5 * whole)).min(0.95) }
}

/// How much a word says: more the fewer lessons hold it.
fn rarity(word: &str, corpus: &Corpus) -> f64 {
    let n_texts = corpus.df.get(word).copied().unwrap_or(0) as f64;
    ((corpus.n_texts as f64 + 10.0) / (n_texts + 1.0)).ln().max(0.1)
}

/// 0.8 for a file that the lesson knows, less for its folder.
fn path_part(lesson: &Lesson, need: &Need) -> f64 {
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

fn tag_part(lesson: &Lesson, need: &Need) -> f64 {
    let has = |tag: &&String| {
        let is_category = lesson.category.as_deref().is_some_and(|c| c.eq_ignore_ascii_case(tag));
        is_category || lesson.tags.iter().any(|known| known.eq_ignore_ascii_case(tag))
    };
    let n_shared = need.tags.iter().filter(has).count();
    if need.tags.is_empty() { 0.0 } else { 0.7 * n_shared as f64 / need.tags.len() as f64 }
}

/// Matching scope, and the reading role being one that ever reported it.
fn scope_part(lesson: &Lesson, need: &Need) -> f64 {
    let n_pairs = lesson.scope.n_matched(need) as f64;
    let is_own = need.role.as_ref().is_some_and(|role| lesson.detectors.contains(role));
    (0.15 * n_pairs + if is_own { 0.2 } else { 0.0 }).min(0.5)
}

/// Halves every `half_life_days` of whole days; what somebody wants does not age.
fn recency(lesson: &Lesson, now: Timestamp, policy: &RankPolicy) -> f64 {
    match lesson.kind {
        Kind::Preference | Kind::Rule => 1.0,
        Kind::Pattern | Kind::AntiPattern | Kind::Hint | Kind::Precedent | Kind::Fact => {
            let days = now.days_since(lesson.updated_at) as f64;
            0.5_f64.powf(days / policy.half_life_days.max(1.0))
        }
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
