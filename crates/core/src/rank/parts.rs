//! How close is a lesson to a need? The shares that formulas are made of, and the need
//! taken apart once for all lessons.

use crate::lesson::Lesson;
use crate::list;
use crate::matching::Corpus;
use crate::need::Need;
use crate::words::{Beginnings, unique_words, words};

/// Words that any task may have, as they are compared.
const OF_ANY_TASK: &[&str] = list!("tasks.txt");

/// The need, taken apart once.
pub(super) struct Topic<'a> {
    pub need: &'a Need,
    /// Each once, in byte order.
    words: Vec<String>,
    /// How much each of them says, and all together.
    rarities: Vec<f64>,
    whole: f64,
    /// Whether it says what the task is about, or has only words that any task may have.
    pub is_telling: bool,
    /// None where it has a word in other letters: then every text is looked at closely.
    beginnings: Option<Beginnings>,
}

impl<'a> Topic<'a> {
    pub fn of(need: &'a Need, corpus: &Corpus) -> Self {
        let mut text = need.text.clone().unwrap_or_default();
        if let Some(task) = &need.task {
            text.push(' ');
            text.push_str(task);
        }
        let words = unique_words(&text);
        let is_certain = words.iter().all(|word| word.is_ascii() && word.len() >= 2);
        let beginnings = is_certain.then(|| Beginnings::of(words.iter().map(String::as_str)));
        let rarities: Vec<f64> = words.iter().map(|word| rarity(word, corpus)).collect();
        let whole = rarities.iter().sum();
        let is_telling = words.iter().any(|word| tells(word));
        Topic { need, words, rarities, whole, is_telling, beginnings }
    }

    /// Notes which words of the topic a text has. Taking a text apart is most of the work of
    /// ranking, and most lessons share nothing.
    fn mark(&self, text: &str, shared: &mut [bool]) {
        let mut look_at = |part: &str| {
            if !self.may_be_in(part) {
                return;
            }
            for word in words(part) {
                if let Ok(at) = self.words.binary_search(&word) {
                    shared[at] = true;
                }
            }
        };
        if text.is_ascii() {
            // No word reaches over a sign or a space: most parts need no closer look.
            text.split(|c: char| !c.is_ascii_alphanumeric() && c != '\'').for_each(look_at);
        } else {
            look_at(text);
        }
    }

    /// Whether a text may have a word of the topic, at a glance: stemming changes endings only, so
    /// the beginning of a shared word must be in the text.
    fn may_be_in(&self, text: &str) -> bool {
        let letters = text.as_bytes();
        // An apostrophe may be inside of a word and is no part of it.
        let is_usual = text.is_ascii() && !letters.contains(&b'\'');
        let Some(beginnings) = self.beginnings.as_ref().filter(|_| is_usual) else { return true };
        // Without a seam inside, a word begins where the text does.
        let is_plain = letters.iter().all(u8::is_ascii_lowercase);
        let n_begins = if is_plain { 1 } else { letters.len() };
        letters.windows(2).take(n_begins).any(|letters| beginnings.has(letters))
    }

    /// How much the marked words say together.
    fn weight_of(&self, shared: &[bool]) -> f64 {
        let marked = self.rarities.iter().zip(shared).filter(|(_, is_shared)| **is_shared);
        marked.map(|(rarity, _)| rarity).sum()
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
    let mut shared = vec![false; topic.words.len()];
    topic.mark(lesson.text.as_str(), &mut shared);
    let weight = topic.weight_of(&shared);
    if weight == 0.0 {
        return 0.0;
    }
    let words = unique_words(lesson.text.as_str());
    let whole: f64 = words.iter().map(|word| rarity(word, corpus)).sum();
    (weight / (weight + 0.5 * whole)).min(0.95)
}

/// The share of the need's words that a lesson covers, each by how much it says: from 0 to
/// 1; and how many of these say what the task is about. Folders and files that it knows count as
/// its words.
pub(super) fn coverage(lesson: &Lesson, topic: &Topic<'_>) -> (f64, usize) {
    let guidance = &lesson.guidance;
    let also = lesson.category.iter().chain(&guidance.repair).chain(&guidance.applies_when);
    let texts = also.chain(&lesson.tags).chain(&lesson.paths).map(String::as_str);
    let mut shared = vec![false; topic.words.len()];
    texts.chain([lesson.text.as_str()]).for_each(|text| topic.mark(text, &mut shared));
    if !shared.contains(&true) {
        return (0.0, 0);
    }
    let words = topic.words.iter().zip(&shared);
    let n_telling = words.filter(|(word, is_shared)| **is_shared && tells(word)).count();
    (topic.weight_of(&shared) / topic.whole, n_telling)
}

/// Whether a word says what a task is about.
fn tells(word: &str) -> bool {
    OF_ANY_TASK.binary_search(&word).is_err()
}

/// How much a word says: more the fewer lessons hold it.
fn rarity(word: &str, corpus: &Corpus) -> f64 {
    let n_texts = corpus.df.get(word).copied().unwrap_or(0) as f64;
    ((corpus.n_texts as f64 + 10.0) / (n_texts + 1.0)).ln().max(0.1)
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
    fn words_of_any_task_are_compared_as_they_stand() {
        assert!(OF_ANY_TASK.is_sorted());
        for told in words("Fix the missing error messages and write code for all users") {
            assert!(OF_ANY_TASK.contains(&told.as_str()), "{told}");
        }
        for told in words("refresh tokens, uploads, flaky tests, documentation") {
            assert!(!OF_ANY_TASK.contains(&told.as_str()), "{told}");
        }
    }

    #[test]
    fn paths() {
        assert!(same_file("src/api.rs", "./src/api.rs"));
        assert!(same_file("src/", "src/api.rs"));
        assert!(same_file("src/*", "src/api/a.rs"));
        assert!(!same_file("src/ap", "src/api.rs"));
        assert!(!same_file("", "src/api.rs"));
    }

    proptest::proptest! {
        #[test]
        fn a_glance_misses_no_word(
            asked in "[a-cies yY_'1]{0,24}|retry the (HTTP )?upload(s in upload.rs)?",
            text in "[a-cies yY_'1]{0,12}|tries|axes|retryAx|uploads|(Größe)|HTTPServer",
        ) {
            let need = Need { text: Some(asked), ..Need::default() };
            let topic = Topic::of(&need, &Corpus::default());
            let is_there = words(&text).iter().any(|word| topic.words.contains(word));
            proptest::prop_assert!(topic.may_be_in(&text) || !is_there);
        }
    }

    #[test]
    fn parts_of_a_text_have_the_words_of_the_whole() {
        let corpus = Corpus::default();
        let asked = "fooBar the user's uploads, HTTPServer don't sha1 'quoted'";
        let ascii = "foo_bar, users' upload; http-server 'don't' (SHA1) 'quoted";
        let texts = [ascii, asked, "Café; uploads", "userName's", "''", "a'b c"];
        let needs = [asked.to_owned(), format!("{asked} café 型変換 x1")];
        let needs = needs.map(|text| Need { text: Some(text), ..Need::default() });
        for (need, text) in needs.iter().flat_map(|n| texts.iter().map(move |text| (n, text))) {
            let topic = Topic::of(need, &corpus);
            let mut shared = vec![false; topic.words.len()];
            topic.mark(text, &mut shared);
            let all = words(text);
            let expected: Vec<bool> = topic.words.iter().map(|word| all.contains(word)).collect();
            assert_eq!(shared, expected, "{text}");
        }
    }

    #[test]
    fn reasons_add_up_below_one() {
        assert_eq!(either(&[0.5, 0.5]), 0.75);
        assert_eq!(either(&[]), 0.0);
    }
}
