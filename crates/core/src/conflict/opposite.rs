//! Are two texts opposites? By their clauses: one orders what the other forbids, or another thing
//! of which only one is done or had. Where it is not clear they are none: two lessons that differ
//! cost a line, one that is wrongly left out costs a repeated mistake.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::clause::{ALL_RIVALS, Clause, clauses, cut};
use crate::list;
use crate::words::word_of;

/// Words that say that something is as it should be.
const CONTENT: &[&str] = list!("conflict.txt", "content");
/// Words after which a praise is none.
const SPOILING: &[&str] = list!("conflict.txt", "spoiling");
/// How many of all their words an order and what forbids it share at least, …
const SHARED: f64 = 0.5;
/// … and if all words of an unconditional ban are among those of the order.
const SHARED_WITH_BAN: f64 = 0.3;

/// Whether two texts say opposite things. Whoever has to know it asks here.
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
    Said::of(a).opposes(&Said::of(b))
}

/// Whether a text says that something works, and nothing against it: no sighting of a complaint.
pub fn praises(text: &str) -> bool {
    let words: Vec<String> = cut(text).into_iter().flatten().collect();
    let says = |phrase: &&str| {
        let n_words = phrase.split(' ').count();
        words.windows(n_words).any(|part| part.iter().map(String::as_str).eq(phrase.split(' ')))
    };
    CONTENT.iter().any(says) && !words.iter().any(|word| SPOILING.contains(&word.as_str()))
}

/// A text taken apart once.
pub(super) struct Said(Vec<Clause>);

impl Said {
    pub(super) fn of(text: &str) -> Self {
        Said(clauses(text))
    }

    /// The words of its orders.
    pub(super) fn verbs(&self) -> impl Iterator<Item = &String> {
        self.0.iter().filter(|clause| clause.is_order).flat_map(|clause| &clause.about)
    }

    pub(super) fn opposes(&self, other: &Said) -> bool {
        self.0.iter().any(|a| other.0.iter().any(|b| are_opposite(a, b)))
    }
}

fn are_opposite(a: &Clause, b: &Clause) -> bool {
    if a.is_order != b.is_order && !are_both_orders(a, b) {
        return false;
    }
    let other = |(rivals, thing): &(usize, usize)| {
        let theirs = b.choices.iter().find(|(of, _)| of == rivals)?;
        (theirs.1 != *thing).then(|| &ALL_RIVALS[*rivals].words)
    };
    let chosen: Vec<&BTreeSet<String>> = a.choices.iter().filter_map(other).collect();
    let is_turned = a.is_turned != b.is_turned;
    // Who disables what another enables says the opposite; who forbids to disable it does not.
    if is_turned == (chosen.len() % 2 == 1) {
        return false;
    }
    let rest = |words| without(words, &chosen);
    let (about_a, about_b) = (rest(&a.about), rest(&b.about));
    let is_alike = rest(&a.condition) == rest(&b.condition);
    if !a.is_order && !b.is_order {
        return about_a == about_b && !about_a.is_empty() && is_alike;
    }
    if !about_a.is_subset(&about_b) && !about_b.is_subset(&about_a) {
        return false;
    }
    if !chosen.is_empty() {
        return is_alike && about_a.len().abs_diff(about_b.len()) <= 1;
    }
    let (ban, order) = if a.is_turned { (a, b) } else { (b, a) };
    let is_banned = ban.condition.is_empty() && ban.about.is_subset(&order.about);
    let n_shared = about_a.intersection(&about_b).count();
    let shared = n_shared as f64 / about_a.union(&about_b).count().max(1) as f64;
    is_banned && shared >= SHARED_WITH_BAN || is_alike && shared >= SHARED
}

fn without<'a>(
    words: &'a BTreeSet<String>,
    others: &[&BTreeSet<String>],
) -> Cow<'a, BTreeSet<String>> {
    let is_kept = |word: &&String| !others.iter().any(|others| others.contains(*word));
    match others {
        [] => Cow::Borrowed(words),
        _ => Cow::Owned(words.iter().filter(is_kept).cloned().collect()),
    }
}

/// Whether a text begins with one of these verbs, or with a word that chooses.
pub(super) fn begins_with(text: &str, verbs: &BTreeSet<String>) -> bool {
    let first = text.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    let first = first.map(|word| word_of(&word.to_lowercase()));
    first.is_some_and(|first| verbs.contains(&first) || chooses(&first))
}

fn chooses(word: &String) -> bool {
    ALL_RIVALS.iter().any(|rivals| rivals.words.contains(word))
}

/// Whether the one of the two that has no mark of an order begins with the verb of the other, or
/// with a word that chooses: "Commit to main" is an order beside "Never commit to main".
fn are_both_orders(a: &Clause, b: &Clause) -> bool {
    let (order, bare) = if a.is_order { (a, b) } else { (b, a) };
    let Some(verb) = bare.first.as_ref().filter(|_| !bare.is_turned) else { return false };
    order.first.as_ref() == Some(verb)
        || bare.has_object && order.about.contains(verb)
        || chooses(verb)
}
