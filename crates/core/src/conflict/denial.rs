//! Does one text deny what another says? Then they are no sightings of each other, however
//! many words they share: what is asked for or forbidden, and of what, goes before likeness.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::opposed::choose_otherwise;
use super::{Advice, FORBIDDING, TURNING, binding_of, clauses, words_of};
use crate::list;
use crate::words::word_of;

/// Words that say that something is as it should be.
const CONTENT: &[&str] = list!("conflict.txt", "content");
/// Words after which a praise is none.
const SPOILING: &[&str] = list!("conflict.txt", "spoiling");
/// Two words a row, of which one undoes the other.
const UNDOING: &[&str] = list!("conflict.txt", "undoing");
/// Words that begin what a verb acts on.
const OBJECTS: &[&str] = list!("conflict.txt", "objects");
/// Verbs that state something, with or without a "not" behind them.
const STATING: &[&str] = &["are", "can", "has", "have", "is", "was", "were", "will"];
/// The same with it in one word, and what each is without.
const NEGATED: &[&str] =
    &["arent are", "cannot can", "cant can", "isnt is", "wasnt was", "werent were", "wont will"];
const NEGATING: &[&str] =
    &["arent", "cannot", "cant", "doesnt", "isnt", "not", "wasnt", "werent", "wont"];
/// Words that turn a statement round, beside those that turn an instruction.
const DENYING: &[&str] = &["no", "without", "cannot", "cant"];

/// Whether two texts that share their words deny each other: one asks for what the other
/// forbids, does what the other undoes, states what the other negates, chooses what the other sets aside, or says that all is
/// well where the other does not.
pub fn deny_each_other(a: &str, b: &str) -> bool {
    let (said_a, said_b) = (Said::of(a), Said::of(b));
    said_a.contradicts(&said_b)
        || said_a.is_content() != said_b.is_content()
        || asks_for_the_forbidden(&said_a, &said_b)
        || asks_for_the_forbidden(&said_b, &said_a)
        || undo_each_other(&said_a.words, &said_b.words)
        || is_negation(&said_a.words, &said_b.words)
        || is_negation(&said_b.words, &said_a.words)
        || choose_otherwise(a, b)
}

/// A text taken apart once, for all that is asked of it.
struct Said {
    words: Vec<String>,
    advice: Option<Advice>,
}

impl Said {
    fn of(text: &str) -> Self {
        let clauses = clauses(text);
        let advice = Advice::of(&clauses);
        Said { words: clauses.into_iter().flatten().collect(), advice }
    }

    fn contradicts(&self, other: &Said) -> bool {
        // They are alike already: how many words they share need not be asked again.
        let both = self.advice.as_ref().zip(other.advice.as_ref());
        both.is_some_and(|(own, other)| own.opposes(other, 0.0))
    }

    /// Whether it says that something works, and nothing against it.
    fn is_content(&self) -> bool {
        let words = &self.words;
        let says = |phrase: &&str| {
            let n_words = phrase.split(' ').count();
            words.windows(n_words).any(|part| part.iter().map(String::as_str).eq(phrase.split(' ')))
        };
        CONTENT.iter().any(says) && !words.iter().any(|word| SPOILING.contains(&word.as_str()))
    }
}

/// Whether the first text tells to do, by a bare verb ("Retry a payment that …"), what the
/// second forbids.
fn asks_for_the_forbidden(asking: &Said, forbidding: &Said) -> bool {
    let Some(forbidden) = forbidding.advice.as_ref().filter(|it| !it.is_asked_for) else {
        return false;
    };
    let asked = &asking.words;
    if !begins_with_a_verb(asked) || asking.advice.is_some() {
        return false;
    }
    let (wanted, verb) = (words_of(asked), words_of(&asked[..1]));
    !verb.is_empty()
        && verb.is_subset(&forbidden.words)
        // "Retry when …" is asked for where all retries are forbidden.
        && forbidden.binding.is_subset(&binding_of(asked))
        && (wanted.is_subset(&forbidden.words) || forbidden.words.is_subset(&wanted))
}

/// Whether the first word may be a verb with what it acts on: "Log the body", "Squash commits",
/// but not "Log statement leaks".
fn begins_with_a_verb(said: &[String]) -> bool {
    let [verb, next, ..] = said else { return false };
    let is_bare = !["s", "ed", "ing"].iter().any(|end| verb.ends_with(end));
    let is_plural = next.ends_with('s') && !next.ends_with("ss");
    is_bare && (OBJECTS.contains(&next.as_str()) || is_plural)
}

/// The rows of [`UNDOING`], as index words.
static UNDONE: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let rows = UNDOING.iter().filter_map(|row| row.split_once(' '));
    rows.map(|(one, other)| (word_of(one), word_of(other))).collect()
});

/// Whether two texts differ in one word that undoes a word of the other: "enable", "disable".
/// One that is turned round besides ("do not disable") says the same again.
fn undo_each_other(a: &[String], b: &[String]) -> bool {
    let stems = |said: &[String]| -> BTreeSet<String> {
        // Also the words that say little: "on" and "off" are among them.
        said.iter().map(|word| word_of(word)).collect()
    };
    let (in_a, in_b) = (stems(a), stems(b));
    let has = |said: &BTreeSet<String>, word: &str, other: &str| {
        said.contains(word) && !said.contains(other)
    };
    let is_undone = |(one, other): &&(String, String)| {
        has(&in_a, one, other) && has(&in_b, other, one)
            || has(&in_a, other, one) && has(&in_b, one, other)
    };
    let undone: Vec<&(String, String)> = UNDONE.iter().filter(is_undone).collect();
    if undone.is_empty() {
        return false;
    }
    let rest = |said: &[String]| -> BTreeSet<String> {
        let is_undone = |word: &String| {
            let stem = word_of(word);
            undone.iter().any(|(one, other)| stem == *one || stem == *other)
        };
        let kept: Vec<String> = said.iter().filter(|word| !is_undone(word)).cloned().collect();
        words_of(&kept)
    };
    let (rest_a, rest_b) = (rest(a), rest(b));
    let is_within = rest_a.is_subset(&rest_b) || rest_b.is_subset(&rest_a);
    let n_undone: BTreeSet<&str> = undone.iter().map(|(one, _)| one.as_str()).collect();
    let is_turned = (n_turns(a) + n_turns(b)) % 2 == 1;
    is_within && !rest_a.is_disjoint(&rest_b) && (n_undone.len() % 2 == 1) != is_turned
}

/// Whether the first is the second, a statement, with a "not" in it: "provides access", "does not
/// provide access". Who says that something is not done, and who says to do it, mean one thing: so
/// the verb has to be one that states, and every other word has to be the same.
fn is_negation(negated: &[String], stated: &[String]) -> bool {
    let (at, n_words, verb) = match negation(negated) {
        Some(found) => found,
        None => return false,
    };
    let mut affirmed = negated.to_vec();
    affirmed.splice(at..at + n_words, verb.map(str::to_owned));
    let is_stated = verb.is_some() || stated.get(at).is_some_and(|verb| verb.ends_with('s'));
    is_stated && affirmed.iter().map(|word| word_of(word)).eq(stated.iter().map(|w| word_of(w)))
}

/// Where a statement is negated, in how many words, and what stands there without it; nothing
/// where the verb itself is behind it. An order is negated at its beginning.
fn negation(said: &[String]) -> Option<(usize, usize, Option<&str>)> {
    let at = said.iter().skip(1).position(|word| NEGATING.contains(&word.as_str()))? + 1;
    let before = said[at - 1].as_str();
    match said[at].as_str() {
        "doesnt" => Some((at, 1, None)),
        "not" if before == "does" => Some((at - 1, 2, None)),
        "not" if STATING.contains(&before) => Some((at - 1, 2, Some(before))),
        short => {
            let short = NEGATED.iter().find_map(|row| row.strip_prefix(short)?.strip_prefix(' '));
            short.map(|verb| (at, 1, Some(verb)))
        }
    }
}

fn n_turns(said: &[String]) -> usize {
    let lists = [TURNING, FORBIDDING, DENYING];
    let turns = |word: &&String| lists.iter().any(|list| list.contains(&word.as_str()));
    said.iter().filter(turns).count()
}
