//! What does a user want, beyond the moment? A user's turn in, the sentences of it that are
//! wishes out: they last, say what, and stand without what was said around them. Rather one
//! is missed than made up. Chatter, questions, praise, single tasks, half sentences, and
//! whatever was not typed by the user are none.

mod abroad;
mod chosen;
mod form;
mod named;
pub mod rejected;
pub(crate) mod said;
mod typed;

use std::fmt;

use crate::list;
use said::Sentence;
pub use typed::typed;

/// Longest sentence that is a wish, and the shortest, in words.
const MAX_CHARS: usize = 240;
const MIN_WORDS: usize = 3;

/// Most wishes of one turn: more of them are a document.
const MAX_WISHES: usize = 5;

// The file says what each list decides.
const MOMENT: &[&str] = list!("wishes.txt", "moment");
const PASSING: &[&str] = list!("wishes.txt", "passing");
const AT_WORK: &[&str] = list!("wishes.txt", "at work");
const UNSURE: &[&str] = list!("wishes.txt", "unsure");
const ASKS: &[&str] = list!("wishes.txt", "asks");
const PRAISE: &[&str] = list!("wishes.txt", "praise");
const BEFORE_PRAISE: &[&str] = list!("wishes.txt", "before praise");
const POINTING: &[&str] = list!("wishes.txt", "pointing");
const WORK: &[&str] = list!("wishes.txt", "work");

/// Words by which something is said to be so always.
const ALWAYS: &[&str] = &["always", "never", "ever", "from now on", "going forward"];

/// Words behind which "that" points at something.
const BEFORE_THAT: &[&str] =
    &["use", "using", "keep", "follow", "put", "in", "to", "with", "of", "for", "on", "at", "from"];

/// Why a sentence is no wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoWish {
    TooShort,
    TooLong,
    Question,
    /// It is about the moment.
    Moment,
    /// Whoever said it was not sure.
    Unsure,
    /// What it is about was named elsewhere.
    Pointing,
    /// It does not ask for anything that lasts.
    NothingLasting,
}

impl fmt::Display for NoWish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoWish::TooShort => "it is too short to say what is wanted",
            NoWish::TooLong => "it is too long for one wish",
            NoWish::Question => "it is a question",
            NoWish::Moment => "it is about the moment",
            NoWish::Unsure => "whoever said it was not sure",
            NoWish::Pointing => "what it is about was named elsewhere",
            NoWish::NothingLasting => "it asks for nothing that lasts",
        })
    }
}

/// The wishes in a user's turn, each as one clean sentence, in order.
///
/// ```
/// use hardwon_core::wish::wishes;
///
/// let turn = "No, that's wrong. In this repo we use pnpm, not npm! Now fix the test.";
/// assert_eq!(wishes(turn), ["In this repo we use pnpm, not npm."]);
/// assert!(wishes("don't worry about linting for now, just continue").is_empty());
/// ```
pub fn wishes(turn: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for sentence in typed(turn) {
        if let Ok(wish) = judge(&sentence)
            && !found.contains(&wish)
        {
            found.push(wish);
        }
    }
    // A list of rules is a document that was pasted.
    if found.len() > MAX_WISHES { Vec::new() } else { found }
}

/// Whether one sentence is a wish: the wish in clean words, or why it is none.
pub fn judge(sentence: &str) -> Result<String, NoWish> {
    let sentence = Sentence::of(sentence);
    let words = sentence.words();
    if words.len() < MIN_WORDS {
        return Err(NoWish::TooShort);
    }
    if sentence.raw.chars().count() > MAX_CHARS {
        return Err(NoWish::TooLong);
    }
    let start = sentence.after_openers(0);
    if is_question(&sentence, &words[start..]) {
        return Err(NoWish::Question);
    }
    if let Some(judged) = abroad::is_wish(&words[start..]) {
        return if judged { Ok(sentence.clean(start)) } else { Err(NoWish::NothingLasting) };
    }
    if is_passing(&words) {
        return Err(NoWish::Moment);
    }
    let is_yours = said::has(&words, &["you are not sure", "you're not sure", "when not sure"]);
    if said::has(&words, UNSURE) && !is_yours {
        return Err(NoWish::Unsure);
    }
    if is_pointing(&words) {
        return Err(NoWish::Pointing);
    }
    let starts = sentence.clauses();
    let found = starts.iter().find(|place| form::is_wish(&words, **place)).copied();
    // "Don't color them, add a column": what follows is the task.
    let found = found.filter(|place| !form::goes_on_with_task(&words, *place, &starts));
    let found = found.ok_or(NoWish::NothingLasting)?;
    Ok(sentence.clean(sentence.beginning_of(found.start)))
}

/// Whether a turn is nothing but questions or praise.
pub fn is_chatter(turn: &str) -> bool {
    let is_idle = |sentence: &String| {
        let sentence = Sentence::of(sentence);
        let words = sentence.words();
        let words = &words[sentence.after_openers(0)..];
        let n_before = words.iter().take_while(|word| BEFORE_PRAISE.contains(word)).count();
        let is_praise = said::begins_with_any(&words[n_before..], PRAISE).is_some();
        is_question(&sentence, words) || is_praise
    };
    wishes(turn).is_empty() && typed(turn).iter().all(is_idle)
}

fn is_question(sentence: &Sentence<'_>, words: &[&str]) -> bool {
    sentence.raw.trim_end().ends_with('?') || said::begins_with_any(words, ASKS).is_some()
}

/// Whether a sentence is about the moment. "First" is, unless it is so always.
fn is_passing(words: &[&str]) -> bool {
    let is_always = said::has(words, ALWAYS);
    let is_of_work = said::has(words, AT_WORK);
    said::has(words, MOMENT) || !is_always && !is_of_work && said::has(words, PASSING)
}

/// Whether a sentence points at what was said elsewhere: "these tests", "option 2", "#6".
fn is_pointing(words: &[&str]) -> bool {
    let is_number = |word: &&str| word.starts_with('#') && word.len() > 1;
    let is_this = |(at, pair): (usize, &[&str])| match pair[0] {
        // "Keep it in modules, and call those modules": the sentence names them itself.
        "those" | "these" if words[..at].contains(&pair[1]) => false,
        "this" | "these" | "those" => !WORK.contains(&pair[1]),
        _ => false,
    };
    // "Use that layout", but not "files that change".
    let is_that = |pair: &[&str]| BEFORE_THAT.contains(&pair[0]) && pair[1] == "that";
    let ends_there = matches!(words, [.., "there" | "this" | "that"])
        || matches!(words, [.., verb, "it"] if *verb != "help");
    said::has(words, POINTING)
        || words.iter().any(is_number)
        || words.windows(2).enumerate().any(is_this)
        || words.windows(2).any(is_that)
        || ends_there
}

#[cfg(test)]
mod tests;
