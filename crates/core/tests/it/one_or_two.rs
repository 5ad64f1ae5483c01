//! Findings that must stay two, however similar their words are, and some that are one. How many of
//! those are told that were put aside, or are short and about one file, is asserted, not each: two
//! that speak of one topic in a few words are hard to tell.

use hardwon_core::conflict::oppose;
use hardwon_core::matching::{Author, Corpus, MatchPolicy, Relation, Subject, best_match};

pub type Pair = (&'static str, &'static str);

fn pairs(heading: &str) -> Vec<Pair> {
    pairs_of(include_str!("../fixtures/one_or_two.txt"), heading)
}

/// The pairs under a heading of a file.
pub fn pairs_of(file: &'static str, heading: &str) -> Vec<Pair> {
    let (_, rest) = file.split_once(&format!("== {heading}\n")).expect("it is a heading");
    let (section, _) = rest.split_once("\n==").unwrap_or((rest, ""));
    let lines: Vec<&str> = section.lines().filter(|line| !line.is_empty()).collect();
    assert!(!lines.is_empty() && lines.len().is_multiple_of(2), "{heading}: {} lines", lines.len());
    lines.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

fn is_same(finding: &Subject<'_>, lesson: &Subject<'_>, policy: &MatchPolicy) -> bool {
    let found = best_match(finding, &[*lesson], &Corpus::default(), policy);
    found.relation == Relation::Same
}

/// Whether one is a sighting of the other, in either direction.
fn is_one((a, b): Pair, policy: &MatchPolicy) -> bool {
    let subject = |text| Subject { text, ..Subject::default() };
    is_same(&subject(a), &subject(b), policy) || is_same(&subject(b), &subject(a), policy)
}

#[track_caller]
fn check(heading: &str, policy: &MatchPolicy, expected: bool) {
    for pair in pairs(heading) {
        assert_eq!(is_one(pair, policy), expected, "{pair:?}");
    }
}

/// What is not done, and that it is to be done, are one problem.
#[test]
fn what_is_missing_and_what_to_do_are_no_opposites() {
    for (missing, wanted) in [
        ("The error of the upload is not handled", "Handle the error of the upload"),
        ("The parser does not check the length", "Check the length in the parser"),
        ("The cache does not expire", "Let the cache expire"),
    ] {
        assert!(!oppose(missing, wanted), "{missing}");
    }
}

#[test]
fn opposites_are_never_one_under_any_policy() {
    check("opposite", &MatchPolicy::default(), false);
    check("opposite", &MatchPolicy::overlap(), false);
}

#[test]
fn one_problem_in_two_wordings_is_one() {
    check("same", &MatchPolicy::default(), true);
}

#[test]
fn what_was_kept_aside_is_told_as_well() {
    let policy = MatchPolicy::default();
    let told = |heading: &str, expected: bool| -> Vec<bool> {
        pairs(heading).into_iter().map(|pair| is_one(pair, &policy) == expected).collect()
    };
    let all = [told("aside: two", false), told("aside: one", true)].concat();
    let n_right = all.iter().filter(|is_right| **is_right).count();
    assert!(n_right * 10 >= all.len() * 9, "{n_right} of {}", all.len());
}

/// How many pairs of short complaints about one file are taken for one.
fn n_joined(heading: &str, policy: &MatchPolicy) -> usize {
    let paths = &["src/app.rs".to_owned()];
    let subject = |text| Subject { text, author: Author::Reviewer, paths, ..Subject::default() };
    let is_joined = |(a, b): &Pair| is_same(&subject(b), &subject(a), policy);
    pairs(heading).iter().filter(|pair| is_joined(pair)).count()
}

#[test]
fn most_short_complaints_about_one_file_are_told() {
    let policy = MatchPolicy::default();
    let (n_of_two, n_of_one) = (n_joined("short: two", &policy), n_joined("short: one", &policy));
    assert!(n_of_two <= 3, "{n_of_two} are taken for one");
    assert!(n_of_one >= 13, "only {n_of_one} are found");
}
