//! What would a used memory say? Makes up findings that look like those of a real
//! pipeline to everything that counts words: few words are very common, most are rare,
//! each field of work has its own, and files recur. Same numbers in, same words out.

use crate::random::Random;

/// A finding before it is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub text: String,
    pub category: &'static str,
    pub path: String,
    pub detector: &'static str,
}

/// Words by how common they are, with what each draft needs to choose among them.
pub struct Vocabulary {
    words: Vec<String>,
    /// Share of all uses that fall on this word or a commoner one.
    cumulative: Vec<f64>,
}

/// Content words of a language and a trade; a team's memory hardly has more.
const N_WORDS: usize = 20_000;
/// The commonest words, which belong to no field of work.
const N_SHARED_WORDS: u64 = 100;
/// Words that one field of work has.
const N_TOPIC_WORDS: u64 = 600;
const N_FILES: u64 = 400;

const CATEGORIES: &[&str] =
    &["security", "testing", "performance", "errors", "api", "style", "docs", "concurrency"];
const DETECTORS: &[&str] = &["guardian", "reviewer", "tester", "sentinel", "clippy", "ci"];

const GLUE: &[&str] = &[
    "the", "a", "in", "of", "is", "to", "and", "not", "when", "for", "with", "before", "by", "on",
    "it", "this", "from", "that", "without", "after",
];

/// The commonest content words, so that a block reads like one.
const HEAD: &str = "\
    query test missing handler user error path file input check value request response token \
    cache lock retry timeout parser schema field index null empty async thread race leak \
    header session login password escape validate unwrap panic overflow bounds loop build \
    flag config default migration column table commit branch merge release version client \
    server socket stream buffer encode decode format string number date zone locale log \
    metric trace mock fixture assert snapshot flaky slow memory allocation copy borrow clone \
    import export module public private rename deprecated doc example comment typo link page \
    form button color layout";

/// What made words are put together from: as many different letter pairs as in real
/// ones, since likeness also looks at those.
const ONSETS: &[&str] = &[
    "b", "br", "c", "ch", "cl", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "l", "m", "n", "p",
    "pl", "qu", "r", "s", "sc", "sh", "sp", "st", "t", "th", "tr", "v", "w", "y", "z",
];
const MIDDLES: &[&str] =
    &["a", "ai", "ar", "e", "ea", "en", "er", "i", "in", "o", "on", "oo", "or", "ou", "u", "un"];
const ENDS: &[&str] = &[
    "ble", "ck", "ct", "dge", "ft", "ge", "lm", "lt", "mp", "nd", "nk", "nt", "pt", "rd", "rk",
    "rm", "rt", "sk", "sp", "st", "tch", "th", "ver", "wl", "x", "zz", "tum", "kor", "bad", "gim",
    "fel", "pod", "val", "nix", "ron", "duk", "lam", "hes", "jot", "cur",
];

impl Vocabulary {
    pub fn new() -> Self {
        let known = HEAD.split_whitespace().map(str::to_owned);
        let words: Vec<String> = known.chain((0..).map(made_word)).take(N_WORDS).collect();
        let weights = (0..N_WORDS).map(|rank| 1.0 / (rank as f64 + 3.0));
        let mut sum = 0.0;
        let mut cumulative: Vec<f64> = weights
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        cumulative.iter_mut().for_each(|share| *share /= sum);
        Vocabulary { words, cumulative }
    }

    /// The finding with this number in this project: always the same.
    pub fn draft(&self, project: u64, number: u64) -> Draft {
        let random = &mut Random::seeded(&[project, number]);
        let topic = random.below(CATEGORIES.len() as u64);
        let n_words = 6 + random.below(9) + random.below(9);
        let text = self.sentence(random, topic, n_words);
        let category = CATEGORIES[topic as usize];
        let path = self.file(random, topic);
        Draft { text, category, path, detector: random.pick(DETECTORS) }
    }

    /// The same finding in other words: one word differs, one is added.
    pub fn retold(&self, project: u64, number: u64, run: u64) -> Draft {
        let draft = self.draft(project, number);
        let random = &mut Random::seeded(&[project, number, run]);
        let mut words: Vec<&str> = draft.text.split(' ').collect();
        let index = random.below(words.len() as u64) as usize;
        words[index] = self.word(random);
        words.push(self.word(random));
        Draft { text: words.join(" "), ..draft }
    }

    /// A content word by how common it is.
    fn word(&self, random: &mut Random) -> &str {
        let share = random.share();
        let rank = self.cumulative.partition_point(|known| *known < share);
        &self.words[rank.min(N_WORDS - 1)]
    }

    fn topic_word(&self, random: &mut Random, topic: u64) -> &str {
        // The square makes a topic's first words its commonest.
        let rank = (random.share().powi(2) * N_TOPIC_WORDS as f64) as u64;
        &self.words[(N_SHARED_WORDS + topic * N_TOPIC_WORDS + rank) as usize]
    }

    fn sentence(&self, random: &mut Random, topic: u64, n_words: u64) -> String {
        let mut sentence = String::new();
        for index in 0..n_words {
            let word = match random.below(100) {
                0..30 => random.pick(GLUE),
                30..60 => self.topic_word(random, topic),
                _ => self.word(random),
            };
            if index > 0 {
                sentence.push(' ');
            }
            sentence.push_str(word);
        }
        sentence
    }

    fn file(&self, random: &mut Random, topic: u64) -> String {
        let name = (random.share().powi(2) * N_FILES as f64) as usize;
        format!("src/{}/{}.rs", CATEGORIES[topic as usize], self.words[name])
    }
}

fn made_word(number: usize) -> String {
    // Coprime to the number of made words: a shuffle, so that words of one topic,
    // which are neighbors, are not alike.
    let mixed = number * 7919 % (ONSETS.len() * MIDDLES.len() * ENDS.len());
    let onset = ONSETS[mixed % ONSETS.len()];
    let middle = MIDDLES[mixed / ONSETS.len() % MIDDLES.len()];
    let end = ENDS[mixed / ONSETS.len() / MIDDLES.len()];
    format!("{onset}{middle}{end}")
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn the_same_numbers_give_the_same_draft() {
        let (a, b) = (Vocabulary::new(), Vocabulary::new());
        for number in 0..50 {
            assert_eq!(a.draft(3, number), b.draft(3, number));
            assert_eq!(a.retold(3, number, 9), b.retold(3, number, 9));
        }
        assert_ne!(a.draft(0, 1), a.draft(0, 2));
        assert_ne!(a.draft(0, 1), a.draft(1, 1));
        let first = a.draft(0, 0).text;
        assert!(first.starts_with("clouver in without after in from vorwl a jouwl"), "{first}");
    }

    #[test]
    fn words_are_many_and_few_of_them_are_common() {
        let vocabulary = Vocabulary::new();
        let distinct: BTreeSet<&String> = vocabulary.words.iter().collect();
        assert!(distinct.len() > N_WORDS - 20, "{}", distinct.len());
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for number in 0..2000 {
            for word in vocabulary.draft(0, number).text.split(' ') {
                *counts.entry(word.to_owned()).or_default() += 1;
            }
        }
        let n_once = counts.values().filter(|count| **count == 1).count();
        assert!(n_once * 3 > counts.len(), "{n_once} of {} words are rare", counts.len());
        assert!(counts["query"] > 50);
    }

    #[test]
    fn retold_is_nearly_the_same() {
        let vocabulary = Vocabulary::new();
        let (draft, retold) = (vocabulary.draft(0, 7), vocabulary.retold(0, 7, 1));
        let words: BTreeSet<&str> = draft.text.split(' ').collect();
        let n_shared = retold.text.split(' ').filter(|word| words.contains(word)).count();
        assert!(n_shared + 2 >= draft.text.split(' ').count());
        assert_eq!((draft.category, draft.path), (retold.category, retold.path));
    }
}
