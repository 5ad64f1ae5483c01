//! How much is told of pairs that were written first (`opening`, and the clauses, were chosen with
//! them in sight, so others will see less): which findings are one, which are two, and
//! which advice is opposite.

use hardwon_core::conflict::oppose;
use hardwon_core::matching::{Corpus, MatchPolicy, Relation, Subject, best_match};

use crate::one_or_two::{Pair, pairs_of};

const FRESH: &str = include_str!("../fixtures/fresh.txt");

fn is_joined((a, b): &Pair) -> bool {
    let subject = |text| Subject { text, ..Subject::default() };
    let found = best_match(&subject(b), &[subject(a)], &Corpus::default(), &MatchPolicy::default());
    found.relation == Relation::Same
}

fn is_opposite((a, b): &Pair) -> bool {
    oppose(a, b) || oppose(b, a)
}

/// Pairs of people who had seen neither this code nor other pairs.
const STRANGERS: &str = include_str!("../fixtures/strangers.txt");

/// How many pairs under a heading are so, of 20.
#[track_caller]
fn check(heading: &str, is_so: fn(&Pair) -> bool, at_least: usize) {
    let pairs = pairs_of(FRESH, heading);
    let (right, wrong): (Vec<&Pair>, Vec<&Pair>) = pairs.iter().partition(|pair| is_so(pair));
    assert_eq!(pairs.len(), 20);
    assert!(right.len() >= at_least, "{heading}: {} of 20, not {wrong:#?}", right.len());
}

#[test]
fn paraphrases_are_joined() {
    check("paraphrase", is_joined, 13);
}

#[test]
fn different_mistakes_of_similar_words_stay_apart() {
    check("different", |pair| !is_joined(pair), 18);
}

#[test]
fn opposites_are_recognized() {
    check("opposite", is_opposite, 18);
    check("opposite, told once before a second look", is_opposite, 17);
}

#[test]
fn what_looks_like_an_opposite_is_none() {
    check("look-alike", |pair| !is_opposite(pair), 20);
    check("look-alike, told once before a second look", |pair| !is_opposite(pair), 20);
}

/// What rules cannot do: of what strangers worded anew next to nothing is recognized, which is for a
/// reader to tell. How many of 20 are right, whether that is good or bad.
#[test]
fn of_strangers_words_little_is_told() {
    let n_right = |stranger: &str, kind: &str, is_so: fn(&Pair) -> bool| {
        let pairs = pairs_of(STRANGERS, &format!("{kind}, {stranger} stranger"));
        pairs.iter().filter(|pair| is_so(pair)).count()
    };
    let of = |stranger: &str| {
        let opposite = n_right(stranger, "opposite", is_opposite);
        let look_alike = n_right(stranger, "look-alike", |pair| !is_opposite(pair));
        let paraphrase = n_right(stranger, "paraphrase", is_joined);
        [opposite, look_alike, paraphrase, n_right(stranger, "different", |pair| !is_joined(pair))]
    };
    assert_eq!(
        [of("first"), of("second"), of("third")],
        [[0, 20, 0, 13], [0, 20, 0, 13], [3, 20, 3, 20]]
    );
}
