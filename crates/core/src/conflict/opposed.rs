//! Does one wish say the opposite of another? By what it asks for and forbids, by a choice that
//! is turned round, or by choosing one of several things of which only one can be had.

use super::contradict;
use super::words::{begins, words};
use crate::lesson::Lesson;
use crate::list;
use crate::reflect::Candidate;

/// One line: things of which only one can be had, with commas between.
const RIVALS: &[&str] = list!("rivals.txt");
/// Words that set one thing against another.
const OVER: [&str; 6] = ["and not", "instead of", "never", "not", "over", "rather than"];

/// How many of their words two opposite wishes share at least, of all.
const BAR: f64 = 0.6;

/// Whether two wishes cannot both be kept.
///
/// ```
/// use hardwon_core::conflict::oppose;
///
/// assert!(oppose("Use pnpm, not npm.", "From now on use npm instead of pnpm."));
/// assert!(oppose("Use the british spelling.", "Make sure we're using US English everywhere."));
/// assert!(oppose("Never squash commits.", "Always squash commits."));
/// assert!(!oppose("Use pnpm, not npm.", "Never use npm scripts for releases."));
/// ```
pub fn oppose(a: &str, b: &str) -> bool {
    if contradict(a, b, BAR) {
        return true;
    }
    let (a, b) = (words(a), words(b));
    let choose_rivals =
        |group: &&str| chosen_of(&a, group).zip(chosen_of(&b, group)).is_some_and(|(a, b)| a != b);
    RIVALS.iter().any(choose_rivals) || turned_round(&a, &b)
}

/// Whether an earlier wish ends because the same person said the opposite of it since.
pub fn ends(said: &Candidate, earlier: &Lesson) -> bool {
    let is_open = earlier.is_personal() && said.is_said() && said.may_be(earlier);
    is_open && oppose(&said.text, earlier.text.as_str())
}

/// Which thing of a group a wish chooses: the first that it names, if it forbids none before.
fn chosen_of<'g>(words: &[String], group: &'g str) -> Option<&'g str> {
    let forbids = |word: &String| {
        matches!(word.as_str(), "don't" | "never" | "not" | "no" | "stop" | "avoid")
    };
    let end = (1..words.len()).find(|at| starts_over(words, *at));
    let own = &words[..end.unwrap_or(words.len())];
    if own.iter().any(forbids) {
        return None;
    }
    let things = group.split(',').map(str::trim);
    let mut named = things.filter_map(|names| {
        let mut names_of = names.split('/');
        let at = names_of.find_map(|name| (0..own.len()).find(|at| begins(&own[*at..], name)))?;
        Some((at, names))
    });
    let first = named.next()?;
    // Both are named: it speaks of them, and chooses neither.
    named.next().is_none().then_some(first.1)
}

fn starts_over(words: &[String], at: usize) -> bool {
    OVER.iter().any(|phrase| begins(&words[at..], phrase))
}

/// Whether two texts choose each what the other sets aside.
pub(super) fn choose_otherwise(a: &str, b: &str) -> bool {
    turned_round(&words(a), &words(b))
}

/// "Use a instead of b", "use b, not a".
fn turned_round(a: &[String], b: &[String]) -> bool {
    let (Some((a_own, a_over)), Some((b_own, b_over))) = (choice(a), choice(b)) else {
        return false;
    };
    a_own == b_over && b_own == a_over
}

/// The last word before, and the word behind what sets two things against each other.
fn choice(words: &[String]) -> Option<(&str, &str)> {
    let over = (2..words.len()).find(|at| starts_over(words, *at))?;
    let n = OVER
        .iter()
        .filter(|phrase| begins(&words[over..], phrase))
        .map(|phrase| phrase.split(' ').count())
        .max()?;
    let verb = words[..over]
        .iter()
        .rposition(|word| matches!(word.as_str(), "use" | "using" | "prefer" | "write"))?;
    Some((words.get(verb + 1)?, words.get(over + n)?))
}
